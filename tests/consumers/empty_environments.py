# SPDX-License-Identifier: Apache-2.0
"""What a user of each language does, from the built artifact to a result, in an environment that has nothing of Anydim: each is made
again, outside of the checkout, and sees no variable and no file of it but the artifact and the model. Each runs rec.onnx at two widths.

  empty_environments.py [c] [cpp] [python] [rust] [java]     without a name all of them; Java's is a test of tests/java

  c        a Debian system in a folder: the library installed into /usr/local, C, C++, C89 and a static program (minutes, root)
  cpp      a fresh prefix and a CMake project that finds the package there, shared and static
  python   a virtual environment in an empty folder: the line of the page installs the wheel of dist/, and with it NumPy from the registry,
           and nothing else; the programs of README and of the pages for Python run as they stand there
  rust     an empty cargo home without a network: the packages of dist/ from source, from the system, from a folder (minutes)
  java     an empty Maven repository: the artifact is installed there, a project of its own takes it

The models are those of `make models`. It ends with the line "N passed, M failed".
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
MODELS = BUILD / "models"
SUMMARY = re.compile(r"(\d+) passed")
# Pages whose Python needs NumPy and rec.onnx alone, and what it shows.
PYTHON_PAGES = {
    "README.md": ("71 (1, 9, 6625)", "320 (1, 40, 6625)"),
    "docs/quickstart-python.md": ("71 (1, 9, 6625)", "320 (1, 40, 6625)"),
    "docs/python.md": ("this model takes 33 to 80", "ended"),
}
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(reader CXX)
find_package(anydim CONFIG REQUIRED COMPONENTS {kind})
add_executable(reader recognize.cpp)
target_compile_features(reader PRIVATE cxx_std_11)
target_link_libraries(reader PRIVATE anydim::{kind})
"""


class Failed(Exception):
    """A command of a user's failed, or showed something else than it should."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """Of a user who has just come: Debian's programs and a home. Where packages come from is the machine's business, so what configures
    pip, and whom it may trust, stays."""
    kept = {k: v for k, v in os.environ.items() if k.startswith("PIP_") or k in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")}
    return kept | {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"} | more


def run(work: Path, *command: str | Path, **more: str) -> str:
    words = [str(word) for word in command]
    print(f"  $ {' '.join(words)}", flush=True)
    done = subprocess.run(words, cwd=work, env=environment(work, **more), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def expect(shown: str, *words: str) -> None:
    print("  " + shown.strip().replace("\n", "\n  "), flush=True)
    if missing := [word for word in words if word not in shown]:
        raise Failed(f"it does not show {missing}")


def ours(*command: str | Path) -> int:
    """A program of this repository that makes its environments itself; reports how many of its checks passed."""
    with subprocess.Popen([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        passed = 0
        for line in process.stdout:
            print(f"  {line}", end="", flush=True)
            if found := SUMMARY.search(line):
                passed = int(found[1])
    if process.returncode != 0 or passed == 0:
        raise Failed(f"{command[1]}: exit status {process.returncode}")
    return passed


def c() -> int:
    return ours("python3", ROOT / "tests" / "consumers" / "empty_system.py", BUILD, ROOT, MODELS)


def cpp() -> int:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        prefix = work / "prefix"
        run(work, "cmake", "--install", BUILD, "--prefix", prefix, "--component", "library", "--strip")
        for kind in ("shared", "static"):
            project = work / kind
            project.mkdir()
            (project / "CMakeLists.txt").write_text(PROJECT.format(kind=kind), encoding="utf-8")
            shutil.copy(ROOT / "examples" / "recognize.cpp", project)
            run(project, "cmake", "-B", "made", f"-DCMAKE_PREFIX_PATH={prefix}")
            run(project, "cmake", "--build", "made")
            shutil.copy(MODELS / "rec.onnx", project)
            expect(run(project, project / "made" / "reader", "rec.onnx"), "width 71: 1 9 ", "width 320: 1 40 ")
    return 2


def python() -> int:
    wheels = list((ROOT / "dist").glob("anydim-*.whl"))
    interpreter = Path(sys.executable).resolve()  # without the packages of this environment
    version = f"cp{sys.version_info.major}{sys.version_info.minor}-"
    fitting = [w for w in wheels if version in w.name and os.uname().machine in w.name]
    if not fitting:
        raise Failed(f"dist/ has no wheel for {version[:-1]}: make wheel")
    wheel = max(fitting, key=lambda w: w.stat().st_mtime)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        run(work, interpreter, "-m", "venv", "venv")
        pip = (work / "venv" / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
        (work / "dist").mkdir()
        shutil.copy(wheel, work / "dist")
        # What the pages type, by their own lines, as in a shell of that environment.
        path = f"{work}/venv/bin:/usr/local/bin:/usr/bin:/bin"
        page = (ROOT / "docs" / "quickstart-python.md").read_text(encoding="utf-8")
        (install,) = re.findall(r"^pip install .*$", page, re.MULTILINE)
        run(work, "sh", "-ec", install, PATH=path)
        names = {package["name"] for package in json.loads(run(work, *pip, "list", "--format=json"))}
        if extra := names - {"anydim", "numpy", "pip", "setuptools"}:
            raise Failed(f"the wheel brought {sorted(extra)}; expected NumPy alone")
        shutil.copy(MODELS / "rec.onnx", work)
        for name, shown in PYTHON_PAGES.items():
            code = "".join(
                re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text(encoding="utf-8"), re.S | re.M)
            )
            (work / "app.py").write_text(code, encoding="utf-8")
            expect(run(work, "python", "app.py", PATH=path), *shown)
        for commands in re.findall(r"^```sh\n(.*?)^```$", page, re.S | re.M):
            expect(run(work, "sh", "-ec", commands, PATH=path), "x.2: 33 to 80", "first call")
        where = run(work, work / "venv" / "bin" / "python", "-c", "import anydim; print(anydim.__file__)")
        expect(where, str(work.resolve()))
        run(work, *pip, "uninstall", "--quiet", "--yes", "anydim")
        left = [p for p in (work / "venv").rglob("*anydim*")]
        if left:
            raise Failed(f"pip uninstall leaves {left}")
    return 1 + len(PYTHON_PAGES)


def rust() -> int:
    script = ROOT / "tests" / "consumers" / "crates.py"
    return ours(sys.executable, script, "--make", "source", "system", "folder")


def java() -> int:
    return ours(sys.executable, "-m", "pytest", "tests/java", "-m", "long", "-k", "empty_maven_repository")


USERS: dict[str, Callable[[], int]] = {"c": c, "cpp": cpp, "python": python, "rust": rust, "java": java}


def main() -> int:
    asked = sys.argv[1:] or list(USERS)
    if unknown := [name for name in asked if name not in USERS]:
        sys.exit(f"{unknown[0]} is none of {', '.join(USERS)}\n\n{__doc__}")
    passed, failed = 0, 0
    for name in asked:
        print(f"-- {name}", flush=True)
        begin = time.monotonic()
        try:
            passed += USERS[name]()
            verdict = "passed"
        except Failed as failure:
            failed += 1
            verdict = f"FAILED: {failure}"
        print(f"-- {name}: {verdict}, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
