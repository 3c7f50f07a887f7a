# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers while a module is exported: only the sizes of their results are computed.

Torch's exporter to ONNX keeps LSTM and GRU as they are, but computes the sizes of their results by tracing a loop over the sequence. That
takes tens of seconds for two layers, and it writes conditions of that loop down as conditions of the module (no batch of 1). Here sizes
follow from the arguments. A layer that would not be kept leaves `new_empty` behind, which `export.py` refuses by comparing results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._decomp

_TABLE: dict[Any, Any] = torch._decomp.global_decomposition_table["post_autograd"]

# The two functions through which torch's exporter puts its loops in place of the layers.
_REPLACED = {
    "register_lstm_while_loop_decomposition": ("lstm", lambda *arguments: _lstm(*arguments)),
    "register_gru_while_loop_decomposition": ("gru", lambda *arguments: _gru(*arguments)),
}


def _outputs(x: torch.Tensor, h: torch.Tensor, bidirectional: bool) -> torch.Tensor:
    return x.new_empty((x.shape[0], x.shape[1], h.shape[2] * (2 if bidirectional else 1)))


def _lstm(x: torch.Tensor, state: Any, *how: Any) -> tuple[torch.Tensor, ...]:
    h, c = state
    return _outputs(x, h, how[5]), h.new_empty(h.shape), c.new_empty(c.shape)


def _gru(x: torch.Tensor, h: torch.Tensor, *how: Any) -> tuple[torch.Tensor, ...]:
    return _outputs(x, h, how[5]), h.new_empty(h.shape)


@contextmanager
def _kernel(operator: Any, function: Callable[..., Any]) -> Iterator[None]:
    # The first table is asked where a module is traced, the second where its graph is traced again to be translated.
    tables = ((operator.py_kernels, torch._C.DispatchKey.CompositeImplicitAutograd), (_TABLE, operator))
    before = [table.get(key) for table, key in tables]
    for table, key in tables:
        table[key] = function
    operator._dispatch_cache.clear()
    try:
        yield
    finally:
        for (table, key), function_before in zip(tables, before, strict=True):
            table.pop(key, None)
            if function_before is not None:
                table[key] = function_before
        operator._dispatch_cache.clear()


@contextmanager
def sizes_alone() -> Iterator[None]:
    """Within it LSTM and GRU of tensors without values (those of an export) compute nothing but sizes."""
    from torch.export import _patches

    replaced = {}
    for name, (operator, function) in _REPLACED.items():
        if hasattr(_patches, name):
            replaced[name] = getattr(_patches, name)
            overload = getattr(torch.ops.aten, operator).input
            setattr(_patches, name, lambda overload=overload, function=function: _kernel(overload, function))
    try:
        with _kernel(torch.ops.aten.lstm.input, _lstm), _kernel(torch.ops.aten.gru.input, _gru):
            yield
    finally:
        for name, function in replaced.items():
            setattr(_patches, name, function)
