# SPDX-License-Identifier: Apache-2.0
"""Structural mutants as structural_mutants.py draws and judges them: a part of the drawn ones and of the systematic ones, without
sanitizers, and those that ended a process once (kept/mutants/)."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pytest
from mutant_models import Named, beginnings
from mutant_sweep import sweep
from structural_mutants import Mutant, Runner, draw, read_model

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = sorted((HERE / "kept" / "mutants").glob("*.*"))
DRAWN = 2000
EACH = 11  # of the systematic ones


@pytest.fixture(scope="module")
def models() -> list[Named]:
    return beginnings()


def none_is_wrong(mutants: list[Mutant]) -> None:
    verdicts = Runner(plain=True).judge(mutants)
    assert not [f"{mutant.name}: {what}" for mutant, what in verdicts.wrong]
    assert verdicts.statuses["load ok"] > len(mutants) // 8, "mutants of which none loads prove little"


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_model_that_ended_a_process_once_has_a_status(path: Path) -> None:
    verdicts = Runner(plain=True).judge([read_model(path)])
    assert not verdicts.wrong


def test_models_with_structural_changes_have_a_status(models: list[Named]) -> None:
    none_is_wrong([draw(models, 1, number) for number in range(DRAWN)])


def test_every_single_input_absent_doubled_or_of_another_type_gives_a_status(models: list[Named]) -> None:
    some = islice(sweep(models), 0, None, EACH)
    none_is_wrong([Mutant(name, model.SerializeToString()) for name, model in some])


def test_the_models_have_every_operator_of_the_importer(models: list[Named]) -> None:
    imported: set[str] = set()
    for source in (ROOT / "onnx" / "operators").rglob("*.cpp"):
        imported |= set(re.findall(r'\{"(\w+)", \d+, [^,{}]+\}', source.read_text(encoding="utf-8")))
    assert len(imported) > 200, "the importer's tables have another form"
    assert imported <= {node.op_type for _, model in models for node in model.graph.node}


def test_importers_ask_the_node_and_not_the_graph_for_values() -> None:
    """NodeImport::value has an answer for what is not there; Graph::value has none."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "onnx").rglob("*.cpp")}
    assert len(sources) > 40
    assert not [name for name, text in sources.items() if re.search(r"\bn_?\.graph\(\)\.value\(", text)]


def test_a_seed_makes_the_same_mutants_every_time(models: list[Named]) -> None:
    assert [draw(models, 3, number).data for number in range(50)] == [
        draw(models, 3, number).data for number in range(50)
    ]
