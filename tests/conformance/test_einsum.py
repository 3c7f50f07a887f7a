# SPDX-License-Identifier: Apache-2.0
"""Einsum's equations as NumPy reads them: drawn terms with repeated letters, letters of both cases, ellipses, blanks and axes of 1, with
an output or without, and some that are no equations. ONNX Runtime ends the process at some of them, so it is not asked."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from onnx import helper

EQUATIONS = 1500
LETTERS = "abcdijkABIJ"

# Letters that stand twice in one term are summed over where no output is written.
REPEATED = [
    "ii",
    "jii",
    "iij",
    "...ii",
    "i...i",
    "ii,jj",
    "ii,ij",
    "ii,i",
    "iij,j",
    "iii",
    "ii->i",
    "ii->",
    "jii->ij",
    "Iii",
    "aA,A",
]


def model(equation: str, dims: list[list[int]], dynamic: bool) -> bytes:
    inputs = [
        helper.make_tensor_value_info(
            f"x{i}", onnx.TensorProto.FLOAT, [f"x{i}_{k}" for k in range(len(d))] if dynamic else d
        )
        for i, d in enumerate(dims)
    ]
    node = helper.make_node("Einsum", [v.name for v in inputs], ["y"], equation=equation)
    graph = helper.make_graph([node], "einsum", inputs, [onnx.ValueInfoProto(name="y")])
    serialised: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8
    ).SerializeToString()
    return serialised


def numbers(dims: list[list[int]], seed: int) -> list[Any]:
    random = np.random.default_rng(seed)
    return [random.integers(-3, 4, d).astype(np.float32) for d in dims]


def numpys(equation: str, xs: list[Any]) -> Any:
    """What NumPy gives, or its error. An output without "..." is the sum over the axes that it stands for elsewhere, as ONNX Runtime and
    torch have it; NumPy refuses that."""
    try:
        return np.einsum(equation, *xs)
    except ValueError as failure:
        if "no '...' ellipsis" not in str(failure):
            return failure
    try:
        wide = np.einsum(equation.replace("->", "->..."), *xs)
    except ValueError as failure:
        return failure
    letters = len(equation.split("->")[1].replace(" ", ""))
    return wide.sum(axis=tuple(range(wide.ndim - letters)))


def verdict(equation: str, dims: list[list[int]], dynamic: bool, seed: int) -> str:
    """Empty where Anydim gives what NumPy gives, or both refuse."""
    xs = numbers(dims, seed)
    want = numpys(equation, xs)
    try:
        session = anydim.InferenceSession(model(equation, dims, dynamic), threads=1)
        got: Any = session.run(None, {f"x{i}": x for i, x in enumerate(xs)})[0]
    except anydim.Error as failure:
        got = failure
    refused = (anydim.InvalidModelError, anydim.InvalidArgumentError)
    if isinstance(want, ValueError):
        return "" if isinstance(got, refused) else f"NumPy: {want}; here {got}"
    if isinstance(got, anydim.Error):
        return f"NumPy gives dims {want.shape}; here {got}"
    return (
        "" if got.shape == want.shape and np.array_equal(got, want) else f"NumPy: {want.tolist()}; here {got.tolist()}"
    )


def drawn(r: Random) -> tuple[str, list[list[int]]]:
    letters = r.sample(LETTERS, r.choice((1, 2, 3, 4)))
    size = {c: r.choice((1, 2, 3, 4)) for c in letters}
    wide = [r.choice((2, 3)) for _ in range(r.choice((0, 0, 1, 2)))]
    terms, dims = [], []
    for _ in range(r.choice((1, 1, 2, 2, 3))):
        parts = [r.choice(letters) for _ in range(r.choice((0, 1, 2, 2, 3)))]
        d = [1 if r.random() < 0.08 else size[c] for c in parts]
        if r.random() < 0.4:
            at, axes = r.randrange(len(parts) + 1), len(wide) if r.random() < 0.7 else r.randrange(len(wide) + 1)
            parts.insert(at, "...")
            d[at:at] = [1 if r.random() < 0.15 else x for x in wide[len(wide) - axes :]] if axes else []
        terms.append(parts)
        dims.append(d)
    if r.random() < 0.55:
        known = sorted({c for parts in terms for c in parts if c != "..."})
        output = r.sample(known, r.randrange(len(known) + 1))
        if any("..." in parts for parts in terms) and r.random() < 0.85:
            output.insert(r.randrange(len(output) + 1), "...")
        elif r.random() < 0.1:
            output.append(r.choice(("z", "...", *known)))
        terms.append(output)
    else:
        output = None
    blanks = ("", " ", "  ") if r.random() < 0.25 else ("",)
    texts = [r.choice(blanks) + "".join(part + r.choice(blanks) for part in parts) for parts in terms]
    equation = ",".join(texts) if output is None else f"{','.join(texts[:-1])}->{texts[-1]}"
    if r.random() < 0.04:
        at = r.randrange(len(equation) + 1)
        equation = equation[:at] + r.choice(".,->1_") + equation[at:]
    return equation, dims


# Labels that are 1 in some of their axes.
ONES: list[tuple[str, list[list[int]]]] = [
    ("ij,jk->ik", [[2, 1], [3, 4]]),
    ("ij,jk->ik", [[2, 3], [1, 4]]),
    ("ij,jk->ik", [[2, 1], [1, 4]]),
    ("i,i->", [[1], [4]]),
    ("ij,ij,ij->i", [[2, 1], [2, 3], [2, 1]]),
    ("bij,bjk->bik", [[1, 2, 1], [2, 3, 4]]),
    ("...ij,...jk->...ik", [[2, 2, 1], [1, 3, 4]]),
    ("ij,jk->ik", [[2, 0], [1, 4]]),
]


@pytest.mark.parametrize("dynamic", (False, True), ids=("numbers", "dynamic"))
@pytest.mark.parametrize(("equation", "dims"), ONES)
def test_an_axis_of_1_is_repeated_also_where_only_a_run_finds_it(
    equation: str, dims: list[list[int]], dynamic: bool
) -> None:
    assert not verdict(equation, dims, dynamic, 7)


def test_one_session_runs_labels_of_1_and_of_more() -> None:
    session = anydim.InferenceSession(model("ij,jk->ik", [[2, 3], [3, 4]], True), threads=1)
    for a, b in (([2, 3], [3, 4]), ([2, 1], [3, 4]), ([2, 3], [1, 4]), ([2, 3], [3, 4])):
        xs = numbers([a, b], 3)
        assert np.array_equal(session.run(None, {"x0": xs[0], "x1": xs[1]})[0], np.einsum("ij,jk->ik", *xs))
    with pytest.raises(anydim.InvalidArgumentError, match="label j: x0_1 and x1_0 are equal, or one of them is 1"):
        session.run(None, {"x0": np.ones((2, 3), np.float32), "x1": np.ones((2, 4), np.float32)})


@pytest.mark.parametrize("equation", REPEATED)
def test_letters_that_stand_twice_in_a_term_are_not_in_the_implicit_output(equation: str) -> None:
    dims = [[3 if c in "iI" else 4 for c in term.replace("...", "b")] for term in equation.split("->")[0].split(",")]
    for dynamic in (False, True):
        assert not verdict(equation, dims, dynamic, len(equation))


def test_drawn_equations_give_what_numpy_gives() -> None:
    wrong, known = [], Counter[bool]()
    for seed in range(EQUATIONS):
        equation, dims = drawn(Random(seed))
        for dynamic in (False, True):
            if found := verdict(equation, dims, dynamic, seed):
                wrong.append(f"{equation!r} of {dims}{', dynamic' if dynamic else ''}: {found}")
        try:
            np.einsum(equation, *numbers(dims, seed))
            known[True] += 1
        except ValueError:
            known[False] += 1
    assert not wrong, "\n".join(wrong[:10])
    assert min(known.values()) > EQUATIONS // 20
