# SPDX-License-Identifier: Apache-2.0
"""What a subset build keeps (tools/subset.py), without building one: test_build.py does, in `make test-all`."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "anydim"
MODELS = ROOT / "build" / "models"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("subset_tool", ROOT / "tools" / "subset.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SUBSET = tool()


def kept(header: str) -> list[str]:
    listed = re.search(r"kKernels\[\] = \{(.*?)\};", header, re.S)
    assert listed is not None
    return re.findall(r'"([^"]+)"', listed[1])


def test_a_model_keeps_its_kernels_for_the_sets_that_are_named() -> None:
    found = SUBSET.select(str(PROGRAM), [str(MODELS / "cls.onnx")], ["portable", "avx2"], True)
    kernels = kept(found.header)
    assert {"conv.tiles.avx2", "depthwise.rows.avx2", "gemm.tiles.portable", "copy.transpose.avx2"} <= set(kernels)
    assert not [k for k in kernels if "avx512" in k or "reference" in k or "attention" in k]
    assert 'kMadeFor[] = "cls.onnx"' in found.header
    assert "OpKind::convolution" in found.header and "OpKind::attention" not in found.header
    assert {"attention", "recurrent", "strings"} <= set(found.left_out)


def test_without_the_importer_what_only_loading_computes_is_left_out() -> None:
    with_importer, without = (
        SUBSET.select(str(PROGRAM), [str(MODELS / "det.onnx")], ["avx2"], importer).header for importer in (True, False)
    )
    assert set(kept(without)) <= set(kept(with_importer))
    assert len(kept(without)) < len(kept(with_importer))


def test_a_program_file_keeps_what_its_steps_name(tmp_path: Path) -> None:
    saved = tmp_path / "cls.anydim"
    subprocess.run([PROGRAM, "pack", MODELS / "cls.onnx", "--program", "--to", saved], check=True, capture_output=True)
    by_file = SUBSET.select(str(PROGRAM), [str(saved)], ["portable"], False).header
    by_model = SUBSET.select(str(PROGRAM), [str(MODELS / "cls.onnx")], ["portable"], False).header
    assert {k.rsplit(".", 1)[0] for k in kept(by_model)} <= {k.rsplit(".", 1)[0] for k in kept(by_file)}


def test_operators_are_named_as_kernels_lists_them() -> None:
    kernels = kept(SUBSET.select(str(PROGRAM), ["softmax", "non_max_suppression"], [], True).header)
    assert {"softmax.portable", "softmax.half.portable", "non_max_suppression.reference"} <= set(kernels)
    # What computes on 16-bit floats hands its work to what computes on f32.
    assert not [k for k in kernels if k.startswith("conv")]


@pytest.mark.parametrize(
    ("names", "sets", "said"),
    [
        (["nosuch.onnx"], [], "'nosuch.onnx' is no file, and no operator that has kernels"),
        (["softmax"], ["sse"], "'sse' is no set of instructions; expected some of portable"),
    ],
)
def test_what_is_wrong_is_said(names: list[str], sets: list[str], said: str) -> None:
    with pytest.raises(SUBSET.SubsetError, match=re.escape(said)):
        SUBSET.select(str(PROGRAM), names, sets, True)


def test_kernels_that_lists_name_one_by_one_are_kernels() -> None:
    known = set(re.findall(r"^\| `([a-z_0-9.]+)` \|", (ROOT / "docs" / "kernels.md").read_text(), re.M))
    for source in (ROOT / "core" / "kernels").rglob("*.cpp"):
        for name in re.findall(r'(?:kept<|keeps_kernel\()"([^"]+)"', source.read_text()):
            assert name in known, f"{source.relative_to(ROOT)}: no kernel is named {name}"


def test_files_that_ask_what_is_kept_get_the_header() -> None:
    rule = (ROOT / "cmake" / "subset.cmake").read_text()
    places = "|".join(re.findall(r'anydim_asks_what_is_kept "\|?([^"]+)"', rule))
    asking = re.compile(
        r'#include "core/(ops/subset(_reason)?|kernels/(kept|sets))\.h"|few_forms\.inl\.h"|kept_families\.h"'
    )
    for folder in ("core", "onnx", "capi"):
        for source in (ROOT / folder).rglob("*.cpp"):
            if source.name.endswith(("_test.cpp", "_bench.cpp")) or not asking.search(source.read_text()):
                continue
            name = str(source.relative_to(ROOT)).removesuffix(".cpp")
            assert re.fullmatch(places, name), f"{name} asks what is kept; cmake/subset.cmake does not know"


def test_the_runtime_s_functions_are_functions() -> None:
    all_of_them = (ROOT / "capi" / "generated" / "exports.map").read_text()
    for name in re.findall(r"^anydim_\w+$", (ROOT / "capi" / "runtime_functions.txt").read_text(), re.M):
        assert f" {name};" in all_of_them
