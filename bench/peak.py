# SPDX-License-Identifier: Apache-2.0
"""Share of the processor's multiply-adds that layers reach, beside ONNX Runtime and OpenVINO: docs/peak.md and its picture.

  bench/peak.py                              all layers, one thread: 6 minutes on a quiet machine
  bench/peak.py --only vit 3x3               those whose names hold one of these words; the page keeps the others' last figures
  bench/peak.py --page                       the page and the picture from what was measured before

A unit is one layer, or two that go there and back (256 to 64 to 256 channels), so that units can follow each other. A model of several
units and one of a single unit are called alternately; the difference of their times is that of the units between, without what stands
at a model's edges. Medians over rounds that alternate between the engines. The peak is measured in the same run: multiply-adds of
binary32 in registers (bench/peak.c). `reduced` computes in bfloat16, whose peak is twice that one on CPUs that have it.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import machine

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    from made_models import Builder

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "peak.json"
PAGE = ROOT / "docs" / "peak.md"
PICTURE = ROOT / "docs" / "images" / "peak.png"
Mode = Literal["strict", "fast", "reduced"]
WAYS = (*get_args(Mode), "onnxruntime", "openvino")
TITLES = {
    "strict": "strict",
    "fast": "fast",
    "reduced": "reduced",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
}
Row = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    make: Callable[[Builder, str], str]
    shape: tuple[int, ...]
    flops: float  # two for each multiply-add
    units: int = 4  # of the longer model


def conv(channels: int, side: int, kernel: int, group: int = 1, act: str = "Relu") -> Unit:
    def make(b: Builder, x: str) -> str:
        y = b.conv(x, channels, channels, kernel, group=group)
        return str(b.node(act, y) if act else y)

    return Unit(make, (1, channels, side, side), 2.0 * side * side * channels * channels / group * kernel * kernel)


def pair(channels: int, inner: int, side: int) -> Unit:
    """1x1 convolutions to `inner` channels and back."""

    def make(b: Builder, x: str) -> str:
        return str(b.conv(b.conv_relu(x, channels, inner, 1), inner, channels, 1))

    return Unit(make, (1, channels, side, side), 4.0 * side * side * channels * inner)


def products(rows: int, width: int, inner: int, units: int = 4) -> Unit:
    """A product to `inner` columns and one back."""

    def make(b: Builder, x: str) -> str:
        y = b.node("MatMul", x, b.weight(width, inner))
        return str(b.node("MatMul", y, b.weight(inner, width)))

    return Unit(make, (rows, width), 4.0 * rows * width * inner, units)


def conv1d(channels: int, length: int, kernel: int, dilation: int) -> Unit:
    def make(b: Builder, x: str) -> str:
        y = b.node("LeakyRelu", x, alpha=0.1)
        return str(b.conv(y, channels, channels, kernel, rank=1, dilations=[dilation]))

    return Unit(make, (1, channels, length), 2.0 * length * channels * channels * kernel)


LAYERS: dict[str, Unit] = {
    "ResNet-50 1x1 256-64, 56x56": pair(256, 64, 56),
    "ResNet-50 3x3 64, 56x56": conv(64, 56, 3),
    "ResNet-50 1x1 512-128, 28x28": pair(512, 128, 28),
    "ResNet-50 3x3 128, 28x28": conv(128, 28, 3),
    "ResNet-50 1x1 1024-256, 14x14": pair(1024, 256, 14),
    "ResNet-50 3x3 256, 14x14": conv(256, 14, 3),
    "ResNet-50 1x1 2048-512, 7x7": pair(2048, 512, 7),
    "ResNet-50 3x3 512, 7x7": conv(512, 7, 3),
    "ResNeXt 3x3 128 in 32 groups, 56x56": conv(128, 56, 3, 32),
    "ResNeXt 3x3 256 in 32 groups, 28x28": conv(256, 28, 3, 32),
    "VGG 3x3 64, 224x224": conv(64, 224, 3),
    "VGG 3x3 256, 56x56": conv(256, 56, 3),
    "VGG 3x3 512, 28x28": conv(512, 28, 3),
    "MobileNetV3 1x1 40-120, 28x28": pair(40, 120, 28),
    "MobileNetV3 1x1 112-672, 14x14": pair(112, 672, 14),
    "MobileNetV3 depthwise 5x5 120, 28x28": conv(120, 28, 5, 120, "HardSwish"),
    "MobileNetV3 depthwise 3x3 200, 14x14": conv(200, 14, 3, 200, "HardSwish"),
    "EfficientNet 1x1 48-288, 56x56": pair(48, 288, 56),
    "EfficientNet depthwise 5x5 288, 28x28": conv(288, 28, 5, 288, ""),
    "ConvNeXt depthwise 7x7 96, 56x56": conv(96, 56, 7, 96, ""),
    "ConvNeXt products 96-384, 3136 rows": products(3136, 96, 384),
    "Swin products 192-768, 784 rows": products(784, 192, 768),
    "ViT-B products 768-3072, 197 rows": products(197, 768, 3072),
    "BERT products 768-3072, 1 row": products(1, 768, 3072),
    "BERT products 768-3072, 16 rows": products(16, 768, 3072),
    "BERT products 768-3072, 128 rows": products(128, 768, 3072),
    "BERT products 768-3072, 512 rows": products(512, 768, 3072),
    "Llama-7B products 4096-11008, 1 row": products(1, 4096, 11008, 2),
    "Llama-7B products 4096-11008, 8 rows": products(8, 4096, 11008, 2),
    "Llama-7B products 4096-11008, 64 rows": products(64, 4096, 11008, 2),
    "GPT-2 products 768-3072, 1024 rows": products(1024, 768, 3072),
    "HiFi-GAN 1-D k3 256, 240": conv1d(256, 240, 3, 1),
    "HiFi-GAN 1-D k11 d5 128, 1920": conv1d(128, 1920, 11, 5),
    "HiFi-GAN 1-D k7 d3 32, 7680": conv1d(32, 7680, 7, 3),
    "Stable Diffusion 3x3 320, 64x64": conv(320, 64, 3),
    "Stable Diffusion 3x3 640, 32x32": conv(640, 32, 3),
    "Stable Diffusion 3x3 1280, 16x16": conv(1280, 16, 3),
    "Stable Diffusion products 320-1280, 4096 rows": products(4096, 320, 1280),
    "VAE 3x3 256, 128x128": conv(256, 128, 3),
}


def peak() -> float:
    """GFLOP/s of one core in binary32; 0 where it could not be measured."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "peak"
        subprocess.run(["cc", "-O2", str(ROOT / "bench" / "peak.c"), "-o", str(program)], check=True)
        return float(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)


