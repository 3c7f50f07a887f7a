# SPDX-License-Identifier: Apache-2.0
"""A convolution whose batch, height and width change from call to call: made once, run at any of them."""

from __future__ import annotations

import anydim
import numpy as np

rng = np.random.default_rng(0)
kernel = rng.standard_normal((32, 64, 3, 3), np.float32)
bias = rng.standard_normal(32, np.float32)

cpu = anydim.Engine("cpu")
n, h, w = anydim.dim(max=8), anydim.dim(max=2048), anydim.dim(max=2048, hint=640)
conv = cpu.convolution(src=anydim.f32(n, 64, h, w), weights=kernel, bias=bias, pads=1, post_ops=[anydim.relu()])
for dims in ((1, 64, 17, 640), (8, 64, 3, 3), (2, 64, 100, 41)):
    x = rng.standard_normal(dims, np.float32)
    y = np.asarray(conv(x))
    one = np.asarray(conv(x[-1:]))
    print(f"{dims} -> {y.shape}; the last image alone gives the same bits: {one[0].tobytes() == y[-1].tobytes()}")
print(conv.explain((1, 64, 17, 640)))
