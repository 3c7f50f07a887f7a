# SPDX-License-Identifier: Apache-2.0
"""What an export found out about sizes, and sizes of 1.

Torch notes conditions on sizes while it traces, and a graph is the module's only where they hold. One kind says less than it seems:
whether strides make a tensor dense is asked of nearly every transposed tensor, and the answer is noted as "this size is not 1", though it
changes memory orders and no values. The same words come from `squeeze()`, which does change the module. So dims that only must not be 1
are *sensitive*: each set of them that is 1 in a call is let through once results were compared with the module's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import torch

Axis = tuple[int, int]  # of a tensor, by its place
Ones = frozenset[int]  # groups of sensitive axes that are 1


class Guards:
    """The conditions of one export. `groups`: the dynamic axes, those of one size together."""

    def __init__(
        self, function: Callable[..., Any] | None, groups: Iterable[Sequence[Axis]], examples: Sequence[torch.Tensor]
    ) -> None:
        self._function = function
        self._groups: list[Sequence[Axis]] = []
        self._accepted: set[Ones] = {frozenset()}
        if function is None:
            return
        shapes = [list(tensor.shape) for tensor in examples]
        self._dtypes = [tensor.dtype for tensor in examples]
        groups = list(groups)
        small = [group for group in groups if all(shapes[tensor][axis] == 1 for tensor, axis in group)]
        usual = self._with(shapes, small, 3)
        if not self._fails(usual):
            self._groups = [group for group in groups if self._fails(self._with(usual, [group], 1))]

    def _with(self, shapes: Sequence[Sequence[int]], groups: Iterable[Sequence[Axis]], size: int) -> list[list[int]]:
        changed = [list(shape) for shape in shapes]
        for group in groups:
            for tensor, axis in group:
                changed[tensor][axis] = size
        return changed

    def _fails(self, shapes: Sequence[Sequence[int]]) -> str:
        """The condition that does not hold for these shapes, or an empty text."""
        assert self._function is not None
        try:
            self._function(
                *(
                    torch.empty(shape, dtype=dtype, device="meta")
                    for shape, dtype in zip(shapes, self._dtypes, strict=True)
                )
            )
        except AssertionError as error:
            return str(error).removeprefix("Guard failed: ")
        return ""

    def check(self, tensors: Sequence[torch.Tensor]) -> tuple[str, Ones]:
        """The condition that does not hold for these tensors, or an empty text; and which groups of sensitive dims are 1, if results have
        to be compared first."""
        if self._function is None:
            return "", frozenset()
        shapes = [tensor.shape for tensor in tensors]
        ones = frozenset(i for i, group in enumerate(self._groups) if shapes[group[0][0]][group[0][1]] == 1)
        # Any other size may be used, but one that is within the ranges.
        failed = self._fails(shapes) and min(
            (self._fails(self._with(shapes, [self._groups[i] for i in ones], size)) for size in (2, 3, 4, 8)), key=len
        )
        return failed, frozenset() if failed or ones in self._accepted else ones

    def accept(self, ones: Ones) -> None:
        """These dims may be 1 from now on."""
        self._accepted.add(ones)

    def ones_of(self, tensors: Sequence[torch.Tensor]) -> Iterator[tuple[Ones, list[torch.Tensor]]]:
        """The examples cut to 1 along sensitive dims: each set of them, or where there are many each alone and all together."""
        count = len(self._groups)
        sizes = range(1, count + 1) if count <= 3 else (1, count)
        for size in sizes:
            for chosen in combinations(range(count), size):
                cut = list(tensors)
                for i in chosen:
                    for tensor, axis in self._groups[i]:
                        cut[tensor] = cut[tensor].narrow(axis, 0, 1)
                yield frozenset(chosen), cut


def same_results(ours: Sequence[Any], theirs: Sequence[Any]) -> str:
    """How results differ in more than roundings, or an empty text."""
    for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if not isinstance(other, torch.Tensor):
            if mine != other:
                return f"result {i} is {mine!r}; the module gives {other!r}"
        elif mine.shape != other.shape or mine.dtype != other.dtype:
            return (
                f"result {i} is {mine.dtype} {tuple(mine.shape)}; the module gives {other.dtype} {tuple(other.shape)}"
            )
        elif other.is_floating_point() and not _near(mine.double(), other.double()):
            return f"result {i} has other values than the module's"
    return ""


def _near(mine: torch.Tensor, other: torch.Tensor) -> bool:
    finite = torch.isfinite(other)
    if not bool(finite.any()):
        return True
    # Roundings of 16-bit floats are 1 in 256.
    scale = float(other[finite].abs().max())
    return bool(((mine - other)[finite].abs() <= 0.03 * scale + 1e-5).all())
