# SPDX-License-Identifier: Apache-2.0
"""Decoders with a cache, as ONNX Runtime's model builder and its optimiser write them, with random weights: a Llama-shaped one
(grouped heads, rotary positions, root-mean-square normalisation, gated SiLU) and a GPT-2-shaped one (learned positions, layer
normalisation, GELU). They say nothing that makes sense; their work is that of models that do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper


@dataclass(frozen=True)
class Shape:
    """How large a decoder is."""

    layers: int
    width: int
    heads: int
    key_heads: int
    hidden: int
    words: int
    positions: int = 2048

    @property
    def head(self) -> int:
        return self.width // self.heads


SMALL = Shape(layers=2, width=64, heads=4, key_heads=2, hidden=160, words=211, positions=256)
LLAMA_100M = Shape(layers=12, width=768, heads=12, key_heads=4, hidden=2048, words=32000)
GPT2 = Shape(layers=12, width=768, heads=12, key_heads=12, hidden=3072, words=50257)


WEIGHTS = ("f32", "f16", "int8", "int4")
BLOCK = 32  # numbers of few bits that have one scale


class _Writer:
    """`weights`: as what the matrices of products are held. 16-bit floats have a Cast behind them; numbers of 8 and 4 bits are in blocks,
    read by MatMulNBits."""

    def __init__(self, shape: Shape, seed: int, weights: str = "f32") -> None:
        self.shape, self.random, self.weights_as = shape, np.random.default_rng(seed), weights
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def weight(self, name: str, *dims: int, scale: float | None = None, about: float = 0.0) -> str:
        spread = dims[0] ** -0.5 if scale is None else scale
        values = self.random.standard_normal(dims, dtype=np.float32) * np.float32(spread) + np.float32(about)
        return self.constant(name, values)

    def constant(self, name: str, values: Any) -> str:
        self.weights.append(onnx.numpy_helper.from_array(values, name))
        return name

    def node(self, op: str, inputs: list[str], outputs: list[str] | str, *, domain: str = "", **attributes: Any) -> str:
        names = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0], domain=domain, **attributes))
        return names[0]

    def product(self, x: str, name: str, inputs: int, outputs: int, result: str) -> str:
        if self.weights_as == "f32":
            return self.node("MatMul", [x, self.weight(name, inputs, outputs)], result)
        values = self.random.standard_normal((inputs, outputs), dtype=np.float32) * np.float32(inputs**-0.5)
        if self.weights_as == "f16":
            half = self.constant(name, values.astype(np.float16))
            return self.node("MatMul", [x, self.node("Cast", [half], f"{name}.wide", to=TensorProto.FLOAT)], result)
        bits = 4 if self.weights_as == "int4" else 8
        blocks = values.T.reshape(outputs, inputs // BLOCK, BLOCK)
        scales = np.abs(blocks).max(2) / (2 ** (bits - 1) - 1)
        numbers = (np.rint(blocks / scales[:, :, None]) + 2 ** (bits - 1)).astype(np.uint8)
        if bits == 4:
            numbers = numbers[:, :, ::2] | numbers[:, :, 1::2] << 4
        return self.node(
            "MatMulNBits", [x, self.constant(name, numbers), self.constant(f"{name}.scales", scales.ravel())], result,
            domain="com.microsoft", K=inputs, N=outputs, bits=bits, block_size=BLOCK, accuracy_level=0,
        )  # fmt: skip

    def linear(self, x: str, name: str, inputs: int, outputs: int, *, bias: bool = False) -> str:
        y = self.product(x, f"{name}.weight", inputs, outputs, f"{name}.product")
        return self.node("Add", [y, self.weight(f"{name}.bias", outputs, scale=0.02)], f"{name}.sum") if bias else y

    def input(self, name: str, dtype: int, dims: list[Any]) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def cache(self, layer: int) -> tuple[list[str], list[str]]:
        dims: list[str | int | None] = ["batch", self.shape.key_heads, "past", self.shape.head]
        past = [self.input(f"past.{layer}.{part}", TensorProto.FLOAT, dims) for part in ("key", "value")]
        present = [f"present.{layer}.{part}" for part in ("key", "value")]
        for name in present:
            self.outputs.append(
                helper.make_tensor_value_info(
                    name, TensorProto.FLOAT, ["batch", self.shape.key_heads, "total", self.shape.head]
                )
            )
        return past, present

    def model(self, logits: str) -> bytes:
        dims: list[str | int | None] = ["batch", "sequence", self.shape.words]
        outputs = [helper.make_tensor_value_info(logits, TensorProto.FLOAT, dims), *self.outputs]
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, outputs, self.weights)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        serialised: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
        return serialised


def llama(shape: Shape, seed: int = 1, weights: str = "f32") -> bytes:
    w = _Writer(shape, seed, weights)
    ids = w.input("input_ids", TensorProto.INT64, ["batch", "sequence"])
    lengths = w.input("seqlens_k", TensorProto.INT32, ["batch"])
    total = w.input("total_sequence_length", TensorProto.INT32, [])
    frequencies = 10000.0 ** -(np.arange(shape.head // 2) * 2 / shape.head)
    angles = np.arange(shape.positions)[:, None] * frequencies
    cos = w.constant("cos_cache", np.cos(angles).astype(np.float32))
    sin = w.constant("sin_cache", np.sin(angles).astype(np.float32))
    x = w.node("Gather", [w.weight("embedding", shape.words, shape.width, scale=1.0), ids], "embedded")
    delta = ""
    for i in range(shape.layers + 1):
        for part in ("attention", "mlp") if i < shape.layers else ("last",):
            name = f"{i}.{part}"
            gain = w.weight(f"{name}.norm", shape.width, scale=0.1, about=1.0)
            if not delta:
                y = w.node(
                    "SimplifiedLayerNormalization", [x, gain], f"{name}.normed", epsilon=1e-5, axis=-1, stash_type=1
                )
            else:
                y = w.node(
                    "SkipSimplifiedLayerNormalization", [x, delta, gain], [f"{name}.normed", "", "", f"{name}.x"],
                    domain="com.microsoft", epsilon=1e-5,
                )  # fmt: skip
                x = f"{name}.x"
            if part == "attention":
                keys = shape.key_heads * shape.head
                q, k, v = (
                    w.linear(y, f"{name}.{p}", shape.width, n)
                    for p, n in (("q", shape.width), ("k", keys), ("v", keys))
                )
                past, present = w.cache(i)
                y = w.node(
                    "GroupQueryAttention", [q, k, v, *past, lengths, total, cos, sin], [f"{name}.heads", *present],
                    domain="com.microsoft", num_heads=shape.heads, kv_num_heads=shape.key_heads, do_rotary=1,
                )  # fmt: skip
                delta = w.linear(y, f"{name}.out", shape.width, shape.width)
            elif part == "mlp":
                gate = w.linear(y, f"{name}.gate", shape.width, shape.hidden)
                up = w.linear(y, f"{name}.up", shape.width, shape.hidden)
                gate = w.node("Mul", [gate, w.node("Sigmoid", [gate], f"{name}.sigmoid")], f"{name}.silu")
                delta = w.linear(w.node("Mul", [gate, up], f"{name}.gated"), f"{name}.down", shape.hidden, shape.width)
            else:
                w.product(y, "head", shape.width, shape.words, "logits")
    return w.model("logits")


def gpt2(shape: Shape, seed: int = 1, weights: str = "f32") -> bytes:
    shape = replace(shape, key_heads=shape.heads)
    w = _Writer(shape, seed, weights)
    ids = w.input("input_ids", TensorProto.INT64, ["batch", "sequence"])
    places = w.input("position_ids", TensorProto.INT64, ["batch", "sequence"])
    words = w.node("Gather", [w.weight("embedding", shape.words, shape.width, scale=0.5), ids], "words")
    x = w.node(
        "Add",
        [words, w.node("Gather", [w.weight("places", shape.positions, shape.width, scale=0.1), places], "at")],
        "x",
    )

    def norm(x: str, name: str) -> str:
        gain, bias = (
            w.weight(f"{name}.gain", shape.width, scale=0.1, about=1.0),
            w.weight(f"{name}.shift", shape.width, scale=0.1),
        )
        return w.node("LayerNormalization", [x, gain, bias], f"{name}.normed", epsilon=1e-5, axis=-1)

    for i in range(shape.layers):
        y = norm(x, f"{i}.attention")
        q, k, v = (w.linear(y, f"{i}.{p}", shape.width, shape.width, bias=True) for p in "qkv")
        past, present = w.cache(i)
        y = w.node(
            "MultiHeadAttention", [q, k, v, "", "", "", *past], [f"{i}.heads", *present],
            domain="com.microsoft", num_heads=shape.heads, unidirectional=1,
        )  # fmt: skip
        x = w.node("Add", [x, w.linear(y, f"{i}.out", shape.width, shape.width, bias=True)], f"{i}.x")
        y = w.linear(norm(x, f"{i}.mlp"), f"{i}.up", shape.width, shape.hidden, bias=True)
        y = w.node("FastGelu", [y], f"{i}.gelu", domain="com.microsoft")
        x = w.node("Add", [x, w.linear(y, f"{i}.down", shape.hidden, shape.width, bias=True)], f"{i}.y")
    w.product(norm(x, "last"), "head", shape.width, shape.words, "logits")
    return w.model("logits")


def weight_bytes(model: bytes) -> int:
    """What a token reads of the model: all weights but the embedding, of which it reads a row."""
    graph = onnx.load_from_string(model).graph
    return sum(
        len(w.raw_data) for w in graph.initializer if w.name not in ("embedding", "places", "cos_cache", "sin_cache")
    )


class Decoding:
    """A sequence, or several of one length, whose cache grows with each call. `session`: of Anydim or of ONNX Runtime."""

    def __init__(self, session: Any, batch: int = 1) -> None:
        self.session, self.batch, self.length = session, batch, 0
        self.names = [i.name for i in session.get_inputs()]
        self.cache = {
            i.name: np.zeros((batch, i.shape[1], 0, i.shape[3]), np.float32)
            for i in session.get_inputs()
            if i.name.startswith("past.")
        }

    def step(self, tokens: Any) -> Any:
        """The logits of these tokens, [batch, count]."""
        count = tokens.shape[1]
        total = self.length + count
        feeds = {"input_ids": tokens, **self.cache}
        if "position_ids" in self.names:
            feeds["position_ids"] = np.broadcast_to(np.arange(self.length, total), tokens.shape).astype(np.int64)
        if "seqlens_k" in self.names:
            feeds["seqlens_k"] = np.full(self.batch, total - 1, np.int32)
            feeds["total_sequence_length"] = np.array(total, np.int32)
        logits, *present = self.session.run(None, feeds)
        self.cache = dict(zip(self.cache, present, strict=True))
        self.length = total
        return logits
