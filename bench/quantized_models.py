# SPDX-License-Identifier: Apache-2.0
"""Public models, and networks of the zoo with random weights, quantized by ONNX Runtime's quantizer, into build/quantized/: `qdq`
(static, pairs of conversions, a scale per output channel), `qoperator` (static, fused operators), `dynamic`; and where it is asked for,
`qdq16`, which is `qdq` with activations of 16 bits. Calibrated on a few drawn inputs: good enough to hold engines against each other,
not to read with.

  python bench/quantized_models.py [det rec cls yolo resnet18 mobilenet_v3 bert vit]

Those of the zoo are exported by `/usr/bin/python3 bench/architectures/export.py build/zoo/made NAME...`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "models"))
MODELS = ("det", "rec", "cls", "yolo")
ZOO = ("resnet18", "mobilenet_v3", "bert", "vit")
FORMS = ("qdq", "qoperator", "dynamic")
MORE_FORMS = ("qdq16",)
FOLDER = ROOT / "build" / "quantized"
SHAPES = {"det": (1, 3, 256, 320), "rec": (1, 3, 48, 320), "cls": (1, 3, 48, 192), "yolo": (1, 3, 256, 320),
          "resnet18": (1, 3, 224, 224), "mobilenet_v3": (1, 3, 224, 224), "vit": (1, 3, 224, 224), "bert": (1, 64)}  # fmt: skip


def source_of(model: str) -> Path:
    """The float model."""
    return ROOT / "build" / ("models" if model in MODELS else "zoo/made") / f"{model}.onnx"


def shapes_of(model: str, count: int) -> list[tuple[int, ...]]:
    """Others than SHAPES, growing: wider images, longer texts, more pictures where their size is fixed."""
    if model == "vit":
        return [(1 + i, *SHAPES[model][1:]) for i in range(1, min(count, 4) + 1)]
    return [(*SHAPES[model][:-1], SHAPES[model][-1] + (8 if model == "bert" else 32) * i) for i in range(1, count + 1)]


def feeds(model: str, shape: tuple[int, ...], name: str, seed: int = 1) -> dict[str, Any]:
    """Drawn inputs; `name`: of the first one."""
    import numpy as np

    rng = np.random.default_rng(seed)
    if model != "bert":
        return {name: rng.uniform(-1, 1, shape).astype(np.float32)}
    ids = rng.integers(0, 1000, shape)
    return {"ids": ids, "mask": np.ones_like(ids), "kinds": np.zeros_like(ids)}


class Drawn:
    """What the quantizer asks of calibration data: smooth images, so that ranges are like those of pictures."""

    def __init__(self, model: str, name: str, count: int = 3) -> None:
        import numpy as np

        rng = np.random.default_rng(5)
        if model == "bert":
            self.left = [feeds(model, SHAPES[model], name, seed) for seed in range(count)]
            return
        n, c, h, w = SHAPES[model]
        self.left = []
        for _ in range(count):
            coarse = rng.uniform(0, 1, (n, c, h // 8, w // 8)).astype(np.float32)
            image = coarse.repeat(8, axis=2).repeat(8, axis=3) + rng.normal(0, 0.05, (n, c, h, w)).astype(np.float32)
            self.left.append({name: image if model == "yolo" else (image - 0.5) / 0.5})

    def get_next(self) -> dict[str, Any] | None:
        return self.left.pop() if self.left else None


def onnx_runtime_saturates() -> bool:
    """Whether its sums of u8 x i8 products are wrong on this processor for weights of all 8 bits: without VNNI it adds pairs of
    products in 16 bits, which saturate."""
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import helper

    types = (("a", onnx.TensorProto.UINT8), ("b", onnx.TensorProto.INT8))
    node = helper.make_node("MatMulInteger", ["a", "b"], ["y"])
    inputs = [helper.make_tensor_value_info(name, dtype, [16, 16]) for name, dtype in types]
    graph = helper.make_graph([node], "probe", inputs, [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"a": np.full((16, 16), 255, np.uint8), "b": np.full((16, 16), 127, np.int8)})
    return bool((y != 16 * 255 * 127).any())


def quantized(model: str, form: str, reduce_range: bool = False) -> Path:
    """The file, made if it is not there. With `reduce_range` weights have 7 bits, for processors on which ONNX Runtime's sums
    saturate."""
    import onnx
    import onnx.version_converter
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_dynamic, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    path = FOLDER / f"{model}.{form}{'.7bit' if reduce_range else ''}.onnx"
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    source = source_of(model)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        prepared, made = Path(folder) / "prepared.onnx", Path(folder) / "made.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        # Scales along an axis are of opset 13; the quantizer writes them into any.
        model_13 = onnx.load(str(prepared))
        if next(o.version for o in model_13.opset_import if o.domain in ("", "ai.onnx")) < 13:
            onnx.save(onnx.version_converter.convert_version(model_13, 13), str(prepared))
        if form == "dynamic":
            quantize_dynamic(prepared, made, weight_type=QuantType.QUInt8, reduce_range=reduce_range)
        else:
            name = onnx.load(str(prepared), load_external_data=False).graph.input[0].name
            kind = QuantFormat.QOperator if form == "qoperator" else QuantFormat.QDQ
            numbers = QuantType.QUInt16 if form == "qdq16" else QuantType.QUInt8
            quantize_static(
                str(prepared), str(made), Drawn(model, name), quant_format=kind, per_channel=form != "qoperator",
                activation_type=numbers, weight_type=QuantType.QInt8, reduce_range=reduce_range,
            )  # fmt: skip
        made.replace(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="all of them if none is named")
    for model in parser.parse_args().models or MODELS:
        for form in FORMS:
            path = quantized(model, form)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 2**20:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
