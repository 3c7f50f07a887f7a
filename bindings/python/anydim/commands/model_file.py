# SPDX-License-Identifier: Apache-2.0
"""As much of an ONNX file as `anydim compare` needs: its nodes in order, more outputs added to it, and one node as a model of its own.
Reads and writes protobuf's wire format directly, so that no other package is needed. Not a reader of models: that is the library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..arrays import TENSOR_TYPES, Array
from ..errors import InvalidModelError

# Numbers of fields in onnx.proto.
_MODEL_GRAPH, _MODEL_KEPT = 7, (1, 8, 25)  # ir_version, opset_import, functions
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _VALUE_INFO, _SPARSE = 1, 5, 11, 12, 13, 15
_ELEMENT_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
    "uint32": 12, "uint64": 13, "bfloat16": 16,
}  # fmt: skip
assert len(_ELEMENT_TYPES) <= len(TENSOR_TYPES)


@dataclass
class Node:
    """A node of the main graph; `name` is what the library calls it, also where the file gives it none."""

    name: str
    op_type: str
    inputs: list[str]
    outputs: list[str]
    data: bytes = field(repr=False)


def _number(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise InvalidModelError("the file is no ONNX model: a number is cut off")
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Of a message: the number of each field, its content, and its bytes with the tag."""
    at = 0
    while at < len(data):
        begin = at
        tag, at = _number(data, at)
        kind = tag & 7
        if kind == 2:
            size, at = _number(data, at)
            end = at + size
        elif kind == 0:
            end = _number(data, at)[1]
        elif kind in (1, 5):
            end = at + (8 if kind == 1 else 4)
        else:
            raise InvalidModelError(f"the file is no ONNX model: wire type {kind}")
        if end > len(data):
            raise InvalidModelError("the file is no ONNX model: a field is cut off")
        yield tag >> 3, data[at:end], data[begin:end]
        at = end


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def chunk(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _text(content: memoryview) -> str:
    return bytes(content).decode("utf-8", "surrogateescape")


def _first_text(data: memoryview, number: int) -> str:
    return next((_text(content) for found, content, _ in fields(data) if found == number), "")


class ModelFile:
    """The file's bytes and what of them is asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.nodes: list[Node] = []
        self.outputs: list[str] = []
        self.types: dict[str, bytes] = {}  # of tensors inside: their ValueInfoProto, where the file has one
        self.constants: dict[str, bytes] = {}  # initializers, with their tag
        self._kept = b""
        counts: dict[str, int] = {}
        for number, content, whole in fields(memoryview(data)):
            if number in _MODEL_KEPT:
                self._kept += bytes(whole)
            if number != _MODEL_GRAPH:
                continue
            for inner, value, tagged in fields(content):
                if inner == _NODE:
                    self._add(value, counts)
                elif inner == _INITIALIZER:
                    self.constants[_first_text(value, 8)] = bytes(tagged)
                elif inner == _OUTPUT:
                    self.outputs.append(_first_text(value, 1))
                elif inner == _VALUE_INFO:
                    self.types[_first_text(value, 1)] = bytes(value)

    def _add(self, data: memoryview, counts: dict[str, int]) -> None:
        node = Node("", "", [], [], bytes(data))
        for number, content, _ in fields(data):
            if number == 1:
                node.inputs.append(_text(content))
            elif number == 2:
                node.outputs.append(_text(content))
            elif number == 3:
                node.name = _text(content)
            elif number == 4:
                node.op_type = _text(content)
        index = counts[node.op_type] = counts.get(node.op_type, -1) + 1
        node.name = node.name or f"{node.op_type}@{index}"
        self.nodes.append(node)

    def with_outputs(self, names: Sequence[str]) -> bytes:
        """The model with further tensors as outputs. Repeated fields of a message that comes twice are joined, so they are appended."""
        more = b""
        for name in names:
            if name not in self.outputs:
                more += chunk(_OUTPUT, self.types.get(name) or chunk(1, name.encode("utf-8", "surrogateescape")))
        return self.data + chunk(_MODEL_GRAPH, more)

    def alone(self, node: Node, values: dict[str, Array]) -> bytes | None:
        """A model of this node alone, whose inputs are the tensors of `values`; None where a dtype has no number here."""
        graph = chunk(_NODE, node.data) + chunk(2, b"node")
        for name in dict.fromkeys(node.inputs):
            if not name:
                continue
            if name in self.constants:
                graph += self.constants[name]
                continue
            array = values[name]
            element = _ELEMENT_TYPES.get(array.dtype.name)
            if element is None:
                return None
            dims = b"".join(chunk(1, b"\x08" + _varint(d)) for d in array.shape)
            tensor = b"\x08" + _varint(element) + chunk(2, dims)
            graph += chunk(_INPUT, chunk(1, name.encode("utf-8", "surrogateescape")) + chunk(2, chunk(1, tensor)))
        for name in node.outputs:
            if name:
                graph += chunk(_OUTPUT, self.types.get(name) or chunk(1, name.encode("utf-8", "surrogateescape")))
        return self._kept + chunk(_MODEL_GRAPH, graph)
