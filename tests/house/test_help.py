# SPDX-License-Identifier: Apache-2.0
"""Every command of the repository says what it does: `make help`, and `--help` of each script, also with nothing but Python's own
library, before there is a .venv."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "bench/architectures", "demo", "tools", "tests/conformance", "tests/sanitizers")
# Programs that other programs start, and what they get instead of arguments.
STARTED = {
    "bench/worker.py": "a task on standard input, from bench/worker.py's measure()",
    "bench/stream_worker.py": "a task on standard input, from its own measure()",
    "bench/node_times.py": "a task on standard input, from its own profile()",
    "demo/read_text.py": "paths of images; it is a program for RapidOCR as anybody might write it",
    "tools/source_digest.py": "nothing; it prints the digest of the sources",
}


def scripts() -> list[str]:
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.py")):
            if '__name__ == "__main__"' in path.read_text(encoding="utf-8"):
                found.append(str(path.relative_to(ROOT)))
    return [name for name in found if name not in STARTED]


@pytest.mark.parametrize("script", scripts())
def test_a_script_lists_its_options_without_a_virtual_environment(script: str) -> None:
    # -S: no site-packages.
    done = subprocess.run([sys.executable, "-S", script, "--help"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("usage:") and len(done.stdout.splitlines()) > 4, done.stdout


def test_make_lists_every_command_that_people_call() -> None:
    done = subprocess.run(["make", "help"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()) - {"with-tests"}  # type: ignore[index]
    told = set(re.findall(r"^  ([a-z-]+) +\S", done.stdout, re.MULTILINE))
    assert told == targets, told ^ targets
