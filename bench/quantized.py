# SPDX-License-Identifier: Apache-2.0
"""Quantized models (bench/quantized_models.py), ours beside our own float form, ONNX Runtime and OpenVINO: steady calls at one
shape each and first calls at new shapes, in milliseconds, peers and we alternately. For short quiet runs:

  python bench/quantized.py [det rec cls yolo resnet18 mobilenet_v3 bert vit] [--forms qdq qoperator dynamic qdq16] [--threads 1]
    [--seconds 1.5]

With --agreement no times, but how far results are apart, as mean difference over the standard deviation of a result, over three drawn
inputs: ours and ONNX Runtime's; ONNX Runtime's with its integer kernels and without optimisations, where pairs of conversions stand
around float kernels; and the float form's from the quantized one's, both by ONNX Runtime. Of QDQ and QOperator models, too, how far
ONNX Runtime's results of the one form are from its results of the other, and ours of the one from ours of the other.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from engines import ENGINES
from quantized_models import FORMS, MODELS, MORE_FORMS, SHAPES, ZOO, feeds, quantized, shapes_of, source_of


def agreement(models: list[str], forms: list[str]) -> None:
    import anydim
    import numpy as np
    import onnxruntime

    def by_onnx_runtime(path: Path, optimised: bool) -> Any:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        level = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = level.ORT_ENABLE_ALL if optimised else level.ORT_DISABLE_ALL
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    print(
        f"{'model':22} {'ours, theirs':>13} {'exact, theirs plain':>20} {'theirs, plain':>14} {'theirs, float':>14} "
        f"{'theirs, other form':>19} {'ours, other form':>17}"
    )
    for model in models:
        for form in forms:
            path = quantized(model, form)
            ours, exact = (anydim.InferenceSession(str(path), passes=passes) for passes in ("all", "exact"))
            fused, plain, real = (
                by_onnx_runtime(path, True),
                by_onnx_runtime(path, False),
                by_onnx_runtime(source_of(model), True),
            )
            name = fused.get_inputs()[0].name
            other = {"qdq": "qoperator", "qoperator": "qdq"}.get(form)
            others = []
            if other is not None:
                theirs = by_onnx_runtime(quantized(model, other), True)
                others = [theirs, anydim.InferenceSession(str(quantized(model, other)))]
            apart: list[list[float]] = []
            for seed in range(3):
                x = feeds(model, SHAPES[model], name, seed)
                sessions = (ours, exact, fused, plain, real, *others)
                results = [np.asarray(session.run(None, x)[0], np.float64) for session in sessions]
                pairs = ((0, 2), (1, 3), (2, 3), (2, 4), *(((2, 5), (0, 6)) if others else ()))
                apart.append([float(np.mean(np.abs(results[a] - results[b])) / np.std(results[4])) for a, b in pairs])
            means = [statistics.mean(values) for values in zip(*apart, strict=True)]
            forms_apart = f" {means[4]:19.5f} {means[5]:17.5f}" if others else ""
            print(
                f"{model + '.' + form:22} {means[0]:13.5f} {means[1]:20.5f} {means[2]:14.5f} {means[3]:14.5f}{forms_apart}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--forms", nargs="+", default=FORMS, choices=FORMS + MORE_FORMS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.5, help="for each model and form")
    parser.add_argument("--agreement", action="store_true", help="how far results are apart, no times")
    options = parser.parse_args()
    if options.agreement:
        return agreement(options.models or [*MODELS, *ZOO], options.forms)
    import anydim

    print(
        f"{'model':18} {'ours float':>10} {'ours':>8} {'first':>8} {'ort':>8} {'openvino':>8} {'float/first':>11} {'ort/first':>9} "
        f"{'openvino/first':>14}"
    )
    for model in options.models or MODELS:
        source = source_of(model)
        ours_float = anydim.InferenceSession(str(source), threads=options.threads)
        name = ours_float.get_inputs()[0].name
        x = feeds(model, SHAPES[model], name)
        for form in options.forms:
            path = quantized(model, form)
            ours = anydim.InferenceSession(str(path), threads=options.threads)
            peers = {"onnxruntime": ENGINES["onnxruntime"](path, options.threads)}
            # The others have operators of com.microsoft that OpenVINO does not read.
            if form in ("qdq", "dynamic"):
                peers["openvino"] = ENGINES["openvino"](path, options.threads)
            runs: dict[str, Callable[[], object]] = {
                "float": partial(ours_float.run, None, x),
                "ours": partial(ours.run, None, x),
                **{peer: partial(session.call, x) for peer, session in peers.items()},
            }
            samples: dict[str, list[float]] = {what: [] for what in (*runs, "first")}
            for run in runs.values():
                run()
            # Half of the shapes warm the memory up; the other half lie between them and are new.
            new = [feeds(model, shape, name, 2) for shape in reversed(shapes_of(model, 8))]
            until = time.perf_counter() + options.seconds
            while time.perf_counter() < until or len(samples["ours"]) < 3:
                for what, run in runs.items():
                    begin = time.perf_counter()
                    run()
                    samples[what].append(time.perf_counter() - begin)
            for y in new:
                begin = time.perf_counter()
                ours.run(None, y)
                first = time.perf_counter() - begin
                samples["first"].append(first * next(iter(x.values())).size / next(iter(y.values())).size)
            ms = {"openvino": float("nan")} | {what: 1e3 * statistics.median(times) for what, times in samples.items()}
            ms["first"] = 1e3 * statistics.median(samples["first"][1:])
            print(
                f"{model + '.' + form:18} {ms['float']:10.2f} {ms['ours']:8.2f} {ms['first']:8.2f} {ms['onnxruntime']:8.2f} "
                f"{ms['openvino']:8.2f} {ms['float'] / ms['first']:11.2f} {ms['onnxruntime'] / ms['first']:9.2f} "
                f"{ms['openvino'] / ms['first']:14.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
