# SPDX-License-Identifier: Apache-2.0
"""Debian 12's Python and Java for 64-bit ARM, unpacked into a folder, and how a program of it is started under qemu. Nothing is installed
on this machine, and its own list of packages is left alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ROOT / "build" / "cross" / "debian-arm64"
PACKAGES = (
    "libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8", "libbz2-1.0", "liblzma5",
    "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib",
    "openjdk-17-jre-headless",
)  # fmt: skip
QEMU = "qemu-aarch64-static"
PYTHON = "usr/bin/python3.11"
JAVA = "usr/lib/jvm/java-17-openjdk-arm64/bin/java"


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{command}:\n{done.stdout[-4000:]}"


def system() -> Path:
    """The folder, with the packages in it."""
    stamp = SYSTEM / "packages"
    if stamp.is_file() and stamp.read_text(encoding="utf-8").split() == list(PACKAGES):
        return SYSTEM
    shutil.rmtree(SYSTEM, ignore_errors=True)
    lists, archives = SYSTEM / "apt" / "lists" / "partial", SYSTEM / "apt" / "archives"
    for folder in (lists, archives):
        folder.mkdir(parents=True)
    options = ["-oAPT::Architecture=arm64", "-oAPT::Architectures=arm64", f"-oDir::State::Lists={lists.parent}"]
    options += [f"-oDir::Cache={SYSTEM / 'apt'}", "-oDebug::NoLocking=1", "-oAPT::Sandbox::User=root"]
    run(["apt-get", *options, "-qq", "update"], archives)
    run(["apt-get", *options, "-qq", "download", *PACKAGES], archives)
    for archive in sorted(archives.glob("*.deb")):
        run(["dpkg", "-x", str(archive), str(SYSTEM)], archives)
    shutil.rmtree(SYSTEM / "apt")
    # Java's settings are links into /etc, which is this machine's: they are to lie in the folder.
    for link in (path for path in (SYSTEM / "usr" / "lib" / "jvm").rglob("*") if path.is_symlink()):
        target = os.readlink(link)
        if target.startswith("/"):
            link.unlink()
            if (SYSTEM / target[1:]).exists():
                link.symlink_to(SYSTEM / target[1:])
    stamp.write_text("\n".join(PACKAGES), encoding="utf-8")
    return SYSTEM


def command(program: str, *arguments: str) -> list[str]:
    """How a program of the folder is started."""
    return [QEMU, "-L", str(SYSTEM), str(SYSTEM / program), *arguments]
