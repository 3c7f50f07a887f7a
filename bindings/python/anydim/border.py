# SPDX-License-Identifier: Apache-2.0
"""Strings, maps, sequences and optionals at a model's border. A model computes with numbers of texts; its metadata says which inputs and
outputs hold them and which text each number stands for, which outputs are the rows of maps, and of which tensors sequences and optionals
are made (docs/onnx.md). Here they become what onnxruntime gives: arrays of str, lists of dicts, lists of arrays, None."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _capi
from .arrays import TENSOR_TYPES, Array, numpy_dtype
from .errors import InvalidArgumentError, UnimplementedError

METADATA_KEY = "anydim.border"
LENGTH_BITS = 27  # of a view of a string: the offset of its first byte in a heap, and its length in bytes
MAP_VALUES = "tensor(float)"


def strings_of(name: str, value: Any) -> Array:
    """An input of strings as an array of objects."""
    array = np.asarray(value)
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8")
    if array.dtype.kind not in "UO":
        raise InvalidArgumentError(f"input {name!r} has dtype {array.dtype}; expected strings")
    return array.astype(object, copy=False)


def as_views(name: str, value: Any) -> tuple[Array, Array]:
    """An input of strings as views and their heap."""
    return _capi.views_of_texts(repr(name), strings_of(name, value), LENGTH_BITS)


def from_views(views: Array, heap: Array) -> Array:
    """The strings of an output."""
    texts: Array = _capi.texts_of_views(views, heap, LENGTH_BITS)
    return texts


def row_of(name: str, values: Mapping[Any, Any], keys: list[int] | list[str] | int | None, fill: Any = 0) -> list[Any]:
    """A map's values by these keys, by all numbers below one, or by its own in increasing order (None); `fill` where it has none."""
    if keys is None:
        return [values[key] for key in sorted(values)]
    if isinstance(keys, int):
        if any(key < 0 for key in values):
            raise InvalidArgumentError(f"input {name!r} has the key {min(values)}; expected 0 to {keys - 1}")
        keys = list(range(keys))
    return [values.get(key, fill) for key in keys]


@dataclass(frozen=True)
class Made:
    """An input or output that is a sequence or optional, and the tensors that the model has in its place."""

    name: str
    optional: bool
    sequence: bool
    absent: bool
    dtype: int
    elements: int  # -1: they are the slices of one tensor
    strings: bool

    def tensors(self) -> list[str]:
        """Their names."""
        if self.absent:
            return []
        if not self.sequence or self.elements < 0:
            return [self.name]
        return [f"{self.name}[{i}]" for i in range(self.elements)]

    def type(self) -> str:
        """What onnxruntime calls its type."""
        text = "tensor(string)" if self.strings else TENSOR_TYPES.get(self.dtype, "tensor(unknown)")  # type: ignore[call-overload]
        if self.sequence:
            text = f"seq({text})"
        return f"optional({text})" if self.optional else text

    def feeds(self, value: Any, dims: Sequence[int]) -> dict[str, Any]:
        """The tensors' feeds. `dims`: of the one tensor, if there is one."""
        if self.absent:
            if value is not None:
                raise InvalidArgumentError(f"input {self.name!r} is given; the session was made with None for it")
            return {}
        if value is None:
            raise InvalidArgumentError(
                f"input {self.name!r} is None; a session with sequences={{{self.name!r}: None}} takes that"
                if self.optional
                else f"input {self.name!r} is None; expected a list of arrays"
            )
        if not self.sequence:
            return {self.name: value}
        if not isinstance(value, (list, tuple)):
            if self.elements < 0:
                return {self.name: value}
            raise InvalidArgumentError(
                f"input {self.name!r} is of type {type(value).__name__}; expected a list of arrays"
            )
        if self.elements >= 0:
            if len(value) != self.elements:
                raise InvalidArgumentError(
                    f"input {self.name!r} has {len(value)} elements; the session was made for {self.elements}"
                )
            return dict(zip(self.tensors(), value, strict=True))
        arrays = [np.asarray(one) for one in value]
        if not arrays:
            dtype = np.dtype(object) if self.strings else numpy_dtype(self.dtype)
            return {self.name: np.zeros([0, *(max(dim, 0) for dim in dims[1:])], dtype)}
        shapes = [array.shape for array in arrays]
        for i, shape in enumerate(shapes):
            if shape != shapes[0]:
                raise InvalidArgumentError(
                    f"input {self.name!r} has elements of dims {list(shapes[0])} and, {i}, {list(shape)}; a session with "
                    f"sequences={{{self.name!r}: {[len(one) for one in shapes]}}}, the ranks of its elements, takes such"
                )
        return {self.name: np.stack(arrays)}

    def result(self, tensors: Mapping[str, Any]) -> Any:
        """What a caller gets for the tensors of its names."""
        if self.absent:
            return None
        if not self.sequence:
            return tensors[self.name]
        if self.elements < 0:
            return [tensors[self.name][i, ...] for i in range(len(tensors[self.name]))]
        return [tensors[name] for name in self.tensors()]


def ranks_of(value: Any) -> list[int] | None:
    """What `sequences=` says of an input that is this: a list of arrays, an array, or None."""
    if value is None:
        return None
    return [np.ndim(one) for one in (value if isinstance(value, (list, tuple)) else [value])]


