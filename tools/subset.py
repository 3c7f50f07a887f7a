#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a subset build keeps (docs/subset-builds.md): a header with its operators and kernels, and a list of folders of kernels
that are not compiled.

  tools/subset.py rec.onnx det.onnx --program anydim --sets avx2 avx512 --output build/subset
  tools/subset.py convolution softmax --program anydim --output build/subset

Models and program files are loaded with the whole library's program, once for each set of instructions; its verbose lines say which
primitives were made, with which kernels. cmake/subset.cmake calls this with what -DANYDIM_OPERATORS has."""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETS = ROOT / "core" / "base" / "instruction_sets.def"
FAMILIES = ROOT / "core" / "engines" / "cpu" / "kept_families.h"
KERNELS = ROOT / "core" / "kernels"
# What the importer needs beside the nodes of the models it was asked about: copies where orders of memory meet, which callers may ask for.
OF_EVERY_IMPORT = ["transpose"]
# Folders without a list of kernels, and the one whose kernels they are for.
WORKSHOPS = {"quantized": ["conv/bytes", "int_tiles"]}
# Folders with functions that others call: the journal of a context's caches, axes of reductions.
ALWAYS = {"append", "reduce"}


class SubsetError(Exception):
    """Said to who configures a build."""


@dataclass
class Sets:
    """Of core/base/instruction_sets.def."""

    bases: dict[str, str] = field(default_factory=dict)  # of each set, the set that it adds to
    vectors: list[str] = field(default_factory=list)  # those with a vector type of their own

    @staticmethod
    def read(path: Path = SETS) -> Sets:
        sets = Sets()
        for kind, name, base in re.findall(r"^ANYDIM_(SET|EXTENSION)\((\w+), \w+, (\w+)", path.read_text(), re.M):
            sets.bases[name] = base
            if kind == "SET":
                sets.vectors.append(name)
        return sets

    def kept(self, asked: list[str]) -> list[str]:
        """Those asked for, and what adds to one of them."""
        for name in asked:
            if name not in self.vectors:
                raise SubsetError(f"'{name}' is no set of instructions; expected some of {', '.join(self.vectors)}")
        return [
            name for name in self.bases if name in asked or (self.bases[name] in asked and name not in self.vectors)
        ]


@dataclass(frozen=True)
class Kernel:
    operator: str
    name: str
    instruction_set: str

    @property
    def stem(self) -> str:
        """Its name without the set: kernels of one stem are one class for several sets."""
        return self.name.removesuffix("." + self.instruction_set)


@dataclass
class Used:
    """What models use."""

    kernels: set[str] = field(default_factory=set)
    operators: set[str] = field(default_factory=set)

    def add_line(self, row: list[str]) -> None:
        """A line of the verbose log that says what was made."""
        if len(row) < 12 or row[:3] != ["anydim", "v1", "create"]:
            return
        self.operators.add(row[5].split()[0])
        self.kernels.add(row[9])


def run(program: str, arguments: list[str], **environment: str) -> str:
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, env={**os.environ, "ANYDIM_LOG": "none", **environment}
    )
    if done.returncode != 0:
        raise SubsetError(f"{program} {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def all_kernels(program: str) -> list[Kernel]:
    """In the order in which they are tried, of each operator."""
    return [
        Kernel(group["operator"], kernel["name"], kernel["instruction_set"])
        for group in json.loads(run(program, ["kernels", "--json"]))
        for kernel in group["kernels"]
    ]


def lines_of(program: str, model: Path, limit: str | None) -> list[list[str]]:
    """What is made while the model is loaded on a CPU with a set of instructions."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        limited = {"ANYDIM_MAX_ISA": limit} if limit else {}
        run(program, ["info", str(model)], ANYDIM_VERBOSE="2", ANYDIM_VERBOSE_FILE=str(log), **limited)
        return list(csv.reader(log.read_text().splitlines())) if log.exists() else []


def is_program_file(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8) == b"ANYDIMPR"


def use_of(program: str, models: list[Path], sets: list[str], importer: bool, used: Used) -> None:
    for model in models:
        for limit in [None] if is_program_file(model) else sets:
            loaded = model
            with tempfile.TemporaryDirectory() as folder:
                if not importer and not is_program_file(model):
                    loaded = Path(folder) / "saved"
                    run(program, ["pack", str(model), "--program", "--to", str(loaded)], ANYDIM_MAX_ISA=limit or "")
                for row in lines_of(program, loaded, limit):
                    used.add_line(row)


