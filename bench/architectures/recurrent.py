# SPDX-License-Identifier: Apache-2.0
"""Networks that lean on LSTM and GRU, as text recognisers and speech programs have them: bench/recurrent.py runs them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def crnn() -> nn.Module:
    """Text in a line of 32 pixels: convolutions down to one row, two LSTMs in both directions, scores for CTC."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            widths = [1, 64, 128, 256, 256, 512, 512, 512]
            kernels, pools = [3, 3, 3, 3, 3, 3, 2], {0: (2, 2), 1: (2, 2), 3: (2, 1), 5: (2, 1)}
            layers: list[nn.Module] = []
            for i, kernel in enumerate(kernels):
                layers += [nn.Conv2d(widths[i], widths[i + 1], kernel, 1, 1 if kernel == 3 else 0)]
                layers += [nn.BatchNorm2d(widths[i + 1])] if i in (2, 4, 6) else []
                layers += [nn.ReLU()]
                layers += [nn.MaxPool2d(pools[i], pools[i])] if i in pools else []
            self.convs = nn.Sequential(*layers)
            self.lstm = nn.LSTM(512, 256, 2, bidirectional=True)
            self.out = nn.Linear(512, 97)

        def forward(self, x: Tensor) -> Tensor:
            y = self.convs(x).squeeze(2).permute(2, 0, 1)
            return self.out(self.lstm(y)[0]).log_softmax(-1)

    return Net()


def voice_activity() -> nn.Module:
    """Frames of sound, of any number a call; what the next call needs goes out and comes in: two frames, and the LSTM's state."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.waves = nn.Linear(160, 130)
            self.conv = nn.Conv1d(65, 64, 3)
            self.lstm = nn.LSTM(64, 64, 2, batch_first=True)
            self.out = nn.Linear(64, 1)

        def forward(self, x: Tensor, before: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, ...]:
            real, imaginary = self.waves(x).chunk(2, -1)
            bands = (real.square() + imaginary.square() + 1e-6).sqrt()
            joined = torch.cat((before, bands), 1)
            y = F.relu(self.conv(joined.transpose(1, 2))).transpose(1, 2)
            y, (h, c) = self.lstm(y, (h, c))
            return self.out(y).sigmoid(), joined[:, -2:], h, c

    return Net()


def gru_lengths() -> nn.Module:
    """A batch of sequences of several lengths, padded to the longest."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gru = nn.GRU(80, 128, 2, batch_first=True, bidirectional=True)
            self.out = nn.Linear(256, 40)

        def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
            y, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True)
            return self.out(y)

    return Net()


def speech_encoder() -> nn.Module:
    """Four LSTMs over frames that are put together by threes, with norms between them."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.front = nn.Conv1d(80, 320, 3, 3)
            self.layers = nn.ModuleList([nn.LSTM(320, 320, batch_first=True) for _ in range(4)])
            self.norms = nn.ModuleList([nn.LayerNorm(320) for _ in range(4)])
            self.out = nn.Linear(320, 256)

        def forward(self, x: Tensor) -> Tensor:
            y = F.relu(self.front(x.transpose(1, 2))).transpose(1, 2)
            for layer, norm in zip(self.layers, self.norms, strict=True):
                y = norm(layer(y)[0] + y)
            return self.out(y)

    return Net()
