# SPDX-License-Identifier: Apache-2.0
"""Math mode `reduced` beside `strict` and beside OpenVINO with its own bf16, in one process, alternately: the medians of several rounds.
Networks with the layers of well-known ones and random weights are made here; further models may be named.

  bench/reduced.py [--only resnet50 bert] [--rounds 9] [--threads 1] [--no-openvino] [MODEL.onnx:x:1,3,640,640 ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any, Literal

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

if TYPE_CHECKING:
    from made_models import Builder, Feeds, Made

TRANSFORMER_LAYERS = 4  # of a kind: more of them change no ratio


def resnet50(b: Builder) -> list[str]:
    x = b.conv_relu("x", 3, 64, 7, strides=[2, 2])
    x = b.node("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    inputs = 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            stride = [2, 2] if stage > 0 and block == 0 else [1, 1]
            y = b.conv_relu(x, inputs, width, 1)
            y = b.conv_relu(y, width, width, 3, strides=stride)
            y = b.conv(y, width, 4 * width, 1)
            if block == 0:
                x = b.conv(x, inputs, 4 * width, 1, strides=stride)
            x = b.node("Relu", b.node("Add", y, x))
            inputs = 4 * width
    return [b.linear(b.node("Flatten", b.node("GlobalAveragePool", x)), inputs, 1000)]


def vgg16(b: Builder) -> list[str]:
    x, inputs = "x", 3
    for width, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            x = b.conv_relu(x, inputs, width)
            inputs = width
        x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Relu", b.linear(b.node("Flatten", x), 512 * 49, 4096))
    return [b.linear(b.node("Relu", b.linear(x, 4096, 4096)), 4096, 1000)]


def bert(b: Builder) -> list[str]:
    x = b.norm(b.node("Gather", b.weight(1000, 768), "ids", axis=0), 768)
    for _ in range(TRANSFORMER_LAYERS):
        x = b.norm(b.node("Add", x, b.attention(x, 768, 12)), 768)
        x = b.norm(b.node("Add", x, b.linear(b.gelu(b.linear(x, 768, 3072)), 3072, 768)), 768)
    return [x]


def vit(b: Builder) -> list[str]:
    x = b.conv("x", 3, 768, 16, strides=[16, 16], pads=[0] * 4)
    x = b.node("Transpose", b.node("Reshape", x, b.constant([0, 768, -1], "int64")), perm=[0, 2, 1])
    x = b.node("Concat", b.weight(1, 1, 768), x, axis=1)
    x = b.node("Add", x, b.weight(1, 197, 768))
    for _ in range(TRANSFORMER_LAYERS):
        x = b.encoder_layer(x, 768, 12)
    return [b.norm(x, 768)]


def whisper_encoder(b: Builder) -> list[str]:
    x = b.gelu(b.conv("x", 80, 768, 3, rank=1))
    x = b.gelu(b.conv(x, 768, 768, 3, rank=1, strides=[2]))
    x = b.node("Add", b.node("Transpose", x, perm=[0, 2, 1]), b.weight(1500, 768))
    for _ in range(TRANSFORMER_LAYERS):
        x = b.encoder_layer(x, 768, 12)
    return [b.norm(x, 768)]


def decoder_step(b: Builder) -> list[str]:
    x = "x"
    for _ in range(TRANSFORMER_LAYERS):
        x = b.encoder_layer(x, 1024, 16, ("past_keys", "past_values"))
    return [b.linear(x, 1024, 32000)]


NAMES = ("resnet50", "vgg16", "bert", "vit", "whisper_encoder", "decoder_step")


def networks() -> dict[str, Made]:
    from made_models import Made

    image: dict[str, tuple[int | str, ...]] = {"x": (1, 3, 224, 224)}
    past: dict[str, tuple[int | str, ...]] = {"past_keys": (1, 16, "t", 64), "past_values": (1, 16, "t", 64)}
    return {
        "resnet50": Made(resnet50, image, (0,)),
        "vgg16": Made(vgg16, image, (0,)),
        "bert": Made(bert, {"ids": (1, "t")}, (128,), {"ids": 1000}),
        "vit": Made(vit, image, (0,)),
        "whisper_encoder": Made(whisper_encoder, {"x": (1, 80, 3000)}, (0,)),
        "decoder_step": Made(decoder_step, {"x": (1, 1, 1024), **past}, (128,)),
    }


@dataclass
class Times:
    """Milliseconds of a call, each with what it is a call of; and how far the two modes' results are apart."""

    strict: float
    reduced: float
    openvino: float
    difference: float  # as a part of the largest magnitude

    @property
    def gain(self) -> float:
        return self.strict / self.reduced

    @property
    def against_openvino(self) -> float:
        return self.openvino / self.reduced


