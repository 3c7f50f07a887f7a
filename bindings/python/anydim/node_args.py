# SPDX-License-Identifier: Apache-2.0
"""What a session says of a model's inputs, outputs and file, as onnxruntime's users know it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from . import _capi
from .arrays import TENSOR_TYPES


@dataclass(frozen=True)
class NodeArg:
    """An input or output of a model. `shape` has a number per fixed dim and a text per dynamic one; `order` has the axes
    as they lie in memory, outermost first: an input is read fastest so, an output that the session makes has it."""

    name: str
    shape: list[int | str | None]
    type: str
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class ModelMetadata:
    """What a model file says of itself."""

    custom_metadata_map: dict[str, str] = field(default_factory=dict)
    producer_name: str = ""
    graph_name: str = ""
    domain: str = ""
    description: str = ""
    graph_description: str = ""
    version: int = 0


def with_unnamed_dims(args: Sequence[NodeArg], inputs: Sequence[_capi.ValueInfo]) -> list[NodeArg]:
    """The same as onnxruntime shows it: None for a dim without a name, which Anydim calls by its input and axis, and for what follows
    from one."""
    own = {f"{info['name']}.{axis}" for info in inputs for axis, d in enumerate(info["dims"]) if d < 0}
    if not own:
        return list(args)
    of_own = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, own))})(?![\w.])")
    return [
        replace(arg, shape=[None if isinstance(d, str) and of_own.search(d) else d for d in arg.shape]) for arg in args
    ]


def node_args(
    infos: Sequence[_capi.ValueInfo], names: Sequence[str] | None, special: Callable[[str], str | None] | None
) -> list[NodeArg]:
    """The inputs or outputs of a model, in the order of `names` if there is one; `special` has the types of those that are no tensors."""
    by_name = {info["name"]: info for info in infos}
    made = []
    for name in by_name if names is None else names:
        info, type_name = by_name.get(name), None if special is None else special(name)
        if info is None or (type_name is not None and "seq(" in type_name):
            made.append(NodeArg(name, [], type_name or ""))
            continue
        shape: list[int | str | None] = [
            symbol if value < 0 else value for value, symbol in zip(info["dims"], info["symbols"], strict=False)
        ]
        of_tensor = TENSOR_TYPES.get(info["dtype"], "tensor(unknown)")  # type: ignore[call-overload]
        made.append(NodeArg(name, shape, type_name or of_tensor, tuple(info["order"])))
    return made
