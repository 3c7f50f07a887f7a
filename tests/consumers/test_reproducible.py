# SPDX-License-Identifier: Apache-2.0
"""The wheel and the jar of one commit are the same bytes, built twice from fresh clones in folders of other names, at other times. Compiles
everything twice, without a compiler cache: for make test-all."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build(commit: str, folder: Path) -> dict[str, Path]:
    """The artifacts of a fresh clone at a commit."""
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(ROOT), str(folder)], check=True)
    subprocess.run(["git", "checkout", "-q", commit], cwd=folder, check=True)
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()
    variables = {**os.environ, "SOURCE_DATE_EPOCH": epoch, "CCACHE_DISABLE": "1"}
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "-w", "dist", "."]
    # Many files as one, as `make wheel` compiles them.
    subprocess.run([*pip, "--config-settings=cmake.define.ANYDIM_TOGETHER=ON"], cwd=folder, env=variables, check=True)
    subprocess.run([sys.executable, "tools/java.py", "package"], cwd=folder, env=variables, check=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    (jar,) = (
        p
        for p in (folder / "build" / "java" / "target").glob("anydim-*.jar")
        if not p.stem.endswith(("sources", "javadoc"))
    )
    return {"wheel": wheel, "jar": jar}


def different(one: Path, other: Path) -> list[str]:
    """Files inside that differ, for the message."""
    with zipfile.ZipFile(one) as a, zipfile.ZipFile(other) as b:
        names = sorted({*a.namelist(), *b.namelist()})
        inside = [n for n in names if n not in a.namelist() or n not in b.namelist() or a.read(n) != b.read(n)]
        return inside or [f"only times or order: {[(i.filename, i.date_time) for i in a.infolist()][:3]}"]


@pytest.mark.long
def test_wheel_and_jar_of_one_commit_are_the_same_bytes(tmp_path: Path) -> None:
    # Said once: somebody may commit meanwhile.
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    first = build(commit, tmp_path / "first")
    time.sleep(2.1)  # times in a zip file have steps of two seconds
    second = build(commit, tmp_path / "a" / "folder-of-another-name")
    for kind, path in first.items():
        same = hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(second[kind].read_bytes()).digest()
        assert same, f"{kind}: {different(path, second[kind])}"