def with_neighbours(kernels: list[Kernel], used: set[str], sets: list[str]) -> list[str]:
    """The used ones for all sets that are kept, and what those for 16-bit floats hand their work to."""
    known = {k.name: k for k in kernels}
    unknown = sorted(used - known.keys())
    if unknown:
        raise SubsetError(f"the program knows no kernel {unknown[0]}")
    stems = {known[name].stem for name in used}
    wide = {known[name].operator for name in used if ".half" in name or ".widened" in name}
    kept = []
    for k in kernels:
        of_set = k.instruction_set in sets
        if k.name in used and (of_set or not any(o.stem == k.stem and o.instruction_set in sets for o in kernels)):
            kept.append(k.name)
        elif of_set and (k.stem in stems or k.operator in wide) and not k.name.endswith("reference"):
            kept.append(k.name)
    return kept


def header(made_for: str, sets: list[str], kernels: list[str], operators: set[str]) -> str:
    """The header that core/ops/subset.h includes."""

    def texts(name: str, values: list[str]) -> str:
        listed = "".join(f'\n    "{v}",' for v in values)
        return f"constexpr std::string_view {name}[] = {{{listed}\n}};"

    return "\n".join(
        [
            "// Written by tools/subset.py; do not edit. What this build of the library keeps.",
            "#pragma once",
            "namespace anydim::subset {",
            "constexpr bool kWhole = false;",
            f"constexpr char kMadeFor[] = {json.dumps(made_for, ensure_ascii=False)};",
            texts("kSets", sets),
            texts("kKernels", kernels),
            f"constexpr OpKind kOperators[] = {{{', '.join(f'OpKind::{o}' for o in sorted(operators))}}};",
            "}  // namespace anydim::subset",
            "",
        ]
    )


def folders_left_out(kernels: list[str]) -> list[str]:
    """Of core/kernels, those whose families have none of these."""
    rows = re.findall(r'\{(\w+_kernels), "([^"]+)"\},', FAMILIES.read_text())
    parts = {family: words.split() for family, words in rows}
    left_out = []
    for folder in sorted(path for path in KERNELS.rglob("*") if path.is_dir()):
        headers = "".join(header.read_text() for header in folder.glob("*.h"))
        declared = re.findall(r"^KernelList (\w+_kernels)\(\) noexcept;", headers, re.M)
        if folder.name in ALWAYS:
            continue
        if declared and not any(f not in parts or any(p in k for p in parts[f] for k in kernels) for f in declared):
            name = str(folder.relative_to(KERNELS))
            left_out += [name, *WORKSHOPS.get(name, [])]
    return left_out


@dataclass
class Selection:
    header: str
    left_out: list[str]  # folders of core/kernels


def select(program: str, names: list[str], asked: list[str], importer: bool) -> Selection:
    """For models, program files and operators."""
    kernels = all_kernels(program)
    sets = Sets.read()
    kept_sets = sets.kept(asked or sets.vectors)
    operators = {k.operator for k in kernels}
    models = [Path(n) for n in names if n not in operators]
    for model in models:
        if not model.is_file():
            raise SubsetError(
                f"'{model}' is no file, and no operator that has kernels (`{program} kernels` lists them)"
            )
    used = Used()
    # The program runs here: sets that are for other processors are kept by the names of their kernels.
    here = {k.instruction_set for k in kernels}
    use_of(program, models, [s for s in kept_sets if s in sets.vectors and s in here], importer, used)
    named = [n for n in names if n in operators]
    if importer:
        named += OF_EVERY_IMPORT
    used.operators.update(named)
    used.kernels.update(k.name for k in kernels if k.operator in named and not k.name.endswith("reference"))
    for operator in named:  # those that have nothing but what defines them
        if not any(k.operator == operator and k.name in used.kernels for k in kernels):
            used.kernels.update(k.name for k in kernels if k.operator == operator)
    kept = with_neighbours(kernels, used.kernels, kept_sets)
    if any(name.endswith(".portable") for name in kept) and "portable" not in kept_sets:
        kept_sets = ["portable", *kept_sets]
    made_for = ", ".join([m.name for m in models] + [n for n in names if n in operators])
    if not kept:
        raise SubsetError("no kernel is used")
    return Selection(header(made_for, kept_sets, kept, used.operators), folders_left_out(kept))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="+", help="models, program files, or operators")
    parser.add_argument("--program", default="anydim", help="`anydim` of the whole library, of this version")
    parser.add_argument("--sets", nargs="*", default=[], help="sets of instructions; without it all")
    parser.add_argument("--without-importer", action="store_true", help="the library loads program files only")
    parser.add_argument("--output", type=Path, required=True, help="a folder: anydim_subset.h, folders.txt")
    options = parser.parse_args()
    try:
        selection = select(options.program, options.names, options.sets, not options.without_importer)
    except (SubsetError, OSError) as error:
        print(f"subset: {error}", file=sys.stderr)
        return 1
    options.output.mkdir(parents=True, exist_ok=True)
    folders = "".join(f"{name}\n" for name in selection.left_out)
    for file, text in (("anydim_subset.h", selection.header), ("folders.txt", folders)):
        path = options.output / file
        if not path.exists() or path.read_text() != text:  # what is as it was is not compiled again
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
