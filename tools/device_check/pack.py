# SPDX-License-Identifier: Apache-2.0
"""Makes build/device_check, all that device_check.py needs on a machine that reaches no registry: the Python package for that machine's
Python, an OpenCL loader, the tests of the kernels, and models. Run it in the checkout, after `make wheel`:

  .venv/bin/python tools/device_check/pack.py --python python3.12     # any CPython whose headers are here
  .venv/bin/python tools/device_check/pack.py                         # this environment's: for trying it here

The module is linked from the objects of build/, so that this takes a minute and not a whole build.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD, TO = ROOT / "build", ROOT / "build" / "device_check"
TESTS = ("core_engines_opencl_kernels_test", "core_engines_opencl_test")
MODELS = ("cls", "rec", "det", "yolo")
MOST = 46 << 20  # bytes: with the sources, below the 64 MiB that travel
TELL = (
    "import sysconfig; print(sysconfig.get_paths()['include']); print(sysconfig.get_config_var('EXT_SUFFIX')); "
    "print('%d.%d' % __import__('sys').version_info[:2])"
)


def run(command: list[str] | str, folder: Path = BUILD) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, shell=isinstance(command, str))
    if done.returncode != 0:
        raise SystemExit(f"pack: {command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def module_for(python: str, work: Path) -> Path:
    """The package's module, linked for another CPython: the commands of this build, with the other's headers and name."""
    include, suffix, version = run([python, "-c", TELL]).split()
    own_include, own_suffix, own_version = run([sys.executable, "-c", TELL]).split()
    installed = ROOT / ".venv" / "lib" / f"python{own_version}" / "site-packages" / "anydim" / f"_capi{own_suffix}"
    if suffix == own_suffix:
        return installed
    target = next(
        line.split(":")[0]
        for line in run(["ninja", "-t", "targets", "all"]).splitlines()
        if f"_capi{own_suffix}:" in line
    )
    commands = run(["ninja", "-t", "commands", target]).splitlines()
    objects: dict[str, str] = {}
    for command in commands:
        if own_include in command and " -c " in command:
            source, made = re.search(r"-c (\S+)", command)[1], re.search(r"-o (\S+)", command)[1]  # type: ignore[index]
            objects[made] = str(work / (Path(source).stem + ".o"))
            run(command.replace(own_include, include).replace(made, objects[made]))
    if not objects:
        raise SystemExit(f"pack: no source of {target} reads {own_include}")
    result = work / f"_capi{suffix}"
    link = next(command for command in reversed(commands) if f"_capi{own_suffix}" in command and " -o " in command)
    link = next(part for part in link.split("&&") if f"-o {target}" in part)
    words = [objects.get(word, str(result) if word == target else word) for word in shlex.split(link)]
    run(shlex.join(words))
    print(f"pack: the module was linked for Python {version}")
    return result


def loader(work: Path) -> Path:
    """Debian's ocl-icd: that of this machine, or of its package."""
    here = next(iter(sorted(Path("/usr/lib/x86_64-linux-gnu").glob("libOpenCL.so.1"))), None)
    if here is None:
        run(["apt-get", "download", "ocl-icd-libopencl1"], work)
        run(f"dpkg -x {next(work.glob('ocl-icd*.deb'))} unpacked", work)
        here = next(work.glob("unpacked/usr/lib/*/libOpenCL.so.1"))
    return here.resolve()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="of the other machine's version")
    options = parser.parse_args()
    shutil.rmtree(TO, ignore_errors=True)
    for folder in ("python/anydim", "lib", "tests", "models"):
        (TO / folder).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        made = module_for(options.python, work)
        for file in (ROOT / "bindings" / "python" / "anydim").rglob("*.py"):
            to = TO / "python" / "anydim" / file.relative_to(ROOT / "bindings" / "python" / "anydim")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, to)
        shutil.copy2(made, TO / "python" / "anydim" / made.name)
        shutil.copy2(loader(work), TO / "lib" / "libOpenCL.so.1")
    for test in TESTS:
        shutil.copy2(BUILD / test, TO / "tests" / test)
    for model in MODELS:
        shutil.copy2(BUILD / "models" / f"{model}.onnx", TO / "models" / f"{model}.onnx")
    for binary in [*(TO / "tests").iterdir(), *(TO / "python" / "anydim").glob("*.so")]:
        run(["strip", str(binary)])
    for test in (TO / "tests").iterdir():
        (TO / "tests" / f"{test.name}.gz").write_bytes(gzip.compress(test.read_bytes(), 6))
        test.unlink()
    size = sum(path.stat().st_size for path in TO.rglob("*") if path.is_file())
    print(f"pack: {TO.relative_to(ROOT)}, {size / 2**20:.1f} MiB")
    if size > MOST:
        raise SystemExit(f"pack: more than {MOST / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
