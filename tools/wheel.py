# SPDX-License-Identifier: Apache-2.0
"""Makes dist/anydim-*.whl and installs it in the environment that runs this program, unless both are already there for
exactly these sources. The wheel shares the folder build/ with `make build`, and its settings, so nothing is compiled twice,
and what `make install` installs is there after either.
Of what lies in dist/ it replaces the wheels that it made before, which are for this machine alone; crates and wheels for other machines stay.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from source_digest import ROOT, digest

sys.path.insert(0, str(ROOT / "packaging"))
import sbom

SOURCES = (
    "CMakeLists.txt",
    "cmake",
    "tools/fetch_sqlite.py",
    "pyproject.toml",
    "README.md",
    "core",
    "onnx",
    "capi",
    "cli",
    "bindings/onnxruntime",
    "bindings/python",
    "packaging",
)

# A line of ninja's progress.
STEP = re.compile(r"\s*\[\d+/\d+\] ")


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, cwd=ROOT, check=True)


def own(dist: Path) -> list[Path]:
    """The wheels of this program: pip gives them the platform `linux`, which says nothing of other machines."""
    return sorted(dist.glob("anydim-*-linux_*.whl"))


def replace_own(made: Path, dist: Path) -> Path:
    """Puts the wheel into dist/ in the place of the earlier ones."""
    dist.mkdir(exist_ok=True)
    for old in own(dist):
        old.unlink()
    return Path(shutil.move(made, dist / made.name))


def build(folder: Path) -> Path:
    """pip wheel, which says nothing for minutes or everything: the compiler's steps are shown, the rest if it fails."""
    command = [
        sys.executable, "-m", "pip", "--disable-pip-version-check", "--verbose", "wheel", "--no-build-isolation", "--no-deps",
        "--config-settings=cmake.define.ANYDIM_TOGETHER=ON", "--config-settings=cmake.define.ANYDIM_ONNXRUNTIME=ON",
        "--wheel-dir", str(folder), ".",
    ]  # fmt: skip
    # The files in it are as old as the commit, so that one commit makes the same bytes every time.
    dated = {"SOURCE_DATE_EPOCH": str(sbom.moment()), **os.environ}
    process = subprocess.Popen(
        command, cwd=ROOT, env=dated, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if STEP.match(line):
            print(line.strip(), flush=True)
    if process.wait() != 0:
        print("".join(lines[-200:]), end="")
        raise SystemExit("wheel: pip failed; its last lines are above")
    (made,) = own(folder)
    return made


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    dist = ROOT / "dist"
    # The stamp lies in the environment: a fresh one has nothing installed.
    stamp = Path(sys.prefix) / f".anydim-{digest(*SOURCES)}"
    wheels = own(dist)
    if stamp.exists() and len(wheels) == 1:
        print(f"wheel: {wheels[0].relative_to(ROOT)} is up to date and installed")
        return
    print("wheel: building", flush=True)
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="wheel-") as folder:
        wheel = replace_own(build(Path(folder)), dist)
    pip("install", "--no-deps", "--force-reinstall", str(wheel))
    for old in Path(sys.prefix).glob(".anydim-*"):
        old.unlink()
    stamp.touch()
    print(f"wheel: {wheel.relative_to(ROOT)} ({wheel.stat().st_size / 2**20:.1f} MB), installed in {sys.prefix}")


if __name__ == "__main__":
    main()
