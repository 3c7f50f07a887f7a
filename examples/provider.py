# SPDX-License-Identifier: Apache-2.0
"""A program that uses ONNX Runtime, with Anydim in it: two lines more, and new shapes cost nothing.

python examples/provider.py [rec.onnx]
"""

import sys
import time

import anydim.ort
import numpy as np
import onnxruntime

anydim.ort.register()
model = sys.argv[1] if len(sys.argv) > 1 else "build/models/rec.onnx"
providers = [anydim.ort.get_ep_name(), "CPUExecutionProvider"]
session = onnxruntime.InferenceSession(model, providers=providers)
for width in (71, 320, 513):
    x = np.random.default_rng(width).random((1, 3, 48, width), np.float32)
    begin = time.perf_counter()
    (scores,) = session.run(None, {"x": x})
    print(f"width {width}: {scores.shape}, {1e3 * (time.perf_counter() - begin):.1f} ms at the first call")
