# SPDX-License-Identifier: Apache-2.0
"""Strings and maps at a model's border. A model computes with numbers of texts; its metadata says which inputs and outputs hold them and
which text each number stands for, and which outputs are the rows of maps (docs/onnx.md). Here they become what onnxruntime gives:
arrays of str, lists of dicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import InvalidArgumentError, UnimplementedError

METADATA_KEY = "anydim.border"


class Border:
    """What a session translates; `of` gives None for a model that needs nothing."""

    def __init__(self, text: str) -> None:
        said = json.loads(text)
        self.inputs = frozenset(said["inputs"])
        self.outputs = frozenset(said["outputs"])
        self.maps: dict[str, list[int] | list[str]] = said["maps"]
        self._texts = np.array(said["texts"], dtype=object)
        self._numbers = {text: number for number, text in enumerate(said["texts"])}

    @staticmethod
    def of(metadata: Mapping[str, str]) -> Border | None:
        """That of a model with this metadata."""
        text = metadata.get(METADATA_KEY)
        return None if text is None else Border(text)

    def feeds(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        """The same feeds with numbers for texts: -1 for those that the model does not know."""
        return {name: self._as_numbers(name, x) if name in self.inputs else x for name, x in feeds.items()}

    def _as_numbers(self, name: str, value: Any) -> Any:
        array = np.asarray(value)
        if array.dtype.kind == "S":
            array = np.char.decode(array, "utf-8")
        if array.dtype.kind not in "UO":
            raise InvalidArgumentError(f"input {name!r} has dtype {array.dtype}; expected strings")
        numbers = np.empty(array.shape, np.int64)
        flat = numbers.reshape(-1)
        for i, text in enumerate(array.reshape(-1).tolist()):
            if not isinstance(text, str):
                raise InvalidArgumentError(f"input {name!r} has an element of type {type(text).__name__}; expected str")
            flat[i] = self._numbers.get(text, -1)
        return numbers

    def results(self, names: Sequence[str], results: Sequence[Any]) -> list[Any]:
        """Results by the names of their outputs, with texts and maps."""
        return [self._result(name, result) for name, result in zip(names, results, strict=True)]

    def _result(self, name: str, result: Any) -> Any:
        if name in self.outputs:
            return self._texts[result]
        if name in self.maps:
            keys = self.maps[name]
            return [dict(zip(keys, row, strict=True)) for row in result.tolist()]
        return result

    def input_type(self, name: str) -> str | None:
        """What onnxruntime calls the type of an input, where it is no tensor of numbers."""
        return "tensor(string)" if name in self.inputs else None

    def output_type(self, name: str) -> str | None:
        """The same of an output."""
        if name in self.maps:
            kind = "string" if self.maps[name] and isinstance(self.maps[name][0], str) else "int64"
            return f"seq(map({kind},tensor(float)))"
        return "tensor(string)" if name in self.outputs else None

    def refuse_binding(self, name: str) -> None:
        """Fails for what cannot be read or written in place."""
        if name in self.inputs or name in self.outputs or name in self.maps:
            raise UnimplementedError(f"{name!r} holds strings or maps, which cannot be bound; give it to run()")
