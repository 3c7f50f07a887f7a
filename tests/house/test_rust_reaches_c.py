# SPDX-License-Identifier: Apache-2.0
"""Rust reaches all of the C API: the crate anydim calls each function, or the description (capi/api) says what Rust has instead;
it sets each field of each struct of options; and each handle has a type that gives it up.
What Rust is without is named here. That calls which the generator writes are
used, and not only there, the compiler checks: nothing in edge/calls.rs may be dead code."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "capi"))
from generator import engine_kinds  # noqa: E402
from generator.description import Api, Field, Function, Param, Struct, load  # noqa: E402
from generator.operators import as_structs  # noqa: E402
from generator.operators import load as load_operators  # noqa: E402
from generator.spelling import camel  # noqa: E402

CRATE = ROOT / "bindings" / "rust" / "anydim" / "src"
CALLS = CRATE / "edge" / "calls.rs"
NOT_SET = {"reserved", "size"}
MISSING_STRUCTS = {"engine_definition"}  # of functions that Rust is without
# A result in Rust owns its memory, and so does an input's.
MISSING_FIELDS = {f"run_options.{name}" for name in ("aliases", "alias_count", "parts", "part_count")}
MISSING_FUNCTIONS = {
    # Engines from outside are written in C, and C programs load them (docs/engines-from-outside.md).
    "engine_register",
    "engine_load",
    "engine_unregister",
    # A program's own OpenCL objects: C and C++ have them (docs/opencl.md).
    "engine_create_in_opencl",
    "stream_create_in_opencl",
    "memory_import_opencl",
    # What `anydim export` translates (docs/export.md).
    "model_write_program",
}


def read(paths: Iterable[Path]) -> str:
    """Code alone: names in comments do not count."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def api() -> Api:
    operators = as_structs(load_operators(ROOT / "core" / "ops" / "described"))
    return load(ROOT / "capi" / "api", *operators, engine_kinds.as_enum_values(engine_kinds.load()))


@pytest.fixture(scope="module")
def crate() -> str:
    return read(path for path in CRATE.rglob("*.rs") if path != CALLS)


def instead(function: Function) -> list[str]:
    """What Rust has in place of a function, as `Type::name`."""
    return re.findall(r"`(\w+::\w+)`", function.bindings.get("rust", ""))


def unreached(api: Api, crate: str, calls: str) -> list[str]:
    """Functions of C that a program in Rust has no way to."""
    found = []
    for function in api.functions:
        if function.deprecated or function.name in MISSING_FUNCTIONS:  # another one took its place, or Rust is without
            continue
        if "rust" in function.bindings:
            names = instead(function)
            if not names or not all(re.search(rf"\bfn {name.split('::')[1]}\b", crate) for name in names):
                found.append(
                    f"{function.name}: the description names {function.bindings['rust']!r}, which is not there"
                )
        elif function.destroys:
            kind = f"{camel(function.destroys)}Handle"
            if len(re.findall(rf"\b{kind}\b", crate)) < 2:
                found.append(f"{function.name}: nothing has a {kind}")
        elif not re.search(rf"\bsys::anydim_{function.name}\(", crate):
            called = re.search(rf"\bcalls::{function.name}\b", crate)
            written = re.search(rf"\bfn {function.name}\(", calls)
            inside = len(re.findall(rf"\b{function.name}\(", calls)) > 1 or re.search(rf"\b{function.name}\b", crate)
            if not written or not (called or inside):
                found.append(f"{function.name}: not called")
    return found


def unset(api: Api, crate: dict[str, str]) -> list[str]:
    """Fields of options that no program in Rust can set."""
    found = []
    for struct in (s for s in api.structs if s.kind == "in"):
        users = [text for text in crate.values() if f"sys::anydim_{struct.name}_t" in text]
        for f in struct.fields:
            if struct.name in MISSING_STRUCTS or f"{struct.name}.{f.name}" in MISSING_FIELDS:
                continue
            if f.name not in NOT_SET and not any(re.search(rf"\.{f.name} = ", text) for text in users):
                found.append(f"{struct.name}.{f.name}")
    return found


def sources() -> dict[str, str]:
    return {str(path): read([path]) for path in CRATE.rglob("*.rs")}


def test_every_function_of_c_has_its_place_in_rust(api: Api, crate: str) -> None:
    assert len(api.functions) > 120
    assert not unreached(api, crate, read([CALLS]))


def test_what_rust_is_without_is_what_the_description_says(api: Api) -> None:
    assert {f.name for f in api.functions if f.bindings.get("rust") == "skip" and not f.deprecated} == MISSING_FUNCTIONS


def test_every_option_of_c_can_be_set_in_rust(api: Api) -> None:
    assert not unset(api, sources())


def test_calls_that_nothing_uses_are_reported_by_the_compiler() -> None:
    """Clippy runs with -D warnings (tests/rust/run.py), and dead code is one."""
    assert "dead_code" not in CALLS.read_text(encoding="utf-8")
    assert "dead_code" not in (CRATE / "lib.rs").read_text(encoding="utf-8")
    assert re.search(r'"clippy",.*"-D", "warnings"', (ROOT / "tests" / "rust" / "run.py").read_text(encoding="utf-8"))


def test_a_function_or_an_option_that_is_new_in_c_is_missed(api: Api, crate: str) -> None:
    """The control: none of these is in Rust."""
    status = Param("x", "int32", "A number.")
    planted = [
        Function("engine_polish", 900, "experimental", "New.", [status]),
        Function("engine_wax", 901, "experimental", "New.", bindings={"rust": "`Engine::wax`"}),
        Function("engine_rub", 902, "experimental", "New.", bindings={"rust": "skip"}),
        Function("brush_destroy", 903, "experimental", "New.", destroys="brush"),
    ]
    module = api.modules[0]
    kept = list(module.functions), list(module.structs)
    module.functions += planted
    module.structs.append(Struct("stream_options", "in", "New.", [Field("gloss", "int32", "New.")]))
    try:
        assert [line.split(":")[0] for line in unreached(api, crate, read([CALLS]))] == [f.name for f in planted]
        assert unset(api, sources()) == ["stream_options.gloss"]
    finally:
        module.functions[:], module.structs[:] = kept
