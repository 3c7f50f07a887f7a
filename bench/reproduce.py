# SPDX-License-Identifier: Apache-2.0
"""The figures that the discussion of reusable kernels asks for (oneDNN's RFC of a hint for reusable kernels, pull request 1743), measured
here: writes docs/reproductions.md.

  static     kernels with dims of a run everywhere, where shapes never change: what do they cost beside plans measured for the
             shape, and beside the engines that compile for it? ResNet-50 and Stable Diffusion's blocks
  changing   first calls at new shapes, where shapes change: HiFi-GAN, products of a language model
  creation   making a primitive: cache misses and hits, beside oneDNN; a process's first result on an OpenCL device with an empty
             persistent cache and with a full one
  plans      for how many layers is the reusable plan within 10 % of the best one that measuring finds?

  bench/reproduce.py                          all of them, then the page: 15 minutes on a quiet machine
  bench/reproduce.py static --rounds 5        one of them; the page keeps the others' last figures
  bench/reproduce.py --page                   the page from what was measured before

One thread. Rounds alternate between the engines; medians, and the interval that holds half of the rounds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "reproductions.json"
PAGE = ROOT / "docs" / "reproductions.md"
FOLDER = ROOT / "build" / "reproduced"
ENGINES = ("anydim", "onnxruntime", "openvino")
Row = dict[str, Any]


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def spread(values: list[float]) -> list[float]:
    """Lower quartile, median, upper quartile."""
    if len(values) < 2:
        return values * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, middle, high]


# --- fixed shapes ----------------------------------------------------------------------------------------------------


def measure_static(options: argparse.Namespace) -> list[Row]:
    import anydim
    import numpy as np
    from engines import open_onnxruntime, open_openvino
    from reproduced_networks import STATIC

    rows = []
    for name, network in STATIC.items():
        shape = network.shapes[0]
        dynamic = network.save(FOLDER / f"{name}.onnx")
        fixed = network.save(FOLDER / f"{name}-fixed.onnx", shape)
        x = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
        reusable = anydim.InferenceSession(str(dynamic), threads=1, reuse="reusable")
        measured = anydim.InferenceSession(str(fixed), threads=1, reuse="specialised")
        calls: dict[str, Callable[[], Any]] = {
            "reusable": partial(reusable.run, None, {"x": x}),
            "specialised": partial(measured.run, None, {"x": x}),
            "onnxruntime": partial(open_onnxruntime(fixed, 1).call, x),
            "openvino": partial(open_openvino(fixed, 1).call, x),
        }
        assert all(np.array_equal(a, b) for a, b in zip(calls["reusable"](), calls["specialised"](), strict=True))
        times: dict[str, list[float]] = {who: [] for who in calls}
        for who in calls:
            calls[who]()
        for at in range(options.rounds):
            order = list(calls)
            for who in order[at % len(order) :] + order[: at % len(order)]:
                best = math.inf
                for _ in range(3):
                    begin = time.perf_counter()
                    calls[who]()
                    best = min(best, time.perf_counter() - begin)
                times[who].append(1e3 * best)
        ratios = [a / b for a, b in zip(times["reusable"], times["specialised"], strict=True)]
        faster = [min(pair) for pair in zip(times["onnxruntime"], times["openvino"], strict=True)]
        beside = [a / b for a, b in zip(times["reusable"], faster, strict=True)]
        row: Row = {"what": network.what, "ms": {who: statistics.median(t) for who, t in times.items()}}
        rows.append(row | {"over_specialised": spread(ratios), "over_peer": spread(beside)})
        print(f"static: {network.what}: over the measured plans {statistics.median(ratios):.3f}", flush=True)
    return rows


# --- shapes that change ----------------------------------------------------------------------------------------------


def measure_changing(options: argparse.Namespace) -> list[Row]:
    from reproduced_networks import CHANGING
    from worker import Task, measure

    rows = []
    for name, network in CHANGING.items():
        path = network.save(FOLDER / f"{name}.onnx")
        warmup, shapes = network.shapes[0], list(network.shapes[1:])
        visits = [at for at in range(len(shapes)) for _ in range(5)]  # a first call and four later ones
        runs: dict[str, list[tuple[float, float]]] = {engine: [] for engine in ENGINES}
        for _ in range(max(1, options.rounds // 3)):
            for engine in ENGINES:
                calls = measure(Task(engine, str(path), 1, warmup, shapes, visits)).call_ms
                groups = [calls[at : at + 5] for at in range(0, len(calls), 5)]
                runs[engine].append((sum(g[0] for g in groups), sum(statistics.median(g[1:]) for g in groups)))
        row: Row = {"what": network.what, "shapes": len(shapes), "first": {}, "later": {}}
        for engine, found in runs.items():
            row["first"][engine] = statistics.median(first for first, _ in found)
            row["later"][engine] = statistics.median(later for _, later in found)
        rows.append(row)
        print(f"changing: {network.what}: first {row['first']}, later {row['later']}", flush=True)
    return rows


# --- creation --------------------------------------------------------------------------------------------------------

COLD = """
import sys, time
begin = time.perf_counter()
import numpy as np, anydim
session = anydim.InferenceSession(sys.argv[1], engines=["opencl", "cpu"], threads=1)
session.run(None, {session.get_inputs()[0].name: np.ones((1, 3, 48, 192), np.float32)})
loaded = time.perf_counter() - begin
session.close() if hasattr(session, "close") else None
print(loaded)
"""


def first_result(model: Path, folder: Path) -> float | None:
    """Seconds from the start of a process to its first result on the first OpenCL device; None where there is no driver."""
    caches = {name: str(folder / name) for name in ("ANYDIM_CACHE_DIR", "POCL_CACHE_DIR", "NEO_CACHE_DIR")}
    for path in caches.values():
        Path(path).mkdir(exist_ok=True)
    command = [sys.executable, "-c", COLD, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | caches)
    if done.returncode != 0:
        print(f"creation: no OpenCL device: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return float(done.stdout.split()[-1])


def measure_creation(options: argparse.Namespace) -> Row:
    import creation

    with tempfile.TemporaryDirectory() as folder:
        peer = creation.peer(Path(folder))
        programs = [creation.PROGRAM] + ([peer] if peer else [])
        rounds = [[creation.measure(program) for program in programs] for _ in range(3)]
        rows = [row for measured in zip(*rounds, strict=True) for row in creation.best(list(measured))]
    with tempfile.TemporaryDirectory() as folder:
        model = ROOT / "build" / "models" / "cls.onnx"
        cold = first_result(model, Path(folder))
        warm = min(first_result(model, Path(folder)) or math.inf for _ in range(3)) if cold is not None else None
    return {"rows": rows, "cold_s": cold, "warm_s": warm}


# --- plans -----------------------------------------------------------------------------------------------------------


def measure_plans(options: argparse.Namespace) -> Row:
    import tuning

    asked = SimpleNamespace(shapes=1 if options.rounds < 5 else 2, node_ms=2000, folder=ROOT / "build" / "models")
    layers = [layer for model in tuning.SHAPES for layer in tuning.measure(model, 1, asked)]
    slower = [tuning.slower(layer) for layer in layers]
    worst = sorted(zip(slower, map(tuning.named, layers), strict=True), reverse=True)[:3]
    within = sum(s <= 1.1 for s in slower)
    return {"layers": len(layers), "within": within, "mean": geometric_mean(slower), "worst": worst}


# --- the page --------------------------------------------------------------------------------------------------------


def told(document: Row, part: str) -> str:
    """When and where a part was measured."""
    host = document[part]["machine"]
    flags = ", ".join(f for f in host["cpu"]["flags"] if f.startswith(("avx512", "amx"))) or "AVX2"
    return (
        f"Measured on {host['when'][:10]} at commit {host['commit']}, {host['cpu']['model']} with {flags}, one thread."
    )


def static_section(document: Row) -> list[str]:
    rows = document["static"]["found"]
    lines = [
        "## Dims of a run everywhere, where shapes never change",
        "",
        "The fear in the discussion: a hint that is set for every layer costs speed in ResNet-50 and Stable Diffusion, "
        "whose shapes are fixed. *Reusable* is a model with dynamic dims under the policy `reusable`; *specialised* is the "
        "same model with fixed dims, whose plans were measured for them. Both give the same bits. ONNX Runtime and OpenVINO "
        "(f32) have the fixed dims.",
        "",
        "| network | reusable, ms | specialised | ONNX Runtime | OpenVINO | reusable / specialised | reusable / faster peer |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ms = " | ".join(f"{row['ms'][who]:.1f}" for who in ("reusable", "specialised", "onnxruntime", "openvino"))
        ours, peer = row["over_specialised"], row["over_peer"]
        lines.append(
            f"| {row['what']} | {ms} | {ours[1]:.3f} ({ours[0]:.3f} to {ours[2]:.3f}) | "
            f"{peer[1]:.3f} ({peer[0]:.3f} to {peer[2]:.3f}) |"
        )
    mean = geometric_mean([row["over_specialised"][1] for row in rows])
    lines += ["", f"In the geometric mean the hint costs {100 * (mean - 1):.1f} %. {told(document, 'static')}"]
    return [*lines, "Command: `.venv/bin/python bench/reproduce.py static`."]


def changing_section(document: Row) -> list[str]:
    lines = [
        "## Where shapes change",
        "",
        "Sums over shapes that the process has not seen before: the first call at each, memory growth included, and the "
        "median of four later calls there.",
        "",
        "| network | | Anydim | ONNX Runtime | OpenVINO |",
        "|---|---|---|---|---|",
    ]
    for row in document["changing"]["found"]:
        for which in ("first", "later"):
            ms = " | ".join(f"{row[which][engine]:.1f}" for engine in ENGINES)
            lines.append(f"| {row['what']}, {row['shapes']} shapes | {which} calls, ms | {ms} |")
        ratio = " | ".join(f"{row['first'][engine] / row['later'][engine]:.2f}" for engine in ENGINES)
        lines.append(f"| | first / later | {ratio} |")
    return [*lines, "", f"{told(document, 'changing')} Command: `.venv/bin/python bench/reproduce.py changing`."]


def creation_section(document: Row) -> list[str]:
    found = document["creation"]["found"]
    lines = [
        "## Making a primitive",
        "",
        "A 3x3 convolution of 64 to 128 channels with bias and relu; weights and descriptors are at hand. *Miss*: its key is "
        "not in the primitive cache; *churn*: the same under the policy `auto`, which keeps what does not depend on dims and "
        "changes the dims; *hit*: it is there. oneDNN refuses dims of a run in convolutions.",
        "",
        "| engine | what | median, us | 99 %, us |",
        "|---|---|---|---|",
    ]
    for row in found["rows"]:
        middle = row.get("p50_us", row.get("hit_p50_us"))
        lines.append(f"| {row['engine']} | {row['what']} | {middle:.2f} | {row['p99_us']:.2f} |")
    if found["cold_s"] is not None:
        lines += [
            "",
            f"A process that runs `cls` on an OpenCL device (PoCL) has its first result after {found['cold_s']:.1f} s with an "
            f"empty persistent cache, and after {found['warm_s']:.2f} s with the programs in it.",
        ]
    return [*lines, "", f"{told(document, 'creation')} Command: `.venv/bin/python bench/reproduce.py creation`."]


def plans_section(document: Row) -> list[str]:
    found = document["plans"]["found"]
    share = 100 * found["within"] / found["layers"]
    worst = "; ".join(f"{name}: {ratio:.2f}" for ratio, name in found["worst"])
    return [
        "## The best plan beside the reusable one",
        "",
        f"Of {found['layers']} layers of det, rec, cls and YOLOv8n that have a choice of plans, the reusable plan takes at most "
        f"1.10 of the best found plan's time in {found['within']} ({share:.1f} %); in the geometric mean it takes "
        f"{found['mean']:.3f}. The largest: {worst}.",
        "",
        f"{told(document, 'plans')} Command: `.venv/bin/python bench/reproduce.py plans`.",
    ]


SECTIONS = {
    "static": static_section,
    "changing": changing_section,
    "creation": creation_section,
    "plans": plans_section,
}
MEASURE = {"static": measure_static, "changing": measure_changing, "creation": measure_creation, "plans": measure_plans}


def write_page(document: Row) -> None:
    head = [
        "# Reproductions",
        "",
        "<!-- Written by bench/reproduce.py. -->",
        "",
        "The questions of oneDNN's proposal of a [hint for reusable kernels](https://github.com/uxlfoundation/oneDNN/pull/1743), "
        "each with a table. `make reproduce` measures all of them. The networks have the named ones' layers and random weights.",
    ]
    blocks = ["\n".join(head)] + ["\n".join(SECTIONS[part](document)) for part in SECTIONS if part in document]
    lines = []
    for line in "\n\n".join(blocks).split("\n"):
        plain = not line.startswith(("|", "#", "<!--")) and len(line) > 120
        lines += textwrap.wrap(line, 120, break_long_words=False, break_on_hyphens=False) if plain else [line]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"reproduce: written to {PAGE.relative_to(ROOT)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(SECTIONS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=9, help="of the alternating measurements (default 9)")
    parser.add_argument("--page", action="store_true", help="measures nothing")
    options = parser.parse_args()
    for part in options.parts:
        if part not in SECTIONS:
            parser.error(f"there is no part {part!r}; expected {', '.join(SECTIONS)}")
    document: Row = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    for part in [] if options.page else options.parts or SECTIONS:
        host = machine.describe()
        print(
            f"reproduce: {part}: {host['cpu']['model']}, {host['cpu']['cores']} cores, load {host['load']:.1f}",
            flush=True,
        )
        document[part] = {"machine": host, "found": MEASURE[part](options)}
        about = {"command": shlex.join(["python3", *sys.argv]), "kind": "reproductions", "machine": host}
        RESULT.write_text(json.dumps(document | about, indent=1) + "\n", encoding="utf-8")
    write_page(document)


if __name__ == "__main__":
    main()
