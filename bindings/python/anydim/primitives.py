# SPDX-License-Identifier: Apache-2.0
"""Primitives: single operators on arrays, at any dims that their descriptors allow."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _capi
from ._enums import (
    BinaryFunction,
    EngineKind,
    PoolingKind,
    PrimitiveCacheHit,
    Reduction,
    ResizeCoordinates,
    ResizeMode,
    ResizeNearest,
    Reuse,
    UnaryFunction,
)
from .arrays import Array, as_array, as_output, new_array, numpy_dtype, view
from .dims import Desc, raw_dims, whole_number
from .errors import InvalidArgumentError, UnimplementedError
from .post_ops import PostOp

Ints = int | Sequence[int]


def _spread(value: Ints, spatial: int, what: str) -> list[int]:
    """One number for all spatial dims, or one for each."""
    if not isinstance(value, (Sequence, np.ndarray)):
        return [whole_number(value, what)] * spatial
    if len(value) != spatial:
        raise InvalidArgumentError(f"{what} has {len(value)} numbers; expected 1 or {spatial}")
    return [whole_number(v, f"{what}[{i}]") for i, v in enumerate(value)]


def _pads(value: Ints, spatial: int) -> dict[str, list[int]]:
    """One number, one per dim, or all beginnings and then all ends."""
    if isinstance(value, (Sequence, np.ndarray)) and len(value) == 2 * spatial:
        both_ends = _spread(value, 2 * spatial, "pads")
        return {"pads_begin": both_ends[:spatial], "pads_end": both_ends[spatial:]}
    both = _spread(value, spatial, "pads")
    return {"pads_begin": both, "pads_end": both}


def _by_name(enum: Any, name: str, what: str) -> int:
    try:
        return int(enum[name.upper()])
    except KeyError:
        raise InvalidArgumentError(f"{what} is {name!r}; expected one of {[e.name.lower() for e in enum]}") from None


def _attributes(post_ops: Sequence[PostOp], kernel: str | None, reuse: str | None) -> _capi.Attr:
    attr = _capi.attr_create()
    for step in post_ops:
        if step.tensor:
            _capi.attr_append_binary(attr, step.function, int(step.reversed))
        else:
            _capi.attr_append_eltwise(attr, step.function, step.alpha, step.beta)
    if kernel is not None:
        _capi.attr_set_kernel(attr, kernel)
    if reuse is not None:
        _capi.attr_set_reuse(attr, _by_name(Reuse, reuse, "reuse"))
    return attr


class Weights:
    """Constant weights, packed once for an operator; any number of primitives may use them: pass `primitive.weights` where
    another primitive of the same operator takes its weights, at any other shape."""

    def __init__(self, engine: Engine, op: dict[str, Any], attr: _capi.Attr, weights: Any, bias: Any) -> None:
        self._engine = engine
        if isinstance(weights, os.PathLike):
            if bias is not None:
                raise InvalidArgumentError("bias was given beside a file of packed weights, which holds its own")
            self._handle = _capi.weights_load(engine._handle, op, attr, os.fspath(weights))
            return
        array = as_array(weights, "weights")
        second = None if bias is None else as_array(bias, "bias")
        views = [view(a) for a in (array, second) if a is not None]
        self._handle = _capi.weights_create(engine._handle, op, attr, views)

    def update(self, weights: Any, bias: Any = None) -> int:
        """Packs new values, of the dims and dtype there were, for every primitive over these weights; returns the new
        version. Calls that run in other threads end with the values they began with."""
        array = as_array(weights, "weights")
        second = None if bias is None else as_array(bias, "bias")
        _capi.weights_update(self._handle, [view(a) for a in (array, second) if a is not None])
        return self.version

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the packed form to a file, for this instruction set. Pass a `pathlib.Path` to it as weights of the same
        operator to map it: `engine.convolution(src, weights=Path("conv.weights"))`; nothing is packed then, and processes
        share the memory."""
        _capi.weights_save(self._handle, os.fspath(path))

    @property
    def version(self) -> int:
        """1 after creation or loading, one more after each update."""
        return _capi.weights_version(self._handle)

    @property
    def bytes(self) -> int:
        """Bytes of the packed form."""
        return _capi.weights_bytes(self._handle)


