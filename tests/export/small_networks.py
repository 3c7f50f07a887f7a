# SPDX-License-Identifier: Apache-2.0
"""Small networks of the kinds that are exported most, made here: a MobileNet, a voice detector with an LSTM, a BERT, key words of 8 bits,
and others. Weights are drawn; dims are dynamic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


@dataclass
class Network:
    """A graph that grows node by node; each function returns the name of its result."""

    seed: int
    opset: int = 17
    prefix: str = ""  # of the names of a body
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def input(self, name: str, dims: list[int | str], dtype: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def constant(self, values: np.ndarray) -> str:
        name = f"{self.prefix}c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weights(self, *dims: int, scale: float | None = None) -> Any:
        fan = int(np.prod(dims[1:])) if len(dims) > 1 else 10
        values = self.random.standard_normal(dims) * (scale or fan**-0.5)
        return self.constant(values.astype(np.float32))

    def add(self, op: str, *operands: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"{self.prefix}v{len(self.nodes)}_{i}" for i in range(outputs)]
        name = f"{self.prefix}{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, names, name=name, **attributes))
        return names[0] if outputs == 1 else names

    def conv(
        self, x: str, channels: int, outputs: int, kernel: int = 3, stride: int = 1, group: int = 1, **more: Any
    ) -> Any:
        pad = kernel // 2
        w, b = self.weights(outputs, channels // group, kernel, kernel), self.weights(outputs)
        return self.add(
            "Conv", x, w, b, kernel_shape=[kernel] * 2, pads=[pad] * 4, strides=[stride] * 2, group=group, **more
        )

    def linear(self, x: str, k: int, n: int) -> Any:
        return self.add(
            "Add",
            self.add("MatMul", x, self.constant((self.random.standard_normal((k, n)) * k**-0.5).astype(np.float32))),
            self.weights(n),
        )

    def body(self, prefix: str) -> Network:
        """Of a branch or loop: a graph that sees the names of this one."""
        return Network(self.seed + len(self.nodes) + sum(map(ord, prefix)), self.opset, self.prefix + prefix)

    def graph(self, *outputs: str, dtypes: tuple[int, ...] = ()) -> Any:
        results = []
        for i, name in enumerate(outputs):
            dtype = dtypes[i] if dtypes else TensorProto.FLOAT
            self.nodes.append(helper.make_node("Identity", [name], [f"{self.prefix}y{i}"]))
            results.append(helper.make_tensor_value_info(f"{self.prefix}y{i}", dtype, None))
        return helper.make_graph(self.nodes, self.prefix + "body", self.inputs, results, self.constants)

    def model(self, *outputs: tuple[str, list[int | str]], dtype: int = TensorProto.FLOAT) -> bytes:
        named = []
        for i, (name, dims) in enumerate(outputs):
            self.nodes.append(helper.make_node("Identity", [name], [f"y{i}"]))
            named.append(helper.make_tensor_value_info(f"y{i}", dtype, dims))
        graph = helper.make_graph(self.nodes, "network", self.inputs, named, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        onnx.checker.check_model(model)
        made: bytes = model.SerializeToString()
        return made


@dataclass(frozen=True)
class Exported:
    model: bytes
    bounds: tuple[str, ...]


def mobilenet() -> Exported:
    n = Network(1)
    x = n.input("x", ["n", 3, "h", "w"])
    x = n.add("HardSwish", n.conv(x, 3, 16, stride=2))
    channels = 16
    for outputs, stride, squeeze in ((16, 1, True), (24, 2, False), (24, 1, False), (40, 2, True)):
        wide = channels * 3
        y = n.add("Relu", n.conv(x, channels, wide, kernel=1))
        y = n.add("Relu", n.conv(y, wide, wide, kernel=5 if squeeze else 3, stride=stride, group=wide))
        if squeeze:
            s = n.add("GlobalAveragePool", y)
            s = n.add("Relu", n.conv(s, wide, 8, kernel=1))
            y = n.add("Mul", y, n.add("HardSigmoid", n.conv(s, 8, wide, kernel=1), alpha=1 / 6, beta=0.5))
        y = n.conv(y, wide, outputs, kernel=1)
        x = n.add("Add", x, y) if stride == 1 and channels == outputs else y
        channels = outputs
    x = n.add("Flatten", n.add("GlobalAveragePool", n.add("HardSwish", n.conv(x, channels, 96, kernel=1))))
    x = n.add("Softmax", n.add("Gemm", x, n.weights(10, 96), n.weights(10), transB=1), axis=1)
    return Exported(n.model((x, ["n", 10])), ("x:1..3,3,16..80,16..80",))


def voice_activity() -> Exported:
    n = Network(2)
    x, h, c = n.input("x", [1, "t", 40]), n.input("h", [1, 1, 24]), n.input("c", [1, 1, 24])
    x = n.add("Transpose", x, perm=[0, 2, 1])
    w = n.weights(32, 40, 3)
    x = n.add("Relu", n.add("Conv", x, w, n.weights(32), kernel_shape=[3], pads=[1, 1]))
    x = n.add("Transpose", x, perm=[2, 0, 1])
    y, h1, c1 = n.add(
        "LSTM", x, n.weights(1, 96, 32), n.weights(1, 96, 24), n.weights(1, 192), "", h, c, outputs=3, hidden_size=24
    )
    y = n.add("Squeeze", y, n.constant(np.array([1], np.int64)))
    y = n.add("Sigmoid", n.linear(y, 24, 1))
    return Exported(n.model((y, ["t", 1, 1]), (h1, [1, 1, 24]), (c1, [1, 1, 24])), ("x:1,1..60,40",))


def gated_units() -> Exported:
    n = Network(3)
    x = n.input("x", ["t", "n", 20])
    y, h = n.add(
        "GRU",
        x,
        n.weights(2, 54, 20),
        n.weights(2, 54, 18),
        n.weights(2, 108),
        outputs=2,
        hidden_size=18,
        direction="bidirectional",
        linear_before_reset=1,
    )
    y = n.add("Transpose", y, perm=[0, 2, 1, 3])
    y = n.add("Reshape", y, n.constant(np.array([0, 0, 36], np.int64)))
    y, h2 = n.add("GRU", y, n.weights(1, 30, 36), n.weights(1, 30, 10), outputs=2, hidden_size=10)
    y = n.add("Tanh", n.linear(y, 10, 7))
    return Exported(n.model((y, ["t", 1, "n", 7]), (h, [2, "n", 18]), (h2, [1, "n", 10])), ("x:1..20,1..4,20",))


def bert() -> Exported:
    n = Network(4)
    ids, mask = n.input("ids", ["n", "t"], TensorProto.INT64), n.input("mask", ["n", "t"], TensorProto.INT64)
    wide, heads, size = 64, 4, 16
    x = n.add("Gather", n.weights(500, wide), ids)
    place = n.add("Gather", n.add("Shape", ids), n.constant(np.array(1, np.int64)), axis=0)
    places = n.add("Range", n.constant(np.array(0, np.int64)), place, n.constant(np.array(1, np.int64)))
    x = n.add("Add", x, n.add("Gather", n.weights(64, wide), places))

    def norm(x: str) -> Any:
        return n.add("LayerNormalization", x, n.weights(wide), n.weights(wide), axis=-1)

    x = norm(x)
    m = n.add("Cast", n.add("Unsqueeze", mask, n.constant(np.array([1, 2], np.int64))), to=TensorProto.FLOAT)
    m = n.add("Mul", n.add("Sub", n.constant(np.array(1, np.float32)), m), n.constant(np.array(-10000, np.float32)))
    for _ in range(2):
        parts = []
        for transposed in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
            y = n.add("Reshape", n.linear(x, wide, wide), n.constant(np.array([0, 0, heads, size], np.int64)))
            parts.append(n.add("Transpose", y, perm=transposed))
        s = n.add("Div", n.add("MatMul", parts[0], parts[1]), n.constant(np.array(4, np.float32)))
        y = n.add("MatMul", n.add("Softmax", n.add("Add", s, m), axis=-1), parts[2])
        y = n.add("Reshape", n.add("Transpose", y, perm=[0, 2, 1, 3]), n.constant(np.array([0, 0, wide], np.int64)))
        x = norm(n.add("Add", x, n.linear(y, wide, wide)))
        y = n.linear(x, wide, 4 * wide)
        e = n.add("Erf", n.add("Div", y, n.constant(np.array(2**0.5, np.float32))))
        y = n.add(
            "Mul",
            n.add("Mul", y, n.add("Add", e, n.constant(np.array(1, np.float32)))),
            n.constant(np.array(0.5, np.float32)),
        )
        x = norm(n.add("Add", x, n.linear(y, 4 * wide, wide)))
    first = n.add("Gather", x, n.constant(np.array(0, np.int64)), axis=1)
    return Exported(
        n.model((n.add("Tanh", n.linear(first, wide, 8)), ["n", 8]), (x, ["n", "t", wide])),
        ("ids:1..3,1..40", "mask:1..3,1..40"),
    )


def key_words() -> Exported:
    """8-bit numbers between QuantizeLinear and DequantizeLinear."""
    n = Network(5)
    x = n.input("x", ["n", 1, "t", 40])

    def number(v: float) -> str:
        return n.constant(np.array(v, np.float32))

    def quantized(x: str, scale: float, zero: int, dtype: Any = np.uint8) -> Any:
        s, z = number(scale), n.constant(np.array(zero, dtype))
        return n.add("DequantizeLinear", n.add("QuantizeLinear", x, s, z), s, z)

    def weights(*dims: int) -> Any:
        values = n.random.integers(-127, 128, dims).astype(np.int8)
        scales = n.random.uniform(0.002, 0.01, dims[0]).astype(np.float32)
        return n.add(
            "DequantizeLinear", n.constant(values), n.constant(scales), n.constant(np.zeros(dims[0], np.int8)), axis=0
        )

    def conv(x: str, channels: int, outputs: int, kernel: int, stride: int = 1, group: int = 1) -> Any:
        pad = kernel // 2
        y = n.add(
            "Conv",
            x,
            weights(outputs, channels // group, kernel, kernel),
            n.weights(outputs),
            pads=[pad] * 4,
            strides=[stride] * 2,
            group=group,
        )
        return quantized(n.add("Relu", y), 0.03, 0)

    x = quantized(x, 0.02, 128)
    x = conv(x, 1, 16, 3, stride=2)
    for _ in range(2):
        x = conv(conv(x, 16, 16, 3, group=16), 16, 16, 1)
    x = n.add("Flatten", n.add("GlobalAveragePool", x))
    x = quantized(x, 0.02, 3)
    w = n.add("Transpose", weights(12, 16), perm=[1, 0])
    x = n.add("Add", n.add("MatMul", x, w), n.weights(12))
    return Exported(n.model((n.add("Softmax", x, axis=1), ["n", 12])), ("x:1..3,1,8..50,40",))


def residual() -> Exported:
    """A small residual network of 3x3 convolutions."""
    n = Network(8)
    x = n.add("Relu", n.conv(n.input("x", ["n", 3, "h", "w"]), 3, 32))
    channels = 32
    for outputs, stride in ((32, 1), (64, 2), (64, 1), (128, 2)):
        y = n.conv(n.add("Relu", n.conv(x, channels, outputs, stride=stride)), outputs, outputs)
        same = stride == 1 and channels == outputs
        x = n.add("Relu", n.add("Add", y, x if same else n.conv(x, channels, outputs, kernel=1, stride=stride)))
        channels = outputs
    x = n.add("Flatten", n.add("GlobalAveragePool", x))
    return Exported(n.model((n.linear(x, channels, 10), ["n", 10])), ("x:1..2,3,16..48,16..48",))


def segmentation() -> Exported:
    """Pools, resizes, transposed convolutions, slices and a sum over channels."""
    n = Network(6)
    x = n.input("x", ["n", 3, "h", "w"])
    a = n.add("LeakyRelu", n.conv(x, 3, 12), alpha=0.1)
    b = n.add("MaxPool", a, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2])
    b = n.add("Elu", n.conv(b, 12, 20, dilations=[1, 1]))
    c = n.add("AveragePool", b, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    c = n.add("Sigmoid", n.conv(c, 20, 20, group=4))
    size = n.add("Slice", n.add("Shape", b), *(n.constant(np.array([v], np.int64)) for v in (2, 4)))
    dims = n.add(
        "Concat",
        n.add("Slice", n.add("Shape", c), *(n.constant(np.array([v], np.int64)) for v in (0, 2))),
        size,
        axis=0,
    )
    c = n.add("Resize", c, "", "", dims, mode="linear", coordinate_transformation_mode="half_pixel")
    b = n.add("Concat", b, c, axis=1)
    w = n.weights(40, 6, 3, 3)
    y = n.add("ConvTranspose", b, w, n.weights(6), strides=[2, 2], pads=[1] * 4, output_padding=[1, 1])
    y = n.add(
        "Slice",
        y,
        n.constant(np.array([1], np.int64)),
        n.constant(np.array([5], np.int64)),
        n.constant(np.array([1], np.int64)),
    )
    z = n.add("ReduceMean", y, axes=[1], keepdims=1)
    peak = n.add("ReduceMax", n.add("Abs", y), axes=[2, 3], keepdims=0)
    return Exported(n.model((n.add("Tanh", z), ["n", 1, "H", "W"]), (peak, ["n", 4])), ("x:1..2,3,8..40,8..40",))


def rows() -> Exported:
    """Dense layers of many activations, and a column of each function."""
    n = Network(7, opset=18)
    x = n.input("x", ["n", 24])
    parts = []
    functions: tuple[tuple[str, dict[str, Any]], ...] = (
        ("Relu", {}),
        ("Elu", {"alpha": 0.7}),
        ("Selu", {}),
        ("Celu", {"alpha": 0.5}),
        ("Softplus", {}),
        ("Softsign", {}),
        ("Mish", {}),
        ("HardSwish", {}),
        ("Tanh", {}),
        ("Erf", {}),
        ("Exp", {}),
        ("Floor", {}),
        ("Ceil", {}),
        ("Round", {}),
        ("Sign", {}),
        ("Neg", {}),
        ("Reciprocal", {}),
        ("ThresholdedRelu", {"alpha": 0.3}),
        ("Shrink", {"lambd": 0.2, "bias": 0.1}),
    )
    for op, attributes in functions:
        parts.append(n.add(op, n.linear(x, 24, 5), **attributes))
    y = n.add("Concat", *parts, axis=1)
    y = n.add("LogSoftmax", n.linear(y, 95, 33), axis=1)
    y = n.add("Log", n.add("Sqrt", n.add("Abs", y)))
    return Exported(
        n.model((y, ["n", 33]), (n.add("ReduceSum", y, n.constant(np.array([1], np.int64))), ["n", 1])), ("x:1..40,24",)
    )


def two_rates() -> Exported:
    """A voice detector for two sample rates: the weights, and how often its second layer strides, are an If's. Another If is within it."""
    n = Network(9)
    x, rate, state = n.input("x", [1, "t"]), n.input("rate", [], TensorProto.INT64), n.input("state", [2, 1, 24])
    wide = n.add("Unsqueeze", x, n.constant(np.array([1], np.int64)))
    loud = n.add("Greater", n.add("ReduceMax", n.add("Abs", x), keepdims=0), n.constant(np.array(0.5, np.float32)))
    branches = []
    for name, kernel, pad in (("fast_", 8, 4), ("slow_", 4, 2)):
        b = n.body(name)
        w = b.weights(16, 1, kernel)
        y = b.add("Conv", wide, w, b.weights(16), kernel_shape=[kernel], strides=[4], pads=[pad - 2, pad - 2])
        inner = []
        for word, function in (("loud_", "Relu"), ("quiet_", "Identity")):
            i = b.body(word)
            z = i.add("Mul", y, i.constant(np.array(0.5 if word == "loud_" else 2, np.float32)))
            inner.append(i.graph(i.add(function, z)))
        y = b.add("If", loud, then_branch=inner[0], else_branch=inner[1])
        y = b.add("Relu", b.add("Conv", y, b.weights(20, 16, 3), kernel_shape=[3], pads=[1, 1]))
        y = b.add("Transpose", y, perm=[2, 0, 1])
        first = [b.add("Slice", state, *(b.constant(np.array([v], np.int64)) for v in (k, k + 1, 0))) for k in range(2)]
        y, h, c = b.add(
            "LSTM",
            y,
            b.weights(1, 96, 20),
            b.weights(1, 96, 24),
            b.weights(1, 192),
            "",
            *first,
            outputs=3,
            hidden_size=24,
        )
        y = b.add("Sigmoid", b.linear(b.add("Squeeze", y, b.constant(np.array([1], np.int64))), 24, 1))
        branches.append(b.graph(b.add("ReduceMean", y, axes=[0], keepdims=0), b.add("Concat", h, c, axis=0)))
    is_fast = n.add("Equal", rate, n.constant(np.array(1, np.int64)))
    y, after = n.add("If", is_fast, then_branch=branches[0], else_branch=branches[1], outputs=2)
    return Exported(n.model((y, [1, 1]), (after, [2, 1, 24])), ("x:1,16..400",))


