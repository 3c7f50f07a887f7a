# SPDX-License-Identifier: Apache-2.0
"""Writes the generated files, or with --check says which differ from what api.yaml gives (and fails if any does)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import c_header, python_module, shims
from .description import DescriptionError, load

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "capi/include/anydim/anydim.h": c_header.emit,
    "capi/generated/shims.cpp": shims.emit_shims,
    "capi/generated/bodies.h": shims.emit_bodies,
    "capi/generated/agreement.cpp": shims.emit_agreement,
    "capi/generated/exports.map": shims.emit_exports,
    "bindings/python/generated/module.cpp": python_module.emit_module,
    "bindings/python/anydim/_capi.pyi": python_module.emit_stub,
    "bindings/python/anydim/_enums.py": python_module.emit_enums,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="generator", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    parser.add_argument("--description", type=Path, default=ROOT / "capi" / "api.yaml")
    parser.add_argument("--root", type=Path, default=ROOT, help="where the files are written")
    arguments = parser.parse_args()
    try:
        api = load(arguments.description)
        texts = {path: emit(api) for path, emit in FILES.items()}
    except DescriptionError as error:
        print(f"{arguments.description.name}: {error}", file=sys.stderr)
        return 1
    differ = []
    for path, text in texts.items():
        file = arguments.root / path
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        differ.append(path)
        if not arguments.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    for path in differ:
        print(f"{'differs' if arguments.check else 'written'}: {path}")
    if arguments.check and differ:
        print("run: cd capi && python -m generator", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
