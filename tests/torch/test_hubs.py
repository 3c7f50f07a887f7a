# SPDX-License-Identifier: Apache-2.0
"""The examples of Hugging Face Optimum and sentence-transformers: with the provider they find what ONNX Runtime finds alone. Their packages
are installed from the package index under build/hubs; models are made here, with drawn weights."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "hubs"
# What the two need beyond the packages of tools/requirements-run.txt, -test.txt and -torch.txt.
PACKAGES = (
    "certifi==2026.10.19.post1", "charset-normalizer==3.5.3", "cloudpickle==3.1.3", "hf-xet==1.8.0", "huggingface_hub==0.36.2",
    "idna==3.20", "joblib==1.6.0", "narwhals==2.29.0", "optimum==2.1.0", "optimum-onnx==0.1.0", "PyYAML==6.0.4",
    "regex==2026.11.19", "requests==2.34.2", "safetensors==0.8.0", "scikit-learn==1.9.1", "scipy==1.17.1",
    "sentence-transformers==5.7.0", "threadpoolctl==3.8.0", "tokenizers==0.22.2", "tqdm==4.70.1", "transformers==4.57.6",
    "urllib3==2.8.0",
)  # fmt: skip
# Makes the example's own model in a folder; runs an example with the call that installs the provider left out.
MAKE = "import runpy, sys; from pathlib import Path; print(runpy.run_path(sys.argv[1])[sys.argv[2]](Path(sys.argv[3])))"
WITHOUT = (
    "import runpy, sys, anydim.ort; anydim.ort.install = lambda *_: None; sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


@pytest.fixture(scope="module")
def packages() -> Path:
    stamp = FOLDER / f".installed-{hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:16]}"
    if not stamp.exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([*pip, "--target", str(FOLDER / "packages"), *PACKAGES], check=True)
        stamp.touch()
    return FOLDER / "packages"


def python(packages: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(packages), "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def numbers(text: str, line: str) -> list[float]:
    """Those behind a colon, of lines that match."""
    return [
        float(number)
        for each in text.splitlines()
        if re.search(line, each)
        for number in re.findall(r"\d+\.\d+", each.split(":", 1)[1])
    ]


@pytest.mark.parametrize(
    ("name", "make", "line", "count", "tolerance"),
    [
        ("optimum_classifier", "small_bert", r"LABEL", 5, 3e-6),  # six digits are printed
        ("sentence_embeddings", "small_model", r"^similarity", 16, 2e-4),  # four
    ],
)
def test_an_example_finds_the_same_with_the_provider(
    packages: Path, tmp_path: Path, name: str, make: str, line: str, count: int, tolerance: float
) -> None:
    example = ROOT / "examples" / "hubs" / f"{name}.py"
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 60
    model = python(packages, "-c", MAKE, str(example), make, str(tmp_path)).splitlines()[-1]
    own = python(packages, str(example), model)
    other = python(packages, "-c", WITHOUT, str(example), model)
    assert re.search(r"^providers: .*AnydimExecutionProvider", own, re.MULTILINE)
    assert not re.search(r"AnydimExecutionProvider", other)
    found = numbers(own, line)
    assert len(found) == count
    assert found == pytest.approx(numbers(other, line), abs=tolerance)
    assert max(found) - min(found) > 10 * tolerance  # the texts are distinguished
