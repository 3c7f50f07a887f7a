# SPDX-License-Identifier: Apache-2.0
"""The steps of device_check.py, each run in a process of its own: `steps.py NAME RESULT SECONDS`. RESULT is written again whenever something
new is known, so that a step that is stopped leaves what it had."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BRING = Path(os.environ.get("DEVICE_CHECK_BRING", HERE.parents[1] / "build" / "device_check"))
FLUSHED = bool(os.environ.get("DEVICE_CHECK_FLUSHED"))
MODELS = {
    "cls": ["1,3,48,192", "6,3,48,192"],
    "rec": ["1,3,48,320", "4,3,48,320"],
    "det": ["1,3,320,320", "1,3,736,1280"],
    "yolo": ["1,3,320,320", "1,3,640,640"],
}
# Networks of bench/architectures, exported with random weights where torch can.
EXPORTED = ("resnet18", "bert", "vit", "unet_instance_norm", "gpt2_cache")


class Result:
    def __init__(self, file: Path, seconds: float) -> None:
        self.file, self.end, self.told = file, time.monotonic() + seconds - 8, {}  # type: ignore[var-annotated]

    def tell(self, **what: Any) -> None:
        self.told |= what
        self.file.write_text(json.dumps(self.told))

    def left(self) -> float:
        return self.end - time.monotonic()


def output_of(*command: str, seconds: float = 10) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}: {error}"


def versions() -> dict[str, str]:
    found = {}
    for name in ("anydim", "numpy", "torch", "onnxruntime", "onnx"):
        try:
            found[name] = str(__import__(name).__version__)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"[:200]
    return found


def machine(result: Result) -> None:
    cpu = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    result.tell(
        processor=cpu[0].split(":")[1].strip() if cpu else platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        load=os.getloadavg(),
        gpu=output_of(
            "nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit", "--format=csv"
        ),
        opencl_libraries=[
            line.strip() for line in output_of("ldconfig", "-p").splitlines() if "OpenCL" in line or "opencl" in line
        ],
        icd_files={str(p): p.read_text().strip() for p in Path(os.environ["OCL_ICD_VENDORS"]).glob("*.icd")},
    )
    result.tell(versions=versions())


# What a device says of itself: name, number in the header of OpenCL, kind (s text, u 32 bits, q 64 bits, z size_t, Z three of them).
FACTS = (
    ("name", 0x102B, "s"), ("vendor", 0x102C, "s"), ("driver", 0x102D, "s"), ("version", 0x102F, "s"), ("c_version", 0x103D, "s"),
    ("extensions", 0x1030, "s"), ("type", 0x1000, "q"), ("units", 0x1002, "u"), ("largest_group", 0x1004, "z"), ("group_sizes", 0x1005, "Z"),
    ("clock_mhz", 0x100C, "u"), ("address_bits", 0x100D, "u"), ("largest_allocation", 0x1010, "q"), ("largest_parameters", 0x1017, "z"),
    ("base_alignment_bits", 0x1019, "u"), ("single_fp", 0x101B, "q"), ("double_fp", 0x1032, "q"), ("cache_line", 0x101D, "u"),
    ("cache_bytes", 0x101E, "q"), ("global_bytes", 0x101F, "q"), ("constant_bytes", 0x1020, "q"), ("local_bytes", 0x1023, "q"),
    ("local_kind", 0x1022, "u"), ("unified_memory", 0x1035, "u"), ("vector_float", 0x103A, "u"), ("sub_groups", 0x105C, "u"),
    ("il_version", 0x105B, "s"), ("warp_nv", 0x4003, "u"), ("registers_nv", 0x4002, "u"), ("capability_nv", 0x4000, "u"),
)  # fmt: skip


def facts(cl: ctypes.CDLL, device: ctypes.c_void_p) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, number, kind in FACTS:
        size = ctypes.c_size_t()
        if cl.clGetDeviceInfo(device, number, 0, None, ctypes.byref(size)) != 0:
            continue
        raw = ctypes.create_string_buffer(size.value + 1)
        if cl.clGetDeviceInfo(device, number, size, raw, None) != 0:
            continue
        data = raw.raw[: size.value]
        if kind == "s":
            told[name] = data.rstrip(b"\0").decode(errors="replace")
        elif kind == "Z":
            told[name] = [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)]
        else:
            told[name] = int.from_bytes(data, "little")
    return told


def driver(result: Result) -> None:
    cl = ctypes.CDLL("libOpenCL.so.1")
    for function in ("clGetPlatformIDs", "clGetDeviceIDs", "clGetDeviceInfo"):
        getattr(cl, function).restype = ctypes.c_int
    cl.clGetDeviceIDs.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p]
    cl.clGetDeviceInfo.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    count = ctypes.c_uint()
    code = cl.clGetPlatformIDs(0, None, ctypes.byref(count))
    result.tell(platforms_code=code, platforms=count.value)
    platforms = (ctypes.c_void_p * max(count.value, 1))()
    cl.clGetPlatformIDs(count.value, platforms, None)
    devices = []
    for one in platforms[: count.value]:
        n = ctypes.c_uint()
        if cl.clGetDeviceIDs(one, 0xFFFFFFFF, 0, None, ctypes.byref(n)) != 0:
            continue
        ids = (ctypes.c_void_p * n.value)()
        cl.clGetDeviceIDs(one, 0xFFFFFFFF, n.value, ids, None)
        devices += [facts(cl, ctypes.c_void_p(device)) for device in ids]
    result.tell(devices=devices)
    import anydim

    result.tell(listed=[str(device) for device in anydim.Engine.devices()])
    for flushed in (False, True):
        begun = time.monotonic()
        try:
            engine = anydim.Engine("opencl", flushed_denormals=flushed)
            result.tell(
                **{
                    f"engine_flushed_{flushed}": str(engine),
                    f"engine_flushed_{flushed}_seconds": time.monotonic() - begun,
                }
            )
        except anydim.Error as error:
            result.tell(**{f"engine_flushed_{flushed}": f"{type(error).__name__}: {error}"})


def kernels(result: Result) -> None:
    """Each test by itself, so that what was found is known when the time ends: first small shapes of all kernels, then the engine."""
    rows: dict[str, Any] = {}
    for test, scope in (("core_engines_opencl_kernels_test", "small"), ("core_engines_opencl_test", "")):
        program = Path(os.environ["DEVICE_CHECK_TESTS"]) / test
        variables = os.environ | ({"ANYDIM_OPENCL_KERNELS": scope} if scope else {})
        suite = ""
        for line in output_of(str(program), "--gtest_list_tests").splitlines()[1:]:
            if not line.startswith(" "):
                suite = line.split()[0]
                continue
            if result.left() < 3 or "DISABLED" in line:
                break
            name, begun = suite + line.split()[0], time.monotonic()
            try:
                done = subprocess.run(
                    [program, f"--gtest_filter={name}"], env=variables, capture_output=True, text=True,
                    timeout=max(result.left() - 1, 1),
                )  # fmt: skip
                rows[name] = {"status": done.returncode, "skipped": "[  SKIPPED ]" in done.stdout}
                if done.returncode:
                    rows[name]["said"] = done.stdout[-1500:] + done.stderr[-500:]
            except subprocess.TimeoutExpired:
                rows[name] = {"status": "no time was left"}
            rows[name]["seconds"] = round(time.monotonic() - begun, 1)
            result.tell(tests=rows)


def device_engine() -> Any:
    import anydim

    return anydim.Engine("opencl", flushed_denormals=FLUSHED)


def milliseconds(call: Callable[[], Any], seconds: float = 0.3, least: int = 3) -> float:
    """The median; the first call is not counted."""
    call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        begun = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(times)


def one_operator(shape: dict[str, Any]) -> Any:
    """A model of one product or convolution with constant weights."""
    import anydim
    import numpy as np

    random = np.random.default_rng(1)
    graph = anydim.ModelBuilder(opset=17)
    x = graph.input("x", [None] * len(shape["x"]))
    w = graph.constant(random.standard_normal(shape["w"]).astype(np.float32)) if "w" in shape else ""
    if shape["operator"] == "matmul":
        y = graph.node("MatMul", x, w, outputs=["y"])
    elif shape["operator"] == "convolution":
        rank = len(shape["x"]) - 2
        y = graph.node(
            "Conv", x, w, outputs=["y"], strides=[shape.get("stride", 1)] * rank, group=shape.get("group", 1),
            pads=[shape.get("pad", 0)] * (2 * rank),
        )  # fmt: skip
    elif shape["operator"] == "softmax":
        y = graph.node("Softmax", x, outputs=["y"], axis=-1)
    else:
        y = graph.node("ReduceMean", x, outputs=["y"], axes=[-1], keepdims=0)
    graph.output(y)
    return graph


def flop(shape: dict[str, Any], out: tuple[int, ...]) -> float:
    import math

    if shape["operator"] == "matmul":
        return float(2 * math.prod(out) * shape["w"][0])
    if shape["operator"] == "convolution":
        return float(2 * math.prod(out) * math.prod(shape["w"][1:]))
    return 0.0


def device_nanoseconds(session: Any, shape: list[int], runs: int) -> tuple[float, str]:
    """The operator's own time on the device, the least of some runs, and its kernel."""
    least, kernel = float("inf"), ""
    for _ in range(runs):
        nodes = [node for node in session.explain({"x": shape})["nodes"] if node["kernel"]]
        if nodes:
            longest = max(nodes, key=lambda node: node["nanoseconds"])
            least, kernel = min(least, longest["nanoseconds"]), longest["kernel"]
    return least, kernel


