# SPDX-License-Identifier: Apache-2.0
"""Convolutional nets that classify images."""

from __future__ import annotations

import timm
import torchvision.models as tv
from torch import nn


def resnet18() -> nn.Module:
    return tv.resnet18()


def resnext26() -> nn.Module:
    return tv.ResNet(tv.resnet.Bottleneck, [2, 2, 2, 2], groups=32, width_per_group=4)


def mobilenet_v3() -> nn.Module:
    return tv.mobilenet_v3_large()


def efficientnet_b0() -> nn.Module:
    return tv.efficientnet_b0()


def efficientnet_same() -> nn.Module:
    """Padded as TensorFlow pads: amounts that follow from the image's size."""
    return timm.create_model("tf_efficientnetv2_b0")


def densenet() -> nn.Module:
    return tv.DenseNet(growth_rate=24, block_config=(4, 8, 12, 8), num_init_features=48)


def shufflenet_v2() -> nn.Module:
    return tv.shufflenet_v2_x1_0()


def squeezenet() -> nn.Module:
    return tv.squeezenet1_1()


def googlenet() -> nn.Module:
    return tv.googlenet(aux_logits=False, init_weights=False)


def regnet() -> nn.Module:
    return tv.regnet_y_400mf()


def ghostnet() -> nn.Module:
    return timm.create_model("ghostnet_100")


def resnest() -> nn.Module:
    """Split attention."""
    return timm.create_model("resnest14d")


def nfnet() -> nn.Module:
    """No norms: standardised weights."""
    return timm.create_model("nf_regnet_b0")


def convnext() -> nn.Module:
    return timm.create_model("convnext_femto")


def poolformer() -> nn.Module:
    return timm.create_model("poolformer_s12")
