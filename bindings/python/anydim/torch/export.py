# SPDX-License-Identifier: Apache-2.0
"""A module as a graph of ONNX operators with dynamic dims: one export by torch, and the errors that it can end in, in plain words.

The graph has flat inputs and outputs, tensors only. What else a module takes and gives (numbers, None, texts) is fixed by the example and
kept beside it.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir
import torch
from torch.utils import _pytree as pytree

from ..dims import Dim, DimLike
from ..errors import Error, InvalidArgumentError, UnimplementedError
from . import counts
from .guards import Axis, Guards
from .recurrent import sizes_alone
from .tensors import check_place

# Torch writes "no upper bound" in several ways; no dim is as large.
_UNBOUNDED = 2**48


@dataclass(frozen=True)
class Leaf:
    """One leaf of a module's arguments: a tensor with a name, or something that the export fixed."""

    name: str
    tensor: bool
    value: Any = None  # of the example, if it is no tensor


class Signature:
    """The arguments of a module, by position or by name, as flat leaves: the same whichever way a call passes them."""

    def __init__(self, module: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._signature = inspect.signature(module.forward)
        self._of = type(module).__name__
        self.bound = self._bind(args, kwargs)
        values, self._tree = pytree.tree_flatten(self.bound)
        paths = pytree.tree_flatten_with_path(self.bound)[0]
        self.leaves = [
            Leaf(_name(path), isinstance(value, torch.Tensor), None if isinstance(value, torch.Tensor) else value)
            for path, value in paths
        ]
        self.tensors = [value for value in values if isinstance(value, torch.Tensor)]
        self.names = [leaf.name for leaf in self.leaves if leaf.tensor]
        # A call with as many positional tensors has nothing else to look at.
        plain = all(leaf.tensor for leaf in self.leaves) and len(self.bound) == len(values)
        kinds = [self._signature.parameters[name].kind for name in self.bound]
        self._plain = len(values) if plain and inspect.Parameter.KEYWORD_ONLY not in kinds else -1
        self._example = _outline(self.bound)

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return dict(self._signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise InvalidArgumentError(f"the arguments do not fit {self._of}.forward: {error}") from None

    def forget_example(self) -> None:
        """Lets the example's tensors go."""
        self.bound, self.tensors = {}, []

    def flat(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[torch.Tensor]:
        """The tensors of a call in order. Errors: what the export fixed is another thing now."""
        if len(args) == self._plain and not kwargs and all(isinstance(value, torch.Tensor) for value in args):
            return list(args)
        bound = self._bind(args, kwargs)
        values, tree = pytree.tree_flatten(bound)
        if tree != self._tree:
            raise InvalidArgumentError(
                f"the arguments of {self._of} are {_outline(bound)}; expected what the example had: {self._example}"
            )
        tensors = []
        for leaf, value in zip(self.leaves, values, strict=True):
            if leaf.tensor != isinstance(value, torch.Tensor):
                expected = "a tensor" if leaf.tensor else f"{leaf.value!r}, as in the example"
                raise InvalidArgumentError(f"{leaf.name!r} is of type {type(value).__name__}; expected {expected}")
            if leaf.tensor:
                tensors.append(value)
            elif type(value) is not type(leaf.value) or value != leaf.value:
                raise InvalidArgumentError(
                    f"{leaf.name!r} is {value!r}; the module was exported with {leaf.value!r}, and what is no tensor stays as it was"
                )
        return tensors

    def call(self, module: Callable[..., Any], tensors: Iterator[torch.Tensor]) -> Any:
        """Calls the module with these tensors and with what the export fixed."""
        values = [next(tensors) if leaf.tensor else leaf.value for leaf in self.leaves]
        arguments = inspect.BoundArguments(self._signature, pytree.tree_unflatten(values, self._tree))
        return module(*arguments.args, **arguments.kwargs)

    def specs(self, dynamic_shapes: Any) -> list[Any]:
        """For each tensor which dims are dynamic, as torch.export takes it."""
        if dynamic_shapes is None:
            marked = [_marks(tensor) for tensor in self.tensors]
            if any(marked):
                return marked
            return [dict.fromkeys(range(tensor.dim()), torch.export.Dim.AUTO) for tensor in self.tensors]
        if isinstance(dynamic_shapes, Mapping):
            for name in dynamic_shapes:
                if name not in self.bound:
                    raise InvalidArgumentError(f"dynamic_shapes has {name!r}; the arguments are {list(self.bound)}")
            by_name = dict(dynamic_shapes)
        elif isinstance(dynamic_shapes, (tuple, list)) and len(dynamic_shapes) == len(self.bound):
            by_name = dict(zip(self.bound, dynamic_shapes, strict=True))
        else:
            raise InvalidArgumentError(
                f"dynamic_shapes is {dynamic_shapes!r}; expected a mapping by the names of arguments, or one entry for each of "
                f"{list(self.bound)}"
            )
        specs: list[Any] = []
        for name, value in self.bound.items():
            _walk(value, by_name.get(name), name, specs)
        return specs


def _name(path: Any) -> str:
    """`x`, or `states_0` for an element of a tuple."""
    return "_".join(str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in path)


def _outline(value: Any) -> Any:
    """What an error shows of arguments: their structure."""
    shown = pytree.tree_map(lambda leaf: "tensor" if isinstance(leaf, torch.Tensor) else type(leaf).__name__, value)
    return ", ".join(f"{name}={part}" for name, part in shown.items())


def _marks(tensor: torch.Tensor) -> dict[int, Any]:
    """The dims that torch's `mark_dynamic` and `maybe_mark_dynamic` marked, with their ranges."""
    dims = torch.export.Dim
    ranges = {mark.dim: mark for mark in getattr(tensor, "_dynamo_dynamic_range", ())}
    marked: dict[int, Any] = {}
    for kind, axes in (
        (dims.AUTO, getattr(tensor, "_dynamo_weak_dynamic_indices", ())),
        (dims.DYNAMIC, getattr(tensor, "_dynamo_dynamic_indices", ())),
    ):
        for axis in axes:
            mark = ranges.get(axis)
            marked[axis] = kind if mark is None else kind(min=mark.min, max=mark.max)
    return marked


def _walk(value: Any, spec: Any, where: str, specs: list[Any]) -> None:
    """Pairs the tensors of an argument with what is said of their dims."""
    if isinstance(value, torch.Tensor):
        specs.append(_spec(value, spec, where))
        return
    if not isinstance(value, (tuple, list, dict)):
        children, tree = pytree.tree_flatten(value, is_leaf=lambda part: part is not value)
        if tree.is_leaf():
            return
        value, spec = children, spec if spec is None else list(spec.values()) if isinstance(spec, dict) else list(spec)
    entries = list(value.items() if isinstance(value, dict) else enumerate(value))
    if spec is None:
        parts = dict.fromkeys(key for key, _ in entries)
    elif isinstance(spec, Mapping) and isinstance(value, dict):
        parts = {key: spec.get(key) for key, _ in entries}
    elif isinstance(spec, (tuple, list)) and len(spec) == len(entries):
        parts = {key: part for (key, _), part in zip(entries, spec, strict=True)}
    else:
        raise InvalidArgumentError(
            f"dynamic_shapes of {where!r} is {spec!r}; expected one entry for each of its {len(entries)} parts"
        )
    for key, part in entries:
        _walk(part, parts[key], f"{where}_{key}", specs)


def _spec(tensor: torch.Tensor, spec: Any, where: str) -> dict[int, Any]:
    if spec is None:
        return {}
    if isinstance(spec, (tuple, list)):
        if len(spec) != tensor.dim():
            raise InvalidArgumentError(
                f"dynamic_shapes of {where!r} has {len(spec)} dims; the example has {tensor.dim()}"
            )
        spec = dict(enumerate(spec))
    if not isinstance(spec, Mapping):
        raise InvalidArgumentError(
            f"dynamic_shapes of {where!r} is {spec!r}; expected dims by their axes, or one for each axis"
        )
    found: dict[int, Any] = {}
    for axis, dim in spec.items():
        if not isinstance(axis, int) or not -tensor.dim() <= axis < tensor.dim():
            raise InvalidArgumentError(
                f"dynamic_shapes of {where!r} has the axis {axis!r}; the example has {tensor.dim()} dims"
            )
        if dim is not None:
            found[axis % tensor.dim()] = _dynamic(dim, where)
    return found


def _dynamic(dim: Any, where: str) -> Any:
    """A dim as one that torch must keep dynamic, with its range. Names are left out: sizes that the module needs to be equal, or multiples,
    are guards, which each new shape is checked against; as constraints torch would refuse the module and ask for other words."""
    kinds = torch.export.Dim
    if isinstance(dim, (int, type(kinds.AUTO))):
        return dim
    if isinstance(dim, str) or hasattr(dim, "root"):  # 2 * dim
        return kinds.DYNAMIC
    if isinstance(dim, kinds):
        low, high = int(dim.min), int(dim.max) if dim.max < _UNBOUNDED else None
        return kinds.DYNAMIC(min=low or None, max=high) if low or high else kinds.DYNAMIC
    raise InvalidArgumentError(
        f"dynamic_shapes of {where!r} has {dim!r}; expected a torch.export.Dim, a text, a number or None"
    )


@dataclass
class Exported:
    """What an export gives."""

    model: ir.Model
    signature: Signature
    results: pytree.TreeSpec
    constants: dict[int, Any]  # results that are no tensors, by their place
    sizes: frozenset[int]  # results that are sizes, by their place among the graph's outputs
    dims: dict[str, tuple[DimLike, ...]]  # of the inputs, with what is promised, and the example's sizes as hints
    guards: Guards


class _ExportInfo:
    """What the run of an export shows of results; torch puts a module's own attributes back."""

    results: pytree.TreeSpec
    constants: dict[int, Any]
    sizes: set[int]


class _Flat(torch.nn.Module):
    """The module with flat tensors for arguments and results."""

    def __init__(self, module: torch.nn.Module, signature: Signature, info: _ExportInfo) -> None:
        super().__init__()
        self.module = module
        self.signature = signature
        self.info = info

    def forward(self, *tensors: Any) -> tuple[Any, ...]:
        info = self.info
        values, info.results = pytree.tree_flatten(self.signature.call(self.module, iter(tensors)))
        info.constants, info.sizes = {}, set()
        kept: list[Any] = []
        for i, value in enumerate(values):
            if isinstance(value, torch.SymInt):
                info.sizes.add(len(kept))
            elif not isinstance(value, torch.Tensor):
                info.constants[i] = value
                continue
            kept.append(value)
        return tuple(kept)


def export(module: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any], dynamic_shapes: Any) -> Exported:
    """Exports once. Errors: `InvalidArgumentError` for arguments and dims that do not fit together, `UnimplementedError` for what cannot
    be exported, with the place."""
    check_module(module)
    signature = Signature(module, args, kwargs)
    for name, tensor in zip(signature.names, signature.tensors, strict=True):
        check_place(tensor, f"the example of {name!r}")
    info = _ExportInfo()
    flat = _Flat(module, signature, info)
    flat.training = False
    with _quiet():
        program = _traced(flat, signature, signature.specs(dynamic_shapes))
        _check_no_chance(program)
        results, constants, sizes = info.results, info.constants, frozenset(info.sizes)
        guards = Guards(getattr(program.module(), "_guards_fn", None), _groups(program), signature.tensors)
        dims = _promised(program, signature)
        model = _translated(program, signature.names)
    return Exported(model, signature, results, constants, sizes, dims, guards)


def check_module(module: Any) -> None:
    """Says why a module cannot be compiled, if so."""
    if not isinstance(module, torch.nn.Module):
        raise InvalidArgumentError(f"module is of type {type(module).__name__}; expected a torch.nn.Module")
    for name, part in module.named_modules():
        if part.training:
            where = f"its part {name!r} is" if name else "it is"
            raise InvalidArgumentError(
                f"module is a {type(module).__name__} and {where} in training mode; anydim.torch is for inference: call module.eval()"
            )
    for kind, named in (("parameter", module.named_parameters()), ("buffer", module.named_buffers())):
        for name, tensor in named:
            check_place(tensor, f"the {kind} {name!r}")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's remarks on packages that are not there, on results that are no tensors, and on its own future."""
    loggers = [logging.getLogger(f"torch.onnx._internal.exporter.{name}") for name in ("_registration", "_core")]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)


@contextlib.contextmanager
def _exporting() -> Iterator[None]:
    # Sizes of 0 and 1 are sizes like others: where a module treats them in another way, a guard says so.
    with torch.no_grad(), torch.fx.experimental._config.patch(backed_size_oblivious=True), sizes_alone():
        yield


def _traced(flat: _Flat, signature: Signature, specs: list[Any]) -> torch.export.ExportedProgram:
    tensors = tuple(_widened(tensor.detach(), spec) for tensor, spec in zip(signature.tensors, specs, strict=True))
    shapes = (tuple(specs),)
    try:
        with _exporting():
            return torch.export.export(flat, tensors, dynamic_shapes=shapes, strict=False)
    except Error:
        raise
    except Exception as error:
        raise _readable(error, signature.names) from error


def _widened(tensor: torch.Tensor, spec: Mapping[int, Any]) -> torch.Tensor:
    """The example with 3 where a dim that must stay dynamic is 1: modules compare sizes with 1, and torch takes the answer for all sizes."""
    for axis, dim in spec.items():
        if tensor.shape[axis] == 1 and getattr(dim, "type", None) == torch.export.Dim.DYNAMIC.type:
            tensor = tensor.repeat_interleave(min(3, getattr(dim, "max", None) or 3), axis)
    return tensor


def _readable(error: Exception, names: Sequence[str]) -> Error:
    """Torch's error as one of Anydim's, with the arguments' names."""
    text = counts.with_names(str(error), names)
    text = re.sub(r"\n+The error above occurred when calling torch.export.*", "", text, flags=re.DOTALL).strip()
    kind = type(error).__name__
    if kind in ("GuardOnDataDependentSymNode", "UncapturedHigherOrderOpError") or "data-dependent" in text:
        return UnimplementedError(f"the module's control flow depends on data, which an export cannot follow: {text}")
    if "Constraints violated" in text or "specialized" in text or "dynamic_shapes" in text:
        return InvalidArgumentError(f"dynamic_shapes and the module do not fit together: {text}")
    return UnimplementedError(f"torch.export cannot follow the module: {kind}: {text}")


def _check_no_writes(program: torch.export.ExportedProgram) -> None:
    signature = program.graph_signature
    written = [*signature.buffers_to_mutate.values(), *getattr(signature, "parameters_to_mutate", {}).values()]
    names = [name.removeprefix("module.") for name in written]
    names += [f"its argument {name}" for name in signature.user_inputs_to_mutate.values()]
    if names:
        raise UnimplementedError(
            f"the module writes to {', '.join(sorted(names))} when it runs; anydim.torch leaves parameters, buffers and inputs as they are"
        )


_RECURRENT = ("aten.lstm.input", "aten.gru.input")  # their argument 6 is whether they are trained


def _check_no_chance(program: torch.export.ExportedProgram) -> None:
    for node in program.graph.nodes:
        if node.op != "call_function" or torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
            continue
        # Dropout that is switched off is there, too, and gives its input; attention and recurrent layers without it draw nothing.
        if "dropout" in str(node.target) and node.args[-1] is False:
            continue
        if str(node.target) in _RECURRENT and node.args[6] is False:
            continue
        if "dot_product_attention" in str(node.target) and not node.kwargs.get(
            "dropout_p", (*node.args, *[0.0] * 5)[4]
        ):
            continue
        raise UnimplementedError(f"the module draws random numbers ({node.target}), and Anydim's are not torch's")


def _promised(program: torch.export.ExportedProgram, signature: Signature) -> dict[str, tuple[DimLike, ...]]:
    """The dims of the inputs: numbers, or dynamic with a range and the example's size as a hint."""
    values = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"}
    ranges = program.range_constraints
    found: dict[str, tuple[DimLike, ...]] = {}
    for name, input_name, example in zip(
        signature.names, program.graph_signature.user_inputs, signature.tensors, strict=True
    ):
        dims: list[DimLike] = []
        for size, actual in zip(values[input_name].shape, example.shape, strict=True):
            if isinstance(size, int) or size.node.expr.is_Integer:  # the module may allow this size alone
                dims.append(int(actual))
                continue
            known = ranges.get(size.node.expr)
            low = int(known.lower) if known is not None and known.lower.is_Integer else 0
            high = (
                int(known.upper) if known is not None and known.upper.is_Integer and known.upper < _UNBOUNDED else None
            )
            dims.append(Dim(max(low, 0), high, actual))
        found[name] = tuple(dims)
    return found


def _groups(program: torch.export.ExportedProgram) -> list[list[Axis]]:
    """The dynamic axes of the inputs, those of one size together."""
    values = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"}
    found: dict[Any, list[Axis]] = {}
    for i, name in enumerate(program.graph_signature.user_inputs):
        for axis, size in enumerate(values[name].shape):
            if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                found.setdefault(size.node.expr, []).append((i, axis))
    return list(found.values())


def _translated(program: torch.export.ExportedProgram, names: list[str]) -> ir.Model:
    try:
        with _exporting():
            onnx = torch.onnx.export(program, dynamo=True, verbose=False, input_names=names)
    except Exception as error:
        missing = _missing(program)
        if missing:
            listed = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in missing.items())
            raise UnimplementedError(f"these operators of torch have no translation: {listed}") from error
        causes: list[str] = []
        cause: BaseException | None = error
        while cause is not None:
            causes.append(f"{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else ''}")
            cause = cause.__cause__
        raise UnimplementedError(f"torch's exporter cannot translate the module: {'; '.join(causes)}") from error
    assert onnx is not None
    # Before it is translated, a program writes in place; only then its signature says what it writes to.
    _check_no_writes(onnx.exported_program)
    return onnx.model


def _missing(program: torch.export.ExportedProgram) -> dict[str, int]:
    """Operators that torch's exporter has no translation for, with counts; none if its inner parts are others than those of 2.15."""
    try:
        from torch.onnx._internal.exporter import _core, _dispatching, _registration

        registry = _registration.ONNXRegistry.from_torchlib()
        with _exporting():
            nodes = _core._prepare_exported_program_for_export(program, registry=registry).graph.nodes
        found: dict[str, int] = {}
        for node in nodes:
            if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
                if _dispatching.dispatch(node, registry)[0] is None:
                    found[str(node.target)] = found.get(str(node.target), 0) + 1
        return found
    except Exception:
        return {}