def sweep_child(seconds: float) -> None:
    """One tile variant, which the environment names, over all shapes: a line of JSON for each."""
    import anydim
    import numpy as np

    end = time.monotonic() + seconds
    engine = device_engine()
    for shape in json.loads((HERE / "shapes.json").read_text())["shapes"]:
        if time.monotonic() > end:
            break
        told: dict[str, Any] = {"name": shape["name"]}
        x = np.random.default_rng(2).standard_normal(shape["x"]).astype(np.float32)
        try:
            session = anydim.InferenceSession(one_operator(shape), engines=[engine], contexts=1)
            begun = time.perf_counter()
            ours = session.run(None, {"x": x})[0]
            first = time.perf_counter() - begun
            if first < 2:
                time_ns, told["kernel"] = device_nanoseconds(session, shape["x"], 5 if first < 0.5 else 2)
                told["us"] = round(time_ns / 1e3, 1)
                if work := flop(shape, ours.shape):
                    told["gflops"] = round(work / time_ns, 1)
            else:
                told["us"] = round(1e6 * first, 1)
            if first < 0.5 or flop(shape, ours.shape) < 1e9:
                theirs = anydim.InferenceSession(one_operator(shape), contexts=1).run(None, {"x": x})[0]
                told["same_bits"] = ours.tobytes() == theirs.tobytes()
        except anydim.Error as error:
            told["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(told), flush=True)


def sweep(result: Result) -> None:
    """Tiles are variants of programs: each has a process, since the variable is read once. -1: the cost model's own choice."""
    tiles: dict[str, Any] = {}
    order = (-1, 3, 1, 2, 0)
    for number, tile in enumerate(order):
        left = result.left()
        if left < 5:
            break
        seconds = max(left / (len(order) - number) - 2, 1)
        variables = os.environ | ({"ANYDIM_OPENCL_TILE": str(tile)} if tile >= 0 else {})
        command = [sys.executable, str(HERE / "steps.py"), "sweep_child", "-", f"{seconds:.0f}"]
        done = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            said, wrong = done.communicate(timeout=seconds + 1)
        except subprocess.TimeoutExpired:
            done.kill()
            said, wrong = done.communicate()
        lines = [json.loads(line) for line in said.splitlines() if line.startswith("{") and line.endswith("}")]
        tiles[str(tile)] = {line.pop("name"): line for line in lines}
        result.tell(tiles=tiles, **({"said": wrong[-1000:]} if done.returncode else {}))


def models_here() -> dict[str, Path]:
    return {name: BRING / "models" / f"{name}.onnx" for name in MODELS if (BRING / "models" / f"{name}.onnx").exists()}


def exported(result: Result) -> dict[str, Path]:
    """What torch here can export in the time; what fails is left out."""
    folder = result.file.parent / "zoo"
    script = HERE.parents[1] / "bench" / "architectures" / "export.py"
    made = {}
    for name in EXPORTED:
        if result.left() < 40:
            break
        output_of(sys.executable, str(script), str(folder), name, seconds=30)
        found = sorted(folder.glob(f"**/{name}.onnx"))
        if found:
            made[name] = found[0]
    return made


def feeds_of(name: str, dims: str | None, sizes: Any) -> dict[str, Any]:
    import numpy as np

    if dims is not None:
        return {"": np.random.default_rng(3).uniform(-1, 1, [int(n) for n in dims.split(",")]).astype(np.float32)}
    sys.path.insert(0, str(HERE.parents[1] / "bench"))
    from architectures.catalogue import NAMED

    return NAMED[name].feeds(sizes or NAMED[name].stream[0])  # type: ignore[no-any-return]


def network_child(name: str, file: str, dims: str) -> None:
    """One network at one shape: prints what is known of it, as JSON."""
    import anydim

    told: dict[str, Any] = {}
    begun = time.perf_counter()
    engine = device_engine()
    told["engine_s"] = time.perf_counter() - begun
    begun = time.perf_counter()
    device = anydim.InferenceSession(file, engines=[engine], contexts=1)
    told["load_s"] = time.perf_counter() - begun
    host = anydim.InferenceSession(file, contexts=1)
    feeds = feeds_of(name, dims or None, None)
    if "" in feeds:
        feeds = {device.get_inputs()[0].name: feeds[""]}
    begun = time.perf_counter()
    ours = device.run(None, feeds)
    told["first_ms"] = 1e3 * (time.perf_counter() - begun)
    theirs = host.run(None, feeds)
    told["same_bits"] = all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))
    told["device_ms"] = milliseconds(lambda: device.run(None, feeds))
    told["host_ms"] = milliseconds(lambda: host.run(None, feeds))
    nodes = device.explain()["nodes"]
    told["nodes_on_device"] = sum(node["engine"] == "opencl" for node in nodes)
    told["copies"] = sum(not node["kernel"] for node in nodes)
    told["nodes"] = len(nodes)
    told["programs"] = {k: v for k, v in anydim.counters().items() if k.startswith("programs_")}
    print(json.dumps(told), flush=True)
    try:
        import onnxruntime

        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        told["onnxruntime_ms"] = milliseconds(lambda: session.run(None, feeds))
        if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
            cuda = onnxruntime.InferenceSession(file, providers=["CUDAExecutionProvider"])
            told["onnxruntime_cuda_ms"] = milliseconds(lambda: cuda.run(None, feeds))
    except Exception as error:
        told["onnxruntime"] = f"{type(error).__name__}: {error}"[:200]
    anydim.worker.drain(20)
    print(json.dumps(told), flush=True)


