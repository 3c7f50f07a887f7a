# SPDX-License-Identifier: Apache-2.0
"""Operators of ai.onnx.ml beside ONNX Runtime: features and encodings, linear models, support vectors, trees in both encodings; strings and
maps at the border; and what is refused when a model is loaded. Whole pipelines are tests/pipelines."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from learned import (
    DOMAIN,
    FLOAT,
    INT64,
    STRING,
    element_type,
    maps_info,
    new_forest,
    node_model,
    old_forest,
    rows,
    whole_model,
)
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

onnxruntime.set_default_logger_severity(4)
R = np.random.default_rng(1)
X = R.standard_normal((7, 4)).astype(np.float32)
WORDS = np.array([["ash", "elm"], ["oak", "ash"], ["", "fig"]], dtype=object)


def peer(model: bytes, feeds: dict[str, Any]) -> list[Any]:
    return list(onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, feeds))


def agree(model: bytes, feeds: dict[str, Any], tolerance: float = 1e-6) -> list[Any]:
    results: list[Any] = anydim.InferenceSession(model).run(None, feeds)
    for ours, theirs in zip(results, peer(model, feeds), strict=True):
        if isinstance(theirs, list):
            assert ours == theirs
            continue
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if theirs.dtype.kind == "f":
            scale = max(1.0, float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0)))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)
        else:
            np.testing.assert_array_equal(ours, theirs)
    return results


# -- features and encodings -----------------------------------------------------------------------------------------------

ONE_OUTPUT: list[tuple[str, Any, int, dict[str, Any]]] = [
    ("Scaler", X, FLOAT, {"offset": [0.5, 1, 2, -1], "scale": [2.0, 3, 0.5, 1]}),
    ("Scaler", X, FLOAT, {"offset": [0.5], "scale": [2.0]}),
    ("Scaler", X.astype(np.float64), FLOAT, {"offset": [0.5, 1, 2, -1], "scale": [2.0, 3, 0.5, 1]}),
    ("Scaler", np.arange(8).reshape(2, 4), FLOAT, {"offset": [0.5, 1, 2, -1], "scale": [2.0, 3, 0.5, 1]}),
    *(("Normalizer", X, FLOAT, {"norm": norm}) for norm in ("MAX", "L1", "L2")),
    *(("Normalizer", np.array([[0, 0], [3, -4]], np.int64), FLOAT, {"norm": norm}) for norm in ("MAX", "L1", "L2")),
    ("Normalizer", X[0], FLOAT, {"norm": "L1"}),
    ("Binarizer", X, FLOAT, {"threshold": 0.25}),
    ("Imputer", np.array([[1, np.nan], [np.nan, 2]], np.float32), FLOAT,
     {"imputed_value_floats": [7.0, 8.0], "replaced_value_float": float("nan")}),
    ("Imputer", np.array([[1, -1], [-1, 2]], np.float32), FLOAT, {"imputed_value_floats": [7.0], "replaced_value_float": -1.0}),
    ("Imputer", np.array([[1, -1], [-1, 2]]), INT64, {"imputed_value_int64s": [7, 8], "replaced_value_int64": -1}),
    ("OneHotEncoder", np.array([[3, 5], [9, 7]]), FLOAT, {"cats_int64s": [7, 3, 5], "zeros": 1}),
    ("OneHotEncoder", np.array([3.7, 5, 7], np.float32), FLOAT, {"cats_int64s": [7, 3, 5], "zeros": 0}),
    ("OneHotEncoder", np.array([3, 2**40, 7]), FLOAT, {"cats_int64s": [7, 3, 2**40], "zeros": 1}),
    ("OneHotEncoder", WORDS, FLOAT, {"cats_strings": ["elm", "ash"], "zeros": 1}),
    ("LabelEncoder", WORDS, INT64, {"keys_strings": ["ash", "fig"], "values_int64s": [5, 6], "default_int64": -7}),
    ("LabelEncoder", WORDS, FLOAT, {"keys_strings": ["ash", "fig"], "values_floats": [0.5, 6.0], "default_float": 1.5}),
    ("LabelEncoder", WORDS, STRING, {"keys_strings": ["ash", "fig"], "values_strings": ["pine", "elm"]}),
    ("LabelEncoder", np.array([1, 4, 9]), STRING, {"keys_int64s": [4, 1], "values_strings": ["a", "b"], "default_string": "?"}),
    ("LabelEncoder", np.array(4), STRING, {"keys_int64s": [4, 1], "values_strings": ["a", "b"]}),
    ("LabelEncoder", np.array([1, 4, 2**50]), INT64, {"keys_int64s": [4, 2**50], "values_int64s": [-3, 2]}),
    ("LabelEncoder", np.array([0.5, 7, 2], np.float32), INT64, {"keys_floats": [2.0, 0.5], "values_int64s": [3, 4]}),
    ("LabelEncoder", np.array([0.5, -1, 2], np.float32), FLOAT, {"keys_floats": [2.0, 0.5], "values_floats": [3.5, 4.5]}),
    ("CategoryMapper", WORDS, INT64, {"cats_strings": ["ash", "elm"], "cats_int64s": [4, 9], "default_int64": -2}),
    ("CategoryMapper", np.array([4, 5, 9]), STRING, {"cats_strings": ["ash", "elm"], "cats_int64s": [4, 9], "default_string": "none"}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "x", "output", "attributes"), ONE_OUTPUT)
def test_one_output_agrees(op: str, x: Any, output: int, attributes: dict[str, Any]) -> None:
    agree(node_model(op, {"x": x}, [output], version=2, **attributes), {"x": x})


def test_features_are_joined_and_picked() -> None:
    a, b = X[:, :2], X[:, 1:]
    agree(node_model("FeatureVectorizer", {"a": a, "b": b}, [FLOAT], inputdimensions=[2, 3]), {"a": a, "b": b})
    for x in (X, X[0], np.arange(24.0).reshape(2, 3, 4), np.arange(4)):
        for y in (np.array([2, 0, 0]), np.array([[3], [1]])):
            agree(node_model("ArrayFeatureExtractor", {"x": x, "y": y}, [element_type(x)]), {"x": x, "y": y})


@pytest.mark.parametrize("kind", ["i64", "f64", "texts"])
def test_label_encoder_of_tensors(kind: str) -> None:
    of_kind: dict[str, tuple[Any, Any, Any]] = {
        "i64": (np.array([3, 9]), np.array([0.5, 7], np.float32), np.array([1.5], np.float32)),
        "f64": (np.array([0.25, np.nan]), np.array([4, 5], np.int64), np.array([-9], np.int64)),
        "texts": (np.array(["elm", "ash"], object), np.array([8, 3], np.int16), np.array([1], np.int16)),
    }
    keys, values, other = of_kind[kind]
    x = {"i64": np.array([[9, 3, 4]]), "f64": np.array([np.nan, 0.25, 1]), "texts": WORDS}[kind]
    tensors = {
        "keys_tensor": numpy_helper.from_array(keys),
        "values_tensor": numpy_helper.from_array(values),
        "default_tensor": numpy_helper.from_array(other),
    }
    agree(node_model("LabelEncoder", {"x": x}, [element_type(values)], version=4, **tensors), {"x": x})


# -- linear models and support vectors ------------------------------------------------------------------------------------

POSTS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


@pytest.mark.parametrize("post", POSTS)
@pytest.mark.parametrize("labels", [[5, -7, 9], ["a", "b", "c"]])
def test_linear_classifier(post: str, labels: list[Any]) -> None:
    small = np.abs(X) / 9  # so that scores are probabilities, as PROBIT wants them
    kind = {"classlabels_ints": labels} if isinstance(labels[0], int) else {"classlabels_strings": labels}
    w = np.abs(R.standard_normal(12)).tolist()
    outputs = [INT64 if isinstance(labels[0], int) else STRING, FLOAT]
    model = node_model(
        "LinearClassifier",
        {"x": small},
        outputs,
        coefficients=w,
        intercepts=[0.1, 0.2, 0.05],
        post_transform=post,
        **kind,
    )
    agree(model, {"x": small}, 3e-6)


@pytest.mark.parametrize("post", POSTS[:4])
def test_linear_classifier_of_one_score(post: str) -> None:
    model = node_model(
        "LinearClassifier",
        {"x": X},
        [INT64, FLOAT],
        coefficients=[0.5, -1, 2, 0.1],
        intercepts=[0.1],
        post_transform=post,
        classlabels_ints=[4, 8],
    )
    agree(model, {"x": X})


@pytest.mark.parametrize("targets", [1, 3])
def test_linear_regressor(targets: int) -> None:
    w = R.standard_normal(4 * targets).tolist()
    for more in ({}, {"intercepts": [0.5, 1.0, 2.0][:targets]}):
        agree(node_model("LinearRegressor", {"x": X}, [FLOAT], coefficients=w, targets=targets, **more), {"x": X})


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("probable", [False, True])
def test_svm_classifier(kernel: str, classes: int, probable: bool) -> None:
    r = np.random.default_rng(classes)
    per_class = r.integers(1, 4, classes).tolist()
    count, pairs = sum(per_class), classes * (classes - 1) // 2
    named = {
        "kernel_type": kernel, "kernel_params": [0.3, 0.2, 3.0], "vectors_per_class": per_class, "rho": r.standard_normal(pairs).tolist(),
        "support_vectors": r.standard_normal(4 * count).tolist(), "coefficients": r.standard_normal((classes - 1) * count).tolist(),
    }  # fmt: skip
    if probable:
        named |= {
            "prob_a": (-np.abs(r.standard_normal(pairs)) - 0.5).tolist(),
            "prob_b": r.standard_normal(pairs).tolist(),
        }
    for post in ("NONE", "LOGISTIC", "SOFTMAX"):
        model = node_model(
            "SVMClassifier",
            {"x": X},
            [INT64, FLOAT],
            classlabels_ints=list(range(3, 3 + classes)),
            post_transform=post,
            **named,
        )
        agree(model, {"x": X}, 2e-6)
    texts = node_model(
        "SVMClassifier", {"x": X}, [STRING, FLOAT], classlabels_strings=[f"c{i}" for i in range(classes)], **named
    )
    agree(texts, {"x": X}, 2e-6)


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("one_class", [0, 1])
def test_svm_regressor(kernel: str, one_class: int) -> None:
    r = np.random.default_rng(4)
    named = {
        "kernel_type": kernel,
        "kernel_params": [0.3, 0.2, 2.0],
        "rho": [0.4],
        "n_supports": 6,
        "one_class": one_class,
    }
    named |= {"support_vectors": r.standard_normal(24).tolist(), "coefficients": r.standard_normal(6).tolist()}
    agree(node_model("SVMRegressor", {"x": X}, [FLOAT], **named), {"x": X}, 2e-6)


# -- trees ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_random_regressors_agree(seed: int) -> None:
    r = np.random.default_rng(seed)
    targets, features = int(r.integers(1, 4)), int(r.integers(1, 6))
    dtype = (np.float32, np.float64)[seed // 2 % 2]
    a = old_forest(r, trees=int(r.integers(1, 20)), features=features, targets=targets, prefix="target")
    how, post = (
        ("SUM", "AVERAGE", "MIN", "MAX")[seed % 4],
        "NONE" if targets == 1 else ("NONE", "SOFTMAX", "LOGISTIC")[seed % 3],
    )
    a |= {"n_targets": targets, "aggregate_function": how, "post_transform": post}
    if seed % 2:
        a["base_values"] = r.standard_normal(targets).tolist()
    if dtype is np.float64:  # whose splits and weights are so, too
        for name in ("nodes_values", "target_weights", *(["base_values"] if seed % 2 else [])):
            a[f"{name}_as_tensor"] = helper.make_tensor(name, TensorProto.DOUBLE, [len(a[name])], a.pop(name))
    for count in (1, 2, 5, 80):
        x = rows(r, count, features, dtype)
        agree(node_model("TreeEnsembleRegressor", {"x": x}, [FLOAT], **a), {"x": x}, 2e-6)


@pytest.mark.parametrize("seed", range(12))
def test_random_classifiers_agree(seed: int) -> None:
    r = np.random.default_rng(100 + seed)
    classes = (3, 2, 5)[seed % 3]
    per_leaf = 1 if classes == 2 else (classes, 1, 2)[seed % 2]
    kind = "positive" if seed % 2 else "any"
    a = old_forest(
        r,
        trees=int(r.integers(1, 20)),
        features=4,
        targets=1 if classes == 2 else classes,
        prefix="class",
        per_leaf=per_leaf,
        weights=kind,
    )
    if classes == 2 and seed % 4 == 1:
        a["class_ids"] = [1] * len(a["class_ids"])
    posts = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
    texts = [f"c{i}" for i in range(classes)]
    labels = (
        {"classlabels_strings": texts} if seed % 4 == 0 else {"classlabels_int64s": list(range(9, 9 - classes, -1))}
    )
    for count in (1, 3, 50):
        x = rows(r, count, 4, np.float32)
        outputs = [STRING if seed % 4 == 0 else INT64, FLOAT]
        agree(
            node_model("TreeEnsembleClassifier", {"x": x}, outputs, post_transform=posts[seed % 4], **labels, **a),
            {"x": x},
            2e-6,
        )


@pytest.mark.parametrize("seed", range(10))
def test_random_tree_ensembles_agree(seed: int) -> None:
    r = np.random.default_rng(200 + seed)
    dtype = (np.float32, np.float64)[seed % 2]
    targets = int(r.integers(1, 4))
    a = new_forest(r, trees=int(r.integers(1, 15)), features=5, targets=targets, dtype=dtype)
    a |= {"n_targets": targets, "aggregate_function": seed % 4, "post_transform": 0}
    for count in (1, 2, 60):
        x = rows(r, count, 5, dtype)
        agree(
            node_model(
                "TreeEnsemble", {"x": x}, [TensorProto.FLOAT if seed % 2 == 0 else TensorProto.DOUBLE], version=5, **a
            ),
            {"x": x},
            2e-6,
        )


@pytest.mark.parametrize("seed", range(8))
def test_subtrees_may_be_shared(seed: int) -> None:
    """Inner nodes lead to any node behind them, and several lead to one, as converters of categories write it."""
    r = np.random.default_rng(300 + seed)
    inner, leaves, trees = int(r.integers(1, 30)), int(r.integers(1, 5)), int(r.integers(1, 4))
    of_nodes = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    a: dict[str, Any] = {f"nodes_{name}": [] for name in of_nodes}
    a |= {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")} | {"n_targets": 1}
    for tree in range(trees):
        ids = r.permutation(inner + leaves).tolist()
        for at, own in enumerate(ids):
            is_leaf = at >= inner
            # The nearest node behind is always met: none is out of reach.
            yes, no = (0, 0) if is_leaf else (ids[at + 1], ids[int(r.integers(at + 1, min(at + 6, len(ids))))])
            if r.integers(2):
                yes, no = no, yes
            mode = "LEAF" if is_leaf else str(r.choice(["BRANCH_EQ", "BRANCH_LEQ"]))
            row = (tree, own, int(r.integers(4)), mode, float(r.integers(3)), yes, no)
            for name, value in zip(of_nodes, row, strict=True):
                a[f"nodes_{name}"].append(value)
            if is_leaf:
                for name, value in (
                    ("treeids", tree),
                    ("nodeids", own),
                    ("ids", 0),
                    ("weights", float(r.integers(100))),
                ):
                    a[f"target_{name}"].append(value)
    for count in (1, 5, 40):
        x = r.integers(0, 4, (count, 4)).astype(np.float32)
        y = anydim.InferenceSession(node_model("TreeEnsembleRegressor", {"x": x}, [FLOAT], **a)).run(None, {"x": x})[0]
        np.testing.assert_array_equal(y[:, 0], [walked(a, row) for row in x])


def walked(a: dict[str, Any], x: np.ndarray) -> float:
    """The sum over trees, by walking each from its first node."""
    at = {key: i for i, key in enumerate(zip(a["nodes_treeids"], a["nodes_nodeids"], strict=True))}
    weights = dict(zip(zip(a["target_treeids"], a["target_nodeids"], strict=True), a["target_weights"], strict=True))
    total = 0.0
    for tree in sorted(set(a["nodes_treeids"])):
        i = a["nodes_treeids"].index(tree)
        while a["nodes_modes"][i] != "LEAF":
            feature, split = x[a["nodes_featureids"][i]], a["nodes_values"][i]
            holds = feature == split if a["nodes_modes"][i] == "BRANCH_EQ" else feature <= split
            i = at[tree, a["nodes_truenodeids" if holds else "nodes_falsenodeids"][i]]
        total += weights[tree, a["nodes_nodeids"][i]]
    return total


def test_two_classes_with_weights_of_both_are_ranked() -> None:
    """ONNX Runtime gives 0 and 1 there, which are no labels."""
    a = old_forest(np.random.default_rng(3), trees=5, features=4, targets=2, prefix="class", weights="positive")
    label, scores = anydim.InferenceSession(
        node_model("TreeEnsembleClassifier", {"x": X}, [INT64, FLOAT], classlabels_int64s=[5, 7], **a)
    ).run(None, {"x": X})
    np.testing.assert_array_equal(label, np.array([5, 7])[scores.argmax(1)])


def test_a_class_without_a_weight_on_the_way_is_ranked_by_its_score_of_0_where_there_are_two() -> None:
    """Decision 134: of two classes as onnx's reference has it; of three and more it is not the largest, as in ONNX Runtime."""
    x = np.arange(8, dtype=np.float32)[:, None]
    weights = [
        [(0, -0.75)],
        [(1, 0.25)],
        [(0, 0.5)],
        [(1, -0.5)],
        [(0, -0.2), (1, -0.3)],
        [(0, -0.3), (1, -0.2)],
        [(1, -0.1)],
        [(0, 0.3)],
    ]
    inner, leaves = range(7), range(7, 15)
    a: dict[str, Any] = {
        "nodes_treeids": [0] * 15, "nodes_nodeids": [*inner, *leaves], "nodes_featureids": [0] * 15,
        "nodes_modes": ["BRANCH_LEQ"] * 7 + ["LEAF"] * 8, "nodes_values": [*map(float, inner), *[0.0] * 8],
        "nodes_truenodeids": [7 + i for i in inner] + [0] * 8, "nodes_falsenodeids": [1, 2, 3, 4, 5, 6, 14] + [0] * 8,
    }  # fmt: skip
    named = [(leaf, target, w) for leaf, own in zip(leaves, weights, strict=True) for target, w in own]
    a["class_treeids"] = [0] * len(named)
    a |= {
        f"class_{what}": list(column)
        for what, column in zip(("nodeids", "ids", "weights"), zip(*named, strict=True), strict=True)
    }
    for post in ("NONE", "LOGISTIC", "SOFTMAX"):
        model = node_model(
            "TreeEnsembleClassifier", {"x": x}, [INT64, FLOAT], classlabels_int64s=[6, 2], post_transform=post, **a
        )
        label, scores = anydim.InferenceSession(model).run(None, {"x": x})
        np.testing.assert_array_equal(label, [2, 2, 6, 6, 6, 2, 6, 6])
        np.testing.assert_array_equal(label, np.array([6, 2])[scores.argmax(1)])
        expected, _ = ReferenceEvaluator(onnx.load_from_string(model)).run(None, {"x": x})
        np.testing.assert_array_equal(label, expected)
    three = node_model("TreeEnsembleClassifier", {"x": x[:6]}, [INT64, FLOAT], classlabels_int64s=[6, 2, 9], **a)
    label, _ = agree(three, {"x": x[:6]})
    assert label[0] == 6  # its score is -0.75, the others' 0


