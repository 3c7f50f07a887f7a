# SPDX-License-Identifier: Apache-2.0
"""docs/kernels.md lists the kernels that the library has, in their order."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import kernels_page  # noqa: E402


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the page is that of x86-64")
def test_the_page_is_the_list_of_this_build() -> None:
    assert kernels_page.PROGRAM.exists(), "build/bin/anydim: build first"
    operators = kernels_page.listed()
    assert len(operators) > 50 and sum(len(o["kernels"]) for o in operators) > 200
    assert kernels_page.page(operators) == kernels_page.PAGE.read_text(encoding="utf-8"), (
        "docs/kernels.md is not what the library has: python tools/kernels_page.py"
    )
