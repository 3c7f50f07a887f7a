# SPDX-License-Identifier: Apache-2.0
"""What the scale-out tests run, on the side of the driver and in the workers: images of mixed widths out of a seed, as Parquet files;
workers that leave a note of their process and memory, and one of which kills itself half-way; ONNX Runtime under the same engines.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anydim.ray
import anydim.rows
import anydim.spark
import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "build" / "models" / "rec.onnx"
NARROWEST, WIDEST, BATCH = 32, 320, 8
BOUNDS = {"x": ((1, BATCH), 3, 48, (NARROWEST, WIDEST))}
MEGABYTE = 1 << 20
Victim = str  # "" (nobody), "worker" (the process that runs the model), "executor" (the JVM above it)


def image_bytes(seed: int, index: int) -> bytes:
    """Image `index` of a seed: 3 x 48 x width bytes, of a width between the narrowest and the widest."""
    random = np.random.default_rng((seed, index))
    return random.integers(0, 256, 3 * 48 * int(random.integers(NARROWEST, WIDEST + 1)), np.uint8).tobytes()


def image_of(pixels: bytes) -> NDArray[np.float32]:
    """What the model takes: 3 x 48 x width, from -1 to 1."""
    return np.frombuffer(pixels, np.uint8).reshape(3, 48, -1).astype(np.float32) / np.float32(127.5) - np.float32(1)


def digest_of(outputs: Mapping[str, NDArray[Any]]) -> str:
    """Names, dims and bytes of a row's outputs."""
    digest = hashlib.sha256()
    for name, values in outputs.items():
        digest.update(f"{name} {values.dtype} {values.shape}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def write_images(folder: Path, seed: int, count: int, files: int = 8) -> None:
    """Columns `id` and `x`, in this many files."""
    for ids in np.array_split(np.arange(count), files):
        table = pa.table({"id": ids, "x": pa.array([image_bytes(seed, int(i)) for i in ids], pa.binary())})
        # Noise gains nothing by compression, and Spark would have to unpack a native library of its own for it.
        pa.parquet.write_table(table, folder / f"images-{ids[0]:06}.parquet", row_group_size=64, compression="none")


def digests_of_one_process(seed: int, count: int) -> list[str]:
    """What the workers have to agree with: one session, one image at a time, weights packed by itself."""
    session = anydim.InferenceSession(MODEL, threads=2)
    names = [node.name for node in session.get_outputs()]
    found = []
    for i in range(count):
        results = session.run(None, {"x": image_of(image_bytes(seed, i))[None]})
        found.append(digest_of({name: result[0] for name, result in zip(names, results, strict=True)}))
    return found


@dataclass(frozen=True)
class Images:
    """Images in a folder, and what one process makes of them, by id."""

    folder: Path
    seed: int
    expected: dict[int, str]

    @classmethod
    def made(cls, folder: Path, seed: int, count: int) -> Images:
        write_images(folder, seed, count)
        return cls(folder, seed, dict(enumerate(digests_of_one_process(seed, count))))


# -- in the workers ---------------------------------------------------------------------------------------------------


def rollup(pid: int | str) -> dict[str, int]:
    """Bytes by name, of a process: Rss, Pss, Private (what goes when it ends)."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup").read_text())


def _kilobytes(text: str) -> dict[str, int]:
    lines = (line.split() for line in text.splitlines() if line.endswith(" kB"))
    sizes: dict[str, int] = {}
    for name, size, _ in lines:
        sizes[name[:-1]] = sizes.get(name[:-1], 0) + int(size) * 1024
    return {
        "Rss": sizes.get("Rss", 0),
        "Pss": sizes.get("Pss", 0),
        "Private": sizes.get("Private_Clean", 0) + sizes.get("Private_Dirty", 0),
    }


@dataclass
class Witness:
    """What a worker does beside its work. It is pickled to the workers.

    folder: where the notes go. engine: whose session, "anydim" or "onnxruntime". victim, after: who is killed, once in all, by the
    worker that has done so many rows.
    """

    folder: str
    packed: str
    engine: str = "anydim"
    victim: Victim = ""
    after: int = 0
    rows: int = 0

    def opened(self, open_session: Callable[[], Any]) -> Any:
        """Opens a session and notes the process, and what it took."""
        before = rollup("self")
        made = open_session()
        note = Path(self.folder) / f"{os.getpid()}.json"
        # As long as one worker alone maps the file, its pages count as private ones.
        _, loaded = mapping_and_rest("self", Path(self.packed))
        Path(f"{note}.new").write_text(json.dumps({"before": before, "loaded": loaded}))
        os.rename(f"{note}.new", note)
        return made

    def finish(self, outputs: Mapping[str, NDArray[Any]]) -> str:
        self.rows += 1
        if self.victim and self.rows == self.after:
            self._kill()
        return digest_of(outputs)

    def _kill(self) -> None:
        try:
            os.close(os.open(Path(self.folder) / "killed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid() if self.victim == "worker" else _executor(), signal.SIGKILL)
        time.sleep(60)  # the executor's end is this process's end


def _executor() -> int:
    """The Spark executor under which this process runs."""
    pid = os.getpid()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    raise RuntimeError("no executor above this process")


class OnnxRuntimeRows:
    """ONNX Runtime as people use it in a worker: a session of one thread, a run per row."""

    def __init__(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])
        self._names = [node.name for node in self._session.get_outputs()]
        # What a context with bounds has when it is made: the memory of the largest shape.
        self.run(np.zeros((3, 48, WIDEST), np.float32))

    def run(self, image: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        results = self._session.run(None, {"x": image[None]})
        return {name: result[0] for name, result in zip(self._names, results, strict=True)}


@dataclass
class SparkPredictor:
    """For predict_batch_udf: ours with a witness, or ONNX Runtime with the same one."""

    witness: Witness

    def __call__(self) -> Callable[[Any], Any]:
        if self.witness.engine == "onnxruntime":
            rows = self.witness.opened(OnnxRuntimeRows)

            def predict(pixels: Any) -> Any:
                return np.array([self.witness.finish(rows.run(image_of(one))) for one in pixels.ravel()], object)

            return predict
        predictor = anydim.spark.predictor(
            MODEL, packed=self.witness.packed, prepare=_spark_image, finish=self.witness.finish, bounds=BOUNDS
        )
        made: Callable[[Any], Any] = self.witness.opened(predictor)
        return made


def _spark_image(pixels: bytes) -> NDArray[np.float32]:
    return image_of(pixels)


class RayPredictor:
    """For map_batches: the same."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._run: Callable[[Mapping[str, Any]], dict[str, Any]]
        if witness.engine == "onnxruntime":
            rows = witness.opened(OnnxRuntimeRows)
            self._run = lambda batch: {
                "id": batch["id"],
                "digest": np.array([witness.finish(rows.run(image_of(one))) for one in batch["x"]], object),
            }
        else:
            self._run = witness.opened(
                lambda: anydim.ray.Predictor(
                    MODEL,
                    packed=witness.packed,
                    prepare=lambda row: image_of(row["x"]),
                    finish=lambda outputs: {"digest": witness.finish(outputs)},
                    bounds=BOUNDS,
                )
            )

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        return self._run(batch)


# -- the memory of the workers, seen from the driver ------------------------------------------------------------------


def mapping_and_rest(pid: int | str, path: Path) -> tuple[dict[str, int], dict[str, int]]:
    """As `rollup`, of the parts of a process that map this file, and of all others."""
    parts: tuple[list[str], list[str]] = ([], [])
    inside = False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if not line.endswith(" kB") and "-" in line.split(" ", 1)[0]:
            inside = line.endswith(str(path))
        parts[0 if inside else 1].append(line)
    return _kilobytes("\n".join(parts[0])), _kilobytes("\n".join(parts[1]))


@dataclass
class Memory:
    """Of N workers at one moment, in bytes, each a list over the workers."""

    before: list[int]  # private memory before the session was opened
    loaded: list[int]  # after
    private: list[int]  # at the moment
    pss: list[int]
    packed_rss: list[int]  # of the file of packed weights
    packed_pss: list[int]


class Sampler:
    """Looks at the workers again and again while an engine works; `memory` is the look that found so many of them and most of the
    file of packed weights in their memory, of equals the heaviest (by Pss). The last one would find workers that have released their
    session already; the heaviest one, on a busy machine, a worker at its first rows while others have not begun."""

    def __init__(self, folder: Path, packed: Path, workers: int) -> None:
        self._folder, self._packed, self._workers = folder, packed, workers
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.memory: Memory | None = None

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        def weight(memory: Memory) -> tuple[int, int]:
            return sum(memory.packed_rss), sum(memory.pss)

        while not self._end.wait(0.3):
            found = list(self._alive())
            if len(found) == self._workers:
                memory = Memory(*(list(column) for column in zip(*found, strict=True)))
                if self.memory is None or weight(memory) >= weight(self.memory):
                    self.memory = memory

    def _alive(self) -> Iterator[tuple[int, ...]]:
        for note in self._folder.glob("*.json"):
            try:
                pid, noted = int(note.stem), json.loads(note.read_text())
                packed, rest = mapping_and_rest(pid, self._packed)
            except OSError:  # it has ended
                continue
            yield (
                noted["before"]["Private"],
                noted["loaded"]["Private"],
                rest["Private"],
                rest["Pss"] + packed["Pss"],
                packed["Rss"],
                packed["Pss"],
            )
