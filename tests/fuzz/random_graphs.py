# SPDX-License-Identifier: Apache-2.0
"""Random graphs against other engines, against ourselves without passes, and in every way that must not matter (judge.py).

  python tests/fuzz/random_graphs.py --seed 1 --graphs 1000                  as many of each kind (generate.py)
  python tests/fuzz/random_graphs.py --kind sizes --graphs 5000              shape arithmetic and special run-time numbers
  python tests/fuzz/random_graphs.py --kind near --seed 77 --graphs 1        one graph, with its verdict
  python tests/fuzz/random_graphs.py --graphs 20000 --resume                 goes on after the last seed that was finished
  python tests/fuzz/random_graphs.py build/fuzz/near-77.txt                  cases from files, each with its verdict

Graphs run in worker processes with little memory; one that dies or hangs is blamed on the graph that it was running. A
failure is made small and written to build/fuzz, with what is wrong as a comment; what is fixed goes to tests/fuzz/kept."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cases
import onnx
from generate import KINDS, generate
from shrink import shrink

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build" / "fuzz"
HANG_SECONDS = 120  # a graph takes hundredths of a second
MOST_MEMORY = 12 << 30
BATCH = 50  # graphs that one worker process runs
# Below these shares of graphs that really ran, a run has proved nothing.
FLOORS = {
    "random": 0.6,
    "near": 0.85,
    "types": 0.1,
    "old": 0.9,
    "sizes": 0.7,
    "bodies": 0.7,
    "quantized": 0.95,
    "strings": 0.8,
    "grouped": 0.95,
    "recurrent": 0.95,
}
CRASH, HANG = "crash", "hang"

Result = dict[str, Any]


# -- worker processes: "begin SEED" before a graph, a JSON line after it -----------------------------------------------


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def work(kind: str, seeds: list[int]) -> None:
    from judge import WRONG, judge

    limit_memory()
    for seed in seeds:
        print(f"begin {seed}", flush=True)
        model = generate(seed, kind)
        outcome = judge(model, seed)
        result = asdict(outcome)
        if outcome.verdict == WRONG:
            result["file"] = str(keep(model, kind, seed, outcome.what, outcome.message, in_process=True))
        print(json.dumps(result), flush=True)


def judge_file(path: Path) -> Result:
    from judge import judge

    model = cases.read(path)
    return asdict(judge(model, int(cases.metadata(model).get("judge", "0"))))


def judged_apart(model: onnx.ModelProto) -> Result:
    """The verdict on a case, by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.onnx"
        path.write_bytes(model.SerializeToString())
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--judge", str(path)],
                capture_output=True,
                text=True,
                timeout=HANG_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {
                "verdict": "wrong",
                "what": HANG,
                "message": f"no answer in {HANG_SECONDS} s",
                "operators": {},
                "notes": [],
            }
    if done.returncode != 0:
        return {
            "verdict": "wrong",
            "what": CRASH,
            "message": f"status {done.returncode}: {done.stderr[-300:]}",
            "operators": {},
            "notes": [],
        }
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def keep(model: onnx.ModelProto, kind: str, seed: int, what: str, message: str, *, in_process: bool) -> Path:
    """Shrinks the case and writes it."""
    from judge import judge

    cases.set_metadata(model, judge=str(seed))

    def fails(smaller: onnx.ModelProto) -> bool:
        try:
            return (judge(smaller, seed).what if in_process else judged_apart(smaller)["what"]) == what
        except Exception:
            return False

    # A graph that has a twin stays as it is beside it.
    small = model if "old" in cases.metadata(model) else shrink(model, fails, 400 if in_process else 60)
    if in_process:
        message = judge(small, seed).message or message
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{kind}-{seed}.txt"
    cases.drop_metadata(small, "shapes", "runs")  # what shrinking needed
    cases.write(small, path, f"{kind} graph of seed {seed}: {what}\n{message}")
    return path


