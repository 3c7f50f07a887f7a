# SPDX-License-Identifier: Apache-2.0
"""Quantized operators beside ONNX Runtime without optimisation, on drawn operands: conversions and sums of integers have its bits;
what is stored in 8 bits behind a product or a function may be one number away where ONNX Runtime scales in another order
(docs/numerics.md divides by the result's scale, it multiplies by a quotient), and rarely is. Dims as numbers and dynamic.

On a processor without VNNI, ONNX Runtime adds pairs of u8 x i8 products in 16 bits, which saturate: its sums are then wrong for
weights of all 8 bits. There the weights of its comparisons have 7 bits; sums of 8 bits are held against NumPy's everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from onnx import helper
from quantized_drawn import ROUNDS, Array, Drawn, Random, numbers, scale, some, zero


def quantize_linear(r: Random) -> Drawn:
    t = some(r, np.uint8, np.int8, np.uint16, np.int16)
    x = (r.normal(size=(2, 5, 24)) * some(r, 0.1, 5, 1000)).astype(np.float32)
    x.flat[:6] = [0.0, -0.0, np.inf, -np.inf, 1e30, 0.5]
    kind = some(r, "tensor", "axis", "block")
    if kind == "tensor":
        return Drawn("QuantizeLinear", {"x": x, "s": scale(r), "z": zero(r, t)}, constants=some(r, ("s", "z"), ()))
    if kind == "axis":
        return Drawn(
            "QuantizeLinear",
            {"x": x, "s": scale(r, 5), "z": zero(r, t, 5)},
            {"axis": 1},
            constants=some(r, ("s", "z"), ()),
        )
    block = some(r, 8, 24)
    z = zero(r, t, 2, 5, 24 // block)
    return Drawn(
        "QuantizeLinear",
        {"x": x, "s": scale(r, 2, 5, 24 // block), "z": z},
        {"axis": 2, "block_size": block},
        constants=("s", "z"),
    )


def dequantize_linear(r: Random) -> Drawn:
    t = some(r, np.uint8, np.int8, np.uint16, np.int16, np.int32)
    x = numbers(r, (2, 5, 24), t)
    has_zero = t != np.int32 and some(r, True, False)
    kind = some(r, "tensor", "axis", "block")
    dims: tuple[int, ...] = {"tensor": (), "axis": (5,), "block": (2, 5, 3)}[kind]
    z = zero(r, t, *dims) if has_zero else None
    attributes = {"tensor": {}, "axis": {"axis": -2}, "block": {"axis": 2, "block_size": 8}}[kind]
    return Drawn(
        "DequantizeLinear", {"x": x, "s": scale(r, *dims), "z": z}, attributes, constants=some(r, ("s", "z"), ())
    )


def dynamic_quantize_linear(r: Random) -> Drawn:
    x = (r.normal(size=(3, 40)) * some(r, 0.0, 1.0, 300.0) + some(r, 0, 3, -3)).astype(np.float32)
    return Drawn("DynamicQuantizeLinear", {"x": x}, outputs=3)


def conv_dims(r: Random) -> tuple[Array, Array, dict[str, Any]]:
    group = int(some(r, 1, 1, 2, 5))
    depthwise = some(r, True, False)
    per = 1 if depthwise else int(r.integers(1, 9))
    channels, out = group * per, group * (1 if depthwise else int(r.integers(1, 20)))
    kernel = [int(k) for k in r.integers(1, 4, 2)]
    x = numbers(r, (int(r.integers(1, 3)), channels, int(r.integers(4, 12)), int(r.integers(4, 14))), np.uint8)
    w = numbers(r, (out, per, *kernel), np.int8)
    pads = [int(p) for p in r.integers(0, 2, 4)]
    return (
        x,
        w,
        {"group": group, "pads": pads, "strides": [int(s) for s in r.integers(1, 3, 2)], "kernel_shape": kernel},
    )


def conv_integer(r: Random) -> Drawn:
    x, w, attributes = conv_dims(r)
    if some(r, True, False):
        w = w.view(np.uint8)
    wz = zero(r, w.dtype)
    return Drawn("ConvInteger", {"x": x, "w": w, "xz": zero(r, x.dtype), "wz": wz}, attributes, constants=("w",))


def qlinear_conv(r: Random) -> Drawn:
    x, w, attributes = conv_dims(r)
    per_channel = some(r, True, False)
    n = w.shape[0]
    bias = numbers(r, (n,), np.int16).astype(np.int32) if some(r, True, False) else None
    inputs: dict[str, Any] = {
        "x": x, "xs": scale(r), "xz": zero(r, x.dtype), "w": w,
        "ws": scale(r, n) if per_channel else scale(r), "wz": np.zeros(n, np.int8) if per_channel else np.int8(0).reshape(()),
        "ys": scale(r, low=0.05, high=2), "yz": zero(r, np.uint8), "b": bias,
    }  # fmt: skip
    return Drawn(
        "QLinearConv", inputs, attributes, constants=("xs", "xz", "w", "ws", "wz", "ys", "yz", "b"), exact=False
    )


def matmul_dims(r: Random) -> tuple[Array, Array]:
    m, k, n = (int(d) for d in r.integers(1, 40, 3))
    batch = some(r, (), (3,), (2, 3))
    return numbers(r, (*batch, m, k), some(r, np.uint8, np.int8)), numbers(
        r, (*some(r, (), batch), k, n), some(r, np.uint8, np.int8)
    )


def matmul_integer(r: Random) -> Drawn:
    a, b = matmul_dims(r)
    bz = zero(r, b.dtype, b.shape[-1]) if b.ndim == 2 and some(r, True, False) else zero(r, b.dtype)
    return Drawn("MatMulInteger", {"a": a, "b": b, "az": zero(r, a.dtype), "bz": bz}, constants=some(r, ("b",), ()))


def qlinear_matmul(r: Random) -> Drawn:
    a, b = matmul_dims(r)
    a = a.view(np.uint8) if b.dtype == np.uint8 else a  # it has no i8 times u8
    bs, bz = (
        (scale(r, b.shape[-1]), zero(r, b.dtype, b.shape[-1]))
        if b.ndim == 2 and some(r, True, False)
        else (scale(r), zero(r, b.dtype))
    )
    inputs: dict[str, Any] = {
        "a": a,
        "as": scale(r),
        "az": zero(r, a.dtype),
        "b": b,
        "bs": bs,
        "bz": bz,
        "ys": scale(r, low=0.1, high=3),
        "yz": zero(r, a.dtype),
    }
    return Drawn("QLinearMatMul", inputs, constants=some(r, ("as", "az", "b", "bs", "bz", "ys", "yz"), ()), exact=False)


def microsoft_product(operator: str) -> Callable[[Random], Drawn]:
    def draw(r: Random) -> Drawn:
        m, k, n = (int(d) for d in r.integers(1, 40, 3))
        b = numbers(r, (k, n), some(r, np.uint8, np.int8))
        per_column = some(r, True, False)
        bs = scale(r, n) if per_column else scale(r, 1)
        bz = zero(r, b.dtype, n if per_column else 1)
        bias = r.normal(size=n).astype(np.float32)
        inputs: dict[str, Any]
        if operator == "DynamicQuantizeMatMul":
            x = r.normal(size=(m, k)).astype(np.float32)
            inputs = {"a": x, "b": b, "bs": bs, "bz": bz, "bias": bias}
        else:
            a = numbers(r, (m, k), np.uint8)
            inputs = {"a": a, "b": b, "as": scale(r, 1), "bs": bs, "az": zero(r, a.dtype, 1), "bz": bz, "bias": bias}
        return Drawn(operator, inputs, domain="com.microsoft", constants=("b", "bs", "bz", "bias"), exact=False)

    return draw


def matmul_n_bits(r: Random) -> Drawn:
    m, k, n, bits, block = (
        int(r.integers(1, 9)),
        int(r.integers(1, 100)),
        int(r.integers(1, 30)),
        int(some(r, 2, 4, 8)),
        int(some(r, 16, 32)),
    )
    blocks = -(-k // block)
    inputs: dict[str, Any] = {
        "a": r.normal(size=(2, m, k)).astype(np.float32), "b": numbers(r, (n, blocks, block * bits // 8), np.uint8),
        "s": scale(r, n * blocks), "z": numbers(r, (n * ((blocks * bits + 7) // 8),), np.uint8) if some(r, True, False) else None,
    }  # fmt: skip
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    return Drawn("MatMulNBits", inputs, attributes, domain="com.microsoft", constants=("b", "s", "z"), exact=False)


def qgemm(r: Random) -> Drawn:
    m, k, n = (int(d) for d in r.integers(1, 40, 3))
    ta, tb = int(r.integers(2)), int(r.integers(2))
    t = np.uint8
    inputs: dict[str, Any] = {
        "a": numbers(r, (k, m) if ta else (m, k), t), "as": scale(r), "az": zero(r, t),
        "b": numbers(r, (n, k) if tb else (k, n), np.int8), "bs": scale(r), "bz": zero(r, np.int8),
        "c": numbers(r, (n,), np.int16).astype(np.int32), "ys": scale(r, low=0.1, high=3), "yz": zero(r, t),
    }  # fmt: skip
    constants = ("as", "az", "b", "bs", "bz", "c", "ys", "yz")
    return Drawn(
        "QGemm", inputs, {"transA": ta, "transB": tb}, domain="com.microsoft", constants=constants, exact=False
    )


def qattention(r: Random) -> Drawn:
    batch, length, width, heads, size, before = (int(d) for d in r.integers(1, 6, 6))
    hidden = heads * size
    w = numbers(r, (width, 3 * hidden), some(r, np.uint8, np.int8))
    past = r.normal(size=(2, batch, heads, before, size)).astype(np.float32) if some(r, True, False) else None
    mask = r.integers(0, 2, (batch, length + (before if past is not None else 0))).astype(np.int32)
    mask[:, 0] = 1
    inputs: dict[str, Any] = {
        "x": numbers(r, (batch, length, width), np.uint8), "b": w if w.dtype == np.uint8 else w // 2,
        "bias": r.normal(size=3 * hidden).astype(np.float32), "xs": scale(r, low=1e-3, high=1e-2), "bs": scale(r, low=1e-3, high=1e-2),
        "mask": mask if some(r, True, False) else None, "xz": zero(r, np.uint8), "bz": zero(r, w.dtype), "past": past,
    }  # fmt: skip
    attributes = {"num_heads": heads, "unidirectional": int(r.integers(2))}
    constants = ("b", "bias", "xs", "bs", "xz", "bz")
    return Drawn("QAttention", inputs, attributes, 2, domain="com.microsoft", constants=constants, exact=False)


def qlinear(
    operator: str, operands: int = 1, attributes: Callable[[Random], dict[str, Any]] = lambda _: {}
) -> Callable[[Random], Drawn]:
    def draw(r: Random) -> Drawn:
        t = some(r, np.uint8, np.int8)
        inputs: dict[str, Any] = {}
        for i in range(operands):
            dims = (2, 6, 9, 10) if i == 0 or some(r, True, False) else (1, 6, 1, 1)
            inputs |= {f"x{i}": numbers(r, dims, t), f"s{i}": scale(r), f"z{i}": zero(r, t)}
        softmax = operator == "QLinearSoftmax"
        ys = np.array(1 / 256, np.float32) if softmax else scale(r, low=0.005, high=0.05)
        yz = np.array(0 if t == np.uint8 else -128, t) if softmax else zero(r, t)
        inputs |= {"ys": ys, "yz": yz}
        constants = tuple(n for n in inputs if not n.startswith("x"))
        return Drawn(operator, inputs, attributes(r), domain="com.microsoft", constants=constants, exact=False)

    return draw


def qlinear_concat(r: Random) -> Drawn:
    t = some(r, np.uint8, np.int8)
    inputs: dict[str, Any] = {"ys": scale(r, low=0.005, high=0.05), "yz": zero(r, t)}
    for i in range(3):
        inputs |= {f"x{i}": numbers(r, (2, i + 1, 5), t), f"s{i}": scale(r), f"z{i}": zero(r, t)}
    constants = tuple(n for n in inputs if not n.startswith("x"))
    return Drawn("QLinearConcat", inputs, {"axis": 1}, domain="com.microsoft", constants=constants, exact=False)


def window(r: Random) -> dict[str, Any]:
    return {
        "kernel_shape": [2, 3],
        "strides": [1, 2],
        "pads": [0, 1, 0, 1],
        "count_include_pad": int(r.integers(2)),
        **last(r),
    }


def last(r: Random) -> dict[str, Any]:
    return {"channels_last": int(r.integers(2))}


def qlinear_conv_of_channels_last(r: Random) -> Drawn:
    drawn = qlinear_conv(r)
    drawn.inputs["x"] = np.ascontiguousarray(drawn.inputs["x"].transpose(0, 2, 3, 1))
    return Drawn(**{**vars(drawn), "domain": "com.microsoft", "attributes": {**drawn.attributes, "channels_last": 1}})


def qembed_layer_norm(r: Random) -> Drawn:
    b, s, c = int(r.integers(1, 7)), int(r.integers(1, 7)), int(r.integers(2, 9))
    t = some(r, np.uint8, np.int8)
    segments = some(r, True, False)
    tables = {"words": (11, c), "places": (9, c), "segment_table": (3, c), "gamma": (c,), "beta": (c,)}
    there = [n for n in tables if segments or n != "segment_table"]
    inputs: dict[str, Any] = {
        "ids": r.integers(0, 11, (b, s)).astype(np.int32),
        "segments": r.integers(0, 3, (b, s)).astype(np.int32) if segments else None,
        **{n: numbers(r, dims, t) if n in there else None for n, dims in tables.items()},
        "mask": r.integers(0, 2, (b, s)).astype(np.int32) if some(r, True, False) else None,
        **{f"{n}_scale": scale(r) if n in there else None for n in tables},
        **{f"{n}_zero": zero(r, t) if n in there else None for n in tables},
    }
    constants = tuple(n for n in inputs if n not in ("ids", "segments", "mask"))
    return Drawn(
        "QEmbedLayerNormalization", inputs, {"epsilon": 1e-6}, 2, "com.microsoft", constants=constants, exact=False
    )


DRAWS: dict[str, Callable[[Random], Drawn]] = {
    "QuantizeLinear": quantize_linear,
    "DequantizeLinear": dequantize_linear,
    "DynamicQuantizeLinear": dynamic_quantize_linear,
    "ConvInteger": conv_integer,
    "QLinearConv": qlinear_conv,
    "MatMulInteger": matmul_integer,
    "QLinearMatMul": qlinear_matmul,
    "DynamicQuantizeMatMul": microsoft_product("DynamicQuantizeMatMul"),
    "MatMulIntegerToFloat": microsoft_product("MatMulIntegerToFloat"),
    "MatMulNBits": matmul_n_bits,
    "QAttention": qattention,
    "QGemm": qgemm,
    "QLinearAdd": qlinear("QLinearAdd", 2),
    "QLinearMul": qlinear("QLinearMul", 2),
    "QLinearSigmoid": qlinear("QLinearSigmoid"),
    "QLinearLeakyRelu": qlinear("QLinearLeakyRelu", attributes=lambda r: {"alpha": float(r.uniform(0, 0.5))}),
    "QLinearSoftmax": qlinear("QLinearSoftmax", attributes=lambda r: {"axis": int(r.integers(4)), "opset": int(some(r, 12, 13))}),
    "QLinearAveragePool": qlinear("QLinearAveragePool", attributes=window),
    "QLinearGlobalAveragePool": qlinear("QLinearGlobalAveragePool", attributes=last),
    "QLinearConv of channels last": qlinear_conv_of_channels_last,
    "QEmbedLayerNormalization": qembed_layer_norm,
    "QLinearConcat": qlinear_concat,
}  # fmt: skip


@pytest.mark.parametrize("operator", DRAWS)
def test_it_gives_what_onnx_runtime_gives(operator: str) -> None:
    for i in range(ROUNDS):
        DRAWS[operator](np.random.default_rng([i, len(operator)])).check()


@pytest.mark.parametrize("a_type", [np.uint8, np.int8])
@pytest.mark.parametrize("b_type", [np.uint8, np.int8])
def test_sums_of_all_8_bits_are_those_of_wide_integers(a_type: Any, b_type: Any) -> None:
    r = np.random.default_rng(8)
    for _ in range(ROUNDS):
        m, k, n = (int(d) for d in r.integers(1, 70, 3))
        a, b = numbers(r, (m, k), a_type), numbers(r, (k, n), b_type)
        a.flat[: k // 2], b[: k // 2] = np.iinfo(a_type).max, np.iinfo(b_type).max
        az, bz = zero(r, a_type), zero(r, b_type)
        drawn = Drawn("MatMulInteger", {"a": a, "b": b, "az": az, "bz": bz}, constants=some(r, ("b",), ()))
        drawn.inputs["b"] = b
        (y,) = anydim.InferenceSession(drawn.model(True)).run(
            None, {x: v for x, v in drawn.inputs.items() if v is not None and x not in drawn.constants}
        )
        np.testing.assert_array_equal(y, (a.astype(np.int64) - az) @ (b.astype(np.int64) - bz))


@pytest.mark.parametrize("dims", ([2, 3, 8, 8], ["n", 3, "h", "w"]))
def test_a_function_of_one_tensor_through_any_number_of_conversions_is_one_table(dims: list[Any]) -> None:
    """Hard-swish as the quantizer leaves it: x * clip(x + 3) / 6, a pair of conversions behind each step, behind conversions of f32."""
    r = np.random.default_rng(3)
    fixed: list[onnx.TensorProto] = []
    nodes: list[onnx.NodeProto] = []

    def constant(name: str, value: Array | np.generic) -> str:
        fixed.append(onnx.numpy_helper.from_array(np.asarray(value), name))
        return name

    def pair(x: str, s: float, z: int) -> str:
        factors = [constant(f"{x}_s", np.float32(s)), constant(f"{x}_z", np.uint8(z))]
        nodes.append(helper.make_node("QuantizeLinear", [x, *factors], [f"{x}_q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{x}_q", *factors], [f"{x}_d"]))
        return f"{x}_d"

    x = pair("x", 0.05, 131)
    three = [constant("three_q", np.full(1, 200, np.uint8)), constant("three_s", np.float32(0.015))]
    nodes.append(helper.make_node("DequantizeLinear", three, ["three"]))
    nodes.append(helper.make_node("Add", [x, "three"], ["sum"]))
    bounds = [constant("low", np.float32(0)), constant("high", np.float32(6))]
    nodes.append(helper.make_node("Clip", [pair("sum", 0.06, 90), *bounds], ["clipped"]))
    nodes.append(helper.make_node("Mul", [x, pair("clipped", 0.024, 0)], ["product"]))
    nodes.append(
        helper.make_node("Div", [pair("product", 0.12, 20), constant("six", np.full(1, 6, np.float32))], ["quotient"])
    )
    pair("quotient", 0.02, 20)
    value = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, dims)
    graph = helper.make_graph(nodes, "swish", [value], [onnx.ValueInfoProto(name="quotient_d")], fixed)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
    x_value = r.normal(size=(2, 3, 8, 8), scale=3).astype(np.float32)
    session = anydim.InferenceSession(model)
    kernels = [node["kernel"] for node in session.explain({"x": x_value.shape})["nodes"]]
    assert len(kernels) == 3 and all(kernel.startswith("cast.quantized") for kernel in kernels), kernels
    want = anydim.InferenceSession(model, passes="none").run(None, {"x": x_value})[0]
    assert session.run(None, {"x": x_value})[0].tobytes() == want.tobytes()


@pytest.mark.parametrize("passes", ["none", "all"])
def test_numbers_between_two_steps_go_to_the_even_one_of_the_quotient_in_float32(passes: str) -> None:
    """A model's results jump there: the quotient is that of numbers in float32, to the bit, beside products, too."""
    r = np.random.default_rng(130)
    model = Drawn("DynamicQuantizeLinear", {"x": np.zeros((1, 1), np.float32)}, outputs=3).model(dynamic=True)
    layer = onnx.load_from_string(model)
    layer.graph.node.append(helper.make_node("MatMulInteger", [layer.graph.node[0].output[0], "w"], ["product"]))
    weights = np.eye(64, dtype=np.int8)
    layer.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    layer.graph.output.append(helper.make_tensor_value_info("product", onnx.TensorProto.INT32, None))
    session = anydim.InferenceSession(layer.SerializeToString(), passes=passes)
    between = 0
    for _ in range(20):
        step = np.float32(r.uniform(0.001, 2))
        zero = int(r.integers(0, 256))
        halves = r.integers(-2 * zero, 2 * (255 - zero) + 1, (int(r.integers(1, 40)), 64)).astype(np.float32)
        x = (halves * step / 2 * (1 + r.integers(-2, 3, halves.shape) * 2.0**-24)).astype(np.float32)
        x[0, :2] = -zero * step, (255 - zero) * step
        low, high = np.minimum(x.min(), np.float32(0)), np.maximum(x.max(), np.float32(0))
        scale = np.float32((high - low) / np.float32(255))
        point = np.rint(-low / scale)
        quotient = x / scale
        between += int((np.abs(quotient - np.trunc(quotient)) == 0.5).sum())
        want = np.clip(np.rint(quotient) + point, 0, 255).astype(np.uint8)
        q, s, z, product = session.run(None, {"x": x})
        assert s == scale and z == point and (q == want).all()
        assert (product == want.astype(np.int32)).all()
    assert between > 1000


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(
    ("operator", "at"),
    [
        ("MatMulIntegerToFloat", 4), ("MatMulIntegerToFloat", 5), ("DynamicQuantizeMatMul", 3), ("QGemm", 2), ("QGemm", 5), ("QGemm", 8),
        ("QAttention", 6), ("QAttention", 7), ("QLinearAdd", 2), ("QLinearAdd", 7), ("QLinearConv", 2), ("QLinearConv", 7),
    ],
)  # fmt: skip
def test_a_zero_point_has_the_dtype_of_its_numbers(operator: str, at: int, constant: bool) -> None:
    """One of 32 bits was read as so many numbers of 8."""
    drawn = next(d for d in (DRAWS[operator](np.random.default_rng(seed)) for seed in range(200)) if len(d.inputs) > at)
    model = onnx.load_from_string(drawn.model(False))
    node = model.graph.node[0]
    while len(node.input) <= at:
        node.input.append("")
    if operator == "QLinearConv":
        node.domain = "com.microsoft"  # whose importers look at the types themselves
        model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    node.input[at] = "zero"
    if constant:
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros((), np.int32), "zero"))
    else:
        model.graph.input.append(onnx.helper.make_tensor_value_info("zero", onnx.TensorProto.INT32, []))
    with pytest.raises(anydim.InvalidModelError, match=r"has dtype i32; expected"):
        anydim.InferenceSession(model.SerializeToString())
