# SPDX-License-Identifier: Apache-2.0
"""What a newcomer does with the crates: a project in an empty folder outside the repository, made from the lines of a page alone, for which
cargo resolves all versions itself (there is no Cargo.lock). Also that its documentation compiles no C++, that ANYDIM_USE_PKG_CONFIG links
what is installed, which Rust the page asks for, and what `cargo package` in the repository says. The packages are made first (make rust).

  newcomer.py [--source]      --source: also the library compiled from the package (minutes)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from fetch_sqlite import certificates  # noqa: E402

BUILD = ROOT / "build"
RUST = ROOT / "bindings" / "rust"
SHAPES = ["[1, 9, 6625]", "[1, 40, 6625]", "[1, 64, 6625]"]


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def environment(**more: str) -> dict[str, str]:
    """A user's: cargo's own settings stay, since they say where the registry is."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "CARGO_TARGET", "DOCS_RS"))}
    if trusted := certificates():
        kept.setdefault("CARGO_HTTP_CAINFO", trusted)
    return kept | {"CARGO_TERM_COLOR": "never"} | more


def run(*words: str | Path, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, text=True, capture_output=True)
    said = f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-6000:]}"
    assert done.returncode == 0, said
    return done.stdout


def target(check: str) -> Path:
    """Cargo's folder of builds: it stays, so that a second run compiles the program alone."""
    return BUILD / "rust-newcomer" / check


def project(folder: Path) -> Path:
    """`cargo init`, then the lines of the quickstart, with the path of this repository."""
    made = folder / "program"
    made.mkdir()
    run("cargo", "init", "--quiet", "--name", "program", "--vcs", "none", cwd=made, env=environment())
    (lines,) = (block for block in blocks("docs/quickstart-rust.md", "toml") if "[patch.crates-io]" in block)
    manifest = made / "Cargo.toml"
    head = manifest.read_text(encoding="utf-8").replace("[dependencies]\n", "")
    manifest.write_text(head + lines.replace("/path/to/anydim", str(ROOT)), encoding="utf-8")
    (program,) = blocks("docs/quickstart-rust.md", "rust")
    (made / "src" / "main.rs").write_text(program, encoding="utf-8")
    (made / "rec.onnx").symlink_to(BUILD / "models" / "rec.onnx")
    return made


def needs_the_library(program: Path) -> bool:
    shown = subprocess.run(["readelf", "--dynamic", str(program)], capture_output=True, text=True, check=True).stdout
    return "libanydim.so" in shown


def compiled(check: str) -> list[Path]:
    """What CMake left in the folders of the build script."""
    return list(target(check).rglob("CMakeCache.txt"))


def the_page_alone_makes_a_program(folder: Path) -> None:
    made = project(folder)
    where = environment(ANYDIM_LIB_DIR=str(BUILD / "lib"), CARGO_TARGET_DIR=str(target("page")))
    shown = run("cargo", "run", "--quiet", cwd=made, env=where)
    assert shown.splitlines() == SHAPES, shown
    assert not compiled("page"), "the library was compiled"
    locked = (made / "Cargo.lock").read_text(encoding="utf-8")
    assert len(re.findall(r'^name = "ndarray"$', locked, re.MULTILINE)) == 1, locked
    assert "sqlite" not in locked, locked


def the_pieces_of_the_guide_compile_with_its_own_lines(folder: Path) -> None:
    """Beside the quickstart's program: names from the page, and no crate but ours."""
    sys.path.insert(0, str(ROOT / "tests" / "rust"))
    from pages import programs

    made = project(folder)
    lines = blocks("docs/rust.md", "toml")
    (dependency,) = (block for block in lines if "[dependencies]" in block)
    (patch,) = (block for block in lines if "[patch.crates-io]" in block)
    head = (made / "Cargo.toml").read_text(encoding="utf-8").split("[dependencies]")[0]
    (made / "Cargo.toml").write_text(
        f"{head}{dependency}\n{patch.replace('/path/to/build', str(BUILD))}", encoding="utf-8"
    )
    (made / "src" / "main.rs").unlink()
    (made / "src" / "bin").mkdir()
    names = {name: code for name, code in programs().items() if name.startswith("docs_rust_")}
    assert len(names) >= 8, sorted(names)
    for name, code in names.items():
        (made / "src" / "bin" / f"{name}.rs").write_text(code, encoding="utf-8")
    where = environment(
        ANYDIM_LIB_DIR=str(BUILD / "lib"),
        ANYDIM_LINK="dynamic",
        LD_LIBRARY_PATH=str(BUILD / "lib"),
        CARGO_TARGET_DIR=str(target("guide")),
    )
    run("cargo", "build", "--quiet", cwd=made, env=where)
    for name in names:
        run(target("guide") / "debug" / name, cwd=BUILD / "models", env=where)