def supervise(kind: str, seeds: list[int]) -> Iterator[Result]:
    """Runs the seeds in worker processes, a new one whenever one dies."""
    pending = list(seeds)
    while pending:
        process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(json.dumps([kind, pending]))
        process.stdin.close()
        current = pending[0]
        hung = threading.Event()
        answered = threading.Event()

        def watch(
            process: subprocess.Popen[str] = process, hung: threading.Event = hung, answered: threading.Event = answered
        ) -> None:
            """Ends a worker that gives no line for HANG_SECONDS. Time in which this program was stopped, too, does not count."""
            silent, tick = 0.0, 5.0
            while process.poll() is None:
                begin = time.monotonic()
                if answered.wait(tick):
                    answered.clear()
                    silent = 0.0
                elif time.monotonic() - begin < 2 * tick:
                    silent += tick
                if silent >= HANG_SECONDS:
                    hung.set()
                    process.kill()

        errors: list[str] = []
        reader = threading.Thread(target=lambda stream=process.stderr, into=errors: into.extend(stream), daemon=True)
        reader.start()
        threading.Thread(target=watch, daemon=True).start()
        for line in process.stdout:
            answered.set()
            if line.startswith("begin "):
                current = int(line.split()[1])
            elif line.startswith("{"):
                result = json.loads(line)
                pending.remove(result["seed"])
                yield result
        status = process.wait()
        reader.join(1)
        if pending:
            pending.remove(current)
            what = HANG if hung.is_set() else CRASH
            message = (
                f"no answer in {HANG_SECONDS} s" if hung.is_set() else f"status {status}: {''.join(errors)[-400:]}"
            )
            yield {"seed": current, "kind": kind, "verdict": "wrong", "what": what, "message": message, "operators": {}, "notes": [],
                   "nodes_judged": 0}  # fmt: skip


def run_all(plan: list[tuple[str, list[int]]], processes: int, on_result: Any = None) -> list[Result]:
    """Outcomes of the seeds of each kind, in the order of the seeds."""
    batches = [(kind, seeds[i : i + BATCH]) for kind, seeds in plan for i in range(0, len(seeds), BATCH)]
    results: list[Result] = []
    lock = threading.Lock()

    def one(batch: tuple[str, list[int]]) -> None:
        for result in supervise(*batch):
            result["by"] = batch[0]
            with lock:
                results.append(result)
                if on_result:
                    on_result(result)

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(one, batches))
    return sorted(results, key=lambda r: (r["by"], r["seed"]))


# -- reading the result ----------------------------------------------------------------------------------------------


