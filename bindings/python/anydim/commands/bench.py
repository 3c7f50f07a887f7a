# SPDX-License-Identifier: Apache-2.0
"""`anydim bench`: first and later calls over a stream of shapes, of Anydim and, if asked for, of other engines in the same rounds.

Each (round, engine) is a fresh process; the order of engines rotates from round to round, so that a slow minute of the machine meets all
of them. A shape's time is the median over rounds; sums are over the stream.
"""

from __future__ import annotations

import json
import math
import os
import platform
import random
import secrets
import sys
from pathlib import Path
from statistics import median
from typing import Any

from ..session import InferenceSession
from . import Failure, report, shapes
from .engines import TITLES
from .worker import Task, Times, measure


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    name = ""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {
        "cpu": name or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
    }


def percentile(sorted_values: list[float], part: float) -> float:
    """The smallest value that at least this part of them does not exceed."""
    return sorted_values[max(0, math.ceil(part * len(sorted_values)) - 1)]


def figures(rounds: list[Times]) -> dict[str, Any]:
    """What is shown of one engine on one model."""
    first = [median(values) for values in zip(*(r.first for r in rounds), strict=True)]
    later = [median(median(r.later[i]) for r in rounds) for i in range(len(first))]
    sums = [math.fsum(map(median, r.later)) for r in rounds]
    every = sorted(time for r in rounds for times in r.later for time in times)
    return {
        "version": rounds[0].version,
        "load_ms": median(r.load for r in rounds),
        "first_ms": first,
        "later_ms": later,
        "first_sum_ms": math.fsum(first),
        "later_sum_ms": math.fsum(later),
        "first_over_later": math.fsum(first) / math.fsum(later),
        "later_spread": (max(sums) - min(sums)) / 2 / median(sums),
        "percentiles_ms": {str(p): percentile(every, p / 100) for p in (50, 90, 95, 99)},
        "calls": len(every),
        "calls_per_second": median(r.calls / r.seconds for r in rounds),
    }


def _stream(model: str, options: dict[str, Any], seed: int) -> tuple[list[shapes.Shape], shapes.Shape, dict[str, Any]]:
    """The shapes, one outside them for the warm-up, and how they were found."""
    session = InferenceSession(model, threads=options["threads"] or None, contexts=1)
    numbers = random.Random(f"{seed}/{Path(model).name}")
    rules, warm_up = shapes.read(options["shapes"], model, options["count"])
    found: dict[str, Any] = {"dtypes": {info["name"]: info["dtype"] for info in session._inputs}}
    if rules:
        shapes.check_names([*rules, *([warm_up] if warm_up else [])], session)
    else:
        rule, found["dims"] = shapes.drawn_rule(session, options["count"], seed)
        rules = [rule]
    stream = [shape for rule in rules for shape in rule.stream(numbers)]
    texts = {shapes.text_of(shape) for shape in stream}
    for number in range(100 * len(rules)):
        warm = (warm_up or rules[number % len(rules)]).draw(numbers)
        if shapes.text_of(warm) not in texts:
            return stream, warm, found
    # All shapes are in the stream: the first one is met in the warm-up, and its first call is no first call, unless it is the only one.
    return (stream[1:] if len(stream) > 1 else stream), stream[0], found


def measure_model(model: str, engines: list[str], options: dict[str, Any], seed: int) -> dict[str, Any]:
    """All rounds of one model."""
    stream, warm, found = _stream(model, options, seed)
    runs: dict[str, list[Times]] = {engine: [] for engine in engines}
    single = len(stream) == 1 and warm == stream[0]
    total = options["rounds"] * len(engines)
    for number in range(options["rounds"]):
        shift = number % len(engines)
        for engine in engines[shift:] + engines[:shift]:
            if sys.stderr.isatty():
                done = sum(map(len, runs.values()))
                print(
                    f"\r\x1b[Kbench {Path(model).name} {done}/{total} {TITLES[engine]}",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
            task = Task(
                engine, model, found["dtypes"], stream, warm, 0 if single else options["warm_up"], options["threads"],
                options["callers"], options["duration"], seed, options["math"], options["reuse"],
            )  # fmt: skip
            runs[engine].append(measure(task))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    result: dict[str, Any] = {
        "model": model,
        "shapes": list(map(shapes.text_of, stream)),
        "warm_up_shape": shapes.text_of(warm),
        "first_call_of_process": single,
    }
    if "dims" in found:
        result["found_by_trial"] = found["dims"]
    result["engines"] = {engine: figures(runs[engine]) for engine in engines}
    return result


def main(options: dict[str, Any]) -> int:
    """The command, from its options."""
    peers = [name for name in options["against"].split(",") if name]
    engines = ["anydim", *dict.fromkeys(peers)]
    seed = options["seed"] if options["seed"] >= 0 else secrets.randbelow(10**9)
    for model in options["models"]:
        if not Path(model).is_file():
            raise Failure(f"{model}: no such file")
    # What is wrong with a peer shows now and not after minutes.
    for engine in engines[1:]:
        try:
            __import__(engine)
        except ImportError as error:
            raise Failure(
                f"--against {engine}: its Python package cannot be imported ({error}); pip install {engine}"
            ) from None
    html = options["html"]
    if html and not Path(html).resolve().parent.is_dir():
        raise Failure(f"--html {html}: there is no folder {Path(html).resolve().parent}")
    whole: dict[str, Any] = {
        "machine": machine(),
        "seed": seed,
        **{key: options[key] for key in ("threads", "callers", "rounds", "warm_up", "duration")},
        "models": [],
    }
    if not options["json"]:
        print(report.heading(whole), flush=True)
    for model in options["models"]:
        result = measure_model(model, engines, options, seed)
        whole["models"].append(result)
        if not options["json"]:
            print(report.model_text(result, options["callers"], options["rounds"]), flush=True)
    if options["json"]:
        print(json.dumps(whole, indent=2))
    elif len(engines) > 1 or len(options["models"]) > 1:
        print(report.summary_text(whole))
    if html:
        try:
            Path(html).write_text(report.page(whole), encoding="utf-8")
        except OSError as error:
            raise Failure(f"--html {html}: {error.strerror or error}") from None
        if not options["json"]:
            print(f"\nreport: {html}")
    return 0
