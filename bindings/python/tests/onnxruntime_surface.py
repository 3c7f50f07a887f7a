# SPDX-License-Identifier: Apache-2.0
"""Prints what `import onnxruntime` has, as JSON: modules, names, members of classes, parameters of functions. With the argument `anydim`
Anydim stands in (test_compat_names.py)."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from typing import Any

MODULES = (
    "onnxruntime",
    "onnxruntime.capi",
    "onnxruntime.capi._ld_preload",
    "onnxruntime.capi._pybind_state",
    "onnxruntime.capi.build_and_package_info",
    "onnxruntime.capi.onnxruntime_inference_collection",
    "onnxruntime.capi.onnxruntime_pybind11_state",
    "onnxruntime.capi.onnxruntime_validation",
)


def parameters(function: Any) -> list[str] | None:
    """Names of the parameters; None where nobody knows them, as of functions in C++."""
    try:
        found = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return found[1:] if found[:1] in (["self"], ["cls"]) else found


def described(thing: Any) -> dict[str, Any]:
    if inspect.isclass(thing):
        members = {name: parameters(getattr(thing, name)) for name in dir(thing) if not name.startswith("_")}
        # Those of an enumeration's members, which a class of Python does not list.
        if hasattr(thing, "__members__"):
            members |= dict.fromkeys(("name", "value", *thing.__members__))
        fields = getattr(thing, "__dataclass_fields__", {})
        return {"members": members | dict.fromkeys(fields), "parameters": None}
    return {"members": {}, "parameters": parameters(thing) if callable(thing) else None}


def surface() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for module in MODULES:
        here = importlib.import_module(module)
        found[module] = {
            name: described(getattr(here, name))
            for name in dir(here)
            if not name.startswith("_") and not (inspect.ismodule(getattr(here, name)) and module != "onnxruntime.capi")
        }
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["anydim"]:
        import anydim.compat.onnxruntime

        anydim.compat.onnxruntime.install()
        wanted = json.load(sys.stdin)
        ours: dict[str, dict[str, Any]] = {}
        for module, names in wanted.items():
            here = importlib.import_module(module)
            ours[module] = {name: described(getattr(here, name)) for name in names if hasattr(here, name)}
        print(json.dumps(ours))
    else:
        print(json.dumps(surface()))
