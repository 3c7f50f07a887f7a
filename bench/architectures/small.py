# SPDX-License-Identifier: Apache-2.0
"""Networks that take well under a millisecond: what runs beside a sensor, in a control loop, for each row of a stream of events."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from architectures.building import Called, Residual


def layers(activation: Callable[[], nn.Module], *widths: int) -> list[nn.Module]:
    made: list[nn.Module] = []
    for i, o in itertools.pairwise(widths):
        made += [nn.Linear(i, o), activation()]
    return made[:-1]


def policy() -> nn.Module:
    """What a robot does next."""
    return nn.Sequential(*layers(nn.Tanh, 48, 64, 64, 12), nn.Tanh())


def value() -> nn.Module:
    return nn.Sequential(*layers(nn.ELU, 48, 128, 64, 32, 1))


def selu_net() -> nn.Module:
    return nn.Sequential(*layers(nn.SELU, 20, 64, 64, 64, 2), nn.Softmax(1))


def normed_rows() -> nn.Module:
    return nn.Sequential(
        nn.BatchNorm1d(30), nn.Linear(30, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3), nn.Sigmoid()
    )


def residual_rows() -> nn.Module:
    block = [Residual(nn.LayerNorm(48), nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 48)) for _ in range(3)]
    return nn.Sequential(nn.Linear(16, 48), *block, nn.Linear(48, 1))


def anomaly() -> nn.Module:
    """How far a row is from what an autoencoder makes of it."""
    net = nn.Sequential(*layers(nn.ReLU, 32, 16, 4, 16, 32))
    return Called(net, lambda inner, x: (inner(x) - x).square().mean(1))


def gated_rows() -> nn.Module:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gates = nn.ModuleList([nn.Linear(40, 80) for _ in range(4)])
            self.out = nn.Linear(40, 5)

        def forward(self, x: Tensor) -> Tensor:
            for gate in self.gates:
                x = x + F.glu(gate(x), 1)
            return self.out(x)

    return Net()


def towers() -> nn.Module:
    """Cosine of a user's and an item's vectors."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.left, self.right = nn.Embedding(500, 32), nn.Embedding(500, 32)
            self.up, self.down = nn.Linear(32, 32), nn.Linear(32, 32)

        def forward(self, ids: Tensor) -> Tensor:
            a, b = self.up(self.left(ids[:, 0])), self.down(self.right(ids[:, 1]))
            return (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1)

    return Net()


def fields() -> nn.Module:
    """A network over the embeddings of eight columns."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(500, 8)
            self.deep = nn.Sequential(*layers(nn.ReLU, 64, 64, 32, 1))

        def forward(self, ids: Tensor) -> Tensor:
            return self.deep(self.table(ids).flatten(1)).sigmoid()

    return Net()


def quantiles() -> nn.Module:
    """Quantiles that do not cross: sums of what is not negative."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.steps = nn.Linear(24, 48), nn.Linear(48, 9)

        def forward(self, x: Tensor) -> Tensor:
            return F.softplus(self.steps(self.body(x).relu())).cumsum(1)

    return Net()


def digits() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(16, 10))  # fmt: skip


def tiny_lenet() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(8, 16, 5), nn.Tanh(), nn.MaxPool2d(2),
                         nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(16, 10))  # fmt: skip


def tiny_mobile() -> nn.Module:
    def block(i: int, o: int, stride: int) -> list[nn.Module]:
        return [
            nn.Conv2d(i, i, 3, stride, 1, groups=i),
            nn.BatchNorm2d(i),
            nn.ReLU6(),
            nn.Conv2d(i, o, 1),
            nn.BatchNorm2d(o),
            nn.ReLU6(),
        ]

    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU6(), *block(8, 16, 1), *block(16, 24, 2), *block(24, 32, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 4))  # fmt: skip


def patch_score() -> nn.Module:
    """How sharp each patch of a picture is."""
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.LeakyReLU(0.1), nn.MaxPool2d(4), nn.Conv2d(4, 1, 1), nn.Sigmoid()
    )


def upscale() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.PReLU(8), nn.Conv2d(8, 4, 3, padding=1), nn.PixelShuffle(2))


def key_words() -> nn.Module:
    """Words in sound, of mel frames."""
    return nn.Sequential(nn.Conv1d(40, 24, 3, padding=1), nn.ReLU(), nn.Conv1d(24, 24, 3, padding=2, dilation=2), nn.ReLU(),
                         nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(24, 12))  # fmt: skip


