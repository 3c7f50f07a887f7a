# SPDX-License-Identifier: Apache-2.0
"""What the arguments of a session mean to the C API: where a model comes from, and the options that it is loaded with."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NoReturn, Protocol

import anydim  # types of modules that most programs never import

from . import _capi
from ._enums import Layout, Math, Passes, Reuse
from .errors import InvalidArgumentError
from .layouts import Layouts, raw_layouts


class ModelProto(Protocol):
    """What a model in memory looks like to the package onnx."""

    def SerializeToString(self) -> bytes:
        """The bytes of its file."""


ModelSource = str | os.PathLike[str] | bytes | bytearray | memoryview | ModelProto


def refuse_option(name: str) -> NoReturn:
    """Says what to do instead of an argument that there is none of; onnxruntime's are the likely ones."""
    advice = {
        "providers": "leave it out: models run on the CPU; other devices are named by engines=",
        "provider_options": "leave it out: models run on the CPU; options of devices are those of anydim.Engine",
        "sess_options": "its settings are arguments of their own here, such as threads=",
    }.get(name)
    if advice is None:
        raise TypeError(
            f"InferenceSession has no argument {name!r}; help(anydim.InferenceSession) lists those that it has"
        )
    raise TypeError(
        f"{name} is an argument of onnxruntime's; {advice}. A program for onnxruntime runs unchanged with "
        "python -m anydim.compat.onnxruntime PROGRAM (docs/from-onnxruntime.md)"
    )


def reuse_policy(name: str | None) -> int:
    """The number of a reuse policy; None: the process's (ANYDIM_REUSE), else the build's."""
    if name is None:
        return int(Reuse.INHERIT)
    try:
        return int(Reuse[name.upper()])
    except (KeyError, AttributeError):
        raise InvalidArgumentError(f"reuse is {name!r}; expected one of {[e.name.lower() for e in Reuse]}") from None


def math_mode(name: str, what: str) -> int:
    """The number of a math mode."""
    try:
        return int(Math[name.upper()])
    except (KeyError, AttributeError):
        raise InvalidArgumentError(f"{what} is {name!r}; expected one of {[e.name.lower() for e in Math]}") from None


def passes_set(name: str) -> int:
    """The number of a set of passes."""
    try:
        return int(Passes[name.upper()])
    except (KeyError, AttributeError):
        raise InvalidArgumentError(f"passes is {name!r}; expected one of {[e.name.lower() for e in Passes]}") from None


def output_layout_number(name: str) -> int:
    """The number of a layout of outputs."""
    words = [e.name.lower() for e in Layout if e is not Layout.STRIDED]
    if name not in words:
        raise InvalidArgumentError(f"output_layout is {name!r}; expected one of {words}")
    return int(Layout[name.upper()])


def model_options(
    passes: str,
    layouts: Layouts | None,
    output_layout: str,
    engines: str | Sequence[anydim.Engine | str],
    math: str | None,
    layers: Mapping[str, str] | None,
    sequences: Mapping[str, Sequence[int] | None] | None,
    operators: Mapping[tuple[str, str], anydim.CustomOperator] | None,
    packed_weights: str | os.PathLike[str] | None,
    external_data_folder: str | os.PathLike[str] | None,
) -> _capi.ModelOptions:
    """The options of a model by the arguments of `InferenceSession`, which documents them."""
    options: _capi.ModelOptions = {"passes": passes_set(passes), "output_layout": output_layout_number(output_layout)}
    if layouts:
        options["layouts"] = raw_layouts(layouts)
    if engines:
        from .primitives import Engine, kinds  # most programs need none

        named = [engines] if isinstance(engines, str) else list(engines)
        made = []
        for i, engine in enumerate(named):
            if isinstance(engine, str) and engine.split(":")[0] not in kinds():
                raise InvalidArgumentError(
                    f"engines[{i}] is {engine!r}; expected one of {list(kinds())}. Leave engines out for the CPU, which needs no choice. "
                    "Anydim has no kernels for CUDA and other GPUs' own interfaces; what speaks OpenCL is 'opencl'"
                )
            made.append(Engine(engine) if isinstance(engine, str) else engine)
            if not isinstance(made[i], Engine):
                raise InvalidArgumentError(f"engines[{i}] is {engine!r}; expected an anydim.Engine or its text")
        options["engines"] = [engine._handle for engine in made]
    if math is not None:
        options["math"] = math_mode(math, "math")
    if layers:
        layer_modes = options["layers"] = _capi.layers_create()
        for layer, mode in layers.items():
            _capi.layers_set_math(layer_modes, layer, math_mode(mode, f"layers[{layer!r}]"))
    if sequences:
        texts = {name: "-" if ranks is None else ",".join(map(str, ranks)) for name, ranks in sequences.items()}
        options["sequences"] = ";".join(f"{name}={text}" for name, text in texts.items())
    if operators:
        from .custom import raw_operators  # most programs have none

        options["operators"] = raw_operators(operators)
    if packed_weights is not None:
        options["packed_weights"] = os.fsencode(packed_weights)
    if external_data_folder is not None:
        options["external_data_folder"] = os.fsencode(external_data_folder)
    return options


def load_model(
    engine: _capi.Engine, source: ModelSource | anydim.ModelBuilder, options: _capi.ModelOptions
) -> _capi.Model:
    """The model of a file, of the bytes of one, of an `onnx.ModelProto` or of a `ModelBuilder`."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = source.tobytes() if isinstance(source, memoryview) and not source.c_contiguous else source
        return _capi.model_load_memory(engine, data, options)
    if hasattr(source, "SerializeToString"):
        return _capi.model_load_memory(engine, source.SerializeToString(), options)
    if isinstance(source, (str, os.PathLike)):
        return _capi.model_load_file(engine, os.fspath(source), options)
    builder = getattr(source, "_handle", None)  # of a ModelBuilder, which most programs never import
    if builder is None:
        try:
            view = memoryview(source)  # type: ignore[arg-type]  # of an mmap, an array of bytes, ...
        except TypeError:
            pass
        else:
            return load_model(engine, view.cast("B") if view.c_contiguous else view, options)
        found = type(source).__name__
        raise TypeError(
            f"path_or_bytes is of type {found}; expected a path, the bytes of a file, an onnx.ModelProto, or an anydim.ModelBuilder"
        )
    return _capi.model_builder_create_model(builder, engine, options)
