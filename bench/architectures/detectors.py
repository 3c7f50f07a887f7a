# SPDX-License-Identifier: Apache-2.0
"""Torchvision's detectors as they come: an image of any size in, resized inside, boxes that survived out. Sides are smaller than the
defaults and proposals fewer, so that a call takes tenths of a second; all else is torchvision's.
"""

from __future__ import annotations

import torchvision.models as tv
from torch import Tensor, nn

SIDES = {"min_size": 256, "max_size": 400}


class Detector(nn.Module):
    """One image in, the parts of its result one after the other out."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.network([x])[0].values())


REGIONS = {
    **SIDES,
    "weights": None,
    "weights_backbone": None,
    "rpn_pre_nms_top_n_test": 500,
    "rpn_post_nms_top_n_test": 200,
}


def faster_rcnn() -> nn.Module:
    return Detector(tv.detection.fasterrcnn_resnet50_fpn(**REGIONS, num_classes=21, box_score_thresh=0.05))


def mask_rcnn() -> nn.Module:
    return Detector(tv.detection.maskrcnn_resnet50_fpn(**REGIONS, num_classes=21, box_score_thresh=0.06))


def keypoint_rcnn() -> nn.Module:
    return Detector(tv.detection.keypointrcnn_resnet50_fpn(**REGIONS, box_score_thresh=0.5))


def retinanet_whole() -> nn.Module:
    return Detector(tv.detection.retinanet_resnet50_fpn(**SIDES, weights=None, weights_backbone=None, score_thresh=0.5))


def fcos() -> nn.Module:
    return Detector(tv.detection.fcos_resnet50_fpn(**SIDES, weights=None, weights_backbone=None, score_thresh=0.5))


def ssd() -> nn.Module:
    return Detector(tv.detection.ssd300_vgg16(weights=None, weights_backbone=None, score_thresh=0.05))


def ssd_lite() -> nn.Module:
    return Detector(tv.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, score_thresh=0.05))
