# SPDX-License-Identifier: Apache-2.0
"""Writes docs/onnx-operators.md, and the lists of operators in docs/onnx.md. The page has of each ONNX operator that is read the opsets,
element types, primitives, kernels, engines and what is refused. Opsets, groups and refusals are what the importer's sources say. The rest
is found with the installed library: the onnx package's node cases are run, and their models are loaded with every other element type that
ONNX allows.

  python tools/operators_page.py            writes both
  python tools/operators_page.py --list     writes the list only, for which nothing has to be built
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "onnx-operators.md"
LIST = ROOT / "docs" / "onnx.md"
ENTRY = re.compile(r'\{"([A-Z]\w*)", (\d+), ([^,{}]+)(?:, (?:true|false))?\}')  # a line may have several
FUNCTION = re.compile(
    r"^(?:template <[^\n]*>\n?)?[\w:<>*& ]+?(\w+)\([^;{}]*\) (?:const )?\{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
REFUSAL = re.compile(r'unsupported\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
SCHEMA = re.compile(r"^    \{\{.*\}, 0x\w+, (\d+), .* (true|false)\},  // (\w+)", re.MULTILINE)
OPERATORS = ROOT / "onnx" / "operators"
DOMAINS = {"microsoft": "com.microsoft", "learned": "ai.onnx.ml"}  # by folder
PREVIEW = {"Adagrad", "Adam", "Momentum"}
WITHDRAWN = {"Affine", "Crop", "ImageScaler"}
WITH_BODIES = ("If", "Loop", "Scan", "SequenceMap")  # control_flow.cpp
# Names of element types as Anydim writes them, by ONNX's.
DTYPES = {
    "float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16",
    "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "bool": "bool",
}  # fmt: skip


@dataclass
class Operator:
    name: str
    domain: str
    since: int
    refusals: list[str]


@dataclass
class Found:
    """What runs have shown."""

    dtypes: set[str] = field(default_factory=set)
    primitives: set[str] = field(default_factory=set)
    kernels: set[str] = field(default_factory=set)


def domain_of(path: Path) -> str:
    return DOMAINS.get(path.parent.name, "")


def refusals_of(function: str, bodies: dict[str, str]) -> list[str]:
    """Messages of a function and of those of its file that it calls."""
    seen, waiting, messages = set(), [function], []
    while waiting:
        name = waiting.pop()
        if name in seen or name not in bodies:
            continue
        seen.add(name)
        for literals in REFUSAL.findall(bodies[name]):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace("{}", "…").replace('\\"', '"')
            if text not in messages:
                messages.append(text)
        waiting += [word for word in re.findall(r"\b([a-z]\w+)\b", bodies[name]) if word in bodies]
    return sorted(messages)


def operators() -> list[Operator]:
    found = []
    for path in sorted(OPERATORS.rglob("*.cpp")):
        if path.name == "schemas.cpp":
            continue
        text = path.read_text(encoding="utf-8")
        bodies = dict(FUNCTION.findall(text))
        for name, since, function in ENTRY.findall(text):
            domain = "ai.onnx.preview.training" if name in PREVIEW else domain_of(path)
            called = re.sub(r"<.*", "", function.strip())
            found.append(Operator(name, domain, int(since), refusals_of(called, bodies)))
    known = {(op.domain, op.name) for op in found}
    found += [
        Operator(name, "", oldest, [])
        for name, oldest in zip(WITH_BODIES, (1, 1, 8, 17), strict=True)
        if ("", name) not in known
    ]
    return sorted(found, key=lambda op: (op.domain, op.name))


@cache
def schemas() -> dict[str, list[tuple[int, bool]]]:
    rows: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for since, gone, name in SCHEMA.findall(
        (ROOT / "onnx" / "format" / "generated" / "schemas.cpp").read_text(encoding="utf-8")
    ):
        rows[name].append((int(since), gone == "true"))
    return rows


def opsets(op: Operator) -> str:
    """From when on; the opsets in which its form changed."""
    if op.domain == "com.microsoft":
        return "1"
    rows = schemas().get(op.name, [])
    gone = next((since for since, is_gone in rows if is_gone), None)
    later = [str(since) for since, is_gone in rows if since > op.since and not is_gone]
    text = f"{op.since}" + (f" to {gone - 1}" if gone else " and later")
    return text + (f"; changed in {', '.join(later)}" if later else "")


def static_columns(op: Operator) -> tuple[str, str, str]:
    return f"`{op.name}`", opsets(op), "; ".join(op.refusals).replace("|", "\\|")


# -- the list ---------------------------------------------------------------------------------------------------------


def groups_of(section: str) -> dict[str, list[str]]:
    """The rows of a section's table of operators."""
    rows = re.findall(r"^\| ([a-z ]+) \| ([A-Z][\w, ]*) \|$", section.split("\n## ")[0], re.MULTILINE)
    return {title: names.split(", ") for title, names in rows}


