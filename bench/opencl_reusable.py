# SPDX-License-Identifier: Apache-2.0
"""How far programs for all shapes are from the best that measuring finds on an OpenCL driver (docs/opencl.md, Programs for single calls):
for the 24 convolutions and products of products_bench.cpp, and the distinct convolutions and products of cls, rec and det at one shape.

  bench/opencl_reusable.py --cache FOLDER     a table, and how many layers' reusable programs are within 10 % of the best found
  --driver intel, --layers products,cls       another driver than PoCL; some of the layers only

Each layer's candidates are the programs that `specialised` would make; the reusable program and they are timed alternately, a millisecond's
launches each, and the least of three counts for each; on a busy machine take more `--rounds`, and one core. Calls of less than 20 us have no
candidates and are counted by themselves. Compiling takes minutes: PoCL keeps what it compiled in FOLDER, so that a second run, on a quiet
machine, takes seconds. A layer for which there was no time (a minute a network) is compiled by the next run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "opencl"))
from drivers import DRIVERS, Driver  # noqa: E402

NETWORKS = {"cls": "1,3,48,192", "rec": "1,3,48,320", "det": "1,3,320,320"}
# As in core/engines/opencl/kernels/products_bench.cpp. Of a convolution: side of the window, stride, height, width, channels in and out.
CONVOLUTIONS = [
    (3, 1, 80, 80, 64, 64),
    (3, 1, 40, 40, 128, 128),
    (3, 1, 20, 20, 256, 256),
    (3, 1, 7, 7, 512, 512),
    (3, 1, 79, 79, 64, 64),
    (3, 1, 80, 80, 96, 24),
    (3, 1, 160, 160, 24, 24),
    (3, 2, 160, 160, 16, 32),
    (3, 2, 80, 80, 32, 64),
    (3, 2, 320, 320, 3, 16),
    (1, 1, 14, 14, 256, 1024),
    (1, 1, 7, 7, 2048, 512),
    (1, 1, 40, 80, 96, 96),
    (1, 1, 6, 80, 480, 480),
    (1, 1, 12, 40, 240, 240),
    (1, 1, 160, 160, 16, 32),
]
# Rows, length of the sum, columns, and whether the second matrix is constant.
PRODUCTS = [
    (256, 256, 256, True),
    (1024, 1024, 1024, True),
    (33, 768, 3072, True),
    (100, 768, 3072, True),
    (384, 3072, 768, True),
    (40, 120, 6625, True),
    (256, 256, 256, False),
    (100, 768, 3072, False),
]
WITHIN = 1.1


def model_of(
    op: str, dims: list[Any], constants: dict[str, tuple[int, ...]], given: dict[str, list[int]], **attributes: Any
) -> bytes:
    import numpy as np
    import onnx
    from onnx import helper

    draws = np.random.default_rng(1)
    values = {name: draws.uniform(-1, 1, shape).astype(np.float32) for name, shape in constants.items()}
    inputs = {"x": dims, **given}
    graph = helper.make_graph(
        [helper.make_node(op, [*inputs, *constants], ["y"], **attributes)],
        op,
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def layers_of_the_bench() -> list[tuple[str, bytes, dict[str, list[int]]]]:
    """Name, model with dims at run time, and the dims to measure at."""
    layers = []
    for side, stride, height, width, before, after in CONVOLUTIONS:
        constants = {"w": (after, before, side, side), "b": (after,)}
        pads = [side // 2] * 4
        layers.append((
            f"conv {side}x{side}/{stride} {height}x{width} {before}-{after}",
            model_of("Conv", ["n", before, "h", "w_"], constants, {}, pads=pads, strides=[stride] * 2),
            {"x": [1, before, height, width]},
        ))  # fmt: skip
    for rows, length, columns, constant in PRODUCTS:
        second = [length, columns]
        constants, given = ({"w": tuple(second)}, {}) if constant else ({}, {"w": second})
        layers.append((
            f"matmul{'' if constant else ' given'} {rows}x{length}x{columns}",
            model_of("MatMul", ["n", length], constants, given),
            {"x": [rows, length], **given},
        ))  # fmt: skip
    return layers


def problems(session: Any, shape: dict[str, list[int]]) -> set[str]:
    """Names of the nodes without those that are the same problem as an earlier one."""
    import numpy as np

    session.run(None, {name: np.zeros(dims, np.float32) for name, dims in shape.items()})
    first: dict[str, str] = {}
    for node in session.explain()["nodes"]:
        tensors = [(t["dims"], t["strides"]) for t in node["inputs"] + node["post_inputs"] + node["outputs"]]
        first.setdefault(str((node["operator"], node["post_ops"], tensors)), node["name"])
    return set(first.values())


def tuned(session: Any, shape: dict[str, list[int]]) -> list[dict[str, Any]]:
    names = problems(session, shape)
    return [node for node in session.tune([shape], record=False, again=True)[0]["nodes"] if node["name"] in names]


def child(what: str) -> None:
    """Prints what one process measured, as JSON."""
    import anydim

    engine = anydim.Engine("opencl")
    found = []
    if what in NETWORKS:
        session = anydim.InferenceSession(str(ROOT / "build" / "models" / f"{what}.onnx"), engines=[engine])
        dims = [int(n) for n in NETWORKS[what].split(",")]
        found = tuned(session, {session.get_inputs()[0].name: dims})
    else:
        for name, model, shape in layers_of_the_bench():
            nodes = tuned(anydim.InferenceSession(model, engines=[engine]), shape)
            found += [node | {"name": name} for node in nodes]
    print(json.dumps(found))


def measured(driver: Driver, what: str, cores: int) -> list[dict[str, Any]]:
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))
    command = ["taskset", "-c", processors, sys.executable, __file__, "--child", what]
    environment = driver.environment(POCL_MAX_PTHREAD_COUNT=str(cores))  # it counts cores that the process may not use
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{what}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def tell(driver: Driver, what: str, cores: int, rounds: int) -> tuple[int, int]:
    """How many layers are near the best, and of how many."""
    layers: dict[str, list[dict[str, Any]]] = {}
    for _ in range(rounds):
        for node in measured(driver, what, cores):
            layers.setdefault(node["name"], []).append(node)
    all_ratios, short, late = [], 0, 0
    for name, nodes in layers.items():
        with_programs = [node for node in nodes if node["candidates"] > 0]
        if 2 * len(with_programs) <= len(nodes):
            late += any(node["reusable_us"] == 0 for node in nodes)
            short += all(node["reusable_us"] > 0 for node in nodes)
            continue
        reusable = min(node["reusable_us"] for node in with_programs)
        best = min(node["reusable_us"] * node["best_seen"] for node in with_programs)
        all_ratios.append(max(1.0, reusable / best))
        replaced = sum(node["replaced"] for node in with_programs)
        print(
            f"{what:<10}{name[:40]:<42}{reusable:>9.1f} us  reusable / best {all_ratios[-1]:.3f}, replaced in {replaced} of "
            f"{len(with_programs)}"
        )
    near = sum(ratio <= WITHIN for ratio in all_ratios)
    mean = math.exp(sum(map(math.log, all_ratios)) / max(1, len(all_ratios)))
    print(
        f"{what}: {near} of {len(all_ratios)} within 10 % of the best found, geometric mean {mean:.3f}; not counted: {short} without "
        f"programs of their own, {late} for which there was no time",
        flush=True,
    )
    return near, len(all_ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=sorted(DRIVERS), default="pocl")
    parser.add_argument("--layers", default=",".join(["products", *NETWORKS]))
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1, help="a process each; the least of each time counts")
    parser.add_argument("--cache", type=Path, help="a folder for what is compiled, which later runs find again")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    about = machine.describe()
    print(
        f"bench: {about['cpu']['model']}, {about['cpu']['cores']} cores, commit {about['commit']}, load {about['load']:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        driver = DRIVERS[options.driver](Path(folder))
        if driver is None:
            raise SystemExit(f"{options.driver}: not on this machine")
        if options.cache:
            driver = replace(driver, folder=options.cache.resolve())
        counts = [tell(driver, what, options.cores, options.rounds) for what in options.layers.split(",")]
        near, all_layers = map(sum, zip(*counts, strict=True))
        print(f"{near} of {all_layers} within 10 % of the best found: {100 * near / max(1, all_layers):.1f} %")


if __name__ == "__main__":
    main()
