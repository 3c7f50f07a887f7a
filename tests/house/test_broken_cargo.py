# SPDX-License-Identifier: Apache-2.0
"""A cargo that is on the PATH and does not run (rustup's without a toolchain) is named in one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "script", ["tools/crates.py", "tests/rust/run.py", "tests/rust/miri.py", "tests/consumers/crates.py"]
)
@pytest.mark.parametrize("text", ["#!/bin/sh\necho 'no default toolchain is set' >&2\nexit 1\n", "#!/bin/sh\n"])
def test_it_is_named_without_a_traceback(tmp_path: Path, script: str, text: str) -> None:
    for tool in ("cargo", "rustc"):
        (tmp_path / tool).write_text(text, encoding="utf-8")
        (tmp_path / tool).chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, ROOT / script], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done
    assert f"cargo ({tmp_path}/cargo) does not run: " in done.stderr, done.stderr
