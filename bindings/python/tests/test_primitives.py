# SPDX-License-Identifier: Apache-2.0
"""Primitives from Python: results against numpy, dims that change, kernels that are shared, promises that are kept."""

from __future__ import annotations

import csv
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest


@pytest.fixture(scope="module")
def cpu() -> anydim.Engine:
    return anydim.Engine("cpu")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def convolve(x: Any, w: Any, b: Any, pad: int) -> Any:
    """Direct convolution, stride 1, in float64."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    kh, kw = w.shape[2:]
    out = np.zeros((x.shape[0], w.shape[0], x.shape[2] - kh + 1, x.shape[3] - kw + 1))
    for i in range(kh):
        for j in range(kw):
            part = x[:, :, i : i + out.shape[2], j : j + out.shape[3]]
            out += np.einsum("nchw,oc->nohw", part, w[:, :, i, j].astype(np.float64))
    return out + b[None, :, None, None]


def test_a_convolution_at_changing_dims(cpu: anydim.Engine) -> None:
    w, b = rng(1).standard_normal((5, 4, 3, 3), np.float32), rng(2).standard_normal(5, np.float32)
    n, h, width = anydim.dim(max=8), anydim.dim(max=2048), anydim.dim(max=2048, hint=640)
    conv = cpu.convolution(src=anydim.f32(n, 4, h, width), weights=w, bias=b, pads=1, post_ops=[anydim.relu()])
    for dims in ((1, 4, 17, 9), (3, 4, 1, 1), (8, 4, 5, 40)):
        x = rng(3).standard_normal(dims, np.float32)
        expected = np.maximum(convolve(x, w, b, 1), 0)
        assert np.allclose(conv(x), expected, rtol=1e-5, atol=1e-5)
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
        assert np.asarray(conv(last)).tobytes() == np.asarray(conv(x)).tobytes(), "layout changes bits"
    assert "kernel" in conv.explain((1, 4, 17, 640)) and conv.explain((2, 4, 9, 9))["output_dims"] == [[2, 5, 9, 9]]
    with pytest.raises(anydim.OutOfBoundsError, match="4096"):
        conv(np.zeros((1, 4, 1, 4096), np.float32))


def test_matmul_with_packed_and_with_given_right_sides(cpu: anydim.Engine) -> None:
    a, b = rng(1).standard_normal((7, 33), np.float32), rng(2).standard_normal((33, 20), np.float32)
    packed = cpu.matmul(anydim.f32(anydim.dim(), 33), b)
    given = cpu.matmul(anydim.f32(anydim.dim(), 33), anydim.f32(33, anydim.dim()))
    assert np.allclose(packed(a), a @ b, rtol=1e-5, atol=1e-5)
    assert packed(a).tobytes() == given(a, b).tobytes(), "packing changes bits"
    assert packed(a)[3:4].tobytes() == packed(a[3:4]).tobytes(), "the batch changes bits"


def test_weights_are_packed_once_and_shared(cpu: anydim.Engine) -> None:
    b = rng(2).standard_normal((33, 20), np.float32)
    first = cpu.matmul(anydim.f32(anydim.dim(), 33), b)
    fixed = cpu.matmul(anydim.f32(1, 33), b)
    assert first.kernel_identity == fixed.kernel_identity and first.kernel == fixed.kernel


def test_weights_are_updated_for_all_primitives_over_them(cpu: anydim.Engine) -> None:
    b, c, x = (rng(i).standard_normal((33, 20), np.float32) for i in (2, 3, 4))
    first = cpu.matmul(anydim.f32(anydim.dim(), 33), b)
    assert first.weights is not None and first.weights.version == 1
    second = cpu.matmul(anydim.f32(20, 33), first.weights)
    assert second.weights is first.weights
    old = first(x.T)
    assert first.weights.update(c) == 2 and first.weights.version == 2
    expected = cpu.matmul(anydim.f32(20, 33), c)(x.T)
    assert first(x.T).tobytes() == expected.tobytes() == second(x.T).tobytes() != old.tobytes()
    with pytest.raises(anydim.InvalidArgumentError, match="dims 20x33; the weights were packed from 33x20"):
        first.weights.update(c.T)
    assert cpu.softmax(anydim.f32(3, 3)).weights is None


def test_weights_are_updated_under_running_threads(cpu: anydim.Engine) -> None:
    values = [rng(i).standard_normal((33, 20), np.float32) for i in range(3)]
    x = rng(9).standard_normal((5, 33), np.float32)
    matmul = cpu.matmul(anydim.f32(anydim.dim(), 33), values[0])
    allowed = {cpu.matmul(anydim.f32(5, 33), v)(x).tobytes() for v in values}
    seen: set[bytes] = set()
    done = threading.Event()

    def run() -> None:
        while not done.is_set():
            seen.add(matmul(x).tobytes())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert matmul.weights is not None
    for i in range(100):
        matmul.weights.update(values[i % 3])
    done.set()
    for thread in threads:
        thread.join()
    assert seen and seen <= allowed, "a call saw a mix of two versions"


def test_packed_weights_are_saved_and_mapped(cpu: anydim.Engine, tmp_path: Path) -> None:
    w, b = rng(1).standard_normal((5, 4, 3, 3), np.float32), rng(2).standard_normal(5, np.float32)
    x = rng(3).standard_normal((1, 4, 9, 9), np.float32)
    src = anydim.f32(1, 4, 9, 9)
    conv = cpu.convolution(src, w, b, pads=1)
    file = tmp_path / "conv.weights"
    assert conv.weights is not None
    conv.weights.save(file)
    mapped = cpu.convolution(src, file, pads=1)
    assert mapped(x).tobytes() == conv(x).tobytes()
    with pytest.raises(anydim.InvalidArgumentError, match="packed for 'convolution"):
        cpu.convolution(src, file, pads=0)
    with pytest.raises(anydim.InvalidArgumentError, match="hold their own"):
        cpu.convolution(src, file, b, pads=1)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(anydim.FileError, match="damaged"):
        cpu.convolution(src, damaged, pads=1)


def test_elementwise_reductions_and_softmax(cpu: anydim.Engine) -> None:
    x = rng(4).standard_normal((3, 5, 11), np.float32)
    any3 = anydim.f32(anydim.dim(), anydim.dim(), anydim.dim())
    assert np.array_equal(cpu.unary(any3, "abs")(x), np.abs(x))
    assert np.array_equal(cpu.binary(any3, anydim.f32(11), "mul")(x, x[0, 0]), x * x[0, 0])
    less = cpu.binary(any3, any3, "less")(x, np.zeros_like(x))
    assert less.dtype == np.bool_ and np.array_equal(less, x < 0)
    assert np.allclose(cpu.reduce(any3, "mean", [1, 2])(x), x.mean((1, 2), keepdims=True), atol=1e-6)
    assert np.allclose(cpu.reduce(any3, "max", [-1], keepdims=False)(x), x.max(-1))
    e = np.exp(x - x.max(-1, keepdims=True))
    assert np.allclose(cpu.softmax(any3)(x), e / e.sum(-1, keepdims=True), atol=1e-6)
    assert np.array_equal(cpu.transpose(any3, [2, 0, 1])(x), x.transpose(2, 0, 1))


def test_post_ops_take_tensors(cpu: anydim.Engine) -> None:
    a, b = rng(1).standard_normal((4, 8), np.float32), rng(2).standard_normal((8, 6), np.float32)
    c = rng(3).standard_normal((4, 6), np.float32)
    p = cpu.matmul(anydim.f32(anydim.dim(), 8), b, post_ops=[anydim.binary("add"), anydim.clip(-0.5, 0.5)])
    assert np.allclose(p(a, c), np.clip(a @ b + c, -0.5, 0.5), atol=1e-5)
    with pytest.raises(anydim.InvalidArgumentError, match="post-op"):
        p(a)


def test_an_output_can_be_given(cpu: anydim.Engine) -> None:
    p = cpu.unary(anydim.f32(anydim.dim()), "relu")
    x, out = np.array([-1, 2], np.float32), np.zeros(2, np.float32)
    assert p(x, out=out) is out and out.tolist() == [0, 2]


def test_layer_norm_and_pooling_and_resize(cpu: anydim.Engine) -> None:
    x = rng(5).standard_normal((2, 3, 8, 8), np.float32)
    image = anydim.f32(anydim.dim(), 3, anydim.dim(), anydim.dim())
    pooled = cpu.pooling(image, "max", window=2, strides=2)(x)
    assert np.array_equal(pooled, x.reshape(2, 3, 4, 2, 4, 2).max((3, 5)))
    assert np.allclose(cpu.pooling(image, "average", global_=True)(x), x.mean((2, 3), keepdims=True), atol=1e-6)
    doubled = cpu.resize(image, scales=[1, 1, 2, 2], coordinates="asymmetric", nearest="floor")(x)
    assert np.array_equal(doubled, x.repeat(2, 2).repeat(2, 3))
    rows = rng(6).standard_normal((5, 16), np.float32)
    scale, shift = np.full(16, 2, np.float32), np.full(16, 1, np.float32)
    normal = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    assert np.allclose(cpu.layer_norm(anydim.f32(anydim.dim(), 16), scale, shift)(rows), normal * 2 + 1, atol=1e-5)


def test_one_primitive_in_several_threads(cpu: anydim.Engine) -> None:
    p = cpu.unary(anydim.f32(anydim.dim()), "relu")
    wrong: list[int] = []

    def work(k: int) -> None:
        for n in range(1, 200):
            if not np.array_equal(p(np.full(n, k - 3, np.float32)), np.full(n, max(k - 3, 0), np.float32)):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_an_opencl_platform_that_is_not_there_is_named() -> None:
    ask = "import anydim\ntry:\n    anydim.Engine('opencl:999')\nexcept anydim.NotFoundError as e:\n    print(e)"
    asked = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)  # a driver may end the process
    if asked.returncode < 0:
        pytest.skip(f"an OpenCL driver of this machine ends the process: {asked.stderr.strip().splitlines()[-1]}")
    assert "platform 999" in asked.stdout, asked.stderr


def test_what_is_wrong_is_named(cpu: anydim.Engine) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="quantum"):
        anydim.Engine("quantum")
    for wrong in ("opencl:", "opencl:x", "opencl:0:0:0", "opencl:-1"):
        with pytest.raises(anydim.InvalidArgumentError, match="kind"):
            anydim.Engine(wrong)
    with pytest.raises(anydim.InvalidArgumentError, match="frobnicate"):
        cpu.unary(anydim.f32(3), "frobnicate")
    with pytest.raises(anydim.NotFoundError, match="no such kernel"):
        cpu.matmul(anydim.f32(3, 3), np.zeros((3, 3), np.float32), kernel="no such kernel")
    with pytest.raises(anydim.InvalidArgumentError, match="-3"):
        cpu.unary(anydim.f32(-3), "relu")
    with pytest.raises(anydim.InvalidArgumentError, match="pads"):
        cpu.convolution(anydim.f32(1, 1, 4, 4), np.zeros((1, 1, 1, 1), np.float32), pads=[1, 2, 3])


def test_every_choice_is_listed_and_measured_on_request(cpu: anydim.Engine) -> None:
    matmul = cpu.matmul(a=anydim.f32(anydim.dim(max=512), 64), b=anydim.f32(64, 48))
    a, b = rng(1).standard_normal((33, 64), np.float32), rng(2).standard_normal((64, 48), np.float32)
    choices = matmul.choices(a, b)
    able = [c for c in choices if "refusal" not in c]
    assert [c["kernel"] for c in choices if c["chosen"]] == [matmul.kernel] == [able[0]["kernel"]]
    assert able[-1]["kernel"] == "gemm.reference" and len(able) > 1
    assert all(c["expected_nanoseconds"] > 0 and c["scratch_bytes"] >= 0 for c in able)
    assert able[0]["expected_nanoseconds"] < able[-1]["expected_nanoseconds"]
    assert not any("measured_nanoseconds" in c for c in choices)
    measured = [c for c in matmul.choices(a, b, repeats=3) if "refusal" not in c]
    assert all(c["measured_nanoseconds"] > 0 for c in measured)


def test_a_line_describes_the_call_without_running_it(cpu: anydim.Engine) -> None:
    matmul = cpu.matmul(a=anydim.f32(anydim.dim(max=512), 64), b=anydim.f32(64, 48))
    (row,) = csv.reader([matmul.line(np.ones((5, 64), np.float32), np.ones((64, 48), np.float32))])
    assert row[:5] == ["anydim", "v1", "execute", "cpu", ""] and row[5].startswith("matmul ")
    assert row[6] == "in0=f32[5?0..512,64] in1=f32[64,48] out0=f32[5,48]" and row[9] == matmul.kernel


def test_the_engine_reports_its_properties(cpu: anydim.Engine) -> None:
    info = cpu.info()
    assert info["kernels"] == len(cpu.kernels()) > 10 and info["threads"] >= 1 and info["isa"]


def test_counters_report_what_the_primitive_cache_did(cpu: anydim.Engine) -> None:
    before = anydim.counters()
    made = [cpu.softmax(anydim.f32(37, 41)) for _ in range(3)]
    after = anydim.counters()
    assert [p.creation[0] for p in made] == ["miss", "hit", "hit"]
    assert all(p.creation[1] > 0 for p in made)
    assert after["primitive_cache_misses"] - before["primitive_cache_misses"] == 1
    assert after["primitive_cache_hits"] - before["primitive_cache_hits"] == 2
    assert after["primitives_created"] - before["primitives_created"] == 1
