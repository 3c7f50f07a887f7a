# SPDX-License-Identifier: Apache-2.0
"""Nets of attention over parts of an image, and what grew out of them."""

from __future__ import annotations

import timm
import torchvision.models as tv
from torch import nn
from transformers import CLIPConfig, CLIPModel, DetrConfig, DetrForObjectDetection

from architectures.building import Called


def vit() -> nn.Module:
    return timm.create_model("vit_tiny_patch16_224")


def swin() -> nn.Module:
    return tv.SwinTransformer([4, 4], 48, [2, 2, 4, 2], [2, 4, 8, 16], [7, 7])


def mlp_mixer() -> nn.Module:
    return timm.create_model("mixer_s32_224")


def gmlp() -> nn.Module:
    return timm.create_model("gmlp_ti16_224")


def xcit() -> nn.Module:
    """Attention among channels."""
    return timm.create_model("xcit_nano_12_p16_224")


def levit() -> nn.Module:
    return timm.create_model("levit_128s")


def mobilevit() -> nn.Module:
    return timm.create_model("mobilevit_xxs")


def edgenext() -> nn.Module:
    return timm.create_model("edgenext_xx_small")


def coat() -> nn.Module:
    """Factorised attention, convolutional relative positions."""
    return timm.create_model("coat_lite_tiny")


def pvt_v2() -> nn.Module:
    return timm.create_model("pvt_v2_b0")


def convit() -> nn.Module:
    """Gated positional attention."""
    return timm.create_model("convit_tiny")


def detr() -> nn.Module:
    config = DetrConfig(
        use_timm_backbone=True, backbone="resnet18", use_pretrained_backbone=False, d_model=128, encoder_layers=2,
        decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=512, decoder_ffn_dim=512,
        num_queries=50,
    )  # fmt: skip

    def call(m: nn.Module, x: object) -> tuple[object, object]:
        found = m(x)
        return found.logits, found.pred_boxes

    return Called(DetrForObjectDetection(config), call)


def clip() -> nn.Module:
    text = {
        "hidden_size": 128,
        "intermediate_size": 512,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "vocab_size": 1000,
    }
    image = {
        **text,
        "image_size": 224,
        "patch_size": 32,
        "num_hidden_layers": 6,
        "hidden_size": 192,
        "num_attention_heads": 6,
    }
    config = CLIPConfig(text_config=text, vision_config=image, projection_dim=128)
    return Called(CLIPModel(config), lambda m, ids, mask, x: m(ids, x, mask).logits_per_image)
