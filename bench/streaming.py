# SPDX-License-Identifier: Apache-2.0
"""Models by chunks beside one run of the whole: when the first output is there, what all chunks take, what memory it takes. Both take turns
in one process, on one thread, whose processor time is measured; of some rounds the smallest counts.

    .venv/bin/python bench/streaming.py
    .venv/bin/python bench/streaming.py --only denoiser --chunks 64 256 1024 --rounds 9
"""

from __future__ import annotations

import argparse
import time
from typing import Any

LENGTHS = {"vocoder": 192, "encoder of LSTM": 1024, "denoiser": 65536, "rows": 1280}
CHUNKS = {"vocoder": (1, 4, 16), "encoder of LSTM": (4, 16, 64), "denoiser": (64, 256, 1024), "rows": (8, 32)}


def part(x: Any, axis: int, first: int, count: int) -> Any:
    return x[tuple(slice(first, first + count) if i == axis else slice(None) for i in range(x.ndim))]


def measure(model: Any, length: int, chunk: int, rounds: int) -> str:
    import anydim
    import numpy as np

    session = anydim.InferenceSession(
        model.data, streaming={"x": model.axis}, streaming_chunk=chunk, threads=1,
        bounds={"x": [(0, 1) if i == model.axis else (d, d) for i, d in enumerate(model.dims)]},
    )  # fmt: skip
    whole_alone = anydim.InferenceSession(model.data, threads=1)
    x = model.input(length, np.random.default_rng(0))
    stream = session.streaming()
    whole, first, all_chunks, steady = [], [], [], []
    for _ in range(rounds):
        begin = time.thread_time()
        whole_alone.run(None, {"x": x})
        whole.append(time.thread_time() - begin)
        stream.reset()
        seen = None
        times = []
        begin = time.thread_time()
        for at in range(0, length, chunk):
            before = time.thread_time()
            y = stream.push({"x": part(x, model.axis, at, chunk)})[0]
            now = time.thread_time()
            times.append(now - before)
            if seen is None and y.size:
                seen = now - begin
        stream.finish()
        all_chunks.append(time.thread_time() - begin)
        first.append(seen or all_chunks[-1])
        steady.append(min(times[len(times) // 2 :]))
    return (
        f"| {model.name} | {length} | {chunk} | {min(whole) * 1e3:.1f} | {min(all_chunks) * 1e3:.1f} | {min(first) * 1e3:.2f} "
        f"| 1/{min(whole) / min(first):.0f} | {min(steady) * 1e3:.2f} | {stream.info()['first_after']} "
        f"| {stream.bytes_needed / 1e3:.0f} | {whole_alone.arena_bytes / 1e3:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(LENGTHS))
    parser.add_argument("--chunks", nargs="*", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    from streaming_models import denoiser, encoder, rows, vocoder

    print("| network | length | chunk | whole, ms | all chunks, ms | first output, ms | of the whole | a chunk, ms "
          "| first after | kB by chunks | kB of the whole |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for model in (vocoder(), encoder(), denoiser(), rows()):
        if model.name in args.only:
            for chunk in args.chunks or CHUNKS[model.name]:
                print(measure(model, LENGTHS[model.name], chunk, args.rounds), flush=True)


if __name__ == "__main__":
    main()
