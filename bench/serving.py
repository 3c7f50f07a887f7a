# SPDX-License-Identifier: Apache-2.0
"""Many callers of one row each, with the batching queue and without it, beside ONNX Runtime's and OpenVINO's ways of serving them.

Each way runs in a fresh process: eight threads call for some seconds, each as soon as it is answered. What is counted is rows a second
and the time of single calls. `batches` is one thread that calls with eight rows, which nobody who gets requests one by one can beat; it is
measured with our engine. It, the callers without the queue, and the queue are measured one after the other in one process, so that the
ratios are of one moment.

  bench/serving.py                       cls, two networks below a millisecond, a text encoder; 3 rounds: 4 minutes
  bench/serving.py --rounds 1 --seconds 1 --only small
  bench/serving.py --requests 100000     the resident set over so many requests of the small network
  bench/serving.py --language c          callers in C (bench/callers.c): no interpreter's lock, our engine alone
  bench/serving.py --limit               what no queue can be faster than, for the small network (bench/exchange.c), and an empty model

Figures: `of_batches`, rows a second with the queue over those of `batches` (0.95 at least), `over_without`, over those of the same
callers without it (1 at least), and `p99_over_allowed`, the queue's p99 over the longest wait and the time of a full batch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import machine
from engines import open_onnxruntime, open_openvino

ROOT = Path(__file__).resolve().parent.parent
CALLERS = 8
WAIT = 0.001
MODELS = ("cls", "images", "small", "encoder")
WAYS = ("queue", "onnxruntime", "openvino streams")  # processes; the first measures `without` and `batches`, too


def model_file(name: str) -> Path:
    if name == "cls":
        return ROOT / "build" / "models" / "cls.onnx"
    path = ROOT / "build" / "models" / f"serving-{name}.onnx"
    if not path.exists():
        import serving_models

        getattr(serving_models, name)(path)
    return path


def rows(name: str, count: int, seed: int) -> Any:
    import numpy as np

    random = np.random.default_rng(seed)
    if name == "cls":
        return random.random((count, 3, 48, 192), np.float32)
    if name == "images":
        return random.random((count, 3, 64, 64), np.float32)
    if name in ("small", "empty"):
        return random.random((count, 256 if name == "small" else 16), np.float32)
    return random.integers(0, 5000, (count, 32))


def crowd(call: Callable[[Any], Any], inputs: list[Any], seconds: float) -> dict[str, float]:
    """A thread for each input, which calls with it again and again."""
    times: list[list[float]] = [[] for _ in inputs]
    begin = time.perf_counter() + 0.3
    end = begin + seconds

    def work(x: Any, mine: list[float]) -> None:
        before = time.perf_counter()
        while before < end:
            call(x)
            after = time.perf_counter()
            if begin <= before and after < end:
                mine.append(after - before)
            before = after

    threads = [threading.Thread(target=work, args=pair) for pair in zip(inputs, times, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    calls = sorted(t for mine in times for t in mine)
    if not calls:
        raise RuntimeError("no call ended in the time that counts; ask for more seconds")
    return {
        "rows": len(calls) * len(inputs[0]) / seconds,
        "p50_ms": 1e3 * calls[len(calls) // 2],
        "p99_ms": 1e3 * calls[min(len(calls) - 1, int(0.99 * len(calls)))],
    }


def execute(task: dict[str, Any]) -> dict[str, Any]:
    """In the fresh process."""
    model, cores, seconds = model_file(task["model"]), task["cores"], task["seconds"]
    single = [rows(task["model"], 1, seed) for seed in range(CALLERS)]
    if task["way"] == "queue":
        import anydim

        session = anydim.InferenceSession(str(model), threads=cores)
        name = session.get_inputs()[0].name
        call = lambda x: session.run(None, {name: x})  # noqa: E731
        found: dict[str, Any] = {}
        found["batches"] = crowd(call, [rows(task["model"], CALLERS, 0)], seconds)
        found["without"] = crowd(call, single, seconds)
        session.start_batching(anydim.Batching(rows=CALLERS, wait=WAIT))
        found.update(crowd(call, single, seconds))
        found["rows_per_batch"] = session.batching.rows_per_batch
        return found
    opened = (
        open_onnxruntime(model, cores) if task["way"] == "onnxruntime" else open_openvino(model, cores, streams=cores)
    )
    return dict(crowd(opened.call, single, seconds))


def compiled(name: str) -> Path:
    program, library = ROOT / "build" / name, ROOT / "build" / "lib"
    command = ["cc", "-O2", "-std=c11", f"-I{ROOT}/capi/include", str(ROOT / "bench" / f"{name}.c"), "-o", str(program)]
    subprocess.run([*command, f"-L{library}", "-lanydim", "-lpthread", f"-Wl,-rpath,{library}"], check=True)
    return program


def callers_in_c(
    program: Path, model: str, callers: int, threads: int, seconds: float, rounds: int
) -> list[list[float]]:
    """A line for each round: rows/s, p50 and p99 in ms of one caller with batches, callers without the queue, and with it; rows per batch."""
    one = rows(model, 1, 0)
    arguments = ["i64" if one.dtype.kind == "i" else "f32", "x".join(map(str, one.shape[1:])), str(callers)]
    arguments += [str(int(1e6 * WAIT)), str(threads), str(seconds), str(rounds)]
    done = subprocess.run(
        [str(program), str(model_file(model)), *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return [[float(number) for number in line.split()] for line in done.stdout.splitlines()]


def limit(cores: int, seconds: float, rounds: int) -> None:
    """Callers that exchange nothing, in a group on each core, while one of each works for as long as the model does."""
    callers, exchange = compiled("callers"), compiled("exchange")
    each = CALLERS // cores
    one_core = median(line[1] for line in callers_in_c(callers, "small", each, 1, seconds, rounds))
    batches = median(line[0] for line in callers_in_c(callers, "small", CALLERS, cores, seconds, rounds))
    found = {}
    for work_us in (0, 1e3 * one_core):
        command = [str(exchange), str(CALLERS), str(each), f"{work_us:.1f}", str(seconds)]
        found[work_us] = median(
            float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout) for _ in range(rounds)
        )
        print(
            f"{CALLERS} threads in groups of {each}, work of {work_us:.1f} us: {found[work_us]:,.0f} rows/s, "
            f"{1e6 * cores / found[work_us]:.1f} us of a core a row"
        )
    print(f"one caller with batches of {CALLERS} of the small network: {batches:,.0f} rows/s")
    print(f"no queue is above {found[1e3 * one_core] / batches:.2f} of that")
    empty = callers_in_c(callers, "empty", CALLERS, cores, seconds, rounds)
    print(
        f"a model of one Relu: {median(line[6] for line in empty):,.0f} rows/s through the queue "
        f"({1e6 * cores / median(line[6] for line in empty):.1f} us of a core a row), without it {median(line[3] for line in empty):,.0f}"
    )


def through_c(cores: int, seconds: float, rounds: int, models: list[str]) -> None:
    """The same through C: a program that measures `batches`, `without` and the queue one after the other, several times."""
    program = compiled("callers")
    for model in models:
        lines = callers_in_c(program, model, CALLERS, cores, seconds, rounds)
        print(f"\n{model}: {CALLERS} callers of a row in C\n{'':<18} {'rows/s':>8} {'p50, ms':>8} {'p99, ms':>8}")
        for k, way in enumerate(("batches", "without", "queue")):
            per_s, p50, p99 = (median(line[3 * k + i] for line in lines) for i in range(3))
            print(f"{way:<18} {per_s:>8.0f} {p50:>8.3f} {p99:>8.3f}")
        for what, ratios in (
            ("of_batches", [line[6] / line[0] for line in lines]),
            ("over_without", [line[6] / line[3] for line in lines]),
            ("p99_over_allowed", [line[8] / (1e3 * WAIT + line[2]) for line in lines]),
        ):
            print(f"{what:<16} {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
        print(f"rows per batch {lines[-1][9]:.2f}", flush=True)


def growth(requests: int) -> None:
    """The resident set while eight callers make so many requests."""
    import anydim

    session = anydim.InferenceSession(str(model_file("small")), batching=anydim.Batching(rows=CALLERS, wait=WAIT))

    def work(x: Any, count: int) -> None:
        for _ in range(count):
            session.run(None, {"x": x})

    for part in range(11):
        count = requests // 10 // CALLERS if part else 500
        threads = [threading.Thread(target=work, args=(rows("small", 1, k), count)) for k in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
        print(f"{session.batching.requests:>8} requests: {resident / 2**20:.1f} MB resident", flush=True)


def measure(task: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, __file__, "--execute"]
    done = subprocess.run(command, input=json.dumps(task), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{task['way']} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each crowd (default 2)")
    parser.add_argument("--only", choices=MODELS)
    parser.add_argument("--requests", type=int, help="show the resident set over so many instead")
    parser.add_argument("--language", choices=("python", "c"), default="python")
    parser.add_argument("--limit", action="store_true", help="show what no queue can be faster than instead")
    parser.add_argument("--execute", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.execute:
        print(json.dumps(execute(json.load(sys.stdin))))
        return
    if options.requests:
        return growth(options.requests)
    about = machine.describe()
    cores = about["cpu"]["cores"]
    print(
        f"bench: {about['cpu']['model']}, {cores} cores, commit {about['commit']}, load {about['load']:.1f}", flush=True
    )
    if options.limit:
        return limit(cores, options.seconds, options.rounds)
    models = [options.only] if options.only else list(MODELS)
    for model in models:
        model_file(model)
    if options.language == "c":
        return through_c(cores, options.seconds, options.rounds, models)
    for model in models:
        found: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
        for turn in range(options.rounds):
            shift = turn % len(WAYS)
            for way in WAYS[shift:] + WAYS[:shift]:
                task = {"way": way, "model": model, "cores": cores, "seconds": options.seconds}
                found[way].append(measure(task))
        print(f"\n{model}: {CALLERS} callers of a row\n{'':<18} {'rows/s':>8} {'p50, ms':>8} {'p99, ms':>8}")
        shown = {
            way: {k: median(one[k] for one in runs) for k in ("rows", "p50_ms", "p99_ms")}
            for way, runs in found.items()
        }
        for part in ("without", "batches"):
            shown[part] = {k: median(one[part][k] for one in found["queue"]) for k in ("rows", "p50_ms", "p99_ms")}
        for way, f in shown.items():
            print(f"{way:<18} {f['rows']:>8.0f} {f['p50_ms']:>8.2f} {f['p99_ms']:>8.2f}")
        of_batches = [one["rows"] / one["batches"]["rows"] for one in found["queue"]]
        allowed = [one["p99_ms"] / (1e3 * WAIT + one["batches"]["p99_ms"]) for one in found["queue"]]
        print(f"rows per batch {median(one['rows_per_batch'] for one in found['queue']):.2f}")
        print(f"of_batches       {median(of_batches):.2f} ({min(of_batches):.2f} to {max(of_batches):.2f})")
        over = [one["rows"] / one["without"]["rows"] for one in found["queue"]]
        print(f"over_without     {median(over):.2f} ({min(over):.2f} to {max(over):.2f})")
        print(f"p99_over_allowed {median(allowed):.2f}", flush=True)


if __name__ == "__main__":
    main()
