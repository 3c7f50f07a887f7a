# SPDX-License-Identifier: Apache-2.0
"""Whole detectors beside ONNX Runtime: torchvision's, exported with dynamic image sizes (bench/architectures/detectors.py), at many
sizes, each new to both engines.

  bench/detectors.py                          all of them at 50 sizes, 1 thread
  bench/detectors.py fcos ssd --sizes 10      some of them
  bench/detectors.py --agree                  one call of each engine at each size: boxes alone, and which have no partner
  bench/detectors.py --memory                 the resident set of a process with bounds, over the sizes in mixed order

Boxes are matched: the same label, nearly the same place, a score within 1e-4. What has no partner is one of these: near misses of a
threshold or of a tie flip by rounding alone. Times: `first` is the sum of our first calls at the sizes, `steady` of the medians of
ONNX Runtime's later ones; above 1 our first calls are faster.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from architectures.catalogue import DETECTORS, Architecture

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that Debian's torch is for
SIDES = (160, 420)  # least and most of an image
SCORES = 1e-4
PLACES = 0.05  # of a pixel, per 100 pixels of the image
REST = 1e-2  # masks and key points of boxes that match, relative to the largest


@dataclass
class Found:
    boxes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    rest: list[np.ndarray]  # of each box: masks, key points


def found_of(outputs: list[np.ndarray]) -> Found:
    boxes = next(o for o in outputs if o.ndim == 2 and o.shape[1] == 4)
    labels = next(o for o in outputs if o.ndim == 1 and o.dtype.kind == "i")
    scores = next(o for o in outputs if o.ndim == 1 and o.dtype.kind == "f")
    return Found(
        boxes, labels, scores, [o for o in outputs if all(o is not other for other in (boxes, labels, scores))]
    )


@dataclass
class Agreement:
    matched: int
    ours: int  # without a partner
    theirs: int
    score: float  # the largest difference of those that match
    rest: float


def match(ours: Found, theirs: Found, side: float) -> Agreement:
    import numpy as np

    free = set(range(len(ours.boxes)))
    matched, score, rest = 0, 0.0, 0.0
    for i, box in enumerate(theirs.boxes):
        near = [
            k
            for k in free
            if ours.labels[k] == theirs.labels[i]
            and abs(float(ours.scores[k]) - float(theirs.scores[i])) <= SCORES
            and float(np.abs(ours.boxes[k] - box).max()) <= PLACES * max(side, 100) / 100
        ]
        if not near:
            continue
        k = min(near, key=lambda k: float(np.abs(ours.boxes[k] - box).max()))
        free.remove(k)
        matched += 1
        score = max(score, abs(float(ours.scores[k]) - float(theirs.scores[i])))
        for a, b in zip(ours.rest, theirs.rest, strict=True):
            gap = float(np.quantile(np.abs(a[k].astype(np.float64) - b[i]), 0.999)) if b[i].size else 0.0
            rest = max(rest, gap / max(float(np.abs(b[i]).max()), 1e-3))
    return Agreement(matched, len(free), len(theirs.boxes) - matched, score, rest)


def sizes_of(item: Architecture, count: int) -> list[dict[str, int]]:
    random = Random(item.name)
    return [{"h": random.randint(*SIDES), "w": random.randint(*SIDES)} for _ in range(count)]


def paths_of(items: list[Architecture], folder: Path) -> dict[str, Path]:
    exporter = ROOT / "bench" / "architectures" / "export.py"
    names = [item.name for item in items]
    subprocess.run([DEBIAN_PYTHON, str(exporter), str(folder), *names], check=False)
    return {name: folder / f"{name}.onnx" for name in names if (folder / f"{name}.onnx").exists()}


def timed(call: Any, feeds: dict[str, np.ndarray]) -> tuple[float, list[np.ndarray]]:
    given = {name: array.copy() for name, array in feeds.items()}
    begin = time.perf_counter()
    outputs = call(given)
    return (time.perf_counter() - begin) * 1e3, outputs


def agree(item: Architecture, path: Path, threads: int, count: int) -> bool:
    """Boxes alone. What has no partner is printed with its score: one within rounding of the network's threshold may be missing."""
    from engines import open_anydim, open_onnxruntime

    ours, theirs = open_anydim(path, threads), open_onnxruntime(path, threads)
    matched, expected, lone, score, rest = 0, 0, 0, 0.0, 0.0
    for done, sizes in enumerate(sizes_of(item, count), 1):
        feeds = item.feeds(sizes)
        mine, other = found_of(timed(ours.call, feeds)[1]), found_of(timed(theirs.call, feeds)[1])
        a = match(mine, other, max(sizes.values()))
        matched, expected, lone = matched + a.matched, expected + a.matched + a.theirs, lone + a.ours
        score, rest = max(score, a.score), max(rest, a.rest)
        for who, found, count_of in (("Anydim", mine, a.ours), ("ONNX Runtime", other, a.theirs)):
            if count_of:
                print(
                    f"  {sizes}: {count_of} of {who} alone; its least score {float(found.scores.min())!r}", flush=True
                )
        if done % 5 == 0 or done == count:
            print(
                f"{item.name:18s}{done} sizes: {matched} of {expected} boxes match, {lone} of ours do not; "
                f"scores {score:.1e}, the rest {rest:.1e}",
                flush=True,
            )
    return matched >= 0.99 * expected and rest <= REST and expected > count


