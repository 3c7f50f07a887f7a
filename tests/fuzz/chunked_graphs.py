# SPDX-License-Identifier: Apache-2.0
"""Random networks along a time axis or along rows, computed chunk by chunk and as a whole: the bits are equal, whatever the chunks are.

.venv/bin/python tests/fuzz/chunked_graphs.py --seed 1 --graphs 1000
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import sys
from collections.abc import Callable
from typing import Any

import anydim
import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
DTYPES: dict[Any, int] = {
    np.float32: TensorProto.FLOAT,
    np.float64: TensorProto.DOUBLE,
    np.float16: TensorProto.FLOAT16,
}
REFUSED = "the model cannot be computed by chunks"


class Network:
    """A model that grows layer by layer along one value of `channels` channels, whose last axis (of rank 3) or third (of rank 4) is time."""

    def __init__(self, generator: np.random.Generator, rank: int = 3, dtype: Any = np.float32) -> None:
        self.generator, self.rank, self.dtype = generator, rank, dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.feeds: dict[str, Array] = {}  # that are no chunks
        self.ends: list[str] = []  # outputs that come at the end
        self.batches = 2  # most examples
        self.value, self.channels = "x", int(generator.integers(1, 6))
        self.first_channels = self.channels

    def draw(self, least: int, most: int) -> int:
        return int(self.generator.integers(least, most + 1))

    def one_of(self, *choices: Any) -> Any:
        return choices[self.draw(0, len(choices) - 1)]

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weights(self, *shape: int, scale: float = 1.0) -> str:
        return self.constant((self.generator.normal(size=shape) * scale).astype(self.dtype))

    def numbers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def add(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op.lower()}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x: str, channels: int, to: int, kernel: int, **how: Any) -> str:
        """Along the time axis as `how` says (stride, dilation, pads, group), of rank 4 3 wide along the other."""
        stride, dilation, group = how.get("stride", 1), how.get("dilation", 1), how.get("group", 1)
        before, after = how["pads"]
        rows = self.rank == 4
        w = self.weights(to, channels // group, kernel, *([3] if rows else []), scale=1 / np.sqrt(channels * kernel))
        return self.add(
            "Conv", x, w, self.weights(to), strides=[stride, 1][: rows + 1], dilations=[dilation, 1][: rows + 1], group=group,
            pads=[before, 1, after, 1] if rows else [before, after],
        )  # fmt: skip

    def same(self, x: str, kernel: int, dilation: int = 1) -> str:
        """One that keeps the length: causal, centred, or with any padding."""
        extent = (kernel - 1) * dilation
        before = self.one_of(extent, extent // 2, 0, self.draw(0, extent))
        group = self.one_of(1, 1, self.channels)
        return self.conv(
            x, self.channels, self.channels, kernel, dilation=dilation, pads=(before, extent - before), group=group
        )

    def model(self, outputs: list[str]) -> bytes:
        code = DTYPES[self.dtype]
        dims: list[Any] = ["b", self.first_channels, "t"] + ([7] if self.rank == 4 else [])
        inputs = [helper.make_tensor_value_info("x", code, dims), *self.inputs]
        graph = helper.make_graph(
            self.nodes, "g", inputs, [helper.make_tensor_value_info(o, code, None) for o in outputs], self.constants
        )
        opset = [helper.make_opsetid("", 18)]
        return helper.make_model(graph, opset_imports=opset, ir_version=9).SerializeToString()


def _function(n: Network) -> None:
    op = n.one_of("LeakyRelu", "Tanh", "Sigmoid", "Relu", "Neg", "Softplus")
    n.value = n.add(op, n.value)


def _same(n: Network) -> None:
    n.value = n.same(n.value, n.draw(1, 7), n.draw(1, 3))


def _strided(n: Network) -> None:
    kernel, dilation, to = n.draw(1, 5), n.draw(1, 2), n.draw(1, 8)
    extent = (kernel - 1) * dilation
    pads = n.draw(0, extent), n.draw(0, extent)
    n.value = n.conv(n.value, n.channels, to, kernel, stride=n.draw(1, 3), dilation=dilation, pads=pads)
    n.channels = to


def _residual(n: Network) -> None:
    y = n.add("Relu", n.same(n.value, n.draw(1, 7), n.draw(1, 3)))
    if n.draw(0, 1):
        y = n.same(y, 3)
    n.value = n.add("Add", n.value, y)


def _branches(n: Network) -> None:
    parts = [n.same(n.value, n.draw(1, 7)) for _ in range(n.draw(2, 3))]
    n.value = n.add("Concat", *parts, axis=1)
    n.channels *= len(parts)
    if n.channels > 12:
        n.value = n.conv(n.value, n.channels, 3, 1, pads=(0, 0))
        n.channels = 3


def _gated(n: Network) -> None:
    a, b = n.same(n.value, 3), n.same(n.value, 3)
    n.value = n.add("Mul", n.add("Tanh", a), n.add("Sigmoid", b))


def _transposed(n: Network) -> None:
    stride = n.draw(1, 4)
    kernel, to = stride + n.draw(0, 5), n.draw(1, 8)
    pad = n.draw(0, (kernel - stride) // 2 + 1)
    extra = n.draw(0, stride - 1) if n.draw(0, 2) == 0 else 0
    rows = n.rank == 4
    w = n.weights(n.channels, to, kernel, *([3] if rows else []), scale=1 / np.sqrt(2 * n.channels))
    n.value = n.add(
        "ConvTranspose", n.value, w, n.weights(to), strides=[stride, 1][: rows + 1], output_padding=[extra, 0][: rows + 1],
        pads=[pad, 1, pad, 1] if rows else [pad, pad],
    )  # fmt: skip
    n.channels = to


def _pooled(n: Network) -> None:
    kernel = n.draw(1, 4)
    before, after = n.draw(0, kernel - 1), n.draw(0, kernel - 1)
    rows = n.rank == 4
    how: dict[str, Any] = {
        "kernel_shape": [kernel, 3][: rows + 1], "strides": [n.draw(1, 3), 1][: rows + 1], "ceil_mode": n.draw(0, 1),
        "pads": [before, 1, after, 1] if rows else [before, after],
    }  # fmt: skip
    if n.draw(0, 1):
        n.value = n.add("MaxPool", n.value, **how)
    else:
        n.value = n.add("AveragePool", n.value, count_include_pad=n.draw(0, 1), **how)


def _padded(n: Network) -> None:
    before, after = n.draw(0, 4), n.draw(0, 4)
    counts = [0, 0, before, 0, 0, after] if n.rank == 3 else [0, 0, before, 1, 0, 0, after, 0]
    mode = n.one_of("constant", "reflect", "edge")
    n.value = n.add("Pad", n.value, n.numbers(*counts), mode=mode)
    if n.rank == 4:
        n.value = n.add("Slice", n.value, n.numbers(1), n.numbers(2**62), n.numbers(3))


def _cut(n: Network) -> None:
    begin, end = n.draw(0, 3), n.draw(0, 4)
    n.value = n.add("Slice", n.value, n.numbers(begin), n.numbers(-end if end else 2**62), n.numbers(2))


def _every(n: Network) -> None:
    """Each second or third element."""
    step = n.draw(2, 3)
    n.value = n.add("Slice", n.value, n.numbers(n.draw(0, 3)), n.numbers(2**62), n.numbers(2), n.numbers(step))


def _squares(n: Network) -> None:
    """Channels become rows and columns."""
    if n.rank == 3:
        return
    y = n.conv(n.value, n.channels, 4, 1, pads=(0, 0))
    y = n.add("DepthToSpace", y, blocksize=2)
    n.value = n.add("Slice", y, n.numbers(0), n.numbers(7), n.numbers(3))
    n.channels = 1


def _beside(n: Network) -> None:
    """Constants before the first element, behind the last, or both; for a batch of 1."""
    shape = [1, n.channels, n.draw(1, 4)] + ([7] if n.rank == 4 else [])
    where = n.draw(0, 2)
    parts = [n.weights(*shape)] if where != 1 else []
    parts += [n.value] + ([n.weights(*shape)] if where > 0 else [])
    n.value = n.add("Concat", *parts, axis=2)
    n.batches = 1


def _resized(n: Network) -> None:
    if n.dtype != np.float32:
        return
    scales = [1, 1, n.draw(1, 3)] if n.rank == 3 else [1, 1, n.draw(1, 3), 1]
    mode = n.one_of("nearest", "linear") if n.rank == 3 else n.one_of("nearest", "linear", "cubic")
    how: dict[str, Any] = {"nearest_mode": n.one_of("floor", "round_prefer_floor", "ceil")} if mode == "nearest" else {}
    how["coordinate_transformation_mode"] = n.one_of("half_pixel", "asymmetric", "pytorch_half_pixel")
    n.value = n.add("Resize", n.value, "", n.constant(np.array(scales, np.float32)), mode=mode, **how)


def _recurrent(n: Network) -> None:
    if n.rank == 4:
        return
    hidden, op = n.draw(1, 5), n.one_of("LSTM", "GRU", "RNN")
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    inputs = [n.add("Transpose", n.value, perm=[2, 0, 1]), n.weights(1, gates * hidden, n.channels, scale=0.5)]
    inputs.append(n.weights(1, gates * hidden, hidden, scale=0.5))
    inputs.append(n.weights(1, 2 * gates * hidden) if n.draw(0, 1) else "")
    kind = n.draw(0, 2)
    if kind > 0:  # a constant state, or zeros for the batch as exporters write them
        state = n.weights(1, 1, hidden)
        if kind == 2:
            shape = n.add("Shape", inputs[0], start=1, end=2)
            dims = n.add("Concat", n.numbers(1), shape, n.numbers(hidden), axis=0)
            state = n.add("ConstantOfShape", dims, value=numpy_helper.from_array(np.zeros(1, n.dtype)))
        inputs += ["", state] + ([state] if op == "LSTM" else [])
    how = {"linear_before_reset": n.draw(0, 1)} if op == "GRU" else {}
    y = n.add("Squeeze", n.add(op, *inputs, hidden_size=hidden, **how), n.numbers(1))
    n.value, n.channels = n.add("Transpose", y, perm=[1, 2, 0]), hidden


def _last_state(n: Network) -> None:
    """A result that comes at the end: the last state, or the last element."""
    if n.rank == 4:
        return
    if n.draw(0, 1):
        element = n.add("Gather", n.value, n.constant(np.array(-1, np.int64)), axis=2)
    else:
        x = n.add("Transpose", n.value, perm=[2, 0, 1])
        w = [n.weights(1, 9, n.channels), n.weights(1, 9, 3)]
        element = n.add("Squeeze", n.add("GRU", x, *w, hidden_size=3, outputs=2)[1], n.numbers(0))
    n.ends.append(n.add("Tanh", element))


def _matrix(n: Network) -> None:
    if n.rank == 4:
        return
    to = n.draw(1, 8)
    y = n.add("MatMul", n.add("Transpose", n.value, perm=[0, 2, 1]), n.weights(n.channels, to, scale=0.5))
    y = n.add("Add", y, n.weights(to))
    if n.draw(0, 2) == 0:
        y = n.add("Softmax", y, axis=-1)
    if n.draw(0, 1):
        y = n.add("LayerNormalization", y, n.weights(to), n.weights(to), axis=-1)
    n.value, n.channels = n.add("Transpose", y, perm=[0, 2, 1]), to


def _summed(n: Network) -> None:
    n.value = n.add("CumSum", n.value, n.constant(np.array(2, np.int64)))


def _up_and_down(n: Network) -> None:
    if n.rank == 4:
        return
    factor = n.draw(2, 3)
    w = n.weights(n.channels, n.channels, factor, scale=0.5)
    up = n.same(n.add("ConvTranspose", n.value, w, strides=[factor]), 3)
    down = n.conv(up, n.channels, n.channels, factor, stride=factor, pads=(0, 0))
    n.value = n.add("Add", n.value, down)


def _mean(n: Network) -> None:
    n.value = n.add("Mul", n.value, n.add("Sigmoid", n.add("ReduceMean", n.value, n.numbers(1), keepdims=1)))


def _normalised(n: Network) -> None:
    c = n.channels
    variance = n.constant(np.abs(n.generator.normal(size=c)).astype(n.dtype))
    n.value = n.add("BatchNormalization", n.value, n.weights(c), n.weights(c), n.weights(c), variance)


def _shuffled(n: Network) -> None:
    if n.channels % 2 or n.rank == 4:
        return
    y = n.add("Reshape", n.value, n.numbers(0, 2, n.channels // 2, -1))
    y = n.add("Transpose", y, perm=[0, 2, 1, 3])
    n.value = n.add("Reshape", y, n.numbers(0, n.channels, -1))


def _conditioned(n: Network) -> None:
    """A term that is the same in each run: of an input that is no chunk, spread over the axis or not."""
    name = f"s{len(n.inputs)}"
    dims = [1, n.channels, 1] + ([1] if n.rank == 4 else [])
    n.inputs.append(helper.make_tensor_value_info(name, DTYPES[n.dtype], dims))
    n.feeds[name] = n.generator.normal(size=dims).astype(n.dtype)
    term = n.add("Exp", name)
    if n.draw(0, 1):
        term = n.add("Expand", term, n.add("Shape", n.value))
        if n.draw(0, 1) and n.channels < 8:
            n.value = n.add("Concat", n.value, term, axis=1)
            n.channels *= 2
            return
    n.value = n.add("Add", n.value, term)


LAYERS: list[Callable[[Network], None]] = [
    _function, _same, _same, _strided, _residual, _residual, _branches, _gated, _transposed, _pooled, _padded, _cut, _every, _beside,
    _resized, _squares,
    _recurrent, _recurrent, _last_state, _matrix, _summed, _up_and_down, _mean, _normalised, _shuffled, _conditioned,
]  # fmt: skip


def bits(a: Array) -> Array:
    return a.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[a.itemsize])


def same_bits(a: Array, b: Array) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((bits(a) == bits(b)) | (np.isnan(a) & np.isnan(b))).all())


def chunk_lengths(generator: np.random.Generator, length: int, most: int | None) -> list[int]:
    """One of many ways to cut a sequence: single elements, empty chunks, primes, much at once."""
    way = int(generator.integers(6))
    lengths: list[int] = []
    left = length
    while left > 0 or not lengths:
        n = int([int(generator.integers(0, 4)), 1, int(generator.integers(0, length + 1)), 7, 61, 13][way])
        n = min(n, left, left if most is None else most)
        lengths.append(n)
        left -= n
    return lengths


def compare(
    session: anydim.InferenceSession, stream: anydim.Streaming, feeds: dict[str, Array], lengths: list[int], last: bool
) -> str:
    """Computes x by these chunks and as a whole; what differs, or nothing. `last`: with the last chunk, not with finish()."""
    x = feeds["x"]
    try:
        whole: Any = session.run(None, feeds)
    except anydim.Error as e:
        whole = e
    stream.reset()
    got: list[list[Any]] = []
    others = {name: a for name, a in feeds.items() if name != "x"}
    at = 0
    try:
        for i, n in enumerate(lengths):
            chunk = {"x": x[:, :, at : at + n], **(others if i == 0 else {})}
            got.append(stream.push(chunk, last=last and i + 1 == len(lengths)))
            at += n
        if not last:
            got.append(stream.finish())
    except anydim.Error as e:
        return "" if isinstance(whole, anydim.Error) else f"the stream fails and the whole does not: {e}"
    if isinstance(whole, anydim.Error):
        return ""  # what the whole refuses may have had results before its end
    for k, (name, axis) in enumerate(stream.axes.items()):
        made = got[-1][k] if axis is None else np.concatenate([g[k] for g in got], axis=axis)
        if not same_bits(made, whole[k]):
            return f"output {name} of {len(x)} x {x.shape[2]} by {lengths}: {made.shape} and {whole[k].shape} of the whole differ"
    return ""


def check(seed: int, cuts: int = 4) -> str:
    """A network: "ok", or "refused" and why. Fails with what differs."""
    generator = np.random.default_rng(seed)
    rank = 4 if generator.integers(4) == 0 else 3
    dtype = [np.float32, np.float32, np.float32, np.float32, np.float64, np.float16][int(generator.integers(6))]
    n = Network(generator, rank, dtype)
    values = []
    for _ in range(n.draw(1, 8)):
        n.one_of(*LAYERS)(n)
        values.append(n.value)
    if n.value == "x":
        _same(n)
    outputs = [n.value]
    if n.draw(0, 2) == 0:
        outputs.append(n.one_of(*values))
    outputs = [o for o in dict.fromkeys(outputs + n.ends) if o != "x"]
    most = [None, None, n.draw(1, 20)][n.draw(0, 2)]
    try:
        session = anydim.InferenceSession(
            n.model(outputs), streaming={"x": 2}, streaming_chunk=most, threads=n.draw(1, 2)
        )
    except anydim.Error as e:
        if REFUSED in str(e):
            return f"refused: {e}"
        raise
    stream = session.streaming()
    batch = n.draw(1, n.batches)
    for _ in range(cuts):
        length = [n.draw(0, 8), n.draw(1, 60), n.draw(40, 400)][n.draw(0, 2)]
        x = generator.normal(size=(batch, n.first_channels, length) + ((7,) if rank == 4 else ())).astype(dtype)
        lengths = chunk_lengths(generator, length, most)
        wrong = compare(session, stream, {"x": x, **n.feeds}, lengths, bool(n.draw(0, 1)))
        assert not wrong, f"seed {seed}: {wrong}; {[node.op_type for node in n.nodes]}"
    return "ok"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--graphs", type=int, default=200)
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(2**31)
    print(f"seed {seed}")
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    failed = 0
    for i in range(args.graphs):
        try:
            verdict, _, why = check(seed + i).partition(": ")
            counts[verdict] += 1
            reasons.update(part.partition("' ")[2][:100] for part in why.partition(REFUSED)[2].split(";") if part)
        except Exception as e:
            failed += 1
            print(f"FAILED {seed + i}: {type(e).__name__}: {str(e)[:700]}", file=sys.stderr)
    print(dict(counts), f"{failed} failed")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("ANYDIM_CACHE_DIR", "/dev/null")
    sys.exit(main())
