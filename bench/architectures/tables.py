# SPDX-License-Identifier: Apache-2.0
"""Nets over rows of a table and over series: recommenders, click rates, forecasts."""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def mlp(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, o in itertools.pairwise(widths):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Rows(nn.Module):
    """Several columns of numbers of categories, all looked up in one table."""

    def __init__(self, columns: int, rows: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(columns * rows, width)
        self.register_buffer("offsets", torch.arange(columns) * rows)

    def forward(self, ids: Tensor) -> Tensor:
        return self.table(ids + self.offsets)


def dlrm() -> nn.Module:
    """Products of all pairs of embeddings, the lower triangle of them gathered."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = nn.ModuleList([nn.Embedding(2000, 32) for _ in range(12)])
            self.bottom, self.top = mlp(13, 128, 64, 32), mlp(32 + 78, 128, 64, 1)
            self.register_buffer("pairs", torch.tril_indices(13, 13, -1))

        def forward(self, x: Tensor, ids: Tensor) -> Tensor:
            dense = self.bottom(x)
            rows = torch.stack([dense, *(table(ids[:, i]) for i, table in enumerate(self.tables))], 1)
            products = rows @ rows.transpose(1, 2)
            chosen = products[:, self.pairs[0], self.pairs[1]]
            return self.top(torch.cat([dense, chosen], 1)).sigmoid()

    return Net()


def deepfm() -> nn.Module:
    """A factorisation machine beside a deep net."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.rows, self.deep = Rows(20, 500, 1), Rows(20, 500, 16), mlp(320, 200, 100, 1)

        def forward(self, ids: Tensor) -> Tensor:
            rows = self.rows(ids)
            machine = 0.5 * (rows.sum(1).square() - rows.square().sum(1)).sum(1, keepdim=True)
            return (self.linear(ids).sum(1) + machine + self.deep(rows.flatten(1))).sigmoid()

    return Net()


def deep_cross() -> nn.Module:
    """Cross layers with a mixture of low-rank experts."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rows, width = Rows(16, 500, 16), 256 + 8
            self.down = nn.ModuleList([nn.Linear(width, 4 * 32, bias=False) for _ in range(3)])
            self.up = nn.ModuleList([nn.Linear(32, width) for _ in range(12)])
            self.gate = nn.ModuleList([nn.Linear(width, 4) for _ in range(3)])
            self.deep, self.out = mlp(width, 256, 128), nn.Linear(width + 128, 1)

        def forward(self, x: Tensor, ids: Tensor) -> Tensor:
            start = torch.cat([self.rows(ids).flatten(1), x], 1)
            y = start
            for index, (down, gate) in enumerate(zip(self.down, self.gate, strict=False)):
                parts = down(y).tanh().reshape(-1, 4, 32).unbind(1)
                experts = torch.stack([start * self.up[4 * index + i](part) for i, part in enumerate(parts)], 2)
                y = y + (experts @ gate(y).softmax(1).unsqueeze(2)).squeeze(2)
            return self.out(torch.cat([y, self.deep(start)], 1)).sigmoid()

    return Net()


def interest() -> nn.Module:
    """Attention of a candidate to what a user did before, padded rows masked."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.items, self.score, self.top = nn.Embedding(1000, 32), mlp(128, 64, 16, 1), mlp(96, 80, 40, 1)

        def forward(self, item: Tensor, history: Tensor, mask: Tensor) -> Tensor:
            rows = self.items(history)
            wanted = self.items(item).expand(-1, history.shape[1], -1)
            scores = self.score(torch.cat([wanted, rows, wanted - rows, wanted * rows], 2)).squeeze(2)
            weights = scores.masked_fill(mask == 0, -1e9).softmax(1)
            felt = (weights.unsqueeze(1) @ rows).squeeze(1)
            return self.top(torch.cat([felt, self.items(item).squeeze(1), rows.mean(1)], 1)).sigmoid()

    return Net()


def sequential_recommender() -> nn.Module:
    """A causal encoder over items, the next one scored against all."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.items, self.places = nn.Embedding(2000, 64), nn.Embedding(256, 64)
            self.norms = nn.ModuleList([nn.LayerNorm(64) for _ in range(5)])
            self.qkv = nn.ModuleList([nn.Linear(64, 192) for _ in range(2)])
            self.feed = nn.ModuleList([mlp(64, 64, 64) for _ in range(2)])

        def forward(self, ids: Tensor) -> Tensor:
            t = ids.shape[1]
            x = self.items(ids) * 8.0 + self.places(torch.arange(t))
            causal = torch.ones(t, t).triu(1) * -1e9
            for layer in range(2):
                q, k, v = self.qkv[layer](self.norms[2 * layer](x)).chunk(3, -1)
                x = x + (q @ k.transpose(1, 2) / 8 + causal).softmax(-1) @ v
                x = x + self.feed[layer](self.norms[2 * layer + 1](x))
            return self.norms[4](x)[:, -1] @ self.items.weight.t() / 8

    return Net()


def feature_transformer() -> nn.Module:
    """Every column of a table is a token."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.shift = nn.Parameter(torch.randn(24, 64)), nn.Parameter(torch.randn(24, 64))
            self.rows, self.whole = Rows(8, 100, 64), nn.Parameter(torch.randn(1, 1, 64))
            self.norms = nn.ModuleList([nn.LayerNorm(64) for _ in range(4)])
            self.qkv = nn.ModuleList([nn.Linear(64, 192) for _ in range(2)])
            self.mix = nn.ModuleList([nn.Linear(64, 64) for _ in range(2)])
            self.feed = nn.ModuleList(
                [nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)) for _ in range(2)]
            )
            self.out = nn.Linear(64, 1)

        def forward(self, x: Tensor, ids: Tensor) -> Tensor:
            n = x.shape[0]
            columns = [self.whole.expand(n, -1, -1), x.unsqueeze(2) * self.scale + self.shift, self.rows(ids)]
            y = torch.cat(columns, 1)
            for layer in range(2):
                parts = self.qkv[layer](self.norms[2 * layer](y)).reshape(n, -1, 3, 4, 16).permute(2, 0, 3, 1, 4)
                weights = (parts[0] @ parts[1].transpose(2, 3) / 4).softmax(-1)
                y = y + self.mix[layer]((weights @ parts[2]).transpose(1, 2).reshape(n, -1, 64))
                y = y + self.feed[layer](self.norms[2 * layer + 1](y))
            return self.out(y[:, 0])

    return Net()


