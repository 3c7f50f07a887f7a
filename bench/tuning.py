# SPDX-License-Identifier: Apache-2.0
"""Is tuning safe, and is it worth anything? Every layer with plans to choose from of the four models, at two shapes each.

A layer is a distinct problem (kernel, operator, post-ops, dims, strides, threads). build/bin/tuning has the background worker
measure each model (policy reusable_first, drained) and then, layer by layer and in paired samples made for the purpose:

  drained    the plan that the worker put in place against the reusable one. A layer whose plan stayed is the reusable plan
             itself, so its ratio is 1 and nothing is measured.
  best       the best plan that measuring with all threads finds, against the reusable one
  planted    a bad default (tiles of one row): whether the tuner leaves it for a plan as good as the reusable one. Only layers
             that it slows by 10 % and more count: at the others there is nothing to recover from.

Results go to bench/results/; bench/check.py holds them against the targets.

  bench/tuning.py                             everything: a few minutes
  bench/tuning.py --models cls --threads 1 --shapes 1
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import machine
import summary

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "bin" / "tuning"
SHAPES = {
    "det": ("1x3x352x480", "1x3x640x640"),
    "rec": ("1x3x48x320", "1x3x48x157"),
    "cls": ("1x3x48x192", "6x3x48x192"),
    "yolo": ("1x3x320x320", "1x3x192x416"),
}
AS_GOOD = 1.05  # a plan that was recovered takes at most so many times the reusable plan's time
Layer = dict[str, Any]


def measure(model: str, threads: int, options: argparse.Namespace) -> list[Layer]:
    shapes = SHAPES[model][: options.shapes]
    command = [PROGRAM, options.folder / f"{model}.onnx", threads, options.node_ms, *shapes]
    with tempfile.TemporaryDirectory() as cache:  # no records of an earlier run, and none left behind
        environment = os.environ | {"ANYDIM_CACHE_DIR": cache, "ANYDIM_WORKER": "on", "ANYDIM_WORKER_SECONDS": "600"}
        done = subprocess.run(
            [str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True, env=environment
        )
    return [{"model": model} | json.loads(line) for line in done.stdout.splitlines()]


def ratio(layer: Layer, which: str) -> float:
    """Time of the plan in question over the reusable plan's; 1 where it is the reusable plan."""
    return layer[which]["ratio"] if which in layer else 1.0


def slower(layer: Layer) -> float:
    """Time of the reusable plan over the best plan's that anything found."""
    return max(1.0, 1 / ratio(layer, "best"), 1 / ratio(layer, "drained"))


def highest(layers: list[Layer]) -> float:
    """The worst upper end of a 95 % interval among plans that the worker put in place; `best` is put in place by no thread."""
    return max((layer["drained"]["high"] for layer in layers if "drained" in layer), default=1.0)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def saved(layers: list[Layer], which: str) -> float:
    """Share of the layers' summed time that the plans in question save, in percent."""
    time = sum(layer["reusable_us"] for layer in layers)
    share: float = 100 * sum(layer["reusable_us"] * (1 - ratio(layer, which)) for layer in layers) / time
    return share


def planted(layers: list[Layer]) -> list[Layer]:
    return [layer for layer in layers if "swapped_back" in layer]


def recovered(layer: Layer) -> bool:
    return bool(layer["swapped_back"]) and float(layer["recovered"]["ratio"]) <= AS_GOOD


def named(layer: Layer) -> str:
    return f"{layer['model']} {layer['name']} at {layer['shape']}, {layer['threads']} thread(s)"


def row_of(layers: list[Layer], what: str) -> dict[str, Any]:
    bad = planted(layers)
    return {
        "what": what,
        "layers": len(layers),
        "drained_swaps": sum("drained" in layer for layer in layers),
        "drained_saved_percent": saved(layers, "drained"),
        "best_swaps": sum("best" in layer for layer in layers),
        "best_saved_percent": saved(layers, "best"),
        "planted": len(bad),
        "recovered": sum(map(recovered, bad)),
    }


