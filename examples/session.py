# SPDX-License-Identifier: Apache-2.0
"""A model at three widths that it has never seen, and the memory that a range of widths will ever need.

python examples/session.py build/models/rec.onnx
"""

from __future__ import annotations

import sys
import time

import anydim
import numpy as np

path = sys.argv[1] if len(sys.argv) > 1 else "build/models/rec.onnx"
session = anydim.InferenceSession(path, threads=2)
(image,) = session.get_inputs()
session.run(None, {image.name: np.zeros((1, 3, 48, 320), np.float32)})  # the first call ever loads code into caches
for width in (71, 320, 513):
    x = np.zeros((1, 3, 48, width), np.float32)
    for call in ("first call", "again     "):
        begin = time.perf_counter()
        (scores,) = session.run(None, {image.name: x})
        print(f"width {width:>3}, {call}: {(time.perf_counter() - begin) * 1e3:6.2f} ms, scores {scores.shape}")

bounded = anydim.InferenceSession(path, bounds={image.name: (1, 3, 48, (32, 1200))})
print(f"any width from 32 to 1200 needs at most {bounded.bytes_needed / 2**20:.1f} MiB")
