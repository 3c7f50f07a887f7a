# SPDX-License-Identifier: Apache-2.0
"""Small models for the tests of the provider, and sessions with it whose log is read: what was claimed, how often something was compiled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anydim.ort
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NAME = anydim.ort.get_ep_name()
VERSION = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
FLOAT = TensorProto.FLOAT
CLAIMS = re.compile(r"Anydim: claims (\d+) of (\d+) nodes in (\d+) part")
COMPILED = re.compile(r"Anydim: compiled a part")


@dataclass
class Log:
    """What the provider said while a session was made."""

    text: str = ""
    claims: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # nodes, of how many, in how many parts; for each graph

    @property
    def compiled(self) -> int:
        return len(COMPILED.findall(self.text))


def session_with(model: Any, capfd: Any, options: dict[str, str] | None = None, threads: int = 2) -> tuple[Any, Log]:
    """A session with the provider alone and ONNX Runtime behind it."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 1
    settings.intra_op_num_threads = threads
    settings.add_provider_for_devices(anydim.ort.register(), options or {})
    capfd.readouterr()
    session = onnxruntime.InferenceSession(
        model if isinstance(model, (str, bytes)) else model.SerializeToString(), settings
    )
    said = capfd.readouterr()
    log = Log(said.out + said.err)
    log.claims = [(int(a), int(b), int(c)) for a, b, c in CLAIMS.findall(log.text)]
    return session, log


def plain(model: Any) -> Any:
    """The same without it."""
    data = model if isinstance(model, (str, bytes)) else model.SerializeToString()
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


def weights(name: str, *dims: int) -> Any:
    random = np.random.default_rng(sum(dims) + len(name))
    return numpy_helper.from_array(
        (random.random(dims, np.float32) - 0.5) / np.float32(dims[0]) ** np.float32(0.5), name
    )


def value(name: str, dims: Sequence[int | str | None], kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, dims)


def model(nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: Sequence[Any] = ()) -> Any:
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(constants), value_info=scaled(nodes))
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=9
    )
    onnx.checker.check_model(made)
    return made


def scaled(nodes: list[Any]) -> list[Any]:
    """The types of what a SampleOp makes, which ONNX Runtime does not find out by itself."""
    return [value(node.output[0], [None, 8]) for node in nodes if node.op_type == "SampleOp"]


def sample(source: str, target: str) -> Any:
    """An operator that ONNX Runtime has and Anydim has not."""
    return helper.make_node("SampleOp", [source], [target], domain="com.microsoft")


def layers(first: str, last: str, number: int) -> tuple[list[Any], list[Any]]:
    """Three nodes: a product, a sum, an activation."""
    w, b = weights(f"w{number}", 8, 8), weights(f"b{number}", 8)
    nodes = [
        helper.make_node("MatMul", [first, w.name], [f"m{number}"]),
        helper.make_node("Add", [f"m{number}", b.name], [f"a{number}"]),
        helper.make_node("Relu", [f"a{number}"], [last]),
    ]
    return nodes, [w, b]