class Border:
    """What a session translates; `of` gives None for a model that needs nothing."""

    def __init__(self, text: str) -> None:
        said = json.loads(text)
        self.inputs = frozenset(said["inputs"])
        self.outputs = frozenset(said["outputs"])
        self.maps: dict[str, list[int] | list[str]] = said["maps"]
        self._texts = np.array(said["texts"], dtype=object)
        self._numbers = {text: number for number, text in enumerate(said["texts"])}
        self._made_inputs = {name: Made(name, **one) for name, one in said.get("made_inputs", {}).items()}
        self._made_outputs = {name: Made(name, **one) for name, one in said.get("made_outputs", {}).items()}
        self._view_inputs: dict[str, str] = said.get("view_inputs", {})
        self._view_outputs: dict[str, str] = said.get("view_outputs", {})
        self._map_inputs: dict[str, list[int] | list[str] | int | None] = said.get("map_inputs", {})
        self._map_fills: dict[str, str] = said.get("map_fills", {})
        self.input_names: list[str] | None = said.get("input_names")  # in the file's order, where some are no tensors
        self.output_names: list[str] | None = said.get("output_names")

    @staticmethod
    def of(metadata: Mapping[str, str]) -> Border | None:
        """That of a model with this metadata."""
        text = metadata.get(METADATA_KEY)
        return None if text is None else Border(text)

    def feeds(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        """The same feeds of tensors with numbers for texts: -1 for those that the model does not know."""
        return {name: self._as_numbers(name, x) if name in self.inputs else x for name, x in feeds.items()}

    def spread(self, feeds: Mapping[str, Any], infos: Sequence[Any]) -> Mapping[str, Any]:
        """Feeds of tensors for feeds of what the model declares."""
        if not self._made_inputs and not self._view_inputs and not self._map_inputs:
            return feeds
        spread = {name: value for name, value in feeds.items() if name not in self._made_inputs}
        for name, keys in self._map_inputs.items():
            if name in feeds and isinstance(feeds[name], Mapping):
                text = self._is_text(name)
                row = [row_of(name, feeds[name], keys, self._map_fills[name] if text else 0)]
                spread[name] = np.array(row, object) if text else row
        for name, made in self._made_inputs.items():
            dims = next((info["dims"] for info in infos if info["name"] == name), ())
            if name in feeds:
                spread.update(made.feeds(feeds[name], dims))
        for name, heap in self._view_inputs.items():
            if name in spread and heap not in feeds:
                spread[name], spread[heap] = as_views(name, spread[name])
        return spread

    def _is_text(self, name: str) -> bool:
        return name in self.inputs or name in self._view_inputs

    def made_of(self, feeds: Mapping[str, Any]) -> dict[str, list[int] | None]:
        """What inputs that are sequences or optionals are made of in these feeds, as `sequences=` says it."""
        inputs = self._made_inputs
        return {name: ranks_of(feeds.get(name)) for name, one in inputs.items() if name in feeds or one.optional}

    def tensors(self, output_names: Sequence[str]) -> list[str]:
        """The tensors of these outputs."""
        made, views = self._made_outputs, self._view_outputs
        return [
            tensor
            for name in output_names
            for part in (made[name].tensors() if name in made else [name])
            for tensor in ([part, views[part]] if part in views else [part])
        ]

    def _as_numbers(self, name: str, value: Any) -> Any:
        return _capi.numbers_of_texts(repr(name), strings_of(name, value), self._numbers)

    def results(self, names: Sequence[str], results: Sequence[Any]) -> list[Any]:
        """Results by the names of their outputs, of the tensors that `tensors` names, as the model declares them."""
        if not self._made_outputs and not self._view_outputs:  # the tensors are the outputs
            return [self._read(name, result) for name, result in zip(names, results, strict=True)]
        tensors = dict(zip(self.tensors(names), results, strict=True))
        read = {name: self._result(name, tensors) for name in tensors}
        return [self._made_outputs[name].result(read) if name in self._made_outputs else read[name] for name in names]

    def _result(self, name: str, tensors: Mapping[str, Any]) -> Any:
        result = tensors[name]
        if name in self._view_outputs:
            return from_views(result, tensors[self._view_outputs[name]])
        return self._read(name, result)

    def _read(self, name: str, result: Any) -> Any:
        if name in self.outputs:
            return self._texts[result, ...]  # the ellipsis: of rank 0 it is an array, too
        if name in self.maps:
            return _capi.rows_as_maps(result, self.maps[name])
        return result

    def input_type(self, name: str) -> str | None:
        """What onnxruntime calls the type of an input, where it is no tensor of numbers. That of a map's values is the caller's to add."""
        if name in self._made_inputs:
            return self._made_inputs[name].type()
        if name in self._map_inputs:
            keys = self._map_inputs[name]
            key = "string" if isinstance(keys, list) and isinstance(keys[0], str) else "int64"
            return f"map({key},{'tensor(string)' if self._is_text(name) else MAP_VALUES})"
        return "tensor(string)" if self._is_text(name) else None

    def output_type(self, name: str) -> str | None:
        """The same of an output."""
        if name in self._made_outputs:
            return self._made_outputs[name].type()
        if name in self.maps:
            kind = "string" if self.maps[name] and isinstance(self.maps[name][0], str) else "int64"
            return f"seq(map({kind},tensor(float)))"
        return "tensor(string)" if name in self.outputs or name in self._view_outputs else None

    def refuse_binding(self, name: str) -> None:
        """Fails for what cannot be read or written in place."""
        views = (self._view_inputs, self._view_outputs)
        strings = any(one[name].strings for one in (self._made_inputs, self._made_outputs) if name in one)
        if strings or name in self.inputs or name in self.outputs or name in self.maps or any(name in v for v in views):
            raise UnimplementedError(f"{name!r} holds strings or maps, which cannot be bound; give it to run()")
