# SPDX-License-Identifier: Apache-2.0
"""Operators that a program brings: their rule of shapes at load and in runs, kernels over arrays, attributes, failures, threads,
strides, loops and bounds."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
import weakref
from typing import Any

import anydim
import numpy as np
import pytest
from small_models import model, node, tensor, value

OURS = "my.domain"


def same(x: anydim.Operand, **_: Any) -> tuple[Any, Any]:
    return x.dtype, x.shape


def session(nodes: list[bytes], operators: Any, dims: Any = ("n", 3), out: Any = ("n", 3), **more: Any) -> Any:
    made = model(
        nodes,
        inputs=[value("x", 1, dims)],
        outputs=[value("y", 1, out)],
        constants=more.pop("constants", ()),
        domains={OURS: 2},
    )
    return anydim.InferenceSession(made, operators=operators, **more)


def numbers(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 4


def test_a_kernel_of_the_programs_runs_between_nodes_of_the_librarys() -> None:
    operators = {(OURS, "Cube"): anydim.CustomOperator(lambda x: x**3, same)}
    s = session(
        [node("Neg", ["x"], ["a"]), node("Cube", ["a"], ["b"], domain=OURS), node("Relu", ["b"], ["y"])], operators
    )
    for n in (1, 5, 2, 0):
        x = numbers(n, 3)
        assert np.array_equal(s.run(None, {"x": x})[0], np.maximum((-x) ** 3, 0))


def test_dims_that_the_rule_hands_on_are_known_behind_it() -> None:
    seen = []

    def rule(x: anydim.Operand) -> Any:
        seen.append(x)
        return x.dtype, x.shape[::-1]

    s = session(
        [node("Swap", ["x"], ["y"], domain=OURS)],
        {(OURS, "Swap"): anydim.CustomOperator(lambda x: x.T, rule)},
        out=(3, "m"),
    )
    assert s.get_outputs()[0].shape == [3, "n"]
    x = numbers(4, 3)
    assert np.array_equal(s.run(None, {"x": x})[0], x.T)
    assert len(seen) == 1  # what a run needs follows from the model's dims
    assert seen[0].dtype == np.dtype(np.float32) and seen[0].shape[1] == 3 and seen[0].value is None
    assert seen[0].shape[0] < -1


def test_attributes_come_by_name() -> None:
    found: dict[str, Any] = {}

    def kernel(x: Any, **named: Any) -> Any:
        found.update(named)
        return x

    given: dict[str, Any] = {"i": -7, "f": 0.5, "s": "word", "list": [1, 2, 3], "t": np.array([[1, 2]], np.int64)}
    s = session(
        [node("Look", ["x"], ["y"], domain=OURS, **given)], {(OURS, "Look"): anydim.CustomOperator(kernel, same)}
    )
    s.run(None, {"x": numbers(1, 3)})
    assert np.array_equal(found.pop("t"), given.pop("t"))
    assert found == given


def test_outputs_whose_size_follows_from_data() -> None:
    """The rule leaves a dim open, so the kernel's result has it; what reads it knows it in the same run."""
    calls = []

    def positive(x: Any) -> Any:
        calls.append(x.shape)
        return x[x > 0]

    operators = {(OURS, "Positive"): anydim.CustomOperator(positive, lambda x: (x.dtype, [None]))}
    s = session([node("Positive", ["x"], ["p"], domain=OURS), node("Neg", ["p"], ["y"])], operators, out=("k",))
    for n in (3, 1, 7):
        x = numbers(n, 3)
        assert np.array_equal(s.run(None, {"x": x})[0], -x[x > 0])
    assert len(calls) == 3  # once a run


def test_a_rule_that_reads_data() -> None:
    operators = {
        (OURS, "Fill"): anydim.CustomOperator(
            lambda n: np.full(int(n[0]), 2, np.float32),
            lambda n: (np.float32, [None if n.value is None else int(n.value[0])]),
        )
    }
    made = model(
        [node("Fill", ["n"], ["f"], domain=OURS), node("Sqrt", ["f"], ["y"])],
        inputs=[value("n", 7, (1,))],
        outputs=[value("y", 1, ("k",))],
        domains={OURS: 1},
    )
    s = anydim.InferenceSession(made, operators=operators)
    for n in (4, 0, 9):
        assert np.array_equal(s.run(None, {"n": np.array([n])})[0], np.sqrt(np.full(n, 2, np.float32)))


def test_inputs_in_any_strides_come_dense_and_outputs_go_anywhere() -> None:
    """A transposed and sliced input, and an output that is a part of what a Concat joins."""
    seen = []

    def kernel(x: Any) -> Any:
        seen.append(x.flags.c_contiguous)
        return x + 1

    nodes = [
        node("Transpose", ["x"], ["t"], perm=[1, 0]),
        node("Slice", ["t", "starts", "ends"], ["part"]),
        node("Next", ["part"], ["a"], domain=OURS),
        node("Concat", ["a", "part"], ["y"], axis=1),
    ]
    constants = [tensor("starts", np.array([1])), tensor("ends", np.array([3]))]
    s = session(nodes, {(OURS, "Next"): anydim.CustomOperator(kernel, same)}, out=(2, "m"), constants=constants)
    for n in (4, 6):
        x = numbers(n, 6)[:, ::2]
        part = x.T[1:3]
        assert np.array_equal(s.run(None, {"x": x})[0], np.concatenate([part + 1, part], axis=1))
    assert all(seen)


