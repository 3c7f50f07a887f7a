# SPDX-License-Identifier: Apache-2.0
"""The overhead of a call through Java: JMH's median of a run of an empty model into the caller's tensors beside C's, alternately.

The target of the design: at most 2 us over C's. Needs the artifact in the local Maven repository (make java); the model is made
here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from pathlib import Path

from onnx import TensorProto, helper, save

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDER = ROOT / "build" / "java" / "bench"
TARGET = 2000  # nanoseconds


def empty_model() -> Path:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "m"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "empty", [x], [y])
    path = FOLDER / "empty.onnx"
    FOLDER.mkdir(parents=True, exist_ok=True)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("maven", nargs="*", help="more for Maven, behind --")
    arguments = parser.parse_args()
    model = empty_model()
    program = FOLDER / "overhead"
    library = ROOT / "build" / "lib"
    subprocess.run(
        ["cc", "-O2", "-std=c11", f"-I{ROOT}/capi/include", str(ROOT / "bench" / "overhead.c"), "-o", str(program),
         f"-L{library}", "-lanydim", f"-Wl,-rpath,{library}"], check=True,
    )  # fmt: skip
    medians: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        told = subprocess.run([str(program), str(model), "200000"], check=True, capture_output=True, text=True).stdout
        medians.setdefault("C", []).append(float(told))
        results = FOLDER / "results.json"
        jmh = f"-f 1 -wi 2 -w 1 -i 3 -r 1 -rf json -rff {results} -p model={model}"
        subprocess.run(
            ["mvn", "-B", "-q", "-ntp", "-f", str(HERE / "pom.xml"), *arguments.maven, "compile", "exec:exec",
             f"-Danydim.arguments={jmh}"], check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        for result in json.loads(results.read_text(encoding="utf-8")):
            name = result["benchmark"].rsplit(".", 1)[1]
            medians.setdefault(name, []).append(result["primaryMetric"]["scorePercentiles"]["50.0"])
    for name, values in medians.items():
        print(f"{name:<10} {statistics.median(values):7.0f} ns  ({min(values):.0f} to {max(values):.0f})")
    over = statistics.median(medians["runInto"]) - statistics.median(medians["C"])
    print(f"a run into the caller's tensors costs {over:.0f} ns over C's; the target is {TARGET}")


if __name__ == "__main__":
    main()
