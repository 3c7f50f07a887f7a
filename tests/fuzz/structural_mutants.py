# SPDX-License-Identifier: Apache-2.0
"""No model ends the process that loads or runs it: valid models with one to three structural changes, under AddressSanitizer and
UndefinedBehaviorSanitizer, on a stack of 1 MB.

  python tests/fuzz/structural_mutants.py --count 100000             builds what it needs under build/sanitize-address
  python tests/fuzz/structural_mutants.py --count 5000 --plain       the library as it is (`cmake --build build --target structural`)
  python tests/fuzz/structural_mutants.py --sweep                    instead: every operator's every single input absent, doubled, of
                                                                     another rank and element type
  python tests/fuzz/structural_mutants.py --seed 7 --count 1000      the same mutants again
  python tests/fuzz/structural_mutants.py --only Resize --count 500  of models with this operator
  python tests/fuzz/structural_mutants.py FILE ...                   these models, .onnx or text of protobuf

What is changed: attributes (away, of another value, of another type), inputs of nodes (absent, doubled, swapped, of another rank or
element type), dims (0, 1, -1, a symbol, huge), outputs (more, fewer, renamed), constants into inputs and back, opsets, operators. The
models are those of mutant_models.py, the changes those of mutant_changes.py.

A mutant that loads is run twice, with inputs that fit what it declares. Any status is right; wrong are a process that ends, a minute
without an answer, `internal`, no message, a load with the status of a wrong call, a report of a sanitizer. Such a mutant is reduced to
the changes that it needs and written to build/fuzz/mutant-SEED-NUMBER.txt. It moves to tests/fuzz/kept/mutants/ when it is fixed."""

from __future__ import annotations

import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path

import onnx
from google.protobuf import text_format
from google.protobuf.message import EncodeError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from hostile_models import limited, program  # noqa: E402
from mutant_changes import CHANGES  # noqa: E402
from mutant_models import Named, beginnings  # noqa: E402
from mutant_sweep import sweep  # noqa: E402

PART = 250  # models that one process loads
STATUS = ("ok", "invalid_argument", "invalid_handle", "unimplemented", "out_of_memory", "busy", "closed", "not_found", "io_error",
          "invalid_model", "out_of_bounds", "invalid_data", "internal", "forked", "cancelled", "device_lost", "timed_out",
          "queue_full", "file_not_found")  # fmt: skip
OF_A_LOAD = {"ok", "unimplemented", "out_of_memory", "invalid_model", "not_found", "file_not_found", "io_error"}
LINE = re.compile(r"(\d+) load (\d+) run (-?\d+) (-?\d+): (.*)")


@dataclass
class Mutant:
    name: str
    data: bytes
    base: int = -1
    changes: tuple[tuple[int, int], ...] = ()  # number and seed of each


