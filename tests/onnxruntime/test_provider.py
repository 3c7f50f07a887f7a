# SPDX-License-Identifier: Apache-2.0
"""Anydim as a provider of ONNX Runtime: whole models at any shape, parts between nodes that it lacks, branches and loops, threads,
failing runs, bound outputs, options, registering again. Results are compared with ONNX Runtime's own and with Anydim's own bits."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anydim
import anydim.ort
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from provider_models import NAME, VERSION, layers, model, plain, sample, scaled, session_with, value, weights

ROOT = Path(__file__).resolve().parents[2]
REC = str(ROOT / "build" / "models" / "rec.onnx")


def same(got: Any, expected: Any) -> None:
    assert len(got) == len(expected)
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)


def test_a_recogniser_at_24_widths_is_compiled_once_and_has_the_library_s_own_bits(capfd: Any) -> None:
    session, log = session_with(REC, capfd)
    direct = anydim.InferenceSession(REC, threads=2)
    nodes, of, parts = log.claims[0]
    assert (nodes, parts) == (of, 1)
    random = np.random.default_rng(1)
    for width in range(32, 32 + 24 * 37, 37):
        x = random.random((1, 3, 48, width), np.float32)
        assert np.array_equal(session.run(None, {"x": x})[0], direct.run(None, {"x": x})[0])
    said = capfd.readouterr()
    assert log.compiled == 1
    assert "compiled a part" not in said.out + said.err


@pytest.mark.skipif(VERSION < (1, 31), reason="1.24 knows registered providers by their devices only")
def test_plain_names_of_providers() -> None:
    anydim.ort.register()
    session = onnxruntime.InferenceSession(REC, providers=[NAME, "CPUExecutionProvider"])
    assert session.get_providers() == [NAME, "CPUExecutionProvider"]


@pytest.mark.parametrize(
    "places", [(False, True, False), (True, False, False), (False, False, True), (True, True, True)]
)
def test_nodes_that_are_lacking_at_the_edges_and_in_the_middle(places: tuple[bool, ...], capfd: Any) -> None:
    nodes: list[Any] = []
    constants: list[Any] = []
    last = "x"
    for i, foreign in enumerate((places[0], None, places[1], None, places[2])):
        if foreign is None:
            more, w = layers(last, f"l{i}", i)
            nodes, constants, last = nodes + more, constants + w, f"l{i}"
        elif foreign:
            nodes, last = [*nodes, sample(last, f"s{i}")], f"s{i}"
    made = model(nodes, [value("x", ["n", 8])], [value(last, ["n", 8])], constants)
    session, log = session_with(made, capfd)
    parts = 2 if places[1] else 1
    ((claimed, of, in_parts),) = log.claims
    assert (claimed, in_parts) == (of - sum(places), parts), "ONNX Runtime makes one node of a product and a sum"
    assert log.compiled == parts
    reference = plain(made)
    for rows in (1, 5, 2):
        x = np.random.default_rng(rows).random((rows, 8), np.float32)
        same(session.run(None, {"x": x}), reference.run(None, {"x": x}))


def test_a_lacking_node_beside_a_path_makes_no_cycle(capfd: Any) -> None:
    first, w1 = layers("x", "h", 1)
    second, w2 = layers("sum", "y", 2)
    nodes = [*first, sample("h", "s"), helper.make_node("Add", ["h", "s"], ["sum"]), *second]
    made = model(nodes, [value("x", [None, 8])], [value("y", [None, 8]), value("h", [None, 8])], [*w1, *w2])
    session, log = session_with(made, capfd)
    ((claimed, of, parts),) = log.claims
    assert (claimed, parts) == (of - 1, 2)
    x = np.random.default_rng(0).random((3, 8), np.float32)
    same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))


def test_what_reads_a_value_of_unknown_rank_is_left(capfd: Any) -> None:
    first, w1 = layers("x", "h", 1)
    second, w2 = layers("s", "y", 2)
    outputs = [value("h", [None, 8]), value("y", [None, 8])]
    made = model(
        [*first, sample("z", "s"), *second], [value("x", [None, 8]), value("z", [None, 8])], outputs, [*w1, *w2]
    )
    del made.graph.value_info[:]
    made.graph.input[1].type.tensor_type.ClearField("shape")
    session, log = session_with(made, capfd)
    ((claimed, of, parts),) = log.claims
    assert 0 < claimed < of - 1
    assert parts == 1
    feeds = {name: np.random.default_rng(0).random((3, 8), np.float32) for name in "xz"}
    same(session.run(None, feeds), plain(made).run(None, feeds))


def test_small_parts_stay_unless_an_option_says_so(capfd: Any) -> None:
    nodes = [sample("x", "s"), helper.make_node("Relu", ["s"], ["r"]), sample("r", "y")]
    made = model(nodes, [value("x", ["n", 8])], [value("y", ["n", 8])])
    assert session_with(made, capfd)[1].claims == [(0, 3, 0)]
    session, log = session_with(made, capfd, {"smallest_part": "1"})
    assert log.claims == [(1, 3, 1)]
    x = np.random.default_rng(0).random((3, 8), np.float32) - 0.5
    same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))


def loop(inside: list[Any], constants: list[Any]) -> Any:
    body = helper.make_graph(
        [*inside, helper.make_node("Identity", ["go"], ["go_on"])], "body",
        [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("h", [None, 8])],
        [value("go_on", [], TensorProto.BOOL), value("next", [None, 8])], constants, value_info=scaled(inside),
    )  # fmt: skip
    nodes = [
        helper.make_node("Neg", ["x"], ["start"]),
        helper.make_node("Loop", ["times", "", "start"], ["y"], body=body),
    ]
    return model(nodes, [value("x", [None, 8]), value("times", [], TensorProto.INT64)], [value("y", [None, 8])])


def test_a_loop_is_claimed_with_its_body(capfd: Any) -> None:
    inside, constants = layers("h", "l", 1)
    made = loop([*inside, helper.make_node("Add", ["l", "x"], ["next"])], constants)  # x lies around the body
    session, log = session_with(made, capfd)
    if VERSION >= (1, 24):  # 1.23 does not report that `times` has a rank, which is 0
        assert log.claims == [(2, 2, 1)], "and nothing of the body by itself"
    reference = plain(made)
    for rows, times in ((1, 0), (3, 4), (2, 1)):
        feeds = {"x": np.random.default_rng(rows).random((rows, 8), np.float32), "times": np.int64(times)}
        feeds["times"] = np.array(times, np.int64)
        same(session.run(None, feeds), reference.run(None, feeds))


def test_what_a_body_has_beside_a_lacking_node(capfd: Any) -> None:
    inside, constants = layers("s", "next", 1)
    made = loop([sample("h", "s"), *inside], constants)
    session, log = session_with(made, capfd)
    if VERSION >= (1, 24):  # 1.23 fails where something is fused in two bodies
        assert log.claims[0][0] >= 2, "the layer in the body"
    assert log.claims[-1][0] == 0, "of the graph around it one node is left, which is too small a part"
    feeds = {"x": np.random.default_rng(0).random((3, 8), np.float32), "times": np.array(3, np.int64)}
    same(session.run(None, feeds), plain(made).run(None, feeds))


def test_a_branch_reads_a_constant_around_it(capfd: Any) -> None:
    w = weights("w", 8, 8)
    then = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["t"])], "then", [], [value("t", [None, 8])])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["e"])], "else", [], [value("e", [None, 8])])
    nodes = [helper.make_node("If", ["yes"], ["y"], then_branch=then, else_branch=other)]
    made = model(nodes, [value("x", [None, 8]), value("yes", [], TensorProto.BOOL)], [value("y", [None, 8])], [w])
    session, log = session_with(made, capfd)
    if VERSION >= (1, 31):
        assert log.claims == [(1, 1, 1)]
    else:
        assert log.claims[-1] == (0, 1, 0), "1.24 does not hand over what only bodies read"
    for yes in (True, False):
        feeds = {"x": np.random.default_rng(0).random((3, 8), np.float32), "yes": np.array(yes)}
        same(session.run(None, feeds), plain(made).run(None, feeds))


def branch(then: list[Any], other: list[Any], mine: Sequence[Any] = (), its: Sequence[Any] = ()) -> Any:
    """An If in a graph of its own: both branches read x and make t and e."""
    first = helper.make_graph(then, "then", [], [value("t", [None, 8])], list(mine), value_info=scaled(then))
    second = helper.make_graph(other, "else", [], [value("e", [None, 8])], list(its), value_info=scaled(other))
    node = helper.make_node("If", ["yes"], ["y"], then_branch=first, else_branch=second)
    return model([node], [value("x", [None, 8]), value("yes", [], TensorProto.BOOL)], [value("y", [None, 8])])


def test_the_smallest_part_counts_in_bodies_too(capfd: Any) -> None:
    made = branch([helper.make_node("Relu", ["x"], ["t"])], [sample("x", "e")])
    session, log = session_with(made, capfd)
    assert sum(claimed for claimed, _, _ in log.claims) == 0, "the branch is one node, and so the whole of its graph"
    if VERSION >= (1, 24):  # 1.23 cannot say which graphs are bodies
        assert (1, 1, 1) in session_with(made, capfd, {"smallest_part": "1"})[1].claims
    for yes in (True, False):
        feeds = {"x": np.random.default_rng(0).random((3, 8), np.float32) - 0.5, "yes": np.array(yes)}
        same(session.run(None, feeds), plain(made).run(None, feeds))


@pytest.mark.skipif(VERSION < (1, 31), reason="1.24 does not hand over what only bodies read")
def test_branches_of_two_ranks_are_claimed_with_what_is_around_them(capfd: Any) -> None:
    # As PyTorch writes squeeze(0): ONNX Runtime knows no rank of `s`, so that the inner If says nothing by itself.
    squeezed = helper.make_graph([helper.make_node("Squeeze", ["n", "axis"], ["q"])], "yes", [], [value("q", None)])
    kept = helper.make_graph([helper.make_node("Identity", ["n"], ["k"])], "no", [], [value("k", None)])
    axis, one, flat = (
        helper.make_tensor(name, TensorProto.INT64, [1], [number])
        for name, number in (("axis", 0), ("one", 1), ("flat", -1))
    )
    then = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Shape", ["x"], ["dims"], end=1),
        helper.make_node("Equal", ["dims", "one"], ["single"]),
        helper.make_node("If", ["single"], ["s"], then_branch=squeezed, else_branch=kept),
        helper.make_node("Reshape", ["s", "flat"], ["t"]),
    ]
    other = [helper.make_node("Neg", ["x"], ["m"]), helper.make_node("Reshape", ["m", "flat"], ["e"])]
    made = branch(then, other, [axis, one, flat], [flat])
    for name in ("then_branch", "else_branch"):
        body = next(a.g for a in made.graph.node[0].attribute if a.name == name)
        body.output[0].CopyFrom(value(body.output[0].name, [None]))
    made.graph.output[0].CopyFrom(value("y", [None]))
    session, log = session_with(made, capfd)
    assert log.claims == [(1, 1, 1)]
    for rows, yes in ((3, True), (1, True), (2, False)):
        feeds = {"x": np.random.default_rng(rows).random((rows, 8), np.float32), "yes": np.array(yes)}
        same(session.run(None, feeds), plain(made).run(None, feeds))


def test_outputs_whose_dims_only_the_run_finds(capfd: Any) -> None:
    nodes = [
        helper.make_node("NonZero", ["x"], ["where"]),
        helper.make_node("Transpose", ["where"], ["indices"], perm=[1, 0]),
        helper.make_node("GatherND", ["x", "indices"], ["values"]),
    ]
    outputs = [value("values", [None]), value("indices", [None, 2], TensorProto.INT64)]
    made = model(nodes, [value("x", [None, 8])], outputs)
    session, log = session_with(made, capfd)
    assert log.claims == [(3, 3, 1)]
    for rows in (4, 1):
        x = np.random.default_rng(rows).integers(0, 2, (rows, 8)).astype(np.float32)
        same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))
    x = np.zeros((2, 8), np.float32)
    same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))


def test_eight_threads_at_many_shapes(capfd: Any) -> None:
    session, _ = session_with(REC, capfd)
    direct = anydim.InferenceSession(REC, threads=1)
    widths = [40, 97, 64, 128, 33, 71, 48, 80]
    images = [np.random.default_rng(w).random((1, 3, 48, w), np.float32) for w in widths]
    expected = [direct.run(None, {"x": x})[0] for x in images]

    def many(turn: int) -> bool:
        order = [(turn * 3 + k) % 8 for k in range(8)]
        return all(np.array_equal(session.run(None, {"x": images[k]})[0], expected[k]) for k in order)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(many, range(8)))


def test_a_failing_run_says_why_and_the_next_one_is_right(capfd: Any) -> None:
    nodes = [helper.make_node("Gather", ["x", "i"], ["g"]), helper.make_node("Relu", ["g"], ["y"])]
    inputs = [value("x", [None, 8]), value("i", [None], TensorProto.INT64)]
    made = model(nodes, inputs, [value("y", [None, 8])])
    session, log = session_with(made, capfd)
    assert log.claims == [(2, 2, 1)]
    x = np.random.default_rng(0).random((3, 8), np.float32)
    for _ in range(2):
        with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument, match=r"Anydim: .*7"):
            session.run(None, {"x": x, "i": np.array([0, 7], np.int64)})
        with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument):
            plain(made).run(None, {"x": x, "i": np.array([0, 7], np.int64)})
        feeds = {"x": x, "i": np.array([2, 0], np.int64)}
        same(session.run(None, feeds), plain(made).run(None, feeds))


@pytest.mark.skipif(VERSION < (1, 25), reason="older versions ask providers for no events")
def test_a_profile_has_the_times_of_the_nodes_in_parts(tmp_path: Path) -> None:
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    options.add_provider_for_devices(anydim.ort.register(), {})
    session = onnxruntime.InferenceSession(REC, options)
    image = np.zeros((1, 3, 48, 64), np.float32)
    expected = session.run(None, {"x": image})[0]
    session.run(None, {"x": np.zeros((1, 3, 48, 97), np.float32)})
    events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    ours = [e for e in events if e.get("cat") == "Kernel" and e["args"].get("provider") == NAME]
    around = [
        e
        for e in events
        if e.get("cat") == "Node" and e["name"].endswith("_kernel_time") and e["args"]["provider"] == NAME
    ]
    assert len(around) == 2
    conv = [e for e in ours if e["args"]["op_name"].startswith("convolution")]
    assert len(ours) > 60 and len(conv) > 20 and all(e["name"] and e["args"]["kernel"] for e in conv)
    for node in around:
        begin, end = node["ts"] - 1, node["ts"] + node["dur"] + 1
        inside = [e for e in ours if begin <= e["ts"] and e["ts"] + e["dur"] <= end]
        assert len(inside) == len(ours) // 2
        in_order = sorted(inside, key=lambda e: e["ts"])  # one behind the other, to the microsecond
        assert all(a["ts"] + a["dur"] <= b["ts"] + 2 for a, b in itertools.pairwise(in_order))
        assert all(e["dur"] >= 0 for e in inside) and any(e["dur"] > 0 for e in inside)
    # Runs after the profile measure nothing, and compute the same.
    assert np.array_equal(session.run(None, {"x": image})[0], expected)


def test_bound_outputs_are_written_in_place(capfd: Any) -> None:
    nodes, constants = layers("x", "y", 1)
    made = model(nodes, [value("x", ["n", 8])], [value("y", ["n", 8])], constants)
    session, _ = session_with(made, capfd)
    x = np.random.default_rng(0).random((5, 8), np.float32)
    y = np.full((5, 8), np.nan, np.float32)
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    session.run_with_iobinding(binding)
    same([y], plain(made).run(None, {"x": x}))


def test_element_types_and_scalars(capfd: Any) -> None:
    kinds = {
        "half": (TensorProto.FLOAT16, np.float16),
        "int": (TensorProto.INT32, np.int32),
        "double": (TensorProto.DOUBLE, np.float64),
    }
    nodes = [helper.make_node("Add", [name, name], [f"{name}_2"]) for name in kinds]
    inputs = [value(name, [None], kind) for name, (kind, _) in kinds.items()]
    outputs = [value(f"{name}_2", [None], kind) for name, (kind, _) in kinds.items()]
    nodes.append(helper.make_node("ReduceSum", ["double"], ["sum"], keepdims=0))
    made = model(nodes, inputs, [*outputs, value("sum", [], TensorProto.DOUBLE)])
    session, log = session_with(made, capfd)
    assert log.claims == [(4, 4, 1)]
    feeds = {name: np.arange(5).astype(dtype) for name, (_, dtype) in kinds.items()}
    same(session.run(None, feeds), plain(made).run(None, feeds))
    feeds = {name: np.arange(0).astype(dtype) for name, (_, dtype) in kinds.items()}
    same(session.run(None, feeds), plain(made).run(None, feeds))


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [("threads", "many", "expected a number from 0 to 256"), ("math", "slow", "expected one of strict, fast, reduced"),
     ("speed", "1", "option speed is none"), ("smallest_part", "0", "from 1 to"), ("bounds", "x=1..", "expected inputs with dims"),
     ("bounds", "x=9..2,8", "expected inputs with dims")],
)  # fmt: skip
def test_wrong_options_are_refused(option: str, given: str, expected: str, capfd: Any) -> None:
    nodes, constants = layers("x", "y", 1)
    made = model(nodes, [value("x", ["n", 8])], [value("y", ["n", 8])], constants)
    session, log = session_with(made, capfd, {option: given})
    # onnxruntime's Python prints why, and goes on with the processor alone.
    assert expected in log.text
    assert session.get_providers() == ["CPUExecutionProvider"]


def rec_image(width: int = 100) -> Any:
    return np.random.default_rng(0).random((1, 3, 48, width), np.float32)


@pytest.mark.parametrize("mode", ["strict", "fast", "reduced"])
def test_a_math_mode_has_the_bits_of_a_direct_session(mode: str, capfd: Any) -> None:
    session, log = session_with(REC, capfd, {"math": mode})
    assert log.compiled == 1
    (direct,) = anydim.InferenceSession(REC, math=mode).run(None, {"x": rec_image()})
    assert np.array_equal(session.run(None, {"x": rec_image()})[0], direct)


@pytest.mark.parametrize("policy", ["auto", "reusable", "specialised", "reusable_first"])
def test_a_reuse_policy_is_taken_and_changes_no_bit(policy: str, capfd: Any) -> None:
    session, log = session_with(REC, capfd, {"reuse": policy, "threads": "1"})
    assert log.compiled == 1
    direct = anydim.InferenceSession(REC, threads=1)
    for width in (100, 64, 100):
        assert np.array_equal(
            session.run(None, {"x": rec_image(width)})[0], direct.run(None, {"x": rec_image(width)})[0]
        )


def test_packed_weights_are_mapped_and_those_of_another_model_change_nothing(capfd: Any, tmp_path: Path) -> None:
    packed, others = tmp_path / "rec.packed", tmp_path / "cls.packed"
    direct = anydim.InferenceSession(REC)
    direct.save_packed_weights(packed)
    anydim.InferenceSession(Path(REC).with_name("cls.onnx")).save_packed_weights(others)
    session, _ = session_with(REC, capfd, {"packed_weights": str(packed)})
    assert str(packed) in Path("/proc/self/maps").read_text(encoding="utf-8")
    assert np.array_equal(session.run(None, {"x": rec_image()})[0], direct.run(None, {"x": rec_image()})[0])
    session, log = session_with(REC, capfd, {"packed_weights": str(others)})
    assert log.compiled == 1
    assert np.array_equal(session.run(None, {"x": rec_image()})[0], direct.run(None, {"x": rec_image()})[0])


def test_bounds_are_promises_and_take_the_memory_in_advance(capfd: Any) -> None:
    session, log = session_with(REC, capfd, {"bounds": "x=1,3,48,32..640"})
    assert "has no bounds" not in log.text
    direct = anydim.InferenceSession(REC, threads=2)
    for width in (640, 32, 333):
        x = np.random.default_rng(width).random((1, 3, 48, width), np.float32)
        assert np.array_equal(session.run(None, {"x": x})[0], direct.run(None, {"x": x})[0])
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument, match=r"Anydim: .*641"):
        session.run(None, {"x": np.zeros((1, 3, 48, 641), np.float32)})


@pytest.mark.parametrize(("given", "expected"), [("z=1..4,8", "is no input of the model"), ("x=1..4", "rank")])
def test_bounds_that_do_not_fit_are_an_error_in_the_log_and_nothing_is_claimed(
    given: str, expected: str, capfd: Any
) -> None:
    nodes, constants = layers("x", "y", 1)
    made = model(nodes, [value("x", ["n", 8])], [value("y", ["n", 8])], constants)
    session, log = session_with(made, capfd, {"bounds": given})
    assert re.search(rf"\[E:onnxruntime.*Anydim: .*{expected}", log.text)
    assert not log.claims
    x = np.ones((9, 8), np.float32)
    same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))


def test_a_part_that_reads_another_node_has_no_bounds_and_says_so(capfd: Any) -> None:
    nodes, constants = layers("s", "y", 1)
    made = model([sample("x", "s"), *nodes], [value("x", ["n", 8])], [value("y", ["n", 8])], constants)
    session, log = session_with(made, capfd, {"bounds": "x=1..4,8"})
    assert "a part has no bounds" in log.text
    x = np.ones((9, 8), np.float32)
    same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))


def test_unregistered_and_registered_again(capfd: Any) -> None:
    nodes, constants = layers("x", "y", 1)
    made = model(nodes, [value("x", ["n", 8])], [value("y", ["n", 8])], constants)
    x = np.ones((2, 8), np.float32)
    for _ in range(3):
        session, log = session_with(made, capfd)
        assert log.compiled == 1
        same(session.run(None, {"x": x}), plain(made).run(None, {"x": x}))
        del session
        anydim.ort.unregister()
        assert NAME not in [device.ep_name for device in onnxruntime.get_ep_devices()]
    anydim.ort.unregister()


@pytest.mark.skipif(VERSION < (1, 31), reason="1.24 knows registered providers by their devices only")
def test_install_passes_options_and_ends_with_unregister(capfd: Any) -> None:
    original = onnxruntime.InferenceSession.__init__
    anydim.ort.install({"math": "slow"})
    anydim.ort.install({"bounds": "x=1,3,48,32..64"})  # the last one counts
    try:
        session = onnxruntime.InferenceSession(REC, providers=["CPUExecutionProvider"])
        with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument, match="Anydim"):
            session.run(None, {"x": np.zeros((1, 3, 48, 65), np.float32)})
    finally:
        anydim.ort.unregister()
    assert onnxruntime.InferenceSession.__init__ is original
    assert NAME not in onnxruntime.InferenceSession(REC).get_providers()
