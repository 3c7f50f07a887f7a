# SPDX-License-Identifier: Apache-2.0
"""A driver that is not there skips its tests, which say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from drivers import DRIVERS, ROOT, Driver, aborts


@pytest.fixture
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Driver:
    """The driver that a test names, with caches of its own."""
    found = DRIVERS[getattr(request, "param", "pocl")](tmp_path)
    if found is None:
        pytest.skip("no OpenCL platform")
    if why := aborts(found):
        pytest.skip(f"the OpenCL driver {found.name} ends the process: {why}")
    return found


@pytest.fixture(scope="session")
def models() -> Path:
    folder: Path = ROOT / "build" / "models"
    if not (folder / "yolo.onnx").exists():
        pytest.fail("the models are not there: make models")
    return folder
