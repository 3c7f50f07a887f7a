# SPDX-License-Identifier: Apache-2.0
"""Forests beside ONNX Runtime: 200 trees over 10,000 rows and over one, which grew as random forests do, on a sample of their data.

  bench/forests.py                    classes, one number, and double trees; 1 and 2 threads
  bench/forests.py --trees 50 --rows 1 100
  bench/forests.py --inputs 1         the same rows at each call, whose branches a processor learns

Calls go through `--inputs` drawn inputs: of ten rows or so, a walk with branches is three times as fast where it sees the same
rows again and again, as no user's do.

The engines' calls take turns in one process, and of each the fastest tenth counts, so that what else the machine does is no one's
disadvantage. `share` is our time over ONNX Runtime's."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np

FEATURES, SAMPLE, SMALLEST = 20, 4000, 4


def grow(r: np.random.Generator, sample: np.ndarray, a: dict[str, list[Any]], tree: int) -> list[int]:
    """A tree whose nodes each cut their part of the sample near its middle; its leaves."""
    leaves, waiting = [], [(0, r.integers(0, len(sample), len(sample)))]
    ids = 1
    while waiting:
        own, part = waiting.pop()
        feature = int(r.integers(FEATURES))
        values = sample[part, feature]
        split = float(values[r.integers(len(values))])
        below = values <= split
        leaf = len(part) < SMALLEST or below.all()
        yes, no = (0, 0) if leaf else (ids, ids + 1)
        rest = (tree, own, feature, "LEAF" if leaf else "BRANCH_LEQ", split, yes, no)
        for name, value in zip(
            ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids"), rest, strict=True
        ):
            a[f"nodes_{name}"].append(value)
        if leaf:
            leaves.append(own)
            continue
        ids += 2
        waiting += [(yes, part[below]), (no, part[~below])]
    return leaves


def forest(trees: int, classes: int, double: bool) -> bytes:
    """A classifier, or with one class a regressor."""
    import numpy as np
    from onnx import TensorProto, helper

    r = np.random.default_rng(0)
    dtype = np.float64 if double else np.float32
    sample = r.standard_normal((SAMPLE, FEATURES)).astype(dtype)
    prefix = "target" if classes == 1 else "class"
    a: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    }
    a |= {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(trees):
        for leaf in grow(r, sample, a, tree):
            for target, weight in enumerate((r.dirichlet(np.ones(classes)) if classes > 1 else r.random(1)) / trees):
                for name, value in zip(
                    ("treeids", "nodeids", "ids", "weights"), (tree, leaf, target, weight), strict=True
                ):
                    a[f"{prefix}_{name}"].append(value)
    real, named = TensorProto.DOUBLE if double else TensorProto.FLOAT, dict[str, Any](a)
    if double:
        for name in ("nodes_values", f"{prefix}_weights"):
            named[f"{name}_as_tensor"] = helper.make_tensor(name, real, [len(named[name])], named.pop(name))
    outputs = [("scores", TensorProto.FLOAT)]
    if classes > 1:
        outputs.insert(0, ("label", TensorProto.INT64))
        named["classlabels_int64s"] = list(range(classes))
    else:
        named["n_targets"] = 1
    op = "TreeEnsembleRegressor" if classes == 1 else "TreeEnsembleClassifier"
    node = helper.make_node(op, ["x"], [name for name, _ in outputs], domain="ai.onnx.ml", **named)
    given = [helper.make_tensor_value_info("x", real, ["n", FEATURES])]
    graph = helper.make_graph([node], op, given, [helper.make_tensor_value_info(n, t, None) for n, t in outputs])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    return made


def in_turns(calls: list[Callable[[Any], Any]], given: list[Any], seconds: float) -> list[float]:
    """Microseconds of each on what is given, called alternately: the fastest tenth."""
    import numpy as np

    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call(given[0])
    end = time.perf_counter() + seconds
    while len(times[0]) < 5 or time.perf_counter() < end:
        for call, found in zip(calls, times, strict=True):
            begin = time.perf_counter()
            call(given[len(found) % len(given)])
            found.append((time.perf_counter() - begin) * 1e6)
    return [float(np.quantile(found, 0.1)) for found in times]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 100, 10000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--inputs", type=int, default=100, help="drawn, of as many as fit 200,000 rows (default 100)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement (default 1)")
    options = parser.parse_args()

    import anydim
    import numpy as np
    import onnxruntime

    for name, classes, double in (("3 classes", 3, False), ("one number", 1, False), ("one number, double", 1, True)):
        model = forest(options.trees, classes, double)
        for threads in options.threads:
            settings = onnxruntime.SessionOptions()
            settings.intra_op_num_threads = threads
            ours = anydim.InferenceSession(model, threads=threads)
            theirs = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
            for rows in options.rows:
                draw = np.random.default_rng(1)
                dims = (min(options.inputs, max(200_000 // rows, 1)), rows, FEATURES)
                given = [{"x": x} for x in draw.standard_normal(dims).astype(np.float64 if double else np.float32)]
                for mine, other in zip(ours.run(None, given[0]), theirs.run(None, given[0]), strict=True):
                    np.testing.assert_allclose(mine, other, rtol=0, atol=1e-6)
                us = in_turns([partial(ours.run, None), partial(theirs.run, None)], given, options.seconds)
                print(
                    f"{name:20s} {rows:6d} rows  threads {threads}  anydim {us[0]:10.1f} us  "
                    f"ONNX Runtime {us[1]:10.1f} us  share {us[0] / us[1]:.2f}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
