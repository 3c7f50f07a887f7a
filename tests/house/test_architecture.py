# SPDX-License-Identifier: Apache-2.0
"""The arrows of docs/architecture.md: every #include points to its own layer or to one below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Lowest first. A file may include headers of its own layer and of those before it in this list.
LAYERS = (
    "core/base/",
    "core/tensor/",
    "core/ops/",
    "core/kernels/",
    "core/engines/",
    "core/dispatch/",
    "core/program/",
    "core/run/",
    "core/graph/",
    "onnx/",
    "capi/",
)
# Layers above the C API see nothing of the library but its installed headers.
OUTSIDE = ("cli/", "bindings/", "examples/")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def sources(prefix: str) -> list[Path]:
    return [
        path
        for path in sorted((ROOT / prefix).rglob("*"))
        if path.suffix in {".h", ".hpp", ".cpp", ".c"} and "build" not in path.relative_to(ROOT).parts
    ]


def layer_of(name: str) -> int | None:
    for index, prefix in enumerate(LAYERS):
        if name.startswith(prefix):
            return index
    return None


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_includes_only_itself_and_what_lies_below(layer: str) -> None:
    mine = LAYERS.index(layer)
    found = sources(layer)
    assert found, f"{layer} has no sources: the list of layers is out of date"
    wrong = []
    for path in found:
        name = str(path.relative_to(ROOT))
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            other = layer_of(include)
            if other is not None and other > mine and not ("_test." in name or "_bench." in name):
                wrong.append(f"{name} includes {include}")
    assert not wrong, "\n".join(wrong)


# The rooms of core/run, lowest first: a session knows its queue, the queue its pool of contexts, and none knows who calls it.
ROOMS_OF_RUN = ("core/run/context/", "core/run/batching/", "core/run/session/")


@pytest.mark.parametrize("room", ROOMS_OF_RUN)
def test_a_room_of_run_includes_only_itself_and_those_below(room: str) -> None:
    above = ROOMS_OF_RUN[ROOMS_OF_RUN.index(room) + 1 :]
    found = [path for path in sources(room) if not path.name.endswith("_test.cpp")]
    assert found, f"{room} has no sources: the list of rooms is out of date"
    wrong = [
        f"{path.relative_to(ROOT)} includes {include}"
        for path in found
        for include in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if include.startswith(above)
    ]
    assert not wrong, "\n".join(wrong)


# The parts of a context, and which of them each knows: none knows the context.
PARTS_OF_A_CONTEXT = {
    "caller_tensors": set(),
    "shape_slots": set(),
    "host_arena": {"device_context"},
    "operand_views": set(),
    "device_context": set(),
    "shape_binding": {
        "caller_tensors",
        "control_flow",
        "device_context",
        "host_arena",
        "operand_views",
        "shape_slots",
        "side_by_side",
    },
    "side_by_side": {"shape_binding"},
    "device_places": {"copy_elements", "caller_tensors", "device_context", "shape_binding"},
    "step_runner": {"copy_elements", "control_flow", "device_context", "device_places", "shape_binding"},
}


@pytest.mark.parametrize("part", PARTS_OF_A_CONTEXT)
def test_a_part_of_a_context_knows_the_parts_that_it_is_made_of(part: str) -> None:
    plain = {part, "shape_source", "memory_ahead", "stop"}  # data
    for suffix in (".h", ".cpp"):
        text = (ROOT / "core/run/context" / f"{part}{suffix}").read_text(encoding="utf-8")
        known = {Path(name).stem for name in INCLUDE.findall(text) if name.startswith("core/run/")}
        assert known <= PARTS_OF_A_CONTEXT[part] | plain, f"{part}{suffix}"


def test_what_runs_programs_names_no_operator() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in sources("core/run/")
        if not path.name.endswith("_test.cpp")
        and re.search(r"(?<![.>])\bas<\w+>|core/ops/operators/|\bOpKind::", path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", OUTSIDE)
def test_programs_and_bindings_use_the_c_api_only(folder: str) -> None:
    wrong = []
    for path in sources(folder):
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if layer_of(include) is not None:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_operators_know_no_kernel_and_kernels_no_primitive() -> None:
    words = {"core/ops/": ("Kernel", "PackedWeights"), "core/kernels/": ("Primitive", "registry.h", "Graph&")}
    wrong = []
    for prefix, forbidden in words.items():
        for path in sources(prefix):
            if path.name.endswith("_test.cpp"):
                continue  # what kernels compute is tested through primitives, too
            text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
            wrong += [
                f"{path.relative_to(ROOT)} mentions {word}"
                for word in forbidden
                if re.search(rf"\b{re.escape(word)}", text)
            ]
    assert not wrong, "\n".join(wrong)


def test_one_list_names_the_kinds_of_engines() -> None:
    """Above the engines a kind is an entry of the registry; the host's has a part everywhere."""
    allowed = {"capi/opencl_objects.cpp"}  # functions that take OpenCL's own objects
    wrong = []
    for prefix in ("core/dispatch/", "core/program/", "core/run/", "core/graph/", "onnx/", "capi/"):
        for path in sources(prefix):
            name = str(path.relative_to(ROOT))
            tests = path.stem.endswith(("_test", "_bench")) or "/testing/" in name
            if tests or "/generated/" in name or "/include/" in name or name in allowed:
                continue
            text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
            if re.search(r'"(opencl|testing)"|core/engines/(opencl|null|testing)/', text):
                wrong.append(name)
    assert not wrong, f"{wrong} name a kind of engine; core/engines/registry.h lists them"


# Lists of kernels are made of what sets have (core/kernels/sets.h), for the processor that core/base/cpu.h says.
ASKS_FOR_THE_PROCESSOR = {
    "core/base/cpu.h",
    "core/base/cpu.cpp",
    "core/base/threads/threads.cpp",
    "core/base/threads/threads_test.cpp",
    "capi/values.cpp",
}


def test_one_place_in_the_kernels_asks_for_the_processor_of_the_build() -> None:
    found = {
        str(path.relative_to(ROOT))
        for layer in LAYERS
        for path in sources(layer)
        if re.search(r"__x86_64__|__aarch64__|_M_X64", path.read_text(encoding="utf-8"))
    }
    assert found == ASKS_FOR_THE_PROCESSOR
