# SPDX-License-Identifier: Apache-2.0
"""Writes the generated files, or with --check says which differ from what the descriptions
give (and fails if any does)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import (
    c_header,
    core_operators,
    cpp_header,
    engine_kinds,
    java_enums,
    java_native,
    java_operators,
    java_page,
    jni,
    kernel_families,
    operator_examples,
    operator_structs,
    operators_page,
    python_module,
    python_operators,
    python_stub,
    reference_pages,
    rust_edge,
    rust_operators,
    rust_sys,
    rust_types,
    shims,
)
from .description import DescriptionError, load
from .operators import as_structs
from .operators import load as load_operators
from .spelling import JAVA, PYTHON, RUST, RUST_SYS, C, spelled

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "capi/generated/shims.cpp": shims.emit_shims,
    "capi/generated/shims_small.cpp": shims.emit_small_shims,
    "capi/generated/bodies.h": shims.emit_bodies,
    "capi/generated/agreement.cpp": shims.emit_agreement,
    "capi/generated/exports.map": shims.emit_exports,
}
FILES_OF_PYTHON = {
    "bindings/python/generated/module.cpp": python_module.emit_module,
    "bindings/python/anydim/_capi.pyi": python_stub.emit_stub,
    "bindings/python/anydim/_structs.py": python_stub.emit_structs,
    "bindings/python/anydim/_enums.py": python_stub.emit_enums,
    "bindings/python/anydim/_operator_enums.py": python_stub.emit_operator_enums,
}
FILES_OF_RUST = {
    "bindings/rust/anydim/src/generated/enums.rs": rust_types.emit_enums,
    "bindings/rust/anydim/src/generated/infos.rs": rust_types.emit_infos,
    "bindings/rust/anydim/src/generated/errors.rs": rust_types.emit_errors,
    "bindings/rust/anydim/src/edge/handles.rs": rust_edge.emit_handles,
    "bindings/rust/anydim/src/edge/calls.rs": rust_edge.emit_calls,
}
JAVA_CLASSES = "bindings/java/src/main/java/org/anydim"
FILES_OF_JAVA = {
    "bindings/java/generated/natives.cpp": jni.emit,
    f"{JAVA_CLASSES}/NativeCalls.java": java_native.emit_calls,
    f"{JAVA_CLASSES}/NativeStructs.java": java_native.emit_structs,
}
FILES_OF_OPERATORS = {
    "core/ops/generated/enums.h": core_operators.emit_enums,
    "core/ops/generated/attributes.h": core_operators.emit_attributes,
    "core/ops/generated/tables.cpp": core_operators.emit_tables,
    "capi/generated/operator_structs.cpp": operator_structs.emit_core,
    "bindings/python/generated/operator_structs.cpp": operator_structs.emit_python,
    "bindings/python/anydim/_operators.py": python_operators.emit,
    "tests/capi/generated/operator_examples.h": operator_examples.emit_c,
    "bindings/python/tests/operator_examples.py": operator_examples.emit_python,
    "bindings/rust/anydim/src/generated/operators.rs": rust_operators.emit,
    "bindings/rust/anydim/tests/generated/mod.rs": rust_operators.emit_examples,
    "bindings/java/src/test/java/org/anydim/OperatorExamples.java": java_operators.emit_examples,
    "docs/operators.md": operators_page.emit,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="generator", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    parser.add_argument("--description", type=Path, default=ROOT / "capi" / "api")
    parser.add_argument("--operators", type=Path, default=ROOT / "core" / "ops" / "described")
    parser.add_argument("--root", type=Path, default=ROOT, help="where the files are written")
    arguments = parser.parse_args()
    try:
        operators = load_operators(arguments.operators)
        kinds = engine_kinds.load()
        api = load(arguments.description, *as_structs(operators), engine_kinds.as_enum_values(kinds))
        in_c, in_python, in_java, in_rust = (spelled(api, words) for words in (C, PYTHON, JAVA, RUST))
        texts = {f"capi/include/anydim/{name}": text for name, text in c_header.files(in_c).items()}
        texts["capi/include/anydim/anydim.hpp"] = cpp_header.emit(spelled(api, cpp_header.spelling(api)))
        texts |= {f"docs/reference/{name}": text for name, text in reference_pages.pages(in_c).items()}
        texts["docs/reference/java.md"] = java_page.emit(in_c)
        texts |= {path: emit(in_c) for path, emit in FILES.items()}
        texts |= {path: emit(in_python) for path, emit in FILES_OF_PYTHON.items()}
        texts |= {path: emit(in_rust) for path, emit in FILES_OF_RUST.items()}
        texts |= {path: emit(in_java) for path, emit in FILES_OF_JAVA.items()} | java_enums.files(in_java)
        texts[f"{JAVA_CLASSES}/Operators.java"] = java_operators.emit(in_java, operators)
        texts |= {path: emit(operators) for path, emit in FILES_OF_OPERATORS.items()}
        texts |= {
            f"bindings/rust/anydim-sys/{name}": text for name, text in rust_sys.files(spelled(api, RUST_SYS)).items()
        }
        texts["core/engines/cpu/generated/families.h"] = kernel_families.emit(ROOT)
        texts["core/engines/generated/kinds.h"] = engine_kinds.emit(kinds)
        texts["core/engines/testing/generated/kinds.h"] = engine_kinds.emit_for_tests(kinds)
    except DescriptionError as error:
        print(f"{arguments.description.name}/ and {arguments.operators.name}/: {error}", file=sys.stderr)
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