def networks(result: Result) -> None:
    rows: dict[str, Any] = {}

    def take(name: str, file: Path, dims: str, key: str) -> None:
        command = [sys.executable, str(HERE / "steps.py"), "network_child", "-", "0", name, str(file), dims]
        begun = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=max(min(result.left() - 2, 40), 1))
            lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
            rows[key] = json.loads(lines[-1]) if lines else {"error": done.stderr[-500:]}
        except subprocess.TimeoutExpired as late:
            lines = [
                line
                for line in (late.stdout or b"").decode().splitlines()
                if line.startswith("{") and line.endswith("}")
            ]
            rows[key] = (json.loads(lines[-1]) if lines else {}) | {"error": "no time was left"}
        rows[key]["seconds"] = round(time.monotonic() - begun, 1)
        result.tell(rows=rows)

    for cold in (True, False):  # then with what the first ones compiled
        for name, file in models_here().items():
            if result.left() > 5:
                take(name, file, MODELS[name][0 if cold else 1], f"{name} {'cold' if cold else 'warm'}")
    for name, file in exported(result).items():
        if result.left() > 5:
            take(name, file, "", name)
    if result.left() > 10:
        result.tell(torch=torch_products())


def torch_products() -> Any:
    """Products of torch on its own device, with and without TF32, GFLOP/s: what the machine can do."""
    try:
        import torch

        if not torch.cuda.is_available():
            return "torch has no device"
        rows = {}
        for tf32 in (False, True):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            for n in (256, 1024, 4096):
                a, b = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
                for _ in range(3):
                    a @ b
                torch.cuda.synchronize()
                begun = time.perf_counter()
                for _ in range(10):
                    a @ b
                torch.cuda.synchronize()
                rows[f"{n} {'tf32' if tf32 else 'f32'}"] = round(
                    2.0 * n**3 * 10 / (time.perf_counter() - begun) / 1e9, 1
                )
        return rows
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]


