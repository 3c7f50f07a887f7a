# SPDX-License-Identifier: Apache-2.0
"""Quantized models (bench/quantized_models.py), ours beside our own float form, ONNX Runtime and OpenVINO: steady calls at one
shape each and first calls at new shapes, in milliseconds, peers and we in turns. For short quiet runs:

  python bench/quantized.py [det rec cls yolo resnet18 mobilenet_v3 bert vit] [--forms qdq qoperator dynamic] [--threads 1] [--seconds 1.5]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

from engines import ENGINES
from quantized_models import FORMS, MODELS, SHAPES, feeds, quantized, shapes_of, source_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--forms", nargs="+", default=FORMS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.5, help="for each model and form")
    options = parser.parse_args()
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
            if form != "qoperator":  # it has operators of com.microsoft that OpenVINO does not read
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
