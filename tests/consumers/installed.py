# SPDX-License-Identifier: Apache-2.0
"""Programs of others against an installed tree: the C examples by pkg-config, linked to the shared and to the static
library, by the CMake package, and each header alone in C99 and C++11. The tree is moved after installation, as packages are.

  installed.py BUILD SOURCE MODELS
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CMAKE_CONSUMER = """
cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
find_package(anydim 0.1 REQUIRED)
add_executable(shared {source})
target_link_libraries(shared anydim::shared)
add_executable(static {source})
target_link_libraries(static anydim::static)
"""
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def main() -> None:
    build, source, models = (Path(word).resolve() for word in sys.argv[1:4])
    model = models / "cls.onnx"
    if not model.exists():
        sys.exit(f"{model} is not there: make models")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for component in ("library", "program"):
            run("cmake", "--install", build, "--prefix", work / "first", "--component", component)
        prefix = work / "moved here"
        shutil.move(work / "first", prefix)
        environment = os.environ | {
            "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig"),
            "LD_LIBRARY_PATH": str(prefix / "lib"),
        }
        # pkg-config escapes the blank as a shell wants it.
        for name, arguments in {
            "classify": [str(model)],
            "convolution": [],
            "host": [],
            "session": [str(model)],
        }.items():
            code = source / "examples" / f"{name}.c"
            flags = "$(pkg-config --cflags --libs anydim)"
            run(
                "sh",
                "-c",
                f"eval cc -std=c99 {' '.join(WARNINGS)} '{code}' {flags} -o '{work}/{name}'",
                env=environment,
            )
            shown = run(work / name, *arguments, env=environment)
            print(f"-- {name}, shared\n{shown}", end="")
            libraries = "$(pkg-config --static --libs-only-other --libs-only-l anydim | sed 's/-lanydim//')"
            archive = prefix / "lib" / "libanydim.a"
            include = prefix / "include"
            run(
                "sh",
                "-c",
                f"cc -std=c99 -I'{include}' '{code}' '{archive}' {libraries} -o '{work}/{name}-static'",
                env=environment,
            )
            assert run(work / f"{name}-static", *arguments) == shown, "the static library computes something else"
        scores = [float(line.split()[-1]) for line in run(work / "classify", model, env=environment).splitlines()]
        assert len(scores) == 2 and abs(sum(scores) - 1) < 1e-5, f"not the scores of two classes: {scores}"

        headers = sorted((prefix / "include" / "anydim").glob("*.h"))
        assert len(headers) > 10, f"the headers are {headers}"
        for header in headers:
            alone = [*WARNINGS, f"-I{prefix / 'include'}", "-fsyntax-only"]
            run("cc", "-std=c99", *alone, "-x", "c", header)
            run("c++", "-std=c++11", *alone, "-x", "c++", header)

        consumer = work / "consumer"
        consumer.mkdir()
        (consumer / "CMakeLists.txt").write_text(CMAKE_CONSUMER.format(source=f'"{source}/examples/classify.c"'))
        run("cmake", "-S", consumer, "-B", consumer / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", consumer / "build")
        for kind in ("shared", "static"):
            assert run(consumer / "build" / kind, model) == run(work / "classify", model, env=environment)

        program = prefix / "bin" / "anydim"
        assert "x.0" in run(program, "info", model), "the installed program does not find its library"
    print(
        "installed tree: examples by pkg-config (shared, static), CMake package, each header in C99 and C++11, program"
    )


if __name__ == "__main__":
    main()
