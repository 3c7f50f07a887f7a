# SPDX-License-Identifier: Apache-2.0
"""The installed library on a Debian system that has nothing: debootstrap makes one in a folder, with a C and C++ compiler, make,
pkg-config and what make install runs on. The tree is installed into its /usr/local as make install does it, and what
docs/quickstart-c.md types is typed inside, with no ldconfig and no variable between; make uninstall leaves the system as it was.
Takes minutes, the network and root (chroot): for make test-all, which says so where it cannot.

  empty_system.py BUILD SOURCE MODELS
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = "gcc,g++,libc6-dev,make,pkg-config,python3,cmake"
FLAGS = "$(pkg-config --cflags --libs anydim)"
STATIC = "$(pkg-config --static --cflags --libs anydim)"
RUN = "./program rec.onnx"
# What a user types, in order; each prints the two widths.
COMMANDS = {
    "C": f"cc -std=c99 recognize.c {FLAGS} -o program && {RUN}",
    "C++": f"c++ -std=c++11 recognize.cpp {FLAGS} -o program && {RUN}",
    "C89 and make": "make -C legacy && legacy/recognize rec.onnx 71 320",
    # The archive, though the shared library lies beside it.
    "static": f"cc recognize.c {STATIC} -o program && ! readelf -d program | grep anydim && {RUN}",
    "static, of C++": f"c++ recognize.cpp {STATIC} -o program && ! readelf -d program | grep anydim && {RUN}",
    # And on a system that has only the archive: the last one, which takes the shared library away.
    "the archive alone": f"rm /usr/local/lib/libanydim.so* && cc recognize.c {STATIC} -o program && {RUN}",
}


def run(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    return done.stdout


def release_and_mirror() -> tuple[str, str]:
    """Those of this machine, as apt knows them."""
    listed = run("apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI) $(COMPONENT)", "Created-By: Packages")
    codename = next(
        line.removeprefix("VERSION_CODENAME=")
        for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
        if line.startswith("VERSION_CODENAME=")
    )
    mirrors = [
        line.split()[1] for line in listed.splitlines() if line.split()[0] == codename and line.endswith(" main")
    ]
    if not mirrors:
        sys.exit(f"apt knows no mirror of {codename}: apt-get update")
    return codename, mirrors[0]


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def inside(system: Path, source: Path, command: str) -> str:
    """Runs a shell's line as root of that system. The repository is there under its own name, in a mount that no other process sees and
    that ends with the command."""
    place = system / source.relative_to("/")
    place.mkdir(parents=True, exist_ok=True)
    environment = ("env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root")
    mounted = f"mount --bind '{source}' '{place}' && exec \"$@\""
    return run("unshare", "--mount", "sh", "-ec", mounted, "sh", "chroot", system, *environment, "sh", "-ec", command)


def main() -> None:
    build, source, models = (Path(word).resolve() for word in sys.argv[1:4])
    lacking = [name for name in ("debootstrap", "apt-get", "chroot") if shutil.which(name) is None]
    if lacking or os.geteuid() != 0:
        sys.exit(f"this needs root and {', '.join(lacking or ['a Debian system'])} (apt-get install debootstrap)")
    codename, mirror = release_and_mirror()
    with tempfile.TemporaryDirectory() as folder:
        system = Path(folder) / "system"
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", codename, system, mirror)
        before = files_of(system / "usr" / "local")
        inside(system, source, f"python3 '{source}/tools/install.py' install '{build}' /usr/local")
        home = system / "root"
        for name in ("recognize.c", "recognize.cpp", "legacy"):
            example = source / "examples" / name
            (shutil.copytree if example.is_dir() else shutil.copy)(example, home / name)
        shutil.copy(models / "rec.onnx", home)
        passed = 0
        for what, command in COMMANDS.items():
            shown = inside(system, source, f"cd && {command}")
            print(f"-- {what}: {command}\n{shown}", end="", flush=True)
            assert "width 71: 1 9 " in shown and "width 320: 1 40 " in shown, shown
            passed += 1
        print(
            "-- uninstall: " + inside(system, source, f"python3 '{source}/tools/install.py' uninstall /usr/local"),
            end="",
        )
        assert files_of(system / "usr" / "local") == before, "make uninstall leaves or takes something"
        passed += 1
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main()
