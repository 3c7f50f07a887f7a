# SPDX-License-Identifier: Apache-2.0
"""What type checkers and other readers of annotations see of the package: typing.get_type_hints works on everything public, and the words
of options are those that the library knows."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

import anydim
import pytest
from anydim import _enums, _operator_enums, _operators, option_words


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, classes, and the methods and properties of classes, by name."""
    for name in anydim.__all__:
        value = getattr(anydim, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value) and value.__module__.startswith("anydim"):
            yield name, value
            for member, what in inspect.getmembers(value):
                function = what.fget if isinstance(what, property) else what
                if inspect.isfunction(function) and (member == "__init__" or not member.startswith("_")):
                    yield f"{name}.{member}", function


def test_type_hints_can_be_read_of_everything_public() -> None:
    names = []
    for name, value in public_callables():
        hints = typing.get_type_hints(value)
        if not inspect.isclass(value) and value.__module__.startswith("anydim"):  # an IntEnum's methods are Python's
            assert "return" in hints, name
        names.append(name)
    assert {"InferenceSession.run", "Engine.convolution", "Engine.info", "State.step", "Memory.__init__"} <= set(names)


def test_run_is_typed() -> None:
    said = str(typing.get_type_hints(anydim.InferenceSession.run)["return"])
    assert "ndarray" in said or "NDArray" in said, said  # NumPy's name for it changed


@pytest.mark.parametrize(
    ("words", "enum"),
    [
        (option_words.ReuseWord, _enums.Reuse),
        (option_words.MathWord, _enums.Math),
        (option_words.PassesWord, _enums.Passes),
    ],
)
def test_words_of_options_are_those_of_the_library(words: Any, enum: Any) -> None:
    assert set(typing.get_args(words)) == {e.name.lower() for e in enum if e.name != "INHERIT"}


def test_words_of_operators_are_those_of_the_library() -> None:
    found = 0
    for name, enum in inspect.getmembers(_operator_enums, inspect.isclass):
        words = getattr(_operators, f"{name}Word", None)
        if words is not None:
            assert set(typing.get_args(words)) == {e.name.lower() for e in enum}, name
            found += 1
    assert found > 15
