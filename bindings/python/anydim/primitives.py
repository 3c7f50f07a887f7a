# SPDX-License-Identifier: Apache-2.0
"""Primitives: single operators on arrays, at any dims that their descriptors allow."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _capi, _structs
from ._enums import Dtype, Math, PrimitiveCacheHit, Reuse
from ._operators import Operators
from .arrays import Array, as_array, as_output, new_array, numpy_dtype, view
from .dims import Desc, raw_dims, whole_number
from .errors import InvalidArgumentError, NotFoundError, UnimplementedError
from .operator_arguments import by_name, dtype_number
from .option_words import MathWord, ReuseWord
from .post_ops import PostOp
from .quantization import Quantized


def _attributes(
    post_ops: Sequence[PostOp],
    kernel: str | None,
    reuse: ReuseWord | None,
    math: MathWord | None,
    quantized: Sequence[Quantized],
    result_dtype: str | None,
) -> _capi.Attr:
    attr = _capi.attr_create()
    if math is not None:
        _capi.attr_set_math(attr, by_name(Math, math, "math"))
    if result_dtype is not None:
        _capi.attr_set_dtype(attr, dtype_number(result_dtype, "result_dtype"))
    for q in quantized:
        # One number is for the whole tensor, beside others along the axis, too.
        if q.scale is not None:
            _capi.attr_set_scales(attr, q.operand, -1 if len(q.scale) == 1 else q.axis, list(q.scale))
        if q.zero_point is not None:
            _capi.attr_set_zero_points(attr, q.operand, -1 if len(q.zero_point) == 1 else q.axis, list(q.zero_point))
    for step in post_ops:
        if step.tensor:
            _capi.attr_append_binary(attr, step.function, int(step.reversed))
        else:
            _capi.attr_append_eltwise(attr, step.function, step.alpha, step.beta)
    if kernel is not None:
        _capi.attr_set_kernel(attr, kernel)
    if reuse is not None:
        _capi.attr_set_reuse(attr, by_name(Reuse, reuse, "reuse"))
    return attr


class Weights:
    """Constant operands, packed once for an operator; any number of primitives may use them: pass `primitive.weights` where
    another primitive of the same operator takes the first of them, at any other shape."""

    def __init__(self, handle: _capi.Weights) -> None:
        self._handle = handle

    def update(self, *constants: Any) -> int:
        """Packs new values, of the dims and dtypes there were and in their order, for every primitive over these weights; returns
        the new version. Calls that run in other threads end with the values they began with."""
        arrays = [as_array(x, f"constant {i}") for i, x in enumerate(constants) if x is not None]
        _capi.weights_update(self._handle, [view(a) for a in arrays])
        return self.version

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the packed form to a file, for this instruction set. Pass a `pathlib.Path` to it as weights of the same
        operator to map it: `engine.convolution(src, weights=Path("conv.weights"))`; nothing is packed then, and processes
        share the memory."""
        _capi.weights_save(self._handle, os.fspath(path))

    @property
    def version(self) -> int:
        """1 after creation or loading, one more after each update."""
        return _capi.weights_get_version(self._handle)

    @property
    def bytes(self) -> int:
        """Bytes of the packed form."""
        return _capi.weights_get_bytes(self._handle)


