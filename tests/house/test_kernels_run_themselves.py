# SPDX-License-Identifier: Apache-2.0
"""The kernel that `explain`, profiles and verbose lines name is the one that ran: none hands its work to a reference."""

from __future__ import annotations

import re
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "core" / "kernels"
CALL = re.compile(r"(?<!Status )(?<!void )(?<!int64_t )\breference_(?!chain|unary|binary|resize_scratch)\w+\(")
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


def test_only_reference_kernels_call_references() -> None:
    strangers = []
    for path in sorted(KERNELS.rglob("*.cpp")):
        if path.name.endswith("_test.cpp") or "reference" in path.name:
            continue
        text = path.read_text()
        for call in CALL.finditer(text):
            owners = CLASS.findall(text, 0, call.start())
            if not owners or "Reference" not in owners[-1]:
                strangers.append(
                    f"{path.relative_to(KERNELS)}: {call.group()}...) in {owners[-1] if owners else 'a function'}"
                )
    assert not strangers, "a kernel that falls back lies about what ran:\n" + "\n".join(strangers)