def show(rows: list[dict[str, Any]], worst: list[float], means: list[float]) -> None:
    head = f"{'':<32}{'layers':>7}{'drained':>9}{'saved':>8}{'best':>6}{'saved':>8}{'worst upper end':>17}{'reusable/best':>15}"
    print(head + f"{'planted':>9}{'recovered':>11}")
    for row, high, mean in zip(rows, worst, means, strict=True):
        print(
            f"{row['what']:<32}{row['layers']:>7}{row['drained_swaps']:>9}{row['drained_saved_percent']:>6.1f} %{row['best_swaps']:>6}"
            f"{row['best_saved_percent']:>6.1f} %{high:>17.3f}{mean:>15.3f}{row['planted']:>9}{row['recovered']:>11}"
        )


def list_layers(layers: list[Layer]) -> None:
    """The exceptions, by name."""
    unfinished = sum(not layer["complete"] for layer in layers)
    if unfinished:
        print(
            f"at {unfinished} layers --node-ms ended the search for the best plan: the reusable one counts as the best there"
        )
    for layer in layers:
        for which in ("drained", "best"):
            if which in layer and layer[which]["high"] > 1.02:
                low, high = layer[which]["low"], layer[which]["high"]
                print(f"not surely better: {named(layer)}: {which} {ratio(layer, which):.3f} ({low:.3f}..{high:.3f})")
        if slower(layer) > 1.1:
            print(f"reusable is more than 10 % slower than the best: {named(layer)}: {slower(layer):.3f}")
    for layer in planted(layers):
        if not recovered(layer):
            after = f"left it for a plan of {ratio(layer, 'recovered'):.3f}" if layer["swapped_back"] else "kept it"
            print(
                f"not recovered: {named(layer)}: the planted plan takes {ratio(layer, 'planted'):.2f} of the reusable; {after}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=tuple(SHAPES), default=list(SHAPES))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--shapes", type=int, choices=(1, 2), default=2, help="of each model (default 2)")
    parser.add_argument("--node-ms", type=int, default=2000, help="most milliseconds for one search (default 2000)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "models")
    parser.add_argument("--out", type=Path, help="result file; default: a new one in bench/results/")
    options = parser.parse_args()
    host = machine.describe()
    print(f"bench: tuning: {host['cpu']['model']}, {host['cpu']['cores']} cores, load {host['load']:.1f}")
    layers: list[Layer] = []
    rows, worst, means = [], [], []
    for model in options.models:
        for threads in options.threads:
            here = measure(model, threads, options)
            layers += here
            for shape in SHAPES[model][: options.shapes]:
                group = [layer for layer in here if layer["shape"] == shape]
                rows.append(row_of(group, f"{model} {shape}, {threads} thread(s)"))
                worst.append(highest(group))
                means.append(geometric_mean([slower(layer) for layer in group]))
    total = row_of(layers, "all")
    rows.append(total)
    worst.append(highest(layers))
    means.append(geometric_mean([slower(layer) for layer in layers]))
    show(rows, worst, means)
    list_layers(layers)
    beyond = sum(slower(layer) > 1.1 for layer in layers) / len(layers)
    for which, how in (("drained", "the drained worker"), ("best", "measuring with all threads")):
        gain = f"{total[which + '_saved_percent']:.1f} % of the layers' time" if total[which + "_swaps"] else "nothing"
        print(f"{how} swapped {total[which + '_swaps']} of {len(layers)} plans and gained {gain}")
    # What check.py judges: each stream's worst layer, and the shares over all layers.
    for row, high in zip(rows[:-1], worst[:-1], strict=True):
        row["highest_ratio"] = high
    total["reusable_over_best"] = means[-1]
    total["share_beyond_10_percent"] = beyond
    total["share_not_recovered"] = 1 - total["recovered"] / total["planted"] if total["planted"] else None
    document = {"kind": "tuning", "machine": host, "node_ms": options.node_ms, "rows": rows, "layers": layers}
    out = summary.write(document, f"tuning-{host['when'].replace(':', '')}-{host['commit']}", options.out)
    print(f"bench: written to {out}")


if __name__ == "__main__":
    main()
