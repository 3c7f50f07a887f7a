# SPDX-License-Identifier: Apache-2.0
"""Nets over frames and over volumes."""

from __future__ import annotations

import torch
import torch.nn.functional as F
import torchvision.models.video.resnet as vr
from torch import Tensor, nn
from transformers import TimesformerConfig, TimesformerModel

from architectures.building import Called, Residual


def small_video(conv: type[nn.Module], stem: type[nn.Module]) -> nn.Module:
    return vr.VideoResNet(block=vr.BasicBlock, conv_makers=[conv] * 4, layers=[1, 1, 1, 1], stem=stem, num_classes=100)


def resnet_3d() -> nn.Module:
    return small_video(vr.Conv3DSimple, vr.BasicStem)


def resnet_2plus1d() -> nn.Module:
    return small_video(vr.Conv2Plus1D, vr.R2Plus1dStem)


def x3d() -> nn.Module:
    """Depthwise convolutions over space and time."""

    def block(width: int) -> nn.Module:
        wide = 2 * width
        return Residual(
            nn.Conv3d(width, wide, 1, bias=False), nn.BatchNorm3d(wide), nn.ReLU(),
            nn.Conv3d(wide, wide, 3, 1, 1, groups=wide, bias=False), nn.BatchNorm3d(wide), nn.SiLU(),
            nn.Conv3d(wide, width, 1, bias=False), nn.BatchNorm3d(width),
        )  # fmt: skip

    parts: list[nn.Module] = [
        nn.Conv3d(3, 24, (1, 3, 3), (1, 2, 2), (0, 1, 1)),
        nn.Conv3d(24, 24, (5, 1, 1), 1, (2, 0, 0), groups=24),
    ]
    for i, o in ((24, 24), (24, 48), (48, 96)):
        parts += [nn.Conv3d(i, o, (1, 3, 3), (1, 2, 2), (0, 1, 1)), block(o), block(o)]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(96, 100))


def temporal_shift() -> nn.Module:
    """A part of the channels goes one frame on, another one back."""

    class Shift(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width)

        def forward(self, x: Tensor) -> Tensor:
            n, t, c, h, w = x.shape
            part = c // 8
            on = F.pad(x[:, :-1, :part], (0, 0, 0, 0, 0, 0, 1, 0))
            back = F.pad(x[:, 1:, part : 2 * part], (0, 0, 0, 0, 0, 0, 0, 1))
            y = torch.cat([on, back, x[:, :, 2 * part :]], 2).reshape(n * t, c, h, w)
            return x + F.relu(self.norm(self.conv(y))).reshape(n, t, c, h, w)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 32, 7, 4, 3), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1))
            self.blocks, self.out = nn.Sequential(*[Shift(64) for _ in range(4)]), nn.Linear(64, 100)

        def forward(self, x: Tensor) -> Tensor:
            n, t = x.shape[:2]
            y = self.stem(x.flatten(0, 1))
            y = self.blocks(y.reshape(n, t, 64, y.shape[2], y.shape[3]))
            return self.out(y.mean((1, 3, 4)))

    return Net()


def timesformer() -> nn.Module:
    """Attention over time, then over space."""
    config = TimesformerConfig(
        image_size=96,
        patch_size=16,
        num_frames=8,
        hidden_size=128,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=512,
    )
    return Called(TimesformerModel(config), lambda m, x: m(x).last_hidden_state)


def unet_3d() -> nn.Module:
    """Segments volumes: instance norm, transposed convolutions in three dimensions."""

    def twice(i: int, o: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv3d(i, o, 3, 1, 1), nn.InstanceNorm3d(o, affine=True), nn.LeakyReLU(0.01),
            nn.Conv3d(o, o, 3, 1, 1), nn.InstanceNorm3d(o, affine=True), nn.LeakyReLU(0.01),
        )  # fmt: skip

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two, self.three = twice(1, 8), twice(8, 16), twice(16, 32)
            self.up2, self.merge2 = nn.ConvTranspose3d(32, 16, 2, 2), twice(32, 16)
            self.up1, self.merge1, self.out = nn.ConvTranspose3d(16, 8, 2, 2), twice(16, 8), nn.Conv3d(8, 4, 1)

        def forward(self, x: Tensor) -> Tensor:
            fine = self.one(x)
            middle = self.two(F.max_pool3d(fine, 2))
            y = self.up2(self.three(F.max_pool3d(middle, 2)))
            y = self.up1(self.merge2(torch.cat([y, middle], 1)))
            return self.out(self.merge1(torch.cat([y, fine], 1)))

    return Net()
