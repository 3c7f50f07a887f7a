# SPDX-License-Identifier: Apache-2.0
"""Nets that make images: generators, style transfer, autoencoders, diffusion, super-resolution."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from architectures.building import Called, Residual


def dcgan() -> nn.Module:
    layers: list[nn.Module] = [nn.ConvTranspose2d(64, 256, 4, 1, 0), nn.BatchNorm2d(256), nn.ReLU()]
    for width in (256, 128, 64):
        layers += [nn.ConvTranspose2d(width, width // 2, 4, 2, 1), nn.BatchNorm2d(width // 2), nn.ReLU()]
    return Called(
        nn.Sequential(*layers, nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh()), lambda m, z: m(z[:, :, None, None])
    )


def normed(inputs: int, outputs: int, kernel: int, stride: int = 1) -> list[nn.Module]:
    """A convolution padded by reflection, with instance norm."""
    padded = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, padding_mode="reflect")
    return [padded, nn.InstanceNorm2d(outputs, affine=True), nn.ReLU()]


def cyclegan() -> nn.Module:
    blocks = [Residual(*normed(64, 64, 3), *normed(64, 64, 3)[:2]) for _ in range(4)]
    ups = []
    for i, o in ((64, 32), (32, 16)):
        ups += [nn.ConvTranspose2d(i, o, 3, 2, 1, output_padding=1), nn.InstanceNorm2d(o), nn.ReLU()]
    last = [nn.ReflectionPad2d(3), nn.Conv2d(16, 3, 7), nn.Tanh()]
    return nn.Sequential(*normed(3, 16, 7), *normed(16, 32, 3, 2), *normed(32, 64, 3, 2), *blocks, *ups, *last)


def style_transfer() -> nn.Module:
    """Nearest neighbours and convolutions where others transpose."""
    blocks = [Residual(*normed(64, 64, 3), *normed(64, 64, 3)[:2]) for _ in range(3)]
    ups = [nn.Upsample(scale_factor=2), *normed(64, 32, 3), nn.Upsample(scale_factor=2), *normed(32, 16, 3)]
    return nn.Sequential(
        *normed(3, 16, 9), *normed(16, 32, 3, 2), *normed(32, 64, 3, 2), *blocks, *ups, nn.Conv2d(16, 3, 9, 1, 4)
    )


def pix2pix() -> nn.Module:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            widths = (16, 32, 64, 128)
            self.down = nn.ModuleList([
                nn.Sequential(nn.LeakyReLU(0.2), nn.Conv2d(i, o, 4, 2, 1), nn.BatchNorm2d(o))
                for i, o in zip((3, *widths), widths, strict=False)
            ])  # fmt: skip
            pairs = ((128, 64), (128, 32), (64, 16), (32, 16))
            self.up = nn.ModuleList([
                nn.Sequential(nn.ReLU(), nn.ConvTranspose2d(i, o, 4, 2, 1), nn.BatchNorm2d(o)) for i, o in pairs
            ])  # fmt: skip
            self.out = nn.Conv2d(16, 3, 3, 1, 1)

        def forward(self, x: Tensor) -> Tensor:
            kept = []
            for block in self.down:
                x = block(x)
                kept.append(x)
            x = kept.pop()
            for block in self.up:
                x = block(x)
                if kept:
                    x = torch.cat([x, kept.pop()], 1)
            return self.out(x).tanh()

    return Net()


class Block(nn.Module):
    """Residual block with group norm and SiLU; an embedding of time is added in the middle."""

    def __init__(self, inputs: int, outputs: int, time: int = 0) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(8, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, 1, 1))
        self.second = nn.Sequential(nn.GroupNorm(8, outputs), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, 1, 1))
        self.by = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()
        self.time = nn.Linear(time, outputs) if time else None

    def forward(self, x: Tensor, time: Tensor | None = None) -> Tensor:
        y = self.first(x)
        if self.time is not None and time is not None:
            y = y + self.time(F.silu(time))[:, :, None, None]
        return self.by(x) + self.second(y)


class Look(nn.Module):
    """Attention among the positions of a plane, to themselves or to a context."""

    def __init__(self, width: int, heads: int, context: int = 0) -> None:
        super().__init__()
        self.norm, self.heads = nn.GroupNorm(8, width), heads
        self.q, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.kv = nn.Linear(context or width, 2 * width)

    def forward(self, x: Tensor, context: Tensor | None = None) -> Tensor:
        n, c, h, w = x.shape
        y = self.norm(x).reshape(n, c, h * w).transpose(1, 2)
        k, v = self.kv(y if context is None else context).chunk(2, -1)

        def part(z: Tensor) -> Tensor:
            return z.reshape(n, -1, self.heads, c // self.heads).transpose(1, 2)

        weights = (part(self.q(y)) @ part(k).transpose(2, 3) * (c // self.heads) ** -0.5).softmax(-1)
        y = (weights @ part(v)).transpose(1, 2).reshape(n, h * w, c)
        return x + self.out(y).transpose(1, 2).reshape(n, c, h, w)


def vae_encoder() -> nn.Module:
    parts: list[nn.Module] = [nn.Conv2d(3, 16, 3, 1, 1)]
    for i, o in ((16, 32), (32, 64), (64, 64)):
        parts += [Block(i, o), nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(o, o, 3, 2)]
    return nn.Sequential(*parts, Block(64, 64), Look(64, 1), nn.GroupNorm(8, 64), nn.SiLU(), nn.Conv2d(64, 8, 3, 1, 1))


def vae_decoder() -> nn.Module:
    parts: list[nn.Module] = [nn.Conv2d(4, 64, 3, 1, 1), Block(64, 64), Look(64, 1)]
    for i, o in ((64, 64), (64, 32), (32, 16)):
        parts += [Block(i, o), nn.Upsample(scale_factor=2), nn.Conv2d(o, o, 3, 1, 1)]
    return nn.Sequential(*parts, nn.GroupNorm(8, 16), nn.SiLU(), nn.Conv2d(16, 3, 3, 1, 1))


def diffusion_unet() -> nn.Module:
    """A step of latent diffusion: time as sines, attention to the picture and to a text."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            a, b, time = 48, 96, 128
            self.time = nn.Sequential(nn.Linear(64, time), nn.SiLU(), nn.Linear(time, time))
            self.into, self.one, self.two = nn.Conv2d(4, a, 3, 1, 1), Block(a, a, time), Block(a, b, time)
            self.down, self.look, self.read = nn.Conv2d(a, a, 3, 2, 1), Look(b, 4), Look(b, 4, 64)
            self.middle, self.up = Block(b, b, time), nn.Conv2d(b, b, 3, 1, 1)
            self.three, self.four = Block(b + b, b, time), Block(b + a, a, time)
            self.out = nn.Sequential(nn.GroupNorm(8, a), nn.SiLU(), nn.Conv2d(a, 4, 3, 1, 1))

        def forward(self, x: Tensor, when: Tensor, text: Tensor) -> Tensor:
            rates = torch.exp(torch.arange(32) * (-math.log(10000.0) / 32))
            angles = when[:, None] * rates * 1000
            time = self.time(torch.cat([angles.cos(), angles.sin()], 1))
            fine = self.one(self.into(x), time)
            deep = self.read(self.look(self.two(self.down(fine), time)), text)
            y = self.three(torch.cat([self.middle(deep, time), deep], 1), time)
            y = self.up(F.interpolate(y, scale_factor=2))
            return self.out(self.four(torch.cat([y, fine], 1), time))

    return Net()


