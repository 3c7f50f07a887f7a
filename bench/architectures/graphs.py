# SPDX-License-Identifier: Apache-2.0
"""Nets over graphs and sets of points: edges as pairs of indices, messages gathered and scattered."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from architectures.tables import mlp


def summed(messages: Tensor, to: Tensor, count: Tensor) -> Tensor:
    """Adds messages up at the nodes that they go to; `count` has a row per node."""
    index = torch.zeros_like(messages, dtype=torch.int64) + to[:, None]
    return torch.zeros_like(count).scatter_add(0, index, messages)


def graph_convolution() -> nn.Module:
    """A dense adjacency matrix, normalised by degrees."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(i, o) for i, o in ((32, 64), (64, 64), (64, 16))])

        def forward(self, x: Tensor, links: Tensor) -> Tensor:
            links = (links + links.t() > 1.2).float() + torch.eye(x.shape[0])
            scale = links.sum(1).rsqrt()
            links = scale[:, None] * links * scale
            for layer in self.layers:
                x = (links @ layer(x)).relu()
            return x.log_softmax(1)

    return Net()


def graph_sage() -> nn.Module:
    """Means over neighbours by scattered sums."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = nn.ModuleList([nn.Linear(64, 64) for _ in range(2)])
            self.other = nn.ModuleList([nn.Linear(64, 64, bias=False) for _ in range(2)])
            self.into, self.out = nn.Linear(32, 64), nn.Linear(64, 16)

        def forward(self, x: Tensor, edges: Tensor) -> Tensor:
            start, end = edges
            x = self.into(x)
            degree = summed(torch.ones_like(start)[:, None].float(), end, x[:, :1]).clamp(min=1)
            for own, other in zip(self.own, self.other, strict=False):
                x = (own(x) + other(summed(x[start], end, x) / degree)).relu()
            return self.out(x)

    return Net()


def graph_attention() -> nn.Module:
    """A softmax over the edges that meet at a node."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.into = nn.ModuleList([nn.Linear(i, 64) for i in (32, 64)])
            self.ahead, self.behind = (nn.ModuleList([nn.Linear(64, 4) for _ in range(2)]) for _ in range(2))
            self.out = nn.Linear(64, 16)

        def forward(self, x: Tensor, edges: Tensor) -> Tensor:
            start, end = edges
            for into, ahead, behind in zip(self.into, self.ahead, self.behind, strict=False):
                y = into(x)
                scores = nn.functional.leaky_relu(ahead(y)[start] + behind(y)[end], 0.2).clamp(max=10).exp()
                shares = scores / (summed(scores, end, y[:, :4])[end] + 1e-9)
                messages = (y[start].reshape(-1, 4, 16) * shares[:, :, None]).reshape(-1, 64)
                x = nn.functional.elu(summed(messages, end, y))
            return self.out(x)

    return Net()


def message_passing() -> nn.Module:
    """Messages from both nodes and the edge, added up with index_add, and the whole graph's mean."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.message = nn.ModuleList([mlp(32 + 32 + 8, 64, 32) for _ in range(3)])
            self.update = nn.ModuleList([mlp(64, 64, 32) for _ in range(3)])
            self.out = mlp(32, 32, 1)

        def forward(self, x: Tensor, edges: Tensor, kinds: Tensor) -> Tensor:
            start, end = edges
            for message, update in zip(self.message, self.update, strict=False):
                sent = message(torch.cat([x[start], x[end], kinds], 1))
                x = x + update(torch.cat([x, torch.zeros_like(x).index_add(0, end, sent)], 1))
            return self.out(x.mean(0))

    return Net()


def molecule() -> nn.Module:
    """SchNet: distances between atoms through Gaussians, filters that follow from them."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.atoms, self.out = nn.Embedding(20, 64), mlp(64, 32, 1)
            self.filters = nn.ModuleList([mlp(32, 64, 64) for _ in range(3)])
            self.into, self.back = (nn.ModuleList([nn.Linear(64, 64) for _ in range(3)]) for _ in range(2))
            self.register_buffer("centres", torch.linspace(0, 3, 32))

        def forward(self, kinds: Tensor, places: Tensor) -> Tensor:
            x = self.atoms(kinds)
            apart = places[:, None] - places[None]
            distance = (apart.square().sum(-1, keepdim=True) + 1e-9).sqrt()
            smooth = (-10 * (distance - self.centres).square()).exp()
            for filters, into, back in zip(self.filters, self.into, self.back, strict=False):
                x = x + back((filters(smooth) * into(x)[None]).sum(1)).tanh()
            return self.out(x).sum(0)

    return Net()


def pointnet() -> nn.Module:
    """Each point alone, then the largest of all; the cloud turned by a net of its own."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()

            def points(*widths: int) -> nn.Module:
                layers = [[nn.Conv1d(i, o, 1), nn.BatchNorm1d(o), nn.ReLU()] for i, o in itertools.pairwise(widths)]
                return nn.Sequential(*[part for layer in layers for part in layer])

            self.look, self.turn = points(3, 32, 64, 256), mlp(256, 128, 9)
            self.body, self.out = points(3, 64, 128, 512), mlp(512, 128, 40)

        def forward(self, x: Tensor) -> Tensor:
            turn = self.turn(self.look(x).amax(2)).reshape(-1, 3, 3) + torch.eye(3)
            return self.out(self.body(turn @ x).amax(2))

    return Net()


def point_graph() -> nn.Module:
    """DGCNN: the nearest points by top-k, edges gathered, the largest over neighbours."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convs = nn.ModuleList(
                [nn.Sequential(nn.Conv2d(2 * i, o, 1), nn.LeakyReLU(0.2)) for i, o in ((3, 32), (32, 64))]
            )
            self.out = mlp(96, 64, 40)

        def forward(self, x: Tensor) -> Tensor:
            kept = []
            for conv in self.convs:
                _n, c, t = x.shape
                squares = x.square().sum(1, keepdim=True)
                near = (2 * x.transpose(1, 2) @ x - squares - squares.transpose(1, 2)).topk(8, -1).indices
                others = x.unsqueeze(2).expand(-1, -1, t, -1).gather(3, near.unsqueeze(1).expand(-1, c, -1, -1))
                centre = x.unsqueeze(3).expand_as(others)
                x = conv(torch.cat([others - centre, centre], 1)).amax(3)
                kept.append(x)
            return self.out(torch.cat(kept, 1).mean(2))

    return Net()
