# SPDX-License-Identifier: Apache-2.0
"""A model as a callable class for Ray Data's `map_batches`, and as a Ray Serve deployment. Ray does the rest: actors, batches, retries.

    ds.map_batches(anydim.ray.Predictor, fn_constructor_args=("rec.onnx",), concurrency=4, batch_size=8)

    app = anydim.ray.deployment("rec.onnx", max_batch_size=8).bind()
    scores = serve.run(app).remote({"x": image}).result()["scores"]

All workers of a machine map one packed copy of the weights. Ray is imported by `deployment` alone.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Array
from .errors import Error, InvalidArgumentError
from .packed import ModelPath, Options, shared_session
from .rows import Row, Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Predictor", "deployment"]

# Rows of a batch as mappings: column -> value.
Prepare = Callable[[Mapping[str, Any]], Any]
Finish = Callable[[Mapping[str, Array]], Mapping[str, Any]]


class Predictor:
    """For `Dataset.map_batches`: each actor makes one of its own, which opens the model once. A batch comes back with the columns
    that are no inputs, and a column per output.

    model: the path of the model, the same on every machine.
    packed: the file of packed weights that a machine's workers map; None: one in the persistent cache's folder. The first worker
        makes it where it is not there (`anydim.packed.shared_session`).
    columns: which column is which input, by input name; None: columns have the inputs' names. A column holds arrays of one shape or
        of mixed ones, or `bytes` (the elements in row-major order; one dim that neither the model nor `bounds` fix is found by their number).
    prepare: makes a row's inputs from the row, a mapping of its columns: an array if the model has one input, else a mapping by input
        name, all without the batch axis. All columns stay then, but those with inputs' names.
    finish: makes a row's new columns, a mapping, from its outputs, a mapping of arrays without the batch axis. None: the outputs.
    outputs: which outputs are computed; None: all.
    options: those of `InferenceSession`. Ray gives an actor one CPU if nothing is said, so `threads` is 1 and `contexts` 1 then.

    Rows of one shape in a batch run together. Nothing about a row's result depends on the other rows, so a retried task gives the
    same bytes. One thread at a time may call it if `finish` or `prepare` need that; it itself allows any number.
    """

    def __init__(
        self,
        model: ModelPath,
        *,
        packed: ModelPath | None = None,
        columns: Mapping[str, str] | None = None,
        prepare: Prepare | None = None,
        finish: Finish | None = None,
        outputs: Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> None:
        if columns is not None and prepare is not None:
            raise InvalidArgumentError("columns and prepare are both given; expected one of them")
        self._rows = _open(model, packed, outputs, options)
        names = self._rows.inputs
        self._columns = {name: name for name in names} if columns is None else dict(columns)
        if sorted(self._columns) != sorted(names):
            raise InvalidArgumentError(
                f"columns has {sorted(self._columns)}; expected the model's inputs {sorted(names)}"
            )
        self._prepare = prepare
        self._finish = finish

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """The batch with its results."""
        if self._prepare is None:
            for name, column in self._columns.items():
                if column not in batch:
                    raise InvalidArgumentError(
                        f"the batch lacks the column {column!r}, for input {name!r}; its columns are {sorted(batch)}"
                    )
        count = len(next(iter(batch.values()), ()))
        results = self._rows.run([self._row(batch, i) for i in range(count)])
        kept = {name: values for name, values in batch.items() if name not in self._columns.values()}
        if self._finish is None:
            return kept | {
                name: _column([result[name] for result in results], self._rows.even[name])
                for name in self._rows.outputs
            }
        finished = [self._finish(result) for result in results]
        return kept | {name: _finished([row[name] for row in finished]) for name in (finished[0] if finished else ())}

    def _row(self, batch: Mapping[str, Any], i: int) -> Row:
        if self._prepare is None:
            return {name: batch[column][i] for name, column in self._columns.items()}
        prepared = self._prepare({name: values[i] for name, values in batch.items()})
        if isinstance(prepared, Mapping):
            return prepared
        if len(self._rows.inputs) != 1:
            raise InvalidArgumentError(
                f"prepare returned {type(prepared).__name__}; expected a mapping with the inputs {self._rows.inputs}"
            )
        return {self._rows.inputs[0]: prepared}


def deployment(
    model: ModelPath,
    *,
    packed: ModelPath | None = None,
    outputs: Sequence[str] | None = None,
    max_batch_size: int = 8,
    batch_wait_timeout_s: float = 0.005,
    **options: Unpack[Options],
) -> Any:
    """A `ray.serve.Deployment` of the model: `serve.run(deployment("rec.onnx").bind())`, and `.options(num_replicas=4)` before
    `.bind()` as for any other. A request is one row, a mapping of arrays (or `bytes`) by input name, without the batch axis; its
    result is a mapping by output name. Who serves over HTTP composes it with an ingress that reads the request.

    model, packed, outputs: as for `Predictor`.
    max_batch_size, batch_wait_timeout_s: those of `ray.serve.batch`, which collects requests. Those of one shape run together.
    options: those of `InferenceSession`; `threads` and `contexts` are 1 if nothing is said.

    A request that fails raises its own error, with its status and message, and the others of its batch have their results. A
    request's result has the same bits whatever it is batched with.
    """
    from ray import serve

    # Ray pickles the class with what it refers to, and runs it in replicas.
    class Model:
        def __init__(self) -> None:
            self._rows = _open(model, packed, outputs, options)

        @serve.batch(max_batch_size=max_batch_size, batch_wait_timeout_s=batch_wait_timeout_s)  # type: ignore[untyped-decorator, unused-ignore]
        async def run_batch(self, requests: list[Row]) -> list[dict[str, Array] | Error]:
            return await asyncio.to_thread(self._rows.run_each, requests)

        async def __call__(self, request: Row) -> dict[str, Array]:
            result: dict[str, Array] | Error = await self.run_batch(request)
            if isinstance(result, Error):
                raise result
            return result

    Model.__name__ = Model.__qualname__ = os.path.basename(os.fspath(model))
    return serve.deployment(Model)


def _open(model: ModelPath, packed: ModelPath | None, outputs: Sequence[str] | None, options: Options) -> Rows:
    if isinstance(outputs, str):
        raise InvalidArgumentError(f"outputs is {outputs!r}; expected a sequence of names")
    session_options: Options = {"threads": 1, "contexts": 1, **options}
    return Rows(shared_session(model, packed, **session_options), outputs)


def _column(values: list[Array], even: bool) -> Array:
    """A column of arrays: one array if rows always have the same dims, else one of objects, so that it never depends on the batch."""
    if even and values:
        return np.stack(values)
    column = np.empty(len(values), object)
    for i, value in enumerate(values):
        column[i] = value
    return column


def _finished(values: list[Any]) -> Array:
    if any(isinstance(value, np.ndarray) and value.ndim > 0 for value in values):
        return _column(values, even=False)
    return np.array(values, object if any(isinstance(value, (str, bytes)) for value in values) else None)
