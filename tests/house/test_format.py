# SPDX-License-Identifier: Apache-2.0
"""C and C++ sources are as `make format` leaves them, so that a change shows what it changes and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLANG_FORMAT = Path(sys.executable).with_name("clang-format")
NAMES = ("*.h", "*.hpp", "*.c", "*.cpp")


def sources() -> list[str]:
    """Those in git; where there is none (a source archive), those in the project's folders."""
    listed = subprocess.run(["git", "ls-files", *NAMES], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split() if listed.returncode == 0 else []
    if not names:
        folders = ("core", "onnx", "capi", "cli", "bindings", "examples", "bench", "tests")
        names = [str(p.relative_to(ROOT)) for folder in folders for name in NAMES for p in (ROOT / folder).rglob(name)]
    return [name for name in names if "Generated" not in (ROOT / name).read_text(encoding="utf-8")]


def test_sources_are_formatted() -> None:
    names = sources()
    assert len(names) > 100
    command = [str(CLANG_FORMAT), "--dry-run", "-Werror", "--ferror-limit=1", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"run `make format`:\n{done.stderr[-3000:]}"
