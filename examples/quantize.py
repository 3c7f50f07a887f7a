# SPDX-License-Identifier: Apache-2.0
"""From a float model to a fast quantized one, judged by the words that are read.

Quantizes the three models of RapidOCR (det finds text, cls says whether it is upside down, rec reads it), calibrated with
inputs that RapidOCR makes of drawn pictures, and reads other pictures with all forms on both engines.

  .venv/bin/python examples/quantize.py                          # 40 pictures to read, 2 to 3 minutes
  .venv/bin/python examples/quantize.py --read 200 --models rec  # det and cls stay float
  .venv/bin/python examples/quantize.py --keep 0                 # every layer of rec is quantized, too

Prints per form and engine: words that were read as drawn, and milliseconds per picture of each model.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "demo"))
FOLDER = ROOT / "build" / "quantized-ocr"
MODELS = ("det", "cls", "rec")
Inputs = dict[str, list[Any]]


class Recorded:
    """A session that keeps the inputs of its calls, and the time that they took."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.inputs: list[Any] = []
        self.seconds = 0.0

    def run(self, names: Any, feed: dict[str, Any], *rest: Any) -> Any:
        self.inputs.extend(feed.values())
        begin = time.perf_counter()
        results = self.session.run(names, feed, *rest)
        self.seconds += time.perf_counter() - begin
        return results

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


def reader_on(open_session: Callable[[str], Any], paths: dict[str, Path]) -> tuple[Any, dict[str, Recorded]]:
    """RapidOCR with `paths` on the engine of `open_session`. What stands around its models stays as it is."""
    from rapidocr_onnxruntime import RapidOCR

    reader = RapidOCR()
    engines = {"det": reader.text_det.infer, "cls": reader.text_cls.infer, "rec": reader.text_rec.session}
    sessions = {model: Recorded(open_session(str(path))) for model, path in paths.items()}
    for model, session in sessions.items():
        engines[model].session = session
    return reader, sessions


def words_of(reader: Any, pixels: Any) -> list[str]:
    """The lines of a picture, top to bottom."""
    found, _ = reader(pixels)
    return [text for _, text, _ in sorted(found or [], key=lambda line: line[0][0][1])]


def before_convolution(graph: Any, count: int) -> list[str]:
    """The nodes before the convolution number `count` (0: the first one)."""
    convolutions = [i for i, node in enumerate(graph.node) if node.op_type == "Conv"]
    return [node.name for node in graph.node[: convolutions[count]]]


def quantize(model: str, inputs: list[Any], kept: int, to: Path) -> None:
    """The static form with pairs of conversions: u8 activations, i8 weights with a scale per output channel. What stands
    before the convolution number `kept` stays float."""
    import onnx
    import onnx.version_converter
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared = to.with_suffix(".prepared.onnx")
    quant_pre_process(str(ROOT / "build" / "models" / f"{model}.onnx"), str(prepared), skip_symbolic_shape=True)
    float_model = onnx.load(str(prepared))
    if next(opset.version for opset in float_model.opset_import if opset.domain in ("", "ai.onnx")) < 13:
        float_model = onnx.version_converter.convert_version(float_model, 13)  # scales along an axis are of opset 13
        onnx.save(float_model, str(prepared))
    name = float_model.graph.input[0].name

    class Reader:
        left = iter(inputs)

        def get_next(self) -> dict[str, Any] | None:
            x = next(self.left, None)
            return None if x is None else {name: x}

    quantize_static(
        str(prepared), str(to), Reader(), quant_format=QuantFormat.QDQ, per_channel=True,
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        nodes_to_exclude=before_convolution(float_model.graph, kept),
    )  # fmt: skip
    prepared.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), help="what is quantized")
    parser.add_argument("--calibrate", type=int, default=24, metavar="N", help="pictures to calibrate with (24)")
    parser.add_argument("--read", type=int, default=40, metavar="N", help="other pictures, to read (40)")
    parser.add_argument(
        "--keep", type=int, default=6, metavar="N", help="first convolutions of rec that stay float (6)"
    )
    parser.add_argument("--threads", type=int, default=1, help="of each engine (1)")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(10**9), help="of the pictures; default: drawn now"
    )
    options = parser.parse_args()

    import anydim
    import onnxruntime
    from pictures import album

    def on_onnxruntime(path: str) -> Any:
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])

    def on_anydim(path: str) -> Any:
        return anydim.InferenceSession(path, threads=options.threads)

    print(
        f"quantize: seed {options.seed}; {options.calibrate} pictures to calibrate with, {options.read} others to read"
    )
    pictures = album(options.seed, options.calibrate + options.read)
    float_paths = {model: ROOT / "build" / "models" / f"{model}.onnx" for model in MODELS}
    reader, sessions = reader_on(on_anydim, float_paths)
    for picture in pictures[: options.calibrate]:
        words_of(reader, picture.pixels)
    FOLDER.mkdir(parents=True, exist_ok=True)
    quantized_paths = dict(float_paths)
    for model in options.models:
        quantized_paths[model] = FOLDER / f"{model}.onnx"
        print(f"quantize: {model}, {len(sessions[model].inputs)} inputs of its calls", flush=True)
        quantize(model, sessions[model].inputs, options.keep if model == "rec" else 0, quantized_paths[model])

    count = sum(len(picture.words) for picture in pictures[options.calibrate :])
    print(
        f"\n{'form':<10} {'engine':<13} {f'of {count} words':>14}  " + "  ".join(f"{model:>6} ms" for model in MODELS)
    )
    for form, paths in (("float", float_paths), ("quantized", quantized_paths)):
        for engine, open_session in (("ONNX Runtime", on_onnxruntime), ("Anydim", on_anydim)):
            reader, sessions = reader_on(open_session, paths)
            words_of(reader, pictures[0].pixels)  # the first call ever loads code into caches
            for session in sessions.values():
                session.seconds = 0.0
            right = 0
            for picture in pictures[options.calibrate :]:
                found = words_of(reader, picture.pixels)
                right += sum(word in found for word in picture.words)
            times = "  ".join(f"{sessions[model].seconds * 1e3 / options.read:>9.1f}" for model in MODELS)
            print(f"{form:<10} {engine:<13} {right:>14}  {times}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
