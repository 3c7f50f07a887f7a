# SPDX-License-Identifier: Apache-2.0
"""Checks the crates of bindings/rust against the library under build/lib: layout of the sources (rustfmt), clippy without a warning,
the tests and examples, the code of the pages, what a newcomer does (newcomer.py) and documentation without a warning; with
--without-library also documentation as docs.rs makes it. Ends with the line "N passed, M failed, L skipped", in which every test of Rust
counts. With --vectors FOLDER it runs the test vectors of that folder instead and prints their results, for tests/vectors/table.py; with
--example NAME WORDS... it runs that example with these arguments.

The toolchain is the machine's, such as rustup's or Debian's cargo-web (tools/setup rust). What it lacks (rustfmt, clippy) is left
out and said. Crates come from the registry at the versions of Cargo.lock, or from cargo's own cache.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(1, str(ROOT / "tests" / "consumers"))
from declared_models import declared_models  # noqa: E402
from fetch_sqlite import certificates  # noqa: E402
from newcomer import main as newcomer  # noqa: E402
from pages import write as write_pages  # noqa: E402
from toolchain import version  # noqa: E402

RUST = ROOT / "bindings" / "rust"
BUILD = ROOT / "build"
OLDEST = (1, 70)
FEATURES = ("--no-default-features", "--features", "anydim/ndarray,anydim/half,anydim/log")
TESTS = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.MULTILINE)


DECLARED = [
    'labels country: [3]["Norway", "Peru", "?"]',
    'joined y: [3]["abx", "é雪", "z"]',
    'maps p: [{Text("no"): 0.25, Text("yes"): 0.75}, {Text("no"): 1.0, Text("yes"): 0.0}]',
    "maps row: f32[1, 3] 2.5",
    "sequences y: f32[4] 10.0",
    "sequences t: f32[2] 3.0; f32[2] 7.0; ",
    "sequences InvalidArgument: 's' has elements of dims [2] and [1]; a model that is loaded with sequence(\"s\", ranks of its"
    " elements) takes such",
    "sequences y: f32[3] 6.0",
    "sequences t: f32[2] 3.0; f32[1] 3.0; ",
]


class Checks:
    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = 0
        toolchain()
        self.environment = os.environ | {
            "ANYDIM_LIB_DIR": str(BUILD / "lib"),
            "ANYDIM_LINK": "dynamic",  # so that the programs of twenty tests do not each hold the library
            "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(BUILD / "lib"), os.environ.get("LD_LIBRARY_PATH")])),
            "ANYDIM_CACHE_DIR": str(BUILD / "test-cache"),
            "CARGO_TARGET_DIR": str(BUILD / "rust"),
            "CARGO_TERM_COLOR": "never",
        }
        if trusted := certificates():
            self.environment.setdefault("CARGO_HTTP_CAINFO", trusted)

    def run(self, name: str, *command: str, cwd: Path = RUST, **more: str) -> None:
        """A check that counts as one, or as its tests where it has some."""
        words = ["cargo", *command]
        print(f"\n-- {name}\n$ {' '.join(words)}", flush=True)
        begin = time.monotonic()
        done = subprocess.run(
            words,
            cwd=cwd,
            env=self.environment | more,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        print(done.stdout, end="")
        results = [(int(p), int(f)) for p, f in TESTS.findall(done.stdout)]
        passed, failed = sum(p for p, _ in results), sum(f for _, f in results)
        if not results:
            passed, failed = int(done.returncode == 0), int(done.returncode != 0)
        elif done.returncode != 0 and failed == 0:
            failed = 1
        print(f"-- {name}: {passed} passed, {failed} failed, {time.monotonic() - begin:.0f} s", flush=True)
        self.passed += passed
        self.failed += failed

    def has(self, tool: str) -> bool:
        found = subprocess.run(["cargo", tool, "--version"], capture_output=True).returncode == 0
        if not found:
            print(f"\n-- cargo {tool} is not installed: skipped")
            self.skipped += 1
        return found

    def declared(self) -> None:
        """Strings, maps and sequences."""
        with tempfile.TemporaryDirectory() as folder:
            declared_models(Path(folder))
            words = ["cargo", "run", "-q", "-p", "anydim", *FEATURES, "--example", "declared", "--", folder]
            done = subprocess.run(words, cwd=RUST, env=self.environment, capture_output=True, text=True)
        is_right = done.stdout.splitlines() == DECLARED
        print(
            f"\n-- strings, maps and sequences: {'1 passed' if is_right else '1 failed: ' + done.stdout + done.stderr}"
        )
        self.passed += is_right
        self.failed += not is_right

    def example(self, name: str, *arguments: str) -> int:
        words = ["cargo", "run", "-q", "-p", "anydim", *FEATURES, "--example", name, "--", *arguments]
        return subprocess.run(words, cwd=RUST, env=self.environment).returncode


def toolchain() -> None:
    """Says which it is; one that cannot read the registry as it is served today is refused."""
    cargo, rustc = (version(tool) for tool in ("cargo", "rustc"))
    print(f"{cargo}, {rustc}", file=sys.stderr)
    if tuple(map(int, cargo.split()[1].split(".")[:2])) < OLDEST:
        sys.exit(f"{cargo} is too old for the registry; expected {OLDEST[0]}.{OLDEST[1]} or newer: tools/setup rust")


def main() -> int:
    checks = Checks()
    if sys.argv[1:2] == ["--vectors"]:
        return checks.example("vectors", sys.argv[2])
    if sys.argv[1:2] == ["--example"]:
        return checks.example(*sys.argv[2:])
    if checks.has("fmt"):
        checks.run("layout", "fmt", "--check")
    if checks.has("clippy"):
        checks.run("clippy", "clippy", "--workspace", "--all-targets", *FEATURES, "--", "-D", "warnings")
    checks.run("tests", "test", "--workspace", "--no-fail-fast", *FEATURES)
    model = BUILD / "models" / "rec.onnx"
    for example, arguments in {
        "recognize": [str(model)],
        "widths": [str(model)],
        "convolution": [],
        "host": [],
    }.items():
        checks.run(f"example {example}", "run", "-p", "anydim", *FEATURES, "--example", example, "--", *arguments)
    checks.declared()
    folder = BUILD / "rust-pages"
    pages = write_pages(folder)
    manifest = ("--manifest-path", str(folder / "Cargo.toml"))
    checks.run("code of the pages compiles", "build", *manifest)
    for page in pages:  # where the models are
        checks.run(f"code of {page}", "run", "-q", *manifest, "--bin", page, cwd=BUILD / "models")
    passed, failed = newcomer([])
    checks.passed += passed
    checks.failed += failed
    checks.run("documentation", "doc", "--workspace", "--no-deps", *FEATURES, RUSTDOCFLAGS="-D warnings")
    if "--without-library" in sys.argv:
        nowhere: dict[str, Any] = {
            "DOCS_RS": "1",
            "ANYDIM_LIB_DIR": "/nowhere",
            "CARGO_TARGET_DIR": str(BUILD / "rust-docs"),
        }
        checks.run("documentation without a library", "doc", "--workspace", "--no-deps", *FEATURES, **nowhere)
    print(f"\n{checks.passed} passed, {checks.failed} failed, {checks.skipped} skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