class Primitive:
    """An operator ready to execute: call it with its arrays (those of post-ops follow), get a new array, or a tuple of
    them from an operator of several outputs."""

    def __init__(
        self,
        engine: Engine,
        op: dict[str, Any],
        inputs: Sequence[Desc],
        attr: _capi.Attr,
        weights: Weights | None,
        constants: dict[int, Array],
        outputs: int,
    ) -> None:
        self._engine = engine
        self._weights = weights
        descs = [
            _capi.desc_create(d.dtype, raw_dims(d.dims, f"descriptor {i}"), d.layout) for i, d in enumerate(inputs)
        ]
        if constants:
            views = [view(a) for a in constants.values()]
            self._handle = _capi.primitive_create_with_constants(
                engine._handle, op, attr, descs, views, list(constants)
            )
            self._weights = Weights(_capi.primitive_acquire_weights(self._handle))
        else:
            packed = None if weights is None else weights._handle
            self._handle = _capi.primitive_create(engine._handle, op, attr, descs, packed)
        self._dtypes = [_capi.primitive_get_output_dtype(self._handle, i) for i in range(outputs)]

    def __call__(self, *inputs: Any, out: Any = None) -> Any:
        arrays = [as_array(value, f"input {i}") for i, value in enumerate(inputs)]
        stream = self._engine._stream()
        if len(self._dtypes) == 1:
            output_arrays = [None if out is None else as_output(out, "out")]
        elif out is not None and len(out) != len(self._dtypes):
            raise InvalidArgumentError(f"out has {len(out)} arrays; expected {len(self._dtypes)}")
        else:
            output_arrays = [None if y is None else as_output(y, f"out[{i}]") for i, y in enumerate(out or ())]
        made = _capi.execute_primitive(self._handle, stream, arrays, self._dtypes, output_arrays)
        return made[0] if len(made) == 1 else tuple(made)

    @property
    def weights(self) -> Weights | None:
        """The packed weights it uses: to update, to save, or for other primitives; None if it has none."""
        return self._weights

    @property
    def kernel(self) -> str:
        """Name of the kernel it runs."""
        return _capi.primitive_get_kernel(self._handle)[0]

    @property
    def kernel_identity(self) -> int:
        """Equal for two primitives exactly if they hold the same kernel object."""
        return _capi.primitive_get_kernel(self._handle)[1]

    @property
    def creation(self) -> tuple[str, int]:
        """How it came to be ("miss", "hit", "waited", "churn" or "none", see PrimitiveCacheHit) and the nanoseconds that took."""
        info = _capi.primitive_query_creation(self._handle)
        return PrimitiveCacheHit(info["hit"]).name.lower(), info["time_ns"]

    def explain(self, *shapes: Sequence[int]) -> dict[str, Any]:
        """Kernel, tier, layouts, why the other kernels were refused; with the shapes of its inputs also output dims."""

        explained: dict[str, Any] = json.loads(_capi.explain_primitive(self._handle, []))
        if shapes:
            zeros: list[Array] = [
                np.broadcast_to(np.zeros((), numpy_dtype(int(Dtype[inp["dtype"].upper()]))), tuple(shape))
                for inp, shape in zip([x for x in explained["inputs"] if "constant" not in x], shapes, strict=False)
            ]
            explained = json.loads(_capi.explain_primitive(self._handle, zeros))
        return explained

    def choices(self, *inputs: Any, repeats: int = 0) -> list[dict[str, Any]]:
        """Every kernel for these arrays in order of preference: chosen, refusal, expected_nanoseconds, scratch_bytes; with
        `repeats` also measured_nanoseconds, the median of that many runs, one after the other (it takes as long as they take)."""
        _arrays, views, out = self._operands(inputs)
        return json.loads(  # type: ignore[no-any-return]
            _capi.text_get_data(
                _capi.primitive_compare_kernels(
                    self._handle, self._engine._stream(), views, [view(y) for y in out], repeats
                )
            )
        )

    def line(self, *inputs: Any) -> str:
        """The verbose line of an execution with these arrays, for `anydim replay` and for reports; nothing is run."""
        _arrays, views, out = self._operands(inputs)
        stream = self._engine._stream()
        return _capi.text_get_data(_capi.primitive_format_line(self._handle, stream, views, [view(y) for y in out]))

    def _operands(self, inputs: Sequence[Any]) -> tuple[list[Array], list[_capi.View], list[Array]]:
        """The inputs as arrays, to be kept alive, their views, and arrays for the outputs."""
        arrays = [as_array(value, f"input {i}") for i, value in enumerate(inputs)]
        views = [view(array) for array in arrays]
        outputs = [
            new_array(_capi.primitive_get_output_dims(self._handle, views, i), numpy_dtype(dtype), f"output {i}")
            for i, dtype in enumerate(self._dtypes)
        ]
        return arrays, views, outputs


def kinds() -> dict[str, int]:
    """The kinds of engines that the library has, by name."""
    found: dict[str, int] = {}
    while True:
        try:
            info = _capi.engine_get_kind(len(found))
        except NotFoundError:
            return found
        found[info["name"]] = info["kind"]


def _kind(name: str) -> int:
    known = kinds()
    if name not in known:
        raise InvalidArgumentError(
            f"kind is {name!r}; expected one of {list(known)}: Anydim runs on the processor, which needs no choice, and on OpenCL devices"
        )
    return known[name]


