# SPDX-License-Identifier: Apache-2.0
"""Where the first call of a small network loses its time: first calls at new shapes beside later ones, and beside later ones before which
all caches were filled with something else.

  bench/cold_calls.py [--sessions 8] [--threads 1 2]

A later call that finds nothing in the caches binds no shape and gets no memory. As far as a first call takes no longer than that, its time
goes into fetching weights, plans and code, not into binding or page faults.
"""

from __future__ import annotations

import argparse
import gc
import time
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # they come with .venv; --help does without
    import numpy as np
    from anydim import InferenceSession

EVICTED = 24 << 20  # bytes, more than the caches have


@dataclass
class Network:
    name: str
    model: bytes
    shapes: list[tuple[int, ...]]


@dataclass
class Nodes:
    """A chain of nodes in the making."""

    random: np.random.Generator
    nodes: list[Any] = field(default_factory=list)
    weights: list[Any] = field(default_factory=list)
    last: str = "x"

    def weight(self, *dims: int) -> str:
        from onnx import numpy_helper

        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(self.random.normal(0, 0.1, dims).astype("f"), name))
        return name

    def add(self, kind: str, *weights: str, **attributes: object) -> None:
        from onnx import helper

        name = f"y{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *weights], [name], **attributes))
        self.last = name

    def model(self, dims: list[int | str], out: list[int | str]) -> bytes:
        from onnx import TensorProto, helper

        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)
        y = helper.make_tensor_value_info(self.last, TensorProto.FLOAT, out)
        graph = helper.make_graph(self.nodes, "small", [x], [y], self.weights)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return bytes(made.SerializeToString())


def rows(random: np.random.Generator) -> Network:
    n = Nodes(random)
    for inputs, outputs in ((48, 64), (64, 64), (64, 12)):
        n.add("Gemm", n.weight(inputs, outputs), n.weight(outputs))
        n.add("Tanh")
    return Network(
        "three products", n.model(["n", 48], ["n", 12]), [(k, 48) for k in (40, 1, 3, 5, 9, 17, 33, 2, 4, 7, 11, 23)]
    )


def images(random: np.random.Generator) -> Network:
    n = Nodes(random)
    inputs, channels = 3, 24
    for layer in range(20):
        kernel, stride = 3 if layer % 3 == 0 else 1, 2 if layer in (0, 3) else 1
        weights = n.weight(channels, inputs, kernel, kernel), n.weight(channels)
        n.add("Conv", *weights, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4, strides=[stride] * 2)
        n.add("Relu")
        inputs = channels
    n.add("GlobalAveragePool")
    sizes = ((32, 32), (24, 24), (28, 36), (32, 24), (40, 20), (20, 44), (36, 36), (28, 24), (16, 40), (44, 28))
    return Network("twenty layers", n.model([1, 3, "h", "w"], [1, channels, 1, 1]), [(1, 3, h, w) for h, w in sizes])


def measure(network: Network, threads: int, random: np.random.Generator) -> tuple[float, float, float]:
    """Microseconds of a first call, a later one, and a later one with other things in the caches; means over the shapes."""
    import anydim
    import numpy as np

    session: InferenceSession = anydim.InferenceSession(network.model, threads=threads)
    other = np.zeros(EVICTED, np.uint8)

    def call(x: np.ndarray) -> float:
        x = x.copy()  # as an application that has just written it
        begin = time.perf_counter_ns()
        session.run(None, {"x": x})
        return (time.perf_counter_ns() - begin) / 1e3

    for _ in range(2):
        call(np.ones(network.shapes[0], np.float32))
    sums = [0.0, 0.0, 0.0]
    gc.disable()
    for shape in network.shapes[1:]:
        x = random.normal(size=shape).astype(np.float32)
        sums[0] += call(x)
        sums[1] += median(call(x) for _ in range(15))
        cold = []
        for _ in range(5):
            other += 1
            cold.append(call(x))
        sums[2] += median(cold)
    gc.enable()
    return sums[0] / (len(network.shapes) - 1), sums[1] / (len(network.shapes) - 1), sums[2] / (len(network.shapes) - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=8, help="medians of so many sessions")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    import numpy as np

    random = np.random.default_rng(0)
    print(f"{'us a call':16}{'threads':>8}{'first':>8}{'later':>8}{'later, cold caches':>20}")
    for network in (rows(random), images(random)):
        for threads in options.threads:
            runs = [measure(network, threads, random) for _ in range(options.sessions)]
            first, later, cold = (median(times) for times in zip(*runs, strict=True))
            print(f"{network.name:16}{threads:8}{first:8.1f}{later:8.1f}{cold:20.1f}", flush=True)


if __name__ == "__main__":
    main()
