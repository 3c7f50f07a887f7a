# SPDX-License-Identifier: Apache-2.0
"""Greedy text from a decoder with a cache: the prompt in one call, then a token per call.

    python examples/generate/generate.py --random            a small model with random weights: its text means nothing
    python examples/generate/generate.py model.onnx 464 3290 a model of your own, and the numbers of the prompt's tokens

The model takes input_ids and, where it has them, position_ids, seqlens_k and total_sequence_length; its caches are inputs
past.* and outputs present.*, in the same order (as ONNX Runtime's model builder writes them, under these names). Turning text
into tokens and back is a tokenizer's business: any will do. A model without a meaning gets one token per byte here.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import anydim
import numpy as np

PAST = ("past.", "past_key_values.")


class Decoder:
    """One sequence, whose cache grows with each call."""

    def __init__(self, session: anydim.InferenceSession) -> None:
        self.session, self.length = session, 0
        inputs = session.get_inputs()
        self.names = {i.name for i in inputs}
        self.cache = {
            i.name: np.zeros([1 if d == 0 else 0 if d == 2 else int(n) for d, n in enumerate(i.shape)], np.float32)
            for i in inputs
            if i.name.startswith(PAST)
        }

    def step(self, tokens: list[int]) -> Any:
        """The logits behind the last of these tokens."""
        total = self.length + len(tokens)
        feeds: dict[str, Any] = {"input_ids": np.array([tokens], np.int64), **self.cache}
        if "position_ids" in self.names:
            feeds["position_ids"] = np.arange(self.length, total)[None]
        if "seqlens_k" in self.names:
            feeds |= {"seqlens_k": np.array([total - 1], np.int32), "total_sequence_length": np.array(total, np.int32)}
        logits, *present = self.session.run(None, feeds)
        self.cache = dict(zip(self.cache, present, strict=True))
        self.length = total
        return logits[0, -1]


def random_model() -> bytes:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
    from decoder_models import Shape, llama

    return llama(Shape(layers=4, width=256, heads=8, key_heads=2, hidden=688, words=256))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="an ONNX file")
    parser.add_argument("prompt", nargs="*", type=int, help="numbers of tokens")
    parser.add_argument("--random", action="store_true", help="a small model with random weights")
    parser.add_argument("--tokens", type=int, default=40, help="how many to make")
    options = parser.parse_args()
    if options.random == (options.model is not None):
        parser.error("give a model or --random")
    decoder = Decoder(anydim.InferenceSession(random_model() if options.random else options.model))
    prompt = options.prompt or list(b"Once upon a time")
    if options.random:
        print("The weights are random; so is the text.")
    begin = time.perf_counter()
    made = [int(decoder.step(prompt).argmax())]
    first = time.perf_counter()
    while len(made) < options.tokens:
        made.append(int(decoder.step([made[-1]]).argmax()))
    end = time.perf_counter()
    print(bytes(made) if options.random else " ".join(map(str, made)))
    rate = (len(made) - 1) / (end - first) if len(made) > 1 else 0.0
    print(f"{len(prompt)} tokens of prompt in {1000 * (first - begin):.1f} ms, then {rate:.0f} tokens a second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
