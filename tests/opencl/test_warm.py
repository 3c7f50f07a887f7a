# SPDX-License-Identifier: Apache-2.0
"""`anydim opencl warm` compiles what a model needs, with a bar of progress on a terminal; later processes compile nothing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

from drivers import ROOT, Driver

PROGRAM = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build")) / "bin" / "anydim"


def warm(driver: Driver, model: Path) -> tuple[dict[str, float], str]:
    """What it prints, and what it shows on its terminal meanwhile."""
    terminal, shown = pty.openpty()
    done = subprocess.run(
        [PROGRAM, "opencl", "warm", "--json", model],
        env=driver.environment(),
        stdout=subprocess.PIPE,
        stderr=shown,
        timeout=600,
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
    assert told["compiled"] > 0 and "warm [" in shown, (told, shown)
    again, _ = warm(driver, model)
    assert again["compiled"] == 0 and again["loaded"] == told["compiled"]
