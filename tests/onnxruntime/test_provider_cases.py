# SPDX-License-Identifier: Apache-2.0
"""Every node case of the `onnx` package that ONNX Runtime passes, passes with the provider; how much of each is claimed is in
claimed.txt. And the provider in other versions of ONNX Runtime, from the package index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from node_cases import collect
from provider_cases import claims_of, read_claimed, run_all

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("1.23.2", "1.24.4")


@pytest.mark.long
def test_no_node_case_is_lost() -> None:
    outcomes = run_all([case.name for case in collect()], len(os.sched_getaffinity(0)))
    lost = [f"{o.case}: {o.beside}" for o in outcomes if o.beside]
    assert not lost, "\n".join(lost)
    assert len(claims_of(outcomes)) >= len(read_claimed()), "ONNX Runtime passed more of them"
    rank = {"none": 0, "some": 1, "all": 2}
    found = claims_of(outcomes)
    less = [case for case, claimed in read_claimed().items() if rank[found.get(case, "none")] < rank[claimed]]
    assert not less, f"less of them is claimed than claimed.txt says: {less}"


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_other_versions_of_onnx_runtime(version: str) -> None:
    """The tests of test_provider.py and test_provider_processes.py, with that version before the one that is installed."""
    folder = ROOT / "build" / "onnxruntime" / version
    if not folder.exists():
        install = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--target",
            str(folder),
        ]
        subprocess.run([*install, f"onnxruntime=={version}"], check=True)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    }
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *(str(Path(__file__).with_name(name)) for name in ("test_provider.py", "test_provider_processes.py")),
    ]
    shown = [sys.executable, "-c", "import onnxruntime; print(onnxruntime.__version__)"]
    assert subprocess.run(shown, env=environment, capture_output=True, text=True, check=True).stdout.strip() == version
    done = subprocess.run(tests, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
