# SPDX-License-Identifier: Apache-2.0
"""Draws what `anydim stats MODEL --shapes ... --output FILE.json` found (needs matplotlib):

    python -m anydim.stats FILE.json [--plot FILE.png]

Left: first and later call at each shape. Right: for each node and shape, the time of the best plan found divided by the reusable
plan's; the line is the 10 % that a reusable plan may lose.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def draw(report: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shapes = report["shapes"]
    names = [s["shape"] for s in shapes]
    figure, (times, plans) = pyplot.subplots(1, 2, figsize=(12, 0.35 * len(names) + 3), layout="constrained")
    rows = range(len(names))
    times.barh(
        [r + 0.2 for r in rows], [s["first_ms"] for s in shapes], height=0.38, label="first call", color="#c8602b"
    )
    times.barh(
        [r - 0.2 for r in rows], [s["later_ms"] for s in shapes], height=0.38, label="later calls", color="#33658a"
    )
    times.set_yticks(list(rows), names, fontsize=8)
    times.invert_yaxis()
    times.set_xlabel("ms")
    times.legend()
    times.set_title(Path(report["model"]).name + ": calls, policy reusable")
    for row, shape in enumerate(shapes):
        ratios = [n["ratio"] if n["replaced"] else 1.0 for n in shape["nodes"]]
        plans.plot(ratios, [row] * len(ratios), "|", color="#33658a", markersize=10, alpha=0.6)
    plans.axvline(1 / 1.1, color="#c8602b", linewidth=1)
    plans.set_yticks(list(rows), names, fontsize=8)
    plans.invert_yaxis()
    plans.set_xlim(right=1.02)
    plans.set_xlabel("best plan found / reusable plan, per node")
    plans.set_title("where specialising would help (left of the line)")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m anydim.stats", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report", type=Path, help="the JSON of `anydim stats --output`")
    parser.add_argument("--plot", type=Path, help="the picture; default: beside the report, .png")
    options = parser.parse_args()
    path = options.plot or options.report.with_suffix(".png")
    draw(json.loads(options.report.read_text(encoding="utf-8")), path)
    print(f"drawn: {path}")


if __name__ == "__main__":
    main()
