# SPDX-License-Identifier: Apache-2.0
"""Layers of recurrent networks, of decoders, of detectors' heads, of sampling and of sound, for layers.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from layer import Layer

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np
    from made_models import Builder


def recurrent(kind: str, steps: int, inputs: int, hidden: int, batch: int = 1, both: bool = False) -> Layer:
    """A layer of one direction or both; x is [steps, batch, inputs]."""
    gates, d = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind], 2 if both else 1

    def make(b: Builder, x: str) -> Any:
        weights = (
            b.weight(d, gates * hidden, inputs),
            b.weight(d, gates * hidden, hidden),
            b.weight(d, 2 * gates * hidden),
        )
        more = {"linear_before_reset": 1} if kind == "GRU" else {}
        direction = "bidirectional" if both else "forward"
        return b.node(kind, x, *weights, hidden_size=hidden, direction=direction, **more)

    return Layer(make, (steps, batch, inputs), False)


def attention(
    tokens: int, past: int = 0, heads: int = 12, head: int = 64, batch: int = 1, causal: bool = True
) -> Layer:
    """Tokens that see each other and `past` ones before them, whose keys and values are in a cache; x are the queries."""
    width = heads * head

    def drawn(*dims: int) -> Any:
        return lambda random: random.standard_normal(dims).astype("float32")

    others = {"k": drawn(batch, tokens, width), "v": drawn(batch, tokens, width)}
    if past:
        others |= {"past_k": drawn(batch, heads, past, head), "past_v": drawn(batch, heads, past, head)}

    def make(b: Builder, x: str) -> Any:
        from onnx import helper

        inputs, outputs = [x, "k", "v"], [b.fresh("heads")]
        if past:
            inputs += ["", "", "", "past_k", "past_v"]
            outputs += [b.fresh("present_k"), b.fresh("present_v")]
        b.nodes.append(
            helper.make_node(
                "MultiHeadAttention", inputs, outputs, name=outputs[0], domain="com.microsoft",
                num_heads=heads, unidirectional=int(causal),
            )
        )  # fmt: skip
        return outputs[0]

    return Layer(make, (batch, tokens, width), False, others, fixed=2)


def roi_align(regions: int, channels: int, side: int) -> Layer:
    """Regions of a quarter of the image or so, to 7 x 7, as detectors pool them."""

    def boxes(random: np.random.Generator) -> np.ndarray:
        import numpy as np

        corner = random.random((regions, 2)) * side / 2
        return np.concatenate([corner, corner + 2 + random.random((regions, 2)) * side / 2], axis=1).astype("float32")

    def make(b: Builder, x: str) -> Any:
        batch = b.constant([0] * regions, "int64")
        return b.node("RoiAlign", x, "boxes", batch, output_height=7, output_width=7, sampling_ratio=2)

    return Layer(make, (1, channels, side, side), False, {"boxes": boxes})


def suppression(boxes: int, most: int) -> Layer:
    """Scores are x; boxes overlap as a detector's do."""

    def drawn(random: np.random.Generator) -> np.ndarray:
        import numpy as np

        centre = random.random((1, boxes, 2)) * 640
        half_sides = 8 + random.random((1, boxes, 2)) * 40
        return np.concatenate([centre - half_sides, centre + half_sides], axis=2).astype("float32")

    def make(b: Builder, x: str) -> Any:
        limits = b.constant([most], "int64"), b.constant([0.5]), b.constant([0.5])
        return b.node("Cast", b.node("NonMaxSuppression", "boxes", x, *limits), to=1)

    return Layer(make, (1, 1, boxes), False, {"boxes": drawn})


def top_k(rows: int, width: int, k: int) -> Layer:
    def make(b: Builder, x: str) -> Any:
        from onnx import helper

        values, places = b.fresh("values"), b.fresh("places")
        b.nodes.append(helper.make_node("TopK", [x, b.constant([k], "int64")], [values, places], axis=-1))
        return values

    return Layer(make, (rows, width), False)


def grid_sample(channels: int, side: int) -> Layer:
    def grid(random: np.random.Generator) -> np.ndarray:
        return (random.random((1, side, side, 2)) * 2 - 1).astype("float32")

    return Layer(
        lambda b, x: b.node("GridSample", x, "grid", mode="bilinear", padding_mode="zeros", align_corners=0),
        (1, channels, side, side),
        False,
        {"grid": grid},
    )


def spectrum(frames: int, length: int) -> Layer:
    """Spectra of real frames, one-sided."""

    def make(b: Builder, x: str) -> Any:
        return b.node("DFT", b.node("Unsqueeze", x, b.constant([2], "int64")), axis=1, onesided=1)

    return Layer(make, (frames, length), False)


OTHERS: dict[str, Layer] = {
    "lstm 320 24 steps": recurrent("LSTM", 24, 512, 320),
    "lstm 256 both 60 steps": recurrent("LSTM", 60, 512, 256, both=True),
    "lstm 128 100 steps batch 8": recurrent("LSTM", 100, 128, 128, 8),
    "lstm 64 1 step": recurrent("LSTM", 1, 64, 64),
    "gru 256 60 steps": recurrent("GRU", 60, 256, 256),
    "gru 128 both batch 8": recurrent("GRU", 60, 128, 128, 8, True),
    "attention 16": attention(16),
    "attention 128": attention(128),
    "attention 512": attention(512),
    "attention 128 batch 4": attention(128, batch=4),
    "attention 128 not causal": attention(128, causal=False),
    "attention 64 behind 448": attention(64, 448),
    "attention 1 behind 127": attention(1, 127),
    "attention 1 behind 511": attention(1, 511),
    "attention 1 behind 2047": attention(1, 2047),
    "attention 1 behind 511 batch 4": attention(1, 511, batch=4),
    "roi align 256 7x7": roi_align(100, 256, 50),
    "suppression 1000 boxes": suppression(1000, 100),
    "suppression 5000 boxes": suppression(5000, 300),
    "top 100 of 10000": top_k(1, 10000, 100),
    "top 10 of 1000 rows": top_k(256, 1000, 10),
    "top all of 4096": top_k(4, 4096, 4096),
    "cum sum 32000": Layer(lambda b, x: b.node("CumSum", x, b.constant(1, "int64")), (4, 32000), False),
    "grid sample 64 56": grid_sample(64, 56),
    "grid sample 3 224": grid_sample(3, 224),
    "dft 512": spectrum(100, 512),
    "dft 400": spectrum(100, 400),
}
