# SPDX-License-Identifier: Apache-2.0
"""A user's program against the crates as they are packaged (make rust), in an empty CARGO_HOME, without a network: the
example on rec.onnx at several widths, with the library linked in each of the three ways. The compiler cannot reach anything
but what the folder build/crates/vendor has; where the system allows it, the network is not even there. Before that, cargo alone is
asked whether the lines of docs/rust.md find the two crates beside others.

  crates.py [--make] [WAY...]      source (minutes), system, folder; without one, system and folder; --make: make the crates first
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "tools"))
from toolchain import version  # noqa: E402

BUILD = ROOT / "build"
VENDOR = BUILD / "crates" / "vendor"
PROGRAM = """
[package]
name = "program"
version = "0.1.0"
edition = "2021"

[dependencies]
anydim = {{ version = "0.1", features = [{features}]{more} }}

[profile.dev]
debug = 0
"""
CONFIG = """
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "{vendor}"
"""


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-6000:]}"
        )
    return str(done.stdout)


def without_network() -> list[str]:
    """What puts a command where there is no network; nothing if this user may not."""
    apart = ["unshare", "--net", "--map-root-user"]
    return (
        apart
        if shutil.which("unshare") and subprocess.run([*apart, "true"], capture_output=True).returncode == 0
        else []
    )


def write_program(work: Path, features: str, more: str) -> Path:
    folder = work / "program"
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(PROGRAM.format(features=features, more=more), encoding="utf-8")
    program = (ROOT / "bindings" / "rust" / "anydim" / "examples" / "widths.rs").read_text(encoding="utf-8")
    (folder / "src" / "main.rs").write_text(program.replace("ndarray::", "anydim::ndarray::"), encoding="utf-8")
    (work / "cargo").mkdir()
    (work / "cargo" / "config.toml").write_text(CONFIG.format(vendor=VENDOR), encoding="utf-8")
    return folder


def check_beside_other_crates() -> None:
    """The lines of docs/rust.md that take our two crates from the folder, and all others from where the program has them: here another
    folder, which lacks ours."""
    page = (ROOT / "docs" / "rust.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```toml\n(\[patch\.crates-io\]\n.*?)```", page, re.DOTALL)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        program = write_program(work, "", "")
        others = work / "others"
        others.mkdir()
        for crate in VENDOR.iterdir():
            if not crate.name.startswith("anydim"):
                (others / crate.name).symlink_to(crate)
        (work / "cargo" / "config.toml").write_text(CONFIG.format(vendor=others), encoding="utf-8")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "CARGO_"))}
        environment["CARGO_HOME"] = str(work / "cargo")
        words = ["cargo", "metadata", "--offline", "--format-version", "1"]
        without = subprocess.run(words, cwd=program, env=environment, capture_output=True, text=True)
        assert without.returncode != 0 and "anydim" in without.stderr, without
        (program / ".cargo").mkdir()
        (program / ".cargo" / "config.toml").write_text(lines.replace("/path/to/build", str(BUILD)), encoding="utf-8")
        found = {p["name"]: p["source"] for p in json.loads(run(*words, cwd=program, env=environment))["packages"]}
        assert found["anydim"] is None and found["anydim-sys"] is None, found  # paths, as the lines say
        assert found["cmake"] is not None, found
        print("beside other crates: the two come from the folder, all others from where they were")


def check(way: str, apart: list[str]) -> None:
    """Builds and runs the program with the library of this way, in folders of its own."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "CARGO_"))}
        environment |= {"CARGO_HOME": str(work / "cargo"), "CARGO_NET_OFFLINE": "true"}
        if way == "source":
            # Cargo's folder of builds stays, so that a second run is quick.
            program = write_program(work, '"ndarray"', "")
            environment["CARGO_TARGET_DIR"] = str(BUILD / "crates" / "target-source")
        else:
            features = '"ndarray", "system"' if way == "system" else '"ndarray"'
            program = write_program(work, features, ", default-features = false")
            prefix = work / "prefix"
            run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "library")
            if way == "system":
                environment["PKG_CONFIG_PATH"] = str(prefix / "lib" / "pkgconfig")
                environment["LD_LIBRARY_PATH"] = str(prefix / "lib")
            else:
                environment["ANYDIM_LIB_DIR"] = str(prefix / "lib")
        run(*apart, "cargo", "build", "--offline", "--quiet", cwd=program, env=environment)
        made = Path(environment.get("CARGO_TARGET_DIR", program / "target")) / "debug" / "program"
        shown = run(made, BUILD / "models" / "rec.onnx", env=environment)
        assert shown.split("\n")[:3] == ["[1, 9, 6625]", "[1, 40, 6625]", "[1, 64, 6625]"], shown
        needs = run("readelf", "--dynamic", made)
        assert ("libanydim.so" in needs) == (way == "system"), f"{way}: linked in the other way\n{needs}"
        print(f"{way}: {shown.split()} linked {'dynamically' if way == 'system' else 'statically'}", flush=True)


def main() -> int:
    ways = [word for word in sys.argv[1:] if word != "--make"] or ["system", "folder"]
    version("cargo")
    if "--make" in sys.argv[1:]:
        run(sys.executable, ROOT / "tools" / "crates.py")
    if not VENDOR.is_dir():
        sys.exit(f"{VENDOR} is not there: make rust")
    apart = without_network()
    print(
        "the network is not there"
        if apart
        else "cargo is told to stay offline; this user may not take the network away"
    )
    licences = list(VENDOR.glob("anydim-sys-*/source/third_party/licences/*"))
    with open(ROOT / "packaging" / "third_party.toml", "rb") as file:
        listed = tomllib.load(file)
        assert {p.stem for p in licences} == {c["name"] for c in listed["component"] + listed["source"]}, licences
    check_beside_other_crates()
    passed = 2
    for way in ways:
        check(way, apart)
        passed += 1
    print(f"{passed} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
