# SPDX-License-Identifier: Apache-2.0
"""anydim.spark on Spark with two executors (local-cluster): the bytes of one process, also where a Python worker or an executor dies,
and one packed copy of the weights in memory."""

from __future__ import annotations

from pathlib import Path

import anydim
import anydim.spark
import numpy as np
import pytest
import workload
from clusters import SPARK_WORKERS, run_spark
from memory_checks import check_shared, check_unshared
from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import ArrayType, FloatType, StructField, StructType


def test_workers_give_the_bytes_of_one_process_and_share_one_copy_of_the_weights(
    spark: SparkSession, images: workload.Images, packed: Path, notes: Path
) -> None:
    with workload.Sampler(notes, packed, SPARK_WORKERS) as sampler:
        found = run_spark(spark, images.folder, workload.Witness(str(notes), str(packed)))
    assert found == images.expected
    check_shared("Spark", sampler.memory, packed)


@pytest.mark.parametrize("victim", ["worker", "executor"])
def test_tasks_of_a_worker_that_is_killed_half_way_are_done_again_with_the_same_bytes(
    spark: SparkSession, images: workload.Images, packed: Path, notes: Path, victim: str
) -> None:
    after = len(images.expected) // (2 * SPARK_WORKERS)
    found = run_spark(spark, images.folder, workload.Witness(str(notes), str(packed), victim=victim, after=after))
    assert (notes / "killed").exists(), "nobody was killed"
    # A dead executor's tasks may go to the one that is left; a dead Python worker's executor starts another.
    opened = len(list(notes.glob("*.json")))
    assert opened > (SPARK_WORKERS if victim == "worker" else 1), "nobody did its tasks again"
    assert found == images.expected


def test_the_same_with_onnxruntime_has_a_copy_of_the_weights_per_worker(
    spark: SparkSession, images: workload.Images, packed: Path, notes: Path
) -> None:
    with workload.Sampler(notes, packed, SPARK_WORKERS) as sampler:
        found = run_spark(spark, images.folder, workload.Witness(str(notes), str(packed), "onnxruntime"))
    assert found.keys() == images.expected.keys()
    check_unshared("Spark", sampler.memory)


def test_rows_of_mixed_widths_come_as_bytes_and_results_as_arrays_without_any_function_of_the_caller(
    spark: SparkSession, images: workload.Images, packed: Path
) -> None:
    given = [workload.image_of(workload.image_bytes(images.seed, i)) for i in range(40)]
    session = anydim.InferenceSession(workload.MODEL, threads=1)
    name = session.get_outputs()[0].name
    frame = spark.createDataFrame([Row(id=i, x=one.tobytes()) for i, one in enumerate(given)], "id INT, x BINARY")
    rec = predict_batch_udf(
        anydim.spark.predictor(workload.MODEL, packed=packed, bounds=workload.BOUNDS),
        return_type=StructType([StructField(name, ArrayType(FloatType()))]),
        batch_size=workload.BATCH,
    )
    rows = frame.repartition(3).select("id", rec("x").alias("y")).collect()
    assert sorted(row.id for row in rows) == list(range(40))
    for row in rows:
        (expected,) = session.run(None, {"x": given[row.id][None]})
        assert np.array_equal(np.array(row.y[name], np.float32), expected.ravel())
