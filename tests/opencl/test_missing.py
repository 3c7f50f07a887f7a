# SPDX-License-Identifier: Apache-2.0
"""Machines without OpenCL: a status and a sentence that says what to install, and everything else works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build")) / "bin" / "anydim"
ASK = """
import anydim
print(anydim.Engine.devices("opencl"))
try:
    anydim.Engine("opencl")
except anydim.NotFoundError as e:
    print(e)
print(anydim.Engine("cpu").info()["threads"] > 0)
"""


def ask(tmp_path: Path, **variables: str) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OCL_")} | variables
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    devices, *sentence, threads = done.stdout.splitlines()
    assert devices == "[]" and threads == "True", done.stdout
    listed = subprocess.run([PROGRAM, "opencl", "list"], env=environment, capture_output=True, text=True, timeout=120)
    assert listed.returncode == 1 and "no OpenCL device" in listed.stdout, listed.stdout + listed.stderr
    return sentence


def test_without_a_driver(tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    sentence = ask(tmp_path, OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert len(sentence) == 1 and "pocl-opencl-icd" in sentence[0]


def test_without_a_loader(tmp_path: Path) -> None:
    (tmp_path / "libOpenCL.so.1").write_text("no library\n")
    sentence = ask(tmp_path, LD_LIBRARY_PATH=str(tmp_path))
    assert len(sentence) == 1 and "ocl-icd-libopencl1" in sentence[0]
