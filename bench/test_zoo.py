# SPDX-License-Identifier: Apache-2.0
"""The zoo's figures follow from its samples, its profiles are parted so that stretches compare, and its catalogue names networks that
are there. Nothing is measured here."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
import zoo
import zoo_figures
from architectures.catalogue import CATALOGUE, DETECTORS, number
from node_times import Event, runs_of_anydim, runs_of_onnxruntime, stretches, typical
from public_models import PUBLIC

HERE = Path(__file__).resolve().parent


def run(first: list[float], later: list[float]) -> dict[str, Any]:
    return {"first_ms": first, "later_ms": later, "load_ms": 5.0, "peak": 2**20, "version": "1"}


def row(name: str, ours: float, ort: float, vino: float | None, difference: float | None = 0.0) -> dict[str, Any]:
    def engine(ms: float | None) -> dict[str, Any]:
        return {"refused": "no"} if ms is None else zoo_figures.of_engine([run([2 * ms, 2 * ms], [ms, ms])])

    return {
        "name": name, "kind": "text", "threads": 1, "shapes": 2, "anydim": engine(ours), "onnxruntime": engine(ort), "openvino": engine(vino),
        "difference": difference,
    }  # fmt: skip


def test_sums_are_over_shapes_of_medians_over_rounds() -> None:
    found = zoo_figures.of_engine([run([10, 3], [5, 1]), run([20, 4], [10, 2]), run([30, 5], [6, 4])])
    assert (found["first_ms"], found["later_ms"]) == (24, 8)
    assert math.isclose(found["growth"], math.sqrt(2 * 2)), (
        "the median of first/later within a process, then over shapes"
    )


def test_growth_is_beside_onnx_runtimes_and_first_calls_beside_the_faster_peers_steady_ones() -> None:
    rows = [row("a", 1, 4, 8), row("b", 2, 8, None), row("wrong", 1, 9, 9, 0.5)]
    (text,) = zoo_figures.growth_lines(rows)
    assert text.startswith("2 networks, 1 thread(s): first/later over ONNX Runtime's 1.000 (1.000 to 1.000)")
    assert "later ones 2.000 (2.000 to 2.000)" in text and "at most 1.00" in text
    assert zoo_figures.with_interval([1.0, 4.0]).startswith("2.000 (0.5")


def test_a_stream_shrinks_or_mixes_and_keeps_its_shapes() -> None:
    for item in zoo.ITEMS:
        growing = zoo.ordered(item, "growing")
        assert growing == list(item.stream) and zoo.ordered(item, "shrinking") == growing[::-1]
        assert sorted(map(str, zoo.ordered(item, "mixed"))) == sorted(map(str, growing))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux alone has these pages")
def test_pages_are_described_and_cost_time() -> None:
    found = pages.measured(huge_pages=False)
    assert found["policy"]["disabled_here"] is True
    assert found["us_per_mib"]["small"] > 0
    assert "off in this process" in pages.told(found)


def test_a_ratio_is_to_the_faster_peer_that_has_a_result() -> None:
    assert zoo_figures.ratio(row("a", 4, 2, 8), "later_ms") == 2
    assert zoo_figures.ratio(row("a", 4, 8, 5), "later_ms") == 0.8
    assert zoo_figures.ratio(row("a", 4, 8, None), "later_ms") == 0.5


def test_wrong_results_stand_first_and_count_nowhere() -> None:
    refused = {**row("refused", 1, 1, 1), "anydim": {"refused": "unimplemented"}}
    rows = [row("fast", 1, 2, 2), row("slow", 4, 2, 2), refused, row("wrong", 1, 9, 9, 0.5)]
    rows.sort(key=zoo_figures.badness)
    assert [r["name"] for r in rows] == ["wrong", "refused", "slow", "fast"]
    (mean,) = zoo_figures.means(rows)
    assert mean["models"] == 2 and mean["bad"] == 1 and math.isclose(mean["later"], 1.0)
    assert math.isclose(mean["growth_anydim"], 2.0)
    assert all("nan" not in text for text in zoo_figures.mean_lines([mean]))


def test_small_networks_are_those_whose_calls_are_short() -> None:
    found = zoo_figures.means([row("small", 0.5, 0.4, 9), row("large", 5, 4, 9)])
    assert [(mean["size"], mean["models"]) for mean in found] == [("large", 1), ("small", 1)]


def test_a_line_and_the_page_show_what_was_found() -> None:
    refused = {**row("refused", 1, 1, 1), "anydim": {"refused": "no kernel for Loop"}}
    rows = [row("quick", 2, 4, None), refused]
    assert "no kernel for Loop" in zoo_figures.line(refused) and "0.50" in zoo_figures.line(rows[0])
    document = {
        "machine": {"when": "2026-01-02T03:04:05", "commit": "abcdef012345", "cpu": {"model": "a CPU", "cores": 2}},
        "versions": {"onnxruntime": "1", "openvino": "2"},
        "rounds": 1,
        "threads": [1],
        "means": zoo_figures.means(rows[:1]),
        "models": rows,
        "blamed": [{"name": "quick", "threads": 1, "nodes": [
            {"node": "/a/Conv", "anydim_us": 5.0, "onnxruntime_us": 1.0, "anydim": "conv.x", "onnxruntime": "Conv"}]}],
    }  # fmt: skip
    page = zoo_figures.page([document], ["zoo-now.json"])
    assert "| quick | 0.50 | 0.50 |" in page and "| refused | no kernel for Loop |" in page and "/a/Conv" in page


def test_lines_that_were_measured_again_replace_those_of_the_whole_run() -> None:
    node = {"anydim_us": 5.0, "onnxruntime_us": 1.0, "anydim": "x", "onnxruntime": "y"}
    blamed = [{"name": name, "threads": 1, "nodes": [{"node": f"/{name}", **node}]} for name in ("slow", "other")]
    machine = {"when": "2026-01-02T03:04:05", "commit": "abcdef012345", "cpu": {"model": "a CPU", "cores": 2}}
    whole = {
        "machine": machine, "versions": {"onnxruntime": "1", "openvino": "2"}, "rounds": 1, "threads": [1], "means": [],
        "models": [row("slow", 8, 4, None), row("other", 5, 4, None)], "blamed": blamed,
    }  # fmt: skip
    again = {"rounds": 5, "models": [row("slow", 2, 4, None)], "blamed": []}
    found = zoo_figures.joined([whole, again])
    assert [(r["name"], r["anydim"]["later_ms"]) for r in found["models"]] == [("slow", 4), ("other", 10)]
    assert found["means"][0]["bad"] == 0 and math.isclose(found["means"][0]["later"], math.sqrt(0.5 * 1.25))
    assert [item["name"] for item in found["blamed"]] == ["other"]
    page = zoo_figures.page([whole, again], ["zoo-a.json", "zoo-b.json"])
    assert "| slow | 0.50 |" in page and "/slow" not in page
    assert "1 networks with lines that looked slow were measured again with 5 processes (`zoo-b.json`)" in " ".join(
        page.split()
    )


def test_outputs_are_compared_relative_to_the_largest_and_integers_by_share() -> None:
    x = np.array([1.0, 4.0], np.float32)
    assert zoo.difference({"0": x}, {"0": x}) == 0
    assert zoo.difference({"0": x + np.float32(2)}, {"0": x}) == 0.5
    assert zoo.difference({"0": np.array([1, 2, 3, 4])}, {"0": np.array([1, 2, 3, 9])}) == 0.25
    assert zoo.difference({"0": x[:1]}, {"0": x}) == math.inf and zoo.difference({}, {"0": x}) == math.inf
    nan = np.array([np.nan, 1.0])
    assert zoo.difference({"0": nan}, {"0": nan}) == 0 and zoo.difference({"0": nan}, {"0": np.ones(2)}) == math.inf


def test_profiles_fall_apart_into_runs() -> None:
    def ours(name: str, us: float) -> dict[str, Any]:
        return {"cat": "node", "name": f"{name} (Conv)", "dur": us, "args": {"kernel": "conv.tiles"}}

    end: dict[str, Any] = {"cat": "run", "name": "run"}
    trace = [event for us in (9, 1, 2, 3) for event in (ours("/a/Conv", us), end)]
    assert typical(runs_of_anydim(trace)) == [Event("/a/Conv", "conv.tiles", 2.5)], "the first runs are left out"
    theirs: list[dict[str, Any]] = [
        {"cat": "Node", "name": "y_nchwc_kernel_time", "dur": 4, "args": {"op_name": "Conv"}},
        {"cat": "Session", "name": "model_run"},
    ]
    assert runs_of_onnxruntime(theirs) == [[Event("y", "Conv", 4)]]


def test_stretches_have_all_of_the_time_and_begin_where_both_engines_do() -> None:
    where = {"conv": 0, "relu": 1, "add": 2, "mean": 3, "softmax": 4}
    ours = [Event("conv", "conv.tiles", 10), Event("", "reorder", 2), Event("softmax", "softmax", 1)]
    theirs = [
        Event("conv", "Conv", 4),
        Event("relu", "Relu", 1),
        Event("token_3", "Reorder", 1),
        Event("softmax", "Softmax", 3),
    ]
    found = stretches(ours, theirs, where)
    assert [(s.node, s.anydim_us, s.onnxruntime_us) for s in found] == [("conv", 12, 6), ("softmax", 1, 3)]
    assert found[0].anydim == "conv.tiles, reorder" and found[0].onnxruntime == "Conv, Relu, Reorder"


def test_the_catalogue_names_networks_that_are_there() -> None:
    assert len({a.name for a in CATALOGUE} | {p.model.name for p in PUBLIC}) == len(CATALOGUE) + len(PUBLIC)
    for item in CATALOGUE + DETECTORS:
        tree = ast.parse((HERE / "architectures" / f"{item.module}.py").read_text(encoding="utf-8"))
        assert item.name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, item.name


@pytest.mark.parametrize("item", CATALOGUE, ids=lambda item: item.name)
def test_inputs_follow_from_sizes(item: Any) -> None:
    assert 3 <= len(item.stream) <= 5
    for sizes in item.stream:
        feeds, again = item.feeds(sizes), item.feeds(sizes)
        for name, text in item.inputs.items():
            assert feeds[name].shape == tuple(number(word, sizes) for word in text.split()[1:])
            assert np.array_equal(feeds[name], again[name])
    assert any(axes for axes in item.dynamic().values()), "some dim is dynamic"


def test_the_page_says_what_its_result_says() -> None:
    page = HERE.parent / "docs" / "performance.md"
    text = page.read_text(encoding="utf-8")
    words = [word.strip("`.()").removeprefix("bench/results/") for word in text.split()]
    names = [word for word in words if word.startswith("zoo-") and word.endswith(".json")]
    results = [HERE / "results" / name for name in names]
    assert text == zoo_figures.page([json.loads(result.read_text(encoding="utf-8")) for result in results], names)


def test_a_run_goes_on_after_the_lines_that_it_has(tmp_path: Path) -> None:
    shared = {"commit": "abcdef012345", "rounds": 1}
    path = tmp_path / "build" / "lines.jsonl"
    assert zoo.kept_lines(None, shared) == [] and zoo.kept_lines(path, shared) == []
    rows = [row("a", 1, 2, 3), row("b", 2, 4, None)]
    for each in rows:
        zoo.keep_line(path, each)
    zoo.keep_line(None, rows[0])
    assert zoo.kept_lines(path, shared) == rows
    with path.open("a", encoding="utf-8") as file:
        file.write('{"name": "cut o')
    assert zoo.kept_lines(path, shared) == rows, "a line that was cut off is measured again"
    zoo.keep_line(path, row("c", 1, 2, 3))
    assert [kept["name"] for kept in zoo.kept_lines(path, shared)] == ["a", "b", "c"]
    with pytest.raises(SystemExit, match="name another file"):
        zoo.kept_lines(path, shared | {"commit": "123456abcdef"})


def test_the_page_says_what_was_refused_before_and_where_it_was_measured() -> None:
    machine = {"when": "2026-01-02T03:04:05", "commit": "abcdef012345", "cpu": {"model": "a CPU", "cores": 2}}
    refused = {**row("late", 1, 1, 1), "anydim": {"refused": "no kernel for Loop"}}
    common = {
        "machine": machine,
        "versions": {"onnxruntime": "1", "openvino": "2"},
        "threads": [1],
        "means": [],
        "blamed": [],
    }
    whole = {**common, "rounds": 1, "models": [row("quick", 2, 4, None), refused]}
    newer = {
        **common,
        "machine": {**machine, "commit": "123456abcdef"},
        "rounds": 3,
        "models": [row("late", 2, 4, None)],
    }
    page = " ".join(zoo_figures.page([whole, newer], ["zoo-a.json", "zoo-b.json"]).split())
    assert (
        "1 networks that were refused before (late) were measured at commit 123456a with 3 processes (`zoo-b.json`)."
        in page
    )
    assert "looked slow" not in page and "Unsupported" not in page and "| late | 0.50 |" in page
    again = " ".join(zoo_figures.page([whole, {**newer, "models": [row("quick", 2, 4, None)]}], ["a", "b"]).split())
    assert (
        "1 networks with lines that looked slow were measured again at commit 123456a with 3 processes (`b`)." in again
    )
    later = {**newer, "models": [row("late", 2, 4, None), row("new", 3, 4, None)]}
    both = " ".join(zoo_figures.page([whole, later], ["a", "b"]).split())
    assert "(late), 1 networks that came later were measured at commit 123456a with 3 processes (`b`)." in both
