# SPDX-License-Identifier: Apache-2.0
"""Models as C (docs/export.md) beside the library, ONNX Runtime and C of emx-onnx-cgen, all on one thread.

  python bench/exported.py --emx PATH            static networks: time, text, memory. PATH: the program emx-onnx-cgen (PyPI)
  python bench/exported.py --shapes              first calls at new shapes of PP-OCRv4 and YOLOv8n, and steady ones

Each round measures every way once, in another order; figures are medians of the rounds. A compiler, the processor's own options (-O3
-march=native), and for kernels as C also AVX2 alone."""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "export"))

import machine  # noqa: E402

if TYPE_CHECKING:  # these come with .venv; --help does without
    import exported_c
    import numpy as np

STATIC = {
    "mobilenet": {"x": (1, 3, 64, 64)},
    "residual": {"x": (1, 3, 48, 48)},
    "voice_activity": {"x": (1, 40, 40), "h": (1, 1, 24), "c": (1, 1, 24)},
}
STREAMS = {
    "rec": ("x:1,3,48,48..640", "x", [(1, 3, 48, w) for w in range(48, 641, 37)]),
    "det": ("x:1,3,320..512,320..512", "x", [(1, 3, h, 832 - h) for h in range(320, 513, 32)]),
    "cls": ("x:1..8,3,48,192", "x", [(n, 3, 48, 192) for n in range(1, 9)]),
    "yolo": ("images:1,3,192..384,192..384", "images", [(1, 3, h, 576 - h) for h in range(192, 385, 32)]),
}
ROUNDS = 7
Run = Callable[[], object]


def cpu_has(feature: str) -> bool:
    return feature in Path("/proc/cpuinfo").read_text(encoding="utf-8")


def exported(model: Path, bounds: tuple[str, ...], folder: Path, kernels: str, flags: str) -> exported_c.Compiled:
    import exported_c

    exported_c.export(model, folder, bounds, kernels=kernels)
    return exported_c.Compiled(folder, tuple(flags.split()))


def c_call(c: exported_c.Compiled, feeds: dict[str, np.ndarray], arena: np.ndarray) -> Run:
    """A call with everything in place, as a C program makes it."""
    import numpy as np

    dims = c.dims_type(*c.dims(feeds))
    outputs = []
    for i, (_, dtype) in enumerate(c.outputs):
        to = (ctypes.c_int64 * 8)()
        assert c.output_dims(ctypes.byref(dims), i, to) == 0
        outputs.append(np.zeros([to[k] for k in range(c.ranks[i])], dtype))
    arrays = [*feeds.values(), *outputs]
    begin = arena.ctypes.data + (-arena.ctypes.data) % 64
    places = [ctypes.c_void_p(a.ctypes.data) for a in arrays]

    def run(kept: object = (arrays, arena)) -> None:
        assert c.run_function(ctypes.byref(dims), ctypes.c_void_p(begin), *places) == 0

    return run


def seconds(run: Run) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def steady(ways: dict[str, Run]) -> dict[str, float]:
    """Milliseconds: medians over rounds of the median of a round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    repeats = {name: max(3, min(200, int(0.02 / max(seconds(run), 1e-6)))) for name, run in ways.items()}
    for _ in range(ROUNDS):
        for name in random.sample(list(ways), len(ways)):
            times[name].append(statistics.median(seconds(ways[name]) for _ in range(repeats[name])))
    return {name: 1000 * statistics.median(t) for name, t in times.items()}


def text_bytes(files: list[Path]) -> int:
    listed = subprocess.run(["size", "-A", *map(str, files)], capture_output=True, text=True, check=True).stdout
    return sum(int(n) for n in re.findall(r"^\.text\S*\s+(\d+)", listed, re.MULTILINE))


def compiled_text(folder: Path, flags: str) -> int:
    """Of the sources of an exported model, without its archive."""
    for name in ("net", "net_kernels"):
        command = ["gcc", "-std=c99", *flags.split(), "-c", f"{name}.c", "-o", f"{name}.o"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return text_bytes([folder / "net.o", folder / "net_kernels.o"])


def sessions(model: Path) -> tuple[Callable[[dict[str, np.ndarray]], Run], Callable[[dict[str, np.ndarray]], Run]]:
    import anydim
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    ours = anydim.InferenceSession(str(model), contexts=1, threads=1)
    theirs = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return (lambda feeds: lambda: ours.run(None, feeds)), (lambda feeds: lambda: theirs.run(None, feeds))


COUNTED = """
#include <stdlib.h>
#include <malloc.h>
extern long emx_now, emx_most;
static void *counted(size_t n) {
  void *p = malloc(n);
  emx_now += malloc_usable_size(p); if (emx_now > emx_most) emx_most = emx_now; return p; }
