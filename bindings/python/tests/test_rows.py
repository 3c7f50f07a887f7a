# SPDX-License-Identifier: Apache-2.0
"""anydim.rows, anydim.spark and anydim.ray without Spark and Ray, on batches as these hand them out. tests/scale_out has the engines."""

from __future__ import annotations

import inspect
import os
import pickle
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anydim
import anydim.ray
import anydim.rows
import anydim.spark
import numpy as np
import pytest
from numpy.typing import NDArray
from small_models import model, node, tensor, value

F32 = 1
FloatArray = NDArray[np.float32]
WEIGHTS = np.random.default_rng(3).standard_normal((8, 16)).astype(np.float32)


@pytest.fixture
def generator() -> np.random.Generator:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    return np.random.default_rng(seed)


def save(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """y = x @ w over rows of any height: n x height x 8 -> n x height x 16."""
    return save(
        tmp_path / "product.onnx",
        model(
            [node("MatMul", ["x", "w"], ["y"])],
            inputs=[value("x", F32, ["n", "height", 8])],
            outputs=[value("y", F32, ["n", "height", 16])],
            constants=[tensor("w", WEIGHTS)],
        ),
    )


@pytest.fixture
def even(tmp_path: Path) -> Path:
    """Two inputs, two outputs, rows of four: sum and difference."""
    edges = {name: value(name, F32, ["n", 4]) for name in ("a", "b", "sum", "difference")}
    return save(
        tmp_path / "even.onnx",
        model(
            [node("Add", ["a", "b"], ["sum"]), node("Sub", ["a", "b"], ["difference"])],
            inputs=[edges["a"], edges["b"]],
            outputs=[edges["sum"], edges["difference"]],
        ),
    )


def rows_of(generator: np.random.Generator, count: int = 30) -> list[FloatArray]:
    heights = generator.integers(1, 6, count)
    return [generator.standard_normal((int(h), 8)).astype(np.float32) for h in heights]


def alone(path: Path, rows: list[FloatArray]) -> list[FloatArray]:
    session = anydim.InferenceSession(path, threads=1)
    return [session.run(None, {"x": row[None]})[0][0] for row in rows]


def objects(values: list[Any]) -> NDArray[Any]:
    column = np.empty(len(values), object)
    for i, one in enumerate(values):
        column[i] = one
    return column


class Counted(anydim.InferenceSession):
    """Counts its runs."""

    runs = 0

    def run(self, *arguments: Any) -> list[Any]:
        self.runs += 1
        return super().run(*arguments)


# -- rows -------------------------------------------------------------------------------------------------------------


def test_rows_of_mixed_shapes_have_the_bits_of_rows_alone_in_any_batch_and_order(
    product: Path, generator: np.random.Generator
) -> None:
    rows = rows_of(generator)
    expected = alone(product, rows)
    runner = anydim.rows.Rows(anydim.InferenceSession(product, threads=1))
    order = generator.permutation(len(rows))
    while len(order):
        batch, order = np.split(order, [int(generator.integers(1, 9))])
        for i, result in zip(batch, runner.run([{"x": rows[i]} for i in batch]), strict=True):
            assert np.array_equal(result["y"].view(np.uint32), expected[i].view(np.uint32))


def test_rows_of_one_shape_run_together_as_far_as_the_bounds_go(product: Path) -> None:
    rows = [{"x": np.full((height, 8), i, np.float32)} for i, height in enumerate([1, 2, 1, 1, 2, 1, 1])]
    session = Counted(product, threads=1)
    anydim.rows.Rows(session).run(rows)
    assert session.runs == 2
    session = Counted(product, threads=1, bounds={"x": ((1, 2), (1, 3), 8)})
    anydim.rows.Rows(session).run(rows)
    assert session.runs == 3 + 1


def test_a_model_for_one_row_gets_one_at_a_time_and_one_for_four_is_refused(tmp_path: Path) -> None:
    for batch in (1, 4):
        edges = [value(name, F32, [batch, 3]) for name in "xy"]
        save(tmp_path / f"{batch}.onnx", model([node("Relu", ["x"], ["y"])], inputs=edges[:1], outputs=edges[1:]))
    rows = [{"x": np.float32([-1, i, 2])} for i in range(3)]
    found = anydim.rows.Rows(anydim.InferenceSession(tmp_path / "1.onnx")).run(rows)
    assert [result["y"].tolist() for result in found] == [[0, i, 2] for i in range(3)]
    with pytest.raises(anydim.UnimplementedError, match=r"'x' has dims \[4, 3\]; expected a first one"):
        anydim.rows.Rows(anydim.InferenceSession(tmp_path / "4.onnx"))


def test_a_model_that_mixes_rows_is_refused_when_its_output_has_not_one_per_row(tmp_path: Path) -> None:
    mixing = model(
        [node("ReduceSum", ["x", "axes"], ["y"])],
        inputs=[value("x", F32, ["n", 3])],
        outputs=[value("y", F32, [1, 3])],
        constants=[tensor("axes", np.array([0]))],
    )
    rows = anydim.rows.Rows(anydim.InferenceSession(mixing))
    with pytest.raises(anydim.UnimplementedError, match=r"output 'y' has dims \(1, 3\) for 2 rows"):
        rows.run([{"x": np.zeros(3, np.float32)}] * 2)


def test_bytes_are_elements_and_their_number_determines_the_open_dim(
    product: Path, generator: np.random.Generator
) -> None:
    rows = rows_of(generator)
    runner = anydim.rows.Rows(anydim.InferenceSession(product, threads=1))
    for kind in (bytes, bytearray, memoryview):
        found = runner.run([{"x": kind(row.tobytes())} for row in rows])
        assert all(np.array_equal(a["y"], b) for a, b in zip(found, alone(product, rows), strict=True))
    with pytest.raises(anydim.InvalidArgumentError, match=r"'x' has 33 bytes; expected a multiple of 32"):
        runner.read(bytes(33), "x")


def test_bytes_with_two_open_dims_need_bounds_that_fix_one() -> None:
    edges = [value(name, F32, ["n", "h", "w"]) for name in "xy"]
    relu = model([node("Relu", ["x"], ["y"])], inputs=edges[:1], outputs=edges[1:])
    with pytest.raises(anydim.InvalidArgumentError, match=r"dims \['h', 'w'\]; expected at most one open dim"):
        anydim.rows.Rows(anydim.InferenceSession(relu)).read(bytes(24), "x")
    closed = anydim.rows.Rows(anydim.InferenceSession(relu, bounds={"x": ((1, 2), 3, (1, 9))}))
    assert closed.read(bytes(24), "x").shape == (3, 2)


def test_a_row_with_other_names_than_the_inputs_is_refused(even: Path) -> None:
    rows = anydim.rows.Rows(anydim.InferenceSession(even))
    with pytest.raises(anydim.InvalidArgumentError, match="lacks the input 'b'"):
        rows.run([{"a": np.zeros(4, np.float32)}])
    with pytest.raises(anydim.InvalidArgumentError, match="'c', which is no input"):
        rows.run([{name: np.zeros(4, np.float32) for name in "abc"}])
    with pytest.raises(anydim.InvalidArgumentError, match="'nowhere' is no output"):
        anydim.rows.Rows(anydim.InferenceSession(even), ["nowhere"])


def test_a_bad_row_fails_a_call_of_run_and_only_itself_in_run_each(product: Path) -> None:
    rows = [{"x": np.full((1, 8), i, np.float32)} for i in range(3)]
    rows.insert(1, {"x": np.zeros((1, 7), np.float32)})
    runner = anydim.rows.Rows(anydim.InferenceSession(product))
    with pytest.raises(anydim.Error):
        runner.run(rows)
    found = runner.run_each(rows)
    assert isinstance(found.pop(1), anydim.Error)
    assert [isinstance(one, dict) and one["y"].shape for one in found] == [(1, 16)] * 3


# -- spark ------------------------------------------------------------------------------------------------------------


def spark(path: Path, **arguments: Any) -> anydim.spark.Predict:
    """What a worker gets, out of a pickle as it does."""
    made = pickle.loads(pickle.dumps(anydim.spark.predictor(path, packed=path.with_suffix(".packed"), **arguments)))
    assert isinstance(made, anydim.spark.Predictor)
    return made()


def height_and_sum(outputs: Mapping[str, FloatArray]) -> dict[str, Any]:
    return {"height": len(outputs["y"]), "sum": float(outputs["y"].sum())}


def text(outputs: Mapping[str, FloatArray]) -> str:
    return "x" * len(outputs["y"])


def height(outputs: Mapping[str, FloatArray]) -> int:
    return len(outputs["y"])


def pair(left: str, right: int) -> dict[str, FloatArray]:
    return {"a": np.full(4, float(left), np.float32), "b": np.full(4, right, np.float32)}


def twice(row: FloatArray) -> FloatArray:
    return row * np.float32(2)


def test_spark_gives_as_many_columns_as_there_are_inputs_or_parameters_of_prepare(even: Path) -> None:
    assert len(inspect.signature(spark(even)).parameters) == 2
    predict = spark(even, prepare=pair, outputs=["difference"])
    assert len(inspect.signature(predict).parameters) == 2
    found = predict(np.array(["5", "7"], object), np.array([1, 2]))
    assert np.array_equal(found, np.float32([[4] * 4, [5] * 4]))  # type: ignore[arg-type]


def test_spark_gets_columns_where_rows_are_even(even: Path) -> None:
    a, b = np.float32([[1, 2, 3, 4], [5, 6, 7, 8]]), np.ones((2, 4), np.float32)
    both = spark(even)(a, b)
    assert isinstance(both, dict) and list(both) == ["sum", "difference"]
    assert np.array_equal(both["sum"], a + b) and np.array_equal(both["difference"], a - b)
    one = spark(even, outputs=["sum"])(a, b)
    assert isinstance(one, np.ndarray) and np.array_equal(one, a + b)


def test_spark_gets_a_list_of_rows_where_the_model_leaves_a_dim_open_whatever_is_in_the_batch(product: Path) -> None:
    for heights in ([2, 2], [1, 3]):
        rows = [np.ones((h, 8), np.float32) for h in heights]
        found = spark(product)(objects([row.tobytes() for row in rows]))
        assert isinstance(found, list) and [one["y"].shape for one in found] == [(16 * h,) for h in heights]
        assert all(np.array_equal(a["y"], b.ravel()) for a, b in zip(found, alone(product, rows), strict=True))


def test_spark_gets_what_finish_makes_of_a_row(product: Path) -> None:
    column = objects([np.ones((h, 8), np.float32).tobytes() for h in (2, 1)])
    found = spark(product, finish=height_and_sum)(column)
    assert isinstance(found, list) and [one["height"] for one in found] == [2, 1]
    assert spark(product, finish=text)(column).tolist() == ["xx", "x"]  # type: ignore[union-attr]
    assert spark(product, finish=height)(column).tolist() == [2, 1]  # type: ignore[union-attr]


def test_spark_options_that_do_not_exist_are_refused_before_anything_is_sent(product: Path, even: Path) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="options have 'treads'"):
        anydim.spark.predictor(product, treads=1)  # type: ignore[call-arg]
    with pytest.raises(anydim.InvalidArgumentError, match="expected a sequence of names"):
        anydim.spark.predictor(product, outputs="y")
    with pytest.raises(anydim.InvalidArgumentError, match="expected a mapping with the inputs"):
        spark(even, prepare=twice)(np.ones((1, 4), np.float32))