def temporal_convolutions() -> nn.Module:
    """Causal ones, dilated, cut at the end."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.into = nn.Conv1d(8, 32, 1)
            self.convs = nn.ModuleList([nn.Conv1d(32, 32, 3, 1, 2 * 2**i, 2**i) for i in range(6)])
            self.out = nn.Linear(32, 8)

        def forward(self, x: Tensor) -> Tensor:
            y = self.into(x)
            for index, conv in enumerate(self.convs):
                y = y + conv(y)[:, :, : -2 * 2**index].relu()
            return self.out(y[:, :, -1])

    return Net()


def patch_forecast() -> nn.Module:
    """A series normalised by itself, unfolded into patches that overlap."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.into, self.norm, self.out = nn.Linear(16, 64), nn.LayerNorm(64), nn.Linear(64, 24)
            self.qkv, self.feed = nn.Linear(64, 192), mlp(64, 128, 64)

        def forward(self, x: Tensor) -> Tensor:
            mean, spread = x.mean(2, keepdim=True), (x.var(2, keepdim=True, unbiased=False) + 1e-5).sqrt()
            y = ((x - mean) / spread).reshape(-1, 1, 1, x.shape[2])
            y = self.into(F.unfold(y, (1, 16), stride=(1, 8)).transpose(1, 2))
            q, k, v = self.qkv(self.norm(y)).chunk(3, -1)
            y = y + (q @ k.transpose(1, 2) / 8).softmax(-1) @ v
            y = self.out((y + self.feed(y)).mean(1)).reshape(x.shape[0], x.shape[1], 24)
            return y * spread + mean

    return Net()