def heartbeat() -> nn.Module:
    def block(i: int, o: int) -> list[nn.Module]:
        return [nn.Conv1d(i, o, 7, 2, 3), nn.BatchNorm1d(o), nn.ReLU()]

    return nn.Sequential(
        *block(1, 8), *block(8, 16), *block(16, 16), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, 5)
    )


def causal() -> nn.Module:
    """Causal convolutions of growing dilation."""

    class Step(nn.Module):
        def __init__(self, dilation: int) -> None:
            super().__init__()
            self.dilation, self.conv = dilation, nn.Conv1d(12, 24, 2, dilation=dilation)

        def forward(self, x: Tensor) -> Tensor:
            a, b = self.conv(F.pad(x, (self.dilation, 0))).chunk(2, 1)
            return x + torch.tanh(a) * torch.sigmoid(b)

    return nn.Sequential(nn.Conv1d(4, 12, 1), *(Step(2**i) for i in range(5)), nn.Conv1d(12, 1, 1))


def linear_forecast() -> nn.Module:
    """Trend and remainder, each by one product."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.trend, self.rest = nn.Linear(96, 24), nn.Linear(96, 24)

        def forward(self, x: Tensor) -> Tensor:
            mean = F.avg_pool1d(x, 25, 1, 12)
            return self.trend(mean) + self.rest(x - mean)

    return Net()


class Recurrent(nn.Module):
    """A recurrent layer over steps, its last state or all of them to a head."""

    def __init__(self, kind: type[nn.Module], wide: int, out: int, last: bool, **options: bool) -> None:
        super().__init__()
        self.layer, self.last = kind(16, wide, batch_first=True, **options), last
        self.head = nn.Linear(wide * (2 if options.get("bidirectional") else 1), out)

    def forward(self, x: Tensor) -> Tensor:
        states = self.layer(x)[0]
        return self.head(states[:, -1] if self.last else states)


def gesture() -> nn.Module:
    return Recurrent(nn.LSTM, 24, 6, True)


def battery() -> nn.Module:
    return Recurrent(nn.GRU, 16, 1, False)


def tagger() -> nn.Module:
    return Recurrent(nn.LSTM, 16, 9, False, bidirectional=True)


def one_head() -> nn.Module:
    """One head of attention over a few tokens."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.norm = nn.Embedding(500, 32), nn.LayerNorm(32)
            self.q, self.k, self.v, self.out = (nn.Linear(32, 32) for _ in range(4))

        def forward(self, ids: Tensor) -> Tensor:
            x = self.embed(ids)
            y = self.norm(x)
            weights = (self.q(y) @ self.k(y).transpose(1, 2) * 32**-0.5).softmax(2)
            return self.out((x + weights @ self.v(y)).mean(1))

    return Net()


def mixer() -> nn.Module:
    """Eight tokens mixed by a product, then their channels."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Sequential(*layers(nn.GELU, 8, 16, 8))
            self.channels = nn.Sequential(*layers(nn.GELU, 24, 48, 24))
            self.norm = nn.LayerNorm(24)

        def forward(self, x: Tensor) -> Tensor:
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norm(x))

    return nn.Sequential(Block(), Block())


def points() -> nn.Module:
    """A few points, in any order."""
    body = nn.Sequential(*layers(nn.ReLU, 3, 32, 32))
    head = nn.Linear(32, 7)
    net = nn.ModuleList([body, head])
    return Called(net, lambda inner, x: inner[1](inner[0](x).max(1)[0]))


def words_bag() -> nn.Module:
    """The mean of words' vectors, without those that the mask leaves out."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.out = nn.Embedding(1000, 32), nn.Linear(32, 4)

        def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
            kept = mask.unsqueeze(2).float()
            return self.out((self.embed(ids) * kept).sum(1) / kept.sum(1).clamp(min=1.0)).log_softmax(1)

    return Net()


def kalman() -> nn.Module:
    """A step of a filter with a learned gain: small products of a batch."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.move, self.see = nn.Parameter(torch.eye(6)), nn.Parameter(torch.eye(3, 6))
            self.gain = nn.Linear(3, 18)

        def forward(self, state: Tensor, seen: Tensor) -> Tensor:
            ahead = state @ self.move.t()
            surprise = seen - ahead @ self.see.t()
            gain = self.gain(surprise).view(-1, 6, 3)
            return ahead + (gain @ surprise.unsqueeze(2)).squeeze(2)

    return Net()
