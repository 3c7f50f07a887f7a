# SPDX-License-Identifier: Apache-2.0
"""Branches and loops that cannot be exported are named; those that cannot run at some dims say so. Their bits: test_export.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from exported_c import Compiled, Refused, export
from exported_models import FMA


def body(text: str) -> str:
    return f"""<ir_version: 8, opset_import: ["" : 17]> {text}"""


@pytest.mark.parametrize(
    ("graph", "bounds", "why"),
    [
        (
            """g (float[n, 3] x, bool[1] c) => (float[k, 3] y) {
              [turn] y = If (c) <then_branch = g1 () => (float[n, 3] a) { a = Relu (x) },
                else_branch = g2 () => (float[m, 3] b) { b = Concat <axis = 0> (x, x) }>
            }""",
            ("x:1..4,3",),
            r"turn \(If\): its result 'y' has a size that only its run finds",
        ),
        (
            """g (float[2] x, int64 m) => (float[k, 2] y) {
              yes = Constant <value = bool {1}> ()
              [turns] last, y = Loop (m, yes, x) <body = b (int64 i, bool go, float[2] v) => (bool on, float[2] w, float[2] z) {
                on = Identity (go)
                w = Relu (v)
                z = Neg (v)
              }>
            }""",
            (),
            "sizes that follow from the elements of an input",
        ),
        (
            """g (float[2] x) => (float[k, 2] y) {
              yes = Constant <value = bool {1}> ()
              [turns] last, y = Loop ("", yes, x) <body = b (int64 i, bool go, float[2] v) => (bool on, float[2] w, float[2] z) {
                most = Constant <value_float = 9.0> ()
                w = Add (v, most)
                s = ReduceMax <keepdims = 0> (w)
                on = Less (s, most)
                z = Neg (v)
              }>
            }""",
            (),
            r"turns \(Loop\): its result 'y' has a size that only its run finds",
        ),
        (
            """g (float[n, 3] x, bool[1] c) => (float[n, 3] y) {
              y = If (c) <then_branch = g1 () => (float[n, 3] a) { [wave] a = Sin (x) },
                else_branch = g2 () => (float[n, 3] b) { [sum] one = Constant <value_int = 1> ()
                  [sums] b = CumSum (x, one) }>
            }""",
            ("x:1..4,3",),
            r"(?s)wave \(Sin\): the function sin.*sums \(CumSum\): the operator cumsum",
        ),
    ],
    ids=["sizes of an if", "a count that is an input", "a loop until", "operators within"],
)
def test_branches_and_loops_that_cannot_be_exported_are_named(
    graph: str, bounds: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    onnx.save(onnx.parser.parse_model(body(graph)), str(tmp_path / "m.onnx"))
    with pytest.raises(Refused, match=why):
        export(tmp_path / "m.onnx", tmp_path / "c", bounds)


def test_a_branch_that_cannot_run_at_these_dims_says_so(tmp_path: Path) -> None:
    text = """g (float[n, 3] x, bool[1] c) => (float[n, 3] y) {
      y = If (c) <then_branch = g1 () => (float[n, 3] a) { t = Transpose <perm = [1, 0]> (x)
          w = Constant <value = float[4, 1] {1, 1, 1, 1}> ()
          [only4] m = MatMul (t, w)
          s = ReduceMax <keepdims = 0> (m)
          a = Sub (s, x) },
        else_branch = g2 () => (float[n, 3] b) { b = Relu (x) }>
    }"""
    onnx.save(onnx.parser.parse_model(body(text)), str(tmp_path / "m.onnx"))
    export(tmp_path / "m.onnx", tmp_path / "c", ("x:2..4,3",))
    compiled = Compiled(tmp_path / "c", ("-O1", *FMA))
    for rows in (2, 4):
        x = np.ones((rows, 3), np.float32)
        assert compiled.run({"x": x, "c": np.zeros(1, np.uint8)})[0] == 0
        status, outputs = compiled.run({"x": x, "c": np.ones(1, np.uint8)})
        assert (status == 0) == (rows == 4)
        if status == 0:
            assert (outputs[0] == 3).all()
        else:
            assert b"y/only4: columns of a and rows of b: n is equal to 4" == compiled.status_text(status)
