# SPDX-License-Identifier: Apache-2.0
"""The wheels are made before they are counted: nothing is compiled twice, and what ships is of these sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))  # tests import their neighbours by name


def pytest_sessionstart(session: pytest.Session) -> None:
    if not session.config.option.collectonly:
        subprocess.run([sys.executable, str(ROOT / "tools" / "wheels.py")], check=True)