def with_all_operators(section: str, files: dict[str, list[str]]) -> str:
    """The section with a table of the operators of these files. One that is new joins the group of its file's others."""
    old = groups_of(section)
    group_of = {name: title for title, names in old.items() for name in names}
    new: dict[str, list[str]] = {title: [] for title in old}
    for file, names in files.items():
        groups = {group_of[name] for name in names if name in group_of}
        for name in names:
            if name not in group_of and len(groups) != 1:
                sys.exit(
                    f"operators_page: which group of docs/onnx.md is {name} of {file}.cpp in? Write it into its row"
                )
            new[group_of.get(name) or min(groups)].append(name)
    for title, names in old.items():
        section = section.replace(f"| {title} | {', '.join(names)} |", f"| {title} | {', '.join(sorted(new[title]))} |")
    return section


def write_list() -> None:
    beginning, *others = LIST.read_text(encoding="utf-8").split("## Operators of ")
    named_apart = {*PREVIEW, *WITHDRAWN, *WITH_BODIES}

    def files(folder: Path) -> dict[str, list[str]]:
        found = {path.stem: ENTRY.findall(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.cpp"))}
        found.pop("schemas", None)
        return {stem: [name for name, _, _ in entries if name not in named_apart] for stem, entries in found.items()}

    beginning = with_all_operators(beginning, files(OPERATORS))
    count = sum(len(names) for names in groups_of(beginning).values()) + len(WITH_BODIES)
    sections = [re.sub(r"\d+ operators in all", f"{count} operators in all", beginning)]
    folders = {domain: folder for folder, domain in DOMAINS.items()}
    for section in others:
        sections.append(with_all_operators(section, files(OPERATORS / folders[section.split("\n")[0]])))
    LIST.write_text("## Operators of ".join(sections), encoding="utf-8")


# -- what runs show --------------------------------------------------------------------------------------------------


def elem_types() -> dict[int, str]:
    from onnx import TensorProto

    return {getattr(TensorProto, name.upper()): ours for name, ours in DTYPES.items()}


def steps_of(session: Any) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = session.explain()["nodes"]
    return nodes


def observe(case: Any, known: set[str], found: dict[str, Found]) -> None:
    import anydim
    from node_cases import to_numpy

    nodes = case.model.graph.node
    if len(nodes) != 1 or nodes[0].op_type not in known:
        return
    name, types = nodes[0].op_type, elem_types()
    about = found[name]
    try:
        session = anydim.InferenceSession(case.model.SerializeToString())
        names = [value.name for value in case.model.graph.input]
        for inputs, _ in case.data_sets[:1]:
            session.run(None, {n: to_numpy(v) for n, v in zip(names, inputs, strict=False) if v is not None})
        for step in steps_of(session):
            about.primitives.add(step["operator"].split()[0])
            if step["kernel"]:
                about.kernels.add(re.sub(r"\.(avx\w*|portable)$", "", step["kernel"]))
    except anydim.errors.Error:
        return
    present = {value.type.tensor_type.elem_type for value in case.model.graph.input}
    about.dtypes |= {types[t] for t in present if t in types}
    first = next((value.type.tensor_type.elem_type for value in case.model.graph.input), 0)
    if first in types:
        about.dtypes |= {types[other] for other in types if other != first and loads(case.model, first, other)}


def loads(model: Any, old: int, new: int) -> bool:
    """Does the model load with another element type wherever its inputs and outputs have this one? Only if ONNX allows it."""
    import anydim
    import onnx

    other = onnx.ModelProto()
    other.CopyFrom(model)
    for value in [*other.graph.input, *other.graph.output]:
        if value.type.tensor_type.elem_type == old:
            value.type.tensor_type.elem_type = new
    try:
        onnx.checker.check_model(other, full_check=True)
        onnx.shape_inference.infer_shapes(other, check_type=True, strict_mode=True)
        anydim.InferenceSession(other.SerializeToString())
    except Exception:  # what ONNX, or Anydim, does not allow
        return False
    return True


def with_opencl() -> set[str]:
    """Primitives that the OpenCL engine has kernels for."""
    files = [*(ROOT / "core/engines/opencl").glob("*.cpp"), *(ROOT / "core/engines/opencl/kernels").glob("*.cpp")]
    return {kind for path in files for kind in re.findall(r"OpKind::([a-z_]+)", path.read_text(encoding="utf-8"))}


def row(op: Operator, about: Found, on_opencl: set[str]) -> str:
    name, since, refused = static_columns(op)
    order = list(DTYPES.values())
    dtypes = ", ".join(sorted(about.dtypes, key=order.index))
    primitives = ", ".join(sorted(about.primitives))
    kernels = ", ".join(f"`{k}`" for k in sorted(about.kernels))
    there = about.primitives & on_opencl if "f32" in about.dtypes else set()
    engines = "CPU" + ("" if not there else ", OpenCL" if there == about.primitives else ", OpenCL in part")
    return f"| {name} | {since} | {dtypes} | {primitives} | {kernels} | {engines} | {refused} |"


HEAD = """\
<!-- Generated by tools/operators_page.py from onnx/operators, onnx/format and runs of the onnx package's node cases. -->
# ONNX operators, one by one

What a model may hold, and what becomes of it. [onnx.md](onnx.md) has the rules that hold for all operators.

- *Opsets*: from which on an operator is read, and those in which ONNX changed its form.
- *Element types*: of inputs, found by loading the onnx package's node cases with each type that ONNX allows. Where the
  package has no case there is none here; the primitives say which types they have.
- *Primitives*: what the operator becomes in these cases ([operators.md](operators.md)). Constants and shapes are
  computed when a model is loaded and have no primitive.
- *Kernels*: of the CPU engine that ran there, without the instruction set. One named `reference` is a plain loop.
- *Engines*: OpenCL where it has kernels for these primitives, of f32 at most; the CPU computes the others.
- *Refused*: the messages of `unimplemented` for forms of the operator, `…` for what a message fills in.
"""
TITLES = {
    "": "ai.onnx",
    "ai.onnx.ml": "ai.onnx.ml",
    "ai.onnx.preview.training": "ai.onnx.preview.training",
    "com.microsoft": "com.microsoft",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="the list of docs/onnx.md only")
    only_list = parser.parse_args().list
    write_list()
    if only_list:
        return 0
    sys.path.insert(0, str(ROOT / "tests" / "conformance"))
    from node_cases import collect

    warnings.simplefilter("ignore")
    all_operators = operators()
    known = {op.name for op in all_operators}
    found: dict[str, Found] = defaultdict(Found)
    for case in collect():
        observe(case, known, found)
    on_opencl = with_opencl()
    lines = [HEAD]
    for domain, title in TITLES.items():
        lines += [
            f"## {title}\n",
            "| operator | opsets | element types | primitives | kernels | engines | refused |",
            "|---|---|---|---|---|---|---|",
        ]
        for op in all_operators:
            if op.domain == domain:
                about = found[op.name] if domain in ("", "ai.onnx.ml", "ai.onnx.preview.training") else Found()
                lines.append(row(op, about, on_opencl))
        lines.append("")
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"operators_page: {len(all_operators)} operators, written to {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
