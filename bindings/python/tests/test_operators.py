# SPDX-License-Identifier: Apache-2.0
"""Every operator through Python: the examples of its description, at two shapes each, by the kernel that is chosen and by the
scalar reference. An operator that is described and not run here fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest
from operator_examples import EXAMPLES, KINDS, VARIADIC


@pytest.fixture(scope="module")
def cpu() -> anydim.Engine:
    return anydim.Engine("cpu")


def array(rng: np.random.Generator, dtype: str, dims: tuple[int, ...], low: int, high: int) -> Any:
    if dtype in ("f32", "f64"):
        return rng.uniform(-2, 2, dims).astype({"f32": np.float32, "f64": np.float64}[dtype])
    names = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64}
    return rng.integers(low, high, dims, endpoint=True).astype(names[dtype])


def described(dtype: str, first: tuple[int, ...], second: tuple[int, ...]) -> anydim.Desc:
    dims = [a if a == b else anydim.dim(max=4096) for a, b in zip(first, second, strict=True)]
    return anydim.Desc(anydim.Dtype[dtype.upper()], tuple(dims))


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("index", range(len(EXAMPLES)), ids=[e[0] for e in EXAMPLES])
def test_an_operator_gives_the_references_bits_at_two_shapes(cpu: anydim.Engine, index: int) -> None:
    kind, arguments, inputs = EXAMPLES[index]
    names = {k["name"] for k in cpu.kernels() if k["op"] == kind}
    others = ("quantized", "bf16", "winograd")  # of numbers of 8 bits, of the other math modes
    (reference,) = {name for name in names if "reference" in name and not any(word in name for word in others)}
    rng = np.random.default_rng(index)
    constants = [array(rng, i[0], i[1], i[3], i[4]) if i[5] and i[1] == i[2] else None for i in inputs]
    descriptors = [described(*i[:3]) for i in inputs]
    packed = [d if c is None else c for d, c in zip(descriptors, constants, strict=True)]
    build = getattr(cpu, kind)
    chosen, checked = (
        build(*([given] if kind in VARIADIC else given), **arguments, kernel=kernel)
        for given, kernel in ((packed, None), (descriptors, reference))
    )
    for shape in (1, 2):
        arrays = [
            array(rng, i[0], i[shape], i[3], i[4]) if c is None else c for i, c in zip(inputs, constants, strict=True)
        ]
        got = as_tuple(chosen(*(a for a, c in zip(arrays, constants, strict=True) if c is None)))
        expected = as_tuple(checked(*arrays))
        assert len(got) == len(expected)
        for y, z in zip(got, expected, strict=True):
            assert y.dtype == z.dtype and y.shape == z.shape and np.asarray(y).tobytes() == np.asarray(z).tobytes()


@pytest.mark.parametrize("index", range(len(EXAMPLES)), ids=[e[0] for e in EXAMPLES])
def test_an_example_runs_at_the_ends_of_its_ranges(cpu: anydim.Engine, index: int) -> None:
    """Tests of all bindings draw integers between them, so none may be an error: strings are the longest here."""
    kind, arguments, inputs = EXAMPLES[index]
    descriptors = [described(*i[:3]) for i in inputs]
    primitive = getattr(cpu, kind)(*([descriptors] if kind in VARIADIC else descriptors), **arguments)
    rng = np.random.default_rng(index)
    for shape in (1, 2):
        for end in (3, 4):
            primitive(*(array(rng, i[0], i[shape], i[end], i[end]) for i in inputs))


def test_every_operator_that_is_described_is_run() -> None:
    assert {e[0] for e in EXAMPLES} == set(KINDS)


@pytest.mark.parametrize("index", range(len(EXAMPLES)), ids=[e[0] for e in EXAMPLES])
def test_any_operand_may_be_constant(cpu: anydim.Engine, index: int) -> None:
    kind, arguments, inputs = EXAMPLES[index]
    rng = np.random.default_rng(index)
    arrays = [array(rng, i[0], i[1], i[3], i[4]) for i in inputs]
    descriptors = [described(i[0], i[1], i[1]) for i in inputs]
    build = getattr(cpu, kind)
    expected = as_tuple(build(*([descriptors] if kind in VARIADIC else descriptors), **arguments)(*arrays))
    for chosen in range(1, 2 ** len(inputs)):
        constant = [bool(chosen >> i & 1) for i in range(len(inputs))]
        given = [a if c else d for a, d, c in zip(arrays, descriptors, constant, strict=True)]
        primitive = build(*([given] if kind in VARIADIC else given), **arguments)
        assert primitive.weights is not None and primitive.weights.bytes > 0
        got = as_tuple(primitive(*(a for a, c in zip(arrays, constant, strict=True) if not c)))
        for y, z in zip(got, expected, strict=True):
            assert np.asarray(y).tobytes() == np.asarray(z).tobytes(), f"constant: {constant}"


def test_an_optional_operand_may_be_left_out_before_a_constant(cpu: anydim.Engine, tmp_path: Path) -> None:
    """Of the operators described, layer_norm has one: its scale. A scale of ones gives the same bits."""
    rng = np.random.default_rng(3)
    bias, ones = rng.standard_normal(40).astype(np.float32), np.ones(40, np.float32)
    desc = anydim.Desc(anydim.Dtype.F32, (anydim.dim(max=64), anydim.dim(max=64), 40))
    made = [cpu.layer_norm(desc, None, bias, kernel=kernel) for kernel in (None, "layer_norm.reference")]
    made += [cpu.layer_norm(desc, None, made[0].weights), cpu.layer_norm(desc, ones, bias)]
    assert made[0].weights is not None
    made[0].weights.save(tmp_path / "bias.weights")
    made.append(cpu.layer_norm(desc, None, tmp_path / "bias.weights"))
    for shape in ((3, 4, 40), (7, 1, 40)):
        x = rng.standard_normal(shape).astype(np.float32)
        results = [p(x) for p in made]
        assert len({y.tobytes() for y in results}) == 1
        assert not np.array_equal(results[0], cpu.layer_norm(desc)(x)), "the bias counts"
        assert "in1=-" in made[0].line(x)
    assert made[0].explain((3, 4, 40))["output_dims"] == [[3, 4, 40]]
    made[0].weights.update(2 * bias)
    assert made[2](x).tobytes() == cpu.layer_norm(desc, ones, 2 * bias)(x).tobytes()


def test_what_cannot_be_an_operand_is_named(cpu: anydim.Engine) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="operand 1 of gather"):
        cpu.gather(anydim.f32(3, 4), object())
    with pytest.raises(anydim.InvalidArgumentError, match="input 1 is neither constant nor described"):
        cpu.matmul(anydim.f32(3, 4), None, np.zeros(5, np.float32))
    with pytest.raises(anydim.UnimplementedError, match="operand 1 of layer_norm is left out and a later one comes"):
        cpu.layer_norm(anydim.f32(3, 4), None, anydim.f32(4))
    with pytest.raises(anydim.InvalidArgumentError, match="a \\[3, 4\\] has 4 columns and b \\[5, 6\\] has 5 rows"):
        cpu.matmul(np.zeros((3, 4), np.float32), anydim.f32(5, 6))


def test_outputs_of_several_can_be_given(cpu: anydim.Engine) -> None:
    x = np.array([[3, 1, 2]], np.float32)
    values, places = np.zeros((1, 2), np.float32), np.zeros((1, 2), np.int64)
    topk = cpu.topk(anydim.f32(1, anydim.dim()), 2, axis=1)
    assert topk(x, out=(values, places))[1] is places
    assert values.tolist() == [[3, 2]] and places.tolist() == [[0, 2]]
    with pytest.raises(anydim.InvalidArgumentError, match="out has 1 arrays; expected 2"):
        topk(x, out=(values,))
