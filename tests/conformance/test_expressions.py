# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of RegexFullMatch as ONNX Runtime's RE2 reads them: drawn out of atoms, groups, flags and repetitions, right ones
and some that are none."""

from __future__ import annotations

from random import Random
from typing import Any

import anydim
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

EXPRESSIONS = 300
ATOMS = (
    "a", "b", "c", "A", "1", "_", " ", "-", "é", "Ж", "\n", ".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\b", "\\B", "^", "$", "\\A",
    "\\z", "[ab]", "[^a]", "[a-c]", "[^\\d]", "[\\w-]", "[]a]", "[[:alpha:]]", "[^[:space:]]", "[a\\]]", "\\.", "\\n", "\\x41", "\\x{416}",
    "\\pL", "\\p{Lu}", "\\PL", "\\Qa.b\\E", "(?:)", "()", "\\t", "\\101", "\\0", "[[:^digit:]]", "\\a", "\\/", "{", "}", "{,2}",
)  # fmt: skip
ODD = (
    "(", "[", ")", "*", "+", "?", "{2", "{2,1}", "{1001}", "\\", "\\8", "(?P<n>a)", "(?<n>a)", "(?i)", "(?s)", "(?m)", "(?-i)", "(?i:a)",
    "(?=a)", "[b-a]", "[a", "[[:no:]]", "\\p{No}", "\\pX", "\\C", "\\k", "(?U)", "|", "**", "a{2}{3}", "\\E", "\\Q", "\\x", "\\xZ", "[\\b]",
    "[a-\\d]", "(?", "(?P<", "(?P<1>a)", "(?:", "\\pN", "\\p{^L}", "\\p{Greek}", "[\\pL]",
)  # fmt: skip
REPEATED = ("*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{0}")
WORDS = (
    "", "a", "b", "ab", "A", "aa", "abc", "1", "_", " ", "a b", "é", "Ж", "\n", "a\n", "a.b", "ba", "aba", "b1", "-", "\u212a", "aA", "\0",
    "}",
    "{", "{,2}", "a-c", "\t",
)  # fmt: skip


def drawn(r: Random, depth: int = 0) -> str:
    text = ""
    for _ in range(r.choice((1, 1, 2, 3))):
        kind = r.random()
        if kind < 0.55:
            atom = r.choice(ATOMS)
        elif kind < 0.7 and depth < 3:
            atom = r.choice(("(", "(?:", "(?i:", "(?s:", "(?m:")) + drawn(r, depth + 1) + ")"
        elif kind < 0.8 and depth < 3:
            atom = f"(?:{drawn(r, depth + 1)}|{drawn(r, depth + 1)})"
        else:
            atom = r.choice(ODD) if kind < 0.86 else r.choice("abc")
        text += atom + (r.choice(REPEATED) if r.random() < 0.35 else "")
    return text


def found(pattern: str, words: Any) -> tuple[Any, Any]:
    """What Anydim and ONNX Runtime make of it: booleans, or the error."""
    x = helper.make_tensor_value_info("x", TensorProto.STRING, ["n"])
    y = helper.make_tensor_value_info("y", TensorProto.BOOL, ["n"])
    node = helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)
    graph = helper.make_graph([node], "expression", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=8).SerializeToString()
    ours: Any
    theirs: Any
    try:
        ours = anydim.InferenceSession(model, threads=1).run(None, {"x": words})[0]
    except anydim.Error as failure:
        ours = failure
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        theirs = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(
            None, {"x": words}
        )[0]
    except Exception as failure:
        theirs = failure
    return ours, theirs


def problem(pattern: str, words: Any) -> str:
    ours, theirs = found(pattern, words)
    if isinstance(ours, anydim.UnimplementedError):
        return ""
    if isinstance(theirs, Exception):
        return "" if isinstance(ours, anydim.InvalidModelError) else f"{pattern!r}: RE2 refuses it: {theirs}"[:300]
    if isinstance(ours, anydim.Error):
        return f"{pattern!r}: RE2 takes it: {ours}"
    differ = [word for word, a, b in zip(words, ours, theirs, strict=True) if a != b]
    return f"{pattern!r}: differs for {differ[:4]}" if differ else ""


@pytest.mark.parametrize("pattern", ["a(?i)*", "ab(?s)+?c", "b{2}(?m){0,2}", "(?i)*", "a**", "a{2}{3}", "(?:(?i)a)b*"])
def test_flags_leave_nothing_that_is_repeated(pattern: str) -> None:
    assert not problem(pattern, np.array(WORDS, object))


def test_drawn_expressions_match_what_re2_matches() -> None:
    wrong = []
    for seed in range(EXPRESSIONS):
        r = Random(seed)
        pattern = drawn(r)
        more = ["".join(r.choice("abcAB1_ -.\né") for _ in range(r.randrange(5))) for _ in range(30)]
        if what := problem(pattern, np.array([*WORDS, *more, pattern], object)):
            wrong.append(what)
    assert not wrong, "\n".join(wrong[:10])
