# SPDX-License-Identifier: Apache-2.0
"""examples/spark/Recognize.java on Spark with two executors of two cores: the bytes of one process, also where an executor is killed, one
session per executor for all its tasks, and one packed copy of the weights in memory. Compiled and submitted as its first lines say."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path

import anydim
import numpy as np
import pyarrow.parquet
import pyspark
import pytest
import workload

ROOT = Path(__file__).resolve().parents[2]
SPARK = Path(pyspark.__file__).parent
EXECUTORS = 2
CLUSTER = (
    *("--master", f"local-cluster[{EXECUTORS},2,1024]", "--driver-memory", "700m", "--executor-memory", "700m"),
    *("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=ERROR", "--conf", "spark.ui.showConsoleProgress=false"),
    # As many tasks as there are files, and more; noise gains nothing by compression.
    *("--conf", f"spark.sql.files.maxPartitionBytes={1 << 20}", "--conf", "spark.sql.files.openCostInBytes=0"),
    *("--conf", "spark.sql.parquet.compression.codec=uncompressed"),
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
    sources = [ROOT / "examples" / "spark" / "Recognize.java", ROOT / "tests" / "scale_out" / "Witness.java"]
    path = f"{SPARK}/jars/*:{artifact}"
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
        "--conf",
        f"spark.executorEnv.ANYDIM_CACHE_DIR={folder / 'cache'}",
        "--conf",
        f"spark.local.dir={folder / 'local'}",
    )
    command = [SPARK / "bin" / "spark-submit", *CLUSTER, *own, "--class", name, "--jars", artifact, program, *arguments]
    # Spark puts the folders of its workers where it was started.
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-20000:]}"


def found_in(results: Path) -> dict[int, str]:
    rows = pyarrow.parquet.read_table(results).to_pylist()
    assert len({row["id"] for row in rows}) == len(rows), "a row came twice"
    return {row["id"]: row["digest"] for row in rows}


class Mapped:
    """Looks at the executors while they work; `most` is Rss and Pss of the packed file where all of them had most of it mapped."""

    def __init__(self, notes: Path, packed: Path) -> None:
        self._notes, self._packed, self._end = notes, packed, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.most = (0, 0)

    def __enter__(self) -> Mapped:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(0.3):
            try:
                each = [workload.mapping_and_rest(int(n.stem), self._packed)[0] for n in self._notes.glob("*.json")]
            except OSError:  # one has ended
                continue
            self.most = max(self.most, (sum(m["Rss"] for m in each), sum(m["Pss"] for m in each)))


def notes_in(folder: Path) -> list[dict[str, int]]:
    return [json.loads(note.read_text()) for note in folder.glob("*.json")]


def test_tasks_of_an_executor_share_a_session_and_executors_share_one_copy_of_the_weights(
    jars: tuple[Path, Path], images: workload.Images, packed: Path, notes: Path, tmp_path: Path
) -> None:
    with Mapped(notes, packed) as mapped:
        submitted(jars, tmp_path, "Witness", workload.MODEL, packed, images.folder, tmp_path / "results", notes, "0")
    assert found_in(tmp_path / "results") == images.expected
    told = notes_in(notes)
    assert len(told) == EXECUTORS and sum(each["rows"] for each in told) == len(images.expected)
    assert all(each["sessions"] == 1 and each["tasks"] == 2 for each in told), told
    size = packed.stat().st_size
    rss, pss = mapped.most
    print(f"FIGURES Spark, Java: packed file {size}, Rss {rss}, Pss {pss} bytes in {EXECUTORS} executors")
    assert rss > 0.9 * size * EXECUTORS, "an executor has packed weights that are not the file's"
    assert pss < 1.02 * size + EXECUTORS * workload.MEGABYTE / 16, "the file is in memory more than once"


def test_tasks_of_an_executor_that_is_killed_half_way_are_done_again_with_the_same_bytes(
    jars: tuple[Path, Path], images: workload.Images, packed: Path, notes: Path, tmp_path: Path
) -> None:
    after = len(images.expected) // (2 * EXECUTORS)
    submitted(jars, tmp_path, "Witness", workload.MODEL, packed, images.folder, tmp_path / "results", notes, str(after))
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