def test_an_absent_input_is_none_and_several_outputs_come_in_order() -> None:
    def rule(x: anydim.Operand, middle: Any, z: anydim.Operand) -> Any:
        assert middle is None
        return [(x.dtype, x.shape), (np.int64, [2])]

    def kernel(x: Any, middle: Any, z: Any) -> Any:
        assert middle is None
        return [x - z, np.array(x.shape)]

    made = model(
        [node("Both", ["x", "", "x"], ["y", "shape"], domain=OURS)],
        inputs=[value("x", 1, ("n", 3))],
        outputs=[value("y", 1, ("n", 3)), value("shape", 7, (2,))],
        domains={OURS: 1},
    )
    s = anydim.InferenceSession(made, operators={(OURS, "Both"): anydim.CustomOperator(kernel, rule)})
    y, shape = s.run(None, {"x": numbers(5, 3)})
    assert not y.any() and list(shape) == [5, 3]


def test_what_python_raises_is_the_reason_of_the_failure_and_the_session_goes_on() -> None:
    def kernel(x: Any) -> Any:
        if x[0, 0] < -4:
            raise KeyError("no such thing")
        return x

    s = session(
        [node("Pick", ["x"], ["y"], domain=OURS, name="chooser")], {(OURS, "Pick"): anydim.CustomOperator(kernel, same)}
    )
    with pytest.raises(anydim.InvalidDataError, match=r"chooser.*KeyError: 'no such thing'") as caught:
        s.run(None, {"x": numbers(2, 3) - 9})
    assert caught.value.node == "chooser"
    assert np.array_equal(s.run(None, {"x": numbers(2, 3)})[0], numbers(2, 3))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda x: (np.float32, [-9, 3]), "-9 as dim 0"),
        (lambda x: (np.dtype("S3"), [3]), "which no tensor has"),
        (lambda x: [(np.float32, [3]), (np.float32, [3])], "2 results; the node has 1 outputs"),
        (lambda x: (np.float32, [1] * 9), "more than 8 dims"),
        (lambda x: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_wrong_rules_are_refused_at_load(rule: Any, words: str) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match=words):
        session([node("Bad", ["x"], ["y"], domain=OURS)], {(OURS, "Bad"): anydim.CustomOperator(lambda x: x, rule)})


def test_a_kernel_that_gives_something_else_than_the_rule_says_is_refused() -> None:
    for kernel in (lambda x: x.astype(np.float64), lambda x: x[:1], lambda x: [x, x]):
        s = session([node("Odd", ["x"], ["y"], domain=OURS)], {(OURS, "Odd"): anydim.CustomOperator(kernel, same)})
        with pytest.raises(anydim.InvalidDataError, match="the kernel gave"):
            s.run(None, {"x": numbers(4, 3)})


def test_a_rule_that_changes_what_it_said_at_load_is_refused() -> None:
    def rule(x: anydim.Operand) -> Any:
        return (np.float32, [None, 3]) if x.value is None else (np.float32, [1, 4])

    s = session([node("Odd", ["x"], ["y"], domain=OURS)], {(OURS, "Odd"): anydim.CustomOperator(lambda x: x, rule)})
    with pytest.raises(anydim.InvalidDataError, match="gives 4 as dim 1"):
        s.run(None, {"x": numbers(4, 3)})


def test_an_operator_without_an_implementation_is_refused_by_name() -> None:
    with pytest.raises(anydim.UnimplementedError, match=r"my\.domain\.Other \(1\)"):
        session([node("Other", ["x"], ["y"], domain=OURS)], {(OURS, "Cube"): anydim.CustomOperator(lambda x: x, same)})
    with pytest.raises(anydim.UnimplementedError, match=r"ai\.onnx\.contrib\.SentencepieceTokenizer"):
        made = model(
            [node("SentencepieceTokenizer", ["x"], ["y"], domain="ai.onnx.contrib")],
            inputs=[value("x", 1, (1,))],
            outputs=[value("y", 1, (1,))],
            domains={"ai.onnx.contrib": 1},
        )
        anydim.InferenceSession(made)


def test_wrong_sets_of_operators_are_refused() -> None:
    cube = anydim.CustomOperator(lambda x: x, same)
    for operators, words in (
        ({"Cube": cube}, "expected the domain and the name"),
        ({(OURS, "Cube"): len}, "expected an anydim.CustomOperator"),
        ({("", "Loop"): cube}, "ONNX's operators with bodies"),
    ):
        with pytest.raises(anydim.InvalidArgumentError, match=words):
            session([node("Relu", ["x"], ["y"])], operators)


