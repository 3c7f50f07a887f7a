# SPDX-License-Identifier: Apache-2.0
"""The modules of tests/torch and bench/torch_compile.py, with random weights, in plain torch: one of each kind that people bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


class Encoder(nn.Module):
    """Tokens to vectors, as BERT: torch's own encoder layers, with a mask of what is no token."""

    def __init__(self, width: int = 64, heads: int = 4, layers: int = 2, words: int = 1000) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.places(places))
        return self.layers(x, src_key_padding_mask=~mask)


class Bottleneck(nn.Module):
    """A residual block of a convolution network."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        middle = outside // 4
        self.body = nn.Sequential(
            nn.Conv2d(inside, middle, 1, bias=False),
            nn.BatchNorm2d(middle),
            nn.ReLU(),
            nn.Conv2d(middle, middle, 3, stride, 1, bias=False),
            nn.BatchNorm2d(middle),
            nn.ReLU(),
            nn.Conv2d(middle, outside, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.side = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.side(x))


class Convolutions(nn.Module):
    """Images of any height and width to scores, as ResNet."""

    def __init__(self, width: int = 16, blocks: int = 2) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.blocks = nn.Sequential(*(Bottleneck(width << i, width << (i + 1), 1 + (i > 0)) for i in range(blocks)))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.scores = nn.Linear(width << blocks, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.scores(self.pool(self.blocks(self.stem(image))).flatten(1))


class Mlp(nn.Module):
    """Rows to rows."""

    def __init__(self, width: int = 64, layers: int = 3) -> None:
        super().__init__()
        parts = [
            part
            for _ in range(layers)
            for part in (nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width))
        ]
        self.layers = nn.Sequential(*parts, nn.Linear(width, 10))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.layers(rows), -1)


class DecoderBlock(nn.Module):
    """A block of a language model with a cache: rotated keys, causal attention, gated feed-forward; gives the longer cache back."""

    def __init__(self, width: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(width, 128), nn.Linear(width, 128), nn.Linear(128, width)
        self.first, self.second = nn.RMSNorm(width), nn.RMSNorm(width)
        self.register_buffer("rates", 10000.0 ** (-torch.arange(0, self.size, 2) / self.size))

    def turned(self, x: torch.Tensor, start: int) -> torch.Tensor:
        angles = (torch.arange(x.shape[2]) + start)[:, None] * self.rates
        one, other = x.chunk(2, -1)
        return torch.cat([one * angles.cos() - other * angles.sin(), other * angles.cos() + one * angles.sin()], -1)

    def forward(
        self, x: torch.Tensor, cache: tuple[torch.Tensor, torch.Tensor]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        batch, length, width = x.shape
        past = cache[0].shape[2]
        y = self.first(x)
        q, k, v = (
            part(y).view(batch, length, self.heads, self.size).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        k = torch.cat([cache[0], self.turned(k, past)], 2)
        v = torch.cat([cache[1], v], 2)
        seen = torch.arange(past + length)[None, :] <= torch.arange(length)[:, None] + past
        y = nn.functional.scaled_dot_product_attention(self.turned(q, past), k, v, attn_mask=seen)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        y = self.second(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y)), (k, v)


class Recurrent(nn.Module):
    """Frames to scores through two LSTM layers in both directions and a GRU."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, 16, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(32, 8, batch_first=True)
        self.scores = nn.Linear(8, 5)

    def forward(self, frames: torch.Tensor) -> dict[str, torch.Tensor]:
        y, (state, _) = self.lstm(frames)
        y, _ = self.gru(y)
        return {"scores": self.scores(y), "state": state}


class DetectorHead(nn.Module):
    """Features of two scales to boxes in pixels and scores, with a grid that is made of their sizes, as YOLO."""

    def __init__(self, width: int = 16, classes: int = 3) -> None:
        super().__init__()
        self.classes = classes
        self.heads = nn.ModuleList(nn.Conv2d(width, 4 + classes, 3, padding=1) for _ in range(2))

    def forward(self, features: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        boxes, scores = [], []
        for i, (head, feature) in enumerate(zip(self.heads, features, strict=True)):
            stride = 8 << i
            y = head(feature)
            height, width = y.shape[2:]
            rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
            centres = (torch.stack([columns, rows], -1).reshape(-1, 2) + 0.5) * stride
            y = y.flatten(2).transpose(1, 2)
            reach = y[..., :4].exp().clamp(max=20.0) * stride
            boxes.append(torch.cat([centres - reach[..., :2], centres + reach[..., 2:]], -1))
            scores.append(y[..., 4:].sigmoid())
        best, kinds = torch.cat(scores, 1).max(-1)
        return torch.cat([torch.cat(boxes, 1), best[..., None]], -1), kinds


@dataclass(frozen=True)
class Case:
    """A module, what is dynamic in it, and arguments of drawn sizes."""

    make: Callable[[], nn.Module]
    dynamic_shapes: Any
    arguments: Callable[[Callable[[int, int], int]], tuple[Any, ...]]  # of draw(low, high)


def _encoder(draw: Callable[[int, int], int]) -> tuple[Any, ...]:
    batch, length = draw(1, 5), draw(1, 48)
    mask = torch.rand(batch, length) > 0.2
    mask[:, 0] = True
    return torch.randint(0, 1000, (batch, length)), mask


def _decoder(draw: Callable[[int, int], int]) -> tuple[Any, ...]:
    batch, length, past = draw(1, 4), draw(1, 12), draw(1, 40)
    return torch.randn(batch, length, 64), tuple(torch.randn(batch, 4, past, 16) for _ in range(2))


def _detector(draw: Callable[[int, int], int]) -> tuple[Any, ...]:
    batch, height, width = draw(1, 3), draw(1, 12), draw(1, 12)
    return ([torch.randn(batch, 16, height, width), torch.randn(batch, 16, draw(1, 6), draw(1, 6))],)


_CACHE = {0: "batch", 2: "past"}
CASES = {
    "encoder": Case(Encoder, {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}}, _encoder),
    "convolutions": Case(
        Convolutions,
        {"image": {0: "batch", 2: "height", 3: "width"}},
        lambda draw: (torch.randn(draw(1, 4), 3, draw(16, 80), draw(16, 80)),),
    ),
    "mlp": Case(Mlp, ({0: "rows"},), lambda draw: (torch.randn(draw(1, 200), 64),)),
    "decoder": Case(DecoderBlock, {"x": {0: "batch", 1: "length"}, "cache": (_CACHE, _CACHE)}, _decoder),
    "recurrent": Case(
        Recurrent, ({0: "batch", 1: "length"},), lambda draw: (torch.randn(draw(1, 4), draw(1, 40), 24),)
    ),
    "detector": Case(
        DetectorHead, {"features": [{0: "batch", 2: "h8", 3: "w8"}, {0: "batch", 2: "h16", 3: "w16"}]}, _detector
    ),
}


def made(name: str) -> nn.Module:
    """The module with weights that are the same each time, and running statistics that are not those of a new one."""
    torch.manual_seed(7)
    module = CASES[name].make().eval()
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return module
