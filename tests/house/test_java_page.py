# SPDX-License-Identifier: Apache-2.0
"""docs/reference/java.md is true: the methods that it names are there for everybody, and the classes call the function that they stand for.
That every function of the C API is in it, the generator checks (capi/generator/java_page.py)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLASSES = ROOT / "bindings" / "java" / "src" / "main" / "java" / "org" / "anydim"
sys.path.insert(0, str(ROOT / "capi"))
from generator.java_page import BY_ITSELF, DATA, METHODS, REASONS  # noqa: E402
from generator.spelling import lower_camel  # noqa: E402

WRITTEN = {p.stem: p.read_text(encoding="utf-8") for p in CLASSES.glob("*.java") if p.stem != "NativeCalls"}


def source_of(name: str) -> str:
    """Of a class, of what it extends, and of a class within one."""
    text = WRITTEN[name.split(".")[0]]
    if "." in name:
        inner = re.search(
            rf"^  public static final class {name.split('.')[1]}\b.*?^  \}}$", text, re.DOTALL | re.MULTILINE
        )
        assert inner, name
        text = inner[0]
    above = re.search(r"\bclass \w+(?:<[^{]*?>)? extends (\w+)", text)
    return text + (source_of(above[1]) if above and above[1] in WRITTEN else "")


def is_there(method: str) -> bool:
    owner, _, name = method.rpartition(".")
    if name == "new":
        return re.search(rf"^  public {owner}\(", source_of(owner), re.MULTILINE) is not None
    if (owner, name) == ("Status", "toString"):  # which an enum has by itself
        return True
    return re.search(rf"^ +(?:public |static )+[\w.<>\[\], @]+ {name}\(", source_of(owner), re.MULTILINE) is not None


def is_called(function: str) -> bool:
    name = lower_camel(function)
    return any(re.search(rf"\bNativeCalls(?:\.|::){name}\b", text) for text in WRITTEN.values())


def test_the_methods_that_the_page_names_are_there() -> None:
    assert not [method for methods in METHODS.values() for method in methods.split() if not is_there(method)]
    assert not is_there("Session.fly"), "the control"


def test_what_java_has_calls_its_function_and_what_it_lacks_is_not_called() -> None:
    assert not [function for function in METHODS if function not in BY_ITSELF and not is_called(function)]
    # Errors, texts and plain data are freed by the methods of others.
    beside = {"text_get_data", "text_destroy", "last_error", "last_error_query"}
    beside |= {f for f in REASONS if REASONS[f] == DATA}
    assert not [function for function in REASONS if function not in beside and is_called(function)]
