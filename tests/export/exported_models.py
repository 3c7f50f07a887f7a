# SPDX-License-Identifier: Apache-2.0
"""Models that the tests of this folder export, with their sessions in the library, and what these compare."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import anydim
import numpy as np
import pytest
from emulated_c import Emulated
from exported_c import ROOT, Compiled, export, same_bits
from small_networks import NETWORKS

SEED = int(os.environ.get("ANYDIM_SEED") or secrets.randbelow(10**9))
MODELS = ROOT / "build" / "models"
PADDLE = {
    "cls": ("x:1..4,3,48,192",),
    "rec": ("x:1..3,3,48,32..320",),
    "det": ("x:1,3,32..160,32..160",),
    "yolo": ("images:1,3,64..160,64..160",),
}
X86 = os.uname().machine == "x86_64"
FMA = ("-mavx2", "-mfma") if X86 else ()
ALLOWED = {"memcpy", "memset", "memmove", "fmaf", "sqrtf", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}


def usable_sets() -> list[str]:
    """Of the archives of this build those that this processor runs."""
    try:
        features = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        features = ""
    wanted = {"avx2": "avx2", "avx512": "avx512dq"} if X86 else {"portable": ""}
    return [name for name, feature in wanted.items() if feature in features]


class Model:
    """A model in a file, with its session in the library."""

    def __init__(self, name: str, folder: Path, kernels: str = "c") -> None:
        self.name = name
        if name in NETWORKS:
            made = NETWORKS[name]()
            self.path, self.bounds = folder / f"{name}.onnx", made.bounds
            self.path.write_bytes(made.model)
        else:
            self.path, self.bounds = MODELS / f"{name}.onnx", PADDLE[name]
            if not self.path.exists():
                pytest.fail("the models are not there: make models")
        self.folder = folder / (name if kernels == "c" else f"{name}_{kernels}")
        export(self.path, self.folder, self.bounds, kernels=kernels)
        self.session = anydim.InferenceSession(str(self.path))

    def feeds(self, random: np.random.Generator) -> dict[str, np.ndarray]:
        chosen: dict[str, int] = {}
        limits = {}
        for text in self.bounds:
            tensor, dims = text.split(":")
            limits[tensor] = dims.split(",")
        made = {}
        for i in self.session.get_inputs():
            shape = []
            for axis, d in enumerate(i.shape):
                if isinstance(d, int):
                    shape.append(d)
                    continue
                assert d is not None
                if d not in chosen:
                    least, *most = map(int, limits[i.name][axis].split(".."))
                    v = int(random.integers(least, (most or [least])[0] + 1))
                    chosen[d] = max(least, v // 32 * 32) if random.random() < 0.5 else v
                shape.append(chosen[d])
            made[i.name] = (
                random.standard_normal(shape).astype(np.float32) if "float" in i.type else random.integers(0, 2, shape)
            )
        return made


def compare(model: Model, compiled: Compiled | Emulated, shapes: int, seed: int = SEED) -> int:
    """How many drawn dims the network takes; all of them have the library's bits, and the others are refused by both."""
    random = np.random.default_rng(seed)
    cases = [model.feeds(random) for _ in range(shapes)]
    results = compiled.run(cases) if isinstance(compiled, Emulated) else map(compiled.run, cases)
    taken = 0
    for feeds, (status, outputs) in zip(cases, results, strict=True):
        dims = {k: v.shape for k, v in feeds.items()}
        if status != 0:
            with pytest.raises(Exception):  # noqa: B017
                model.session.run(None, feeds)
            continue
        taken += 1
        for (name, _), got, want in zip(compiled.outputs, outputs, model.session.run(None, feeds), strict=True):
            assert same_bits(got, want), f"{model.name}: {name} differs at {dims} (ANYDIM_SEED={seed})"
    return taken