def esrgan() -> nn.Module:
    """Dense residual blocks, results scaled down before they are added."""

    class Dense(nn.Module):
        def __init__(self, width: int, growth: int) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Conv2d(width + i * growth, growth, 3, 1, 1) for i in range(3)])
            self.out = nn.Conv2d(width + 3 * growth, width, 3, 1, 1)

        def forward(self, x: Tensor) -> Tensor:
            y = x
            for layer in self.layers:
                y = torch.cat([y, F.leaky_relu(layer(y), 0.2)], 1)
            return x + 0.2 * self.out(y)

    ups = [nn.Conv2d(32, 128, 3, 1, 1), nn.PixelShuffle(2), nn.LeakyReLU(0.2)]
    return nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1), *[Dense(32, 16) for _ in range(4)], *ups, nn.Conv2d(32, 3, 3, 1, 1))


def stylegan() -> nn.Module:
    """Weights of convolutions that follow from the input: scaled by a style, then to length one."""

    class Styled(nn.Module):
        def __init__(self, inputs: int, outputs: int, up: bool) -> None:
            super().__init__()
            self.style, self.up = nn.Linear(64, inputs), up
            self.weight = nn.Parameter(torch.randn(outputs, inputs, 3, 3))

        def forward(self, x: Tensor, w: Tensor) -> Tensor:
            x = x * (1 + 0.3 * self.style(w))[:, :, None, None]
            if self.up:
                x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
            y = F.conv2d(x, self.weight, padding=1)
            squares = self.weight.square().sum((2, 3)) @ (1 + 0.3 * self.style(w)).square().t()
            return F.leaky_relu(y * torch.rsqrt(squares.t() + 1e-8)[:, :, None, None], 0.2)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.map = nn.Sequential(*[nn.Linear(64, 64) if i % 2 == 0 else nn.LeakyReLU(0.2) for i in range(8)])
            self.start = nn.Parameter(torch.randn(1, 128, 4, 4))
            pairs = ((128, 128), (128, 128), (128, 64), (64, 32), (32, 16))
            self.blocks = nn.ModuleList([Styled(i, o, index > 0) for index, (i, o) in enumerate(pairs)])
            self.out = nn.Conv2d(16, 3, 1)

        def forward(self, z: Tensor) -> Tensor:
            w = self.map(z * torch.rsqrt(z.square().mean(1, keepdim=True) + 1e-8))
            x = self.start.expand(z.shape[0], -1, -1, -1)
            for block in self.blocks:
                x = block(x, w)
            return self.out(x)

    return Net()
