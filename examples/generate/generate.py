# SPDX-License-Identifier: Apache-2.0
"""Text from a decoder with a cache: the prompt in one call, then a token per call. The cache lies in a state of the session, which
each step appends to where it lies.

    python examples/generate/generate.py --random            a small model with random weights: its text means nothing
    python examples/generate/generate.py model.onnx 464 3290 a model of your own, and the numbers of the prompt's tokens

Greedy, or drawn from the most likely tokens with --temperature and --top. The model takes input_ids and, where it has them,
position_ids, attention_mask, seqlens_k and total_sequence_length; its caches are inputs past.* or past_key_values.* and outputs
present.*, in the same order, and grow along their axis 2. Turning text into tokens and back is a tokenizer's business: any may be used. A
model without a meaning gets one token per byte here.
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
    """One sequence, whose cache is a state of the session."""

    def __init__(self, session: anydim.InferenceSession, limit: int) -> None:
        inputs, outputs = session.get_inputs(), session.get_outputs()
        past = [i.name for i in inputs if i.name.startswith(PAST)]
        present = [o.name for o in outputs if o.name.startswith("present")]
        self.names = {i.name for i in inputs}
        self.state = session.state({p: (q, 2) for p, q in zip(past, present, strict=True)}, limit)

    def step(self, tokens: list[int]) -> Any:
        """The logits behind the last of these tokens."""
        length = self.state.length
        total = length + len(tokens)
        feeds: dict[str, Any] = {"input_ids": [tokens]}
        if "position_ids" in self.names:
            feeds["position_ids"] = np.arange(length, total)[None]
        if "attention_mask" in self.names:
            feeds["attention_mask"] = np.ones((1, total), np.int64)
        if "seqlens_k" in self.names:
            feeds |= {"seqlens_k": np.array([total - 1], np.int32), "total_sequence_length": np.array(total, np.int32)}
        return self.state.step(feeds)[0][0, -1]


class Choice:
    """The next token: the most likely one, or one drawn from the `top` most likely."""

    def __init__(self, temperature: float, top: int, seed: int) -> None:
        self.temperature, self.top, self.random = temperature, top, np.random.default_rng(seed)

    def __call__(self, logits: Any) -> int:
        if self.temperature == 0:
            return int(logits.argmax())
        best = np.argsort(-logits, kind="stable")[: self.top]
        weights = np.exp((logits[best] - logits[best[0]]).astype(np.float64) / self.temperature)
        return int(self.random.choice(best, p=weights / weights.sum()))


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
    parser.add_argument("--temperature", type=float, default=0.0, help="0, the default: always the most likely token")
    parser.add_argument("--top", type=int, default=40, help="with a temperature: from how many tokens one is drawn")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.random == (options.model is not None):
        parser.error("give a model or --random")
    prompt = options.prompt or list(b"Once upon a time")
    session = anydim.InferenceSession(random_model() if options.random else options.model)
    decoder = Decoder(session, len(prompt) + options.tokens)
    choose = Choice(options.temperature, options.top, options.seed)
    if options.random:
        print("The weights are random; so is the text.")
    begin = time.perf_counter()
    made = [choose(decoder.step(prompt))]
    first = time.perf_counter()
    while len(made) < options.tokens:
        made.append(choose(decoder.step([made[-1]])))
    end = time.perf_counter()
    print(bytes(made) if options.random else " ".join(map(str, made)))
    rate = (len(made) - 1) / (end - first) if len(made) > 1 else 0.0
    info = decoder.state.info()
    print(f"{len(prompt)} tokens of prompt in {1000 * (first - begin):.1f} ms, then {rate:.0f} tokens a second")
    print(f"cache: {info['length']} tokens in {info['bytes']} bytes; copied of old ones: {info['copied_bytes']} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
