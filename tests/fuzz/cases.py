# SPDX-License-Identifier: Apache-2.0
"""A case of the fuzz: an ONNX model that carries what it is run with.

Its metadata has the dims that its symbols take, run after run, and a seed; the doc string of an input says what its
elements are. So a case is one file, and feeds() makes the same arrays from it everywhere. Kept cases are protobuf's
text form of the model."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from google.protobuf import text_format
from numpy.typing import NDArray

Array = NDArray[Any]
Binding = dict[str, int]

T = onnx.TensorProto
NUMPY: dict[int, np.dtype[Any]] = {
    T.FLOAT: np.dtype(np.float32),
    T.DOUBLE: np.dtype(np.float64),
    T.FLOAT16: np.dtype(np.float16),
    T.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    T.INT8: np.dtype(np.int8),
    T.INT16: np.dtype(np.int16),
    T.INT32: np.dtype(np.int32),
    T.INT64: np.dtype(np.int64),
    T.UINT8: np.dtype(np.uint8),
    T.UINT16: np.dtype(np.uint16),
    T.UINT32: np.dtype(np.uint32),
    T.UINT64: np.dtype(np.uint64),
    T.BOOL: np.dtype(np.bool_),
}
WORDS = ("a", "b", "ab", "", " ", "a b", "b,a", "é", "Ж1", "x_y", "12", "-3", "1.5", "\U0001f600")
FLOATS = frozenset({T.FLOAT, T.DOUBLE, T.FLOAT16, T.BFLOAT16})
SPECIALS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-40, 3e38, 0.5, 2.0)


def is_float(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "f" or dtype == ml_dtypes.bfloat16


def draw(random: np.random.Generator, dtype: np.dtype[Any], shape: tuple[int, ...], recipe: str) -> Array:
    """Elements after a recipe: `normal`, `positive` (0.5 to 2), `unit` (-1 to 1), `special` (zeros, infinities and NaNs among the
    others), or `integers LOW HIGH` (inclusive). Integer dtypes take small integers whatever the recipe."""
    if dtype.kind == "O":
        return np.array([WORDS[k] for k in random.integers(0, len(WORDS), int(np.prod(shape)))], object).reshape(shape)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(np.bool_)
    words = recipe.split()
    if words[0] == "integers":
        return random.integers(int(words[1]), int(words[2]) + 1, shape).astype(dtype)
    if not is_float(dtype):
        return random.integers(0 if dtype.kind == "u" or recipe == "positive" else -9, 10, shape).astype(dtype)
    if recipe == "positive":
        values = random.uniform(0.5, 2.0, shape)
    elif recipe == "unit":
        values = random.uniform(-1.0, 1.0, shape)
    else:
        values = random.standard_normal(shape) * 2
    values = np.asarray(values)
    if recipe == "special":
        values = np.where(random.random(shape) < 0.3, random.choice(SPECIALS, shape), values)
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(dtype)


def metadata(model: onnx.ModelProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in model.metadata_props}


def set_metadata(model: onnx.ModelProto, **entries: Any) -> None:
    known = {
        **metadata(model),
        **{key: value if isinstance(value, str) else json.dumps(value) for key, value in entries.items()},
    }
    del model.metadata_props[:]
    for key, value in known.items():
        model.metadata_props.add(key=key, value=value)


def drop_metadata(model: onnx.ModelProto, *keys: str) -> None:
    kept = [(entry.key, entry.value) for entry in model.metadata_props if entry.key not in keys]
    del model.metadata_props[:]
    for key, value in kept:
        model.metadata_props.add(key=key, value=value)


def bindings_of(model: onnx.ModelProto) -> list[Binding]:
    found: list[Binding] = json.loads(metadata(model)["bindings"])
    return found


def dims_of(value: onnx.ValueInfoProto, binding: Binding) -> tuple[int, ...]:
    return tuple(binding[d.dim_param] if d.dim_param else d.dim_value for d in value.type.tensor_type.shape.dim)


def number_of(value: onnx.ValueInfoProto) -> str:
    """The name in the bindings of the number that an input holds, by the recipe `number NAME`; empty if it is none."""
    words = value.doc_string.split()
    return words[1] if words[:1] == ["number"] else ""


def feeds(model: onnx.ModelProto, binding: Binding) -> dict[str, Array]:
    """The inputs of the run with these dims. An input's elements depend on its name and dims, not on other inputs."""
    seed = int(metadata(model).get("seed", "0"))
    made = {}
    for value in model.graph.input:
        dims = dims_of(value, binding)
        if words := number_of(value):
            made[value.name] = np.full(dims, binding[words], NUMPY[value.type.tensor_type.elem_type])
            continue
        random = np.random.default_rng([seed, zlib.crc32(value.name.encode()), *dims])
        element = value.type.tensor_type.elem_type
        dtype = np.dtype(object) if element == T.STRING else NUMPY[element]
        made[value.name] = draw(random, dtype, dims, value.doc_string or "normal")
    return made


def without_names(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with inputs whose dynamic dims have no names: each is a symbol of its own, and sizes meet in guards."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for value in out.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.Clear()
    return out


def initializer(name: str, array: Array) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def write(model: onnx.ModelProto, path: Path, words: str) -> None:
    """`words` stand as a comment before the model."""
    head = "".join(f"# {line}\n" for line in words.splitlines())
    path.write_text(head + text_format.MessageToString(model), encoding="utf-8")


def read(path: Path) -> onnx.ModelProto:
    model = onnx.ModelProto()
    if path.suffix == ".onnx":
        model.ParseFromString(path.read_bytes())
    else:
        text_format.Parse(path.read_text(encoding="utf-8"), model)
    return model
