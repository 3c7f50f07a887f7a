# SPDX-License-Identifier: Apache-2.0
"""Decoding with a cache beside ONNX Runtime and OpenVINO: prompts in one call each, then token by token behind the last. Each engine is a
process of its own; they take turns within one run, and they compute in binary32, the cache's too.

    .venv/bin/python bench/decoders.py --model llama gpt2 --prompt 64 --tokens 64
    .venv/bin/python bench/decoders.py --weights int4
    .venv/bin/python bench/decoders.py --weights f32 f16 int8 int4 --prompts 40 --prompt 512 --tokens 128 --batch 4

Anydim keeps the cache in a state of the session; ONNX Runtime has it bound (what a step gives is the next one's input, without a copy
to numpy); OpenVINO in its own state. The first pass over the lengths meets each for the first time, later ones meet it again; free memory is
touched before. What the memory gives is read before and after each pass; shares of it are those of a middle token of a middle pass.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ENGINES = ("Anydim", "ONNX Runtime", "OpenVINO")


def lengths(names: set[str], batch: int, before: int, count: int) -> dict[str, Any]:
    """The inputs that hold where a step's tokens stand."""
    import numpy as np

    total = before + count
    if "position_ids" in names:
        return {"position_ids": np.ascontiguousarray(np.broadcast_to(np.arange(before, total), (batch, count)))}
    return {"seqlens_k": np.full(batch, total - 1, np.int32), "total_sequence_length": np.array(total, np.int32)}


class Anydim:
    def __init__(self, path: str, options: argparse.Namespace) -> None:
        import anydim

        self.session = anydim.InferenceSession(path, threads=options.threads, contexts=1)
        self.names = {i.name for i in self.session.get_inputs()}
        pairs = {n: (n.replace("past", "present"), 2) for n in self.names if n.startswith("past.")}
        self.state = self.session.state(pairs, options.prompt + options.tokens)

    def reset(self, batch: int) -> None:
        self.state.reset()

    def step(self, ids: Any, before: int) -> Any:
        return self.state.step({"input_ids": ids, **lengths(self.names, len(ids), before, ids.shape[1])})[0]


class OnnxRuntime:
    def __init__(self, path: str, options: argparse.Namespace) -> None:
        import onnxruntime as ort

        of_session = ort.SessionOptions()
        of_session.intra_op_num_threads = options.threads
        self.ort, self.session = ort, ort.InferenceSession(path, of_session, providers=["CPUExecutionProvider"])
        self.inputs = {i.name: i.shape for i in self.session.get_inputs()}
        self.names = set(self.inputs)
        self.past = [n for n in self.inputs if n.startswith("past.")]

    def reset(self, batch: int) -> None:
        import numpy as np

        self.cache = {
            n: self.ort.OrtValue.ortvalue_from_numpy(
                np.zeros((batch, self.inputs[n][1], 0, self.inputs[n][3]), np.float32)
            )
            for n in self.past
        }

    def step(self, ids: Any, before: int) -> Any:
        binding = self.session.io_binding()
        for n, v in {"input_ids": ids, **lengths(self.names, len(ids), before, ids.shape[1])}.items():
            binding.bind_cpu_input(n, v)
        for n, v in self.cache.items():
            binding.bind_ortvalue_input(n, v)
        binding.bind_output("logits")
        for n in self.past:
            binding.bind_output(n.replace("past", "present"))
        self.session.run_with_iobinding(binding)
        logits, *present = binding.get_outputs()
        self.cache = dict(zip(self.past, present, strict=True))
        return logits.numpy()


class OpenVino:
    def __init__(self, path: str, options: argparse.Namespace) -> None:
        import openvino as ov
        from openvino._offline_transformations import apply_make_stateful_transformation

        core = ov.Core()
        model = core.read_model(path)
        names = [next(iter(i.get_names())) for i in model.inputs]
        self.names = set(names)
        # A state of unknown batch would begin with a batch of 0.
        dims = {i: i.get_partial_shape() for i in model.inputs if next(iter(i.get_names())).startswith("past.")}
        model.reshape({i: ov.PartialShape([options.batch, *list(d)[1:]]) for i, d in dims.items()})
        apply_make_stateful_transformation(
            model, {n: n.replace("past", "present") for n in names if n.startswith("past.")}
        )
        # Without the last of them activations become 8 bits before products with numbers of few bits.
        precision = {
            "INFERENCE_PRECISION_HINT": "f32",
            "KV_CACHE_PRECISION": "f32",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
        }
        threads = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": options.threads}
        self.request = core.compile_model(model, "CPU", {**precision, **threads}).create_infer_request()

    def reset(self, batch: int) -> None:
        self.request.reset_state()

    def step(self, ids: Any, before: int) -> Any:
        given = self.request.infer({"input_ids": ids, **lengths(self.names, len(ids), before, ids.shape[1])})
        return next(iter(given.values()))


def prompt_lengths(options: argparse.Namespace) -> list[int]:
    """One of --prompt tokens, or drawn ones of at most so many, each other than the rest."""
    if options.prompts == 1:
        return [options.prompt]
    drawn: list[int] = random.Random(3).sample(range(1, options.prompt + 1), options.prompts)
    return drawn


