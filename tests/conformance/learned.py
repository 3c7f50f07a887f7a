# SPDX-License-Identifier: Apache-2.0
"""Small models of ai.onnx.ml, for test_learned.py: one node, its attributes and inputs; and random trees in the forms of both of its
encodings."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

DOMAIN = "ai.onnx.ml"
TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.float16): TensorProto.FLOAT16,
    np.dtype(np.int32): TensorProto.INT32,
    np.dtype(np.int64): TensorProto.INT64,
    np.dtype(np.int16): TensorProto.INT16,
    np.dtype(object): TensorProto.STRING,
}
STRING, FLOAT, INT64 = TensorProto.STRING, TensorProto.FLOAT, TensorProto.INT64


def element_type(x: Any) -> int:
    return TYPES[x.dtype]


def node_model(
    op: str, feeds: dict[str, Any], outputs: list[int], version: int = 3, dynamic: bool = True, **attributes: Any
) -> bytes:
    """One node; outputs have these element types. Axes of the inputs are symbols, but the features of a matrix."""
    inputs = [
        helper.make_tensor_value_info(name, element_type(x), _dims(name, x) if dynamic else x.shape)
        for name, x in feeds.items()
    ]
    names = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(op, list(feeds), names, domain=DOMAIN, **attributes)
    made = [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(names, outputs, strict=True)]
    return whole_model([node], inputs, made, version)


def _dims(name: str, x: Any) -> list[Any]:
    return [f"{name}{axis}" if axis == 0 and x.ndim > 1 else dim for axis, dim in enumerate(x.shape)]


def whole_model(
    nodes: list[Any],
    inputs: list[Any],
    outputs: list[Any],
    version: int = 3,
    initializers: tuple[Any, ...] = (),
    opset: int = 18,
) -> bytes:
    graph = helper.make_graph(nodes, "learned", inputs, outputs, initializer=list(initializers))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(DOMAIN, version)]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    return made


def maps_info(name: str, key: int) -> Any:
    """An output that is a sequence of maps from such keys to floats."""
    info = onnx.ValueInfoProto(name=name)
    info.type.sequence_type.elem_type.map_type.key_type = key
    info.type.sequence_type.elem_type.map_type.value_type.tensor_type.elem_type = FLOAT
    return info


MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def _tree(r: np.random.Generator, features: int, depth: int, modes: tuple[str, ...]) -> Any:
    """None for a leaf; else mode, feature, split, whether it holds for NaN, and two trees."""
    if depth == 0 or r.random() < 0.15:
        return None
    split = float(np.float32(np.round(r.standard_normal() * 2) / 2))
    below = [_tree(r, features, depth - 1, modes) for _ in range(2)]
    return str(r.choice(modes)), int(r.integers(features)), split, int(r.integers(2)), *below


def _size(tree: Any) -> int:
    return 1 if tree is None else 1 + _size(tree[4]) + _size(tree[5])


def old_forest(
    r: np.random.Generator,
    *,
    trees: int,
    features: int,
    targets: int,
    prefix: str,
    modes: tuple[str, ...] = MODES,
    missing: bool = True,
    per_leaf: int | None = None,
    weights: str = "any",
) -> dict[str, list[Any]]:
    """Attributes of TreeEnsembleRegressor (prefix "target") or TreeEnsembleClassifier ("class"); ids stand in no order."""
    a: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")
    }  # fmt: skip
    a |= {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}

    def add(tree: Any, number: int, ids: list[int]) -> int:
        own = ids.pop()
        at = len(a["nodes_nodeids"])
        mode, feature, split, holds = ("LEAF", 0, 0.0, 0) if tree is None else tree[:4]
        for name, value in (
            ("treeids", number),
            ("nodeids", own),
            ("featureids", feature),
            ("modes", mode),
            ("values", split),
        ):
            a[f"nodes_{name}"].append(value)
        a["nodes_missing_value_tracks_true"].append(holds if missing else 0)
        a["nodes_truenodeids"].append(0)
        a["nodes_falsenodeids"].append(0)
        if tree is not None:
            a["nodes_truenodeids"][at] = add(tree[4], number, ids)
            a["nodes_falsenodeids"][at] = add(tree[5], number, ids)
            return own
        count = targets if per_leaf is None else per_leaf
        for target in range(targets) if count == targets else r.choice(targets, count, replace=False).tolist():
            weight = float(np.float32(r.standard_normal()))
            a[f"{prefix}_treeids"].append(number)
            a[f"{prefix}_nodeids"].append(own)
            a[f"{prefix}_ids"].append(target)
            a[f"{prefix}_weights"].append(abs(weight) / trees if weights == "positive" else weight)
        return own

    for number in range(trees):
        tree = _tree(r, features, int(r.integers(0, 7)), modes)
        add(tree, number, r.permutation(_size(tree)).tolist())
    return a


def new_forest(r: np.random.Generator, *, trees: int, features: int, targets: int, dtype: Any) -> dict[str, Any]:
    """Attributes of TreeEnsemble, members and missing values among them."""
    a: dict[str, list[Any]] = {
        name: []
        for name in (
            "tree_roots", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs", "nodes_falseleafs",
            "nodes_missing_value_tracks_true", "leaf_targetids",
        )
    }  # fmt: skip
    modes: list[int] = []
    splits: list[float] = []
    weights: list[float] = []
    members: list[float] = []

    def leaf() -> tuple[int, int]:
        weights.append(float(r.standard_normal()))
        a["leaf_targetids"].append(int(r.integers(targets)))
        return len(weights) - 1, 1

    def add(tree: Any) -> tuple[int, int]:
        if tree is None:
            return leaf()
        at = len(modes)
        member = r.random() < 0.3
        modes.append(6 if member else MODES.index(tree[0]))
        splits.append(0.0 if member else tree[2])
        if member:
            members.extend((r.permutation(5)[: r.integers(1, 4)] / 2).tolist())
            members.append(float("nan"))
        a["nodes_featureids"].append(tree[1])
        a["nodes_missing_value_tracks_true"].append(tree[3])
        for name in ("truenodeids", "falsenodeids", "trueleafs", "falseleafs"):
            a[f"nodes_{name}"].append(0)
        for way, below in (("true", tree[4]), ("false", tree[5])):
            a[f"nodes_{way}nodeids"][at], a[f"nodes_{way}leafs"][at] = add(below)
        return at, 0

    for _ in range(trees):
        tree = None
        while tree is None:
            tree = _tree(r, features, int(r.integers(1, 6)), MODES)
        a["tree_roots"].append(add(tree)[0])

    def tensor(name: str, kind: int, values: list[Any]) -> Any:
        return helper.make_tensor(name, kind, [len(values)], values)

    real = TYPES[np.dtype(dtype)]
    made: dict[str, Any] = dict(a)
    made["nodes_modes"] = tensor("nodes_modes", TensorProto.UINT8, modes)
    made["nodes_splits"] = tensor("nodes_splits", real, splits)
    made["leaf_weights"] = tensor("leaf_weights", real, weights)
    if members:
        made["membership_values"] = tensor("membership_values", real, members)
    return made


def rows(r: np.random.Generator, count: int, features: int, dtype: Any, missing: bool = True) -> Any:
    """Numbers of which some are exactly splits, and some are missing."""
    x = r.standard_normal((count, features))
    some = r.random(x.shape) < 0.4
    x[some] = np.round(x[some] * 2) / 2
    if missing:
        x[r.random(x.shape) < 0.08] = np.nan
    return x.astype(dtype)
