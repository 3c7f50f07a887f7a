# SPDX-License-Identifier: Apache-2.0
"""Random graphs of tests/fuzz, exported, compiled and compared with the library bit by bit.

  python tests/export/drawn_graphs.py --kind near --seed 1 --graphs 200

Graphs that cannot be exported are counted by what is missing. Exit status 1: bits differ, C that does not compile, or a run that only one
of the two refuses."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fuzz")]

import anydim  # noqa: E402
import cases  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from exported_c import Compiled, Refused, export, same_bits  # noqa: E402
from generate import generate  # noqa: E402

FLAGS = ("-O1", "-mavx2", "-mfma", "-Wall", "-Wextra", "-Werror")


def bounds_of(model: onnx.ModelProto, bindings: list[cases.Binding]) -> tuple[str, ...]:
    texts = []
    for value in model.graph.input:
        columns = list(zip(*(cases.dims_of(value, b) for b in bindings), strict=True))
        if any(d.dim_param for d in value.type.tensor_type.shape.dim):
            texts.append(f"{value.name}:" + ",".join(f"{min(c)}..{max(c)}" for c in columns))
    return tuple(texts)


def judge(seed: int, kind: str, folder: Path, flags: tuple[str, ...]) -> tuple[str, str]:
    """What became of a graph, and what is wrong."""
    try:
        model = generate(seed, kind)
    except Exception as e:
        return "none", str(e)
    path = folder / "m.onnx"
    onnx.save(model, str(path))
    try:
        session = anydim.InferenceSession(str(path), contexts=1)
    except anydim.Error:
        return "refused by the library", ""
    bindings = cases.bindings_of(model)
    try:
        export(path, folder / "c", bounds_of(model, bindings))
    except Refused as e:
        lines = str(e).strip().split("\n")
        return "not exported", (lines[1] if len(lines) > 1 else lines[0]).split(": ")[-1]
    compiled = Compiled(folder / "c", flags)
    ran = 0
    for binding in bindings:
        feeds = cases.feeds(model, binding)
        status, outputs = compiled.run(feeds)
        try:
            wanted = session.run(None, feeds)
        except anydim.Error as e:
            if status == 0:
                return "wrong", f"runs at {binding}, where the library says: {e}"
            continue
        if status != 0:
            return "wrong", f"is refused at {binding}: {compiled.status_text(status)}"
        ran += 1
        for (name, _), got, want in zip(compiled.outputs, outputs, wanted, strict=True):
            if not same_bits(got, np.asarray(want)):
                return "wrong", f"{name} differs at {binding}"
    return ("same" if ran else "no run"), ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--flags", default=" ".join(FLAGS))
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.graphs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                verdict, words = judge(seed, options.kind, Path(folder), tuple(options.flags.split()))
            except AssertionError as e:
                verdict, words = "wrong", str(e)
        counts[verdict] += 1
        if verdict == "not exported":
            missing[words] += 1
        if verdict == "wrong":
            print(f"{options.kind} {seed}: {words}", flush=True)
    print(dict(counts))
    print("missing most:", missing.most_common(25))
    return counts["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
