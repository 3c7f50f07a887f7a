# SPDX-License-Identifier: Apache-2.0
"""Runs the safe crate's edge under Miri, over a library that is played in Rust (bindings/rust/anydim/tests/edge_under_miri.rs says why),
and then the bugs that are planted there, each of which Miri must find. Needs a nightly toolchain of rustup with miri and rust-src
(tools/setup miri). Ends with the line "N passed, M failed".
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from run import BUILD, FEATURES, RUST, certificates, version

TESTS = re.compile(r"^test result: ok\. (\d+) passed; 0 failed; (\d+) ignored", re.MULTILINE)
# planted bug -> words of Miri's that it must end with
PLANTED = {
    "planted_use_after_free": "Undefined Behavior: .*freed|Undefined Behavior: .*dangling",
    "planted_race": "Undefined Behavior: Data race detected",
}
LEAST = 11


def miri(*words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "DOCS_RS": "1",  # declarations alone: nothing is linked
        "CARGO_TARGET_DIR": str(BUILD / "rust-miri"),
        "CARGO_TERM_COLOR": "never",
    }
    if trusted := certificates():
        environment.setdefault("CARGO_HTTP_CAINFO", trusted)
    command = ["cargo", "+nightly", "miri", *words]
    print(f"$ {' '.join(command)}", flush=True)
    return subprocess.run(command, cwd=RUST, env=environment, capture_output=True, text=True)


def installed() -> bool:
    try:
        done = miri("--version")
    except OSError:  # no cargo
        return False
    return done.returncode == 0 and done.stdout.startswith("miri ")


def test(*words: str) -> subprocess.CompletedProcess[str]:
    return miri("test", "-p", "anydim", *FEATURES, "--test", "edge_under_miri", "--", *words)


def main() -> int:
    if not installed():
        version("cargo")  # where cargo itself does not run, this says so and ends
        print("Miri is not installed: tools/setup miri")
        return 1
    done = test()
    print(done.stdout[-6000:], done.stderr[-6000:], sep="")
    counted = TESTS.search(done.stdout)
    passed = int(counted[1]) if counted and done.returncode == 0 else 0
    failed = int(passed < LEAST)
    if counted and int(counted[2]) != len(PLANTED):
        print(f"{counted[2]} planted bugs are in the tests, {len(PLANTED)} are known here")
        failed += 1
    for bug, words in PLANTED.items():
        done = test("--ignored", "--exact", bug)
        found = done.returncode != 0 and re.search(words, done.stderr)
        print(f"-- {bug}: {'found: ' + found[0] if found else 'NOT found' + done.stdout + done.stderr[-2000:]}")
        passed, failed = passed + bool(found), failed + (not found)
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
