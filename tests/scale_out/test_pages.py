# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/scale-out.md runs as it stands, with the models where they are here."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
import workload
from pyspark.sql import Row, SparkSession
from ray import serve

PAGE = workload.ROOT / "docs" / "scale-out.md"
COUNT = 12


def of_a_cluster(word: str) -> list[str]:
    """The snippets of the page that name the word."""
    found = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M)
    return [code for code in found if word in code]


def run(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **given: Any) -> dict[str, Any]:
    """The names after it, which started with those given. `/models/` and the current folder have the model."""
    (folder / "rec.onnx").symlink_to(workload.MODEL)
    monkeypatch.chdir(folder)
    names = {"np": np, **given}
    exec(compile(code.replace("/models/", f"{folder}/"), "a page", "exec"), names)
    return names


def test_every_snippet_is_run_below() -> None:
    named = Counter(
        word for word in ("anydim.spark", "anydim.ray.Predictor", "anydim.ray.deployment") for _ in of_a_cluster(word)
    )
    assert named == {"anydim.spark": 2, "anydim.ray.Predictor": 2, "anydim.ray.deployment": 1}


def test_the_page_in_short_runs(
    spark: SparkSession,
    ray_machine: None,
    images: workload.Images,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (code,) = [code for code in of_a_cluster("anydim.spark") if "anydim.ray" in code]
    assert code.count("\nimages.select(") == 1 and code.count("\nds.map_batches(") == 1
    code = code.replace("\nimages.select(", "\nrows = images.select(").replace(
        "\nds.map_batches(", "\ndone = ds.map_batches("
    )
    frame = spark.createDataFrame([Row(id=i, image=workload.image_bytes(images.seed, i)) for i in range(COUNT)])
    data = ray.data.from_items(
        [{"id": i, "x": workload.image_of(workload.image_bytes(images.seed, i))} for i in range(COUNT)]
    )
    # The page's name is relative: workers of Spark and Ray have folders of their own.
    code = code.replace('"rec.onnx"', f'"{tmp_path}/rec.onnx"')
    names = run(code, tmp_path, monkeypatch, pixels=workload.image_of, text=workload.digest_of, images=frame, ds=data)
    digests = [row[-1] for row in sorted(names["rows"].collect())]
    assert digests == [images.expected[i] for i in range(COUNT)]
    (output,) = {key for row in names["done"].take_all() for key in row} - {"id", "x"}
    for row in names["done"].take_all():
        assert workload.digest_of({output: row[output]}) == images.expected[row["id"]]


def test_the_page_on_spark_runs(
    spark: SparkSession, images: workload.Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = [code for code in of_a_cluster("anydim.spark") if "anydim.ray" not in code]
    assert code.count("\nimages.select(") == 1
    frame = spark.createDataFrame([Row(id=i, image=workload.image_bytes(images.seed, i)) for i in range(COUNT)])
    code = code.replace("\nimages.select(", "\nrows = images.select(")
    rows = run(code, tmp_path, monkeypatch, images=frame)["rows"].collect()
    assert sorted(row.id for row in rows) == list(range(COUNT))
    assert all(isinstance(row.characters, int) for row in rows)


def test_the_page_on_ray_data_runs(
    ray_machine: None, images: workload.Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = [code for code in of_a_cluster("anydim.ray.Predictor") if "anydim.spark" not in code]
    assert code.count('"images/"') == 1 and code.count("\nds.map_batches(") == 1
    folder = tmp_path / "columns"
    folder.mkdir()
    items = [{"id": i, "x": workload.image_of(workload.image_bytes(images.seed, i))} for i in range(COUNT)]
    ray.data.from_items(items).write_parquet(str(folder))
    code = code.replace('"images/"', f'"{folder}"').replace("\nds.map_batches(", "\ndone = ds.map_batches(")
    rows = run(code, tmp_path, monkeypatch)["done"].take_all()
    assert sorted(row["id"] for row in rows) == list(range(COUNT))
    for row in rows:
        (output,) = row.keys() - {"id", "x"}
        assert workload.digest_of({output: row[output]}) == images.expected[row["id"]]


def test_the_page_on_serve_runs(
    ray_machine: None, images: workload.Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = of_a_cluster("anydim.ray.deployment")
    image = workload.image_of(workload.image_bytes(images.seed, 3))
    try:
        scores = run("import anydim.ray\n" + code, tmp_path, monkeypatch, image=image)["scores"]
    finally:
        serve.shutdown()
    assert scores.ndim == 2 and np.allclose(scores.sum(axis=1), 1, atol=1e-4)
