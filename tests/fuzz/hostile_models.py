# SPDX-License-Identifier: Apache-2.0
"""No file ends the process that loads it: models of a few hundred bytes, damaged by hostile.c, under AddressSanitizer and
UndefinedBehaviorSanitizer, on a stack of 1 MB.

  python tests/fuzz/hostile_models.py --count 100000                 builds what it needs under build/sanitize-address
  python tests/fuzz/hostile_models.py --count 2000 --plain           the library as it is, without sanitizers
  python tests/fuzz/hostile_models.py --seed 7 --count 1000          the same damage again

What is damaged is drawn by the fuzz itself: random graphs, bodies, sizes that are divided, special numbers, functions in functions. A
model that ends its process (a report of a sanitizer, a signal, a minute without an answer, more than 4 GB) is written to build/fuzz/
hostile-SEED-PART.onnx; `hostile FILE` loads it alone."""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
from onnx import TensorProto, helper

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "sanitizers"))

STACK = 1 << 20
MOST_BYTES = 1500  # of a model that damage begins with
PART = 500  # models that one process loads
BYTES_OF_PROCESS = "hard_rss_limit_mb=4096"


def functions(depth: int) -> onnx.ModelProto:
    """f0 calls f1 twice, which calls f2 twice, and so on."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    made = []
    for i in range(depth):
        op, domain = (f"f{i + 1}", "own") if i + 1 < depth else ("Relu", "")
        nodes = [helper.make_node(op, ["x"], ["m"], domain=domain), helper.make_node(op, ["m"], ["y"], domain=domain)]
        made.append(helper.make_function("own", f"f{i}", ["x"], ["y"], nodes, opsets))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])
    y = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([helper.make_node("f0", ["x"], ["y"], domain="own")], "calls", [x], [y])
    return helper.make_model(graph, opset_imports=opsets, functions=made, ir_version=8)


def beginnings() -> Iterator[onnx.ModelProto]:
    from bodies import draw_model
    from generate import KINDS, generate
    from shape_models import systematic
    from special_numbers import every_case

    for seed in range(1, 200):
        for kind in KINDS:
            yield generate(seed, kind)
    for seed in range(1, 60):
        yield draw_model(seed)[0]
    for _, model, _ in list(systematic())[::4]:
        yield model
    for case in list(every_case())[::2]:
        yield case.model
    for depth in (2, 8, 31, 40):
        yield functions(depth)


def write_beginnings(folder: Path) -> Path:
    paths = []
    for i, model in enumerate(beginnings()):
        del model.metadata_props[:]
        data = model.SerializeToString()
        if len(data) <= MOST_BYTES:
            paths.append(folder / f"{i}.onnx")
            paths[-1].write_bytes(data)
    assert len(paths) > 200, f"{len(paths)} models to begin with"
    listed = folder / "models"
    listed.write_text("".join(f"{path}\n" for path in paths))
    return listed


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def program(plain: bool, name: str = "hostile") -> tuple[Path, dict[str, str]]:
    if plain:
        return ROOT / "build" / "bin" / name, dict(os.environ)
    from run import ENVIRONMENT, build

    folder = build("address", [name])
    options = f"{ENVIRONMENT['ASAN_OPTIONS']}:{BYTES_OF_PROCESS}:detect_stack_use_after_return=0"
    return folder / "bin" / name, ENVIRONMENT | {
        "ASAN_OPTIONS": options,
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--plain", action="store_true", help="without sanitizers")
    options = parser.parse_args()
    path, environment = program(options.plain)
    kept = ROOT / "build" / "fuzz"
    kept.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        listed = write_beginnings(Path(folder))

        def part(number: int) -> str:
            case = kept / f"hostile-{options.seed}-{number}.onnx"
            count = min(PART, options.count - number * PART)
            words = [str(path), str(listed), str(count), str(options.seed * 1000003 + number), str(case)]
            done = subprocess.run(
                words, env=environment, preexec_fn=limited, capture_output=True, text=True, errors="replace"
            )
            if done.returncode == 0:
                case.unlink()
                return ""
            return f"{case}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[:6000]}"

        parts = -(-options.count // PART)
        with ThreadPoolExecutor(options.processes) as pool:
            for number, text in enumerate(pool.map(part, range(parts))):
                failed += bool(text)
                if text:
                    print(text, flush=True)
                elif (number + 1) % 20 == 0:
                    print(f"{(number + 1) * PART} models", flush=True)
    print(f"seed {options.seed}: {options.count} models, {failed} of {parts} processes ended by one")
    print(f"{parts - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
