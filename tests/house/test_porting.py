# SPDX-License-Identifier: Apache-2.0
"""docs/porting.md lists every file that asks something of the system beyond the C++ standard, and CMake refuses other systems."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "porting.md").read_text(encoding="utf-8")
# Headers of POSIX, Linux and the GNU C library.
SYSTEM = re.compile(
    r"^\s*#\s*include\s+<((?:sys|linux|asm|net|arpa)/\w+\.h|(?:unistd|fcntl|sched|pthread|dlfcn|signal|malloc|link|pwd|poll|dirent"
    r"|elf|execinfo|semaphore)\.h)>",
    re.MULTILINE,
)
FOLDERS = ("core", "onnx", "capi", "cli")


def asks_the_system(text: str) -> bool:
    return SYSTEM.search(text) is not None


def files() -> list[str]:
    found = []
    for path in (p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*"))):
        name = str(path.relative_to(ROOT))
        if path.suffix in {".h", ".cpp", ".c"} and not re.search(r"_test\.|_bench\.|/testing/", name):
            if asks_the_system(path.read_text(encoding="utf-8")):
                found.append(name)
    return found


def test_every_file_that_asks_something_of_the_system_is_listed() -> None:
    found = files()
    assert len(found) > 10, "hardly any was found"
    missing = [name for name in found if f"`{name}`" not in PAGE]
    assert not missing, f"not in docs/porting.md: {missing}"
    listed = re.findall(r"`((?:core|onnx|capi|cli)/[\w/.]+\.(?:cpp|h))`", PAGE)
    assert not set(listed) - set(found), f"docs/porting.md lists what asks nothing: {set(listed) - set(found)}"


@pytest.mark.parametrize("text", ["#include <sys/mman.h>\n", "# include <unistd.h>\n"])
def test_a_header_of_the_system_is_found(text: str) -> None:
    assert asks_the_system(text) and not asks_the_system("#include <vector>\n// <unistd.h>\n")


@pytest.mark.parametrize("system", ["Windows", "Darwin"])
def test_other_systems_are_refused_with_one_sentence(system: str, tmp_path: Path) -> None:
    cmake = shutil.which("cmake")
    assert cmake is not None
    command = [cmake, "-S", str(ROOT), "-B", str(tmp_path), f"-DCMAKE_SYSTEM_NAME={system}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    told = " ".join(done.stderr.split())
    assert f"Anydim builds for Linux, and this is {system}: docs/porting.md lists what would have to change." in told
