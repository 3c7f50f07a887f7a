# SPDX-License-Identifier: Apache-2.0
"""A model as a function for PySpark's `predict_batch_udf`. Spark does the rest: partitions, workers, retries.

    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.types import IntegerType

    def best(outputs):                                      # of one row: arrays by the outputs' names
        return outputs["scores"][:, 1:].max(axis=1).argmax()

    rec = predict_batch_udf(
        anydim.spark.predictor("/models/rec.onnx", packed="/models/rec.packed", finish=best,
                               bounds={"x": ((1, 8), 3, 48, (32, 1200))}),
        return_type=IntegerType(), batch_size=8)
    images.select("id", rec("pixels").alias("best"))        # pixels: BINARY, rows of any width

Each Python worker opens one session, and all workers of a machine map one packed copy of the weights. This module imports no
pyspark; anydim must be installed on the executors.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Array
from .errors import InvalidArgumentError
from .packed import ModelPath, Options, shared_session
from .rows import Row, Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Predict", "Predictor", "predictor"]

# What predict_batch_udf calls with a batch: an array per column; a result in one of the three forms that it takes.
Predict = Callable[..., Array | Mapping[str, Array] | list[Mapping[str, Any]]]
Prepare = Callable[..., Any]
Finish = Callable[[Mapping[str, Array]], Any]


@dataclass(frozen=True)
class Predictor:
    """What `predictor` makes: it is pickled to the workers, and called there once to load the model."""

    model: str
    packed: str | None = None
    prepare: Prepare | None = None
    finish: Finish | None = None
    outputs: tuple[str, ...] | None = None
    options: Options = field(default_factory=Options)

    def __call__(self) -> Predict:
        """Opens the model in this process and returns the function that takes batches."""
        session = shared_session(_local_file(self.model), self.packed and _local_file(self.packed), **self.options)
        rows = Rows(session, self.outputs)

        def predict(*columns: Array) -> Array | Mapping[str, Array] | list[Mapping[str, Any]]:
            results = rows.run([self._row(rows, values) for values in zip(*columns, strict=True)])
            return _finished(self.finish, results) if self.finish else _plain(rows, results)

        # Spark gives as many columns as the function has parameters.
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = list(inspect.signature(self.prepare).parameters) if self.prepare else range(len(rows.inputs))
        parameters = [inspect.Parameter(f"column_{i}", kind) for i in range(len(names))]
        predict.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return predict

    def _row(self, rows: Rows, values: Sequence[Any]) -> Row:
        if self.prepare is None:
            return dict(zip(rows.inputs, values, strict=True))
        prepared = self.prepare(*values)
        if isinstance(prepared, Mapping):
            return prepared
        if len(rows.inputs) != 1:
            raise InvalidArgumentError(
                f"prepare returned {type(prepared).__name__}; expected a mapping with the inputs {rows.inputs}"
            )
        return {rows.inputs[0]: prepared}


def predictor(
    model: ModelPath,
    *,
    packed: ModelPath | None = None,
    prepare: Prepare | None = None,
    finish: Finish | None = None,
    outputs: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Predictor:
    """The first argument of `pyspark.ml.functions.predict_batch_udf`.

    model: the path of the model, the same on every executor, or the name of a file that `SparkContext.addFile` distributes.
    packed: the file of packed weights that a machine's workers map; None: one in the persistent cache's folder. The first worker
        makes it where it is not there (`anydim.packed.shared_session`).
    prepare: makes a row's inputs from its columns' values, one parameter per column: an array if the model has one input, else
        a mapping by input name, all without the batch axis. None: there is a column per input, in the model's order, of
        - BINARY: the elements in row-major order, with the input's dtype. One dim that neither the model nor `bounds` fix (a
          width, say) is found by their number, so rows of one batch may differ in it;
        - ARRAY, with `input_tensor_shapes` of predict_batch_udf, or numbers: rows of one shape.
    finish: makes a row's result from its outputs, a mapping of arrays without the batch axis: a number, text or (rows of one
        length) an array, or a mapping of numbers, texts and 1-D arrays (of any length) for a STRUCT. None: the outputs flattened, which is
        - for a model whose outputs' rows have fixed dims: an ARRAY (numbers, if there is one a row), or a STRUCT of these with the
          outputs' names if there are several;
        - for any other: a STRUCT of ARRAYs with the outputs' names, of rows of any length.
    outputs: which outputs are computed; None: all.
    options: those of `InferenceSession`. A Spark task has one core, so `threads` is 1 and `contexts` 1 if nothing is said.

    Rows of one shape in a batch run together. Nothing about a row's result depends on the other rows, so a retried task gives the
    same bytes. Raises InvalidArgumentError for options that do not exist or arguments that cannot be; what is wrong with
    the model or a row is raised where it is met, in the workers.
    """
    unknown = set(options) - Options.__annotations__.keys()
    if unknown:
        raise InvalidArgumentError(f"options have {min(unknown)!r}; expected some of {sorted(Options.__annotations__)}")
    if isinstance(outputs, str):
        raise InvalidArgumentError(f"outputs is {outputs!r}; expected a sequence of names")
    session_options: Options = {"threads": 1, "contexts": 1, **options}
    return Predictor(
        os.fspath(model),
        None if packed is None else os.fspath(packed),
        prepare,
        finish,
        None if outputs is None else tuple(outputs),
        session_options,
    )


def _local_file(name: str) -> str:
    """The path itself, or where Spark put the file of that name."""
    if not os.path.isabs(name) and not os.path.exists(name):
        try:
            from pyspark import SparkFiles
        except ImportError:
            return name
        if SparkFiles._root_directory is not None or not SparkFiles._is_running_on_worker:
            distributed: str = SparkFiles.get(name)
            if os.path.exists(distributed):
                return distributed
    return name


def _plain(rows: Rows, results: list[dict[str, Array]]) -> Array | Mapping[str, Array] | list[Mapping[str, Any]]:
    if not all(rows.even.values()):
        return [{name: result[name].ravel() for name in rows.outputs} for result in results]
    columns = {}
    for name in rows.outputs:
        stacked = np.stack([result[name].ravel() for result in results])
        columns[name] = stacked[:, 0] if stacked.shape[1] == 1 and results[0][name].ndim == 0 else stacked
    return columns[rows.outputs[0]] if len(columns) == 1 else columns


def _finished(finish: Finish, results: list[dict[str, Array]]) -> Array | list[Mapping[str, Any]]:
    finished = [finish(result) for result in results]
    if all(isinstance(value, Mapping) for value in finished):
        return [dict(value) for value in finished]  # Spark asks for this very type
    if any(isinstance(value, str) for value in finished):
        texts = np.empty(len(finished), object)
        texts[:] = finished
        return texts
    return np.array(finished)
