# SPDX-License-Identifier: Apache-2.0
"""`torch.compile(backend="anydim")`: what Dynamo cuts out of a program runs on Anydim, or in eager mode if it cannot.

Dynamo hands a graph over for each set of conditions that it met: sizes that were fixed first and dynamic later, a batch of 1, another
instance of a layer. Here these are one structure: the operators with their arguments, sizes left out. A structure is exported when it first
runs, with all dims of its inputs dynamic. Later graphs that are this structure with other sizes take its model; what the export found out
about sizes is checked for each new shape. Numbers that are no sizes are part of a variant of the structure. Parameters are no part of it:
layers of one form have one export, and a session for each set of parameters.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch

from ..errors import Error, InvalidArgumentError, UnimplementedError
from ..session import InferenceSession
from . import counts
from .export import Exported, export
from .graph import build
from .guards import same_results
from .spelled_out import SpelledOut
from .tensors import as_array, as_tensor

_log = logging.getLogger("anydim.torch")

# More exports of one graph, or sets of parameters of one export, are not made: it then runs in eager mode.
_MOST_VARIANTS = 8
_MOST_SESSIONS = 256
_MOST_SHAPES = 256

_lock = threading.RLock()
_structures: dict[tuple[str, ...], list[_Structure]] = {}


def backend(
    graph_module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """What torch.compile calls with each graph. `options` are those of `anydim.InferenceSession`."""
    if mode not in (None, "default"):
        raise InvalidArgumentError(f"mode is {mode!r}; the backend anydim has options of anydim.InferenceSession only")
    with _lock:
        counts.add("graphs")
        number = counts.numbers()["graphs"]
        differentiated = torch.is_grad_enabled() and any(
            isinstance(value, torch.Tensor) and value.requires_grad for value in example_inputs
        )
        if differentiated:
            return _eager(
                graph_module, number, "gradients are asked for; call it under torch.no_grad() or torch.inference_mode()"
            )
        graph = _Graph(graph_module, number, options or {})
        known = _structures.setdefault(graph.operators, [])
        for structure in known:
            if structure.has(graph):
                counts.add("reused")
                _log.info("graph %d of Dynamo is one of the same structure: no export", number)
                graph.structure = structure
                break
        else:
            known.append(graph.structure)
        return graph


def _eager(graph_module: torch.fx.GraphModule, number: int, why: str) -> Callable[..., Any]:
    counts.add("fallbacks")
    _log.warning("graph %d of Dynamo runs in eager mode: %s", number, why)
    forward: Callable[..., Any] = graph_module.forward
    return forward


class _Number:
    """A number where a graph has a tensor of no dims for it, and asks it for its item."""

    def __init__(self, value: float) -> None:
        self._value = value

    def item(self) -> float:
        return self._value


class _Parts(torch.nn.Module):
    """A graph as a function of tensors: sizes come from their dims, numbers are fixed."""

    def __init__(self, graph: _Graph, numbers: Sequence[Any]) -> None:
        super().__init__()
        self.graph_module = graph.module
        self._places = graph.places
        self._numbers = list(numbers)

    def forward(self, *tensors: Any) -> Any:
        numbers = iter(self._numbers)
        given: list[Any] = []
        for kind, where in self._places:
            if kind == "size":
                given.append(tensors[where[0]].shape[where[1]])
            elif kind == "tensor":
                given.append(tensors[where])
            else:
                value = next(numbers)
                given.append(_Number(value) if kind == "real" else value)
        with SpelledOut():
            return self.graph_module(*given)


class _Graph:
    """A graph of Dynamo's, which is called with its inputs."""

    def __init__(self, module: torch.fx.GraphModule, number: int, options: dict[str, Any]) -> None:
        self.module = module
        self.number = number
        self.options = options
        self.failed = False
        nodes = list(module.graph.nodes)
        inputs = [node for node in nodes if node.op == "placeholder"]
        values = [node.meta.get("example_value") for node in inputs]
        is_real = [_is_real(node, value) for node, value in zip(inputs, values, strict=True)]
        self.tensors = [i for i, v in enumerate(values) if isinstance(v, torch.Tensor) and not is_real[i]]
        self.weights = [j for j, i in enumerate(self.tensors) if _is_weight(inputs[i], values[i])]
        self.varying = [j for j in range(len(self.tensors)) if j not in self.weights]
        sizes: dict[Any, tuple[int, int]] = {}
        for j, i in enumerate(self.tensors):
            for axis, dim in enumerate(values[i].shape):
                sizes.setdefault(_expression(dim), (j, axis))
        self.places: list[tuple[str, Any]] = []
        self.numbers: list[int] = []  # of inputs
        for i, value in enumerate(values):
            if i in self.tensors:
                self.places.append(("tensor", self.tensors.index(i)))
            elif isinstance(value, torch.SymInt) and _expression(value) in sizes:
                self.places.append(("size", sizes[_expression(value)]))
            else:
                self.places.append(("real" if is_real[i] else "number", None))
                self.numbers.append(i)
        self.symbols = [_expression(values[i]) if isinstance(values[i], torch.SymInt) else None for i in self.numbers]
        self.dims = [[_expression(dim) for dim in values[i].shape] for i in self.tensors]
        self.dtypes = [values[i].dtype for i in self.tensors]
        self.state = [id(tensor) for tensor in (*module.parameters(), *module.buffers())]
        self.operators, self.arguments = _content(nodes)
        self.structure = _Structure(self)
        self._chosen: dict[Any, _Variant | None] = {}

    def __call__(self, *given: Any) -> Any:
        if not self.failed:
            tensors = [given[i] for i in self.tensors]
            numbers = tuple(_plain(given[i]) for i in self.numbers)
            key = (numbers, tuple([tensors[j].shape for j in self.varying]))
            try:
                variant = self._chosen.get(key) or self._choose(key, tensors, numbers)
                return variant.run(tensors, self.weights)
            except Error as error:
                self._give_up(error)
        return self.module(*given)

    def _give_up(self, error: Error) -> None:
        with _lock:
            if not self.failed:
                self.failed = True
                _eager(self.module, self.number, str(error))

    def _choose(self, key: Any, tensors: Sequence[torch.Tensor], numbers: tuple[Any, ...]) -> _Variant:
        with _lock:
            variant = self.structure.variant(self, tensors, numbers)
            if len(self._chosen) >= _MOST_SHAPES:
                self._chosen.clear()
            self._chosen[key] = variant
            return variant


