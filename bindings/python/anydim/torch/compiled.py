# SPDX-License-Identifier: Apache-2.0
"""`compile`: a module that was exported once and runs at any shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..dims import Bounds, Dim, DimLike
from ..errors import Error, InternalError, InvalidArgumentError, UnimplementedError
from ..session import InferenceSession
from . import counts
from .export import Exported, export
from .graph import build
from .guards import same_results
from .tensors import as_array, as_tensor

# Shapes that passed the guards, so that they pass faster. Forgotten at this number: nothing grows with the number of shapes.
_MOST_SHAPES = 256


class CompiledModule:
    """A module that `compile` made: call it as the module. Results are torch's tensors, without gradients.

    `session` is the `anydim.InferenceSession` that runs it; `dims` are the dims of its inputs by name: a number, or an `anydim.Dim` with
    the range that was promised. Any number of threads may call it, and a forked child, too."""

    def __init__(self, exported: Exported, session: InferenceSession, outputs: Sequence[int]) -> None:
        self.session = session
        self.dims = exported.dims
        self._signature = exported.signature
        self._results = exported.results
        self._constants = exported.constants
        self._sizes = exported.sizes
        self._outputs = list(outputs)  # of the session, for each tensor that the module gives
        self._names = exported.signature.names
        self._passed: set[tuple[torch.Size, ...]] = set()
        self._guards = exported.guards
        # The one result that most modules give.
        self._single = exported.results.is_leaf() and not exported.constants and not exported.sizes

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors = self._signature.flat(args, kwargs)
        shapes = tuple([tensor.shape for tensor in tensors])
        if shapes not in self._passed:
            self._check(tensors, shapes)
        return self._run(tensors)

    def _run(self, tensors: Sequence[torch.Tensor]) -> Any:
        arrays = [as_array(tensor, repr(name)) for name, tensor in zip(self._names, tensors, strict=True)]
        session = self.session
        computed = session._run(arrays, session._want_all, (), None)
        if self._single:
            return as_tensor(computed[0])
        results = [as_tensor(computed[i]) for i in self._outputs]
        values = [int(value) if i in self._sizes else value for i, value in enumerate(results)]
        for i, value in sorted(self._constants.items()):
            values.insert(i, value)
        return pytree.tree_unflatten(values, self._results)

    def _check(self, tensors: Sequence[torch.Tensor], shapes: tuple[torch.Size, ...]) -> None:
        """What the export found out about sizes: the module is another one where it does not hold."""
        failed, ones = self._guards.check(tensors)
        if failed or ones:
            said = (
                counts.with_names(failed, self._names)
                if failed
                else "more than 1 along dims that are 1 here, where its results differ"
            )
            found = ", ".join(f"{name} {tuple(shape)}" for name, shape in zip(self._names, shapes, strict=True))
            raise InvalidArgumentError(f"sizes are {found}; the module was exported for sizes with {said}")
        if len(self._passed) >= _MOST_SHAPES:
            self._passed.clear()
        self._passed.add(shapes)


def compile(
    module: torch.nn.Module,
    example_args: Sequence[Any],
    example_kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    bounds: Bounds | None = None,
    check: bool = True,
    threads: int | None = None,
    **options: Any,
) -> CompiledModule:
    """See `anydim.torch.compile`."""
    if not isinstance(example_args, (tuple, list)):
        raise InvalidArgumentError(
            f"example_args is of type {type(example_args).__name__}; expected a tuple of forward's arguments, such as (x,)"
        )
    exported = export(module, example_args, example_kwargs or {}, dynamic_shapes)
    examples = exported.signature.tensors
    graph, outputs = build(exported.model, {})
    distinct = list(dict.fromkeys(outputs))
    session = InferenceSession(
        graph,
        threads=torch.get_num_threads() if threads is None else threads,
        bounds=promised_bounds(exported.dims) if bounds is None else bounds or None,
        **options,
    )
    counts.add("exports")
    compiled = CompiledModule(exported, session, [distinct.index(name) for name in outputs])
    with torch.no_grad():
        if check:
            expected = module(*example_args, **(example_kwargs or {}))
            try:
                found = compiled._run(examples)
            except Error as error:
                raise UnimplementedError(f"the exported module does not run on the example: {error}") from error
            differs = same_results(pytree.tree_leaves(found), pytree.tree_leaves(expected))
            if differs:
                raise InternalError(
                    f"the exported module is not the module: on the example {differs} (check=False leaves this out)"
                )
        _try_ones(module, compiled, examples)
    exported.signature.forget_example()
    return compiled


def promised_bounds(dims: Mapping[str, Sequence[DimLike]]) -> Bounds | None:
    """The dims as bounds, if all of them have a largest size."""
    if any(isinstance(dim, Dim) and dim.max is None for each in dims.values() for dim in each):
        return None
    return dict(dims)


def _try_ones(module: torch.nn.Module, compiled: CompiledModule, examples: Sequence[torch.Tensor]) -> None:
    """Sizes of 1, where torch could not find out whether they change the module."""
    guards = compiled._guards
    for ones, tensors in guards.ones_of(examples):
        try:
            expected = compiled._signature.call(module, iter(tensors))
            if not same_results(pytree.tree_leaves(compiled._run(tensors)), pytree.tree_leaves(expected)):
                guards.accept(ones)
        except Exception:  # a module that cannot have this size
            continue
