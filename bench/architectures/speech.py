# SPDX-License-Identifier: Apache-2.0
"""Nets over sound and over its spectrum."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import (
    ASTConfig,
    ASTModel,
    SEWConfig,
    SEWModel,
    Speech2TextConfig,
    Wav2Vec2Config,
    Wav2Vec2ConformerConfig,
    Wav2Vec2ConformerModel,
    Wav2Vec2ForCTC,
    WhisperConfig,
)
from transformers.models.speech_to_text.modeling_speech_to_text import Speech2TextEncoder
from transformers.models.whisper.modeling_whisper import WhisperEncoder

from architectures.building import Called, Residual

WIDTHS = {
    "hidden_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 512,
    "conv_dim": (64,) * 7,
    "num_conv_pos_embeddings": 32,
    "num_conv_pos_embedding_groups": 4,
}


def wav2vec2() -> nn.Module:
    return Called(Wav2Vec2ForCTC(Wav2Vec2Config(vocab_size=40, **WIDTHS)), lambda m, x: m(x).logits)


def wav2vec2_layer_norm() -> nn.Module:
    config = Wav2Vec2Config(
        vocab_size=40, feat_extract_norm="layer", do_stable_layer_norm=True, conv_bias=True, **WIDTHS
    )
    return Called(Wav2Vec2ForCTC(config), lambda m, x: m(x).logits)


def wav2vec2_conformer() -> nn.Module:
    """Relative positions by shifted scores."""
    config = Wav2Vec2ConformerConfig(position_embeddings_type="relative", **{**WIDTHS, "num_hidden_layers": 2})
    return Called(Wav2Vec2ConformerModel(config), lambda m, x: m(x).last_hidden_state)


def sew() -> nn.Module:
    config = SEWConfig(
        squeeze_factor=2,
        **{**WIDTHS, "conv_dim": (32, 64, 64, 64), "conv_stride": (5, 4, 4, 4), "conv_kernel": (10, 4, 4, 4)},
    )
    return Called(SEWModel(config), lambda m, x: m(x).last_hidden_state)


def whisper_encoder() -> nn.Module:
    config = WhisperConfig(
        d_model=128, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=512, max_source_positions=300
    )
    return Called(WhisperEncoder(config), lambda m, x: m(x).last_hidden_state)


def speech_to_text() -> nn.Module:
    config = Speech2TextConfig(
        d_model=128, encoder_layers=3, encoder_attention_heads=4, encoder_ffn_dim=512, conv_channels=128
    )
    return Called(Speech2TextEncoder(config), lambda m, x: m(x).last_hidden_state)


def spectrogram_transformer() -> nn.Module:
    config = ASTConfig(
        hidden_size=128, num_hidden_layers=4, num_attention_heads=4, intermediate_size=512, max_length=256
    )
    return Called(ASTModel(config), lambda m, x: m(x).last_hidden_state)


class ConformerBlock(nn.Module):
    """Half a feed-forward net, attention with a relative bias, a gated depthwise convolution, the other half."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()

        def feed() -> nn.Module:
            return nn.Sequential(
                nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width)
            )

        self.heads, self.before, self.after = heads, feed(), feed()
        self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.conv_norm, self.into = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.deep = nn.Sequential(nn.Conv1d(width, width, 15, 1, 7, groups=width), nn.BatchNorm1d(width), nn.SiLU())
        self.back, self.last = nn.Conv1d(width, width, 1), nn.LayerNorm(width)
        self.bias = nn.Embedding(33, heads)

    def forward(self, x: Tensor) -> Tensor:
        n, t, c = x.shape
        x = x + 0.5 * self.before(x)
        q, k, v = self.qkv(self.norm(x)).reshape(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        positions = torch.arange(t)
        relative = (positions[None, :] - positions[:, None]).clamp(-16, 16) + 16
        scores = q @ k.transpose(2, 3) / math.sqrt(c // self.heads) + self.bias(relative).permute(2, 0, 1)
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c))
        y = F.glu(self.into(self.conv_norm(x).transpose(1, 2)), 1)
        x = x + self.back(self.deep(y)).transpose(1, 2)
        return self.last(x + 0.5 * self.after(x))