class Primitive:
    """An operator ready to execute: call it with its arrays (those of post-ops follow), get a new array."""

    def __init__(
        self, engine: Engine, op: dict[str, Any], inputs: Sequence[Desc], attr: _capi.Attr, weights: Weights | None
    ) -> None:
        self._engine = engine
        self._weights = weights
        descs = [
            _capi.desc_create(d.dtype, raw_dims(d.dims, f"descriptor {i}"), d.layout) for i, d in enumerate(inputs)
        ]
        self._handle = _capi.primitive_create(
            engine._handle, op, attr, descs, None if weights is None else weights._handle
        )
        self._dtype = _capi.primitive_output_dtype(self._handle, 0)

    def __call__(self, *inputs: Any, out: Any = None) -> Any:
        arrays = [as_array(value, f"input {i}") for i, value in enumerate(inputs)]
        target = None if out is None else as_output(out, "out")
        stream = self._engine._stream()
        return _capi.execute_primitive(self._handle, stream, arrays, self._dtype, target)

    @property
    def weights(self) -> Weights | None:
        """The packed weights it uses: to update, to save, or for other primitives; None if it has none."""
        return self._weights

    @property
    def kernel(self) -> str:
        """Name of the kernel it runs."""
        return _capi.primitive_kernel(self._handle)[0]

    @property
    def kernel_identity(self) -> int:
        """Equal for two primitives exactly if they hold the same kernel object."""
        return _capi.primitive_kernel(self._handle)[1]

    @property
    def creation(self) -> tuple[str, int]:
        """How it came to be ("miss", "hit", "waited", "churn" or "none", see PrimitiveCacheHit) and the nanoseconds that took."""
        info = _capi.primitive_creation(self._handle)
        return PrimitiveCacheHit(info["hit"]).name.lower(), info["nanoseconds"]

    def explain(self, *shapes: Sequence[int]) -> dict[str, Any]:
        """Kernel, tier, layouts, why the other kernels were refused; with the shapes of its inputs also output dims."""
        import numpy as np

        explained: dict[str, Any] = json.loads(_capi.explain_primitive(self._handle, []))
        if shapes:
            zeros: list[Array] = [
                np.broadcast_to(np.zeros((), numpy_dtype(_dtype_number(inp["dtype"]))), tuple(shape))
                for inp, shape in zip(explained["inputs"], shapes, strict=False)
            ]
            explained = json.loads(_capi.explain_primitive(self._handle, zeros))
        return explained

    def choices(self, *inputs: Any, repeats: int = 0) -> list[dict[str, Any]]:
        """Every kernel for these arrays in order of preference: chosen, refusal, expected_nanoseconds, scratch_bytes; with
        `repeats` also measured_nanoseconds, the median of that many runs in turn (it takes as long as they take)."""
        _arrays, views, out = self._operands(inputs)
        return json.loads(  # type: ignore[no-any-return]
            _capi.text_data(_capi.primitive_choices(self._handle, self._engine._stream(), views, [view(out)], repeats))
        )

    def line(self, *inputs: Any) -> str:
        """The verbose line of an execution with these arrays, for `anydim replay` and for reports; nothing is run."""
        _arrays, views, out = self._operands(inputs)
        return _capi.text_data(_capi.primitive_line(self._handle, self._engine._stream(), views, [view(out)]))

    def _operands(self, inputs: Sequence[Any]) -> tuple[list[Array], list[_capi.View], Array]:
        """The inputs as arrays, to be kept alive, their views, and an array for the output."""
        arrays = [as_array(value, f"input {i}") for i, value in enumerate(inputs)]
        views = [view(array) for array in arrays]
        dims = _capi.primitive_output_dims(self._handle, views, 0)
        return arrays, views, new_array(dims, numpy_dtype(self._dtype), "output 0")


def _dtype_number(name: str) -> int:
    from ._enums import Dtype

    return int(Dtype[name.upper()])


