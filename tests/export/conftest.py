# SPDX-License-Identifier: Apache-2.0
"""A folder for what the tests of one file export."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("export")
