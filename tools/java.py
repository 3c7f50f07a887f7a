# SPDX-License-Identifier: Apache-2.0
"""Builds the Java artifact with Maven: the native library (target anydim_jni of the folder build/), what the jar carries beside its
classes, the tests, the jar, and its installation into the local Maven repository.

  package   the jar, its sources and its manual, in build/java/target; with --everywhere the one that others get, in
            build/java/everywhere/target: native libraries for x86-64 and 64-bit ARM that run with glibc 2.17 and newer, made as
            tools/wheels.py makes its own
  test      the tests of bindings/java/src/test, and the jar
  install   the jar, also in the local Maven repository (~/.m2/repository, or the property maven.repo.local)

What follows `--` goes to Maven.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import cross  # noqa: E402
import licences  # noqa: E402
import sbom  # noqa: E402

BUILD = ROOT / "build"
NATIVE = BUILD / "java" / "native" / "libanydim_jni.so"
MADE = BUILD / "java"
EVERYWHERE = MADE / "everywhere"
POM = ROOT / "bindings" / "java" / "pom.xml"
QUIET = ("-B", "-ntp", "-q")


def build_native() -> None:
    """The target, in the folder that `make build` made; a second call costs nothing."""
    configured = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    if "ANYDIM_JAVA:BOOL=ON" not in configured:
        subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-DANYDIM_JAVA=ON"], check=True, stdout=subprocess.DEVNULL
        )
    jobs = str(len(os.sched_getaffinity(0)))
    subprocess.run(["cmake", "--build", str(BUILD), "-j", jobs, "--target", "anydim_jni"], check=True)


def version() -> str:
    found = re.search(r"project\(anydim VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert found
    return found[1]


def write(path: Path, data: bytes) -> None:
    """Leaves a file that is right as it is: Maven then has nothing to do."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def build_everywhere() -> dict[str, Path]:
    """The target, for each machine that wheels are made for (packaging/targets.toml), by zig."""
    made = {}
    for target in cross.targets().values():
        if target.wheel:
            cross.configure(target, "-DANYDIM_JAVA=ON")
            cross.build(target, ["anydim_jni"])
            made[target.name] = target.folder / "java" / "native" / NATIVE.name
    return made


def stage(natives: dict[str, Path], resources: Path, zig: Path | None) -> None:
    """A folder for each machine, and the page of what they carry."""
    folders = resources / "org" / "anydim" / "natives"
    for machine, native in natives.items():
        library = native.read_bytes()
        write(folders / f"linux-{machine}" / NATIVE.name, library)
        digest = hashlib.sha256(library).hexdigest() + "\n"
        write(folders / f"linux-{machine}" / f"{NATIVE.name}.sha256", digest.encode())
    write(resources / "META-INF" / "LICENSE", (ROOT / "LICENSE").read_bytes())
    write(resources / "META-INF" / "THIRD-PARTY.txt", licences.page("jar", zig).encode())
    write(resources / "META-INF" / "sbom" / "anydim.spdx.json", sbom.text("jar", zig).encode())


def maven(goal: str, more: list[str]) -> None:
    if not (found := shutil.which("mvn")):
        raise SystemExit("java: mvn is not installed (Debian: apt-get install maven openjdk-17-jdk-headless)")
    # Quiet runs say what fails; a run of tests says how many there were.
    quiet = QUIET if goal != "test" else QUIET[:-1]
    skip = [] if goal == "test" else ["-DskipTests"]
    command = [found, *quiet, "-f", str(POM), "package" if goal == "test" else goal, *skip, *more]
    if (done := subprocess.run(command)).returncode != 0:
        raise SystemExit(done.returncode)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goal", choices=("package", "test", "install"))
    parser.add_argument(
        "--everywhere", action="store_true", help="native libraries for all machines, in place of this one's own"
    )
    parser.add_argument("maven", nargs="*", help="more for Maven, behind --")
    arguments = parser.parse_args()
    if version() not in POM.read_text(encoding="utf-8"):
        raise SystemExit(f"java: {POM.relative_to(ROOT)} has another version than CMakeLists.txt, {version()}")
    made = EVERYWHERE if arguments.everywhere else MADE
    if arguments.everywhere:
        stage(build_everywhere(), made / "resources", cross.zig())
    else:
        build_native()
        stage({platform.machine(): NATIVE}, made / "resources", None)
    maven(arguments.goal, [f"-Dmade={made}", *arguments.maven])
    jar = made / "target" / f"anydim-{version()}.jar"
    print(f"java: {jar.relative_to(ROOT)} ({jar.stat().st_size / 2**20:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
