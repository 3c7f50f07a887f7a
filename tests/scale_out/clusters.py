# SPDX-License-Identifier: Apache-2.0
"""The two engines on this machine: Spark with two executors in processes of their own (local-cluster), Ray with as many workers as asked.
Each runs the images of a folder and gives digests by id.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from pyspark.sql.types import StringType
from workload import BATCH, RayPredictor, SparkPredictor, Witness

HERE = Path(__file__).resolve().parent
SPARK_WORKERS = 2
RAY_WORKERS = 4
# Ray waits half a minute for its own processes, and on a machine that is busy with other things they take longer.
STARTS = 5


@contextmanager
def spark() -> Iterator[SparkSession]:
    """A session over two executors of one core and 1 GB each, whose Python is this one."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # What the executors' Python imports: these files, and anydim from where this process has it.
    path = os.pathsep.join([str(HERE), *(p for p in sys.path if p and Path(p, "anydim").is_dir())])
    builder = (
        SparkSession.builder.master(f"local-cluster[{SPARK_WORKERS},1,1024]")
        .appName("anydim scale-out")
        .config("spark.executor.memory", "700m")
        .config("spark.driver.memory", "700m")
        .config("spark.executorEnv.PYTHONPATH", path)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.files.maxPartitionBytes", str(4 << 20))
        .config("spark.sql.files.openCostInBytes", "0")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "64")
        .config("spark.log.level", "ERROR")
    )
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def run_spark(session: SparkSession, images: Path, witness: Witness) -> dict[int, str]:
    """The digests of all images of the folder, by id."""
    rec = predict_batch_udf(SparkPredictor(witness), return_type=StringType(), batch_size=BATCH)
    rows = session.read.parquet(str(images)).select("id", rec(col("x")).alias("digest")).collect()
    assert len({row.id for row in rows}) == len(rows), "a row came twice"
    return {row.id: row.digest for row in rows}


@contextmanager
def ray_machine() -> Iterator[None]:
    """Ray on this machine alone, with little memory."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_worker_niceness"] = "0"  # beside other work on this machine they would get nothing
    path = os.pathsep.join([str(HERE), *(p for p in sys.path if p and Path(p, "anydim").is_dir())])
    for attempt in range(STARTS):
        try:
            ray.init(
                address="local",
                num_cpus=RAY_WORKERS + 2,
                object_store_memory=300 << 20,
                include_dashboard=False,
                log_to_driver=False,
                runtime_env={"env_vars": {"PYTHONPATH": path}},
            )
            break
        except Exception as error:  # of no class of its own
            ray.shutdown()
            if "timed out during startup" not in str(error) or attempt == STARTS - 1:
                raise
    try:
        yield
    finally:
        ray.shutdown()


def run_ray(images: Path, witness: Witness) -> dict[int, str]:
    """The same by Ray Data, with a pool of actors."""
    data = ray.data.read_parquet(str(images), override_num_blocks=32)
    done: Any = data.map_batches(
        RayPredictor, fn_constructor_args=(witness,), concurrency=RAY_WORKERS, batch_size=BATCH, num_cpus=1
    )
    rows = done.take_all()
    assert len({int(row["id"]) for row in rows}) == len(rows), "a row came twice"
    return {int(row["id"]): str(row["digest"]) for row in rows}
