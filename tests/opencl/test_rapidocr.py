# SPDX-License-Identifier: Apache-2.0
"""RapidOCR's own unmodified code on an OpenCL device reads what was drawn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import pytest
from drivers import ROOT, Driver
from pictures import album

READ_TEXT = ROOT / "demo" / "read_text.py"


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel"], indirect=True)
def test_rapidocr_reads_the_drawn_words(driver: Driver, tmp_path: Path) -> None:
    paths, words = [], []
    for picture in album(7, 2):
        paths.append(str(tmp_path / f"{picture.name}.png"))
        cv2.imwrite(paths[-1], picture.pixels)
        words.append(list(picture.words))
    command = [sys.executable, Path(__file__).parent / "rapidocr_child.py", READ_TEXT, *paths]
    environment = driver.environment(ANYDIM_AS_ONNXRUNTIME="1")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=1500)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert [list(image["words"]) for image in json.loads(lines[-1])["images"]] == words
    counts = [int(line.split()[1]) for line in lines if line.startswith("programs ")]
    assert counts and counts[-1] > 5, lines
