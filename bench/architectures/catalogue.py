# SPDX-License-Identifier: Apache-2.0
"""The architectures of the zoo as data: what each one is, its inputs, and the sizes it is called at. Needs nothing but Python's library
(and numpy to make inputs). The network NAME is what the function NAME of the module named beside it returns; export.py makes
ONNX files of them.

Nothing here was tuned for. Sizes are what an application would send, small at first; weights are random.

An input is written as a kind and its dims: `f32 n 3 h w`. A word among the dims is dynamic, `p+t` is a sum. Kinds: `f32` noise in
[-1, 1); `unit` noise in [0, 1); `ids<500` integers below 500, or below what a word stands for (`ids<v`); `mask` integers, ones and a
tail of zeros along the last dim; `lengths<t` integers from 1 to t, the largest first, which is t; `box` integers below 1000 with
x0 <= x1 and y0 <= y1 along a last dim of 4. `n` is 1 where a size does not say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Sizes = dict[str, int]


@dataclass(frozen=True)
class Architecture:
    name: str
    module: str  # of this folder
    what: str
    inputs: dict[str, str]
    stream: tuple[Sizes, ...]  # the first one is what an engine warms up with
    opset: int

    def feeds(self, sizes: Sizes) -> dict[str, np.ndarray]:
        """Inputs at these sizes, the same ones whenever it is asked."""
        import numpy as np

        random = np.random.default_rng(sum(sizes.values()))
        made: dict[str, np.ndarray] = {}
        for name, text in self.inputs.items():
            kind, *words = text.split()
            dims = tuple(number(word, sizes) for word in words)
            if kind == "f32":
                made[name] = random.uniform(-1, 1, dims).astype(np.float32)
            elif kind == "unit":
                made[name] = random.uniform(0, 1, dims).astype(np.float32)
            elif kind == "mask":
                made[name] = np.ones(dims, np.int64)
                made[name][..., dims[-1] - dims[-1] // 8 :] = 0
            elif kind.startswith("lengths<"):
                made[name] = np.sort(random.integers(1, number(kind[8:], sizes) + 1, dims))[::-1].copy()
                made[name][0] = number(kind[8:], sizes)
            elif kind == "box":
                corners = np.sort(random.integers(0, 1000, (*dims[:-1], 2, 2)), axis=-2)
                made[name] = corners.reshape(dims)
            elif kind.startswith("ids<"):
                made[name] = random.integers(0, number(kind[4:], sizes), dims)
            else:
                raise ValueError(f"{self.name}: no kind of input is called {kind}")
        return made

    def dynamic(self) -> dict[str, dict[int, str]]:
        """Axes of each input that have a name instead of a number."""
        named = {}
        for name, text in self.inputs.items():
            words = text.split()[1:]
            named[name] = {axis: word.replace("+", "_") for axis, word in enumerate(words) if not word.isdigit()}
        return named


def number(word: str, sizes: Sizes) -> int:
    return sum(
        int(part) if part.isdigit() else sizes.get(part, 1) if part == "n" else sizes[part] for part in word.split("+")
    )


def at(words: str, *rows: tuple[int, ...] | int) -> tuple[Sizes, ...]:
    names = words.split()
    return tuple(dict(zip(names, row if isinstance(row, tuple) else (row,), strict=True)) for row in rows)


IMAGE = {"x": "f32 n 3 h w"}
SQUARE = {"x": "f32 n 3 224 224"}
TEXT = {"ids": "ids<1000 n t", "mask": "mask n t"}
BOTH = {"ids": "ids<1000 n s", "said": "ids<1000 n t"}
SOUND = {"x": "f32 n t"}
GRAPH = {"x": "f32 v 32", "edges": "ids<v 2 e"}

SIDES = at("h w", (64, 64), (128, 160), (224, 224), (192, 288))
SMALL_SIDES = at("h w", (32, 48), (64, 96), (128, 128), (96, 160))
LARGE_SIDES = at("h w", (64, 64), (192, 256), (320, 256), (320, 416))
LATENTS = at("h w", (8, 8), (16, 24), (32, 32), (24, 40))
BATCHES = at("n", 1, 2, 4, 3)
TOKENS = at("n t", (1, 8), (1, 40), (2, 64), (1, 128))
LONG_TOKENS = at("n t", (1, 64), (1, 128), (2, 192), (1, 320))
SAYING = at("s t", (8, 2), (40, 12), (64, 30), (100, 64))
STEPS = at("t p", (4, 2), (1, 20), (1, 65), (7, 130))
SECONDS = at("n t", (1, 3200), (1, 16000), (2, 24000), (1, 56000))
FRAMES = at("t", 40, 100, 333, 800)
ROWS = at("n", 1, 7, 64, 1000)
FEW_ROWS = at("n", 1, 3, 8, 20, 5)
TINY_SIDES = at("h w", (16, 16), (24, 32), (28, 28), (32, 48), (20, 36))
FEW_FRAMES = at("t", 32, 49, 80, 101, 64)
FEW_STEPS = at("n t", (1, 4), (1, 9), (2, 8), (1, 24), (1, 15))
NODES = at("v e", (5, 12), (50, 200), (400, 3000), (2000, 9000))


def cache(layers: int, heads: int) -> dict[str, str]:
    """Keys and values of what a decoder has read before, p of them."""
    return {f"{word}{layer}": f"f32 n {heads} p 32" for layer in range(layers) for word in ("keys", "values")}


def architecture(
    module: str, name: str, what: str, inputs: dict[str, str], stream: tuple[Sizes, ...], opset: int = 13
) -> Architecture:
    return Architecture(name, module, what, inputs, stream, opset)


C, V, D, G, M, S, T, R, P, L = (
    "classification", "vision_transformers", "dense_prediction", "generation", "video", "speech", "text", "tables", "graphs", "small",
)  # fmt: skip
CATALOGUE: tuple[Architecture, ...] = (
    architecture(C, "resnet18", "residual net", IMAGE, SIDES),
    architecture(C, "resnext26", "residual net of grouped convolutions", IMAGE, SIDES, 12),
    architecture(C, "mobilenet_v3", "inverted residuals, squeeze and excite, hard swish", IMAGE, SIDES, 14),
    architecture(C, "efficientnet_b0", "inverted residuals, squeeze and excite, SiLU", IMAGE, SIDES),
    architecture(C, "efficientnet_same", "paddings that follow from the image's size", IMAGE, SIDES),
    architecture(C, "densenet", "dense connections", IMAGE, SIDES, 17),
    architecture(C, "shufflenet_v2", "channel shuffle", IMAGE, SIDES, 11),
    architecture(C, "squeezenet", "squeeze and expand", IMAGE, SIDES, 11),
    architecture(C, "googlenet", "inception", IMAGE, SIDES),
    architecture(C, "regnet", "grouped convolutions, squeeze and excite", IMAGE, SIDES),
    architecture(C, "ghostnet", "cheap feature maps", IMAGE, SIDES),
    architecture(C, "resnest", "split attention", IMAGE, SIDES),
    architecture(C, "nfnet", "standardised weights instead of norms", IMAGE, SIDES),
    architecture(C, "convnext", "depthwise 7x7, layer norm over channels", IMAGE, SIDES, 16),
    architecture(C, "poolformer", "pooling instead of attention, group norm", IMAGE, SIDES),
    architecture(V, "vit", "patches through an encoder", SQUARE, BATCHES, 17),
    architecture(V, "swin", "windowed attention, shifted, masks of -100", SQUARE, BATCHES, 17),
    architecture(V, "mlp_mixer", "MLPs over patches and over channels", SQUARE, BATCHES),
    architecture(V, "gmlp", "gates over patches", SQUARE, BATCHES, 17),
    architecture(V, "xcit", "attention among channels", SQUARE, BATCHES),
    architecture(V, "levit", "convolutions, then attention with learned biases", SQUARE, BATCHES),
    architecture(V, "mobilevit", "inverted residuals and attention over unfolded patches", SQUARE, BATCHES),
    architecture(V, "edgenext", "split depthwise convolutions and attention among channels", SQUARE, BATCHES),
    architecture(V, "coat", "factorised attention, convolutional positions", SQUARE, BATCHES),
    architecture(V, "pvt_v2", "attention to a coarser plane", SQUARE, BATCHES),
    architecture(V, "convit", "gated positional attention", SQUARE, BATCHES),
    architecture(V, "detr", "backbone, encoder, decoder of queries", IMAGE, SIDES),
    architecture(V, "clip", "text and image side by side", {"ids": "ids<1000 m t", "mask": "mask m t", **SQUARE},
                 at("m t n", (1, 8, 1), (2, 16, 1), (5, 24, 2), (3, 20, 1)), 14),
    architecture(D, "retinanet", "feature pyramid and heads", IMAGE, LARGE_SIDES),
    architecture(D, "yolox", "focus, cross-stage blocks, path aggregation, grid", IMAGE, LARGE_SIDES),
    architecture(D, "centernet", "peaks of a heat map by top-k", IMAGE, LARGE_SIDES),
    architecture(D, "deeplab", "pyramid of dilated convolutions", IMAGE, LARGE_SIDES),
    architecture(D, "lraspp", "light segmentation head", IMAGE, LARGE_SIDES),
    architecture(D, "segformer", "attention to coarser planes, MLP head", IMAGE, SIDES),
    architecture(D, "glpn", "depth, fused features", IMAGE, SIDES),
    architecture(D, "unet_instance_norm", "U-Net with instance norm", {"x": "f32 n 1 h w"}, SMALL_SIDES),
    architecture(D, "unet_attention", "U-Net with group norm and gates", {"x": "f32 n 1 h w"}, SMALL_SIDES),
    architecture(D, "hrnet", "all resolutions side by side, arg-max", IMAGE, SIDES),
    architecture(D, "pose_soft_argmax", "heat maps by transposed convolutions, expected positions", IMAGE, SIDES),
    architecture(D, "superpoint", "key points and descriptors", {"x": "f32 n 1 h w"}, LARGE_SIDES),
    architecture(G, "dcgan", "transposed convolutions", {"z": "f32 n 64"}, at("n", 1, 2, 8, 5)),
    architecture(G, "cyclegan", "instance norm, reflected padding", IMAGE, SMALL_SIDES),
    architecture(G, "style_transfer", "instance norm, nearest neighbours", IMAGE, SMALL_SIDES),
    architecture(G, "pix2pix", "U-Net of strided convolutions", IMAGE, SIDES),
    architecture(G, "vae_encoder", "group norm, attention in the middle", IMAGE, SMALL_SIDES),
    architecture(G, "vae_decoder", "group norm, attention, nearest neighbours", {"x": "f32 n 4 h w"}, LATENTS),
    architecture(G, "diffusion_unet", "time embedding, attention to a text",
                 {"x": "f32 n 4 h w", "when": "unit n", "text": "f32 n 20 64"}, LATENTS, 14),
    architecture(G, "esrgan", "dense residual blocks, pixel shuffle", IMAGE, SMALL_SIDES),
    architecture(G, "stylegan", "modulated convolutions", {"z": "f32 n 64"}, at("n", 1, 2, 4, 3)),
    architecture(M, "resnet_3d", "convolutions over space and time", {"x": "f32 n 3 t h w"},
                 at("t h w", (4, 32, 32), (8, 56, 56), (16, 64, 64), (8, 64, 96))),
    architecture(M, "resnet_2plus1d", "space, then time", {"x": "f32 n 3 t h w"},
                 at("t h w", (4, 32, 32), (8, 56, 56), (16, 64, 64), (8, 64, 96))),
    architecture(M, "x3d", "depthwise in three dimensions", {"x": "f32 n 3 t h w"},
                 at("t h w", (4, 32, 32), (8, 64, 64), (13, 96, 96), (8, 96, 128))),
    architecture(M, "temporal_shift", "channels shifted along time", {"x": "f32 n t 3 h w"},
                 at("t h w", (4, 64, 64), (8, 112, 112), (12, 128, 96), (8, 160, 128))),
    architecture(M, "timesformer", "attention over time, then over space", {"x": "f32 n 8 3 96 96"}, at("n", 1, 2, 3)),
    architecture(M, "unet_3d", "volumes, instance norm", {"x": "f32 n 1 t h w"},
                 at("t h w", (8, 16, 16), (16, 32, 32), (24, 48, 40), (32, 32, 48))),
    architecture(S, "wav2vec2", "1-D convolutions and an encoder", SOUND, SECONDS),
    architecture(S, "wav2vec2_layer_norm", "1-D convolutions with layer norm", SOUND, SECONDS, 17),
    architecture(S, "wav2vec2_conformer", "relative positions by shifted scores", SOUND, SECONDS),
    architecture(S, "sew", "squeezed sequence, upsampled again", SOUND, SECONDS),
    architecture(S, "whisper_encoder", "convolutions and an encoder", {"x": "f32 n 80 600"}, at("n", 1, 2, 3)),
    architecture(S, "speech_to_text", "gated convolutions and an encoder", {"x": "f32 n t 80"}, FRAMES),
    architecture(S, "spectrogram_transformer", "patches of a spectrogram", {"x": "f32 n 256 128"}, at("n", 1, 2, 3)),
    architecture(S, "conformer", "attention with relative bias, depthwise convolutions", {"x": "f32 n t 80"}, FRAMES),
    architecture(S, "quartznet", "separable 1-D convolutions", {"x": "f32 n 64 t"}, FRAMES),
    architecture(S, "conv_tasnet", "dilated convolutions, global norm, masks", SOUND, SECONDS),
    architecture(S, "speaker_embedding", "parts in turn, attentive statistics", {"x": "f32 n 80 t"}, FRAMES),
    architecture(S, "hifigan", "vocoder of transposed convolutions", {"x": "f32 n 80 t"}, at("t", 8, 20, 50, 96)),
    architecture(S, "mel_spectrum", "Fourier transform by convolutions", SOUND, SECONDS),
    architecture(S, "deep_speech", "convolutions and GRUs", {"x": "f32 n 80 t"}, FRAMES),
    architecture(S, "tacotron_encoder", "convolutions and an LSTM", {"ids": "ids<100 n t"}, TOKENS),
    architecture(T, "bert", "encoder", {**TEXT, "kinds": "ids<2 n t"}, TOKENS),
    architecture(T, "distilbert", "encoder, masked_fill", TEXT, TOKENS, 11),
    architecture(T, "albert", "one layer, many times", TEXT, TOKENS),
    architecture(T, "deberta", "disentangled attention, GatherElements", TEXT, TOKENS),
    architecture(T, "mpnet", "bias of relative positions", TEXT, TOKENS),
    architecture(T, "xlnet", "shifted relative positions, einsum", TEXT, TOKENS),
    architecture(T, "funnel", "pooled sequence", {"ids": "ids<1000 n 64", "mask": "mask n 64"}, BATCHES),
    architecture(T, "convbert", "dynamic convolutions by unfold", TEXT, TOKENS),
    architecture(T, "squeezebert", "grouped 1x1 convolutions", TEXT, TOKENS, 17),
    architecture(T, "mobilebert", "bottlenecks", TEXT, TOKENS),
    architecture(T, "roformer", "rotary positions", TEXT, TOKENS),
    architecture(T, "nystromformer", "landmarks", {"ids": "ids<1000 n 128", "mask": "mask n 128"}, BATCHES),
    architecture(T, "layoutlm", "positions on a page", {**TEXT, "box": "box n t 4"}, TOKENS),
    architecture(T, "perceiver", "latents that look at inputs", {"x": "f32 n t 96"}, LONG_TOKENS),
    architecture(T, "t5_encoder", "relative bias, gated feed-forward", TEXT, TOKENS),
    architecture(T, "t5_decoder", "encoder and decoder", BOTH, SAYING),
    architecture(T, "bart", "encoder and decoder", BOTH, SAYING),
    architecture(T, "gpt2_cache", "decoder with a cache", {"ids": "ids<1000 n t", "mask": "mask n p+t", **cache(2, 8)}, STEPS),
    architecture(T, "opt_cache", "decoder with a cache", {"ids": "ids<1000 n t", "mask": "mask n p+t", **cache(2, 8)}, STEPS),
    architecture(T, "llama_cache", "rotary, shared keys, a cache", {"ids": "ids<1000 n t", **cache(2, 2)}, STEPS),
    architecture(T, "gpt_neo", "local attention", TEXT, TOKENS),
    architecture(T, "gptj", "rotary, parallel feed-forward", TEXT, TOKENS),
    architecture(T, "bloom", "linear biases", TEXT, TOKENS),
    architecture(R, "dlrm", "products of pairs of embeddings", {"x": "f32 n 13", "ids": "ids<2000 n 12"}, ROWS),
    architecture(R, "deepfm", "factorisation machine and a deep net", {"ids": "ids<500 n 20"}, ROWS),
    architecture(R, "deep_cross", "cross layers of low rank", {"x": "f32 n 8", "ids": "ids<500 n 16"}, ROWS),
    architecture(R, "interest", "attention to a history",
                 {"item": "ids<1000 n 1", "history": "ids<1000 n t", "mask": "mask n t"}, at("n t", (1, 8), (20, 16), (100, 50), (64, 100))),
    architecture(R, "sequential_recommender", "causal encoder over items", {"ids": "ids<2000 n t"},
                 at("n t", (1, 8), (4, 20), (8, 50), (2, 128)), 14),
    architecture(R, "feature_transformer", "columns as tokens", {"x": "f32 n 24", "ids": "ids<100 n 8"}, at("n", 1, 7, 30, 100)),
    architecture(R, "temporal_convolutions", "causal, dilated", {"x": "f32 n 8 t"}, at("n t", (1, 64), (2, 200), (8, 500), (4, 2000))),
    architecture(R, "patch_forecast", "unfolded patches", {"x": "f32 n 7 t"}, at("n t", (1, 64), (2, 200), (8, 336), (4, 720))),
    architecture(P, "graph_convolution", "dense adjacency", {"x": "f32 v 32", "links": "unit v v"}, at("v", 5, 50, 200, 500)),
    architecture(P, "graph_sage", "scattered means", GRAPH, NODES, 16),
    architecture(P, "graph_attention", "softmax over edges", GRAPH, NODES, 16),
    architecture(P, "message_passing", "messages along edges", {**GRAPH, "kinds": "f32 e 8"}, NODES, 16),
    architecture(P, "molecule", "distances, continuous filters", {"kinds": "ids<20 v", "places": "f32 v 3"}, at("v", 5, 20, 40, 70)),
    architecture(P, "pointnet", "points, a global maximum", {"x": "f32 n 3 t"}, at("n t", (1, 64), (2, 256), (4, 1000), (1, 3000))),
    architecture(P, "point_graph", "nearest neighbours by top-k", {"x": "f32 n 3 t"}, at("n t", (1, 32), (1, 100), (2, 256), (1, 500))),
    architecture(L, "policy", "what a robot does next", {"x": "f32 n 48"}, FEW_ROWS),
    architecture(L, "value", "dense layers with ELU", {"x": "f32 n 48"}, FEW_ROWS),
    architecture(L, "selu_net", "dense layers with SELU", {"x": "f32 n 20"}, FEW_ROWS),
    architecture(L, "normed_rows", "batch norm of rows", {"x": "f32 n 30"}, FEW_ROWS),
    architecture(L, "residual_rows", "residual blocks of rows", {"x": "f32 n 16"}, FEW_ROWS),
    architecture(L, "anomaly", "an autoencoder's error", {"x": "f32 n 32"}, FEW_ROWS),
    architecture(L, "gated_rows", "gated linear units", {"x": "f32 n 40"}, FEW_ROWS),
    architecture(L, "towers", "cosine of two embeddings", {"ids": "ids<500 n 2"}, FEW_ROWS),
    architecture(L, "fields", "embeddings of eight columns", {"ids": "ids<500 n 8"}, FEW_ROWS),
    architecture(L, "quantiles", "quantiles that do not cross", {"x": "f32 n 24"}, FEW_ROWS, 14),
    architecture(L, "digits", "two convolutions", {"x": "f32 n 1 h w"}, TINY_SIDES),
    architecture(L, "tiny_lenet", "convolutions with tanh, both poolings", {"x": "f32 n 3 h w"}, TINY_SIDES),
    architecture(L, "tiny_mobile", "depthwise and pointwise convolutions", {"x": "f32 n 3 h w"}, TINY_SIDES),
    architecture(L, "patch_score", "how sharp patches are", {"x": "f32 n 1 h w"}, TINY_SIDES),
    architecture(L, "upscale", "pixel shuffle", {"x": "f32 n 1 h w"}, TINY_SIDES),
    architecture(L, "key_words", "words in sound", {"x": "f32 n 40 t"}, FEW_FRAMES),
    architecture(L, "heartbeat", "strided convolutions of a signal", {"x": "f32 n 1 t"}, FEW_FRAMES),
    architecture(L, "causal", "gated causal convolutions", {"x": "f32 n 4 t"}, FEW_FRAMES),
    architecture(L, "linear_forecast", "trend and remainder", {"x": "f32 n 3 96"}, FEW_ROWS),
    architecture(L, "gesture", "LSTM, its last state", {"x": "f32 n t 16"}, FEW_STEPS),
    architecture(L, "battery", "GRU, all states", {"x": "f32 n t 16"}, FEW_STEPS),
    architecture(L, "tagger", "LSTM in both directions", {"x": "f32 n t 16"}, FEW_STEPS),
    architecture(L, "one_head", "attention over a few tokens", {"ids": "ids<500 n t"}, FEW_STEPS),
    architecture(L, "mixer", "tokens, then channels", {"x": "f32 n 8 24"}, FEW_ROWS),
    architecture(L, "points", "a few points in any order", {"x": "f32 n t 3"}, FEW_STEPS),
    architecture(L, "words_bag", "mean of words", {"ids": "ids<1000 n t", "mask": "mask n t"}, FEW_STEPS),
    architecture(L, "kalman", "a filter with a learned gain", {"state": "f32 n 6", "seen": "f32 n 3"}, FEW_ROWS),
)  # fmt: skip

# Whole detectors, for bench/detectors.py: the number of boxes follows from the data, so that outputs are compared after matching.
PICTURE = {"x": "unit 3 h w"}
PICTURES = at("h w", (200, 240), (240, 320), (333, 250), (300, 420))
DETECTORS: tuple[Architecture, ...] = tuple(
    architecture("detectors", name, what, PICTURE, PICTURES, opset)
    for name, what, opset in (
        ("faster_rcnn", "proposals, boxes of regions", 11),
        ("mask_rcnn", "a mask for each box, pasted into the image", 16),
        ("keypoint_rcnn", "key points for each box", 16),
        ("retinanet_whole", "anchors on a feature pyramid", 13),
        ("fcos", "no anchors, centres", 16),
        ("ssd", "default boxes on VGG", 11),
        ("ssd_lite", "default boxes on MobileNet", 13),
    )
)
# Networks that lean on LSTM and GRU (bench/recurrent.py), at sizes in mixed order.
LINES = at("w", *(40, *(48 + 40 * (7 * k % 24) for k in range(24))))
CHUNKS = at("t", *(2, *(1 + 77 * k % 200 for k in range(200))))
UTTERANCES = at("n t", *((2, 20), *((1 + 5 * k % 8, 20 + 25 * (7 * k % 24)) for k in range(24))))
SPEECH = at("t", *(60, *(60 + 40 * (7 * k % 24) for k in range(24))))
STATE = {"before": "unit 1 2 65", "h": "f32 2 1 64", "c": "f32 2 1 64"}
RECURRENT: tuple[Architecture, ...] = (
    architecture("recurrent", "crnn", "convolutions, two LSTMs in both directions, CTC", {"x": "f32 n 1 32 w"}, LINES),
    architecture("recurrent", "voice_activity", "a small LSTM with its state", {"x": "f32 1 t 160", **STATE}, CHUNKS),
    architecture(
        "recurrent",
        "gru_lengths",
        "two GRUs, sequence lengths",
        {"x": "f32 n t 80", "lengths": "lengths<t n"},
        UTTERANCES,
    ),
    architecture("recurrent", "speech_encoder", "four LSTMs", {"x": "f32 n t 80"}, SPEECH),
)
NAMED = {item.name: item for item in CATALOGUE + DETECTORS + RECURRENT}
