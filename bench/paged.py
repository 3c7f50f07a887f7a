# SPDX-License-Identifier: Apache-2.0
"""Decoding with a cache in pages beside a cache in one piece: the same tokens, token by token, alternately within one process.

    .venv/bin/python bench/paged.py --model small --prompt 512 --tokens 64
    .venv/bin/python bench/paged.py --model llama --prompt 256 --tokens 32 --rounds 5

Prints tokens a second of both and their ratio by round and by token (the prompt is not counted), how long a fork takes, and the memory
of eight forks.
Logits are compared bit by bit.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("small", "llama"), default="small")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--page", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()

    import anydim
    import numpy as np
    from decoder_models import LLAMA_100M, SMALL, llama
    from decoders import lengths

    shape = SMALL if options.model == "small" else LLAMA_100M
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decoder.onnx"
        path.write_bytes(llama(shape))
        session = anydim.InferenceSession(str(path), threads=options.threads, contexts=1)
    names = {i.name for i in session.get_inputs()}
    pairs = {n: (n.replace("past", "present"), 2) for n in names if n.startswith("past.")}
    room = options.prompt + options.tokens
    numbers = np.random.default_rng(2)
    prompt = numbers.integers(0, shape.words, (1, options.prompt))
    later = numbers.integers(0, shape.words, (options.tokens, 1, 1))

    def step(state: Any, ids: Any, before: int) -> Any:
        return state.step({"input_ids": ids, **lengths(names, 1, before, ids.shape[1])})[0]

    states = {"one piece": session.state(pairs, room), "pages": session.state(pairs, room, page=options.page)}
    ratios = []
    steps: list[float] = []
    for turn in range(options.rounds):
        times: dict[str, list[float]] = {name: [] for name in states}
        logits = {}
        for state in states.values():
            state.reset()
            step(state, prompt, 0)
        for i, ids in enumerate(later):  # token by token, so that what else the machine does meets both
            for name in list(states) if (turn + i) % 2 == 0 else list(states)[::-1]:
                begin = time.perf_counter()
                logits[name] = step(states[name], ids, options.prompt + i)
                times[name].append(time.perf_counter() - begin)
            assert (logits["one piece"] == logits["pages"]).all(), "other bits"
        steps += [one / paged for one, paged in zip(times["one piece"], times["pages"], strict=True)]
        ratios.append(sum(times["one piece"]) / sum(times["pages"]))
        rates = {name: options.tokens / sum(of) for name, of in times.items()}
        print(
            f"{rates['one piece']:8.1f} {rates['pages']:8.1f} tokens/s  pages / one piece {ratios[-1]:.3f}", flush=True
        )
    low, middle, high = statistics.quantiles(steps, n=4)
    print(f"rounds: median {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}); bits are equal")
    print(f"tokens: median {middle:.3f} (half of them {low:.3f} to {high:.3f})")
    for name, state in states.items():
        begin = time.perf_counter()
        forks = [state.fork() for _ in range(8)]
        took = (time.perf_counter() - begin) / 8
        info = state.info()
        held = info["pool_bytes"] if info["page"] else 9 * info["bytes"]
        print(
            f"{name}: a fork takes {1e3 * took:.2f} ms; with 8 forks {held / 2**20:.1f} MB; copied {info['copied_bytes']} bytes"
        )
        del forks
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
