# SPDX-License-Identifier: Apache-2.0
"""packaging/third_party.toml lists all third-party code that we compile in, and nothing else; the pages made from it have the texts."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import licences  # noqa: E402

# Folders of what ships, with the kinds of parts that they may have.
SHIPPED = {
    "core": ("component", "source"),
    "onnx": ("component", "source"),
    "capi": ("component", "source"),
    "cli": ("component", "source", "program"),
    "bindings/python": ("component", "source", "wheel"),
}
INCLUDE = re.compile(r"^\s*#\s*include\s+<([\w/.+-]+)>", re.MULTILINE)
# Headers with an extension or a folder are no standard C++ ones; these are the C library's, the compiler's, or our own.
SYSTEM = re.compile(
    r"^(?:sys|linux|asm|anydim)/|^[a-z0-9_]+$|^(?:\w*intrin|cpuid|stdint|stddef|string|math|time|malloc|link|pwd|dirent|unistd|fcntl|sched|pthread|dlfcn|signal|semaphore|arm_neon)\.h$"
)


def includes(folder: str) -> set[str]:
    found: set[str] = set()
    for path in (ROOT / folder).rglob("*"):
        if path.suffix in {".h", ".hpp", ".cpp", ".c"} and not re.search(
            r"_test\.|_bench\.|/bench_|/testing/|/tests/", str(path)
        ):
            found |= set(INCLUDE.findall(path.read_text(encoding="utf-8")))
    return {name for name in found if not SYSTEM.search(name)}


def listed() -> dict[str, list[str]]:
    with open(licences.LISTED, "rb") as file:
        by_kind = tomllib.load(file)
    return {kind: [name for part in parts for name in part["include"]] for kind, parts in by_kind.items()}


@pytest.mark.parametrize("folder", SHIPPED)
def test_what_is_included_is_listed(folder: str) -> None:
    allowed = [name for kind in SHIPPED[folder] for name in listed()[kind]]
    unlisted = {name for name in includes(folder) if name not in allowed and name.split("/")[0] not in allowed}
    assert not unlisted, f"{folder} includes what packaging/third_party.toml does not list: {sorted(unlisted)}"


def test_what_is_listed_is_included() -> None:
    used = {part for folder in SHIPPED for name in includes(folder) for part in (name, name.split("/")[0])}
    useless = {name for names in listed().values() for name in names} - used
    assert not useless, f"nothing includes {sorted(useless)}"


@pytest.mark.parametrize("artifact", licences.KINDS)
def test_a_page_has_the_version_and_text_of_every_part(artifact: str) -> None:
    page = licences.page(artifact)
    for part in licences.parts(artifact):
        version, text = licences.version_and_text(part)
        assert f"- {part['name']} {version} ({part['spdx']})" in page
        assert len(text) > 100 and text.strip() in page


def test_a_part_that_is_not_on_this_machine_is_reported() -> None:
    with pytest.raises(licences.Unknown, match="no-such-package"):
        licences.of_debian("no-such-package")