@dataclass
class Verdicts:
    wrong: list[tuple[Mutant, str]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


def changed(models: list[Named], base: int, changes: Iterable[tuple[int, int]]) -> Mutant | None:
    """None where the file cannot be written: a string that is no UTF-8."""
    name, model = models[base]
    mutant = onnx.ModelProto()
    mutant.CopyFrom(model)
    try:
        for number, seed in changes:
            CHANGES[number](random.Random(seed), mutant)
        return Mutant(
            f"{name}: {', '.join(CHANGES[n].__name__ for n, _ in changes)}",
            mutant.SerializeToString(),
            base,
            tuple(changes),
        )
    except (EncodeError, ValueError):
        return None


def draw(models: list[Named], seed: int, number: int) -> Mutant:
    r = random.Random(f"{seed} {number}")
    while True:
        changes = [(r.randrange(len(CHANGES)), r.randrange(2**31)) for _ in range(r.choice((1, 1, 2, 2, 3)))]
        mutant = changed(models, r.randrange(len(models)), changes)
        if mutant is not None:
            return mutant


class Runner:
    def __init__(self, plain: bool) -> None:
        self.path, self.environment = program(plain, "structural")
        more = ":max_allocation_size_mb=1024"  # what asks for more gets none
        self.environment["ASAN_OPTIONS"] = self.environment.get("ASAN_OPTIONS", "") + more

    def once(self, file: Path, first: int) -> tuple[int, str, str]:
        words = [str(self.path), str(file), str(first)]
        done = subprocess.run(
            words, env=self.environment, preexec_fn=limited, capture_output=True, text=True, errors="replace"
        )
        return done.returncode, done.stdout, done.stderr

    def judge(self, mutants: list[Mutant]) -> Verdicts:
        """All of them, whichever end the process."""
        verdicts = Verdicts()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "models"
            with file.open("wb") as out:
                for mutant in mutants:
                    out.write(struct.pack("<q", len(mutant.data)) + mutant.data)
            first = 0
            while first < len(mutants):
                code, text, errors = self.once(file, first)
                at = self.read(text, mutants, verdicts)
                if code == 0:
                    break
                what = f"status {code}\n{errors[:4000]}"
                if text.endswith("end\n"):  # leaks are found at the end, and are nobody's
                    verdicts.wrong.append((mutants[-1], f"one of the last {len(mutants) - first} models: {what}"))
                    break
                verdicts.wrong.append((mutants[at], what))
                first = at + 1
        return verdicts

    @staticmethod
    def read(text: str, mutants: list[Mutant], verdicts: Verdicts) -> int:
        """Counts the statuses; the number of the last model that was begun."""
        at = 0
        for line in text.splitlines():
            if line.startswith("at "):
                at = int(line[3:])
            if not (found := LINE.match(line)):
                continue
            load, *runs = (int(found[i]) for i in (2, 3, 4))
            verdicts.statuses[f"load {STATUS[load]}"] += 1
            verdicts.statuses.update(f"run {STATUS[s]}" for s in runs if s >= 0)
            statuses = [STATUS[s] for s in (load, *runs) if s > 0]
            strange = "internal" in statuses or STATUS[load] not in OF_A_LOAD
            if strange or (statuses and not found[5].strip()):
                verdicts.wrong.append((mutants[int(found[1])], line))
        return at

    def reduced(self, models: list[Named], mutant: Mutant) -> Mutant:
        """With the fewest of its changes that are still wrong."""
        for count in range(1, len(mutant.changes)):
            for some in combinations(mutant.changes, count):
                fewer = changed(models, mutant.base, some)
                if fewer is not None and self.judge([fewer]).wrong:
                    return fewer
        return mutant


def parts(mutants: Iterator[Mutant]) -> Iterator[list[Mutant]]:
    while part := list(islice(mutants, PART)):
        yield part


def read_model(path: Path) -> Mutant:
    if path.suffix == ".onnx":
        return Mutant(path.name, path.read_bytes())
    return Mutant(path.name, text_format.Parse(path.read_text(encoding="utf-8"), onnx.ModelProto()).SerializeToString())


def write(mutant: Mutant, path: Path) -> Path:
    """As text, if it is the same model then."""
    model = onnx.load_from_string(mutant.data)
    path.with_suffix(".txt").write_text(text_format.MessageToString(model), encoding="utf-8")
    if read_model(path.with_suffix(".txt")).data == mutant.data:
        return path.with_suffix(".txt")
    path.with_suffix(".txt").unlink()
    path.with_suffix(".onnx").write_bytes(mutant.data)
    return path.with_suffix(".onnx")


def run(runner: Runner, models: list[Named], mutants: Iterator[Mutant], seed: int, processes: int) -> Verdicts:
    kept = ROOT / "build" / "fuzz"
    kept.mkdir(parents=True, exist_ok=True)
    total = Verdicts()
    with ThreadPoolExecutor(processes) as pool:
        waiting = parts(mutants)
        while some := list(islice(waiting, 4 * processes)):
            for verdicts in pool.map(runner.judge, some):
                total.statuses += verdicts.statuses
                for mutant, what in verdicts.wrong:
                    fewer = runner.reduced(models, mutant)
                    path = write(fewer, kept / f"mutant-{seed}-{len(total.wrong)}")
                    total.wrong.append((fewer, what))
                    print(f"WRONG {fewer.name}\n{path}\n{what}", flush=True)
            done = sum(n for s, n in total.statuses.items() if s.startswith("load"))
            print(f"{done} models, {total.statuses['load ok']} loaded, {len(total.wrong)} wrong", flush=True)
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="models to load instead")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="an operator that the models have")
    parser.add_argument("--sweep", action="store_true", help="the systematic changes instead of drawn ones")
    parser.add_argument("--plain", action="store_true", help="without sanitizers")
    options = parser.parse_args()
    runner = Runner(options.plain)
    print(f"seed {options.seed}", flush=True)
    models = [] if options.files else beginnings()
    if options.only:
        models = [(name, m) for name, m in models if any(node.op_type == options.only for node in m.graph.node)]
    if options.files:
        mutants = iter([read_model(path) for path in options.files])
    elif options.sweep:
        mutants = (Mutant(name, model.SerializeToString()) for name, model in sweep(models))
    else:
        mutants = (draw(models, options.seed, number) for number in range(options.count))
    total = run(runner, models, mutants, options.seed, options.processes)
    print(", ".join(f"{status} {count}" for status, count in sorted(total.statuses.items())))
    print(f"seed {options.seed}: {len(models)} models to begin with, {len(total.wrong)} wrong")
    count = sum(n for status, n in total.statuses.items() if status.startswith("load"))
    print(f"{count} passed, {len(total.wrong)} failed")
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
