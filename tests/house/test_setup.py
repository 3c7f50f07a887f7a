# SPDX-License-Identifier: Apache-2.0
"""Who installs what: `make setup`, `make demo` and `make test` install what is missing, the other commands say what is missing and which
command installs it, and ANYDIM_SETUP=no never installs. apt-get and others are programs of the test's here. CMake's sentence about
missing headers, too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A checkout's Makefile and setup, with programs that write down how they were called."""
    work = tmp_path / "checkout"
    (work / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", work)
    for file in [ROOT / "tools" / "setup", *(ROOT / "tools").glob("*.txt")]:
        shutil.copy(file, work / "tools")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("apt-get", "dpkg-query", "sudo", "python", "cmake", "cargo"):
        text = f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/calls"\n'
        # No package is installed; sudo runs what it is given; a virtual environment is a folder.
        text += {
            "dpkg-query": "exit 1\n",
            "sudo": 'shift; exec "$@"\n',
            "python": 'if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi\n',
        }.get(name, "")
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    return work


def make(place: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    """The exit status of a command, what it shows, and how it called programs."""
    calls = place.parent / "calls"
    calls.unlink(missing_ok=True)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "MAKE", "MFLAGS"))}
    path = f"{place.parent / 'programs'}:/usr/local/bin:/usr/bin:/bin"
    command = ["make", "--no-print-directory", "PYTHON=python", *words]
    done = subprocess.run(
        command, cwd=place, env=inherited | {"PATH": path} | variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr, calls.read_text(encoding="utf-8") if calls.exists() else ""


@pytest.mark.parametrize("command", ["library", "wheel", "java", "rust", "install", "test-all"])
def test_other_commands_say_what_is_missing_and_install_nothing(place: Path, command: str) -> None:
    status, shown, calls = make(place, command)
    assert status != 0 and "setup: missing: Debian packages" in shown
    (by,) = re.findall(r"`(make setup FOR=[a-z-]+)` installs it", shown)
    assert "apt-get" not in calls and "-m pip" not in calls
    # The command that it names installs it.
    status, shown, calls = make(place, *by.split()[1:])
    assert status == 0 and "apt-get install" in calls, shown


@pytest.mark.parametrize("command", ["setup", "demo", "test"])
def test_setup_and_the_commands_of_readme_install_what_is_missing(place: Path, command: str) -> None:
    status, shown, calls = make(place, command)
    assert status == 0, shown
    assert "apt-get update" in calls and "libprotozero-dev" in calls and "-m pip" in calls
    assert "setup: installing Debian packages with apt-get: g++" in shown, "it says what it installs"
    assert "setup: installing into .venv the Python packages of tools/requirements-build.txt:" in shown


@pytest.mark.parametrize("command", ["setup", "demo", "test", "wheel"])
def test_nothing_is_installed_where_the_user_forbids_it(place: Path, command: str) -> None:
    status, shown, calls = make(place, command, ANYDIM_SETUP="no")
    assert status != 0 and "setup: missing: " in shown
    assert "apt-get" not in calls and "-m pip" not in calls and "-m venv" not in calls


@pytest.mark.parametrize("command", ["format", "lint"])
def test_format_and_lint_never_ask_for_debian_packages(place: Path, command: str) -> None:
    status, shown, calls = make(place, command)
    assert status != 0 and "missing: in .venv" in shown and f"`make setup FOR={command}`" in shown
    assert "dpkg-query" not in calls and "apt-get" not in calls


def test_a_failing_installation_shows_its_output(place: Path) -> None:
    apt = place.parent / "programs" / "apt-get"
    apt.write_text("#!/bin/sh\necho E: no such host\nexit 100\n", encoding="utf-8")
    status, shown, _ = make(place, "setup")
    assert status != 0 and "E: no such host" in shown and "build/setup.log" in shown


def test_cmake_names_the_libraries_whose_headers_are_missing(tmp_path: Path) -> None:
    project = tmp_path / "CMakeLists.txt"
    project.write_text(
        f"""cmake_minimum_required(VERSION 3.25)
project(missing LANGUAGES CXX)
include("{ROOT}/cmake/dependencies.cmake")
list(APPEND anydim_dependencies "imaginary|imaginary/first|libimaginary-dev|" "other|other/second|libother-dev|")
anydim_find_dependencies()
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build"], capture_output=True, text=True, check=False
    )
    said = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert (
        "missing of: imaginary (<imaginary/first>, Debian: libimaginary-dev), other (<other/second>, Debian: libother-dev)."
        in said
    )
    assert "`make setup` installs them" in said
    # A folder that only the compiler's flags name is seen, as in the packages of other languages.
    for name in ("imaginary/first", "other/second"):
        header = tmp_path / "flags" / name
        header.parent.mkdir(parents=True)
        header.touch()
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_CXX_FLAGS=-isystem{tmp_path}/flags"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