def pkg_config_is_taken_where_it_is_asked_for(folder: Path) -> None:
    made, prefix = project(folder), folder / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "library", cwd=folder, env=environment())
    (files,) = prefix.rglob("anydim.pc")
    where = environment(
        ANYDIM_USE_PKG_CONFIG="1",
        PKG_CONFIG_PATH=str(files.parent),
        LD_LIBRARY_PATH=str(files.parent.parent),
        CARGO_TARGET_DIR=str(target("pkg-config")),
    )
    assert run("cargo", "run", "--quiet", cwd=made, env=where).splitlines() == SHAPES
    assert needs_the_library(target("pkg-config") / "debug" / "program") and not compiled("pkg-config")


def documentation_compiles_no_library(folder: Path) -> None:
    made = project(folder)
    run("cargo", "doc", "--quiet", cwd=made, env=environment(CARGO_TARGET_DIR=str(target("doc"))))
    assert (target("doc") / "doc" / "anydim" / "struct.Session.html").exists() and not compiled("doc")
    # What links afterwards gets the library all the same.
    where = environment(ANYDIM_LIB_DIR=str(BUILD / "lib"), CARGO_TARGET_DIR=str(target("doc")))
    shown = run("cargo", "run", "--quiet", cwd=made, env=where)
    assert shown.splitlines() == SHAPES, shown


def the_package_of_the_repository_alone_is_refused(folder: Path) -> None:
    words = ["cargo", "package", "-p", "anydim-sys", "--allow-dirty"]
    where = environment(CARGO_TARGET_DIR=str(folder / "target"), ANYDIM_LIB_DIR=str(BUILD / "lib"))
    done = subprocess.run(words, cwd=RUST, env=where, capture_output=True, text=True)
    assert done.returncode != 0 and "`make rust`" in done.stderr, done.stderr


def the_page_says_which_rust_each_feature_needs(_folder: Path) -> None:
    text = run("cargo", "metadata", "--all-features", "--locked", "--format-version", "1", cwd=RUST, env=environment())
    asked = {p["name"]: p["rust_version"] or "1.0" for p in json.loads(text)["packages"]}

    def newest(*features: str) -> str:
        words = ["cargo", "tree", "-p", "anydim", "--no-default-features", "-e", "normal,build", "--prefix", "none"]
        if features:
            words += ["--features", ",".join(features)]
        names = {line.split()[0] for line in run(*words, cwd=RUST, env=environment()).splitlines() if line.strip()}
        versions = [tuple(map(int, asked[name].split(".")[:2])) for name in names]
        return "{}.{}".format(*max(versions))

    page = (ROOT / "docs" / "rust.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (no features|the feature `\w+`).*? \| ([\d.]+) \|$", page, re.MULTILINE))
    found = {"no features": newest()} | {f"the feature `{f}`": newest(f) for f in ("source", "log", "ndarray", "half")}
    assert rows == found, f"docs/rust.md says {rows}; the locked versions need {found}"


def the_source_in_the_package_is_compiled(folder: Path) -> None:
    made = project(folder)
    where = environment(CARGO_TARGET_DIR=str(target("source")))
    assert run("cargo", "run", "--quiet", cwd=made, env=where).splitlines() == SHAPES
    assert compiled("source") and not needs_the_library(target("source") / "debug" / "program")


CHECKS: tuple[Callable[[Path], None], ...] = (
    the_page_alone_makes_a_program,
    the_pieces_of_the_guide_compile_with_its_own_lines,
    pkg_config_is_taken_where_it_is_asked_for,
    documentation_compiles_no_library,
    the_package_of_the_repository_alone_is_refused,
    the_page_says_which_rust_each_feature_needs,
)


def main(arguments: list[str] = sys.argv[1:]) -> tuple[int, int]:
    """How many checks passed, and how many failed."""
    run(sys.executable, ROOT / "tools" / "crates.py", cwd=ROOT, env=environment())
    passed = failed = 0
    for check in (*CHECKS, the_source_in_the_package_is_compiled) if "--source" in arguments else CHECKS:
        with tempfile.TemporaryDirectory() as name:
            try:
                check(Path(name))
                passed += 1
                print(f"-- {check.__name__.replace('_', ' ')}", flush=True)
            except AssertionError as why:
                failed += 1
                print(f"-- FAILED: {check.__name__.replace('_', ' ')}\n{why}", flush=True)
    return passed, failed


if __name__ == "__main__":
    passed, failed = main()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
