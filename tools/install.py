# SPDX-License-Identifier: Apache-2.0
"""Installs what is built, and removes it again (make install, make uninstall).

  install BUILD PREFIX   the library, headers, pkg-config files, CMake package and program
  uninstall PREFIX       the files that this put there, and the folders that it made, where nothing else is in them

What was installed is listed in PREFIX/share/doc/anydim/installed.txt, so that it can be removed after `make clean`, too. With
DESTDIR, as packagers set it, files go below that folder and no list is written: they are the package manager's then.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LIST = Path("share/doc/anydim/installed.txt")
HEAD = "# What `make install` put here, for `make uninstall`. Folders end in a stroke.\n"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # users often lack the folders of ldconfig


def run(*command: str | Path, **variables: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | variables)
    if done.returncode != 0:
        raise SystemExit(f"install: {' '.join(words)} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def planned(build: Path, prefix: Path) -> list[Path]:
    """What CMake would install, relative to the prefix: it installs into an empty folder, and the folder is read."""
    with tempfile.TemporaryDirectory(prefix="anydim-install-") as name:
        run("cmake", "--install", build, "--prefix", prefix, DESTDIR=name)
        top = Path(f"{name}{prefix}")
        return sorted(path.relative_to(top) for path in top.rglob("*") if path.is_symlink() or not path.is_dir())


def read_list(prefix: Path) -> tuple[set[Path], set[Path]]:
    """Files and folders of the list; none if there is none. A name that leads out of the prefix ends the program: the list may have
    been written by anybody."""
    files: set[Path] = set()
    folders: set[Path] = set()
    if not (prefix / LIST).is_file():
        return files, folders
    for line in (prefix / LIST).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        path = Path(line)
        beside = prefix / path.parent if path.parts else prefix  # of ".", which is the prefix, too
        if path.is_absolute() or ".." in path.parts or not beside.resolve().is_relative_to(prefix):
            raise SystemExit(
                f"uninstall: {prefix / LIST} names {line}, which is not below {prefix}: nothing is removed"
            )
        (folders if line.endswith("/") else files).add(path)
    return files, folders


def write_list(prefix: Path, files: set[Path], folders: set[Path]) -> None:
    lines = [*(f"{path}\n" for path in sorted(files)), *(f"{path}/\n" for path in sorted(folders))]
    (prefix / LIST).parent.mkdir(parents=True, exist_ok=True)
    (prefix / LIST).write_text(HEAD + "".join(lines), encoding="utf-8")


def loader_knows(folder: Path) -> bool:
    """Whether the dynamic loader looks for libraries in this folder of its own accord."""
    ldconfig = shutil.which("ldconfig", path=SYSTEM_PATH)
    if ldconfig is None:
        return False
    shown = subprocess.run([ldconfig, "-N", "-X", "-v"], capture_output=True, text=True).stdout
    listed = [line.split(":")[0] for line in shown.splitlines() if line.startswith("/")]
    return any(Path(name).resolve() == folder.resolve() for name in listed)


def tell_loader(libraries: Path) -> str:
    """Has the loader read the folder again, where it is one of its own and this user may; what a user has to know."""
    if not loader_knows(libraries):
        return f"the loader does not look there: run programs with LD_LIBRARY_PATH={libraries}, or link with -Wl,-rpath,{libraries}"
    if os.geteuid() != 0:
        return "run ldconfig as root once, so that the loader finds the shared library"
    run(shutil.which("ldconfig", path=SYSTEM_PATH) or "ldconfig")
    return "the loader knows the shared library (ldconfig)"


def pkg_config_knows(folder: Path) -> bool:
    if shutil.which("pkg-config") is None:
        return False
    command = ["pkg-config", "--variable", "pc_path", "pkg-config"]
    shown = subprocess.run(command, capture_output=True, text=True).stdout.strip().split(":")
    return str(folder) in shown


def install(build: Path, prefix: Path) -> None:
    if not (build / "cmake_install.cmake").is_file():
        raise SystemExit(f"install: {build} has no build: make library")
    destdir = os.environ.get("DESTDIR", "")
    if destdir:
        run("cmake", "--install", build, "--prefix", prefix)
        print(f"install: done, below {destdir}{prefix}")
        return
    files, folders = read_list(prefix)
    plan = planned(build, prefix)
    libraries = next((prefix / path.parent for path in plan if path.name.startswith("libanydim.")), prefix / "lib")
    files |= {*plan, LIST}
    needed = {folder for path in files for folder in path.parents}  # "." is the prefix itself
    folders |= {folder for folder in needed if not (prefix / folder).exists()}
    try:
        prefix.mkdir(parents=True, exist_ok=True)
        write_list(prefix, files, folders)  # first: what a broken installation leaves can be removed
    except OSError as error:
        raise SystemExit(f"install: {error}; choose another folder with PREFIX=, or install as root") from None
    run("cmake", "--install", build, "--prefix", prefix)
    print(f"install: done, in {prefix}; {tell_loader(libraries)}")
    if not pkg_config_knows(libraries / "pkgconfig"):
        print(f"install: pkg-config finds it with PKG_CONFIG_PATH={libraries / 'pkgconfig'}")


def uninstall(prefix: Path) -> None:
    if not (prefix / LIST).is_file():
        raise SystemExit(f"uninstall: {prefix / LIST} is not there: make install has put nothing into {prefix}")
    files, folders = read_list(prefix)
    kept = []
    # The list goes last, so that an uninstallation that was broken off can be done again.
    for path in sorted(files, key=lambda path: path == LIST):
        try:
            (prefix / path).unlink(missing_ok=True)
        except OSError as error:
            raise SystemExit(f"uninstall: {error}") from None
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):  # the innermost first
        try:
            (prefix / folder).rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            kept.append(str(folder))
    libraries = next((prefix / path.parent for path in files if path.name.startswith("libanydim.")), prefix / "lib")
    if os.geteuid() == 0 and loader_knows(libraries):
        tell_loader(libraries)
    left = f"; other files are in {', '.join(sorted(kept))}" if kept else ""
    print(f"uninstall: {len(files)} files are removed from {prefix}{left}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("install", "uninstall"):
        command = commands.add_parser(name)
        if name == "install":
            command.add_argument("build", type=Path)
        command.add_argument("prefix", type=Path)
    arguments = parser.parse_args()
    prefix = arguments.prefix.resolve()
    if arguments.command == "install":
        install(arguments.build.resolve(), prefix)
    else:
        uninstall(prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
