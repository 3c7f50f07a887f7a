# SPDX-License-Identifier: Apache-2.0
"""What `make demo` shows: RapidOCR, a program written for ONNX Runtime, reads text on Anydim from images whose sizes
nobody has seen before; and a call at a new shape takes the time of a later call.

  1. images with known words are drawn (the seed is drawn now, and printed)
  2. RapidOCR's own unmodified code reads them, once on ONNX Runtime and once on Anydim
  3. the words are compared: both with what was drawn
  4. det, rec and YOLO are timed at shapes new to the process, each engine in fresh processes, one after the other

The verdict is about the words; times are shown, not judged (make bench does that).
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pictures import Picture

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "demo"
READ_TEXT = [str(ROOT / "demo" / "read_text.py")]
PROGRAMS = {"onnxruntime": READ_TEXT, "anydim": ["-m", "anydim.compat.onnxruntime", *READ_TEXT]}


def read_text(engine: str, paths: list[str]) -> dict[str, Any]:
    """Runs the reading program in a fresh process on `engine`."""
    command = [sys.executable, *PROGRAMS[engine], *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"demo: reading on {engine} failed:\n{done.stderr[-3000:]}\nverdict: demo failed")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if not answer["engine"].startswith(engine):
        sys.exit(f"demo: asked for {engine}, but {answer['engine']} computed\nverdict: demo failed")
    return answer


def compare(pictures: list[Picture], answers: dict[str, dict[str, Any]]) -> int:
    """Prints what was read; returns for how many pictures Anydim's words are not the drawn ones and ONNX Runtime's."""
    wrong = 0
    names = ", ".join(answer["engine"] for answer in answers.values())
    print(f"\nWords read by RapidOCR ({names})")
    for i, picture in enumerate(pictures):
        height, width, _ = picture.pixels.shape
        got = {engine: tuple(answer["images"][i]["words"]) for engine, answer in answers.items()}
        right = got["anydim"] == picture.words == got["onnxruntime"]
        wrong += not right
        mark = "as drawn, on both" if right else "DIFFERENT"
        print(f"  {picture.name:<12} {width:>4}x{height:<4} {' '.join(got['anydim']):<48} {mark}")
        if not right:
            print(f"      drawn {picture.words}\n      onnxruntime {got['onnxruntime']}\n      anydim {got['anydim']}")
    for engine, answer in answers.items():
        milliseconds = [image["ms"] for image in answer["images"]]
        print(f"  whole pipeline on {engine}: {sum(milliseconds):.0f} ms for {len(milliseconds)} images, each size new")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=8)
    parser.add_argument("--shapes", type=int, default=10, help="new shapes per model in the timing")
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes per engine in the timing")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="default: drawn now")
    options = parser.parse_args()

    # They need what .venv has; --help does without.
    import cv2
    from pictures import album
    from timing import measure_curves, plot, print_tables

    begin = time.monotonic()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"demo: seed {options.seed}; images and plot go to {FOLDER.relative_to(ROOT)}/")
    pictures = album(options.seed, options.images)
    paths = []
    for picture in pictures:
        paths.append(str(FOLDER / f"{picture.name}.png"))
        cv2.imwrite(paths[-1], picture.pixels)
    print(f"demo: {len(pictures)} images drawn; reading them on ONNX Runtime, then on Anydim", flush=True)
    wrong = compare(pictures, {engine: read_text(engine, paths) for engine in PROGRAMS})

    print(f"\ndemo: timing first calls at new shapes, {options.threads} thread(s) in each engine", flush=True)
    curves = measure_curves(ROOT / "build" / "models", options.seed, options.threads, options.shapes, options.rounds)
    print_tables(curves)
    image = FOLDER / "first-calls.png"
    plot(curves, image, f"First call at a new shape beside later calls, fp32, {options.threads} thread(s)")
    print(f"\ndemo: the plot is {image.relative_to(ROOT)}; {time.monotonic() - begin:.0f} s")
    if wrong:
        print(f"verdict: demo failed: the words of {wrong} of {len(pictures)} images are not the drawn ones on both")
        return 1
    print(f"verdict: demo passed: Anydim read every word of {len(pictures)} images, as drawn and as ONNX Runtime did")
    return 0


if __name__ == "__main__":
    sys.exit(main())
