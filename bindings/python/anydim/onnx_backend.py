# SPDX-License-Identifier: Apache-2.0
"""Anydim as a backend of the `onnx` package (onnx.backend.base), so that ONNX's own test runner and tools run on it:

import anydim.onnx_backend
outputs = anydim.onnx_backend.run_model(model, [image])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx  # type: ignore[import-untyped, import-not-found, unused-ignore]
from onnx.backend.base import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
    Backend,
    BackendRep,
    Device,
    DeviceType,
    namedtupledict,
)

from .border import ranks_of
from .errors import InvalidArgumentError
from .session import InferenceSession


def _outputs(session: InferenceSession, values: list[Any]) -> Any:
    names = [output.name for output in session.get_outputs()]
    return namedtupledict("Outputs", names)(*values)


class AnydimRep(BackendRep):  # type: ignore[misc, no-any-unimported, unused-ignore]
    """A model that was prepared: it runs at any shape that the model allows. One with inputs that are sequences or optionals is loaded
    when it is known what they are made of, and again when they are made of something else."""

    def __init__(
        self, session: InferenceSession | None, model: Any = None, options: dict[str, Any] | None = None
    ) -> None:
        self._session, self._model, self._options = session, model, options or {}
        self._sessions: dict[str, InferenceSession] = {}  # by what the inputs are made of

    def _session_for(self, feeds: dict[str, Any]) -> InferenceSession:
        if self._session is not None:
            return self._session
        special = [info.name for info in self._model.graph.input if not info.type.HasField("tensor_type")]
        sequences = {name: ranks_of(feeds.get(name)) for name in special}
        key = repr(sequences)
        if key not in self._sessions:
            self._sessions[key] = InferenceSession(
                self._model.SerializeToString(), sequences=sequences, **self._options
            )
        return self._sessions[key]

    def run(self, inputs: Any, **kwargs: Any) -> Any:
        """Runs it. `inputs`: arrays in the model's order, by name, or a single one. Keywords: `run_options`."""
        if self._session is not None:
            names = [node.name for node in self._session.get_inputs()]
        else:
            names = [info.name for info in self._model.graph.input]
        if isinstance(inputs, dict):
            feeds = inputs
        else:
            input_list = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            if len(input_list) > len(names):
                raise InvalidArgumentError(f"inputs has {len(input_list)} arrays; the model has {len(names)} inputs")
            feeds = dict(zip(names, input_list, strict=False))
        session = self._session_for(feeds)
        return _outputs(session, session.run(None, feeds, kwargs.pop("run_options", None)))


class AnydimBackend(Backend):  # type: ignore[misc, no-any-unimported, unused-ignore]
    """The processor, for any model whose operators are there. `anydim.UnimplementedError` names those that are not."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether the model can be loaded."""
        from .errors import UnimplementedError

        try:
            cls.prepare(model, device, **kwargs)
        except UnimplementedError:
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> AnydimRep:
        """Loads a model. Keywords are those of `anydim.InferenceSession`."""
        if not cls.supports_device(device):
            raise InvalidArgumentError(f"device is {device!r}; expected CPU")
        super().prepare(model, device)  # checks the model, as every backend does
        if "sequences" not in kwargs and not all(info.type.HasField("tensor_type") for info in model.graph.input):
            return AnydimRep(None, model, kwargs)
        return AnydimRep(InferenceSession(model.SerializeToString(), **kwargs))

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> Any:
        """Loads and runs a model."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: Any,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, Any]] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Runs one node at the newest operators of its domain that the `onnx` package has, or at keyword `opset_version`."""
        if not cls.supports_device(device):
            raise InvalidArgumentError(f"device is {device!r}; expected CPU")
        newest = onnx.defs.onnx_opset_version() if node.domain in ("", "ai.onnx") else 1
        opset = int(kwargs.pop("opset_version", newest))
        checked: Any = {"opset_version": opset}  # whose type the onnx package has wrong
        super().run_node(node, inputs, device, outputs_info, **checked)  # checks the node
        names = [name for name in node.input if name]
        input_list = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        arrays = [np.asarray(value) for value in input_list]
        values = [
            onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, arrays, strict=True)
        ]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = onnx.helper.make_graph([node], node.op_type or "node", values, outputs)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(node.domain, opset)])
        return AnydimRep(InferenceSession(model.SerializeToString(), **kwargs)).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether a device, such as "CPU" or "CPU:0", is one that models run on."""
        try:
            found = Device(device)
        except (AttributeError, ValueError):  # no kind of device that the onnx package knows
            return False
        return bool(found.type == DeviceType.CPU and found.device_id == 0)


is_compatible = AnydimBackend.is_compatible
prepare = AnydimBackend.prepare
run_model = AnydimBackend.run_model
run_node = AnydimBackend.run_node
supports_device = AnydimBackend.supports_device
