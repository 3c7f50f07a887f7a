# SPDX-License-Identifier: Apache-2.0
"""Nets whose output is spread over the image: detection, segmentation, pose, depth. What follows the network proper and depends on
data (non-maximum suppression) is left to the application, as it mostly is.
"""

from __future__ import annotations

import timm
import torch
import torch.nn.functional as F
import torchvision.models as tv
from torch import Tensor, nn
from transformers import GLPNConfig, GLPNForDepthEstimation, SegformerConfig, SegformerForSemanticSegmentation

from architectures.building import Called


def conv(
    inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1, act: type[nn.Module] = nn.SiLU
) -> nn.Module:
    body = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(body, nn.BatchNorm2d(outputs), act())


def retinanet() -> nn.Module:
    """Backbone, feature pyramid and heads."""
    whole = tv.detection.retinanet_resnet50_fpn(weights=None, weights_backbone=None, num_classes=20)
    levels = tv.detection.backbone_utils.resnet_fpn_backbone("resnet18", weights=None, returned_layers=[2, 3, 4])
    del whole.backbone

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.backbone, self.narrow, self.head = levels, nn.Conv2d(256, 64, 1), Heads()

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return self.head([self.narrow(level) for level in self.backbone(x).values()])

    class Heads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scores = nn.Sequential(
                conv(64, 64, act=nn.ReLU), conv(64, 64, act=nn.ReLU), nn.Conv2d(64, 9 * 20, 3, 1, 1)
            )
            self.boxes = nn.Sequential(
                conv(64, 64, act=nn.ReLU), conv(64, 64, act=nn.ReLU), nn.Conv2d(64, 9 * 4, 3, 1, 1)
            )

        def forward(self, levels: list[Tensor]) -> tuple[Tensor, Tensor]:
            def flat(y: Tensor, last: int) -> Tensor:
                return y.permute(0, 2, 3, 1).reshape(y.shape[0], -1, last)

            scores = torch.cat([flat(self.scores(level), 20) for level in levels], 1)
            boxes = torch.cat([flat(self.boxes(level), 4) for level in levels], 1)
            return scores.sigmoid(), boxes

    return Net()


class Split(nn.Module):
    """A cross-stage block: half of the channels goes through, half passes unchanged."""

    def __init__(self, inputs: int, outputs: int, depth: int) -> None:
        super().__init__()
        half = outputs // 2
        self.by, self.into, self.out = conv(inputs, half, 1), conv(inputs, half, 1), conv(2 * half, outputs, 1)
        self.body = nn.ModuleList([nn.Sequential(conv(half, half, 1), conv(half, half)) for _ in range(depth)])

    def forward(self, x: Tensor) -> Tensor:
        y = self.into(x)
        for block in self.body:
            y = y + block(y)
        return self.out(torch.cat([y, self.by(x)], 1))