def test_bounds_come_from_the_rule_at_the_largest_inputs() -> None:
    def rule(x: anydim.Operand) -> Any:
        return x.dtype, [2 * x.shape[0] if x.shape[0] >= 0 else None, 3]

    operators = {(OURS, "Twice"): anydim.CustomOperator(lambda x: np.concatenate([x, x]), rule)}
    nodes = [node("Twice", ["x"], ["a"], domain=OURS), node("Neg", ["a"], ["y"])]
    s = session(nodes, operators, out=("m", 3), bounds={"x": ((1, 8), 3)})
    before = s.growths
    for n in (8, 1, 5):
        x = numbers(n, 3)
        assert np.array_equal(s.run(None, {"x": x})[0], -np.concatenate([x, x]))
    assert s.growths == before
    open_rule = {(OURS, "Twice"): anydim.CustomOperator(lambda x: x, lambda x: (x.dtype, [None, 3]))}
    with pytest.raises(anydim.OutOfBoundsError, match=r"the rule of shapes of the Twice"):
        session(nodes, open_rule, out=("m", 3), bounds={"x": ((1, 8), 3)})
    shrinking = {
        (OURS, "Twice"): anydim.CustomOperator(
            lambda x: np.zeros((9 - x.shape[0], 3), np.float32),
            lambda x: (x.dtype, [9 - x.shape[0] if x.shape[0] >= 0 else None, 3]),
        )
    }
    s = session(nodes, shrinking, out=("m", 3), bounds={"x": ((1, 8), 3)})
    with pytest.raises(anydim.OutOfBoundsError, match="of the largest inputs within the bounds it was 1"):
        s.run(None, {"x": numbers(5, 3)})


def test_several_threads_run_kernels_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=60)

    def kernel(x: Any) -> Any:
        meeting.wait()
        return x * 2

    s = session(
        [node("Meet", ["x"], ["y"], domain=OURS)], {(OURS, "Meet"): anydim.CustomOperator(kernel, same)}, contexts=2
    )
    results: dict[int, Any] = {}

    def run(n: int) -> None:
        results[n] = s.run(None, {"x": numbers(n, 3)})[0]

    threads = [threading.Thread(target=run, args=(n,)) for n in (2, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(results[n], numbers(n, 3) * 2) for n in (2, 5))


def test_the_callables_go_with_the_last_model() -> None:
    class Kernel:
        def __call__(self, x: Any) -> Any:
            return x

    kernel = Kernel()
    gone = weakref.ref(kernel)
    s = session([node("Keep", ["x"], ["y"], domain=OURS)], {(OURS, "Keep"): anydim.CustomOperator(kernel, same)})
    del kernel
    gc.collect()
    assert gone() is not None
    s.close()
    del s
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("raised", [KeyboardInterrupt("stop"), SystemExit(7), asyncio.CancelledError()])
def test_what_is_no_failure_of_an_operator_comes_out_of_the_run_itself(raised: BaseException) -> None:
    """As out of any other function of Python: from the kernel, from the rule of shapes, and from a run within a kernel."""

    def fails(*_: Any) -> Any:
        raise raised

    kernel = session([node("Stop", ["x"], ["y"], domain=OURS)], {(OURS, "Stop"): anydim.CustomOperator(fails, same)})
    outer = session(
        [node("Outer", ["x"], ["y"], domain=OURS)],
        {(OURS, "Outer"): anydim.CustomOperator(lambda x: kernel.run(None, {"x": x})[0], same)},
    )
    for s in (kernel, outer, kernel):
        with pytest.raises(type(raised)) as found:
            s.run(None, {"x": numbers(1, 3)})
        assert found.value is raised
        assert any(entry.name == "fails" for entry in found.traceback)
    with pytest.raises(type(raised)) as found:
        session([node("Stop", ["x"], ["y"], domain=OURS)], {(OURS, "Stop"): anydim.CustomOperator(lambda x: x, fails)})
    assert found.value is raised
    fine = session(
        [node("Stop", ["x"], ["y"], domain=OURS)], {(OURS, "Stop"): anydim.CustomOperator(lambda x: x, same)}
    )
    assert np.array_equal(fine.run(None, {"x": numbers(2, 3)})[0], numbers(2, 3))


def test_an_interrupt_during_an_operator_is_pythons_own() -> None:
    def waits(x: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return x

    s = session([node("Wait", ["x"], ["y"], domain=OURS)], {(OURS, "Wait"): anydim.CustomOperator(waits, same)})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            s.run(None, {"x": numbers(1, 3)})
    finally:
        signal.signal(signal.SIGINT, before)


def test_on_a_thread_of_the_sessions_an_exit_is_a_failure_of_the_request() -> None:
    def fails(x: Any) -> Any:
        raise SystemExit(3)

    s = session(
        [node("Stop", ["x"], ["y"], domain=OURS)],
        {(OURS, "Stop"): anydim.CustomOperator(fails, same)},
        batching=anydim.Batching(rows=2),
    )
    with pytest.raises(anydim.InvalidDataError, match="SystemExit"):
        asyncio.run(s.run_async(None, {"x": numbers(1, 3)}))
