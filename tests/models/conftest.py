# SPDX-License-Identifier: Apache-2.0
"""What the whole-model tests share: the seed of this run (drawn, printed, repeatable), the models, the engines."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import anydim
import cut
import numpy as np
import onnxruntime
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build" / "models"
SEED = int(os.environ.get("ANYDIM_SEED") or secrets.randbelow(10**9))


def pytest_report_header() -> str:
    return (
        f"seed {SEED} (ANYDIM_SEED={SEED} repeats this run); anydim {anydim.__version__}, "
        f"onnxruntime {onnxruntime.__version__}"
    )


@pytest.fixture(scope="session")
def seed() -> int:
    return SEED


@pytest.fixture(scope="session")
def folder() -> Path:
    if not (FOLDER / "yolo.onnx").exists():
        pytest.fail("the models are not there: make models")
    return FOLDER


@dataclass(frozen=True)
class Pair:
    """One model, with its logits as further outputs, in both engines."""

    model: bytes
    names: list[str]  # outputs, logits last
    ours: anydim.InferenceSession
    theirs: onnxruntime.InferenceSession

    def run(self, x: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        feeds = {self.ours.get_inputs()[0].name: x}
        return self.ours.run(self.names, feeds), self.theirs.run(self.names, feeds)


@pytest.fixture(scope="session")
def pairs(folder: Path) -> dict[str, Pair]:
    made: dict[str, Pair] = {}
    for name in ("det", "rec", "cls", "yolo"):
        model, names = cut.with_logits(folder / f"{name}.onnx")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        theirs = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        made[name] = Pair(model, names, anydim.InferenceSession(model), theirs)
    return made
