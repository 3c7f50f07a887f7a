# SPDX-License-Identifier: Apache-2.0
"""Writes docs/kernels.md: every kernel of the CPU engine, of each operator in the order in which they are tried, as `anydim kernels` of a
build for x86-64 lists them.

  python tools/kernels_page.py            writes the page
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "kernels.md"
PROGRAM = ROOT / "build" / "bin" / "anydim"
HEAD = """# Kernels

What computes each operator on the CPU: the first kernel of its list that takes the problem and that the CPU can run.
`anydim kernels [OPERATOR]` prints the list of the machine at hand, `anydim explain MODEL --why` which kernel each node
got and what the ones before it said. [Adding a kernel](adding-a-kernel.md) says how a list is made; kernels of a mode
stand beside those whose bits they do not have.

A page for x86-64, written by `tools/kernels_page.py`. "Several" element types: the kernel says so when it is asked.
"""


def listed(program: Path = PROGRAM) -> list[dict[str, Any]]:
    done = subprocess.run([program, "kernels", "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def page(operators: list[dict[str, Any]]) -> str:
    text = HEAD
    for entry in operators:
        text += (
            f"\n## {entry['operator']}\n\n| kernel | instruction set | layout | element types |\n|---|---|---|---|\n"
        )
        for k in entry["kernels"]:
            text += f"| `{k['name']}` | {k['instruction_set']} | {k['layout'].replace('_', ' ')} | {k['dtypes']} |\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    PAGE.write_text(page(listed()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
