# SPDX-License-Identifier: Apache-2.0
"""`anydim opencl warm` compiles what a model needs, with a bar of progress on a terminal; later processes compile nothing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from drivers import ROOT, Driver

PROGRAM = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build")) / "bin" / "anydim"


def warm(driver: Driver, *model: Path, **variables: str) -> tuple[dict[str, float], str]:
    """What it prints, and what it shows on its terminal meanwhile."""
    terminal, shown = pty.openpty()
    done = subprocess.run(
        [PROGRAM, "opencl", "warm", "--json", *model],
        env=driver.environment(**variables),
        stdout=subprocess.PIPE,
        stderr=shown,
        timeout=1200,
    )
    os.close(shown)
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(terminal)
    assert done.returncode == 0, text
    return json.loads(done.stdout), text.decode()


def test_warm_compiles_and_shows_how_far_it_is(driver: Driver, tmp_path: Path) -> None:
    model = ROOT / "tests" / "vectors" / "models" / "conv_relu.onnx"
    told, shown = warm(driver, model)
    assert told["compiled"] > 0 and "compiling [" in shown, (told, shown)
    again, _ = warm(driver, model)
    assert again["compiled"] == 0 and again["loaded"] == told["compiled"]


# It may have no time (a loaded machine used up its seconds) or be off: what was compiled is stored all the same.
def test_what_is_compiled_is_stored_without_the_background_worker(driver: Driver) -> None:
    model = ROOT / "tests" / "vectors" / "models" / "conv_relu.onnx"
    told, _ = warm(driver, model, ANYDIM_WORKER_SECONDS="0")
    assert told["compiled"] > 1, told
    again, _ = warm(driver, model)
    assert again["compiled"] == 0 and again["loaded"] == told["compiled"], again


@pytest.mark.long
def test_what_is_warm_without_a_model_is_enough_for_every_model(driver: Driver, models: Path) -> None:
    told, shown = warm(driver)
    assert told["compiled"] > 50 and told["without_kernel"] == 0 and "compiling [" in shown, (told, shown)
    for model, shape in (("cls", "1,3,48,192"), ("rec", "1,3,48,160"), ("det", "1,3,64,96"), ("yolo", "1,3,64,96")):
        first = driver.run(models / f"{model}.onnx", "opencl", shape, "--alone")
        assert first["programs"]["programs_compiled"] == 0, (model, first["programs"])
