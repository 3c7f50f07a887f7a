# SPDX-License-Identifier: Apache-2.0
"""help() says something about every public name (those of anydim.compat.onnxruntime are documented by onnxruntime), and what the header
says of explaining and tuning is so."""

from __future__ import annotations

import ctypes
import inspect
import json
from types import ModuleType

import anydim
import numpy as np
import pytest
import small_models
from anydim import _capi
from anydim._enums import Dtype, EngineKind, Reuse


@pytest.mark.parametrize(
    "module", [anydim, anydim.cache, anydim.packed, anydim.ray, anydim.rows, anydim.spark, anydim.worker]
)
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


def test_what_the_header_says_of_explaining_and_tuning_holds() -> None:
    """Both run the model on the inputs' data; explaining counts as a run, and tuning loses the outputs of the last one."""
    engine = _capi.engine_create(EngineKind.CPU, 0)
    edges = {name: [small_models.value(name, 1, ["n"])] for name in "xy"}
    relu = [small_models.node("Relu", ["x"], ["y"])]
    model = _capi.model_load_memory(engine, small_models.model(relu, inputs=edges["x"], outputs=edges["y"]))
    run = _capi.context_create(model, None, {})
    given = np.array([-1, 2], np.float32)
    x = (Dtype.F32, [2], None, given.ctypes.data)
    assert json.loads(_capi.text_get_data(_capi.context_explain(run, [x])))["nodes"]
    assert _capi.context_query(run)["runs"] == 1
    [(dtype, dims, strides, address)] = _capi.context_run(run, [x], [(Dtype.F32, [], None, 0)])
    assert (dtype, dims, strides) == (Dtype.F32, [2], [1])
    assert list((ctypes.c_float * 2).from_address(address)) == [0, 2]
    assert _capi.context_get_node(run, 0)["kernel"]
    assert "nodes" in json.loads(_capi.text_get_data(_capi.context_tune(run, [x], {"record": 0, "node_ms": 1})))
    with pytest.raises(anydim.errors.NotFoundError):
        _capi.context_get_node(run, 0)
    attr = _capi.attr_create()
    _capi.attr_set_reuse(attr, Reuse.SPECIALISED)
