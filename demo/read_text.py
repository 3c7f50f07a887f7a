# SPDX-License-Identifier: Apache-2.0
"""An ordinary program on top of RapidOCR, which knows onnxruntime and nothing of Anydim: reads the text in images.

  python demo/read_text.py a.png b.png                                      on ONNX Runtime
  python -m anydim.compat.onnxruntime demo/read_text.py a.png b.png         the same program on Anydim

Prints one JSON object: the engine that computed, and per image its lines, top to bottom, and the milliseconds it took.
"""

from __future__ import annotations

import json
import sys
import time

import cv2
import onnxruntime
from rapidocr_onnxruntime import RapidOCR


def main() -> None:
    reader = RapidOCR()
    images = []
    for path in sys.argv[1:]:
        pixels = cv2.imread(path)
        begin = time.perf_counter()
        found, _ = reader(pixels)
        elapsed = (time.perf_counter() - begin) * 1e3
        lines = sorted(found or [], key=lambda line: line[0][0][1])  # by the first corner's y
        images.append({"path": path, "words": [text for _, text, _ in lines], "ms": elapsed})
    engine = f"{onnxruntime.InferenceSession.__module__.split('.')[0]} {onnxruntime.__version__}"
    print(json.dumps({"engine": engine, "images": images}))


if __name__ == "__main__":
    main()
