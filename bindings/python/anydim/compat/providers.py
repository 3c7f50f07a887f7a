# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's lists of execution providers: which are meant, which are no providers at all, and what it says about them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .. import errors

CPU = "CPUExecutionProvider"
# Those that onnxruntime knows by name, also where a build of it lacks them.
_KNOWN = {
    f"{name}ExecutionProvider"
    for name in (
        "ACL", "ArmNN", "Azure", "CANN", "CPU", "CUDA", "CoreML", "Dml", "JS", "MIGraphX", "Nnapi", "NvTensorRTRTX", "OpenVINO", "QNN",
        "ROCM", "Rknpu", "SNPE", "Tensorrt", "VSINPU", "VitisAI", "WebGpu", "WebNN", "Xnnpack",
    )
} | {"DnnlExecutionProvider", "TvmExecutionProvider"}  # fmt: skip


def _names(providers: Sequence[Any], options: Sequence[Any] | None) -> list[str]:
    if options is not None:
        if len(options) != len(providers):
            raise errors.InvalidArgumentError(
                "'providers' and 'provider_options' should be the same length if both are given."
            )
        if not all(isinstance(o, Mapping) for o in options):
            raise errors.InvalidArgumentError("'provider_options' values must be dicts.")
    names = []
    for provider in providers:
        if isinstance(provider, str):
            names.append(provider)
        elif (
            isinstance(provider, tuple)
            and len(provider) == 2
            and isinstance(provider[0], str)
            and isinstance(provider[1], Mapping)
        ):
            names.append(provider[0])
        else:
            raise errors.InvalidArgumentError("'providers' values must be either strings or (string, dict) tuples.")
    return names


def chosen_providers(providers: Sequence[Any] | None, options: Sequence[Any] | None, fall_back: bool) -> None:
    """Warns of providers that are not here, as onnxruntime does, and refuses what it knows no provider of. With `fall_back` it says so
    and goes on with the processor."""
    try:
        names = _names(list(providers or ()), options)
        for name in dict.fromkeys(names):
            if name != CPU:
                warnings.warn(
                    f"Specified provider {name!r} is not in available provider names.Available providers: '{CPU}'",
                    UserWarning,
                    stacklevel=4,
                )
        for name in names:
            if name not in _KNOWN:
                raise errors.InvalidArgumentError(f"Unknown Provider Type: {name}")
    except errors.InvalidArgumentError as error:
        if not fall_back:
            raise
        print("*************** EP Error ***************")
        print(f"EP Error {error} when using {providers}")
        print(f"Falling back to {[CPU]} and retrying.")
        print("****************************************")
