# SPDX-License-Identifier: Apache-2.0
"""The demo's second half: how long the first call at each new shape takes beside later calls at it, on Anydim, ONNX
Runtime and OpenVINO, as a table and as a plot. The measuring is the benchmark's (bench/); this file shows it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

import matplotlib

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from speed import split  # noqa: E402
from streams import Shape, shapes, visits, warmup  # noqa: E402
from worker import Task, measure  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

MODELS = ("det", "rec", "yolo")
ENGINES = ("anydim", "onnxruntime", "openvino")
LOOKS = {"anydim": ("tab:red", "o"), "onnxruntime": ("tab:blue", "s"), "openvino": ("tab:green", "^")}


@dataclass(frozen=True)
class Curve:
    """One engine on one model: per shape, the first call and the median of the later ones, in ms."""

    model: str
    engine: str
    shapes: list[Shape]
    first: list[float]
    later: list[float]


def measure_curves(folder: Path, seed: int, threads: int, count: int, rounds: int) -> list[Curve]:
    curves = []
    for model in MODELS:
        stream = shapes(model, "mixed", seed, count)
        calls = visits(len(stream), later=3)
        samples: dict[str, list[list[float]]] = {engine: [] for engine in ENGINES}
        for turn in range(rounds):
            for engine in ENGINES[turn % 3 :] + ENGINES[: turn % 3]:
                task = Task(engine, str(folder / f"{model}.onnx"), threads, warmup(model), stream, calls)
                samples[engine].append(measure(task).call_ms)
                print(f"  {model}: {engine}, process {turn + 1} of {rounds}", flush=True)
        for engine in ENGINES:
            runs = [split(calls, times) for times in samples[engine]]
            first = [median(run[0][i] for run in runs) for i in range(len(stream))]
            later = [median(ms for run in runs for ms in run[1][i]) for i in range(len(stream))]
            curves.append(Curve(model, engine, stream, first, later))
    return curves


def size(shape: Shape) -> str:
    return f"{shape[2]}x{shape[3]}"


def print_tables(curves: list[Curve]) -> None:
    for model in MODELS:
        mine = [curve for curve in curves if curve.model == model]
        print(f"\n{model}: first call at a new shape / later calls at it, ms")
        print(f"  {'shape':<9}" + "".join(f"{curve.engine:>22}" for curve in mine))
        for i, shape in enumerate(mine[0].shapes):
            cells = "".join(f"{curve.first[i]:>13.1f} /{curve.later[i]:>7.1f}" for curve in mine)
            print(f"  {size(shape):<9}{cells}")
        ratios = "".join(
            f"{geometric_mean(f / s for f, s in zip(curve.first, curve.later, strict=True)):>22.2f}" for curve in mine
        )
        print(f"  {'ratio':<9}{ratios}   (geometric mean of first / later)")
        sums = "".join(f"{sum(curve.first):>13.0f} /{sum(curve.later):>7.0f}" for curve in mine)
        print(f"  {'sum':<9}{sums}")


def plot(curves: list[Curve], path: Path, caption: str) -> None:
    figure, panels = plt.subplots(1, len(MODELS), figsize=(6 * len(MODELS), 5.2))
    for panel, model in zip(panels, MODELS, strict=True):
        for curve in (c for c in curves if c.model == model):
            colour, marker = LOOKS[curve.engine]
            x = range(len(curve.shapes))
            panel.plot(x, curve.first, color=colour, marker=marker, label=f"{curve.engine}, first call")
            panel.plot(x, curve.later, color=colour, linestyle=":", label=f"{curve.engine}, later calls")
        panel.set_xticks(range(len(curve.shapes)), [size(s) for s in curve.shapes], rotation=60)
        panel.set_ylim(bottom=0)
        panel.set_title(model)
        panel.set_xlabel("new shape, in the order met")
        panel.set_ylabel("ms a call")
        panel.grid(alpha=0.3)
    panels[0].legend(fontsize=8)
    figure.suptitle(caption)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
