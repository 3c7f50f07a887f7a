# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/first_call.png from a result of bench/speed.py: per model and shape, the first call of each engine beside its later
calls, with a ring at those of Anydim's first calls that grew its memory. The figures are medians over processes.

  bench/speed_pictures.py [RESULT] [--threads 2] [--output FILE]      without RESULT: the latest of bench/results
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MODELS = {"det": "PP-OCRv4 det", "rec": "PP-OCRv4 rec", "yolo": "YOLOv8n"}
LOOKS = {
    "anydim": ("Anydim", "tab:red", "o"),
    "onnxruntime": ("ONNX Runtime", "tab:blue", "s"),
    "openvino": ("OpenVINO", "tab:green", "^"),
}


def stream_of(result: dict[str, Any], model: str, threads: int) -> dict[str, Any]:
    """The model's last stream, whose shapes come in random order."""
    found = [s for s in result["streams"] if s["model"] == model and s["threads"] == threads]
    if not found:
        raise SystemExit(f"the result has no stream of {model} with {threads} threads")
    return dict(found[-1])


def draw(result: dict[str, Any], threads: int, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(MODELS), figsize=(19, 5.4))
    for panel, (model, title) in zip(panels, MODELS.items(), strict=True):
        stream = stream_of(result, model, threads)
        places = range(len(stream["shapes"]))
        for engine, (name, colour, marker) in LOOKS.items():
            found = stream["by_shape"][engine]
            first = [quartiles[1] for quartiles in found["first_ms"]]
            later = [quartiles[1] for quartiles in found["second_again_ms"]]
            panel.plot(places, first, color=colour, marker=marker, label=f"{name}: first call")
            panel.plot(places, later, color=colour, linestyle=":", label=f"{name}: later calls")
            if engine == "anydim":
                grew = [i for i, times in enumerate(found["first_grew"]) if times]
                panel.scatter(
                    grew,
                    [first[i] for i in grew],
                    s=260,
                    facecolors="none",
                    edgecolors=colour,
                    linewidths=1.8,
                    label="Anydim: memory grew",
                )
        panel.set_xticks(places, [f"{shape[2]}x{shape[3]}" for shape in stream["shapes"]], rotation=60, fontsize=8)
        panel.set_ylim(bottom=0)
        panel.set_title(title)
        panel.set_xlabel("new shapes, in the order in which they came")
        panel.set_ylabel("ms for a call")
        panel.grid(alpha=0.3)
    figure.suptitle(f"First call at each new shape and later calls at it, float32, {threads} threads")
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="lower center", ncol=7, fontsize=9)
    figure.savefig(path, dpi=80, pil_kwargs={"optimize": True})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="?", type=Path, help="a file of bench/results")
    parser.add_argument("--threads", type=int, default=2, help="the streams with so many threads")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "images" / "first_call.png")
    options = parser.parse_args()
    path = options.result or max((ROOT / "bench" / "results").glob("speed-*.json"))
    draw(json.loads(path.read_text(encoding="utf-8")), options.threads, options.output)
    print(f"drawn from {path.name}: {options.output}")


if __name__ == "__main__":
    main()
