# SPDX-License-Identifier: Apache-2.0
"""Runs the stages of tests/stages.toml one after another and ends with each stage's verdict and summary line.

  quick   what `make test` runs
  all     quick and long, what `make test-all` runs; with --resume, stages that passed on exactly these sources are
          not run again

A stage that fails does not stop the others. The full output of each is in build/test-logs/. Neighbours that say `together`
use one core each: they run beside each other, and show their output when they end.

Every stage has a floor in tests/stages.toml, and one that runs fewer tests than that fails: a change cannot lose tests in
silence. Counted are `tests` (of ctest, pytest or the sanitizers' runner; skipped ones say why and count), `cases` (inside
the programs that GoogleTest makes) and `golden` (vectors of tests/vectors/strict.txt that were compared).
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from source_digest import ROOT, digest

BUILD = ROOT / "build"
LOGS = BUILD / "test-logs"
# The lines by which ctest, pytest and tests/sanitizers/run.py sum up a run.
SUMMARY = re.compile(
    r"^(\d+% tests passed.*|=*\s*(?:\d+ \w+(?:, )?)+ in [\d.]+s.*|\d+ passed, \d+ failed(?:, \d+ skipped)?)$"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Stage:
    name: str
    what: str
    suite: str
    command: str
    floor: dict[str, int]  # the least of `tests`, `cases`, `golden`
    together: bool = False  # with neighbours that say so, too


@dataclass(frozen=True)
class Outcome:
    stage: Stage
    passed: bool
    seconds: float
    summary: str
    shortfall: str = ""  # what is below the floor
    resumed: bool = False


def read_stages() -> list[Stage]:
    with open(ROOT / "tests" / "stages.toml", "rb") as file:
        return [Stage(**entry) for entry in tomllib.load(file)["stage"]]


def tests_of(summary: str) -> int:
    """How many tests passed or said why they were skipped, by a runner's own line."""
    if match := re.search(r"(\d+) tests failed out of (\d+)", summary):
        return int(match[2]) - int(match[1])
    return sum(int(count) for count, word in re.findall(r"(\d+) (\w+)", summary) if word in ("passed", "skipped"))


def cases_of(folder: Path) -> tuple[int, int]:
    """Of the reports that GoogleTest left in the folder: cases that did not fail, and golden vectors that were compared."""
    cases = golden = 0
    for report in folder.glob("*.xml"):
        root = ElementTree.parse(report).getroot()
        cases += sum(
            int(root.get(name, "0")) * sign for name, sign in (("tests", 1), ("failures", -1), ("disabled", -1))
        )
        golden += sum(int(p.get("value", "0")) for p in root.iter("property") if p.get("name") == "golden_vectors")
    return cases, golden


def below(floor: dict[str, int], counts: dict[str, int]) -> str:
    """What there is too little of; empty if nothing."""
    return ", ".join(
        f"{counts[what]} {what}, at least {least} expected" for what, least in floor.items() if counts[what] < least
    )


def run(stage: Stage, jobs: int, at_once: bool = True) -> Outcome:
    """Runs the stage and shows what it writes, at once or when it has ended."""
    filled = stage.command.format(build=BUILD, python=sys.executable, jobs=jobs)
    kept = [f"\n---- {stage.name}: {stage.what}\n$ {filled}\n"]
    if at_once:
        print(kept.pop(), end="", flush=True)
    begin = time.monotonic()
    summary = ""
    reports = LOGS / "gtest" / stage.name
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "GTEST_OUTPUT": f"xml:{reports}/"}
    with (
        open(LOGS / f"{stage.name}.log", "w", encoding="utf-8") as log,
        subprocess.Popen(
            shlex.split(filled), cwd=ROOT, env=environment, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process,
    ):  # fmt: skip
        assert process.stdout
        for line in process.stdout:
            if at_once:
                print(line, end="", flush=True)
            else:
                kept.append(line)
            log.write(line)
            if SUMMARY.match(plain := COLOUR.sub("", line).strip()):
                summary = plain
    seconds = time.monotonic() - begin
    cases, golden = cases_of(reports)
    counts = {"tests": tests_of(summary), "cases": cases, "golden": golden}
    shortfall = below(stage.floor, counts)
    told = ", ".join(f"{counts[what]} {what} (floor {least})" for what, least in stage.floor.items())
    print("".join(kept) + f"---- {stage.name}: {told}", flush=True)
    passed = process.returncode == 0 and not shortfall
    return Outcome(stage, passed, seconds, summary or f"exit status {process.returncode}", shortfall)


def batches(stages: list[Stage]) -> list[list[Stage]]:
    """Neighbours that run beside each other; most are alone."""
    found: list[list[Stage]] = []
    for stage in stages:
        if found and stage.together and found[-1][-1].together:
            found[-1].append(stage)
        else:
            found.append([stage])
    return found


def run_batch(batch: list[Stage], jobs: int) -> list[Outcome]:
    if len(batch) == 1 or jobs == 1:
        return [run(stage, jobs) for stage in batch]
    print(f"\n---- beside each other: {', '.join(stage.name for stage in batch)}", flush=True)
    with ThreadPoolExecutor(jobs) as threads:
        return list(threads.map(lambda stage: run(stage, jobs, at_once=False), batch))


def report(outcomes: list[Outcome]) -> bool:
    print("\n==== stages")
    for outcome in outcomes:
        word = "passed" if outcome.passed else "FAILED"
        note = " (earlier, on the same sources)" if outcome.resumed else ""
        print(f"{word}  {outcome.stage.name:<14} {outcome.seconds:6.0f} s  {outcome.stage.what}{note}")
        if outcome.shortfall:
            print(f"        tests are missing: {outcome.shortfall} (tests/stages.toml)")
    # Last of all the lines that ctest and pytest wrote, for readers that look for them.
    print()
    for outcome in outcomes:
        print(outcome.summary)
    failed = [outcome.stage.name for outcome in outcomes if not outcome.passed]
    verdict = f"{len(failed)} of {len(outcomes)} stages failed: {', '.join(failed)}; see build/test-logs/"
    print(f"verdict: {verdict}" if failed else f"verdict: all {len(outcomes)} stages passed")
    return not failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=("quick", "all"))
    parser.add_argument("--resume", action="store_true", help="skip stages that passed on exactly these sources")
    parser.add_argument("--only", metavar="STAGE", action="append", help="only this stage; may be repeated")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)

    stages = [s for s in read_stages() if arguments.suite == "all" or s.suite == "quick"]
    if arguments.only:
        stages = [s for s in stages if s.name in arguments.only]
        if not stages:
            parser.error(f"no such stage; there are: {', '.join(s.name for s in read_stages())}")
    stamps = BUILD / "test-stamps" / digest()
    done = {}
    for stage in stages:
        stamp = stamps / stage.name
        if arguments.resume and stamp.exists():
            done[stage.name] = Outcome(stage, True, 0.0, stamp.read_text(encoding="utf-8"), resumed=True)
    for batch in batches([stage for stage in stages if stage.name not in done]):
        for outcome in run_batch(batch, arguments.jobs):
            done[outcome.stage.name] = outcome
            if outcome.passed:
                stamps.mkdir(parents=True, exist_ok=True)
                (stamps / outcome.stage.name).write_text(outcome.summary, encoding="utf-8")
    outcomes = [done[stage.name] for stage in stages]
    return 0 if report(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
