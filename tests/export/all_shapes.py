# SPDX-License-Identifier: Apache-2.0
"""Many networks, many dims, every compiler: exported C beside the library, bit by bit, bytes around the arena watched.

  python tests/export/all_shapes.py --shapes 100 --minutes 30

Networks: PP-OCRv4, YOLOv8n, those of small_networks.py and of bench/made_models.py. What is done is written into a file, so that a run goes
on where the last one stopped; a network whose C changed is done again. Exit status 1: bits differ, or something was written outside."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "bench")]

import anydim  # noqa: E402
import numpy as np  # noqa: E402
from emulated_c import ARM64, CORTEX_M7, Emulated, Machine  # noqa: E402
from exported_c import Compiled, Refused, export, same_bits  # noqa: E402
from made_models import MODELS as MADE  # noqa: E402
from small_networks import NETWORKS  # noqa: E402

PUBLIC = {
    "cls": ("x:1..4,3,48,192",),
    "rec": ("x:1..2,3,48,32..320",),
    "det": ("x:1,3,32..160,32..160",),
    "yolo": ("images:1,3,64..160,64..160",),
}
FMA = ("-mavx2", "-mfma")
SANITIZED = Machine(
    "sanitizers",
    ("gcc", "-std=c99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *FMA),
    ("env",),
)


CLANG = next((c for c in ("clang", "clang-19", "clang-16", "clang-15", "clang-14") if shutil.which(c)), "clang")


class Way(NamedTuple):
    kernels: str
    compiler: str = "gcc"
    flags: tuple[str, ...] = ()
    machine: Machine | None = None


WAYS = {
    "gcc -O2": Way("c", "gcc", ("-O2", *FMA)),
    "gcc -O3": Way("c", "gcc", ("-O3", "-march=native")),
    "clang -O2": Way("c", CLANG, ("-O2", *FMA)),
    "clang -O3": Way("c", CLANG, ("-O3", "-march=native")),
    "avx2": Way("avx2", "gcc", ("-O2", *FMA)),
    "avx512": Way("avx512", "gcc", ("-O2", "-march=native")),
    "sanitizers": Way("c", machine=SANITIZED),
    "64-bit ARM": Way("c", machine=ARM64),
    "Cortex-M7": Way("c", machine=CORTEX_M7),
}


def network(name: str, folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Its file and its bounds."""
    if name in PUBLIC:
        return ROOT / "build" / "models" / f"{name}.onnx", PUBLIC[name]
    path = folder / f"{name}.onnx"
    if name in NETWORKS:
        made = NETWORKS[name]()
        path.write_bytes(made.model)
        return path, made.bounds
    network = MADE[name.removeprefix("made ")]
    network.save(path)
    least, most = network.sizes[0], network.sizes[min(4, len(network.sizes) - 1)]
    texts = []
    for tensor, dims in network.inputs.items():
        texts.append(f"{tensor}:" + ",".join(f"{least}..{most}" if isinstance(d, str) else str(d) for d in dims))
    return path, tuple(texts)


ALL = [*PUBLIC, *NETWORKS, *(f"made {name}" for name in MADE)]


