# SPDX-License-Identifier: Apache-2.0
"""The measurements of bench/edge_layouts.py: one network at a time, by callers of both kinds."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import onnx
from edge_networks import NETWORKS
from onnx import TensorProto, helper

LAST = (0, 2, 3, 1)


def stored(x: np.ndarray) -> np.ndarray:
    """Channels last, if it is an image."""
    return np.ascontiguousarray(x.transpose(LAST)).transpose(np.argsort(LAST)) if x.ndim == 4 else x


def fuser() -> onnx.ModelProto:
    """nvFuser's issue 1567: scale and bias of a channel, Relu, a cast, and the mask of what is positive."""
    nodes = [
        helper.make_node("Mul", ["x", "s"], ["t0"]),
        helper.make_node("Add", ["t0", "b"], ["t1"]),
        helper.make_node("Relu", ["t1"], ["t2"]),
        helper.make_node("Cast", ["t2"], ["t3"], to=TensorProto.FLOAT16),
        helper.make_node("Constant", [], ["zero"], value_float=0.0),
        helper.make_node("Greater", ["t1", "zero"], ["t4"]),
    ]
    inputs = {"x": ["n", "c", "h", "w"], "s": [1, "c", 1, 1], "b": [1, "c", 1, 1]}
    graph = helper.make_graph(
        nodes,
        "fuser",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in inputs.items()],
        [
            helper.make_tensor_value_info("t3", TensorProto.FLOAT16, None),
            helper.make_tensor_value_info("t4", TensorProto.BOOL, None),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def edge_bytes(session: Any) -> int:
    """Of the last run: moved by steps at an input or output that do nothing else."""
    explained = session.explain()
    nodes = explained["nodes"]
    moved = sum(n.get("layout_bytes", 0) for n in nodes)
    edges = sum(
        n["layout_bytes"]
        for n in nodes
        if "layout_bytes" in n and any(o["place"].startswith(("input", "output")) for o in n["inputs"] + n["outputs"])
    )
    return int(explained["layout_bytes"] - moved + edges)


def seconds(session: Any, feeds: dict[str, np.ndarray], repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        session.run(None, feeds)
    return (time.perf_counter() - begin) / repeats


def measure(session: Any, feeds: dict[str, np.ndarray], rounds: int) -> dict[str, Any]:
    images = {name: stored(x) for name, x in feeds.items()}
    expected = session.run(None, feeds)
    row_bytes = edge_bytes(session)
    found = session.run(None, images)
    last_bytes = edge_bytes(session)
    same = all(a.tobytes() == b.tobytes() for a, b in zip(expected, found, strict=True))
    contiguous = all(stored(y).strides == y.strides for y in found if y.ndim == 4)
    repeats = max(1, int(0.004 / max(seconds(session, feeds, 2), 1e-6)))
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        times.append((seconds(session, feeds, repeats), seconds(session, images, repeats)))
    return {
        "rows_us": statistics.median(a for a, _ in times) * 1e6,
        "last_us": statistics.median(b for _, b in times) * 1e6,
        "ratio": statistics.median(a / b for a, b in times),
        "row_edge_bytes": row_bytes,
        "last_edge_bytes": last_bytes,
        "same_bits": same,
        "channels_last_out": contiguous,
    }


def sized(name: str, feeds: dict[str, np.ndarray], size: int) -> dict[str, np.ndarray]:
    """Of the neck the upper map is twice as large as the lower one."""
    if name == "neck":
        feeds["high"] = np.random.default_rng(size).uniform(-1, 1, (1, 48, 2 * size, 2 * size)).astype(np.float32)
        feeds["low"] = feeds["low"][:1]
        return feeds
    return {key: x[:1] for key, x in feeds.items()}


def measure_all(only: list[str] | None, rounds: int, threads: int, output: Path | None) -> None:
    results: list[dict[str, Any]] = []

    def tell(name: str, size: int, row: dict[str, Any]) -> None:
        results.append({"network": name, "size": size, **row})
        print(
            f"{name:18} {size:4} {row['rows_us']:9.1f} {row['last_us']:9.1f} us  rows/last {row['ratio']:5.2f}  "
            f"edge bytes {row['row_edge_bytes']:9} {row['last_edge_bytes']:9}  "
            f"{'same bits' if row['same_bits'] else 'OTHER BITS'}{'' if row['channels_last_out'] else ', not channels last'}",
            flush=True,
        )

    with tempfile.TemporaryDirectory() as folder:
        for name, made in NETWORKS.items():
            if only and name not in only:
                continue
            path = Path(folder) / f"{name}.onnx"
            made.save(path)
            session = anydim.InferenceSession(path, threads=threads, contexts=1)
            for size in made.sizes:
                feeds = sized(name, made.feeds(size), size)
                tell(name, size, measure(session, feeds, rounds))
        if not only or "nvFuser" in only:
            session = anydim.InferenceSession(fuser(), threads=threads, contexts=1)
            generator = np.random.default_rng(1)
            feeds = {"x": generator.normal(size=(4, 1024, 25, 25)).astype(np.float32)}
            feeds |= {key: generator.normal(size=(1, 1024, 1, 1)).astype(np.float32) for key in "sb"}
            tell("nvFuser", 25, measure(session, feeds, rounds))
    ratios = [row["ratio"] for row in results]
    print(f"geometric mean of rows/last {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.2f}")
    if output:
        output.write_text(json.dumps({"anydim": anydim.__version__, "threads": threads, "rows": results}, indent=1))
