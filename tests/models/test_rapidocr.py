# SPDX-License-Identifier: Apache-2.0
"""RapidOCR's own unmodified code on Anydim reads what was drawn, as it does on ONNX Runtime, by each of the two ways of
switching: the module on the command line and the environment variable; in math mode fast, too. With quantized models it reads almost
all of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cv2
import pytest
from conftest import ROOT
from pictures import album

READ_TEXT = str(ROOT / "demo" / "read_text.py")
# Runs a program whose sessions are in math mode fast.
IN_MODE_FAST = """
import functools, runpy, sys
import anydim
anydim.InferenceSession.__init__ = functools.partialmethod(anydim.InferenceSession.__init__, math="fast")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
WAYS = {
    "onnxruntime": ([], {}),
    "anydim by module": (["-m", "anydim.compat.onnxruntime"], {}),
    "anydim by environment": ([], {"ANYDIM_AS_ONNXRUNTIME": "1"}),
    "anydim in mode fast": (["-c", IN_MODE_FAST], {"ANYDIM_AS_ONNXRUNTIME": "1"}),
}


@pytest.fixture(scope="module")
def images(seed: int, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, tuple[str, ...]]]:
    folder = tmp_path_factory.mktemp("images")
    drawn = []
    for picture in album(seed, 4):
        path = folder / f"{picture.name}.png"
        cv2.imwrite(str(path), picture.pixels)
        drawn.append((str(path), picture.words))
    return drawn


@pytest.mark.parametrize("way", WAYS)
def test_rapidocr_reads_the_drawn_words(way: str, images: list[tuple[str, tuple[str, ...]]], tmp_path: Path) -> None:
    options, environment = WAYS[way]
    command = [sys.executable, *options, READ_TEXT, *(path for path, _ in images)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["engine"].split()[0] == way.split()[0]
    assert [tuple(image["words"]) for image in answer["images"]] == [words for _, words in images]


@pytest.mark.long
def test_quantized_models_read_the_drawn_words(seed: int) -> None:
    command = [sys.executable, str(ROOT / "examples" / "quantize.py"), "--seed", str(seed), "--calibrate", "12"]
    done = subprocess.run([*command, "--read", "12"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    drawn = int(re.search(r"of (\d+) words", done.stdout).group(1))
    right = {
        (form, engine): int(count)
        for form, engine, count in re.findall(r"^(float|quantized) +(ONNX Runtime|Anydim) +(\d+) ", done.stdout, re.M)
    }
    assert len(right) == 4
    assert right["float", "Anydim"] == right["float", "ONNX Runtime"] == drawn
    assert right["quantized", "Anydim"] >= 0.9 * drawn, done.stdout
