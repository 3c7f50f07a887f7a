# SPDX-License-Identifier: Apache-2.0
"""What must hold of the memory of workers (P6): N contexts and one packed copy of the weights. Prints the figures of docs/scale-out.md."""

from __future__ import annotations

import json
from pathlib import Path

import anydim
from workload import BOUNDS, MEGABYTE, MODEL, Memory

# What a loaded model and its interpreter objects take beside context and packed weights: constants that are read as they are, the
# program, malloc's own.
BESIDE = 8 * MEGABYTE


def print_figures(engine: str, whose: str, memory: Memory, **more: float) -> None:
    def mean(values: list[int]) -> float:
        return round(sum(values) / len(values) / MEGABYTE, 1)

    figures = {
        "workers": len(memory.pss),
        "private, before the session": mean(memory.before),
        "private, session opened": mean([b - a for a, b in zip(memory.before, memory.loaded, strict=True)]),
        "private at work": mean(memory.private),
        "Pss at work, all workers": round(sum(memory.pss) / MEGABYTE, 1),
        "packed file: Rss, all workers": round(sum(memory.packed_rss) / MEGABYTE, 1),
        "packed file: Pss, all workers": round(sum(memory.packed_pss) / MEGABYTE, 1),
        **more,
    }
    print(f"FIGURES {engine} {whose} MiB {json.dumps(figures)}")


def check_shared(engine: str, memory: Memory | None, packed: Path) -> None:
    """Every worker has the file mapped, together they hold it once, and each has little more of its own than a context."""
    assert memory is not None, "the workers were never seen together"
    context = anydim.InferenceSession(MODEL, threads=1, bounds=BOUNDS).bytes_needed
    print_figures(engine, "anydim", memory, context=round(context / MEGABYTE, 1), file=file_of(packed))
    check_one_copy(memory, packed)
    for before, loaded in zip(memory.before, memory.loaded, strict=True):
        assert loaded - before < context + BESIDE, "a worker has more than its context of its own"


def file_of(packed: Path) -> float:
    """Its size in MiB."""
    return round(packed.stat().st_size / MEGABYTE, 1)


def check_one_copy(memory: Memory, packed: Path) -> None:
    """Every worker has the file mapped, and together they hold it once."""
    size, workers = packed.stat().st_size, len(memory.pss)
    assert sum(memory.packed_rss) > 0.9 * size * workers, "a worker has packed weights that are not the file's"
    assert sum(memory.packed_pss) < 1.02 * size + workers * MEGABYTE / 16, "the file is in memory more than once"


def check_unshared(engine: str, memory: Memory | None) -> None:
    """The control: what the same measurement says of an engine that shares nothing."""
    assert memory is not None, "the workers were never seen together"
    print_figures(engine, "onnxruntime", memory)
    weights = MODEL.stat().st_size
    for before, loaded in zip(memory.before, memory.loaded, strict=True):
        assert loaded - before > 0.9 * weights, "the measurement does not see weights"
