# SPDX-License-Identifier: Apache-2.0
"""Decoding beside ONNX Runtime: a prompt in one call, then token by token, in turn on both engines; tokens a second of each.

.venv/bin/python bench/decoders.py --model llama --prompt 64 --tokens 16
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any


def seconds(session: Any, prompt: Any, later: Any) -> tuple[float, float, list[Any]]:
    """Of the prompt, and of a later token in the median; the last logits of each call."""
    import numpy as np
    from decoder_models import Decoding

    decoding, times, logits = Decoding(session, prompt.shape[0]), [], []
    for ids in (prompt, *np.split(later, later.shape[1], 1)):
        begin = time.perf_counter()
        given = decoding.step(ids)
        times.append(time.perf_counter() - begin)
        logits.append(given[:, -1])
    return times[0], float(np.median(times[1:])), logits


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("llama", "gpt2", "small"), default="llama")
    parser.add_argument(
        "--weights",
        choices=("f32", "f16", "int8", "int4"),
        default="f32",
        help="as what matrices are held (default f32)",
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    import anydim
    import numpy as np
    from decoder_models import GPT2, LLAMA_100M, SMALL, gpt2, llama, weight_bytes
    from decoder_peers import peers
    from machine import read_bandwidth

    make, shape = {"llama": (llama, LLAMA_100M), "gpt2": (gpt2, GPT2), "small": (llama, SMALL)}[options.model]
    model = make(shape, weights=options.weights)
    sessions = {"Anydim": anydim.InferenceSession(model, threads=options.threads), **peers(model, options.threads)}
    random = np.random.default_rng(2)
    prompt = random.integers(0, shape.words, (options.batch, options.prompt))
    later = random.integers(0, shape.words, (options.batch, options.tokens))
    best: dict[str, tuple[float, float]] = {}
    last = {}
    for _ in range(options.rounds):
        for name, session in sessions.items():
            first, each, last[name] = seconds(session, prompt, later)
            old = best.get(name, (first, each))
            best[name] = (min(old[0], first), min(old[1], each))
    bandwidth, read = read_bandwidth(options.threads), weight_bytes(model)
    for name, (first, each) in best.items():
        print(
            f"{name:13} prompt {options.batch * options.prompt / first:8.1f} tokens/s, later {options.batch / each:8.1f} tokens/s, "
            f"{read / each / 1e9:5.1f} GB/s of weights ({read / each / bandwidth:.2f} of the memory's {bandwidth / 1e9:.1f})"
        )
    mine = np.stack(last["Anydim"])
    for name in sessions:
        if name != "Anydim":
            difference = np.abs(mine - np.stack(last[name])).max() / np.abs(mine).max()
            print(f"largest difference to {name} {difference:.2g} of the largest logit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
