# SPDX-License-Identifier: Apache-2.0
"""Run-time numbers with special values (special_numbers.py): what ONNX Runtime runs has its results under every set of passes, and
nothing is an internal error. What both leave open is in OPEN, with the reason."""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import tempfile
from collections import Counter
from typing import Any

import anydim
import numpy as np
import onnxruntime as ort
import pytest
from special_numbers import Case, every_case

Results = list[np.ndarray[Any, Any]]
CASES = list(every_case())
ort.set_default_logger_severity(4)


def write_results(case: Case, first: int, to: Any) -> None:
    """One line a run: its results, or None if it is refused."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = ort.InferenceSession(case.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for feed in case.runs[first:]:
        try:
            results = session.run(None, feed)
        except Exception:
            results = None
        pickle.dump(results, to)
        to.flush()


def by_onnxruntime(case: Case) -> list[Results | None]:
    """The results of each run, None where it is refused or ends the process: some of these numbers do."""
    found: list[Results | None] = []
    while len(found) < len(case.runs):
        with tempfile.TemporaryFile() as file:
            child = os.fork()
            if child == 0:
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
                faulthandler.disable()
                write_results(case, len(found), file)
                os._exit(0)
            os.waitpid(child, 0)
            file.seek(0)
            while len(found) < len(case.runs):
                try:
                    found.append(pickle.load(file))
                except EOFError:
                    found.append(None)
                    break
    return found


@pytest.fixture(scope="module")
def expected() -> list[list[Results | None]]:
    return [by_onnxruntime(case) for case in CASES]


def differences(passes: str, expected_of: list[list[Results | None]]) -> tuple[list[str], Counter[str]]:
    wrong, counted = [], Counter[str]()
    for case, results_of in zip(CASES, expected_of, strict=True):
        try:
            ours = anydim.InferenceSession(case.model.SerializeToString(), passes=passes, threads=1)
        except anydim.Error as failure:
            wrong.append(f"{case.name}: load: {failure}")
            continue
        for feed, expected in zip(case.runs, results_of, strict=True):
            what = f"{case.name}, {', '.join(f'{k} {v.tolist() if v.dtype == np.int64 else list(v.shape)}' for k, v in feed.items())}"
            try:
                results = ours.run(None, feed)
            except anydim.InternalError as failure:
                wrong.append(f"{what}: internal: {failure}")
                continue
            except anydim.UnimplementedError:
                counted["unimplemented"] += expected is not None
                if expected is not None:
                    counted[f"  {case.name}"] += 1
                continue
            except anydim.Error as failure:
                counted["refused by both"] += expected is None
                if expected is not None:
                    wrong.append(f"{what}: refused ({failure}); expected {[list(e.shape) for e in expected]}")
                continue
            if expected is None:
                counted["ours alone"] += 1
                counted[f"  alone: {case.name.split(',')[0]}"] += 1
                continue
            counted["equal"] += 1
            for a, b in zip(results, expected, strict=True):
                # Of what is computed, interpolation alone rounds.
                if (
                    a.dtype != b.dtype
                    or a.shape != b.shape
                    or not np.allclose(a, b, rtol=1e-6 if a.dtype.kind == "f" else 0, atol=0)
                ):
                    wrong.append(f"{what}: {list(a.shape)}, expected {list(b.shape)}")
    return wrong, counted


@pytest.mark.parametrize("passes", ["none", "exact", "all"])
def test_special_numbers_have_the_results_of_onnxruntime(
    passes: str, expected: list[list[Results | None]], capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, counted = differences(passes, expected)
    with capsys.disabled():
        print(f"\n{dict(counted)}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:60])