def model_of(unit: Unit, count: int) -> bytes:
    from made_models import Builder
    from onnx import TensorProto, helper

    b, y = Builder(), "x"
    for _ in range(count):
        y = unit.make(b, y)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(unit.shape))
    out = helper.make_tensor_value_info(y, TensorProto.FLOAT, list(unit.shape))
    graph = helper.make_graph(b.nodes, "layers", [x], [out], b.constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def calls_of(unit: Unit, count: int) -> dict[str, Callable[[], Any]]:
    import anydim
    import numpy as np
    from engines import open_onnxruntime, open_openvino

    model = model_of(unit, count)
    x = np.random.default_rng(1).uniform(-1, 1, unit.shape).astype(np.float32)
    calls: dict[str, Callable[[], Any]] = {}
    for mode in get_args(Mode):
        calls[mode] = partial(anydim.InferenceSession(model, threads=1, math=mode).run, None, {"x": x})
    calls["onnxruntime"] = partial(open_onnxruntime(model, 1).call, x)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layers.onnx"
        path.write_bytes(model)
        calls["openvino"] = partial(open_openvino(path, 1).call, x)
    return calls


def fastest(call: Callable[[], Any], seconds: float) -> float:
    """Of calls for so long, of the process's processor time: what other programs take does not count."""
    best, end = math.inf, time.perf_counter() + seconds
    while time.perf_counter() < end or best == math.inf:
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def measure(name: str, unit: Unit, rounds: int) -> Row:
    long, short = calls_of(unit, unit.units), calls_of(unit, 1)
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for way in WAYS:
        long[way](), short[way]()
    for at in range(rounds):
        for way in WAYS[at % len(WAYS) :] + WAYS[: at % len(WAYS)]:
            both = fastest(long[way], 0.04) - fastest(short[way], 0.04)
            times[way].append(max(both, 1e-9) / (unit.units - 1))
    rates = {way: unit.flops / statistics.median(found) / 1e9 for way, found in times.items()}
    print(f"peak: {name}: " + ", ".join(f"{TITLES[way]} {rates[way]:.0f}" for way in WAYS), flush=True)
    return {"flops": unit.flops, "rates": rates}


# --- the page --------------------------------------------------------------------------------------------------------


def draw(document: Row) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = {name: document["rows"][name] for name in LAYERS if name in document["rows"]}
    looks = {"strict": ("tab:red", "o"), "fast": ("tab:orange", "D"), "reduced": ("tab:purple", "s")}
    looks |= {"onnxruntime": ("tab:blue", "|"), "openvino": ("tab:green", "x")}
    figure, panel = pyplot.subplots(figsize=(11, 0.27 * len(rows) + 1.2))
    places = list(range(len(rows)))[::-1]
    for way, (colour, marker) in looks.items():
        shares = [row["rates"][way] / document["peak"] for row in rows.values()]
        panel.scatter(shares, places, color=colour, marker=marker, s=34, label=TITLES[way])
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_yticks(places, list(rows), fontsize=8)
    panel.set_xlim(left=0)
    panel.grid(axis="x", alpha=0.3)
    panel.set_xlabel(f"share of {document['peak']:.0f} GFLOP/s, multiply-adds of binary32 in registers, one thread")
    panel.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncol=len(looks), fontsize=8, frameon=False)
    panel.set_ylim(-1, len(rows))
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