def decoder() -> Exported:
    """Loops: over the steps of a sequence, with a place that follows from the iteration; until a condition; a Scan from the end."""
    n = Network(10)
    x = n.input("x", ["n", "t", 12])
    steps = n.add("Gather", n.add("Shape", x), n.constant(np.array(1, np.int64)), axis=0)
    yes, zero = n.constant(np.array(True)), n.constant(np.array([0], np.int64))
    h0 = n.add(
        "Squeeze",
        n.add("Slice", x, zero, n.constant(np.array([1], np.int64)), n.constant(np.array([1], np.int64))),
        n.constant(np.array([1], np.int64)),
    )

    b = n.body("steps_")
    i, go, h = (
        b.input("steps_i", [], TensorProto.INT64),
        b.input("steps_go", [], TensorProto.BOOL),
        b.input("steps_h", ["n", 12]),
    )
    here = b.add("Gather", x, i, axis=1)
    until = b.add(
        "Slice",
        x,
        b.constant(np.array([0], np.int64)),
        b.add("Unsqueeze", b.add("Add", i, b.constant(np.array(1, np.int64))), b.constant(np.array([0], np.int64))),
        b.constant(np.array([1], np.int64)),
    )
    mean = b.add("ReduceMean", until, axes=[1], keepdims=0)
    h = b.add("Tanh", b.add("Add", b.linear(h, 12, 12), b.add("Add", here, mean)))
    body = b.graph(b.add("Identity", go), h, b.add("Mul", h, here), dtypes=(TensorProto.BOOL, 1, 1))
    last, every = n.add("Loop", steps, yes, h0, body=body, outputs=2)

    b = n.body("until_")
    i, go, v = (
        b.input("until_i", [], TensorProto.INT64),
        b.input("until_go", [], TensorProto.BOOL),
        b.input("until_v", ["n", 12]),
    )
    v = b.add("Mul", v, b.constant(np.array(1.25, np.float32)))
    small = b.add("Less", b.add("ReduceMax", b.add("Abs", v), keepdims=0), b.constant(np.array(3, np.float32)))
    grown = n.add(
        "Loop", n.constant(np.array(40, np.int64)), yes, last, body=b.graph(small, v, dtypes=(TensorProto.BOOL, 1))
    )

    b = n.body("scan_")
    s, part = b.input("scan_s", ["n", 12]), b.input("scan_x", ["n", 12])
    s = b.add("Add", b.add("Mul", s, b.constant(np.array(0.75, np.float32))), part)
    sums, back = n.add(
        "Scan",
        grown,
        every,
        body=b.graph(s, b.add("Relu", s)),
        outputs=2,
        num_scan_inputs=1,
        scan_input_directions=[1],
        scan_output_directions=[1],
        scan_output_axes=[1],
    )
    return Exported(
        n.model((last, ["n", 12]), (every, ["t", "n", 12]), (sums, ["n", 12]), (back, ["n", "t", 12])),
        ("x:1..3,1..12,12",),
    )


NETWORKS = {
    "two_rates": two_rates,
    "decoder": decoder,
    "mobilenet": mobilenet,
    "voice_activity": voice_activity,
    "gated_units": gated_units,
    "bert": bert,
    "key_words": key_words,
    "segmentation": segmentation,
    "residual": residual,
    "rows": rows,
}
