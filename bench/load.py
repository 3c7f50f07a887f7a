# SPDX-License-Identifier: Apache-2.0
"""Loading: time and peak resident set of large models, beside ONNX Runtime.

The models are made here with random weights: BERT-base (109 M parameters) with its table of words read once, with the
table also used, transposed, by the last product (tied), with external data; and a network of VGG's form (138 M
parameters). Any ONNX file may be given instead. Every figure comes from a fresh process whose file is in the page
cache: the time of making the session, the CPU time of all its threads (which other processes disturb less), and VmHWM
once it is there and once it has run. One thread means one core (sched_setaffinity).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "large-models"
WORDS, WIDTH, HEADS, LAYERS = 30522, 768, 12, 12
ENGINES = ("anydim", "onnxruntime")


def make_bert(path: Path, *, tied: bool = False, external: bool = False) -> None:
    import numpy as np
    import onnx
    from made_models import Builder
    from onnx import TensorProto, helper

    class Large(Builder):  # type: ignore[misc]  # by its name from the path when it runs
        def weight(self, *dims: int) -> str:
            return str(self.constant(self.random.standard_normal(dims, np.float32) * np.float32(0.02)))

    b = Large()
    words, places, kinds = b.weight(WORDS, WIDTH), b.weight(512, WIDTH), b.weight(2, WIDTH)
    length = b.node("Gather", b.node("Shape", "ids"), b.constant([1], np.int64))
    place = b.node("Slice", places, b.constant([0], np.int64), length, b.constant([0], np.int64))
    x = b.node("Add", b.node("Gather", words, "ids"), b.node("Gather", kinds, "kinds"))
    x = b.norm(b.node("Add", x, place), WIDTH)
    for _ in range(LAYERS):
        x = b.norm(b.node("Add", x, b.attention(x, WIDTH, HEADS)), WIDTH)
        inner = b.gelu(b.linear(x, WIDTH, 4 * WIDTH))
        x = b.norm(b.node("Add", x, b.linear(inner, 4 * WIDTH, WIDTH)), WIDTH)
    if tied:
        x = b.node("MatMul", x, b.node("Transpose", words, perm=[1, 0]))
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("ids", "kinds")]
    out = [helper.make_tensor_value_info(x, TensorProto.FLOAT, None)]
    graph = helper.make_graph(b.nodes, path.stem, ids, out, b.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path, save_as_external_data=external, location=path.stem + ".data")


def make_vgg(path: Path) -> None:
    import numpy as np
    from made_models import Builder
    from onnx import TensorProto, helper

    class Large(Builder):  # type: ignore[misc]  # by its name from the path when it runs
        def weight(self, *dims: int) -> str:
            fan_in = int(np.prod(dims[1:])) if len(dims) > 2 else dims[0]
            return str(self.constant(self.random.standard_normal(dims, np.float32) * np.float32(fan_in**-0.5)))

    b = Large()
    x, channels = "image", 3
    for width, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            x, channels = b.conv_relu(x, channels, width), width
        x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Flatten", x)
    for inputs, outputs in ((512 * 49, 4096), (4096, 4096), (4096, 1000)):
        x = b.node("Gemm", x, b.weight(outputs, inputs), b.weight(outputs), transB=1)
        x = x if outputs == 1000 else b.node("Relu", x)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 224, 224])
    out = helper.make_tensor_value_info(x, TensorProto.FLOAT, None)
    graph = helper.make_graph(b.nodes, path.stem, [image], [out], b.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())


MAKERS = {
    "bert": make_bert,
    "bert_tied": lambda path: make_bert(path, tied=True),
    "bert_external": lambda path: make_bert(path, external=True),
    "vgg": make_vgg,
}


def made(name: str) -> Path:
    path = FOLDER / f"{name}.onnx"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, __file__, "--make", name], check=True)
    return path


def peak() -> float:
    """VmHWM of this process in MiB."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(text.split("VmHWM:")[1].split()[0]) / 1024


def feeds(inputs: Any) -> dict[str, Any]:
    import numpy as np

    given = {}
    for info in inputs:
        dims = [d if isinstance(d, int) else 8 if "int" in info.type else 1 for d in info.shape]
        if len(dims) == 4:
            dims = [d if isinstance(d, int) else (1, 3, 64, 320)[i] for i, d in enumerate(info.shape)]
        given[info.name] = np.ones(dims, np.int64 if "int" in info.type else np.float32)
    return given


def measure(engine: str, model: Path, threads: int, from_bytes: bool) -> dict[str, float]:
    """In a process of its own."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    import numpy as np

    np.ones(1)
    if engine == "anydim":
        import anydim
    else:
        import onnxruntime
    source: Any = model.read_bytes() if from_bytes else str(model)
    before = peak()
    start, spent = time.perf_counter(), time.process_time()
    if engine == "anydim":
        session = anydim.InferenceSession(source, threads=threads)
    else:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    load, spent = time.perf_counter() - start, time.process_time() - spent
    loaded = peak()
    session.run(None, feeds(session.get_inputs()))
    return {"load_ms": load * 1e3, "cpu_ms": spent * 1e3, "before": before, "loaded": loaded, "run": peak()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(MAKERS), help=f"{', '.join(MAKERS)}, or ONNX files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--bytes", action="store_true", help="the model is given as bytes, not as a path")
    parser.add_argument("--make", help=argparse.SUPPRESS)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        MAKERS[options.make](FOLDER / f"{options.make}.onnx")
        return
    if options.measure:
        engine, model, threads = options.measure
        print(json.dumps(measure(engine, Path(model), int(threads), options.bytes)))
        return

    print(f"load: medians of {options.rounds} processes; file in the page cache; MiB are VmHWM, the process included")
    print(
        f"{'model':<16}{'threads':>8}  {'engine':<13}{'load, ms':>10}{'CPU, ms':>9}{'loaded, MiB':>13}{'run, MiB':>10}"
    )
    for name in options.models:
        path = made(name) if name in MAKERS else Path(name)
        for file in (path, path.with_suffix(".data")):
            if file.exists():
                file.read_bytes()
        for threads in options.threads:
            seen: dict[str, list[dict[str, float]]] = {engine: [] for engine in options.engines}
            for i in range(options.rounds):
                order = options.engines if i % 2 == 0 else options.engines[::-1]
                for engine in order:
                    command = [sys.executable, __file__, "--measure", engine, str(path), str(threads)]
                    done = subprocess.run(
                        command + ["--bytes"] * options.bytes, capture_output=True, text=True, check=False
                    )
                    if done.returncode != 0:
                        raise RuntimeError(f"{engine} failed:\n{done.stderr[-2000:]}")
                    seen[engine].append(json.loads(done.stdout.splitlines()[-1]))
            for engine, runs in seen.items():
                middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
                print(
                    f"{path.stem:<16}{threads:>8}  {engine:<13}{middle['load_ms']:>10.1f}{middle['cpu_ms']:>9.1f}{middle['loaded']:>13.0f}"
                    f"{middle['run']:>10.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
