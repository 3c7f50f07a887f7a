# SPDX-License-Identifier: Apache-2.0
"""The version of a program of Rust's toolchain, for what runs cargo: one that is missing or does not run ends the caller with one
sentence. rustup leaves such a cargo on the PATH while no toolchain is chosen."""

from __future__ import annotations

import shutil
import subprocess
import sys


def version(tool: str) -> str:
    """What `tool --version` prints, such as "cargo 1.96.0 (...)"."""
    place = shutil.which(tool)
    if place is None:
        sys.exit(f"{tool} is not installed: tools/setup rust")
    try:
        done = subprocess.run([tool, "--version"], capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"{tool} ({place}) does not run: {error}; see tools/setup rust")
    if done.returncode != 0 or not done.stdout.startswith(tool):
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        sys.exit(f"{tool} ({place}) does not run: {said[0]}; see tools/setup rust")
    return done.stdout.strip()
