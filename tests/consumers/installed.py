# SPDX-License-Identifier: Apache-2.0
"""Other programs against an installed tree, with nothing else of Anydim in reach: the examples by pkg-config, linked to the
shared and to the static library; a legacy program in C89 by its own Makefile; CMake packages, with and without C++, and
add_subdirectory; each header alone in every standard that it promises. The tree is moved after installation, as packages are,
and no variable of this environment but PATH reaches a compiler or a program.

  installed.py BUILD SOURCE MODELS
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(consumer {languages})
{find}
add_executable(consumer "{source}")
target_link_libraries(consumer anydim::{kind})
"""


@dataclass
class Tree:
    """Where things are: the installed tree, a folder to work in, the sources of examples, the models."""

    prefix: Path
    work: Path
    source: Path
    models: Path

    @property
    def environment(self) -> dict[str, str]:
        # Of Debian's own programs alone: what a virtual environment puts before them is ours.
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig"),
            "ANYDIM_CACHE_DIR": str(self.work / "cache"),
        }

    def run(self, *command: str | Path, fails: bool = False, at: Path | None = None, **variables: str) -> str:
        """What a command prints; with `fails` it must not succeed."""
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True, text=True, env=self.environment | variables, cwd=at or self.work,
        )  # fmt: skip
        if (done.returncode != 0) != fails:
            sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
        return f"{done.stdout}{done.stderr}" if fails else done.stdout

    def shell(self, line: str) -> str:
        # pkg-config escapes the blank of the moved tree as a shell wants it.
        return self.run("sh", "-c", f"eval {line}")

    def loading(self, program: Path, *arguments: str | Path) -> str:
        return self.run(program, *arguments, LD_LIBRARY_PATH=str(self.prefix / "lib"))

    def needs_us(self, program: Path) -> bool:
        return "libanydim" in self.run("readelf", "-d", program)


def examples(tree: Tree) -> None:
    """By pkg-config, with the shared library, then with --static as one executable, where both lie in the tree and where only the
    archive does."""
    only_static = tree.work / "only_static"
    shutil.copytree(tree.prefix, only_static, symlinks=True)
    for library in (only_static / "lib").glob("libanydim.so*"):
        library.unlink()
    alone = Tree(only_static, tree.work, tree.source, tree.models)
    compilers = {".c": "cc -std=c99", ".cpp": "c++ -std=c++11"}
    for name, arguments in {
        "classify.c": ["cls"], "compiler.c": [], "convolution.c": [], "host.c": [], "session.c": ["cls"], "recognize.c": ["rec"],
        "recognize.cpp": ["rec"],
    }.items():  # fmt: skip
        code = tree.source / "examples" / name
        models = [str(tree.models / f"{model}.onnx") for model in arguments]
        compile_it = f"{compilers[code.suffix]} {' '.join(WARNINGS)} '{code}' $(pkg-config --cflags --libs"
        tree.shell(f"{compile_it} anydim) -o '{tree.work}/shared'")
        shown = tree.loading(tree.work / "shared", *models)
        print(f"-- {name}\n{shown}", end="")
        assert tree.needs_us(tree.work / "shared"), "without --static the archive was linked"
        for place in (tree, alone):
            place.shell(f"{compile_it} --static anydim) -o '{tree.work}/static'")
            assert not place.needs_us(tree.work / "static"), (
                f"the static program needs our shared library ({place.prefix})"
            )
            assert place.run(tree.work / "static", *models) == shown, "the static library computes something else"
    scores = [float(line.split()[-1]) for line in tree.run(tree.work / "static", *models).splitlines()]
    assert len(scores) == 2, f"not a line for each width: {scores}"