def open_anydim(path: Path, threads: int, math: Literal["strict", "reduced"]) -> Callable[[Feeds], list[Any]]:
    import anydim

    session = anydim.InferenceSession(str(path), threads=threads, math=math)
    return lambda feeds: list(session.run(None, feeds))


def open_openvino(path: Path, threads: int) -> Callable[[Feeds], list[Any]]:
    import openvino

    properties: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": "bf16",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": "1",
        "PERFORMANCE_HINT": "LATENCY",
    }
    request = openvino.Core().compile_model(str(path), "CPU", properties).create_infer_request()
    return lambda feeds: list(request.infer(feeds, share_inputs=True).values())


def measure(path: Path, feeds: Feeds, options: argparse.Namespace) -> Times:
    import numpy as np

    engines = {
        "strict": open_anydim(path, options.threads, "strict"),
        "reduced": open_anydim(path, options.threads, "reduced"),
    }
    if not options.no_openvino:
        engines["openvino"] = open_openvino(path, options.threads)
    results = {name: [np.array(y) for y in run(feeds)] for name, run in engines.items()}
    times: dict[str, list[float]] = {name: [] for name in engines}
    # With one thread the process's CPU time, so that a busy machine's preemptions do not count.
    clock = time.process_time if options.threads == 1 else time.perf_counter
    for _ in range(options.rounds):
        for name, run in engines.items():
            run(feeds)  # what the others left in the caches
            best = float("inf")
            for _ in range(2):
                start = clock()
                run(feeds)
                best = min(best, clock() - start)
            times[name].append(best * 1e3)
    apart = max(
        float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30))
        for a, b in zip(results["strict"], results["reduced"], strict=True)
    )
    middle = {name: median(values) for name, values in times.items()}
    return Times(middle["strict"], middle["reduced"], middle.get("openvino", float("nan")), apart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="further models: MODEL.onnx:NAME:DIMS")
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES, help="of the networks made here")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-openvino", action="store_true")
    options = parser.parse_args()
    import numpy as np

    known = networks()
    folder = ROOT / "build" / "models" / "reduced"
    folder.mkdir(parents=True, exist_ok=True)
    cases: list[tuple[str, Path, Feeds]] = []
    for name in options.only:
        made = known[name]
        path = folder / f"{name}.onnx"
        if not path.exists():
            made.save(path)
        cases.append((name, path, made.feeds(made.sizes[0])))
    for text in options.models:
        file, name, dims = text.rsplit(":", 2)
        random = np.random.default_rng(0)
        feeds = {name: random.uniform(0, 1, [int(d) for d in dims.split(",")]).astype(np.float32)}
        cases.append((Path(file).stem, Path(file), feeds))
    print(
        f"{'':18}{'strict ms':>10}{'reduced ms':>12}{'gain':>7}{'OpenVINO bf16 ms':>18}{'over ours':>11}{'difference':>12}"
    )
    found: list[Times] = []
    for name, path, feeds in cases:
        t = measure(path, feeds, options)
        found.append(t)
        print(
            f"{name:18}{t.strict:10.2f}{t.reduced:12.2f}{t.gain:7.2f}{t.openvino:18.2f}{t.against_openvino:11.2f}"
            f"{t.difference:12.4f}",
            flush=True,
        )
    print(f"{'geometric mean':40}{geometric_mean([t.gain for t in found]):7.2f}", end="")
    if not options.no_openvino:
        print(f"{geometric_mean([t.against_openvino for t in found]):29.2f}", end="")
    print()


if __name__ == "__main__":
    main()
