# SPDX-License-Identifier: Apache-2.0
"""`IOBinding`: arrays that are bound to a session's inputs and outputs once and run many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import anydim  # its session imports this

from . import _capi
from .arrays import Array, as_array, as_output


@dataclass(frozen=True)
class _Bound:
    """What the runs of a binding have in common."""

    inputs: list[Array] | None  # None: some are copied to be read, again at each run
    wanted: list[tuple[int, bool]]
    outputs: list[Array | None]
    order: list[int]  # in which outputs were bound


class IOBinding:
    """Arrays bound to a session's inputs and outputs: runs read and write them in place. One thread at a time.

    binding = session.io_binding()
    binding.bind_input("x", image)
    binding.bind_output("scores", scores)  # or without an array: each run makes one
    binding.run()
    """

    def __init__(self, session: anydim.InferenceSession) -> None:
        self._session = session
        self._feeds: dict[str, Array] = {}
        self._outputs_given: dict[str, Array | None] = {}
        self._bound: _Bound | None = None  # until something else is bound
        self._results: list[Any] = []

    def bind_input(self, name: str, array: Any) -> None:
        """Reads the input from this array (numpy or DLPack) at each run."""
        place = self._session._find_input(name)
        self._session._refuse_binding(name)
        viewed = as_array(array, f"input {name!r}", self._session._inputs[place]["dtype"])
        # An array that had to be copied to be read is copied again at each run: it may have changed.
        self._feeds[name] = array if isinstance(array, np.ndarray) else viewed
        self._bound = None

    bind_cpu_input = bind_input

    def bind_output(self, name: str, array: Any = None) -> None:
        """Writes the output into this array at each run; without one, each run makes a new array."""
        self._session._find_output(name)
        self._session._refuse_binding(name)
        self._outputs_given[name] = None if array is None else as_output(array, f"output {name!r}")
        self._bound = None

    def clear_binding_inputs(self) -> None:
        """Forgets the inputs that were bound."""
        self._feeds.clear()
        self._bound = None

    def clear_binding_outputs(self) -> None:
        """Forgets the outputs that were bound: a run then gives all of them, in new arrays."""
        self._outputs_given.clear()
        self._bound = None

    def run(self, run_options: anydim.RunOptions | None = None) -> None:
        """Runs the model once, from the bound inputs as they are now. Errors: those of `InferenceSession.run`."""
        session = self._session
        if (bound := self._bound) is None:
            bound = self._bound = self._prepare()
        arrays = session._arrays(self._feeds) if bound.inputs is None else bound.inputs
        results = session._run(arrays, bound.wanted, bound.outputs, run_options)
        self._results = [results[i] for i in bound.order]

    def _prepare(self) -> _Bound:
        session = self._session
        arrays = session._arrays(self._feeds)
        names = list(self._outputs_given) or session._output_names
        for name in names:
            session._refuse_binding(name)
        return _Bound(
            arrays if all(map(_capi.is_viewable, self._feeds.values())) else None,
            [(info["dtype"], info["name"] in names) for info in session._outputs],
            [self._outputs_given.get(name) for name in session._output_names],
            [session._find_output(name) for name in names],
        )

    def get_outputs(self) -> list[Any]:
        """The arrays of the last run, in the order in which outputs were bound."""
        return list(self._results)

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Copies of the arrays of the last run, which later runs leave alone."""
        return [np.array(result) for result in self._results]
