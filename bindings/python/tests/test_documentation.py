# SPDX-License-Identifier: Apache-2.0
"""help() tells something about every public name; those of anydim.compat.onnxruntime are documented by onnxruntime."""

from __future__ import annotations

import inspect
from types import ModuleType

import anydim
import pytest


@pytest.mark.parametrize("module", [anydim, anydim.cache, anydim.worker])
def test_every_public_class_method_and_function_is_documented(module: ModuleType) -> None:
    silent = []
    for name, thing in vars(module).items():
        if name.startswith("_") or not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        if not (thing.__module__ or "").startswith("anydim"):
            continue
        if not thing.__doc__:
            silent.append(name)
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                described = inspect.isfunction(value) or isinstance(value, property)
                if not member.startswith("_") and described and not value.__doc__:
                    silent.append(f"{name}.{member}")
    assert silent == []
