# SPDX-License-Identifier: Apache-2.0
"""Scales, zero points, results of another dtype and math modes from Python, bit for bit against NumPy's arithmetic on
whole numbers and float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from anydim import quantized
from onnx import TensorProto, helper, numpy_helper

RANGES = {"u8": (0, 255), "i8": (-128, 127), "i32": (-(2**31), 2**31 - 1)}
F32 = np.float32


@pytest.fixture(scope="module")
def cpu() -> anydim.Engine:
    return anydim.Engine("cpu")


def random_whole(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> Any:
    low, high = RANGES[name]
    return rng.integers(low, high, shape, endpoint=True).astype({"u8": np.uint8, "i8": np.int8}[name])


def stored(y: Any, scale: Any, zero: int, name: str) -> Any:
    """float32 to whole numbers as docs/numerics.md says."""
    low, high = RANGES[name]
    rounded = np.rint((y / F32(scale)).astype(F32)) + F32(zero)
    return np.clip(rounded, low, high).astype({"u8": np.uint8, "i8": np.int8}[name])


@pytest.mark.parametrize("seed", range(8))
def test_a_product_of_bytes_is_numpys_to_the_bit(cpu: anydim.Engine, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ta, tb, ty = (("u8", "i8")[i] for i in rng.integers(0, 2, 3))
    m, k, n = (int(v) for v in rng.integers(1, 400, 3))
    a, b = random_whole(rng, ta, (m, k)), random_whole(rng, tb, (k, n))
    za, zb, zy = (int(rng.integers(RANGES[t][0], RANGES[t][1])) for t in (ta, tb, ty))
    sa, sy = F32(0.013), F32(41.7)
    sb = rng.uniform(0.001, 0.1, n).astype(F32)
    bias = rng.integers(-5000, 5000, n).astype(np.int32)
    sums = (a.astype(np.int64) - za) @ (b.astype(np.int64) - zb) + bias
    y = sums.astype(F32) * (sa * sb)
    y = np.maximum(y, F32(0))
    numbers = (
        quantized(0, sa, za),
        quantized(1, sb, zb, axis=1),
        quantized("result", sy, zy),
    )
    make = {"u8": anydim.u8, "i8": anydim.i8}
    product = cpu.matmul(
        make[ta](anydim.dim(), k), b, bias, quantized=numbers, result_dtype=ty, post_ops=[anydim.relu()]
    )
    assert np.array_equal(product(a), stored(y, sy, zy, ty))
    # The same with everything given at each call.
    given = (
        quantized(0, "given", "given"),
        quantized(1, "given", "given", axis=1),
        quantized("result", "given", "given"),
    )
    product = cpu.matmul(make[ta](anydim.dim(), k), b, bias, quantized=given, result_dtype=ty, post_ops=[anydim.relu()])
    zeros = np.full(n, zb, b.dtype)
    y_zero = np.array(zy, {"u8": np.uint8, "i8": np.int8}[ty])
    assert np.array_equal(product(a, sa, a.dtype.type(za), sb, zeros, np.array([sy]), y_zero), stored(y, sy, zy, ty))


def convolve(x: Any, w: Any, pad: int, stride: int) -> Any:
    """Sums of whole numbers; x is centred already, so that padding with zeros contributes nothing."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    kh, kw = w.shape[2:]
    height, width = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    out = np.zeros((x.shape[0], w.shape[0], height, width), np.int64)
    for i in range(kh):
        for j in range(kw):
            part = x[:, :, i : i + stride * height : stride, j : j + stride * width : stride][:, :, :height, :width]
            out += np.einsum("nchw,oc->nohw", part, w[:, :, i, j])
    return out