def pages(tree: Tree) -> None:
    """The programs of the pages for C and C++, by the lines of these pages, in an empty folder: the shared library, and executables that
    need the C library alone. The tree has no blank in its name."""
    docs = {name: (tree.source / "docs" / f"quickstart-{name}.md").read_text(encoding="utf-8") for name in ("c", "cpp")}
    lines = [line for page in docs.values() for line in re.findall(r"^(?:cc|c\+\+) .*$", page, re.MULTILINE)]
    assert sum("--static" in line for line in lines) == 2 and len(lines) == 4, lines
    folder = tree.work / "pages"
    folder.mkdir()
    for name in ("cls", "rec"):
        shutil.copy(tree.models / f"{name}.onnx", folder)
    for name, page in docs.items():
        (code,) = re.findall(rf"^```{name}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        (folder / f"app.{name}").write_text(code, encoding="utf-8")
    for line in lines:
        command = line.removesuffix(" && ./app")
        tree.run("sh", "-c", command, at=folder)
        shown = tree.run(folder / "app", at=folder, LD_LIBRARY_PATH=str(tree.prefix / "lib"))
        assert shown, line
        needed = re.findall(r"NEEDED.*\[(.*)\]", tree.run("readelf", "-d", folder / "app"))
        if "--static" in line:
            foreign = [name for name in needed if not name.startswith(("libc.", "libm.", "ld-linux"))]
            assert not foreign, f"{line}: it needs {foreign}"
        print(f"-- {line}\n{shown}", end="")


def legacy(tree: Tree) -> None:
    """C89 by a plain Makefile; the tree has no blank in its name then, as Makefiles of that age expect."""
    folder = tree.work / "legacy"
    shutil.copytree(tree.source / "examples" / "legacy", folder)
    strict = ["CFLAGS=-std=c89 -pedantic -Wall -Wextra -Werror -O", f"ANYDIM={tree.prefix}"]
    shown = []
    for target in ("recognize", "recognize-static"):
        tree.run("make", target, *strict, at=folder)
        shown.append(tree.run(folder / target, tree.models / "rec.onnx", "71", "320", "71"))
    assert not tree.needs_us(folder / "recognize-static")
    lines = shown[0].splitlines()
    assert shown[0] == shown[1] and len(lines) == 4 and lines[1] == lines[3] and "width 320: 1 40" in lines[2], shown
    told = tree.run(folder / "recognize", tree.models / "rec.onnx", "641", fails=True)
    assert "641" in told and "16..640" in told, told
    print(f"-- legacy\n{shown[0]}", end="")


def headers(tree: Tree) -> None:
    """Each header alone, by each compiler that is there, in each standard that it promises."""
    include = tree.prefix / "include"
    c = sorted((include / "anydim").glob("*.h"))
    cpp = sorted((include / "anydim").glob("*.hpp"))
    assert len(c) > 10 and len(cpp) == 2, f"the headers are {c} {cpp}"
    compilers = [c for c in ("gcc", "clang", "clang-14", "clang-19") if shutil.which(c, path=tree.environment["PATH"])]
    assert compilers
    alone = [*WARNINGS, f"-I{include}", "-fsyntax-only", "-x"]
    for compiler in compilers:
        for standard, header in itertools.product(("c89", "c99", "c17", "c2x"), c):
            tree.run(compiler, f"-std={standard}", *alone, "c", header)
        tree.run(compiler, "-std=c++98", "-pedantic", *alone, "c++", include / "anydim" / "anydim.h")
        for standard, header in itertools.product(
            ("c++11", "c++17", "c++20", "c++2b"), [include / "anydim" / "anydim.h", *cpp]
        ):
            tree.run(compiler, f"-std={standard}", *alone, "c++", header)
        for header in cpp:
            tree.run(compiler, "-std=c++11", "-fno-exceptions", "-fno-rtti", *alone, "c++", header)
    print(f"-- {len(c) + len(cpp)} headers alone, by {' and '.join(compilers)}")


def strict(tree: Tree) -> None:
    """A program that wants no conversion, old cast or zero as a pointer, from the C++ header and the _INIT values."""
    code = tree.source / "tests" / "consumers" / "strict.cpp"
    warnings = [*WARNINGS, "-Wconversion", "-Wsign-conversion", "-Wold-style-cast", "-Wzero-as-null-pointer-constant"]
    for standard in ("c++11", "c++17", "c++2b"):
        compile_it = f"c++ -std={standard} {' '.join(warnings)} '{code}' $(pkg-config --cflags anydim)"
        if standard != "c++17":
            tree.shell(f"{compile_it} -fsyntax-only")
            continue
        tree.shell(f"{compile_it} $(pkg-config --libs anydim) -o '{tree.work}/strict'")
        shown = tree.loading(tree.work / "strict", tree.models / "cls.onnx")
        assert "requested is f32" in shown, shown
    # The same warnings see what the header must not have.
    for wrong in (
        "anydim_view_t v = anydim_view_t(); v.data = 0;",
        "const int n = (int)1.5; static_cast<void>(n);",
        "volatile long l = 1; const int n = l; static_cast<void>(n);",
    ):
        planted = tree.work / "planted.cpp"
        planted.write_text(f"#include <anydim/anydim.hpp>\nvoid f() {{ {wrong} }}\n", encoding="utf-8")
        tree.run("c++", "-std=c++17", *warnings, f"-I{tree.prefix}/include", "-fsyntax-only", planted, fails=True)
    # A dropped status is one, too; a program can turn that off, and in C++17 cast it to void.
    dropped = 'anydim_bounds_set(nullptr, "x", 0, nullptr);'
    for call, flags, fails in (
        (dropped, [], True),
        (f"(void){dropped}", [], False),
        (dropped, ["-DANYDIM_NO_MUST_USE"], False),
    ):
        planted.write_text(f"#include <anydim/anydim.h>\nvoid f() {{ {call} }}\n", encoding="utf-8")
        tree.run(
            "c++", "-std=c++17", *WARNINGS, *flags, f"-I{tree.prefix}/include", "-fsyntax-only", planted, fails=fails
        )
    planted = planted.rename(planted.with_suffix(".c"))
    planted.write_text(
        '#include <anydim/anydim.h>\nvoid f(void) { anydim_bounds_set(0, "x", 0, 0); }\n', encoding="utf-8"
    )
    for standard in ("c89", "c17", "c2x"):
        # GCC finds it behind the syntax.
        arguments: list[str | Path] = [
            *WARNINGS,
            f"-I{tree.prefix}/include",
            "-c",
            "-o",
            tree.work / "planted.o",
            planted,
        ]
        tree.run("cc", f"-std={standard}", *arguments, fails=True)
    print("-- a strict program, and dropped statuses")


def consume(tree: Tree, name: str, languages: str, find: str, kind: str, source: Path, *, fails: bool = False) -> Path:
    """Configures a project of another's; its build folder."""
    folder = tree.work / f"consumer-{name}"
    folder.mkdir()
    text = PROJECT.format(languages=languages, find=find, source=source, kind=kind)
    (folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
    made = folder / "build"
    told = tree.run("cmake", "-G", "Ninja", "-S", folder, "-B", made, f"-DCMAKE_PREFIX_PATH={tree.prefix}", fails=fails)
    if fails:
        assert "static is not installed" in " ".join(told.split()), told
    return made


def listing(folder: Path) -> set[tuple[str, int]]:
    """Names and times of change of all that is in the folder."""
    return {(str(path.relative_to(folder)), path.lstat().st_mtime_ns) for path in [folder, *folder.rglob("*")]}


def read_only_sources(tree: Tree) -> Path:
    """Our sources as a submodule of a project that nobody may write to. Root may all the same: compare the listings."""
    folder = tree.work / "sources"
    folder.mkdir()
    kept = {
        "CMakeLists.txt",
        "LICENSE",
        "bindings",
        "capi",
        "cli",
        "cmake",
        "core",
        "examples",
        "onnx",
        "packaging",
        "tests",
        "tools",
    }
    for name in kept:
        place = tree.source / name
        (shutil.copytree if place.is_dir() else shutil.copy)(place, folder / name)
    tree.run("chmod", "-R", "a-w", folder)
    return folder


def cmake(tree: Tree) -> None:
    """find_package with components, from projects with and without C++; and add_subdirectory."""
    c, cpp = (tree.source / "examples" / name for name in ("recognize.c", "recognize.cpp"))
    expected = tree.run(tree.work / "static", tree.models / "rec.onnx")
    for kind, (languages, source) in itertools.product(("shared", "static"), {"C": c, "C CXX": cpp}.items()):
        find = f"find_package(anydim 0.1 REQUIRED COMPONENTS {kind})"
        made = consume(tree, f"{kind}-{len(languages)}", languages, find, kind, source)
        tree.run("cmake", "--build", made)
        assert tree.run(made / "consumer", tree.models / "rec.onnx") == expected
        assert tree.needs_us(made / "consumer") == (kind == "shared")
    # Where a distribution left the static library away, asking for it is an error that says so.
    lacking = tree.work / "lacking"
    shutil.copytree(tree.prefix, lacking, symlinks=True)
    for file in lacking.glob("lib/cmake/anydim/anydim-static-*"):
        file.unlink()
    without = Tree(lacking, tree.work, tree.source, tree.models)
    consume(without, "lacking", "C", "find_package(anydim REQUIRED COMPONENTS static)", "static", c, fails=True)
    # A project with our sources inside, which it may not write to: it is configured, and would build the library and no test or program
    # of Anydim.
    sources = read_only_sources(tree)
    before = listing(sources)
    inside = f'set(ANYDIM_DOWNLOADS "{tree.source}/build/downloads")\nadd_subdirectory("{sources}" anydim)'
    made = consume(tree, "inside", "C CXX", inside, "static", c)
    # Compiled are one file that was fetched and one of Anydim's: the whole library takes minutes, and is the same code as in make build.
    objects = [
        o
        for o in tree.run("ninja", "-C", made, "-t", "targets", "all").split()
        if o.endswith(("sqlite3.c.o:", "base/status.cpp.o:"))
    ]
    assert len(objects) == 2, objects
    tree.run("ninja", "-C", made, *(o.rstrip(":") for o in objects))
    assert listing(sources) == before, f"written into the sources: {sorted(listing(sources) ^ before)}"
    targets = tree.run("ninja", "-C", made, "-t", "targets", "all")
    assert "libanydim.a:" in targets and "gtest" not in targets and "anydim_cli" not in targets, "more than the library"
    steps = tree.run("ninja", "-C", made, "-t", "commands", "consumer")
    assert "libanydim.a" in steps and "shims.cpp" in steps, steps[-2000:]
    print("-- CMake packages (C and C++, shared and static, a missing component), and add_subdirectory")


def main() -> None:
    build, source, models = (Path(word).resolve() for word in sys.argv[1:4])
    for name in ("cls", "rec"):
        if not (models / f"{name}.onnx").exists():
            sys.exit(f"{models / name}.onnx is not there: make models")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        plain = Tree(work / "first", work, source, models)
        for component in ("library", "program"):
            plain.run("cmake", "--install", build, "--prefix", plain.prefix, "--component", component)
        legacy(plain)
        pages(plain)
        tree = Tree(work / "moved here", work, source, models)
        shutil.move(plain.prefix, tree.prefix)
        examples(tree)
        headers(tree)
        strict(tree)
        cmake(tree)
        carried = (tree.prefix / "share" / "doc" / "anydim" / "THIRD_PARTY.txt").read_text(encoding="utf-8")
        assert all(name in carried for name in ("SQLite 3", "protozero 1", "CLI11 2")), "licences are missing"
        suppressions = (tree.prefix / "share" / "anydim" / "anydim.supp").read_text(encoding="utf-8")
        assert suppressions.count("Memcheck:Leak") == 2
        assert ".TH" in (tree.prefix / "share" / "man" / "man1" / "anydim.1").read_text(encoding="utf-8")
        program = tree.prefix / "bin" / "anydim"
        assert "x.0" in tree.run(program, "info", models / "cls.onnx"), (
            "the installed program does not find its library"
        )
    print("installed tree: examples by pkg-config (shared, static), legacy program, headers, CMake, program")


if __name__ == "__main__":
    main()