# A tree whose nodes 0 and 1 are inner ones.
TREE: dict[str, Any] = {
    "nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [0, 1, 0, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"], "nodes_values": [0.0, 0.5, 0, 0, 0],
    "nodes_truenodeids": [1, 3, 0, 0, 0], "nodes_falsenodeids": [2, 4, 0, 0, 0], "target_treeids": [0] * 3, "target_nodeids": [2, 3, 4],
    "target_ids": [0] * 3, "target_weights": [1.0, 2.0, 3.0], "n_targets": 1,
}  # fmt: skip
NO_TREES: list[tuple[dict[str, Any], str]] = [
    ({"nodes_truenodeids": [0, 3, 0, 0, 0]}, "node 0 of tree 0 is its own descendant"),
    ({"nodes_truenodeids": [1, 0, 0, 0, 0]}, "node 0 of tree 0 is its own descendant"),
    ({"nodes_truenodeids": [1, 1, 0, 0, 0]}, "node 1 of tree 0 is its own descendant"),
    ({"nodes_truenodeids": [1, 9, 0, 0, 0]}, "node 1 of tree 0 leads to node 9, which is not there"),
    ({"nodes_falsenodeids": [-1, 4, 0, 0, 0]}, "node 0 of tree 0 leads to node -1, which is not there"),
    ({"nodes_nodeids": [0, 1, 2, 3, 3]}, "node 3 of tree 0 is there twice"),
    ({"nodes_treeids": [0, 1, 0, 0, 0], "nodes_modes": ["LEAF"] * 5}, "the nodes of tree 0 do not stand together"),
    ({"nodes_featureids": [0, 4, 0, 0, 0]}, "a node has feature 4; there are 4"),
    ({"nodes_featureids": [-1, 1, 0, 0, 0]}, "has feature -1"),
    ({"nodes_featureids": [2**40, 1, 0, 0, 0]}, "has feature 1099511627776"),
    ({"nodes_modes": ["BRANCH_LEQ", "BRANCH_X", "LEAF", "LEAF", "LEAF"]}, "node 1 of tree 0 has mode 'BRANCH_X'"),
    ({"nodes_values": [0.0]}, "nodes_values has 1 entries; nodes_nodeids has 5"),
    ({"target_nodeids": [2, 3, 7]}, "a weight is of node 7 of tree 0, which is not there"),
    ({"target_ids": [0, 0, 1]}, "a weight is of target 1; there are 1"),
    ({"target_ids": [0, 0, -1]}, "a weight is of target -1; there are 1"),
    ({"target_weights": [1.0]}, "1 weights with 3 trees"),
    ({"base_values": [1.0, 2.0]}, "base_values has 2 entries; expected one for each of 1 targets"),
    ({"n_targets": 0}, "n_targets is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "says"), NO_TREES, ids=[says for _, says in NO_TREES])
def test_what_is_no_tree_is_refused_when_it_is_loaded(damage: dict[str, Any], says: str) -> None:
    with pytest.raises(anydim.Error, match=says):
        anydim.InferenceSession(node_model("TreeEnsembleRegressor", {"x": X}, [FLOAT], **{**TREE, **damage}))


def test_a_deep_tree_neither_overflows_a_stack_nor_takes_long() -> None:
    count = 100_000
    ids = list(range(2 * count + 1))
    a = dict(TREE)
    a |= {
        "nodes_treeids": [0] * len(ids), "nodes_nodeids": ids, "nodes_featureids": [0] * len(ids),
        "nodes_modes": ["BRANCH_LT"] * count + ["LEAF"] * (count + 1), "nodes_values": [float(i) for i in range(count)] + [0.0] * (count + 1),
        "nodes_truenodeids": [count + i for i in range(count)] + [0] * (count + 1),
        "nodes_falsenodeids": [*range(1, count), 2 * count] + [0] * (count + 1), "target_treeids": [0] * (count + 1),
        "target_nodeids": ids[count:], "target_ids": [0] * (count + 1), "target_weights": [float(i) for i in range(count + 1)],
    }  # fmt: skip
    x = np.array([[-1.0], [17.5], [1e9]], np.float32)
    (y,) = anydim.InferenceSession(node_model("TreeEnsembleRegressor", {"x": x}, [FLOAT], **a)).run(None, {"x": x})
    assert y.tolist() == [[0.0], [18.0], [float(count)]]


# -- strings and maps at the border ---------------------------------------------------------------------------------------


def test_maps_are_given_as_onnxruntime_gives_them() -> None:
    for labels in ({"classlabels_int64s": [4, 1, 9]}, {"classlabels_strings": ["b", "a", 'ü\n"c"']}):
        key = INT64 if "classlabels_int64s" in labels else STRING
        node = helper.make_node("ZipMap", ["x"], ["maps"], domain=DOMAIN, **labels)
        x = X[:, :3].copy()
        info = helper.make_tensor_value_info("x", FLOAT, ["n", 3])
        model = whole_model([node], [info], [maps_info("maps", key)], 1)
        agree(model, {"x": x})
        session, theirs = (
            anydim.InferenceSession(model),
            onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]),
        )
        assert session.get_outputs()[0].type == theirs.get_outputs()[0].type
        assert "anydim.border" not in session.get_modelmeta().custom_metadata_map
        with pytest.raises(anydim.Error, match="cannot be bound"):
            session.io_binding().bind_output("maps")