@pytest.mark.parametrize("seed", range(4))
def test_a_convolution_of_bytes_with_a_zero_point_in_its_padding(cpu: anydim.Engine, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    channels, filters, pad, stride = (
        int(rng.integers(1, 9)),
        int(rng.integers(1, 9)),
        int(rng.integers(0, 3)),
        int(rng.integers(1, 3)),
    )
    w = random_whole(rng, "i8", (filters, channels, 3, 3))
    sw, bias = rng.uniform(0.01, 0.1, filters).astype(F32), rng.standard_normal(filters).astype(F32)
    za, sa = 131, F32(0.05)
    conv = cpu.convolution(
        anydim.u8(anydim.dim(), channels, anydim.dim(), anydim.dim()),
        w,
        bias,
        pads=pad,
        strides=stride,
        quantized=[quantized(0, sa, za), quantized(1, sw, axis=0)],
    )
    for dims in ((1, channels, 9, 11), (2, channels, 4, 3)):
        x = random_whole(rng, "u8", dims)
        sums = convolve(x.astype(np.int64) - za, w.astype(np.int64), pad, stride)
        expected = sums.astype(F32) * (sa * sw)[:, None, None] + bias[:, None, None]
        got = conv(x)
        assert got.dtype == F32
        assert got.tobytes() == expected.astype(F32).tobytes()


def test_weights_of_bytes_are_saved_and_mapped_with_scales_of_any_form(cpu: anydim.Engine, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    b, bias = random_whole(rng, "i8", (70, 9)), rng.integers(-500, 500, 9).astype(np.int32)
    a = anydim.u8(anydim.dim(), 70)
    scales = rng.uniform(0.01, 0.1, 9).astype(F32)
    forms = [
        ((quantized(0, 0.5, 3), quantized(1, 0.25)), ()),
        ((quantized(0, 0.5), quantized(1, scales, axis=1), quantized("result", 2, 7)), ()),
        ((quantized(0, 0.5), quantized(1, "given", axis=1)), (scales,)),
    ]
    for i, (said, given) in enumerate(forms):
        named: dict[str, Any] = {"quantized": said, "result_dtype": "u8" if len(said) == 3 else None}
        packed = cpu.matmul(a, b, bias, **named)
        assert packed.weights is not None
        packed.weights.save(tmp_path / f"{i}")
        mapped = cpu.matmul(a, tmp_path / f"{i}", **named)
        for rows in (3, 17):
            x = random_whole(rng, "u8", (rows, 70))
            assert mapped(x, *given).tobytes() == packed(x, *given).tobytes()
    mapped = cpu.matmul(a, tmp_path / "0", quantized=[quantized(1, scales[:4], axis=1)])
    with pytest.raises(anydim.InvalidArgumentError, match="input 1 has 4 scales; axis 1 of it is 9 long"):
        mapped(random_whole(rng, "u8", (2, 70)))


def test_sums_of_bytes_come_as_they_are(cpu: anydim.Engine) -> None:
    a, b = np.full((2, 40000), 255, np.uint8), np.full((40000, 3), 255, np.uint8)
    product = cpu.matmul(anydim.u8(2, anydim.dim()), anydim.u8(anydim.dim(), 3), result_dtype="i32")
    got = product(a, b)
    assert got.dtype == np.int32
    assert (got == np.int64(255 * 255 * 40000 - 2**32)).all(), "modulo 2^32"
    assert (product(a[:, :33025], b[:33025]) == 65025 * 33025).all()


def test_a_result_of_floats_is_stored_in_another_dtype(cpu: anydim.Engine) -> None:
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((5, 300)).astype(F32), rng.standard_normal((300, 6)).astype(F32)
    plain = cpu.matmul(anydim.f32(5, 300), b)(a)
    for name in ("i8", "u8"):
        made = cpu.matmul(anydim.f32(5, 300), b, quantized=[quantized("result", 0.25, 100)], result_dtype=name)
        assert np.array_equal(made(a), stored(plain, 0.25, 100, name))
    assert np.array_equal(cpu.matmul(anydim.f32(5, 300), b, result_dtype="f16")(a), plain.astype(np.float16))


def test_what_cannot_be_is_refused(cpu: anydim.Engine) -> None:
    u8, i8 = anydim.u8(3, 4), anydim.i8(4, 5)
    with pytest.raises(anydim.InvalidArgumentError, match="operand is 2"):
        quantized(2)
    with pytest.raises(anydim.InvalidArgumentError, match="scale is 'none'"):
        quantized(0, "none")
    with pytest.raises(anydim.InvalidArgumentError, match="a scale of 0"):
        cpu.matmul(u8, i8, quantized=[quantized(0, 0)])
    with pytest.raises(anydim.InvalidArgumentError, match="input 1 has 2 scales for the whole tensor"):
        cpu.matmul(u8, i8, quantized=[quantized(1, [1, 2])])
    with pytest.raises(anydim.UnimplementedError, match="along axis 0"):
        cpu.matmul(u8, i8, quantized=[quantized(1, [1, 2, 3, 4], axis=0)])
    with pytest.raises(anydim.InvalidArgumentError, match=r"result_dtype is .f8."):
        cpu.matmul(u8, i8, result_dtype="f8")


def test_math_modes_of_primitives(cpu: anydim.Engine) -> None:
    x = np.arange(12, dtype=F32).reshape(3, 4)
    made = [cpu.softmax(anydim.f32(3, 4), math=mode) for mode in (None, "strict", "fast", "reduced", "inherit")]
    assert len({p.kernel_identity for p in made}) == 1
    assert len({p(x).tobytes() for p in made}) == 1
    told = [p.explain() for p in made]
    assert {t["math"] for t in told} == {"strict"}
    assert [t["math_requested"] for t in told] == ["inherit", "strict", "fast", "reduced", "inherit"]
    assert [t.get("math_because") for t in told] == [None, None, "no faster form", "no faster form", None]
    with pytest.raises(anydim.InvalidArgumentError, match="math is 'sloppy'"):
        cpu.softmax(anydim.f32(3, 4), math="sloppy")


def test_reduced_products_have_the_same_bits_in_each_batch_and_are_near_those_of_strict() -> None:
    random = np.random.default_rng(3)
    weights = numpy_helper.from_array(random.standard_normal((96, 40)).astype(F32), "w")
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", k]) for name, k in (("x", 96), ("y", 40))]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "product")], "one", values[:1], values[1:], [weights]
    )
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    strict, reduced = (anydim.InferenceSession(data, math=mode, threads=2) for mode in ("strict", "reduced"))
    (node,) = reduced.describe()["nodes"]
    assert node["math"] == "reduced" and "math_because" not in node
    x = random.standard_normal((37, 96)).astype(F32)
    exact, rounded = (s.run(None, {"x": x})[0] for s in (strict, reduced))
    error = np.linalg.norm(rounded - exact) / np.linalg.norm(exact)
    assert 0.0005 < error < 0.006
    rows = [reduced.run(None, {"x": x[i : i + 1]})[0] for i in range(len(x))]
    assert np.concatenate(rows).tobytes() == rounded.tobytes()


def test_fast_convolutions_have_the_same_bits_in_each_batch_and_are_near_those_of_strict() -> None:
    random = np.random.default_rng(4)
    names = ("x", "h", "y")
    kernels = [(40, 24, 3, 3), (17, 40, 3, 3)]
    constants = [
        numpy_helper.from_array((random.standard_normal(dims) / 20).astype(F32), f"w{i}")
        for i, dims in enumerate(kernels)
    ]
    nodes = [helper.make_node("Conv", [names[i], f"w{i}"], [names[i + 1]], f"conv{i}", pads=[1] * 4) for i in range(2)]
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", c, "h", "w"]) for name, c in (("x", 24), ("y", 17))
    ]
    graph = helper.make_graph(nodes, "two", values[:1], values[1:], constants)
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    strict, fast = (anydim.InferenceSession(data, math=mode, threads=2) for mode in ("strict", "fast"))
    mixed = anydim.InferenceSession(data, math="fast", layers={"conv1": "strict"})
    told = [n for n in fast.describe()["nodes"] if n["name"].startswith("conv")]
    assert [n["math"] for n in told] == ["fast", "fast"] and all("winograd" in n["kernel"] for n in told)
    assert strict.describe()["weight_bytes"] == fast.describe()["weight_bytes"]  # held once, and in one form
    assert [n["math"] for n in mixed.describe()["nodes"] if n["name"].startswith("conv")] == ["fast", "strict"]
    x = random.standard_normal((5, 24, 22, 19)).astype(F32)
    exact, quick, partly = (s.run(None, {"x": x})[0] for s in (strict, fast, mixed))
    largest = np.abs(exact).max()
    assert 0 < np.abs(quick - exact).max() < 2e-5 * largest
    assert 0 < np.abs(partly - exact).max() < 2e-5 * largest and (partly != quick).any()
    rows = [fast.run(None, {"x": x[i : i + 1]})[0] for i in range(len(x))]
    assert np.concatenate(rows).tobytes() == quick.tobytes()
    few = x[:2, :, :6, :7]  # for which the form does not pay
    assert fast.run(None, {"x": few})[0].tobytes() == strict.run(None, {"x": few})[0].tobytes()


