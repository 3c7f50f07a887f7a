# SPDX-License-Identifier: Apache-2.0
"""examples/spark/Recognize.java on Spark with two executors of two cores: the bytes of one process, also where an executor is killed, one
session per executor for all its tasks, and one packed copy of the weights in memory; beside it ONNX Runtime's artifact in the same way.
Compiled and submitted as its first lines say."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pyarrow.parquet
import pyspark
import pytest
import workload
from memory_checks import check_one_copy, check_unshared, file_of, print_figures

ROOT = Path(__file__).resolve().parents[2]
SPARK = Path(pyspark.__file__).parent
# tools/setup scale fetches it.
(PEER,) = (ROOT / "build" / "scale").glob("onnxruntime-*.jar")
EXECUTORS = 2
CLUSTER = (
    *("--master", f"local-cluster[{EXECUTORS},2,1024]", "--driver-memory", "700m", "--executor-memory", "700m"),
    *("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=ERROR", "--conf", "spark.ui.showConsoleProgress=false"),
    # As many tasks as there are files, and more; noise gains nothing by compression.
    *("--conf", f"spark.sql.files.maxPartitionBytes={1 << 20}", "--conf", "spark.sql.files.openCostInBytes=0"),
    *("--conf", "spark.sql.parquet.compression.codec=uncompressed"),
    # All of the heap from the start: what else an executor takes is then seen beside it.
    *("--conf", "spark.executor.extraJavaOptions=-Xms700m -XX:+AlwaysPreTouch"),
)  # fmt: skip


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The artifact, and the example with the test's witness in one jar."""
    (artifact,) = (
        p
        for p in (ROOT / "build" / "java" / "target").glob("anydim-*.jar")
        if "-sources" not in p.name and "-javadoc" not in p.name
    )
    folder = tmp_path_factory.mktemp("spark-java")
    own = ROOT / "tests" / "scale_out"
    sources = [ROOT / "examples" / "spark" / "Recognize.java", own / "Witness.java", own / "OnnxRuntimeLines.java"]
    path = f"{SPARK}/jars/*:{artifact}:{PEER}"
    subprocess.run(["javac", "-cp", path, "-d", str(folder / "classes"), *map(str, sources)], check=True)
    program = folder / "recognize.jar"
    subprocess.run(["jar", "--create", "--file", str(program), "-C", str(folder / "classes"), "."], check=True)
    return artifact, program


def submitted(jars: tuple[Path, Path], folder: Path, name: str, *arguments: str | Path) -> None:
    artifact, program = jars
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))} | {
        "SPARK_HOME": str(SPARK)
    }
    own = (
        *("--conf", f"spark.executorEnv.ANYDIM_CACHE_DIR={folder / 'cache'}"),
        *("--conf", f"spark.local.dir={folder / 'local'}"),
        *("--jars", f"{artifact},{PEER}" if "onnxruntime" in arguments else str(artifact)),
    )
    command = [SPARK / "bin" / "spark-submit", *CLUSTER, *own, "--class", name, program, *arguments]
    # Spark puts the folders of its workers where it was started.
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-20000:]}"


def found_in(results: Path) -> dict[int, str]:
    rows = pyarrow.parquet.read_table(results).to_pylist()
    assert len({row["id"] for row in rows}) == len(rows), "a row came twice"
    return {row["id"]: row["digest"] for row in rows}


def notes_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(note.read_text()) for note in folder.glob("*.json")]


def test_tasks_of_an_executor_share_a_session_and_executors_share_one_copy_of_the_weights(
    jars: tuple[Path, Path], images: workload.Images, packed: Path, notes: Path, tmp_path: Path
) -> None:
    given = (workload.MODEL, packed, images.folder, tmp_path / "results", notes, "0", "anydim")
    with workload.Sampler(notes, packed, EXECUTORS) as sampler:
        submitted(jars, tmp_path, "Witness", *given)
    assert found_in(tmp_path / "results") == images.expected
    told = notes_in(notes)
    assert len(told) == EXECUTORS and sum(each["rows"] for each in told) == len(images.expected)
    assert all(each["sessions"] == 1 and each["tasks"] == 2 for each in told), told
    assert sampler.memory is not None, "the executors were never seen together"
    print_figures("Spark, Java", "anydim", sampler.memory, file=file_of(packed))
    check_one_copy(sampler.memory, packed)


def test_the_same_with_onnxruntime_has_a_copy_of_the_weights_per_executor(
    jars: tuple[Path, Path], images: workload.Images, packed: Path, notes: Path, tmp_path: Path
) -> None:
    given = (workload.MODEL, packed, images.folder, tmp_path / "results", notes, "0", "onnxruntime")
    with workload.Sampler(notes, packed, EXECUTORS) as sampler:
        submitted(jars, tmp_path, "Witness", *given)
    assert found_in(tmp_path / "results").keys() == images.expected.keys()
    check_unshared("Spark, Java", sampler.memory)


def test_tasks_of_an_executor_that_is_killed_half_way_are_done_again_with_the_same_bytes(
    jars: tuple[Path, Path], images: workload.Images, packed: Path, notes: Path, tmp_path: Path
) -> None:
    after = len(images.expected) // (2 * EXECUTORS)
    given = (workload.MODEL, packed, images.folder, tmp_path / "results", notes, str(after), "anydim")
    submitted(jars, tmp_path, "Witness", *given)
    assert (notes / "killed").exists(), "nobody was killed"
    told = notes_in(notes)
    assert len(told) > 1 and sum(each["rows"] for each in told) > len(images.expected), "nobody did its tasks again"
    assert found_in(tmp_path / "results") == images.expected


def test_the_example_alone_reads_what_one_process_reads(
    jars: tuple[Path, Path], images: workload.Images, packed: Path, tmp_path: Path
) -> None:
    (tmp_path / "few").mkdir()
    workload.write_images(tmp_path / "few", images.seed, 40, files=2)
    submitted(jars, tmp_path, "Recognize", workload.MODEL, packed, tmp_path / "few", tmp_path / "results")
    session = anydim.InferenceSession(workload.MODEL, threads=1)
    for row in pyarrow.parquet.read_table(tmp_path / "results").to_pylist():
        assert row["digest"] == images.expected[row["id"]]
        (scores,) = session.run(None, {"x": workload.image_of(workload.image_bytes(images.seed, row["id"]))[None]})
        best = scores[0].argmax(axis=1)
        assert row["characters"] == best[(best != 0) & (best != np.concatenate([[0], best[:-1]]))].tolist()
