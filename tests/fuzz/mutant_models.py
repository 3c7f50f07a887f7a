# SPDX-License-Identifier: Apache-2.0
"""Valid models that structural mutants begin with (structural_mutants.py): the onnx package's node cases; the rows of
tests/conformance, with operators of com.microsoft, ai.onnx.ml and training, and old opsets; and bodies, sequences and strings that
other parts of the fuzz draw."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

MOST_BYTES = 4000
# One node each, of what no other source has: operator, number of outputs, then dims and dtype of each input, "" where it is absent.
SINGLE: list[tuple[str, int, list[tuple[str, list[int]]], dict[str, Any]]] = [
    ("BiasGelu", 1, [("float", [2, 3]), ("float", [3])], {}),
    ("BiasAdd", 1, [("float", [2, 3, 4]), ("float", [4]), ("float", [2, 3, 4])], {}),
    ("BiasSplitGelu", 1, [("float", [2, 3, 4]), ("float", [4])], {}),
    ("FusedConv", 1, [("float", [1, 2, 5, 5]), ("float", [3, 2, 3, 3]), ("float", [3]), ("float", [1, 3, 3, 3])], {"activation": "Relu"}),
    ("FusedGemm", 1, [("float", [2, 3]), ("float", [3, 4]), ("float", [4])], {"activation": "Relu"}),
    ("NhwcConv", 1, [("float", [1, 5, 5, 2]), ("float", [3, 3, 3, 2]), ("float", [3])], {}),
    ("GatherBlockQuantized", 1, [("uint8", [4, 32]), ("int64", [2]), ("float", [4, 2]), ("uint8", [4, 2])],
     {"bits": 8, "block_size": 16, "quantize_axis": 1}),
    ("QLinearWhere", 1, [("bool", [2]), ("uint8", [2]), ("float", []), ("uint8", []), ("uint8", [2]), ("float", []), ("uint8", []),
                         ("float", []), ("uint8", [])], {}),
    ("DynamicQuantizeLSTM", 3, [("float", [3, 2, 4]), ("int8", [1, 4, 12]), ("int8", [1, 3, 12]), ("float", [1, 24]), ("int32", [2]),
                                ("float", [1, 2, 3]), ("float", [1, 2, 3]), ("float", [1, 9]), ("float", [1]), ("int8", [1]),
                                ("float", [1]), ("int8", [1])], {"hidden_size": 3}),
    ("QuickGelu", 1, [("float", [2, 3])], {}),
    ("Tokenizer", 1, [("string", [2])], {"mark": 0, "mincharnum": 1, "pad_value": "#", "separators": [" "]}),
]  # fmt: skip
OLD: list[tuple[str, dict[str, Any]]] = [
    ("Affine", {"alpha": 2.0, "beta": 1.0}),
    ("Crop", {"border": [1, 1, 1, 1]}),
    ("ImageScaler", {"bias": [0.0, 1.0], "scale": 2.0}),
]

Named = tuple[str, onnx.ModelProto]


def conformance(name: str) -> Any:
    """A file of tests there, by its path: other folders have tests of the same names."""
    spec = importlib.util.spec_from_file_location(f"conformance_{name}", HERE.parent / "conformance" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


def single_nodes() -> Iterator[Named]:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    for op, outputs, inputs, attributes in SINGLE:
        names = [f"x{i}" for i in range(len(inputs))]
        values = [
            helper.make_tensor_value_info(name, getattr(onnx.TensorProto, kind.upper()), dims)
            for name, (kind, dims) in zip(names, inputs, strict=True)
        ]
        made = [f"y{i}" for i in range(outputs)]
        node = helper.make_node(op, names, made, domain="com.microsoft", **attributes)
        results = [onnx.ValueInfoProto(name=name) for name in made]
        if inputs[0][0] == "string":
            results[0] = helper.make_tensor_value_info("y0", onnx.TensorProto.STRING, None)
        graph = helper.make_graph([node], op, values, results)
        yield f"com.microsoft.{op}", helper.make_model(graph, opset_imports=opsets, ir_version=8)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2])
    nodes = [helper.make_node("Optional", ["x"], ["o"]), helper.make_node("OptionalGetElement", ["o"], ["y"])]
    graph = helper.make_graph(nodes, "optional", [x], [onnx.ValueInfoProto(name="y")])
    yield "Optional", helper.make_model(graph, opset_imports=opsets, ir_version=8)
    for op, attributes in OLD:
        x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 2, 5, 5])
        node = helper.make_node(op, ["x"], ["y"], **attributes)
        graph = helper.make_graph([node], op, [x], [onnx.ValueInfoProto(name="y")])
        yield op, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 7)], ir_version=8)


def node_cases() -> Iterator[Named]:
    from node_cases import collect

    for case in collect():
        if case.model is not None:
            yield case.name, case.model


def rows() -> Iterator[Named]:
    """The conformance tables, with constants as initializers and as inputs."""
    from opset_cases import versions
    from opset_more import MORE
    from opset_table import CASES

    for at, case in enumerate(CASES + MORE):
        for opset in versions(case.operator, case.domain)[-2:]:
            if case.since <= opset <= case.until:
                model = case.model(opset, dynamic=at % 3 == 0, fed=at % 2 == 0)
                yield f"{case.operator} of opset {opset}", onnx.load_from_string(model)


def drawn() -> Iterator[Named]:
    """Operators of com.microsoft and quantised ones."""
    drawers, draws = conformance("test_microsoft").DRAWERS, conformance("test_quantized").DRAWS
    for name, draw in [*drawers.items(), *draws.items()]:
        for seed in range(8):
            model = draw(np.random.default_rng([seed, len(name)])).model(dynamic=seed % 2 == 0)
            yield name, model if isinstance(model, onnx.ModelProto) else onnx.load_from_string(model)


def learned() -> Iterator[Named]:
    from learned import DOMAIN, FLOAT, INT64, maps_info, node_model, whole_model

    tests = conformance("test_learned")
    for op, x, output, attributes in tests.ONE_OUTPUT:
        yield op, onnx.load_from_string(node_model(op, {"x": x}, [output], **attributes))
    x = np.ones((3, 4), np.float32)
    support = {
        "kernel_type": "RBF", "kernel_params": [0.3, 0.2, 3.0], "support_vectors": [0.5] * 16, "coefficients": [1.0, 2.0, -1.0, 0.5],
        "rho": [0.25],
    }  # fmt: skip
    classes = {"classlabels_ints": [3, 7], "vectors_per_class": [2, 2], "prob_a": [-1.0], "prob_b": [0.5]}
    trees = {k.replace("target", "class"): v for k, v in tests.TREE.items() if k != "n_targets"}
    for op, outputs, named in [
        (
            "LinearClassifier",
            [INT64, FLOAT],
            {"coefficients": [0.5] * 8, "intercepts": [0.1, 0.2], "classlabels_ints": [3, 7]},
        ),
        ("LinearRegressor", [FLOAT], {"coefficients": [0.5] * 8, "intercepts": [0.1, 0.2], "targets": 2}),
        ("SVMClassifier", [INT64, FLOAT], support | classes),
        ("SVMRegressor", [FLOAT], support | {"n_supports": 4}),
        ("TreeEnsembleClassifier", [INT64, FLOAT], trees | {"classlabels_int64s": [3, 7]}),
        ("TreeEnsembleRegressor", [FLOAT], tests.TREE),
        ("FeatureVectorizer", [FLOAT], {"inputdimensions": [4]}),
    ]:
        yield op, onnx.load_from_string(node_model(op, {"x": x}, outputs, **named))
    info = helper.make_tensor_value_info("x", FLOAT, ["n", 2])
    node = helper.make_node("ZipMap", ["x"], ["maps"], domain=DOMAIN, classlabels_int64s=[4, 1])
    yield "ZipMap", onnx.load_from_string(whole_model([node], [info], [maps_info("maps", INT64)], 1))
    for op, named in (
        ("DictVectorizer", {"int64_vocabulary": [1, 5, 3]}),
        ("CastMap", {"cast_to": "TO_FLOAT", "map_form": "SPARSE", "max_map": 9}),
    ):
        info = onnx.ValueInfoProto(name="x")
        info.type.map_type.key_type = INT64
        info.type.map_type.value_type.tensor_type.elem_type = FLOAT
        node = helper.make_node(op, ["x"], ["y"], domain=DOMAIN, **named)
        yield op, onnx.load_from_string(whole_model([node], [info], [onnx.ValueInfoProto(name="y")], 1))


def random_numbers() -> Iterator[Named]:
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    operators: list[tuple[str, dict[str, Any]]] = [
        ("Bernoulli", {}), ("Multinomial", {"sample_size": 4}), ("RandomNormalLike", {}), ("RandomUniformLike", {}),
        ("RandomNormal", {"shape": [2, 3]}), ("RandomUniform", {"shape": [2, 3]}),
    ]  # fmt: skip
    for op, attributes in operators:
        inputs = [] if "shape" in attributes else ["x"]
        node = helper.make_node(op, inputs, ["y"], **attributes)
        graph = helper.make_graph([node], op, [x] if inputs else [], [onnx.ValueInfoProto(name="y")])
        yield op, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def graphs() -> Iterator[Named]:
    from bodies import draw_model
    from dynamic_graphs import Layer
    from grouped_graphs import grow_grouped
    from recurrent_graphs import grow_recurrent
    from string_graphs import grow_strings

    for seed in range(40):
        yield "bodies", draw_model(seed)[0]
        yield "strings", grow_strings(seed)
        yield "grouped", grow_grouped(seed)
        yield "recurrent", grow_recurrent(seed)
    for seed in range(8):
        yield "dynamic layers", onnx.load_from_string(Layer(seed).model()[0])


def beginnings() -> list[Named]:
    """By name; only small ones, of which each is another."""
    found: dict[bytes, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in (single_nodes, node_cases, rows, drawn, learned, random_numbers, graphs):
            for name, model in source():
                copy = onnx.ModelProto()
                copy.CopyFrom(model)
                del copy.metadata_props[:]
                data = copy.SerializeToString()
                if len(data) <= MOST_BYTES:
                    found.setdefault(data, name)
    return [(name, onnx.load_from_string(data)) for data, name in found.items()]
