# SPDX-License-Identifier: Apache-2.0
"""Rows through a session: rows of mixed shapes, as Spark, Ray and queues of requests hand them out, run in groups of one shape.

    rows = anydim.rows.Rows(session)
    for row in rows.run([{"x": narrow}, {"x": wide}, {"x": narrow}]):   # arrays without the batch axis
        row["scores"]

A row's results do not depend on the others: a result has the same bits for every batch size (docs/numerics.md), so it does not
matter which batch a row lands in, nor at which attempt. The model's first axis, of every input and output, must be the one over
independent rows; a model that mixes rows is not for this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from .arrays import Array, as_array, numpy_dtype
from .dims import Dim
from .errors import Error, InvalidArgumentError, UnimplementedError
from .session import InferenceSession

__all__ = ["Row", "Rows"]

_UNLIMITED = 2**31
_ANY = Dim().raw()
# Arrays by the names of inputs or outputs, without the batch axis.
Row = Mapping[str, Any]


class Rows:
    """Runs a session over lists of rows. Any number of threads may use one.

    session: its model has the batch as the first axis of each input and output, of any size or 1.
    outputs: which outputs rows get; None: all.
    """

    def __init__(self, session: InferenceSession, outputs: Sequence[str] | None = None) -> None:
        self._session = session
        if session._border is not None and session._border.output_names is not None:
            raise UnimplementedError(
                "the model has inputs or outputs that are sequences, optionals or strings; rows need tensors"
            )
        # Bounds of one value close a dim that the model leaves open.
        self._inputs = {
            node.name: [
                raw[1] if raw[1] == raw[2] else dim
                for dim, raw in zip(node.shape, session._bound_dims.get(node.name, ()) or repeat(_ANY), strict=False)
            ]
            for node in session.get_inputs()
        }
        self._dtypes = {info["name"]: numpy_dtype(info["dtype"]) for info in session._inputs}
        known = {node.name: node.shape for node in session.get_outputs()}
        for name in outputs or ():
            session._find_output(name)
        self.outputs = list(known if outputs is None else outputs)
        for name in self.outputs:
            if known[name] and str(known[name][0]).endswith(" or none"):
                raise UnimplementedError(
                    f"output {name!r} has dims {known[name]}; expected a first one, over rows, that each run has"
                )
        self.even = {name: all(isinstance(dim, int) for dim in known[name][1:]) for name in self.outputs}
        self._most = _UNLIMITED
        for name, shape in self._inputs.items():
            if not shape or (isinstance(shape[0], int) and shape[0] != 1):
                raise UnimplementedError(
                    f"input {name!r} has dims {shape}; expected a first one, over rows, that is 1 or dynamic"
                )
            if shape[0] == 1:
                self._most = 1
        for dims in session._bound_dims.values():
            self._most = min(self._most, dims[0][2])

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in the model's order."""
        return list(self._inputs)

    def read(self, value: Any, name: str) -> Array:
        """A row's value of an input as an array: an array, whatever numpy makes one of, or `bytes`: the elements in row-major order,
        with the input's dtype; one dim that neither the model nor the session's bounds fix is found by their number."""
        if not isinstance(value, (bytes, bytearray, memoryview)):
            wanted = self._session._inputs[self._session._find_input(name)]["dtype"]
            return as_array(value, f"input {name!r}", wanted)
        dtype, shape = self._dtypes[name], self._inputs[name][1:]
        open_dims = sum(not isinstance(dim, int) for dim in shape)
        if open_dims > 1:
            raise InvalidArgumentError(
                f"input {name!r} is bytes, and its row has dims {shape}; expected at most one open dim (bounds fix others), "
                "or an array"
            )
        fixed = int(np.prod([dim for dim in shape if isinstance(dim, int)], dtype=np.int64)) * dtype.itemsize
        size = len(value) if isinstance(value, (bytes, bytearray)) else value.nbytes
        if fixed == 0 or size % fixed or (not open_dims and size != fixed):
            raise InvalidArgumentError(
                f"input {name!r} has {size} bytes; expected {'a multiple of ' if open_dims else ''}{fixed}, "
                f"for a row of {dtype} with dims {shape}"
            )
        return np.frombuffer(value, dtype).reshape([dim if isinstance(dim, int) else size // fixed for dim in shape])

    def run(self, rows: Sequence[Row]) -> list[dict[str, Array]]:
        """The outputs of each row, in the order of the rows. Rows whose inputs have equal dims run together, as many as the bounds
        allow. Raises what `InferenceSession.run` raises: one bad row fails the call."""
        groups: dict[object, list[int]] = {}
        arrays = [self._arrays(row) for row in rows]
        for i, row in enumerate(arrays):
            groups.setdefault(tuple((a.shape, a.dtype.str) for a in row), []).append(i)
        results: list[dict[str, Array]] = [{} for _ in rows]
        for members in groups.values():
            for begin in range(0, len(members), self._most):
                self._run_group(arrays, members[begin : begin + self._most], results)
        return results

    def run_each(self, rows: Sequence[Row]) -> list[dict[str, Array] | Error]:
        """As `run`, but a row that fails has its error in its place, and the others have their results."""
        try:
            return list(self.run(rows))
        except Error as error:
            if len(rows) == 1:
                return [error]
        return [one for row in rows for one in self.run_each([row])]

    def _arrays(self, row: Row) -> list[Array]:
        for name in row:
            if name not in self._inputs:
                raise InvalidArgumentError(
                    f"a row has {name!r}, which is no input; the model's inputs are {self.inputs}"
                )
        for name in self._inputs:
            if name not in row:
                raise InvalidArgumentError(f"a row lacks the input {name!r}; the model's inputs are {self.inputs}")
        return [self.read(row[name], name) for name in self._inputs]

    def _run_group(self, arrays: list[list[Array]], members: list[int], results: list[dict[str, Array]]) -> None:
        stacked = {
            name: arrays[members[0]][k][None] if len(members) == 1 else np.stack([arrays[i][k] for i in members])
            for k, name in enumerate(self._inputs)
        }
        for name, batch in zip(self.outputs, self._session.run(self.outputs, stacked), strict=True):
            if batch.ndim == 0 or batch.shape[0] != len(members):
                raise UnimplementedError(
                    f"output {name!r} has dims {batch.shape} for {len(members)} rows; expected a first one of {len(members)}"
                )
            for i, values in zip(members, batch, strict=True):
                results[i][name] = values