def yolox() -> nn.Module:
    """Focus by slices, cross-stage blocks, spatial pyramid, path aggregation, decoupled heads, boxes decoded on a grid."""
    widths = (24, 48, 96, 192)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            a, b, c, d = widths
            self.stem = conv(12, a)
            self.stages = nn.ModuleList(
                [nn.Sequential(conv(i, o, 3, 2), Split(o, o, 1)) for i, o in ((a, b), (b, c), (c, d))]
            )
            self.pyramid = conv(4 * d, d, 1)
            self.narrow, self.merge, self.down, self.again = (
                conv(d, c, 1),
                Split(2 * c, c, 1),
                conv(c, c, 3, 2),
                Split(2 * c, c, 1),
            )
            self.heads = nn.ModuleList([nn.Sequential(conv(c, 64), nn.Conv2d(64, 4 + 1 + 20, 1)) for _ in range(2)])

        def forward(self, x: Tensor) -> Tensor:
            x = torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1)
            x = self.stages[0](self.stem(x))
            middle = self.stages[1](x)
            deep = self.stages[2](middle)
            deep = self.pyramid(torch.cat([deep, *(F.max_pool2d(deep, k, 1, k // 2) for k in (5, 9, 13))], 1))
            deep = self.narrow(deep)
            fine = self.merge(torch.cat([F.interpolate(deep, scale_factor=2), middle], 1))
            coarse = self.again(torch.cat([self.down(fine), deep], 1))
            found = []
            for level, head, stride in zip((fine, coarse), self.heads, (8, 16), strict=False):
                y = head(level)
                h, w = y.shape[2:]
                rows, columns = torch.arange(h).view(-1, 1).expand(h, w), torch.arange(w).view(1, -1).expand(h, w)
                grid = torch.stack([columns, rows]).float()
                centre, size, rest = (y[:, :2] + grid) * stride, y[:, 2:4].exp() * stride, y[:, 4:].sigmoid()
                found.append(torch.cat([centre, size, rest], 1).flatten(2))
            return torch.cat(found, 2).transpose(1, 2)

    return Net()


def centernet() -> nn.Module:
    """Peaks of a heat map by max pooling, the best of them by top-k, their sizes gathered."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2), conv(64, 64), conv(64, 64))
            self.heat, self.size = nn.Conv2d(64, 10, 1), nn.Conv2d(64, 4, 1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            y = self.body(x)
            heat = self.heat(y).sigmoid()
            heat = heat * (F.max_pool2d(heat, 3, 1, 1) == heat).float()
            scores, index = heat.amax(1).flatten(1).topk(20)
            sizes = self.size(y).flatten(2).permute(0, 2, 1)
            boxes = sizes.gather(1, index.unsqueeze(2).expand(-1, -1, 4))
            return scores, index, boxes

    return Net()


def deeplab() -> nn.Module:
    """Dilated convolutions, a pyramid of them, resized to the image."""
    return Called(
        tv.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None), lambda m, x: m(x)["out"]
    )


def lraspp() -> nn.Module:
    return Called(
        tv.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None), lambda m, x: m(x)["out"]
    )


def segformer() -> nn.Module:
    config = SegformerConfig(hidden_sizes=[16, 32, 80, 128], decoder_hidden_size=128, num_labels=20)
    return Called(SegformerForSemanticSegmentation(config), lambda m, x: m(x).logits)


def glpn() -> nn.Module:
    config = GLPNConfig(hidden_sizes=[16, 32, 80, 128], depths=[1, 1, 1, 1], decoder_hidden_size=32)
    return Called(GLPNForDepthEstimation(config), lambda m, x: m(x).predicted_depth)


class UNet(nn.Module):
    def __init__(self, norm: str, gated: bool, inputs: int = 1, width: int = 16, outputs: int = 3) -> None:
        super().__init__()
        self.gated = gated

        def twice(i: int, o: int) -> nn.Module:
            made = [nn.InstanceNorm2d(o, affine=True) if norm == "instance" else nn.GroupNorm(8, o) for _ in range(2)]
            return nn.Sequential(
                nn.Conv2d(i, o, 3, 1, 1),
                made[0],
                nn.LeakyReLU(0.01),
                nn.Conv2d(o, o, 3, 1, 1),
                made[1],
                nn.LeakyReLU(0.01),
            )

        widths = [width, 2 * width, 4 * width, 8 * width]
        self.down = nn.ModuleList([twice(i, o) for i, o in zip([inputs, *widths], widths, strict=False)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(2 * w, w, 2, 2) for w in widths[2::-1]])
        self.merge = nn.ModuleList([twice(2 * w, w) for w in widths[2::-1]])
        self.gate = nn.ModuleList([nn.Conv2d(2 * w, 1, 1) for w in widths[2::-1]])
        self.out = nn.Conv2d(width, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept = []
        for index, block in enumerate(self.down):
            x = block(x if index == 0 else F.max_pool2d(x, 2))
            kept.append(x)
        for skip, up, merge, gate in zip(kept[2::-1], self.up, self.merge, self.gate, strict=False):
            x = up(x)
            if self.gated:
                skip = skip * gate(torch.cat([x, skip], 1)).sigmoid()
            x = merge(torch.cat([x, skip], 1))
        return self.out(x)


def unet_instance_norm() -> nn.Module:
    return UNet("instance", gated=False)


def unet_attention() -> nn.Module:
    return UNet("group", gated=True)


def hrnet() -> nn.Module:
    """All resolutions side by side, and heat maps of joints at the finest."""
    body = timm.create_model("hrnet_w18_small", features_only=True, out_indices=(1,))

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.out = body, nn.LazyConv2d(17, 1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            heat = self.out(self.body(x)[0])
            return heat, heat.flatten(2).argmax(2)

    net = Net().eval()
    net(torch.zeros(1, 3, 64, 64))
    return net


def pose_soft_argmax() -> nn.Module:
    """Transposed convolutions to heat maps, and joints as their expected positions."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(*list(tv.resnet18().children())[:7])
            ups = [[nn.ConvTranspose2d(i, 128, 4, 2, 1), nn.BatchNorm2d(128), nn.ReLU()] for i in (256, 128)]
            self.up = nn.Sequential(*[layer for up in ups for layer in up], nn.Conv2d(128, 17, 1))

        def forward(self, x: Tensor) -> Tensor:
            heat = self.up(self.body(x))
            n, joints, h, w = heat.shape
            shares = heat.reshape(n, joints, -1).softmax(2).reshape(n, joints, h, w)
            x_at = (shares.sum(2) * torch.arange(w)).sum(2)
            y_at = (shares.sum(3) * torch.arange(h)).sum(2)
            return torch.stack([x_at, y_at], 2)

    return Net()


def superpoint() -> nn.Module:
    """Key points and descriptors: cells unfolded by a pixel shuffle, vectors of length one."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layers: list[nn.Module] = []
            for index, (i, o) in enumerate(((1, 32), (32, 32), (32, 64), (64, 64))):
                layers += [nn.Conv2d(i, o, 3, 1, 1), nn.ReLU(), *([nn.MaxPool2d(2)] if index < 3 else [])]
            self.body, self.points, self.vectors = nn.Sequential(*layers), nn.Conv2d(64, 65, 1), nn.Conv2d(64, 128, 1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            y = self.body(x)
            points = F.pixel_shuffle(self.points(y).softmax(1)[:, :-1], 8)
            return points, F.normalize(self.vectors(y), dim=1)

    return Net()
