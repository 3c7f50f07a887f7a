# SPDX-License-Identifier: Apache-2.0
"""The model files of the `onnx` package with their inputs and outputs: those that PyTorch once wrote (opset 6), and small ones. Each is
run as it is and with every declared dim dynamic, by the rules of node_cases.py. Those with types that Anydim does not have are
refused; all others pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import pytest
from node_cases import PASSED, UNIMPLEMENTED, verdict_of, with_dynamic_dims

DATA = Path(onnx.__file__).resolve().parent / "backend" / "test" / "data"
FOLDERS = ("pytorch-converted", "pytorch-operator", "simple")

# Gradients of a training domain.
REFUSED = ("test_gradient_of",)
# With dynamic dims their ranks or axes follow from the data.
FIXED_DIMS_ONLY: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelCase:
    """What node_cases.py needs to know of a case."""

    name: str
    model: Any
    data_sets: list[tuple[list[Any], list[Any]]]
    rtol: float = 1e-3
    atol: float = 1e-7


def tensors(folder: Path, kind: str, values: Any) -> Iterator[Any]:
    for at in range(len(values)):
        file = folder / f"{kind}_{at}.pb"
        if not file.exists():
            return
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString(file.read_bytes())
        except Exception:
            return  # of a sequence, which is refused
        yield onnx.numpy_helper.to_array(tensor)


def case_of(folder: Path) -> ModelCase:
    model = onnx.load(folder / "model.onnx")
    # Older files list initializers as inputs; the data is that of the others.
    initializers = {t.name for t in model.graph.initializer}
    inputs = [v for v in model.graph.input if v.name not in initializers]
    sets = [
        (list(tensors(data, "input", inputs)), list(tensors(data, "output", model.graph.output)))
        for data in sorted(folder.glob("test_data_set_*"))
    ]
    return ModelCase(folder.name, model, sets)


FOUND = sorted(folder for name in FOLDERS for folder in (DATA / name).iterdir() if (folder / "model.onnx").exists())


def is_refused(folder: Path) -> bool:
    return folder.name.startswith(REFUSED)


def test_none_of_the_package_is_missing() -> None:
    assert len(FOUND) >= 139
    assert sum(map(is_refused, FOUND)) <= 8


@pytest.mark.parametrize("folder", FOUND, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_model_of_the_onnx_package(folder: Path) -> None:
    if is_refused(folder):
        verdict, message = verdict_of(
            ModelCase(folder.name, onnx.load(folder / "model.onnx"), []), (folder / "model.onnx").read_bytes()
        )
        assert verdict == UNIMPLEMENTED, message
        return
    case = case_of(folder)
    assert all(outputs for _, outputs in case.data_sets) and case.data_sets
    verdict, message = verdict_of(case, case.model.SerializeToString())
    assert verdict == PASSED, message
    verdict, message = verdict_of(case, with_dynamic_dims(case))
    assert verdict == PASSED or (verdict == UNIMPLEMENTED and folder.name in FIXED_DIMS_ONLY), message
