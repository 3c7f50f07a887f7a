# SPDX-License-Identifier: Apache-2.0
"""Random networks of tests/fuzz/chunked_graphs.py, exported by chunks, compiled and compared with the library's run over the whole.

  python tests/export/drawn_streams.py --seed 1 --graphs 200

Exit status 1: bits differ, something was written outside, C that does not compile, or a stream that only one of the two refuses."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fuzz")]

import anydim  # noqa: E402
import numpy as np  # noqa: E402
from chunked_graphs import LAYERS, Network, _same, chunk_lengths  # noqa: E402
from exported_c import CompiledStream, Refused, export, same_bits  # noqa: E402

FLAGS = ("-O1", "-mavx2", "-mfma", "-Wall", "-Wextra", "-Wconversion", "-Werror")


def judge(seed: int, folder: Path, flags: tuple[str, ...] = FLAGS, cuts: int = 4) -> str:
    """What became of a network; fails with what is wrong."""
    generator = np.random.default_rng(seed)
    rank = 4 if generator.integers(4) == 0 else 3
    n = Network(generator, rank, np.float32)
    values = []
    for _ in range(n.draw(1, 8)):
        n.one_of(*LAYERS)(n)
        values.append(n.value)
    if n.value == "x":
        _same(n)
    outputs = [o for o in dict.fromkeys([n.value, n.one_of(*(values or [n.value])), *n.ends]) if o != "x"]
    model, chunk = n.model(outputs), n.draw(1, 20)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "m.onnx"
    path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    columns = ",7" if rank == 4 else ""
    bounds = [f"x:1..{max(n.batches, 1)},{n.first_channels},0..1000{columns}"]
    bounds += [f"{name}:" + ",".join(map(str, a.shape)) for name, a in n.feeds.items() if a.shape]
    try:
        export(path, folder / "c", tuple(bounds), stream=("x:2",), chunk=chunk)
    except Refused as e:
        why = str(e).strip().split("\n")
        return "not exported: " + (why[1] if len(why) > 1 else why[0]).split(": ")[-1]
    session = anydim.InferenceSession(str(path), contexts=1)
    stream = CompiledStream(folder / "c", flags)
    for _ in range(cuts):
        length = [n.draw(0, 8), n.draw(1, 60), n.draw(40, 400)][n.draw(0, 2)]
        shape = (n.draw(1, n.batches), n.first_channels, length) + ((7,) if rank == 4 else ())
        feeds = {"x": generator.normal(size=shape).astype(np.float32), **n.feeds}
        feeds = {i.name: feeds[i.name] for i in session.get_inputs()}
        counts = chunk_lengths(generator, length, chunk)
        try:
            wanted = session.run(None, feeds)
        except anydim.Error:
            continue  # what the whole refuses may have had results before its end
        status, got = stream.run(feeds, {"x": 2}, counts, [w.shape for w in wanted])
        assert status == 0, f"seed {seed}: {stream.status_text(status)!r} at {shape} by {counts}"
        for (name, _), a, b in zip(stream.outputs, got, wanted, strict=True):
            assert same_bits(a, b), f"seed {seed}: {name} differs at {shape} by {counts}"
    return "ok"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=100)
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    wrong = 0
    for seed in range(options.seed, options.seed + options.graphs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                verdicts[judge(seed, Path(folder))] += 1
            except AssertionError as e:
                wrong += 1
                print(str(e)[:3000], flush=True)
    print(f"{wrong} wrong, {dict(verdicts.most_common(20))}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