def work(engine: str, path: str, options: argparse.Namespace) -> None:
    """A pass for each line that comes: seconds of the prompt and of each token."""
    import numpy as np

    makers: dict[str, Any] = {"Anydim": Anydim, "ONNX Runtime": OnnxRuntime, "OpenVINO": OpenVino}
    begin = time.perf_counter()
    decoder = makers[engine](path, options)
    print(json.dumps({"load": time.perf_counter() - begin}), flush=True)
    numbers = np.random.default_rng(2)
    prompts = [numbers.integers(0, options.words, (options.batch, n)) for n in prompt_lengths(options)]
    later = numbers.integers(0, options.words, (options.batch, options.tokens))
    for _ in sys.stdin:
        times, before, logits = [], 0, None
        for i, ids in enumerate((*prompts, *np.split(later, options.tokens, 1))):
            if i < len(prompts):
                decoder.reset(options.batch)
                before = 0
            ids = np.ascontiguousarray(ids)
            begin = time.perf_counter()
            logits = decoder.step(ids, before)
            times.append(time.perf_counter() - begin)
            before += ids.shape[1]
        status = Path("/proc/self/status").read_text()
        peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024
        print(
            json.dumps({"times": times, "peak": peak, "logits": np.asarray(logits)[:, -1].ravel()[:64].tolist()}),
            flush=True,
        )


def compare(kind: str, weights: str, options: argparse.Namespace) -> None:
    import numpy as np
    from decoder_models import GPT2, LLAMA_100M, SMALL, gpt2, llama, weight_bytes
    from machine import read_bandwidth, touch_memory

    make, shape = {"llama": (llama, LLAMA_100M), "gpt2": (gpt2, GPT2), "small": (llama, SMALL)}[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decoder.onnx"
        model = make(shape, weights=weights)
        touch_memory()  # before the model is written: its pages in the system's cache would go
        path.write_bytes(model)
        arguments = [f"--{n}={getattr(options, n)}" for n in ("threads", "batch", "prompt", "prompts", "tokens")]
        workers = {}
        for engine in options.engines:
            command = [sys.executable, __file__, "--work", engine, str(path), f"--words={shape.words}", *arguments]
            worker = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            assert worker.stdout is not None
            if not (line := worker.stdout.readline()):
                worker.wait()
                assert worker.stderr is not None
                print(
                    f"{kind:6} {weights:4} {engine:13} refuses: {worker.stderr.read().strip().splitlines()[-1][:150]}"
                )
                continue
            workers[engine] = (worker, json.loads(line)["load"])
        passes: dict[str, list[Any]] = {engine: [] for engine in workers}
        for _ in range(options.rounds):
            for engine, (worker, _) in list(workers.items()):
                assert worker.stdin is not None
                assert worker.stdout is not None
                before = read_bandwidth(options.threads)
                worker.stdin.write("go\n")
                worker.stdin.flush()
                line = worker.stdout.readline()
                if not line:
                    assert worker.stderr is not None
                    print(
                        f"{kind:6} {weights:4} {engine:13} fails: {worker.stderr.read().strip().splitlines()[-1][:150]}"
                    )
                    del workers[engine]
                    continue
                passes[engine].append(json.loads(line) | {"bandwidth": (before + read_bandwidth(options.threads)) / 2})
        for worker, _ in workers.values():
            worker.communicate()
    read = weight_bytes(model)
    key_heads = shape.heads if kind == "gpt2" else shape.key_heads
    of_a_key = 2 * shape.layers * key_heads * shape.head * 4 * options.batch
    behind = prompt_lengths(options)[-1]  # of the last prompt, the tokens come
    for engine, made in passes.items():
        if len(made) < 2:
            continue
        count = options.prompts

        def total(times: list[float], later: bool, count: int = count) -> float:
            return sum(times[count:] if later else times[:count])

        def share(part: list[float], keys: int) -> float:
            rates = [(read + keys * (behind + i + 1)) / seconds for i, seconds in enumerate(part)]
            return statistics.median(rates)

        shares = [
            statistics.median(share(p["times"][count:], keys) / p["bandwidth"] for p in made[1:])
            for keys in (0, of_a_key)
        ]
        bandwidth = statistics.median(p["bandwidth"] for p in made[1:])
        first_prompt, first = (
            total(made[0]["times"], later) / statistics.median(total(p["times"], later) for p in made[1:])
            for later in (False, True)
        )
        prompt, tokens = (
            options.batch * n / statistics.median(total(p["times"], later) for p in made[1:])
            for later, n in ((False, sum(prompt_lengths(options))), (True, options.tokens))
        )
        far = np.abs(np.array(made[0]["logits"]) - passes[next(iter(passes))][0]["logits"]).max()
        far /= np.abs(made[0]["logits"]).max()
        print(
            f"{kind:6} {weights:4} {engine:13} load {workers[engine][1]:5.2f} s  prompt {prompt:7.1f} tokens/s  later {tokens:6.1f} tokens/s"
            f"  first/later {first_prompt:.2f} {first:.2f}  peak {made[-1]['peak']:5.0f} MB  weights {shares[0]:.2f}"
            f" of what the memory gives, with keys and values {shares[1]:.2f} ({bandwidth / 1e9:.1f} GB/s)  logits within {far:.1e}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", nargs="+", choices=("llama", "gpt2", "small"), default=["llama"])
    parser.add_argument(
        "--weights",
        nargs="+",
        choices=("f32", "f16", "int8", "int4"),
        default=["f32"],
        help="as what matrices are held (default f32)",
    )
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--prompt", type=int, default=64)
    parser.add_argument(
        "--prompts", type=int, default=1, help="so many, of drawn lengths up to --prompt (default 1, of that length)"
    )
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=4, help="the first meets each length for the first time")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--words", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        engine, path = options.work
        work(engine, path, options)
        return 0
    for kind in options.model:
        for weights in options.weights:
            compare(kind, weights, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
