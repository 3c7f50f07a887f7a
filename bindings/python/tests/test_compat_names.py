# SPDX-License-Identifier: Apache-2.0
"""Every public name of the installed package onnxruntime is in the module that replaces it: modules, classes, their members,
parameters of functions. What a name does not do here, the page docs/onnxruntime-names.md says, and calling it says so, too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from anydim import UnimplementedError
from anydim.compat import refused

ROOT = Path(__file__).resolve().parents[3]
SURFACE = Path(__file__).with_name("onnxruntime_surface.py")
PAGE = ROOT / "docs" / "onnxruntime-names.md"

# What the real modules import for themselves, and Windows' and the collection's inner workings.
NOT_THEIRS = {
    "onnxruntime": {"contextlib"},
    "onnxruntime.capi.onnxruntime_inference_collection": {
        "Any", "Callable", "GetInitializerLocationFunc", "GetInitializerLocationWrapperFunc", "IntEnum", "Mapping",
        "Sequence", "annotations", "check_and_normalize_provider_args",
        "get_ort_device_type", "get_vendor_id_for_device_type", "make_get_initializer_location_func_wrapper",
    },
}  # fmt: skip
# In the extension module these are classes in C++ behind those of Python; here both are one, and this is their machinery.
OF_CPP = {
    "InferenceSession": {"create_ortvalue_from_shape_and_onnx_type", "initialize_session", "is_webgpu_graph_capture_enabled",
                         "webgpu_context_id"},
    "OrtValue": {"ortvalue_from_shape_and_onnx_type", "ortvalue_from_shape_and_onnx_type_for_memory_info",
                 "ortvalue_from_shape_and_type_for_memory_info"},
}  # fmt: skip


@cache
def surfaces() -> tuple[dict[str, Any], dict[str, Any]]:
    """The real package's, and ours of the same names."""
    real = subprocess.run([sys.executable, str(SURFACE)], capture_output=True, text=True, check=True).stdout
    ours = subprocess.run([sys.executable, str(SURFACE), "anydim"], input=real, capture_output=True, text=True)
    assert ours.returncode == 0, ours.stderr
    return json.loads(real), json.loads(ours.stdout)


def test_every_name_and_member_is_there() -> None:
    real, ours = surfaces()
    assert len(real["onnxruntime"]) > 50 and len(real["onnxruntime.capi.onnxruntime_pybind11_state"]) > 80
    missing = [
        f"{module}.{name}"
        for module, names in real.items()
        for name in names
        if name not in ours[module] and name not in NOT_THEIRS.get(module, ())
    ]
    missing += [
        f"{module}.{name}.{member}"
        for module, names in real.items()
        for name, what in names.items()
        for member in what["members"]
        if name in ours[module]
        and member not in ours[module][name]["members"]
        and not (module.endswith("state") and member in OF_CPP.get(name, ()))
    ]
    assert not missing, "\n".join(missing)


def test_functions_take_what_onnxruntimes_take() -> None:
    real, ours = surfaces()
    other = []
    for module, names in real.items():
        for name, what in names.items():
            mine = ours[module].get(name)
            if mine is None or name in refused.NAMES:
                continue  # those that refuse take anything
            pairs = [("", what["parameters"], mine["parameters"])]
            pairs += [(f".{m}", p, mine["members"].get(m)) for m, p in what["members"].items()]
            other += [
                f"{module}.{name}{member}({', '.join(theirs)}) takes {own}"
                for member, theirs, own in pairs
                if theirs is not None and own is not None and own[: len(theirs)] != theirs
            ]
    assert not other, "\n".join(other)


def test_the_page_lists_what_is_refused_and_why() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    why = {name: text for name, (text, _) in refused.CLASSES.items()} | refused.FUNCTIONS
    assert {name: rows.get(name) for name in why} == why


@pytest.mark.parametrize("name", sorted(refused.NAMES))
def test_what_is_refused_says_why(name: str) -> None:
    with pytest.raises(UnimplementedError, match=name):
        refused.NAMES[name]("anything")