class _Structure:
    """Graphs that differ in sizes alone, and the exports that serve them."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self._variants: list[_Variant] = []
        self.failure: Error | None = None

    def has(self, other: _Graph) -> bool:
        """Whether the other graph is this one with other sizes."""
        mine = self._graph
        if (mine.dtypes, mine.weights, mine.state, mine.options) != (
            other.dtypes,
            other.weights,
            other.state,
            other.options,
        ):
            return False
        if [kind for kind, _ in mine.places if kind != "size"] != [kind for kind, _ in other.places if kind != "size"]:
            return False
        sizes: dict[Any, Any] = {}
        for mine_symbol, other_symbol in zip(mine.symbols, other.symbols, strict=True):
            if (mine_symbol is None) != (other_symbol is None):
                return False
            if mine_symbol is not None and sizes.setdefault(mine_symbol, other_symbol) != other_symbol:
                return False
        for j, (these, those) in enumerate(zip(mine.dims, other.dims, strict=True)):
            if len(these) != len(those) or (j in mine.weights and these != those):
                return False
            for this, that in zip(these, those, strict=True):
                if this.is_Symbol and sizes.setdefault(this, that) != that:
                    return False
        return _same(mine.arguments, other.arguments, sizes)

    def variant(self, graph: _Graph, tensors: Sequence[torch.Tensor], numbers: tuple[Any, ...]) -> _Variant:
        """An export that holds for these sizes and numbers: one that is there, or a new one."""
        if self.failure is not None:
            raise self.failure
        for variant in self._variants:
            if variant.numbers == numbers and variant.holds(graph, tensors):
                return variant
        if len(self._variants) >= _MOST_VARIANTS:
            raise Error(
                f"it was exported {_MOST_VARIANTS} times for different numbers or sizes, and is asked for others again"
            )
        parts = _Parts(graph, numbers).eval()
        dynamic = torch.export.Dim.AUTO
        shapes = tuple(
            {} if j in graph.weights else dict.fromkeys(range(t.dim()), dynamic) for j, t in enumerate(tensors)
        )
        try:
            exported = export(parts, tuple(tensors), {}, {"tensors": shapes})
        except Exception as error:  # whatever it is, eager code can do it
            self.failure = error if isinstance(error, Error) else UnimplementedError(f"{type(error).__name__}: {error}")
            raise self.failure from error
        counts.add("exports")
        exported.signature.forget_example()
        variant = _Variant(exported, numbers, graph.options)
        self._variants.append(variant)
        return variant


class _Variant:
    """One export with its sessions."""

    def __init__(self, exported: Exported, numbers: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.numbers = numbers
        self._exported = exported
        self._options = {"threads": torch.get_num_threads(), **options}
        self._names = exported.signature.names
        # By where the parameters lie: their versions, the parameters themselves, the session, its outputs.
        self._sessions: dict[tuple[int, ...], tuple[tuple[int, ...], Any, InferenceSession, list[int]]] = {}

    def holds(self, graph: _Graph, tensors: Sequence[torch.Tensor]) -> bool:
        """Whether the export is right for these sizes."""
        failed, ones = self._exported.guards.check(tensors)
        if failed or not ones:
            return not failed
        parts = _Parts(graph, self.numbers)
        with torch.no_grad():
            if same_results(self.run(tensors, graph.weights), parts(*tensors)):
                return False
        self._exported.guards.accept(ones)
        return True

    def run(self, tensors: Sequence[torch.Tensor], weights: Sequence[int]) -> tuple[Any, ...]:
        """One run. Parameters that were written to since the session was made are packed again."""
        held = [tensors[j] for j in weights]
        places = tuple([weight.data_ptr() for weight in held])
        versions = tuple([0 if weight.is_inference() else weight._version for weight in held])
        known = self._sessions.get(places)
        if known is None or known[0] != versions:
            known = self._made(places, versions, held, weights)
        _, _, session, outputs = known
        of = self._exported
        arrays = [as_array(t, self._names[j]) for j, t in enumerate(tensors) if j not in weights]
        given = session._run(arrays, session._want_all, (), None)
        results = [as_tensor(given[i]) for i in outputs]
        values = [int(value) if i in of.sizes else value for i, value in enumerate(results)]
        for i, value in sorted(of.constants.items()):
            values.insert(i, value)
        return tuple(values)

    def _made(
        self, places: tuple[int, ...], versions: tuple[int, ...], held: list[torch.Tensor], weights: Sequence[int]
    ) -> tuple[tuple[int, ...], Any, InferenceSession, list[int]]:
        with _lock:
            known = self._sessions.get(places)
            if known is not None and known[0] == versions:
                return known
            if len(self._sessions) >= _MOST_SESSIONS:
                self._sessions.clear()
            constants = {self._names[j]: weight for j, weight in zip(weights, held, strict=True)}
            graph, outputs = build(self._exported.model, constants)
            session = InferenceSession(graph, **self._options)
            counts.add("models")
            distinct = list(dict.fromkeys(outputs))
            made = (versions, held, session, [distinct.index(name) for name in outputs])
            self._sessions[places] = made
            return made


def _is_weight(node: torch.fx.Node, value: torch.Tensor) -> bool:
    return isinstance(value, torch.nn.Parameter) or "_dynamo_static_input_type" in node.meta.get("tensor_dict", {})


def _is_real(node: torch.fx.Node, value: Any) -> bool:
    """Whether an input is a Python float, which Dynamo passes as a tensor."""
    return (
        isinstance(value, torch.Tensor)
        and value.dtype is torch.float64
        and value.dim() == 0
        and all(user.op == "call_method" and user.target == "item" for user in node.users)
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, torch.Tensor) else value


def _expression(value: Any) -> Any:
    """A size as sympy has it."""
    return value.node.expr if isinstance(value, torch.SymInt) else sympy.Integer(int(value))


def _content(nodes: Sequence[torch.fx.Node]) -> tuple[tuple[str, ...], list[Any]]:
    """The operators of a graph in order, and their arguments: numbers of nodes, constants, and sizes as expressions. Nodes that compute
    sizes are left out; what they come to stands where they are used."""
    numbers: dict[torch.fx.Node, int] = {}
    operators: list[str] = []
    arguments: list[Any] = []

    def argument(value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            if value in numbers:
                return ("node", numbers[value])
            return argument(value.meta.get("example_value"))
        if isinstance(value, (tuple, list)):
            return [argument(part) for part in value]
        if isinstance(value, dict):
            return [(key, argument(part)) for key, part in value.items()]
        if isinstance(value, slice):
            return ["slice", argument(value.start), argument(value.stop), argument(value.step)]
        if isinstance(value, torch.SymInt) or (isinstance(value, int) and not isinstance(value, bool)):
            return _expression(value)
        return repr(value)

    for node in nodes:
        value = node.meta.get("example_value")
        if node.op != "output" and isinstance(
            value, (int, float, torch.SymInt, torch.SymFloat, torch.SymBool, torch.Size)
        ):
            if not isinstance(value, torch.Size):
                continue
            if node.op == "call_method" and node.target == "size":
                continue
        numbers[node] = len(numbers)
        if node.op == "placeholder":
            continue
        operators.append(
            f"{node.op} {node.target if isinstance(node.target, str) else torch.typename(node.target)} {getattr(node.target, '__name__', '')}"
        )
        arguments.append([argument(node.args), argument(node.kwargs)])
    return tuple(operators), arguments


def _same(mine: Any, other: Any, sizes: dict[Any, Any]) -> bool:
    """Whether arguments are equal once these sizes stand for those symbols."""
    if isinstance(mine, (list, tuple)):
        return (
            isinstance(other, (list, tuple))
            and len(mine) == len(other)
            and all(_same(a, b, sizes) for a, b in zip(mine, other, strict=True))
        )
    if isinstance(mine, sympy.Basic):
        return isinstance(other, sympy.Basic) and mine.free_symbols <= sizes.keys() and mine.xreplace(sizes) == other
    return bool(mine == other)