def write_page(document: Row) -> None:
    draw(document)
    rows = {name: document["rows"][name] for name in LAYERS if name in document["rows"]}
    host = document["machine"]
    flags = ", ".join(f for f in host["cpu"]["flags"] if f.startswith(("avx512", "amx"))) or "AVX2"
    over = [
        row["rates"]["strict"] / max(row["rates"]["onnxruntime"], row["rates"]["openvino"]) for row in rows.values()
    ]
    below = [name for name, ratio in zip(rows, over, strict=True) if ratio < 0.9]
    mean = math.exp(sum(map(math.log, over)) / len(over))
    prose = [
        "# Layers beside the processor's peak",
        "<!-- Written by bench/peak.py. -->",
        "How much of what the processor can multiply and add do layers reach? The peak here is that of binary32 in registers, "
        f"{document['peak']:.0f} GFLOP/s of one core, measured in the same run. `strict` and the other engines cannot pass it. "
        "`fast` does: Winograd's form needs fewer multiplications, and a layer's rate counts those of the direct form. So does "
        "`reduced`, whose products are of bfloat16.",
        "![Share of the peak that layers reach in each mode and engine](images/peak.png)",
        f"`strict` reaches {mean:.2f} of the faster other engine's rate in the geometric mean. Below 0.9 of it: "
        + ("; ".join(below) if below else "none")
        + ".",
        f"Measured on {host['when'][:10]} at commit {host['commit']}, {host['cpu']['model']} with {flags}, one thread, by "
        "`make peak`. A unit is one layer, or two there and back; the time is the difference between a model of several units "
        "and one of a single unit. Products of one row read their weights from memory, which bounds them.",
    ]
    lines = ["\n".join(textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)) for text in prose]
    table = [
        "| GFLOP/s | strict | fast | reduced | ONNX Runtime | OpenVINO (f32) | strict / peak | strict / faster one |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (name, row), ratio in zip(rows.items(), over, strict=True):
        rates = " | ".join(f"{row['rates'][way]:.0f}" for way in WAYS)
        table.append(f"| {name} | {rates} | {row['rates']['strict'] / document['peak']:.2f} | {ratio:.2f} |")
    PAGE.write_text("\n\n".join([*lines, "\n".join(table)]) + "\n", encoding="utf-8")
    print(f"peak: written to {PAGE.relative_to(ROOT)} and {PICTURE.relative_to(ROOT)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="WORD", help="layers whose names hold one of these words")
    parser.add_argument("--rounds", type=int, default=7, help="of each layer (default 7)")
    parser.add_argument("--page", action="store_true", help="measures nothing")
    options = parser.parse_args()
    document: Row = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {"rows": {}}
    if not options.page:
        chosen = {
            n: u for n, u in LAYERS.items() if not options.only or any(w.lower() in n.lower() for w in options.only)
        }
        if not chosen:
            parser.error(f"no layer's name holds one of {', '.join(options.only)}")
        about = {"command": shlex.join(["python3", *sys.argv]), "kind": "peak", "machine": machine.describe()}
        document |= about | {"peak": peak()}
        print(f"peak: {document['peak']:.1f} GFLOP/s, multiply-adds of binary32 in registers", flush=True)
        for name, unit in chosen.items():
            document["rows"][name] = measure(name, unit, options.rounds)
        RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    write_page(document)


if __name__ == "__main__":
    main()