def launches(result: Result) -> None:
    """What many small launches cost, and a large copy each way."""
    import anydim
    import numpy as np

    engine = device_engine()
    graph = anydim.ModelBuilder(opset=17)
    value = graph.input("x", [None])
    for i in range(100):
        value = graph.node("Relu" if i % 2 else "Neg", value)
    graph.output(value)
    session = anydim.InferenceSession(graph, engines=[engine], contexts=1, passes="none")
    small = np.ones(256, np.float32)
    session.run(None, {"x": small})
    nodes = len(session.explain()["nodes"])
    each = milliseconds(lambda: session.run(None, {"x": small}), 1.0)
    result.tell(nodes=nodes, microseconds_a_launch=1e3 * each / max(nodes, 1), call_ms=each)
    one = anydim.ModelBuilder(opset=17)
    one.output(one.node("Relu", one.input("x", [None])))
    session = anydim.InferenceSession(one, engines=[engine], contexts=1)
    for megabytes in (1, 64):
        large = np.ones(megabytes << 18, np.float32)
        took = milliseconds(partial(session.run, None, {"x": large}))
        result.tell(**{f"copies_{megabytes}_mb_gb_a_second": round(2 * megabytes / 1024 / (took / 1e3), 2)})


def scaling(result: Result) -> None:
    """The CPU engine at more threads, one caller and many; ONNX Runtime beside it."""
    import anydim
    import numpy as np

    cores = len(os.sched_getaffinity(0))
    counts = [n for n in (1, 2, 4, 8, 16) if n <= cores]
    rows: dict[str, Any] = {}
    for name, file in models_here().items():
        for dims in MODELS[name][:1]:
            x = np.random.default_rng(4).uniform(-1, 1, [int(n) for n in dims.split(",")]).astype(np.float32)
            row: dict[str, Any] = {}
            for threads in reversed(counts):
                if result.left() < 2:
                    return
                session = anydim.InferenceSession(str(file), threads=threads, contexts=1)
                feed = {session.get_inputs()[0].name: x}
                begun = time.perf_counter()
                session.run(None, feed)
                row[f"first_{threads}"] = round(1e3 * (time.perf_counter() - begun), 3)
                row[f"ms_{threads}"] = round(milliseconds(partial(session.run, None, feed)), 3)
                try:
                    import onnxruntime

                    options = onnxruntime.SessionOptions()
                    options.intra_op_num_threads = threads
                    peer = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
                    row[f"onnxruntime_ms_{threads}"] = round(milliseconds(partial(peer.run, None, feed)), 3)
                except Exception as error:
                    row["onnxruntime"] = f"{type(error).__name__}: {error}"[:200]
                rows[name] = row
                result.tell(rows=rows)
            row["calls_a_second_of_many"] = round(many_callers(str(file), x, cores), 1)
            result.tell(rows=rows)


def many_callers(file: str, x: Any, callers: int) -> float:
    """So many threads, each with a run of one thread at a time."""
    import anydim

    session = anydim.InferenceSession(file, threads=1, contexts=min(callers, 64))
    feed = {session.get_inputs()[0].name: x}
    session.run(None, feed)
    counts = [0] * callers
    end = time.perf_counter() + 1

    def call(number: int) -> None:
        while time.perf_counter() < end:
            session.run(None, feed)
            counts[number] += 1

    threads = [threading.Thread(target=call, args=(n,)) for n in range(callers)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begun)


def main() -> None:
    name, file, seconds, *rest = sys.argv[1:]
    if name == "sweep_child":
        sweep_child(float(seconds))
    elif name == "network_child":
        network_child(*rest)
    else:
        step = {step.__name__: step for step in (machine, driver, kernels, sweep, networks, launches, scaling)}[name]
        step(Result(Path(file), float(seconds)))


if __name__ == "__main__":
    main()
