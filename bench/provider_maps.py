# SPDX-License-Identifier: Apache-2.0
"""Where the resident set of a session of rec lies after 24 widths, by mapping: heap, other private memory, code of each library. In MiB, as
what the session and its runs added to the process. One way in each fresh process:

  for way in direct provider onnxruntime; do .venv/bin/python bench/provider_maps.py $way; done
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import Any

MODEL = str(Path(__file__).resolve().parent.parent / "build" / "models" / "rec.onnx")
WIDTHS = range(32, 32 + 24 * 24, 24)


def resident() -> Counter[str]:
    """KiB by mapping."""
    found: Counter[str] = Counter()
    name = ""
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        mapping = re.match(r"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$", line)
        if mapping:
            name = mapping.group(1).rsplit("/", 1)[-1] or "other private memory"
        elif line.startswith("Rss:"):
            found[name] += int(line.split()[1])
    return found


def session(way: str) -> Any:
    """Makes one when it is called; what it needs is imported before."""
    if way == "direct":
        import anydim

        return lambda: anydim.InferenceSession(MODEL, threads=1)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if way == "onnxruntime":
        return lambda: onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
    import anydim.ort

    options.add_provider_for_devices(anydim.ort.register(), {})
    return lambda: onnxruntime.InferenceSession(MODEL, options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=("direct", "provider", "onnxruntime"))
    arguments = parser.parse_args()
    import numpy as np

    make = session(arguments.way)
    before = resident()
    made = make()
    for width in WIDTHS:
        made.run(None, {"x": np.zeros((1, 3, 48, width), np.float32)})
    after = resident()
    added = {name: (after[name] - before[name]) / 1024 for name in after}
    for name, size in sorted(added.items(), key=lambda each: -each[1]):
        if abs(size) >= 0.2:
            print(f"{size:6.1f}  {name}")
    print(f"{sum(added.values()):6.1f}  all")


if __name__ == "__main__":
    main()
