# SPDX-License-Identifier: Apache-2.0
"""RapidOCR 3 with Anydim as ONNX Runtime's provider: one line more, and no page is slow because of its size.

pip install dist/anydim-*.whl onnxruntime rapidocr
python examples/hubs/rapidocr3.py [page.png ...]
"""

import sys
import time

import anydim.ort
import cv2
import numpy as np
from rapidocr import RapidOCR

anydim.ort.install()  # sessions that are made from here on use it
engine = RapidOCR()
pages = [cv2.imread(path) for path in sys.argv[1:]]
if not pages:
    for height, width in ((120, 420), (150, 610)):
        page = np.full((height, width, 3), 255, np.uint8)
        cv2.putText(
            page, "Dynamic shapes 2026", (20, height // 2), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2, cv2.LINE_AA
        )
        pages.append(page)
for page in pages:
    begin = time.perf_counter()
    found = engine(page)
    print(
        f"{page.shape[1]} x {page.shape[0]}, {1e3 * (time.perf_counter() - begin):.0f} ms: {' '.join(found.txts or ())}"
    )