def _strings(nodes: list[Any], outputs: list[Any], *initializers: Any) -> bytes:
    info = helper.make_tensor_value_info("x", STRING, ["n", 2])
    made: bytes = whole_model(nodes, [info], outputs, 3, initializers, opset=19)
    return made


def test_strings_are_moved_compared_and_chosen() -> None:
    known = numpy_helper.from_array(np.array(["ash", "fig"], object), "known")
    nodes = [
        helper.make_node("Equal", ["x", "known"], ["same"]),
        helper.make_node("Cast", ["same"], ["index"], to=INT64),
        helper.make_node("Transpose", ["index"], ["turned"]),
        helper.make_node("ArrayFeatureExtractor", ["known", "turned"], ["picked"], domain=DOMAIN),
        helper.make_node("Concat", ["picked", "picked"], ["twice"], axis=1),
    ]
    outputs = [
        helper.make_tensor_value_info("same", TensorProto.BOOL, None),
        helper.make_tensor_value_info("twice", STRING, None),
    ]
    agree(_strings(nodes, outputs, known), {"x": WORDS})


@pytest.mark.parametrize(
    ("nodes", "output", "says"),
    [
        ([helper.make_node("Equal", ["x", "n"], ["y"])], TensorProto.BOOL, "compares strings with numbers"),
        ([helper.make_node("Unique", ["x"], ["y"])], STRING, "holds strings; expected numbers"),
        ([helper.make_node("LabelEncoder", ["x"], ["y"], domain=DOMAIN, keys_strings=["a"], values_strings=["b"])], INT64,
         "declared with element type string"),
    ],
)  # fmt: skip
def test_what_strings_cannot_do_is_refused(nodes: list[Any], output: int, says: str) -> None:
    with pytest.raises(anydim.Error, match=says):
        number = numpy_helper.from_array(np.array(1), "n")
        anydim.InferenceSession(_strings(nodes, [helper.make_tensor_value_info("y", output, None)], number))