static void freed(void *p) { emx_now -= malloc_usable_size(p); free(p); }
#define malloc counted
#define free freed
"""


def emx(program: str, model: Path, folder: Path, feeds: dict[str, np.ndarray], outputs: int) -> tuple[Run, int, int]:
    """A call, bytes of text, bytes of memory at most."""
    import numpy as np

    source = folder / "emx.c"
    done = subprocess.run(
        [program, "compile", str(model), str(source), "--model-name", "emx", "--large-weight-threshold", "100000000"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert source.exists(), done.stdout + done.stderr
    (folder / "counted.h").write_text(COUNTED, encoding="utf-8")
    (folder / "counts.c").write_text("long emx_now, emx_most;", encoding="utf-8")
    flags = ["-O3", "-march=native", "-fPIC"]
    subprocess.run(["gcc", *flags, "-c", str(source), "-o", str(folder / "emx.o")], check=True, capture_output=True)
    for name, more in (("plain", []), ("counting", ["-include", str(folder / "counted.h"), str(folder / "counts.c")])):
        command = ["gcc", *flags, "-shared", *more, str(source), "-lm", "-o", str(folder / f"emx_{name}.so")]
        subprocess.run(command, check=True, capture_output=True)
    arrays = [*feeds.values(), *(np.zeros(1 << 20, np.float32) for _ in range(outputs))]
    places = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    counting = ctypes.CDLL(str(folder / "emx_counting.so"))
    counting.emx(*places)
    loaded = ctypes.CDLL(str(folder / "emx_plain.so"))

    def run(kept: object = arrays) -> None:
        loaded.emx(*places)

    return run, text_bytes([folder / "emx.o"]), ctypes.c_long.in_dll(counting, "emx_most").value


def fixed(model: bytes, dims: dict[str, tuple[int, ...]], path: Path) -> None:
    import onnx

    m = onnx.load_from_string(model)
    for value in m.graph.input:
        for d, n in zip(value.type.tensor_type.shape.dim, dims[value.name], strict=True):
            d.Clear()
            d.dim_value = n
    for value in m.graph.output:
        for d in value.type.tensor_type.shape.dim:
            d.Clear()
    onnx.save(onnx.shape_inference.infer_shapes(m), str(path))


def ways_of_export() -> list[tuple[str, str, str]]:
    """Name, kernels, flags."""
    ways = [("C, AVX2", "c", "-O3 -mavx2 -mfma"), ("archive, AVX2", "avx2", "-O3 -mavx2 -mfma")]
    if cpu_has("avx512dq"):
        ways += [("C, native", "c", "-O3 -march=native"), ("archive, AVX-512", "avx512", "-O3 -march=native")]
    return ways


def static_networks(program: str | None, only: list[str]) -> dict[str, object]:
    import numpy as np
    from small_networks import NETWORKS

    results: dict[str, object] = {}
    for name in only:
        dims = STATIC[name]
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            path = folder / "net.onnx"
            fixed(NETWORKS[name]().model, dims, path)
            feeds = {k: np.random.default_rng(1).standard_normal(d).astype(np.float32) for k, d in dims.items()}
            ours, theirs = sessions(path)
            ways = {"library": ours(feeds), "ONNX Runtime": theirs(feeds)}
            sizes: dict[str, object] = {}
            for way, kernels, flags in ways_of_export():
                c = exported(path, (), folder / way.replace(" ", "_"), kernels, flags)
                ways[way] = c_call(c, feeds, np.zeros(c.arena_bytes + 64, np.uint8))
                sizes[way] = {"text": compiled_text(c.folder, flags), "arena": c.arena_bytes}
            if program:
                run, text, most = emx(program, path, folder, feeds, len(c.outputs))
                ways["emx-onnx-cgen"] = run
                sizes["emx-onnx-cgen"] = {"text": text, "heap": most}
            times = steady(ways)
        print(f"{name} {dims['x']}", flush=True)
        for way, ms in times.items():
            print(f"  {way:20} {ms:8.3f} ms  {sizes.get(way, '')}", flush=True)
        results[name] = {"ms": times, "bytes": sizes}
    return results


def streams(names: list[str]) -> dict[str, object]:
    """Sums over a stream of shapes in ms: first calls at each, and steady ones."""
    import numpy as np

    results: dict[str, object] = {}
    for name in names:
        bounds, tensor, shapes = STREAMS[name]
        with tempfile.TemporaryDirectory() as place:
            model = ROOT / "build" / "models" / f"{name}.onnx"
            ours, theirs = sessions(model)
            compiled = {
                way: exported(model, (bounds,), Path(place) / way.replace(" ", "_"), kernels, flags)
                for way, kernels, flags in ways_of_export()
            }
            arenas = {way: np.zeros(c.arena_bytes + 64, np.uint8) for way, c in compiled.items()}
            first: dict[str, float] = {}
            later: dict[str, float] = {}
            for shape in shapes:
                feeds = {tensor: np.random.default_rng(1).standard_normal(shape).astype(np.float32)}
                ways = {"library": ours(feeds), "ONNX Runtime": theirs(feeds)}
                ways |= {way: c_call(c, feeds, arenas[way]) for way, c in compiled.items()}
                for way in random.sample(list(ways), len(ways)):
                    first[way] = first.get(way, 0) + 1000 * seconds(ways[way])
                    later[way] = later.get(way, 0) + 1000 * statistics.median(seconds(ways[way]) for _ in range(5))
        print(f"{name}: {len(shapes)} shapes, sums in ms", flush=True)
        for way in first:
            print(f"  {way:20} first {first[way]:8.1f}  steady {later[way]:8.1f}", flush=True)
        results[name] = {"first": first, "steady": later}
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emx", help="the program emx-onnx-cgen")
    parser.add_argument("--only", nargs="*", choices=STATIC, default=list(STATIC), help="of the static networks")
    parser.add_argument("--shapes", nargs="*", choices=STREAMS, help="streams of shapes, of these models or of all")
    parser.add_argument("--result", type=Path, help="write the figures there, as JSON")
    options = parser.parse_args()
    result = (
        static_networks(options.emx, options.only)
        if options.shapes is None
        else streams(options.shapes or list(STREAMS))
    )
    if options.result:
        told = {"command": " ".join(["bench/exported.py", *sys.argv[1:]]), "machine": machine.describe(), **result}
        options.result.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