def table(results: list[Result]) -> str:
    """Per operator in how many graphs it ran, was unimplemented (with whatever else was in the graph), or was refused."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        for op in result["operators"]:
            counts.setdefault(op, Counter())[result["verdict"]] += 1
    verdicts = ("right", "unimplemented", "refused", "wrong")
    lines = [f"{'operator':<28}" + "".join(f"{v:>15}" for v in verdicts)]
    lines += [f"{op:<28}" + "".join(f"{counts[op][v]:>15}" for v in verdicts) for op in sorted(counts)]
    reasons = Counter(r["message"].split("\n")[0][:110] for r in results if r["verdict"] == "unimplemented")
    lines += ["unimplemented, most often:"] + [f"{n:>7}  {reason}" for reason, n in reasons.most_common(12)]
    notes = Counter(note[:110] for r in results for note in r["notes"])
    lines += ["notes:"] + [f"{n:>7}  {note}" for note, n in notes.most_common(12)]
    return "\n".join(lines)


def summary(results: list[Result]) -> str:
    lines = []
    for kind in sorted({r["by"] for r in results}):
        mine = [r for r in results if r["by"] == kind]
        count = Counter(r["verdict"] for r in mine)
        nodes = sum(r["nodes_judged"] for r in mine)
        lines.append(
            f"{kind}: {len(mine)} graphs, {count['right']} right, {count['unimplemented']} unimplemented, {count['refused']} refused by us "
            f"and others, {count['wrong']} wrong; {nodes} runs of nodes held against other engines"
        )
    return "\n".join(lines)


def too_few_ran(results: list[Result]) -> list[str]:
    """Kinds of which too small a share ran."""
    bad = []
    for kind in sorted({r["by"] for r in results}):
        mine = [r for r in results if r["by"] == kind]
        share = sum(r["verdict"] in ("right", "wrong") for r in mine) / len(mine)
        if share < FLOORS[kind]:
            bad.append(f"{kind}: only {share:.0%} of the graphs ran; at least {FLOORS[kind]:.0%} must")
    return bad


def failure_text(result: Result) -> str:
    return f"{result['by']} {result['seed']} [{result['what']}] {result['message']} {result.get('file', '')}"


# -- the program ------------------------------------------------------------------------------------------------------


class Progress:
    """Prints how far a run is, and remembers it for --resume."""

    def __init__(self, plan: list[tuple[str, list[int]]], resumable: bool) -> None:
        self.resumable = resumable
        self.total = sum(len(seeds) for _, seeds in plan)
        self.finished: dict[str, set[int]] = {kind: set() for kind, _ in plan}
        self.next = {kind: seeds[0] for kind, seeds in plan if seeds}
        self.count: Counter[str] = Counter()
        self.started = self.told = time.monotonic()

    def __call__(self, result: Result) -> None:
        self.count[result["verdict"]] += 1
        if result["verdict"] == "wrong":
            print(failure_text(result), flush=True)
        kind = result["by"]
        self.finished[kind].add(result["seed"])
        while self.next[kind] in self.finished[kind]:
            self.finished[kind].discard(self.next[kind])
            self.next[kind] += 1
        if time.monotonic() - self.told > 20:
            self.told = time.monotonic()
            done = sum(self.count.values())
            rate = done / (self.told - self.started)
            print(f"{done} of {self.total} graphs, {rate:.1f} a second: {dict(self.count)}", flush=True)
            if self.resumable:
                self.remember()

    def remember(self) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / "progress.json").write_text(json.dumps(self.next), encoding="utf-8")


def remembered(kind: str, seed: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        return max(seed, int(json.loads((FOLDER / "progress.json").read_text(encoding="utf-8")).get(kind, seed)))
    return seed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", type=Path, help="files of cases; instead of drawing graphs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--graphs", type=int, default=300, help="how many, of all kinds together")
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--resume", action="store_true", help="leaves out seeds that an earlier run with --resume finished"
    )
    parser.add_argument("--table", action="store_true", help="prints what ran per operator")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--judge", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(*json.load(sys.stdin))
        return 0
    if options.judge:
        limit_memory()
        print(json.dumps(judge_file(options.judge)))
        return 0
    if options.cases:
        found = [judged_apart(cases.read(path)) for path in options.cases]
        for path, result in zip(options.cases, found, strict=True):
            print(f"{path}: {result['verdict']} {result['message']}")
        return 1 if any(r["verdict"] == "wrong" for r in found) else 0

    kinds = list(KINDS) if options.kind == "all" else [options.kind]
    each = max(1, options.graphs // len(kinds))
    plan = []
    for kind in kinds:
        first = remembered(kind, options.seed) if options.resume else options.seed
        plan.append((kind, list(range(first, options.seed + each))))
    progress = Progress(plan, options.resume)
    results = run_all(plan, options.processes, progress)
    if options.resume:
        (FOLDER / "progress.json").unlink(missing_ok=True)  # the whole plan is done
    if not results:
        print("1 passed: an earlier run had finished all of them")
        return 0
    for result in results:
        if result["what"] in (CRASH, HANG):
            path = keep(
                generate(result["seed"], result["by"]),
                result["by"],
                result["seed"],
                result["what"],
                result["message"],
                in_process=False,
            )
            print(f"{result['by']} {result['seed']} [{result['what']}]: {path}")
    if options.table or len(results) >= 1000:
        print(table(results))
    print(summary(results))
    bad = too_few_ran(results) if len(results) >= 100 else []
    for text in bad:
        print(text)
    failed = sum(r["verdict"] == "wrong" for r in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if bad or failed else 0


if __name__ == "__main__":
    sys.exit(main())
