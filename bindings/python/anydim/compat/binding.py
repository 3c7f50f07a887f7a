# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's I/O bindings: arrays, values and memory at addresses, bound to a session's inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import errors, io_binding
from .values import OrtValue, OrtValueVector, array_at, check_device


class IOBinding(io_binding.IOBinding):
    """An I/O binding with onnxruntime's method signatures."""

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        super().bind_input(name, arr_on_cpu)

    def bind_input(
        self,
        name: str,
        device_type: Any,
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Reads the input from `buffer_ptr` at each run; or, as Anydim's own, from an array in place of the device."""
        if not isinstance(device_type, str):
            super().bind_input(name, device_type)
            return
        check_device(device_type)
        if element_type is None or shape is None or buffer_ptr is None:
            raise errors.InvalidArgumentError(
                f"input {name!r} is bound with element_type {element_type!r}, shape {shape!r} and buffer_ptr {buffer_ptr!r}; "
                "expected all three"
            )
        super().bind_input(name, array_at(buffer_ptr, shape, element_type, f"input {name!r}"))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        super().bind_input(name, ortvalue.numpy())

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        super().bind_output(name, ortvalue.numpy())

    def bind_output(
        self,
        name: str,
        device_type: Any = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Writes the output to `buffer_ptr` at each run, or to an array in place of the device. Without either each run makes
        an array."""
        if not isinstance(device_type, str):
            super().bind_output(name, device_type)
            return
        check_device(device_type)
        if buffer_ptr is None:
            super().bind_output(name, None)
            return
        if element_type is None or shape is None:
            raise errors.InvalidArgumentError(
                f"output {name!r} is bound with element_type {element_type!r}, shape {shape!r} and a buffer_ptr; expected all three"
            )
        super().bind_output(name, array_at(buffer_ptr, shape, element_type, f"output {name!r}"))

    @property
    def _iobinding(self) -> IOBinding:
        """onnxruntime's own object behind this one, which programs reach through."""
        return self

    def get_outputs(self) -> list[OrtValue]:
        return [OrtValue(result) for result in super().get_outputs()]

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return OrtValueVector(self.get_outputs())

    def synchronize_inputs(self) -> None:
        """Nothing to wait for: runs are complete when they return."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for: runs are complete when they return."""
