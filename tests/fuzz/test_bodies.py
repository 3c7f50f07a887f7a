# SPDX-License-Identifier: Apache-2.0
"""Random models of branches and loops, as bodies.py draws them: what ONNX Runtime and onnx.reference give, to the last bit, with
all passes, with exact ones, node by node, and within bounds."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from bodies import draw_feeds, draw_model, nested, without_condition
from onnx.reference import ReferenceEvaluator

MODELS, RUNS = 80, 5
ort.set_default_logger_severity(4)


class Peers:
    def __init__(self, model: onnx.ModelProto) -> None:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            self.ort: Any = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception:  # whatever it raises, it does not load the model
            self.ort = None
        self.reference: Any = None
        if without_condition(model.graph):
            return  # it never runs such a loop: its condition is None, which is false
        try:
            self.reference = ReferenceEvaluator(model)
        except Exception:  # it has no Scan from the end, among others
            self.reference = None

    def run(self, feeds: dict[str, Any]) -> dict[str, list[Any]]:
        results = {}
        for name, engine in (("onnxruntime", self.ort), ("onnx.reference", self.reference)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if engine is not None:
                        results[name] = engine.run(None, {k: np.asarray(v) for k, v in feeds.items()})
            except Exception:  # an engine that cannot run it has no say
                continue
        return results


def differs(ours: list[Any], theirs: list[Any]) -> str:
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a.shape != b.shape and not (a.size == 0 and b.size == 0):
            return f"output {i} has dims {a.shape} and {b.shape}"
        if a.size and not np.array_equal(a, b):
            return f"output {i} has {a.ravel()[:8]} and {b.ravel()[:8]}"
    return ""


def test_drawn_bodies_give_what_others_give(capsys: pytest.CaptureFixture[str]) -> None:
    asked: Counter[str] = Counter()
    drawn: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    deep = zero = ran = 0
    for seed in range(1, MODELS + 1):
        model, kinds = draw_model(seed)
        onnx.checker.check_model(model)
        drawn += kinds
        deep += nested(model.graph) > 1
        data = model.SerializeToString()
        try:
            sessions = {p: anydim.InferenceSession(data, passes=p, threads=1) for p in ("all", "exact", "none")}
        except anydim.UnimplementedError as failure:
            refused[str(failure)[-80:]] += 1
            continue
        rows = (0, 5)
        bounds = {"x": (rows, 4), "z": (rows, 4), "u": (rows, 4)}
        try:
            sessions["bounded"] = anydim.InferenceSession(data, bounds=bounds, threads=2)
        except (anydim.OutOfBoundsError, anydim.UnimplementedError):
            refused["no bounds"] += 1  # what data makes larger and larger has none
        peers = Peers(model)
        for run in range(RUNS):
            feeds = draw_feeds(seed, run)
            zero += int(feeds["count"]) == 0 or feeds["u"].shape[0] == 0
            arrays = {k: np.asarray(v) for k, v in feeds.items()}
            ours = {p: s.run(None, arrays) for p, s in sessions.items()}
            for p, results in ours.items():
                assert not (d := differs(results, ours["none"])), f"seed {seed}, run {run}, {p} and no passes: {d}"
            said = peers.run(feeds)
            asked += Counter(said.keys())
            ran += bool(said)
            wrong = {p: d for p, theirs in said.items() if (d := differs(ours["none"], theirs))}
            assert not said or len(wrong) < len(said), f"seed {seed}, run {run}: {wrong}"
    with capsys.disabled():
        words = f"{MODELS} models, {dict(drawn)}, {deep} nested; runs {ran}, compared {dict(asked)}"
        print(f"\nbodies: {words}; refused {dict(refused)}")
    assert min(drawn["If"], drawn["Loop"], drawn["Scan"]) > MODELS // 3
    assert drawn["flat"] > MODELS // 20
    assert deep > MODELS // 6
    assert zero > MODELS // 2
    assert ran > MODELS * RUNS * 0.9, "a test that nothing runs in proves nothing"