def compare(item: Architecture, path: Path, threads: int, count: int, repeats: int) -> bool:
    from engines import open_anydim, open_onnxruntime

    ours, theirs = open_anydim(path, threads), open_onnxruntime(path, threads)
    for session in (ours, theirs):
        for _ in range(2):
            session.call(item.feeds(item.stream[0]))
    first, later, steady, all_theirs = [], [], [], 0
    worst = Agreement(0, 0, 0, 0.0, 0.0)
    for sizes in sizes_of(item, count):
        feeds = item.feeds(sizes)
        t, got = timed(ours.call, feeds)
        first.append(t)
        later.append(median(timed(ours.call, feeds)[0] for _ in range(repeats)))
        _, expected = timed(theirs.call, feeds)
        steady.append(median(timed(theirs.call, feeds)[0] for _ in range(repeats)))
        a = match(found_of(got), found_of(expected), max(sizes.values()))
        all_theirs += a.matched + a.theirs
        worst = Agreement(
            worst.matched + a.matched,
            worst.ours + a.ours,
            worst.theirs + a.theirs,
            max(worst.score, a.score),
            max(worst.rest, a.rest),
        )
    share = worst.matched / max(all_theirs, 1)
    good = share >= 0.99 and worst.rest <= REST and all_theirs > count
    print(
        f"{item.name:18s}{sum(steady) / sum(first):6.2f} first {sum(steady) / sum(later):6.2f} later  "
        f"{sum(first) / count:8.1f} {sum(later) / count:8.1f} {sum(steady) / count:8.1f} ms  {worst.matched} of {all_theirs} boxes match, "
        f"{worst.ours} of ours do not; scores {worst.score:.1e}, the rest {worst.rest:.1e}{'' if good else '  WRONG'}",
        flush=True,
    )
    return good


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def watch(item: Architecture, path: Path, threads: int, count: int) -> None:
    """In a process of its own: with bounds, over the sizes."""
    import anydim

    bounds = {"x": (3, SIDES, SIDES)}
    try:
        session = anydim.InferenceSession(str(path), threads=threads, bounds=bounds, contexts=1)
    except anydim.errors.OutOfBoundsError as refusal:
        print(f"{item.name}: without bounds, since {refusal}")
        session = anydim.InferenceSession(str(path), threads=threads, contexts=1)
    seen = []
    for sizes in [{"h": SIDES[1], "w": SIDES[1]}, *sizes_of(item, count)]:
        session.run(None, item.feeds(sizes))
        seen.append(resident())
    print(
        f"{item.name:18s}{seen[1] / 2**20:8.0f} MiB, at most {100 * (max(seen[1:]) / seen[1] - 1):.1f} % more over {count} sizes",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="default: all")
    parser.add_argument("--sizes", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2, help="later calls at each size")
    parser.add_argument("--agree", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "zoo" / "made", help="of the models")
    options = parser.parse_args()
    items = [item for item in DETECTORS if not options.names or item.name in options.names]
    paths = paths_of(items, options.folder)
    good = len(paths) == len(items)
    for item in items:
        if item.name not in paths:
            continue
        if options.memory:
            watch(item, paths[item.name], options.threads, options.sizes)
        elif options.agree:
            good = agree(item, paths[item.name], options.threads, options.sizes) and good
        else:
            good = compare(item, paths[item.name], options.threads, options.sizes, options.repeats) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
