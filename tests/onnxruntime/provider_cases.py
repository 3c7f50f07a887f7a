# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of the `onnx` package in ONNX Runtime, without the provider and with it: whatever passes without it must pass
with it. Says of each case how much of it was claimed.

  python tests/onnxruntime/provider_cases.py               all, with a summary
  python tests/onnxruntime/provider_cases.py test_conv     the cases whose name contains this, each with its message
  python tests/onnxruntime/provider_cases.py --renew       writes claimed.txt, which the test compares
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
from node_cases import collect, difference, to_numpy  # noqa: E402

CLAIMED = HERE / "claimed.txt"
HEAD = """\
# How much of each node case of the onnx package the provider claims, of those that ONNX Runtime passes: all, some or none of its nodes.
# test_provider_cases.py compares. Written by: python tests/onnxruntime/provider_cases.py --renew
"""


@dataclass(frozen=True)
class Outcome:
    case: str
    without: str  # empty if it passes, else what is wrong
    beside: str  # the same with the provider
    claimed: str  # all, some or none


def run(case: Any, with_provider: bool) -> tuple[str, str]:
    """What is wrong, and how much was claimed."""
    import anydim.ort
    import onnxruntime
    from provider_models import CLAIMS

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 1 if with_provider else 4
    if with_provider:
        options.add_provider_for_devices(anydim.ort.register(), {"smallest_part": "1"})
    with tempfile.TemporaryFile() as log:
        errors = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            session = onnxruntime.InferenceSession(case.model.SerializeToString(), options)
            for inputs, outputs in case.data_sets:
                names = [value.name for value in case.model.graph.input]
                feeds = {n: to_numpy(v) for n, v in zip(names, inputs, strict=False) if v is not None}
                problem = difference([to_numpy(value) for value in outputs], session.run(None, feeds), case)
                if problem:
                    break
        except Exception as failure:
            problem = f"{type(failure).__name__}: {failure}"[:400]
        finally:
            os.dup2(errors, 2)
            os.close(errors)
        log.seek(0)
        claims = [(int(a), int(b)) for a, b, _ in CLAIMS.findall(log.read().decode(errors="replace"))]
    nodes = sum(a for a, _ in claims)
    return problem, "none" if nodes == 0 else "all" if claims[-1][0] == claims[-1][1] else "some"


def work(names: list[str]) -> None:
    wanted = set(names)
    for case in collect():
        if case.name not in wanted:
            continue
        print(f"begin {case.name}", flush=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            without, _ = run(case, False)
            beside, claimed = run(case, True) if not without else ("", "none")
        print(json.dumps(asdict(Outcome(case.name, without, beside, claimed))), flush=True)


def supervise(names: list[str]) -> list[Outcome]:
    """In a process of its own; if it dies, the case that it ran is blamed, and another one goes on behind it."""
    outcomes: list[Outcome] = []
    pending = list(names)
    while pending:
        done = subprocess.run(
            [sys.executable, __file__, "--worker"],
            input=json.dumps(pending),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        current = ""
        for line in done.stdout.splitlines():
            if line.startswith("begin "):
                current = line[6:]
            elif line.startswith("{"):
                outcomes.append(Outcome(**json.loads(line)))
                pending.remove(outcomes[-1].case)
        if pending:
            pending.remove(current or pending[0])
            outcomes.append(Outcome(current, "", f"crash, status {done.returncode}", "none"))
    return outcomes


def run_all(names: list[str], processes: int) -> list[Outcome]:
    with ThreadPoolExecutor(processes) as pool:
        parts = pool.map(supervise, [names[i::processes] for i in range(processes)])
    return sorted((o for part in parts for o in part), key=lambda o: o.case)


def claims_of(outcomes: list[Outcome]) -> dict[str, str]:
    return {o.case: o.claimed for o in outcomes if not o.without}


def read_claimed() -> dict[str, str]:
    lines = (line.split() for line in CLAIMED.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {case: claimed for case, claimed in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--worker", action="store_true")
    arguments = parser.parse_args()
    if arguments.worker:
        return work(json.load(sys.stdin))
    names = [case.name for case in collect() if arguments.part in case.name]
    outcomes = run_all(names, len(os.sched_getaffinity(0)))
    for o in outcomes:
        if o.beside or (arguments.part and not arguments.renew):
            print(f"{o.case}: claims {o.claimed}; without: {o.without or 'passed'}; with it: {o.beside or 'passed'}")
    print(f"{Counter(claims_of(outcomes).values())} of {len(outcomes)}; {sum(bool(o.beside) for o in outcomes)} lost")
    if arguments.renew:
        lines = [f"{case} {claimed}\n" for case, claimed in sorted(claims_of(outcomes).items())]
        CLAIMED.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
