# SPDX-License-Identifier: Apache-2.0
"""Makes the wheels that others get, dist/wheels/anydim-*-manylinux*.whl: for x86-64 and 64-bit ARM, glibc 2.17 and newer, and each
CPython from 3.10 that this machine has (packaging/targets.toml says where fewer). The compiler is zig, and auditwheel has the last
word on what a wheel needs. `make wheel`, in contrast, makes one for this machine with its own compiler.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cross

ROOT = cross.ROOT
WHEELS = ROOT / "dist" / "wheels"
OLDEST = (3, 10)
LARGEST = 8 * 2**20  # bytes
TELL = (
    "import sys, sysconfig, os; include = sysconfig.get_paths()['include']; print('%d.%d' % sys.version_info[:2],"
    " sys.implementation.name, os.path.exists(os.path.join(include, 'Python.h')),"
    " '-linux-gnu/python' not in open(os.path.join(include, 'pyconfig.h')).read())"
)


def pythons(foreign: bool = False) -> dict[str, Path]:
    """CPythons with their headers, by version: those of the PATH and of pyenv. Debian's headers ask for another file where the
    processor is another one: `foreign` leaves them out, and where there are others of the version, these are taken for all. What others
    say of sizes holds for both processors."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(":") if "pyenv/shims" not in folder]
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(root.glob("versions/*/bin"))
    found: dict[str, Path] = {}
    for_all: dict[str, Path] = {}
    for folder in folders:
        for program in sorted(folder.glob("python3.*")):
            if not re.fullmatch(r"python3\.\d+", program.name) or not os.access(program, os.X_OK):
                continue
            told = subprocess.run([str(program), "-c", TELL], capture_output=True, text=True).stdout.split()
            if told[1:3] == ["cpython", "True"] and tuple(map(int, told[0].split("."))) >= OLDEST:
                found.setdefault(told[0], program)
                if told[3] == "True":
                    for_all.setdefault(told[0], program)
    chosen = for_all if foreign else found | for_all
    return dict(sorted(chosen.items(), key=lambda item: int(item[0].split(".")[1])))


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    """What it printed; all of it is shown if it fails."""
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    if done.returncode != 0:
        print(done.stdout[-6000:])
        raise SystemExit(f"wheels: {command[0]} failed; its last lines are above")
    return done.stdout


def environment_of(program: Path, version: str) -> Path:
    """A virtual environment of that Python with what builds a wheel."""
    folder: Path = ROOT / "build" / "cross" / f"python-{version}"
    python = folder / "bin" / "python"
    wanted = ROOT / "tools" / "requirements-build.txt"
    stamp = folder / "requirements"
    made_of = f"# {program}\n{wanted.read_text(encoding='utf-8')}"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != made_of:
        run([str(program), "-m", "venv", "--clear", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", "-r", str(wanted)])
        stamp.write_text(made_of, encoding="utf-8")
    return python


def forget_python(cache: Path) -> None:
    """What CMake knows of a Python goes, with the comments that stand before it: CMake refuses comments that stand before nothing."""
    kept: list[str] = []
    comments: list[str] = []
    for line in cache.read_text(encoding="utf-8").splitlines():
        comments.append(line)
        if not line.startswith("//"):
            if not re.match(r"_?(Python|PYTHON|pybind11)_", line):
                kept += comments
            comments = []
    cache.write_text("\n".join([*kept, ""]), encoding="utf-8")


def make(target: cross.Target, version: str, python: Path) -> Path:
    machine = target.name
    forget_python(target.folder / "CMakeCache.txt")  # all share one folder, and so the library's objects
    # For a builder of another environment scikit-build-core would empty the folder, and forget the compiler with it.
    (target.folder / ".skbuild-info.json").unlink(missing_ok=True)
    environment = os.environ | {
        "_PYTHON_HOST_PLATFORM": f"linux-{machine}",
        "SETUPTOOLS_EXT_SUFFIX": f".cpython-{version.replace('.', '')}-{machine}-linux-gnu.so",
    }
    with tempfile.TemporaryDirectory() as folder:
        run(
            [str(python), "-m", "pip", "wheel", "--verbose", "--no-build-isolation", "--no-deps", "--wheel-dir", folder,
             f"--config-settings=build-dir={target.folder}", "--config-settings=install.strip=false", "."],
            environment,
        )  # fmt: skip
        (made,) = Path(folder).glob("*.whl")
        # It puts nothing in, for there is nothing to bring: it says whether the wheel needs no more than the platform has.
        tools = Path(sys.executable).parent
        # Of other processors it knows no platform by name, but finds the oldest that fits.
        command = [str(tools / "auditwheel"), "repair", "--plat", "auto", "--wheel-dir", str(WHEELS), str(made)]
        told = run(command, os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"})
        if (found := re.search(r"Fixed-up wheel written to (\S+)", told)) and target.wheel in found[1]:
            return Path(found[1])
        print(told)
        raise SystemExit(f"wheels: auditwheel has no wheel for {target.wheel}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    targets = {name: target for name, target in cross.targets().items() if target.wheel}
    parser.add_argument("--only", choices=targets, help="this target alone")
    only = parser.parse_args().only
    there = pythons()
    print(f"wheels: CPython {', '.join(there)}", flush=True)
    WHEELS.mkdir(parents=True, exist_ok=True)
    for target in targets.values():
        if only not in (None, target.name):
            continue
        for old in WHEELS.glob(f"anydim-*_{target.name}.whl"):
            old.unlink()
        cross.configure(target)
        cross.build(target, ["anydim_core", "anydim_capi"])  # by far the most, and pip would be silent
        usable = pythons(foreign=True) if target.emulator else there
        if lacking := [version for version in target.pythons if version not in usable]:
            raise SystemExit(
                f"wheels: {target.name} wants CPython {', '.join(lacking)} with all headers in one folder, such as pyenv's; "
                f"this machine has {', '.join(usable) or 'none'}"
            )
        for version, program in usable.items():
            if target.pythons and version not in target.pythons:
                continue
            wheel = make(target, version, environment_of(program, version))
            size = wheel.stat().st_size
            print(f"wheels: {wheel.relative_to(ROOT)} ({size / 2**20:.1f} MB)", flush=True)
            if size > LARGEST:
                raise SystemExit(f"wheels: it is larger than {LARGEST // 2**20} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