def test_feeds_that_are_no_strings_are_refused() -> None:
    node = helper.make_node("LabelEncoder", ["x"], ["y"], domain=DOMAIN, keys_strings=["a"], values_int64s=[1])
    session = anydim.InferenceSession(_strings([node], [helper.make_tensor_value_info("y", INT64, None)]))
    for feed in (np.zeros((1, 2)), np.array([["a", 3]], object)):
        with pytest.raises(anydim.InvalidArgumentError, match="input 'x'"):
            session.run(None, {"x": feed})
    assert session.run(None, {"x": np.array([["a", "b"]])})[0].tolist() == [[1, -1]]
    assert session.run(None, {"x": [["a", "b"]]})[0].tolist() == [[1, -1]]


def test_categories_that_are_not_known_fail_the_run_where_the_model_says_so() -> None:
    x = np.array([["ash", "elm"]], object)
    session = anydim.InferenceSession(
        node_model("OneHotEncoder", {"x": x}, [FLOAT], cats_strings=["ash", "elm"], zeros=0)
    )
    assert session.run(None, {"x": x})[0].tolist() == [[[1, 0], [0, 1]]]
    with pytest.raises(anydim.Error, match="index"):
        session.run(None, {"x": np.array([["ash", "oak"]], object)})


def test_all_that_is_missing_is_listed_at_once() -> None:
    nodes = [
        helper.make_node("StringMapper", ["x"], ["a"], domain="ai.onnx.contrib"),
        helper.make_node("WordConvEmbedding", ["a"], ["b"], domain="com.microsoft"),
        helper.make_node("ImageDecoder", ["b"], ["y"]),
        helper.make_node("FlexAttention", ["x", "x", "x"], ["z"], domain="ai.onnx.preview"),
    ]
    with pytest.raises(anydim.UnimplementedError) as refused:
        outputs = [helper.make_tensor_value_info(name, FLOAT, None) for name in "yz"]
        anydim.InferenceSession(_strings(nodes, outputs))
    for name in (
        "ai.onnx.contrib.StringMapper",
        "com.microsoft.WordConvEmbedding",
        "ImageDecoder",
        "ai.onnx.preview.FlexAttention",
    ):
        assert name in str(refused.value)
