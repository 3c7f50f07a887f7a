# SPDX-License-Identifier: Apache-2.0
"""Torch's tensors as numpy's arrays and back, over the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..arrays import Array
from ..errors import InvalidArgumentError, UnimplementedError

# Those that numpy lacks travel as whole numbers of their size and are what the package ml_dtypes calls them: torch -> (carrier, name).
_CARRIED = {
    torch.bfloat16: (torch.int16, "bfloat16"),
    torch.float8_e4m3fn: (torch.uint8, "float8_e4m3fn"),
    torch.float8_e4m3fnuz: (torch.uint8, "float8_e4m3fnuz"),
    torch.float8_e5m2: (torch.uint8, "float8_e5m2"),
    torch.float8_e5m2fnuz: (torch.uint8, "float8_e5m2fnuz"),
}
_CARRIED_BACK = {name: (carrier, dtype) for dtype, (carrier, name) in _CARRIED.items()}


def check_place(tensor: torch.Tensor, what: str) -> None:
    """Says why a tensor has no memory that the processor can read, if so."""
    if tensor.device.type != "cpu":
        raise UnimplementedError(
            f"{what} is on {tensor.device}; anydim.torch runs on the processor: expected a tensor on cpu"
        )
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_complex():
        kind = tensor.layout if tensor.layout is not torch.strided else tensor.dtype
        raise UnimplementedError(f"{what} is {kind}; expected a dense tensor of real numbers, whole numbers or bool")


def as_array(tensor: torch.Tensor, what: str) -> Array:
    """An array over the tensor's memory."""
    if tensor.device.type != "cpu" or tensor.layout is not torch.strided or tensor.is_quantized:
        check_place(tensor, what)
    if tensor.requires_grad and torch.is_grad_enabled() and not isinstance(tensor, torch.nn.Parameter):
        raise InvalidArgumentError(
            f"{what} requires gradients, and anydim.torch has none: call it under torch.no_grad() or torch.inference_mode(), "
            "or give it tensor.detach()"
        )
    tensor = tensor.detach()
    carried = _CARRIED.get(tensor.dtype)
    if carried is None:
        array: Array = tensor.numpy()
        return array
    import ml_dtypes  # type: ignore[import-not-found, unused-ignore]

    named: Array = tensor.view(carried[0]).numpy().view(getattr(ml_dtypes, carried[1]))
    return named


def as_tensor(array: Any) -> torch.Tensor:
    """A tensor over the array's memory, through DLPack where numpy's own protocol has the dtype."""
    carried = _CARRIED_BACK.get(array.dtype.name)
    if carried is None:
        return torch.from_dlpack(array) if array.flags.writeable else torch.from_numpy(np.array(array))
    return torch.from_numpy(array.view(np.dtype(str(carried[0]).removeprefix("torch.")))).view(carried[1])