class Engine:
    """A device with its kernels: `anydim.Engine("cpu")`."""

    def __init__(self, kind: str = "cpu", *, threads: int | None = None) -> None:
        kinds = {"cpu": EngineKind.CPU, "opencl": EngineKind.OPENCL}
        if kind not in kinds:
            raise InvalidArgumentError(f"kind is {kind!r}; expected one of {list(kinds)}")
        self._handle = _capi.engine_create(
            kinds[kind], 0, {"threads": 0 if threads is None else whole_number(threads, "threads")}
        )
        self._local = threading.local()

    def _stream(self) -> _capi.Stream:
        """The calling thread's stream: streams have one user at a time."""
        stream: _capi.Stream | None = getattr(self._local, "stream", None)
        if stream is None:
            stream = self._local.stream = _capi.stream_create(self._handle)
        return stream

    def query(self) -> _capi.EngineInfo:
        """Device, instruction set, threads, number of kernels."""
        return _capi.engine_query(self._handle)

    def kernels(self) -> list[_capi.KernelInfo]:
        """All kernels of the registry, in order of preference."""
        return [_capi.engine_kernel(self._handle, i) for i in range(self.query()["kernels"])]

    def _make(
        self,
        op: dict[str, Any],
        inputs: Sequence[Desc],
        constants: tuple[Any, Any] | None,
        post_ops: Sequence[PostOp],
        kernel: str | None,
        reuse: str | None = None,
    ) -> Primitive:
        attr = _attributes(post_ops, kernel, reuse)
        weights: Weights | None = None
        if constants is not None:
            packed, bias = constants
            if isinstance(packed, Weights):
                if bias is not None:
                    raise InvalidArgumentError("bias was given beside packed weights, which hold their own")
                weights = packed
            else:
                weights = Weights(self, op, attr, packed, bias)
        return Primitive(self, op, inputs, attr, weights)

    def convolution(
        self,
        src: Desc,
        weights: Any,
        bias: Any = None,
        *,
        strides: Ints = 1,
        pads: Ints = 0,
        dilations: Ints = 1,
        groups: int = 1,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: str | None = None,
    ) -> Primitive:
        """Convolution of src [N, C, ...] with weights [O, C/groups, ...] and bias [O]; 1 to 3 spatial dims. pads: one
        number, one per spatial dim, or beginnings and then ends. weights: an array, packed once; the weights of another
        primitive; or a pathlib.Path of a file that Weights.save wrote."""
        spatial = len(src.dims) - 2
        op = {
            "op": "convolution",
            "spatial": spatial,
            "strides": _spread(strides, spatial, "strides"),
            "dilations": _spread(dilations, spatial, "dilations"),
            "groups": groups,
            **_pads(pads, spatial),
        }
        return self._make(op, [src], (weights, bias), post_ops, kernel, reuse)

    def conv_transpose(
        self,
        src: Desc,
        weights: Any,
        bias: Any = None,
        *,
        strides: Ints = 1,
        pads: Ints = 0,
        dilations: Ints = 1,
        output_padding: Ints = 0,
        groups: int = 1,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: str | None = None,
    ) -> Primitive:
        """Transposed convolution of src [N, C, ...] with weights [C, O/groups, ...] and bias [O]."""
        spatial = len(src.dims) - 2
        op = {
            "op": "conv_transpose",
            "spatial": spatial,
            "strides": _spread(strides, spatial, "strides"),
            "dilations": _spread(dilations, spatial, "dilations"),
            "groups": groups,
            "output_padding": _spread(output_padding, spatial, "output_padding"),
            **_pads(pads, spatial),
        }
        return self._make(op, [src], (weights, bias), post_ops, kernel, reuse)

    def matmul(
        self,
        a: Desc,
        b: Any,
        c: Any = None,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        alpha: float = 1.0,
        beta: float = 1.0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: str | None = None,
    ) -> Primitive:
        """alpha * a b + beta * c. b is a descriptor (an input of each call) or an array (packed once); c likewise."""
        op = {
            "op": "matmul",
            "transpose_a": int(transpose_a),
            "transpose_b": int(transpose_b),
            "alpha": alpha,
            "beta": beta,
        }
        if isinstance(b, Desc):
            if c is not None and not isinstance(c, Desc):
                raise UnimplementedError("b is a descriptor and c is an array; expected both to be the same")
            return self._make(op, [a, b] if c is None else [a, b, c], None, post_ops, kernel, reuse)
        return self._make(op, [a], (b, c), post_ops, kernel, reuse)

    def pooling(
        self,
        src: Desc,
        kind: str = "max",
        *,
        window: Ints = 1,
        strides: Ints = 1,
        pads: Ints = 0,
        dilations: Ints = 1,
        count_include_pad: bool = False,
        ceil_mode: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: str | None = None,
    ) -> Primitive:
        """Max or average pooling of src [N, C, ...]."""
        spatial = len(src.dims) - 2
        op = {
            "op": "pooling",
            "pooling": _by_name(PoolingKind, kind, "kind"),
            "spatial": spatial,
            "kernel": _spread(window, spatial, "window"),
            "strides": _spread(strides, spatial, "strides"),
            "dilations": _spread(dilations, spatial, "dilations"),
            "count_include_pad": int(count_include_pad),
            "ceil_mode": int(ceil_mode),
            **_pads(pads, spatial),
        }
        return self._make(op, [src], None, post_ops, kernel, reuse)

    def global_pooling(self, src: Desc, kind: str = "average", *, post_ops: Sequence[PostOp] = ()) -> Primitive:
        """Pooling over the whole plane."""
        op = {"op": "pooling", "pooling": _by_name(PoolingKind, kind, "kind"), "global": 1}
        return self._make(op, [src], None, post_ops, None)

    def unary(
        self, src: Desc, function: str, alpha: float = 0.0, beta: float = 0.0, *, post_ops: Sequence[PostOp] = ()
    ) -> Primitive:
        """A function of each element."""
        op = {"op": "unary", "function": _by_name(UnaryFunction, function, "function"), "alpha": alpha, "beta": beta}
        return self._make(op, [src], None, post_ops, None)

    def binary(self, a: Desc, b: Desc, function: str, *, post_ops: Sequence[PostOp] = ()) -> Primitive:
        """A function of two elements; shapes broadcast."""
        op = {"op": "binary", "function": _by_name(BinaryFunction, function, "function")}
        return self._make(op, [a, b], None, post_ops, None)

    def reduce(
        self,
        src: Desc,
        function: str,
        axes: Sequence[int] = (),
        *,
        keep_dims: bool = True,
        post_ops: Sequence[PostOp] = (),
    ) -> Primitive:
        """A reduction over the axes; all of them if none are given."""
        op = {
            "op": "reduce",
            "function": _by_name(Reduction, function, "function"),
            "axes": list(axes),
            "keep_dims": int(keep_dims),
        }
        return self._make(op, [src], None, post_ops, None)

    def softmax(self, src: Desc, axis: int = -1, *, log: bool = False, post_ops: Sequence[PostOp] = ()) -> Primitive:
        """Softmax or log-softmax over one axis."""
        return self._make({"op": "softmax", "axis": axis, "log": int(log)}, [src], None, post_ops, None)

    def layer_norm(
        self,
        src: Desc,
        scale: Any,
        shift: Any = None,
        *,
        axis: int = -1,
        epsilon: float = 1e-5,
        post_ops: Sequence[PostOp] = (),
    ) -> Primitive:
        """Layer normalisation over the axes from `axis` on."""
        op = {"op": "layer_norm", "axis": axis, "epsilon": epsilon}
        return self._make(op, [src], (scale, shift), post_ops, None)

    def resize(
        self,
        src: Desc,
        *,
        sizes: Sequence[int] = (),
        scales: Sequence[float] = (),
        mode: str = "nearest",
        coordinates: str = "half_pixel",
        nearest: str = "round_prefer_floor",
        cubic_a: float = -0.75,
        post_ops: Sequence[PostOp] = (),
    ) -> Primitive:
        """Resize to sizes, or by scales; one number per dim of src."""
        op = {
            "op": "resize",
            "mode": _by_name(ResizeMode, mode, "mode"),
            "cubic_a": cubic_a,
            "sizes": list(sizes),
            "coordinates": _by_name(ResizeCoordinates, coordinates, "coordinates"),
            "nearest": _by_name(ResizeNearest, nearest, "nearest"),
        }
        if scales:
            op |= {"scales": list(scales), "scale_count": len(scales)}
        return self._make(op, [src], None, post_ops, None)

    def transpose(self, src: Desc, order: Sequence[int]) -> Primitive:
        """Dim i of the result is src's dim order[i]."""
        return self._make({"op": "transpose", "order": list(order)}, [src], None, (), None)