def test_math_modes_of_a_model_and_its_layers() -> None:
    weights = numpy_helper.from_array(np.random.default_rng(1).standard_normal((4, 4)).astype(F32), "w")
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "first"),
        helper.make_node("MatMul", ["h", "w"], ["y"], "second"),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 4]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "two", values[:1], values[1:], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    x = np.random.default_rng(2).standard_normal((3, 4)).astype(F32)
    asked: list[dict[str, Any]] = [
        {},
        {"math": "fast"},
        {"math": "reduced", "layers": {"first": "strict"}},
        {"layers": {"second": "fast", "first": "inherit"}},
    ]
    results, requested = set(), []
    for options in asked:
        session = anydim.InferenceSession(data, **options)
        results.add(session.run(None, {"x": x})[0].tobytes())
        told = session.describe()["nodes"]
        assert [n["math"] for n in told] == ["strict", "strict"]
        for n in told:
            because = n.get("math_because", "")
            expected = {"fast": "no form of mode fast", "reduced": "the right side is smaller than 64 x 32"}
            assert because.endswith(expected.get(n["math_requested"], "")) and bool(because) == (
                n["math_requested"] in expected
            )
        requested.append([n["math_requested"] for n in told])
    assert requested == [["inherit"] * 2, ["fast"] * 2, ["strict", "reduced"], ["inherit", "fast"]]
    assert len(results) == 1
    with pytest.raises(anydim.NotFoundError, match="third"):
        anydim.InferenceSession(data, layers={"third": "fast"})
    with pytest.raises(anydim.InvalidArgumentError, match="'quick'"):
        anydim.InferenceSession(data, layers={"first": "quick"})
