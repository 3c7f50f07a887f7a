# SPDX-License-Identifier: Apache-2.0
"""A program: runs a model in the ways that must not matter (alone or in a batch, 1 or 2 threads, channels first or
last) and prints, as JSON, the SHA-256 of each image's output bytes, the best instruction set that the library may use, and the
best among the kernels that ran. test_bits.py runs it per instruction set.

  python output_digests.py MODEL.onnx H W SEED
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import anydim
import numpy as np

BATCH = 4
INSTRUCTION_SETS = ("portable", "avx2", "avx512")  # from worst to best


def best_of_kernels(explained: dict[str, Any]) -> str:
    """By the end of their names: conv.tiles.avx512."""
    endings = {node["kernel"].rpartition(".")[2] for node in explained["nodes"]}
    return max(endings.intersection(INSTRUCTION_SETS), key=INSTRUCTION_SETS.index, default="none")


def digests(path: str, height: int, width: int, seed: int) -> dict[str, Any]:
    x = np.random.default_rng(seed).uniform(-1, 1, (BATCH, 3, height, width)).astype(np.float32)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    assert last.strides != x.strides and np.array_equal(last, x)
    found: dict[str, list[str]] = {}
    allowed, ran = set(), set()
    for threads in (1, 2):
        session = anydim.InferenceSession(path, threads=threads)
        name = session.get_inputs()[0].name

        def rows(values: np.ndarray, session: anydim.InferenceSession = session, name: str = name) -> list[str]:
            output = session.run(None, {name: values})[0]
            return [hashlib.sha256(np.ascontiguousarray(row).tobytes()).hexdigest() for row in output]

        for order, values in (("channels first", x), ("channels last", last)):
            found[f"batch, {threads} threads, {order}"] = rows(values)
            found[f"alone, {threads} threads, {order}"] = [rows(values[i : i + 1])[0] for i in range(BATCH)]
        for batch in (1, BATCH):
            explained = session.explain({name: (batch, 3, height, width)})
            allowed.add(explained["isa"])
            ran.add(best_of_kernels(explained))
    return {"allowed": "+".join(sorted(allowed)), "ran": "+".join(sorted(ran)), "images": found}


if __name__ == "__main__":
    print(json.dumps(digests(sys.argv[1], *map(int, sys.argv[2:5]))))
