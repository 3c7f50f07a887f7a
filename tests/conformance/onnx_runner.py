# SPDX-License-Identifier: Apache-2.0
"""ONNX's own test runner (onnx.backend.test) on anydim.onnx_backend: its node, simple and PyTorch suites. What is excluded is in
excluded.txt with the reason, which is what the library itself says of the case.

  python tests/conformance/onnx_runner.py            all, with a summary
  python tests/conformance/onnx_runner.py --renew    writes excluded.txt, which the test compares
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import unittest
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXCLUDED = HERE / "excluded.txt"
HEAD = """\
# Cases of ONNX's own test runner that do not pass, each with what is said of it. test_onnx_runner.py compares.
# Written by: python tests/conformance/onnx_runner.py --renew
"""
SUITES = ("Node", "Simple", "PyTorchConverted", "PyTorchOperator")  # those of real models download them
# Their outputs come from a generator of random numbers, which the operators' definitions do not fix.
RANDOM = "its outputs are random numbers"


def suites() -> unittest.TestSuite:
    import anydim.onnx_backend
    from onnx.backend.test import BackendTest

    cases = BackendTest(anydim.onnx_backend.AnydimBackend, __name__).test_cases
    suite = unittest.TestSuite()
    for name in SUITES:
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(cases[f"OnnxBackend{name}ModelTest"]))
    return suite


def reason(case: str, failure: BaseException) -> str:
    """Why a case does not pass; empty if that is an error of Anydim."""
    import anydim
    from node_cases import NON_DETERMINISTIC, ROUNDING_FOR_ZERO, TWO_ROUNDINGS

    name = case.removesuffix("_cpu")
    if name in NON_DETERMINISTIC:
        return RANDOM
    if name in TWO_ROUNDINGS:
        return "two roundings of float16, which its tolerance does not allow for"
    if name in ROUNDING_FOR_ZERO:
        return "a rounding that the expected answer has where the sum is 0"
    if isinstance(failure, anydim.UnimplementedError):
        return re.sub(r"\s+", " ", str(failure)).split("; all that this model uses")[0][:160]
    return ""


class Result(unittest.TestResult):
    """What did not pass, with its exception's kind and message."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0
        self.not_passed: dict[str, tuple[str, str]] = {}  # case: reason, message

    def addSuccess(self, test: Any) -> None:
        self.passed += 1

    def _failed(self, test: Any, failure: Any) -> None:
        case = test.id().rsplit(".", 1)[1]
        self.not_passed[case] = (reason(case, failure[1]), f"{failure[0].__name__}: {failure[1]}"[:400])

    def addError(self, test: Any, err: Any) -> None:
        self._failed(test, err)

    def addFailure(self, test: Any, err: Any) -> None:
        self._failed(test, err)


def worker() -> None:
    sys.path.insert(0, str(HERE))
    result = Result()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suites().run(result)
    print(json.dumps({"passed": result.passed, "skipped": len(result.skipped), "not_passed": result.not_passed}))


def run() -> dict[str, Any]:
    """In a process of its own, for the runner changes directories and prints."""
    done = subprocess.run([sys.executable, __file__, "--worker"], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def read_excluded() -> dict[str, str]:
    lines = (
        line.split(" ", 1) for line in EXCLUDED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    )
    return {case: why for case, why in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true", help="write excluded.txt")
    parser.add_argument("--worker", action="store_true", help="run them in this process and print the result as JSON")
    arguments = parser.parse_args()
    if arguments.worker:
        return worker()
    found = run()
    for case, (why, message) in found["not_passed"].items():
        if not why:
            print(f"{case}: {message}")
    reasons = Counter(why for why, _ in found["not_passed"].values())
    print(
        f"{found['passed']} passed, {found['skipped']} skipped, {len(found['not_passed'])} excluded, {reasons['']} wrong"
    )
    if arguments.renew:
        lines = [f"{case} {why}\n" for case, (why, _) in sorted(found["not_passed"].items()) if why]
        EXCLUDED.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("ONNX_HOME", str(HERE.parents[1] / "build" / "onnx"))
    main()
