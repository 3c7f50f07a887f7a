# SPDX-License-Identifier: Apache-2.0
"""Structural mutants (structural_mutants.py) that load here and in ONNX Runtime: both run them on the same data, and results that differ
are shown. Not all of them are ours: ONNX Runtime takes models that ONNX's text does not allow, and has bugs; whoever reads this judges.

  python tests/fuzz/mutants_compared.py --seed 1 --count 5000
  python tests/fuzz/mutants_compared.py --seed 1 --count 5000 --only Resize

ONNX Runtime is asked in a process of its own, since mutants end it now and then. Models that differ are written to
build/fuzz/compared-SEED-NUMBER.txt."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import onnx
from cases import NUMPY
from cases import draw as drawn
from mutant_models import beginnings
from structural_mutants import ROOT, Mutant, draw, write

DRAW_AT_RANDOM = {
    "Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
}  # fmt: skip
SECONDS = 30
MOST_ELEMENTS = 1 << 14


def serve(pipe: Connection) -> None:
    """Runs models that come through the pipe on ONNX Runtime; gives results, or the error as text."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    while True:
        data, feeds = pipe.recv()
        try:
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            pipe.send(session.run(None, feeds))
        except Exception as failure:
            pipe.send(str(failure))


class Peer:
    """ONNX Runtime in another process, which begins again when a model ends it."""

    def __init__(self) -> None:
        self.process: Any = None

    def ask(self, data: bytes, feeds: dict[str, Any]) -> Any:
        if self.process is None:
            spawn = multiprocessing.get_context("spawn")
            self.pipe, theirs = spawn.Pipe()
            self.process = spawn.Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
        try:
            self.pipe.send((data, feeds))
            if self.pipe.poll(SECONDS):
                return self.pipe.recv()
        except (EOFError, OSError):
            pass
        self.process.kill()
        self.process = None
        return "it ended, or hung"


def feeds_of(model: onnx.ModelProto, seed: int) -> dict[str, Any] | None:
    """Data that fits what the inputs declare; None if they are no tensors, or large."""
    generator, r = np.random.default_rng(seed), random.Random(seed)
    sizes: dict[str, int] = {}
    constants = {t.name for t in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in constants:
            continue
        tensor = value.type.tensor_type
        if not value.type.HasField("tensor_type"):
            return None
        dtype = np.dtype(object) if tensor.elem_type == onnx.TensorProto.STRING else NUMPY.get(tensor.elem_type)
        dims = [
            d.dim_value
            if d.dim_value > 0 or d.HasField("dim_value")
            else sizes.setdefault(d.dim_param or f"{len(sizes)}", r.choice((1, 2, 3)))
            for d in tensor.shape.dim
        ]
        if (
            dtype is None
            or dtype.name == "bfloat16"
            or any(not 0 <= d <= MOST_ELEMENTS for d in dims)
            or np.prod(dims, dtype=float) > MOST_ELEMENTS
        ):
            return None
        feeds[value.name] = drawn(
            generator, dtype, tuple(dims), r.choice(("normal", "positive", "unit", "integers 0 3"))
        )
    return feeds


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list) or isinstance(theirs, list):
        return (
            isinstance(ours, list)
            and isinstance(theirs, list)
            and len(ours) == len(theirs)
            and all(map(same, ours, theirs))
        )
    if ours is None or isinstance(ours, dict) or theirs is None or isinstance(theirs, dict):
        return bool(ours == theirs)
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    a, b = a.astype(np.float64), b.astype(np.float64)
    most = np.abs(b[np.isfinite(b)]).max(initial=1.0)
    with np.errstate(all="ignore"):
        return bool(
            np.all(
                (np.abs(a - b) <= (4e-3 if ours.dtype.itemsize == 2 else 1e-4) * most)
                | (a == b)
                | (np.isnan(a) & np.isnan(b))
            )
        )


def compared(peer: Peer, mutant: Mutant, seed: int) -> tuple[str, str]:
    """A verdict, and what differs."""
    model = onnx.load_from_string(mutant.data)
    if DRAW_AT_RANDOM & {node.op_type for node in model.graph.node}:
        return "random numbers", ""
    feeds = feeds_of(model, seed)
    if feeds is None:
        return "no data", ""
    ours: Any
    try:
        ours = anydim.InferenceSession(mutant.data, contexts=1, threads=1).run(None, feeds)
    except anydim.Error as failure:
        ours = failure
    theirs = peer.ask(mutant.data, feeds)
    if isinstance(ours, anydim.UnimplementedError):
        return "unimplemented", ""
    if isinstance(ours, anydim.Error) and isinstance(theirs, str):
        return "both refuse", ""
    if isinstance(ours, anydim.Error):
        return "ONNX Runtime alone runs", f"{type(ours).__name__}: {ours}"
    if isinstance(theirs, str):
        return "Anydim alone runs", theirs[-200:]
    if same(list(ours), list(theirs)):
        return "equal", ""
    wrong = next((a, b) for a, b in zip(ours, theirs, strict=True) if not same(a, b))
    shapes = [f"{getattr(x, 'dtype', type(x))}{getattr(x, 'shape', '')}" for x in wrong]
    return "DIFFERENT", f"{shapes[0]} and {shapes[1]}: {str(wrong[0])[:200]} and {str(wrong[1])[:200]}".replace(
        "\n", " "
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--only", default="", help="an operator that the models have")
    parser.add_argument("--show", default="DIFFERENT", help="verdicts that are shown, with commas between them")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    models = beginnings()
    if options.only:
        models = [(name, m) for name, m in models if any(node.op_type == options.only for node in m.graph.node)]
    peer, verdicts, kept = Peer(), Counter[str](), ROOT / "build" / "fuzz"
    kept.mkdir(parents=True, exist_ok=True)
    for number in range(options.count):
        mutant = draw(models, options.seed, number)
        verdict, what = compared(peer, mutant, number)
        verdicts[verdict] += 1
        if verdict in options.show.split(","):
            path: Path = write(mutant, kept / f"compared-{options.seed}-{number}")
            print(f"{verdict}: {mutant.name}\n{path}\n{what}", flush=True)
        if (number + 1) % 1000 == 0:
            print(f"{number + 1}: {dict(verdicts)}", flush=True)
    print(f"seed {options.seed}: {dict(verdicts)}")
    return 1 if verdicts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
