# SPDX-License-Identifier: Apache-2.0
"""What compiled programs cost on the OpenCL drivers of this machine, each measured in new processes whose driver has an empty folder.

  bench/opencl_programs.py              a table: programs of each network, compiled from source, and loaded from our persistent cache
  bench/opencl_programs.py --shapes 100 cls at so many shapes with a warm cache of Anydim's: programs compiled, files that the driver
                                        writes after the first shape, and first call / later one beside the CPU engine's
  --driver pocl, --models cls,rec       some of them only

Drivers are found as tests/opencl does; Intel's is set up by tools/setup opencl.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "opencl"))
from drivers import DRIVERS, Driver  # noqa: E402

SHAPES = {"cls": "1,3,48,192", "rec": "1,3,48,320", "det": "1,3,320,320", "yolo": "1,3,320,320"}


def model(name: str) -> Path:
    return ROOT / "build" / "models" / f"{name}.onnx"


def ms(told: dict[str, Any], what: str) -> float:
    return float(told["programs"][f"programs_{what}_nanoseconds"]) / 1e6


def table(driver: Driver, names: list[str]) -> None:
    print(
        f"\n{driver.name}\n\n| | programs | from source, ms | from binaries, ms | first call, ms | with binaries | later |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in names:
        own = driver.folder / name
        here = driver.with_folder(own).with_cache(own / "anydim")
        cold = here.run(model(name), "opencl", SHAPES[name], "--alone")
        warm = here.with_folder(driver.folder / f"{name}-again").run(model(name), "opencl", SHAPES[name], "--alone")
        count = cold["programs"]["programs_compiled"]
        if warm["programs"]["programs_compiled"] != 0:
            raise RuntimeError(f"{name}: a program was compiled again: {warm['programs']}")
        begun = [told["engine_ms"] + told["load_ms"] + told["first_ms"][0] for told in (cold, warm)]
        print(
            f"| {name} | {count} | {ms(cold, 'compile'):,.0f} | {ms(warm, 'load'):,.0f} | {begun[0]:,.0f} | {begun[1]:,.0f} "
            f"| {warm['later_ms'][0]:,.1f} |",
            flush=True,
        )


def shapes(driver: Driver, count: int) -> None:
    draws = random.Random(5)
    drawn: dict[str, None] = {}
    while len(drawn) < count:
        drawn[f"{draws.randint(1, 2)},3,{draws.randint(33, 64)},{draws.randint(16, 200)}"] = None
    driver.run(model("cls"), "opencl", SHAPES["cls"], "--alone")
    told = driver.with_folder(driver.folder / "again").run(model("cls"), "opencl", *drawn)
    print(
        f"{driver.name}: {count} shapes, {told['programs']['programs_compiled']} programs compiled, "
        f"{told['programs']['programs_loaded']} loaded, {len(told['new_files'])} new files of the driver's after the first shape, "
        f"{len(told['wrong'])} results that differ from the CPU engine's; first call / later one in geometric mean: "
        f"{told['first_over_later']:.3f}, on the CPU engine {told['processor_first_over_later']:.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=sorted(DRIVERS), action="append")
    parser.add_argument("--models", default=",".join(SHAPES))
    parser.add_argument("--shapes", type=int)
    options = parser.parse_args()
    about = machine.describe()
    print(
        f"bench: {about['cpu']['model']}, {about['cpu']['cores']} cores, commit {about['commit']}, load {about['load']:.1f}"
    )
    for name in options.driver or DRIVERS:
        with tempfile.TemporaryDirectory() as folder:
            driver = DRIVERS[name](Path(folder))
            if driver is None:
                print(f"{name}: not on this machine")
            elif options.shapes:
                shapes(driver, options.shapes)
            else:
                table(driver, options.models.split(","))


if __name__ == "__main__":
    main()
