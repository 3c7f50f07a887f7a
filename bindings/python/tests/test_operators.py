# SPDX-License-Identifier: Apache-2.0
"""Every operator through Python: the examples of its description, at two shapes each, by the kernel that is chosen and by the
scalar reference. An operator that is described and not run here fails."""

from __future__ import annotations

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
    names = {"bool": np.bool_, "i32": np.int32, "i64": np.int64}
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
    (reference,) = {name for name in names if "reference" in name and "quantized" not in name}
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


def test_every_operator_that_is_described_is_run() -> None:
    assert {e[0] for e in EXAMPLES} == set(KINDS)


def test_operands_that_cannot_be_constant_are_named(cpu: anydim.Engine) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="operand 1 of gather is ndarray; expected a descriptor"):
        cpu.gather(anydim.f32(3, 4), np.zeros(3, np.int64))  # type: ignore[arg-type]
    with pytest.raises(anydim.UnimplementedError, match="operand 1 of matmul is a descriptor and operand 2 is not"):
        cpu.matmul(anydim.f32(3, 4), anydim.f32(4, 5), np.zeros(5, np.float32))


def test_outputs_of_several_can_be_given(cpu: anydim.Engine) -> None:
    x = np.array([[3, 1, 2]], np.float32)
    values, places = np.zeros((1, 2), np.float32), np.zeros((1, 2), np.int64)
    topk = cpu.topk(anydim.f32(1, anydim.dim()), 2, axis=1)
    assert topk(x, out=(values, places))[1] is places
    assert values.tolist() == [[3, 2]] and places.tolist() == [[0, 2]]
    with pytest.raises(anydim.InvalidArgumentError, match="out has 1 arrays; expected 2"):
        topk(x, out=(values,))