def draw(
    session: Any, bounds: tuple[str, ...], rows: dict[str, int], random: np.random.Generator
) -> dict[str, np.ndarray]:
    """Inputs at dims within the bounds; half of the time multiples of 32. rows: whole numbers below this."""
    limits = {text.split(":")[0]: text.split(":")[1].split(",") for text in bounds}
    chosen: dict[str, int] = {}
    made = {}
    for i in session.get_inputs():
        shape = []
        for axis, d in enumerate(i.shape):
            if isinstance(d, str) and d not in chosen:
                least, *more = map(int, limits[i.name][axis].split(".."))
                most = more[0] if more else least
                v = int(random.integers(least, most + 1))
                chosen[d] = max(least, v // 32 * 32) if random.random() < 0.5 else v
            shape.append(chosen[d] if isinstance(d, str) else d)
        if "float" in i.type:
            made[i.name] = random.standard_normal(shape).astype(np.float32)
        else:
            made[i.name] = random.integers(0, rows.get(i.name, 2), shape)
    return made


def cases(path: Path, name: str, bounds: tuple[str, ...], shapes: int) -> list[tuple[dict[str, np.ndarray], Any]]:
    """Inputs, and the library's results; None where it refuses the dims."""
    session = anydim.InferenceSession(str(path), contexts=1)
    rows = dict(MADE[name.removeprefix("made ")].integers or {}) if name.startswith("made ") else {}
    random = np.random.default_rng(zlib.crc32(name.encode()))
    found = []
    for _ in range(shapes):
        feeds = draw(session, bounds, rows, random)
        try:
            found.append((feeds, [np.asarray(y) for y in session.run(None, feeds)]))
        except anydim.Error:
            found.append((feeds, None))
    return found


def compare(compiled: Compiled | Emulated, wanted: list[tuple[dict[str, np.ndarray], Any]]) -> tuple[int, str]:
    """At how many dims the network ran, and what is wrong."""
    inputs = [feeds for feeds, _ in wanted]
    results = compiled.run(inputs) if isinstance(compiled, Emulated) else map(compiled.run, inputs)
    ran = 0
    for (feeds, outputs), (status, got) in zip(wanted, results, strict=True):
        dims = {k: v.shape for k, v in feeds.items()}
        if (status != 0) != (outputs is None):
            return ran, f"status {status} at {dims}, where the library {'refuses' if outputs is None else 'runs'}"
        if status != 0:
            continue
        ran += 1
        for (output, _), a, b in zip(compiled.outputs, got, outputs, strict=True):
            if not same_bits(a, b):
                return ran, f"{output} differs at {dims}"
    return ran, ""


def digest(folder: Path) -> str:
    h = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.suffix in {".c", ".h", ".S", ".bin", ".a"}):
        h.update(path.name.encode() + path.read_bytes())
    return h.hexdigest()[:16]


def missing(way: str) -> str:
    """What has to be installed, in a sentence; nothing if all is there."""
    _, compiler, _, machine = WAYS[way]
    if machine is not None:
        return machine.missing()
    return "" if shutil.which(compiler) else f"{compiler} is not installed"


def judge(name: str, way: str, folder: Path, path: Path, bounds: tuple[str, ...], wanted: Any) -> dict[str, Any]:
    _, compiler, flags, machine = WAYS[way]
    if machine is not None:
        ran, wrong = compare(Emulated(folder, machine), wanted)
    else:
        ran, wrong = compare(Compiled(folder, flags, compiler), wanted)
    return {"ran": ran, "of": len(wanted), "wrong": wrong, "digest": digest(folder)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "export_shapes.json")
    parser.add_argument("--only", nargs="*", choices=ALL, default=ALL, metavar="NETWORK")
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS), metavar="WAY", help=", ".join(WAYS))
    options = parser.parse_args()
    state: dict[str, Any] = json.loads(options.state.read_text()) if options.state.exists() else {}
    end = time.monotonic() + 60 * options.minutes
    for name in options.only:
        with tempfile.TemporaryDirectory() as place:
            path, bounds = network(name, Path(place))
            wanted = None
            for way in options.ways:
                if time.monotonic() > end:
                    break
                if gone := missing(way):
                    state[f"{name}, {way}"] = {"skipped": gone}
                    continue
                folder = Path(place) / WAYS[way].kernels
                try:
                    if not folder.exists():
                        export(path, folder, bounds, kernels=WAYS[way].kernels)
                except Refused as e:
                    state[f"{name}, {way}"] = {"skipped": str(e).strip().splitlines()[-1].strip()}
                    continue
                known = state.get(f"{name}, {way}", {})
                if known.get("digest") == digest(folder) and known["of"] >= options.shapes and not known["wrong"]:
                    continue
                wanted = wanted or cases(path, name, bounds, options.shapes)
                try:
                    found = judge(name, way, folder, path, bounds, wanted)
                except AssertionError as e:
                    if "will not fit in region" in str(e):
                        state[f"{name}, {way}"] = {"skipped": "it is larger than the board's memory"}
                        continue
                    found = {"ran": 0, "of": 0, "wrong": str(e)[-2000:]}
                state[f"{name}, {way}"] = found
                print(f"{name}, {way}: {found}", flush=True)
                options.state.write_text(json.dumps(state, indent=1) + "\n")
    done = {k: v for k, v in state.items() if "ran" in v}
    wrong = {k: v["wrong"] for k, v in done.items() if v["wrong"]}
    print(
        f"{len(done)} of {len(ALL) * len(WAYS)} pairs, {sum(v['ran'] for v in done.values())} runs, {len(wrong)} wrong: {wrong}"
    )
    for k, v in state.items():
        if "skipped" in v:
            print(f"  {k}: {v['skipped']}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
