# SPDX-License-Identifier: Apache-2.0
"""Random graphs, as random_graphs.py draws and judges them: none is wrong, and those that once were, or were
held to be, are right (kept/)."""

from __future__ import annotations

import os
import re
from pathlib import Path

import onnx
import pytest
from cases import read
from generate import KINDS, generate
from judge import RIGHT, WRONG, judge
from operator_table import TABLE
from random_graphs import failure_text, run_all, summary, too_few_ran
from shrink import shrink

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = sorted((HERE / "kept").glob("*.txt"))
GRAPHS = 600  # as many of each kind


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_case_that_was_wrong_once_is_right(path: Path) -> None:
    outcome = judge(read(path))
    assert outcome.verdict == RIGHT, f"{outcome.verdict}: {outcome.message}"


def test_random_graphs_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = list(range(1, GRAPHS // len(KINDS) + 1))
    results = run_all([(kind, seeds) for kind in KINDS], len(os.sched_getaffinity(0)))
    with capsys.disabled():
        print(f"\n{summary(results)}")
    assert len(results) == GRAPHS
    assert not [failure_text(r) for r in results if r["verdict"] == WRONG]
    assert not too_few_ran(results), "a test that nothing runs in proves nothing"


def test_every_operator_of_the_importer_can_be_drawn() -> None:
    imported = set()
    # Operators that ONNX does not have are drawn beside ONNX Runtime in tests/conformance/test_microsoft.py (and GroupQueryAttention in
    # grouped_graphs.py), quantised ones in test_quantized_graphs.py, those of ai.onnx.ml in tests/conformance/test_learned.py, sequences
    # in sequence_graphs.py, strings in string_graphs.py.
    for source in (ROOT / "onnx" / "operators").glob("*.cpp"):  # in its folders: com.microsoft and ai.onnx.ml
        if source.stem in {"quantized", "sequence", "strings"}:
            continue
        imported |= set(re.findall(r'\{"(\w+)", \d+, [^,{}]+\}', source.read_text(encoding="utf-8")))
    assert len(imported) > 100, "the importer's tables have another form"
    beside = {
        "SimplifiedLayerNormalization",
        "Affine",
        "Crop",
        "ImageScaler",
    }  # of ONNX Runtime's tools, and withdrawn by ONNX
    training = {"Adagrad", "Adam", "Momentum"}  # tests/conformance/opset_others.py has rows
    assert imported - set(TABLE) == beside | training


def test_a_seed_makes_the_same_graph_every_time() -> None:
    for kind in KINDS:
        assert generate(5, kind) == generate(5, kind)


def test_a_failure_shrinks_to_the_node_that_is_wrong() -> None:
    def has_neg(model: onnx.ModelProto) -> bool:
        onnx.checker.check_model(model)
        return any(node.op_type == "Neg" for node in model.graph.node)

    for seed in range(1, 100):
        model = generate(seed, "random")
        if any(output.type.WhichOneof("value") is None for output in model.graph.output):
            continue  # a node that can never run has no type (contradictions.py), which the checker asks for
        if has_neg(model) and len(model.graph.node) > 5:
            assert [node.op_type for node in shrink(model, has_neg).graph.node] == ["Neg"]
            return
    pytest.fail("no seed has a Neg among other nodes")