def conformer() -> nn.Module:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.sub = nn.Sequential(nn.Conv2d(1, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 32, 3, 2, 1), nn.ReLU())
            self.into, self.blocks = nn.Linear(32 * 20, 144), nn.Sequential(*[ConformerBlock(144, 4) for _ in range(3)])
            self.out = nn.Linear(144, 100)

        def forward(self, x: Tensor) -> Tensor:
            y = self.sub(x.unsqueeze(1))
            y = self.into(y.permute(0, 2, 1, 3).flatten(2))
            return self.out(self.blocks(y)).log_softmax(-1)

    return Net()


def quartznet() -> nn.Module:
    """Separable convolutions over time."""

    def block(i: int, o: int, k: int) -> list[nn.Module]:
        return [nn.Conv1d(i, i, k, 1, k // 2, groups=i), nn.Conv1d(i, o, 1, bias=False), nn.BatchNorm1d(o), nn.ReLU()]

    body = [Residual(*block(128, 128, k), *block(128, 128, k)) for k in (33, 39, 51)]
    return nn.Sequential(nn.Conv1d(64, 128, 33, 2, 16), nn.ReLU(), *body, nn.Conv1d(128, 40, 1), nn.LogSoftmax(1))


class GlobalNorm(nn.Module):
    """Over channels and time."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(1, width, 1)), nn.Parameter(torch.zeros(1, width, 1))

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean((1, 2), keepdim=True)
        return self.scale * centred / (centred.square().mean((1, 2), keepdim=True) + 1e-8).sqrt() + self.shift


def conv_tasnet() -> nn.Module:
    """Separates voices: a learned filter bank, dilated convolutions, masks, the bank backwards."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bank, self.back = nn.Conv1d(1, 128, 16, 8, bias=False), nn.ConvTranspose1d(128, 1, 16, 8, bias=False)
            self.into = nn.Sequential(GlobalNorm(128), nn.Conv1d(128, 64, 1))

            def block(dilation: int) -> nn.Module:
                return Residual(
                    nn.Conv1d(64, 128, 1), nn.PReLU(), GlobalNorm(128),
                    nn.Conv1d(128, 128, 3, 1, dilation, dilation, groups=128), nn.PReLU(), GlobalNorm(128), nn.Conv1d(128, 64, 1),
                )  # fmt: skip

            self.body = nn.Sequential(*[block(2**i) for i in range(5)])
            self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(64, 256, 1), nn.ReLU())

        def forward(self, x: Tensor) -> Tensor:
            y = self.bank(x.unsqueeze(1)).relu()
            masks = self.masks(self.body(self.into(y)))
            n, _, t = y.shape
            voices = masks.reshape(n, 2, 128, t) * y.unsqueeze(1)
            return self.back(voices.reshape(n * 2, 128, t)).reshape(n, 2, -1)

    return Net()


def speaker_embedding() -> nn.Module:
    """ECAPA: parts of the channels one after the other, squeeze and excite, statistics weighted by attention."""

    class Parts(nn.Module):
        def __init__(self, width: int, dilation: int) -> None:
            super().__init__()
            self.into, self.out = nn.Conv1d(width, width, 1), nn.Conv1d(width, width, 1)
            self.convs = nn.ModuleList([nn.Conv1d(width // 4, width // 4, 3, 1, dilation, dilation) for _ in range(3)])
            self.squeeze = nn.Sequential(
                nn.AdaptiveAvgPool1d(1), nn.Conv1d(width, 32, 1), nn.ReLU(), nn.Conv1d(32, width, 1), nn.Sigmoid()
            )

        def forward(self, x: Tensor) -> Tensor:
            parts = list(self.into(x).relu().chunk(4, 1))
            for index, layer in enumerate(self.convs):
                parts[index + 1] = layer(parts[index + 1] + parts[index]).relu()
            y = self.out(torch.cat(parts, 1)).relu()
            return x + y * self.squeeze(y)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv1d(80, 128, 5, 1, 2), nn.ReLU())
            self.blocks = nn.ModuleList([Parts(128, d) for d in (2, 3, 4)])
            self.merge = nn.Conv1d(3 * 128, 256, 1)
            self.attend = nn.Sequential(nn.Conv1d(768, 64, 1), nn.Tanh(), nn.Conv1d(64, 256, 1), nn.Softmax(2))
            self.out = nn.Linear(512, 96)

        def forward(self, x: Tensor) -> Tensor:
            y, kept = self.stem(x), []
            for block in self.blocks:
                y = block(y)
                kept.append(y)
            y = self.merge(torch.cat(kept, 1)).relu()
            mean, spread = y.mean(2, keepdim=True), y.var(2, keepdim=True, unbiased=False).clamp(min=1e-6).sqrt()
            weights = self.attend(torch.cat([y, mean.expand_as(y), spread.expand_as(y)], 1))
            mean = (weights * y).sum(2)
            spread = ((weights * y.square()).sum(2) - mean.square()).clamp(min=1e-6).sqrt()
            return F.normalize(self.out(torch.cat([mean, spread], 1)), dim=1)

    return Net()


def hifigan() -> nn.Module:
    """A vocoder: transposed convolutions, then dilated ones of several widths whose results are averaged."""

    class Several(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()

            def chain(k: int) -> nn.Module:
                steps = [
                    Residual(nn.LeakyReLU(0.1), nn.Conv1d(width, width, k, 1, d * (k - 1) // 2, d), nn.LeakyReLU(0.1),
                             nn.Conv1d(width, width, k, 1, (k - 1) // 2)) for d in (1, 3)
                ]  # fmt: skip
                return nn.Sequential(*steps)

            self.chains = nn.ModuleList([chain(k) for k in (3, 7, 11)])

        def forward(self, x: Tensor) -> Tensor:
            return sum(chain(x) for chain in self.chains) / 3

    parts: list[nn.Module] = [nn.Conv1d(80, 128, 7, 1, 3)]
    for width, rate in ((128, 8), (64, 8), (32, 2)):
        up = nn.ConvTranspose1d(width, width // 2, 2 * rate, rate, rate // 2)
        parts += [nn.LeakyReLU(0.1), up, Several(width // 2)]
    return nn.Sequential(*parts, nn.LeakyReLU(0.01), nn.Conv1d(16, 1, 7, 1, 3), nn.Tanh())


def mel_spectrum() -> nn.Module:
    """A Fourier transform written as convolutions, and the logarithm of its mel bands."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            time, bins = torch.arange(400), torch.arange(201)[:, None]
            angles = 2 * math.pi * bins * time / 400
            waves = torch.cat([angles.cos(), -angles.sin()]) * torch.hann_window(400)
            self.register_buffer("waves", waves.unsqueeze(1))
            self.register_buffer("bands", torch.rand(80, 201) / 200)

        def forward(self, x: Tensor) -> Tensor:
            y = F.pad(x.unsqueeze(1), (200, 200), mode="reflect")
            real, imaginary = F.conv1d(y, self.waves, stride=160).chunk(2, 1)
            return (self.bands @ (real.square() + imaginary.square())).clamp(min=1e-10).log()

    return Net()


def deep_speech() -> nn.Module:
    """Convolutions over the spectrum, then GRUs in both directions."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Sequential(nn.Conv2d(1, 16, (41, 11), (2, 2), (20, 5)), nn.Hardtanh(0, 20))
            self.gru = nn.GRU(16 * 40, 128, 2, batch_first=True, bidirectional=True)
            self.out = nn.Linear(256, 40)

        def forward(self, x: Tensor) -> Tensor:
            y = self.conv(x.unsqueeze(1))
            y, _ = self.gru(y.permute(0, 3, 1, 2).flatten(2))
            return self.out(y).log_softmax(-1)

    return Net()


def tacotron_encoder() -> nn.Module:
    """Characters through convolutions and an LSTM in both directions."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rows = nn.Embedding(100, 128)
            layers = [[nn.Conv1d(128, 128, 5, 1, 2), nn.BatchNorm1d(128), nn.ReLU()] for _ in range(3)]
            self.convs = nn.Sequential(*[part for layer in layers for part in layer])
            self.lstm = nn.LSTM(128, 64, batch_first=True, bidirectional=True)

        def forward(self, ids: Tensor) -> Tensor:
            return self.lstm(self.convs(self.rows(ids).transpose(1, 2)).transpose(1, 2))[0]

    return Net()
