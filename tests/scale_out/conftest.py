# SPDX-License-Identifier: Apache-2.0
"""The images, what one process makes of them, the file of packed weights, and the engines, each once for all tests of this folder."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import clusters
import pytest
import workload
from pyspark.sql import SparkSession


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--images", type=int, default=2000, help="how many images; fewer for a quick look")


@pytest.fixture(scope="session")
def images(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> workload.Images:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    return workload.Images.made(tmp_path_factory.mktemp("images"), seed, pytestconfig.getoption("--images"))


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Where nothing is yet: the first worker makes it."""
    return tmp_path / "rec.packed"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with clusters.spark() as session:
        yield session


@pytest.fixture(scope="session")
def ray_machine() -> Iterator[None]:
    with clusters.ray_machine():
        yield
