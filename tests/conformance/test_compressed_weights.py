# SPDX-License-Identifier: Apache-2.0
"""Products with large weights of few bits read them as such, and have the bits of products with the real numbers in f32; small ones are
packed wide, with the same bits. Rows are gathered from numbers, too."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

K, N = 2048, 2112  # 17 MB as f32: more than the rule leaves to caches
Array = np.ndarray[Any, Any]


def model(nodes: list[Any], initializers: list[Any], columns: int = K, x_type: int = TensorProto.FLOAT) -> bytes:
    x = helper.make_tensor_value_info("x", x_type, [None, columns] if x_type == TensorProto.FLOAT else [None])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "drawn", [x], [y], initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    serialized: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return serialized


def tensor(name: str, values: Array, dtype: int | None = None) -> Any:
    if dtype in (TensorProto.INT4, TensorProto.UINT4):
        low, high = values.ravel()[::2].astype(np.uint8) & 15, values.ravel()[1::2].astype(np.uint8) & 15
        return helper.make_tensor(name, dtype, values.shape, (low | high << 4).tobytes(), raw=True)
    return onnx.numpy_helper.from_array(np.ascontiguousarray(values), name)


def blocks(values: Array, axis: int, block: int) -> Array:
    return values.repeat(block, axis)


def in_bytes(numbers: Array, bits: int) -> Array:
    """Rows of bytes that hold several numbers each, the first in the low bits."""
    apart = numbers.reshape(len(numbers), -1, 8 // bits) << bits * np.arange(8 // bits, dtype=np.uint8)
    return np.bitwise_or.reduce(apart, -1)


def n_bits(r: Any, bits: int, block: int, zeros: str, n: int, k: int) -> tuple[list[Any], list[Any], Array]:
    numbers = r.integers(0, 1 << bits, (n, k)).astype(np.uint8)
    scales = r.uniform(-0.1, 0.1, (n, k // block)).astype(np.float32)
    middle: Any = np.full((n, k // block), 1 << (bits - 1), np.uint8)
    packed = in_bytes(numbers, bits)
    initializers = [tensor("b", packed.reshape(n, k // block, -1)), tensor("s", scales.ravel())]
    names = ["x", "b", "s"]
    if zeros == "whole":
        middle = r.integers(0, 1 << bits, middle.shape).astype(np.uint8)
        initializers.append(tensor("z", in_bytes(middle, bits).ravel()))
        names.append("z")
    elif zeros == "real":
        middle = r.uniform(0, 1 << bits, middle.shape).astype(np.float32)
        initializers.append(tensor("z", middle.ravel()))
        names.append("z")
    attributes: dict[str, Any] = {"K": k, "N": n, "bits": bits, "block_size": block}
    nodes = [helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", **attributes)]
    middle = blocks(middle.astype(np.float32), 1, block)
    return nodes, initializers, ((numbers.astype(np.float32) - middle) * blocks(scales, 1, block)).T


def dequantized(
    r: Any, axis: int, block: int, dtype: int, zeros: bool, n: int, k: int
) -> tuple[list[Any], list[Any], Array]:
    signed, bits = (
        dtype in (TensorProto.INT8, TensorProto.INT4),
        4 if dtype in (TensorProto.INT4, TensorProto.UINT4) else 8,
    )
    low = -(1 << (bits - 1)) if signed else 0
    t = np.int8 if signed else np.uint8
    dims = (k, n) if axis == 0 else (n, k)
    numbers = r.integers(low, low + (1 << bits), dims).astype(t)
    few = (k // block, n) if axis == 0 else (n, k // block)
    scales, middle = r.uniform(0.01, 0.1, few).astype(np.float32), r.integers(low, low + (1 << bits), few).astype(t)
    initializers = [tensor("b", numbers, dtype), tensor("s", scales)]
    if zeros:
        initializers.append(tensor("z", middle, dtype))
    nodes = [
        helper.make_node("DequantizeLinear", ["b", "s", *(["z"] if zeros else [])], ["w"], axis=axis, block_size=block),
        *([helper.make_node("Transpose", ["w"], ["wt"], perm=[1, 0])] if axis == 1 else []),
        helper.make_node("MatMul", ["x", "wt" if axis == 1 else "w"], ["y"]),
    ]
    real = numbers.astype(np.float32) - (blocks(middle.astype(np.float32), axis, block) if zeros else np.float32(0))
    w = real * blocks(scales, axis, block)
    return nodes, initializers, w if axis == 0 else w.T


def per_axis(r: Any, n: int, k: int) -> tuple[list[Any], list[Any], Array]:
    numbers, scales = r.integers(-128, 128, (k, n)).astype(np.int8), r.uniform(0.01, 0.1, n).astype(np.float32)
    nodes = [
        helper.make_node("DequantizeLinear", ["b", "s"], ["w"], axis=1),
        helper.make_node("Gemm", ["x", "w", "c"], ["y"]),
    ]
    c = np.zeros(n, np.float32)
    return nodes, [tensor("b", numbers), tensor("s", scales), tensor("c", c)], numbers.astype(np.float32) * scales


def cast_mul(r: Any, n: int, k: int) -> tuple[list[Any], list[Any], Array]:
    numbers, scale = r.integers(-128, 128, (k, n)).astype(np.int8), np.array(0.0371, np.float32)
    nodes = [
        helper.make_node("Cast", ["b"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["f", "s"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    return nodes, [tensor("b", numbers), tensor("s", scale)], numbers.astype(np.float32) * scale


def half(r: Any, n: int, k: int) -> tuple[list[Any], list[Any], Array]:
    w = r.normal(size=(k, n)).astype(np.float16)
    nodes = [
        helper.make_node("Cast", ["b"], ["w"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    return nodes, [tensor("b", w)], w.astype(np.float32)


FORMS = {
    "2 bits": lambda r, n, k: n_bits(r, 2, 64, "", n, k),
    "2 bits, whole zero points": lambda r, n, k: n_bits(r, 2, 16, "whole", n, k),
    "4 bits": lambda r, n, k: n_bits(r, 4, 32, "", n, k),
    "4 bits, whole zero points": lambda r, n, k: n_bits(r, 4, 16, "whole", n, k),
    "4 bits, real zero points": lambda r, n, k: n_bits(r, 4, 128, "real", n, k),
    "8 bits": lambda r, n, k: n_bits(r, 8, 256, "", n, k),
    "8 bits, whole zero points": lambda r, n, k: n_bits(r, 8, 32, "whole", n, k),
    "blocks of i8 along rows": lambda r, n, k: dequantized(r, 0, 32, TensorProto.INT8, True, n, k),
    "blocks of u8 along columns": lambda r, n, k: dequantized(r, 1, 64, TensorProto.UINT8, True, n, k),
    "blocks of i4 along rows": lambda r, n, k: dequantized(r, 0, 32, TensorProto.INT4, True, n, k),
    "blocks of u4 along columns": lambda r, n, k: dequantized(r, 1, 16, TensorProto.UINT4, False, n, k),
    "a scale per column": per_axis,
    "Cast and Mul": cast_mul,
    "f16": half,
}


QUICK = ("2 bits, whole zero points", "4 bits", "8 bits, whole zero points", "blocks of i4 along rows", "f16")


@pytest.mark.parametrize("form", [f if f in QUICK else pytest.param(f, marks=pytest.mark.long) for f in FORMS])
def test_products_have_the_bits_of_those_with_real_numbers(form: str) -> None:
    r = np.random.default_rng(72)
    nodes, initializers, w = FORMS[form](r, N, K)
    session = anydim.InferenceSession(model(nodes, initializers))
    real = anydim.InferenceSession(model([helper.make_node("MatMul", ["x", "w"], ["y"])], [tensor("w", w)]))
    for rows in (1, 3, 20):
        x = r.normal(size=(rows, K)).astype(np.float32)
        np.testing.assert_array_equal(session.run(None, {"x": x})[0], real.run(None, {"x": x})[0])
    kernels = [node["kernel"] for node in session.explain()["nodes"]]
    assert len(kernels) == 1 and kernels[0].startswith("gemm.numbers"), kernels
    assert "numbers" not in real.explain()["nodes"][0]["kernel"]


@pytest.mark.parametrize("form", FORMS)
def test_weights_that_caches_hold_are_wide(form: str) -> None:
    r = np.random.default_rng(73)
    nodes, initializers, w = FORMS[form](r, 96, 256)
    session = anydim.InferenceSession(model(nodes, initializers, 256))
    real = anydim.InferenceSession(model([helper.make_node("MatMul", ["x", "w"], ["y"])], [tensor("w", w)], 256))
    x = r.normal(size=(5, 256)).astype(np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], real.run(None, {"x": x})[0])
    assert all("numbers" not in node["kernel"] for node in session.explain()["nodes"])


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", [False, True])
def test_rows_of_blocks_are_gathered_as_onnx_runtime_gathers_them(bits: int, zeros: bool) -> None:
    r = np.random.default_rng(74)
    words, width, block = 50, 64, 16
    numbers = r.integers(0, 1 << bits, (words, width)).astype(np.uint8)
    scales = r.uniform(0.01, 0.1, (words, width // block)).astype(np.float32)
    middle = r.integers(0, 1 << bits, scales.shape).astype(np.uint8)

    initializers = [
        tensor("b", in_bytes(numbers, bits)),
        tensor("s", scales),
        *([tensor("z", in_bytes(middle, bits))] if zeros else []),
    ]
    names = ["b", "x", "s", *(["z"] if zeros else [])]
    attributes: dict[str, Any] = {"gather_axis": 0, "quantize_axis": 1, "block_size": block, "bits": bits}
    node = helper.make_node("GatherBlockQuantized", names, ["y"], domain="com.microsoft", **attributes)
    made = model([node], initializers, x_type=TensorProto.INT64)
    x = r.integers(0, words, 7)
    want = ort.InferenceSession(made, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    np.testing.assert_array_equal(anydim.InferenceSession(made).run(None, {"x": x})[0], want)


@pytest.mark.parametrize(("bits", "bytes_of_zeros"), [(2, 1), (2, 9), (4, 1), (4, 17)])
def test_zero_points_of_other_bytes_than_the_scales_make_are_refused(bits: int, bytes_of_zeros: int) -> None:
    initializers = [
        tensor("b", np.zeros((9, 64 * bits), np.uint8)),
        tensor("s", np.ones((9, 32), np.float32)),
        tensor("z", np.zeros((9, bytes_of_zeros), np.uint8)),
    ]
    attributes: dict[str, Any] = {"block_size": 16, "bits": bits}
    node = helper.make_node("GatherBlockQuantized", ["b", "x", "s", "z"], ["y"], domain="com.microsoft", **attributes)
    with pytest.raises(Exception, match="zero points take"):
        anydim.InferenceSession(model([node], initializers, x_type=TensorProto.INT64))


@pytest.mark.parametrize("zeros", [False, True])
def test_the_matrix_of_the_last_product_is_gathered_from_too(zeros: bool) -> None:
    r = np.random.default_rng(75)
    words, width, block = 50, 64, 16
    blocks = width // block
    initializers = [
        tensor("b", r.integers(0, 256, (words, blocks, block // 2)).astype(np.uint8)),
        tensor("s", r.uniform(0.01, 0.1, (words, blocks)).astype(np.float32)),
        tensor("rows", np.array([words, width // 2])),
        *([tensor("z", r.integers(0, 256, (words, blocks // 2)).astype(np.uint8))] if zeros else []),
    ]
    names = ["s", *(["z"] if zeros else [])]
    nodes = [
        helper.make_node("Reshape", ["b", "rows"], ["flat"]),
        helper.make_node(
            "GatherBlockQuantized", ["flat", "x", *names], ["e"],
            domain="com.microsoft", gather_axis=0, quantize_axis=1, block_size=block, bits=4,
        ),
        helper.make_node(
            "MatMulNBits", ["e", "b", *names], ["y"], domain="com.microsoft", K=width, N=words, bits=4, block_size=block
        ),
    ]  # fmt: skip
    made = model(nodes, initializers, x_type=TensorProto.INT64)
    x = r.integers(0, words, 7)
    want = ort.InferenceSession(made, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    np.testing.assert_allclose(anydim.InferenceSession(made).run(None, {"x": x})[0], want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(16))
def test_level_4_rounds_rows_as_onnx_runtime_does(seed: int) -> None:
    r = np.random.default_rng(400 + seed)
    bits, zeros = (4, 8)[seed % 2], ("none", "whole")[seed // 2 % 2]
    block = int(r.choice((16, 32, 64, 128, 256)))
    k, n = block * int(r.choice((2, 4, 6))), int(r.integers(1, 80))
    nodes, initializers, w = n_bits(r, bits, block, zeros, n, k)
    nodes[0].attribute.append(helper.make_attribute("accuracy_level", 4))
    file = model(nodes, initializers, k)
    x = r.normal(size=(int(r.integers(1, 12)), k)).astype(np.float32) * np.float32(r.choice((0.01, 1.0, 100.0)))
    x[0, :block] = 0  # a block of zeros
    session = anydim.InferenceSession(file)
    ours = np.asarray(session.run(None, {"x": x})[0])
    theirs = np.asarray(ort.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0])
    exact = x.astype(np.float64) @ w.astype(np.float64)
    rounding = np.abs(theirs - exact).max()
    assert 0 < rounding < 0.03 * np.abs(exact).max()
    # A number between two may go to either.
    assert np.abs(ours - theirs).max() <= 0.5 * rounding
    for i in range(len(x)):  # a row alone, with the same bits
        assert np.array_equal(session.run(None, {"x": x[i : i + 1]})[0][0], ours[i])


def test_level_4_in_blocks_of_more_than_256_is_level_0() -> None:
    r = np.random.default_rng(5)
    results = []
    nodes, initializers, _ = n_bits(r, 4, 512, "none", 20, 1024)
    x = r.normal(size=(3, 1024)).astype(np.float32)
    for level in (0, 4):
        del nodes[0].attribute[4:]
        nodes[0].attribute.append(helper.make_attribute("accuracy_level", level))
        results.append(np.asarray(anydim.InferenceSession(model(nodes, initializers, 1024)).run(None, {"x": x})[0]))
    assert np.array_equal(results[0], results[1])