# -- ray --------------------------------------------------------------------------------------------------------------


def on_ray(path: Path, **arguments: Any) -> anydim.ray.Predictor:
    return anydim.ray.Predictor(path, packed=path.with_suffix(".packed"), **arguments)


def test_ray_keeps_the_other_columns_and_adds_one_per_output(product: Path, generator: np.random.Generator) -> None:
    rows = rows_of(generator, 5)
    found = on_ray(product)({"id": np.arange(5), "x": objects(list(rows))})
    assert list(found) == ["id", "y"] and found["y"].dtype == object and found["id"].tolist() == list(range(5))
    assert all(np.array_equal(a, b) for a, b in zip(found["y"], alone(product, rows), strict=True))


def test_ray_gets_whole_arrays_where_rows_are_even_and_reads_the_named_columns(even: Path) -> None:
    a, b = np.float32([[1, 2, 3, 4], [5, 6, 7, 8]]), np.ones((2, 4), np.float32)
    found = on_ray(even, columns={"a": "left", "b": "right"})({"left": a, "right": b})
    assert list(found) == ["sum", "difference"] and np.array_equal(found["sum"], a + b)
    with pytest.raises(anydim.InvalidArgumentError, match="lacks the column 'right', for input 'b'"):
        on_ray(even, columns={"a": "left", "b": "right"})({"left": a})
    with pytest.raises(anydim.InvalidArgumentError, match="expected the model's inputs"):
        on_ray(even, columns={"a": "left"})


def test_ray_prepares_and_finishes_rows(product: Path) -> None:
    batch = {"height": np.array([1, 3]), "id": np.array([7, 8])}
    predictor = on_ray(product, prepare=lambda row: np.ones((row["height"], 8), np.float32), finish=height_and_sum)
    found = predictor(batch)
    assert list(found) == ["height", "id", "sum"] and found["height"].tolist() == [1, 3]
    assert on_ray(product, finish=lambda outputs: {"text": text(outputs)})(
        {"x": objects([np.ones((2, 8), np.float32)])}
    )["text"].tolist() == ["xx"]
    with pytest.raises(anydim.InvalidArgumentError, match="columns and prepare are both given"):
        on_ray(product, columns={"x": "x"}, prepare=lambda row: row)


def test_an_empty_batch_has_empty_columns(product: Path, even: Path) -> None:
    found = on_ray(product)({"id": np.arange(0), "x": np.empty(0, object)})
    assert found["y"].shape == (0,)


def test_a_deployment_without_ray_says_what_is_missing(product: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match="ray"):
        anydim.ray.deployment(product)