def _devices(kind: int) -> list[_structs.DeviceInfo]:
    found: list[_structs.DeviceInfo] = []
    while True:
        try:
            found.append(_capi.engine_get_device(kind, len(found)))
        except NotFoundError:
            return found


def _device(text: str) -> tuple[int, int]:
    """The kind and the number of a device, from kind[:platform[:device]]."""
    name, *numbers = text.split(":") if isinstance(text, str) else [text]
    kind = _kind(name)
    if not numbers:
        return kind, 0
    if len(numbers) > 2 or not all(n.isascii() and n.isdigit() for n in numbers):
        raise InvalidArgumentError(f"kind is {text!r}; expected kind[:platform[:device]], such as 'opencl:0:1'")
    platform_and_device = [int(n) for n in numbers] + [0] * (2 - len(numbers))
    for i, found in enumerate(_devices(kind)):
        if [found["platform"], found["device"]] == platform_and_device:
            return kind, i
    raise NotFoundError(
        f"kind is {text!r}; there is no device {platform_and_device[1]} on platform {platform_and_device[0]}"
    )


class Engine(Operators):
    """A device with its kernels: `anydim.Engine("cpu")`, `anydim.Engine("opencl")`, or `anydim.Engine("opencl:1:0")` for the first
    device of the second platform (`Engine.devices("opencl")` lists them). flushed_denormals: a device of opencl that treats denormals
    as zeros is accepted, too."""

    def __init__(self, kind: str = "cpu", *, threads: int | None = None, flushed_denormals: bool = False) -> None:
        number, device = _device(kind)
        options: _capi.EngineOptions = {"threads": 0 if threads is None else whole_number(threads, "threads")}
        if flushed_denormals:
            options["flushed_denormals"] = 1
        self._handle = _capi.engine_create(number, device, options)
        self._local = threading.local()

    @staticmethod
    def devices(kind: str = "opencl") -> list[_structs.DeviceInfo]:
        """The devices that an engine of this kind can be made for, in order; none where there is no driver."""
        return _devices(_kind(kind))

    def _stream(self) -> _capi.Stream:
        """The calling thread's stream: streams have one user at a time."""
        stream: _capi.Stream | None = getattr(self._local, "stream", None)
        if stream is None:
            stream = self._local.stream = _capi.stream_create(self._handle)
        return stream

    def info(self) -> _structs.EngineInfo:
        """Device, instruction set, threads, number of kernels."""
        return _capi.engine_query(self._handle)

    def kernels(self) -> list[_structs.KernelInfo]:
        """All kernels of the registry, in order of preference."""
        return [_capi.engine_get_kernel(self._handle, i) for i in range(self.info()["kernels"])]

    def _operate(
        self,
        op: dict[str, Any],
        operands: Sequence[Any],
        outputs: int,
        post_ops: Sequence[PostOp],
        kernel: str | None,
        reuse: ReuseWord | None,
        math: MathWord | None,
        quantized: Sequence[Quantized] = (),
        result_dtype: str | None = None,
    ) -> Primitive:
        """A primitive. Operands that are descriptors come with each call; others are constant."""
        all_operands = list(operands)
        while all_operands and all_operands[-1] is None:
            all_operands.pop()
        attr = _attributes(post_ops, kernel, reuse, math, quantized, result_dtype)
        inputs: list[Desc] = []
        constants: dict[int, Array] = {}
        packed: Weights | os.PathLike[str] | None = None
        for i, x in enumerate(all_operands):
            if isinstance(x, Desc):
                inputs.append(x)
            elif x is None:
                if any(isinstance(later, Desc) for later in all_operands[i:]):
                    raise UnimplementedError(
                        f"operand {i} of {op['op']} is left out and a later one comes with each call; expected a constant"
                    )
            elif isinstance(x, (Weights, os.PathLike)) and packed is None:
                packed = x
            else:
                constants[i] = as_array(x, f"operand {i} of {op['op']}")
        if packed is not None and constants:
            place = next(iter(constants))
            raise InvalidArgumentError(f"operand {place} was given beside packed weights, which hold their own")
        if isinstance(packed, os.PathLike):
            descs = [
                _capi.desc_create(d.dtype, raw_dims(d.dims, f"descriptor {i}"), d.layout) for i, d in enumerate(inputs)
            ]
            packed = Weights(_capi.weights_load(self._handle, op, attr, descs, os.fspath(packed)))
        return Primitive(self, op, inputs, attr, packed, constants, outputs)
