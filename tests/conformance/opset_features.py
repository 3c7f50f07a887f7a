# SPDX-License-Identifier: Apache-2.0
"""Rows of opset_table.py's kind of ai.onnx.ml: scalers, encoders, linear models, support vectors and trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper
from opset_cases import Array, Case
from opset_inputs import f, i

DOMAIN = "ai.onnx.ml"
NUMBERS: tuple[Any, ...] = (np.float32, np.float64, np.int32, np.int64)
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def rows() -> Iterator[Case]:
    yield from features()
    yield from encoders()
    yield from linear()
    yield from vectors()
    yield from trees()
    yield from ensembles()


TEXTS = helper.make_tensor_type_proto(onnx.TensorProto.STRING, None)


def maps(key: int) -> onnx.TypeProto:
    value = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [])
    return helper.make_sequence_type_proto(helper.make_map_type_proto(key, value))


def ml(operator: str, inputs: Sequence[Array], *constants: Array, outputs: int = 1, since: int = 1, until: int = 5,
       declared: onnx.TypeProto | None = None, expected: Any = None, **attributes: Any) -> Case:  # fmt: skip
    if declared is None and not {"classlabels_strings", "values_strings", "default_string"}.isdisjoint(attributes):
        declared = TEXTS
    return Case(
        operator, inputs, constants, attributes, outputs, since, until, 1e-5, expected, DOMAIN, declared=declared
    )


def labels(name: str, numbers: list[int]) -> list[dict[str, Any]]:
    return [{name: numbers}, {"classlabels_strings": ["p", "q", "r"]}]


def texts(*values: Any) -> Array:
    return np.array(values, object)


def features() -> Iterator[Case]:
    for kind in NUMBERS:
        x = (f(4, 5) * 4).astype(kind)
        for offset, scale in (([0.5], [2.0]), ([0.5, 1.0, -2.0, 0.0, 3.0], [2.0, 0.5, 1.0, -1.0, 0.25])):
            yield ml("Scaler", [x], offset=offset, scale=scale)
        for norm in (None, "MAX", "L1", "L2"):
            yield ml("Normalizer", [x], norm=norm)
            yield ml("Normalizer", [np.zeros((2, 3), kind)], norm=norm)
        for threshold in (None, 0.0, 1.5, -3.0):
            yield ml("Binarizer", [x], threshold=threshold)
        yield ml("Binarizer", [x[0]], threshold=1.0)
        for at in (i(0), i(3, 1), i(2, 2, 4), i([1, 0])):
            yield ml("ArrayFeatureExtractor", [x], at)
            yield ml("ArrayFeatureExtractor", [x[0]], at)
        for sizes in ([5, 2], [3, 1], [7, 4]):
            yield ml("FeatureVectorizer", [x, x[:, :2].copy()], inputdimensions=sizes)
        yield ml("FeatureVectorizer", [x], inputdimensions=[5])
    with_gaps = f(4, 3)
    with_gaps[1, 0] = with_gaps[2, 2] = np.nan
    for values in ([1.5], [1.5, -2.0, 3.0]):
        for kind in (np.float32, np.float64):
            yield ml("Imputer", [with_gaps.astype(kind)], imputed_value_floats=values, replaced_value_float=np.nan)
            yield ml("Imputer", [with_gaps.astype(kind)], imputed_value_floats=values, replaced_value_float=0.25)
            yield ml("Imputer", [with_gaps.astype(kind)], imputed_value_floats=values)
    for numbers in ([7], [7, -2, 3]):
        yield ml("Imputer", [i([1, 2, 3], [2, 2, 0])], imputed_value_int64s=numbers, replaced_value_int64=2)
        yield ml("Imputer", [i([1, 2, 3], [2, 2, 0])], imputed_value_int64s=numbers)


def encoders() -> Iterator[Case]:
    words, few = texts("b", "a", "zz", "c", ""), ["a", "b", "c"]
    numbers, many = i(3, 1, 9, 2, -1), [1, 2, 3]
    for shape in ((5,), (5, 1), (1, 5)):
        w, n = words.reshape(shape), numbers.reshape(shape)
        for default in (None, 7):
            yield ml("CategoryMapper", [w], cats_strings=few, cats_int64s=many, default_int64=default)
            yield ml("LabelEncoder", [w], classes_strings=few, default_int64=default, until=1)
        for other in (None, "none"):
            yield ml("CategoryMapper", [n], cats_strings=few, cats_int64s=many, default_string=other)
            if other is not None:
                places = i(2, 0, 1, 3, -1).reshape(shape)
                yield ml("LabelEncoder", [places], classes_strings=few, default_string=other, until=1)
        reals = n.astype(np.float32)
        lists: dict[str, Any] = {"strings": few, "int64s": many, "floats": [1.0, 2.0, 3.0]}
        defaults: dict[str, Any] = {"strings": "other", "int64s": -7, "floats": 0.5}
        for (keys, x), values in itertools.product((("strings", w), ("int64s", n), ("floats", reals)), lists):
            if keys == values == "strings":
                continue  # texts that a run gives cannot come out (decision 075)
            named: dict[str, Any] = {f"keys_{keys}": lists[keys], f"values_{values}": lists[values]}
            yield ml("LabelEncoder", [x], since=2, **named)
            yield ml("LabelEncoder", [x], since=2, **named, **{f"default_{values[:-1]}": defaults[values]})
        for kind, out in itertools.product((np.float32, np.float64, np.int64, np.int32, np.int16), repeat=2):
            tensors = [
                onnx.numpy_helper.from_array(np.array(v).astype(t))
                for v, t in ((many, kind), ([10, 20, 30], out), ([-3], out))
            ]
            keyed = dict(zip(("keys_tensor", "values_tensor", "default_tensor"), tensors, strict=True))
            yield ml("LabelEncoder", [n.astype(kind)], since=4, **keyed)
        for zeros in (None, 1):
            yield ml("OneHotEncoder", [w], cats_strings=few, zeros=zeros)
            for kind in NUMBERS:
                yield ml("OneHotEncoder", [n.astype(kind)], cats_int64s=many, zeros=zeros)
        yield ml("OneHotEncoder", [i(3, 1, 2, 2, 1).reshape(shape)], cats_int64s=many, zeros=0)
    # The text compares bits, so that a NaN has a value; the oracles compare numbers.
    nan = i(np.nan, 1, 2, dtype=np.float32)
    yield ml(
        "LabelEncoder",
        [nan],
        keys_floats=[1.0, np.nan],
        values_int64s=[4, 5],
        default_int64=-3,
        since=2,
        expected=[i(5, 4, -3)],
    )
    for scores in (f(4, 3), f(1, 3)):
        yield ml("ZipMap", [scores], classlabels_int64s=[4, 7, -1], declared=maps(onnx.TensorProto.INT64))
        yield ml("ZipMap", [scores], classlabels_strings=["x", "y", "z"], declared=maps(onnx.TensorProto.STRING))


def linear() -> Iterator[Case]:
    """ONNX Runtime gives all numbers that are no float32 back as they came, against the text, and needs intercepts."""
    for kind in NUMBERS:
        x = (f(5, 4) * 2).astype(kind)
        w, one = f(3, 4, seed=1), f(1, 4, seed=2)
        for shift in (None, [0.25, -0.5, 1.0]):
            scores = x.astype(np.float64) @ w.T.astype(np.float64) + (0.0 if shift is None else shift)
            named: dict[str, Any] = {"coefficients": w.ravel().tolist(), "intercepts": shift}
            yield ml("LinearRegressor", [x], targets=3, expected=[scores.astype(np.float32)], **named)
            best = scores.argmax(1)
            yield ml("LinearClassifier", [x], outputs=2, classlabels_ints=[2, 0, 5], **named,
                     expected=[i(2, 0, 5)[best], scores.astype(np.float32)])  # fmt: skip
            yield ml("LinearClassifier", [x], outputs=2, classlabels_strings=["p", "q", "r"], **named,
                     expected=[texts("p", "q", "r")[best], scores.astype(np.float32)])  # fmt: skip
        for several, transform in itertools.product((None, 0, 1), TRANSFORMS[:4]):
            named = {
                "coefficients": w.ravel().tolist(),
                "intercepts": [0.25, -0.5, 1.0],
                "post_transform": transform,
                "multi_class": several,
            }
            yield ml("LinearClassifier", [x], outputs=2, classlabels_ints=[2, 0, 5], **named)
            yield ml("LinearClassifier", [x], outputs=2, classlabels_strings=["p", "q", "r"], **named)
        for transform in TRANSFORMS[:4]:
            two: dict[str, Any] = {
                "coefficients": f(8, seed=3).tolist(),
                "intercepts": [0.5, -0.5],
                "post_transform": transform,
            }
            yield ml("LinearClassifier", [x], outputs=2, classlabels_ints=[0, 1], **two)
            # One row of coefficients for two classes.
            alone: dict[str, Any] = {
                "coefficients": one.ravel().tolist(),
                "intercepts": [0.5],
                "post_transform": transform,
            }
            yield ml("LinearClassifier", [x], outputs=2, classlabels_ints=[0, 1], **alone)
        summed = x.astype(np.float64) @ one.T.astype(np.float64)
        yield ml("LinearRegressor", [x], coefficients=one.ravel().tolist(), expected=[summed.astype(np.float32)])
    for transform in TRANSFORMS[1:4]:
        named = {"coefficients": w.ravel().tolist(), "intercepts": [0.25, -0.5, 1.0], "post_transform": transform}
        yield ml("LinearRegressor", [f(5, 4)], targets=3, **named)


def vectors() -> Iterator[Case]:
    x, held = f(6, 3), f(5, 3, seed=4)
    kernels = {"LINEAR": [0.0, 0.0, 0.0], "POLY": [0.5, 1.0, 2.0], "RBF": [0.3, 0.0, 0.0], "SIGMOID": [0.2, 0.5, 0.0]}
    for kernel, parameters in kernels.items():
        for one in (None, 0, 1):
            yield ml("SVMRegressor", [x], kernel_type=kernel, kernel_params=parameters, n_supports=5, rho=[0.25], one_class=one,
                     support_vectors=held.ravel().tolist(), coefficients=f(5, seed=5).tolist())  # fmt: skip
        for label in labels("classlabels_ints", [3, 1, 8]):
            named: dict[str, Any] = {"kernel_type": kernel, "kernel_params": parameters, "vectors_per_class": [2, 1, 2],
                     "support_vectors": held.ravel().tolist(), "coefficients": f(10, seed=6).tolist(), "rho": [0.25, -0.5, 0.1]}  # fmt: skip
            yield ml("SVMClassifier", [x], outputs=2, **named, **label)
            yield ml(
                "SVMClassifier", [x], outputs=2, prob_a=[-1.0, -0.5, -2.0], prob_b=[0.1, 0.0, -0.2], **named, **label
            )
        two: dict[str, Any] = {"kernel_type": kernel, "kernel_params": parameters, "vectors_per_class": [3, 2],
               "support_vectors": held.ravel().tolist(),
               "coefficients": f(5, seed=7).tolist(), "rho": [0.25], "classlabels_ints": [0, 1]}  # fmt: skip
        yield ml("SVMClassifier", [x], outputs=2, **two)
        yield ml("SVMClassifier", [x], outputs=2, prob_a=[-1.0], prob_b=[0.1], **two)
    yield ml("SVMRegressor", [x], kernel_type="LINEAR", rho=[0.25], coefficients=[0.5, -1.0, 2.0])
    # Without support vectors it is linear: ONNX Runtime asks for kernel parameters, and the reference always gives the second class.
    w = f(3, 3, seed=8)
    scores = x @ w.T + np.float32(0.25)
    yield ml("SVMClassifier", [x], outputs=2, kernel_type="LINEAR", rho=[0.25], coefficients=w.ravel().tolist(), classlabels_ints=[0, 1, 2],
             expected=[scores.argmax(1), scores])  # fmt: skip


MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def forest(mode: str, missing: int | None) -> dict[str, Any]:
    """Two trees, of three and of one branch, over three features."""
    return {
        "nodes_treeids": [0] * 7 + [1] * 3,
        "nodes_nodeids": [*range(7), *range(3)],
        "nodes_featureids": [0, 1, 2, 0, 0, 0, 0, 1, 0, 0],
        "nodes_modes": [mode, mode, mode, *["LEAF"] * 4, mode, "LEAF", "LEAF"],
        "nodes_truenodeids": [1, 3, 5, 0, 0, 0, 0, 1, 0, 0],
        "nodes_falsenodeids": [2, 4, 6, 0, 0, 0, 0, 2, 0, 0],
        "nodes_missing_value_tracks_true": None if missing is None else [missing] * 10,
    }


COMPARE: dict[str, Any] = {
    "BRANCH_LEQ": np.less_equal, "BRANCH_LT": np.less, "BRANCH_GTE": np.greater_equal, "BRANCH_GT": np.greater,
    "BRANCH_EQ": np.equal, "BRANCH_NEQ": np.not_equal,
}  # fmt: skip


def walk(x: Array, mode: str, weights: list[float]) -> Array:
    """What `forest` gives for rows without missing values."""
    a, b, c = (COMPARE[mode](x[:, k], split) for k, split in enumerate((0.5, 0.25, 0.75)))
    first = np.where(a, np.where(b, weights[0], weights[1]), np.where(c, weights[2], weights[3]))
    return np.asarray(first + np.where(b, weights[4], weights[5]), np.float32)[:, None]


def asked() -> Array:
    """Values at the thresholds of `forest`, beside them, and missing ones."""
    x = np.array(list(itertools.product((-1.0, 0.5, 1.0), (0.0, 0.25, 2.0), (-0.5, 0.75, 1.5))), np.float32)
    return np.concatenate([x, [[np.nan, 0, 0], [1, np.nan, 1], [0, 1, np.nan]]]).astype(np.float32)


SPLITS = [0.5, 0.25, 0.75, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0]


def as_tensor(values: list[float], kind: Any = np.float64) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(np.array(values, kind))


def trees() -> Iterator[Case]:
    x = asked()
    leaves = {"treeids": [0, 0, 0, 0, 1, 1], "nodeids": [3, 4, 5, 6, 1, 2]}
    weights = [0.5, -1.0, 2.0, 0.25, 1.5, -0.75]
    for mode, missing in itertools.product(MODES, (None, 0, 1)):
        named: dict[str, Any] = forest(mode, missing)
        given: dict[str, Any] = {f"target_{k}": v for k, v in leaves.items()} | {"target_ids": [0] * 6}
        for kind in NUMBERS:
            some = np.nan_to_num(x).astype(kind) if kind in (np.int32, np.int64) else x.astype(kind)
            walked = None if kind in (np.float32, np.float64) else [walk(some, mode, weights)]  # which no oracle takes
            yield ml("TreeEnsembleRegressor", [some], nodes_values=SPLITS, target_weights=weights, n_targets=1, until=4, expected=walked,
                     **named, **given)  # fmt: skip
        wide: dict[str, Any] = {
            "nodes_values_as_tensor": as_tensor(SPLITS),
            "target_weights_as_tensor": as_tensor(weights),
        }
        yield ml(
            "TreeEnsembleRegressor", [x.astype(np.float64)], since=3, until=4, n_targets=1, **wide, **named, **given
        )
    named = forest("BRANCH_LEQ", None) | {"nodes_values": SPLITS}
    for how, base, transform in itertools.product(
        (None, "SUM", "AVERAGE", "MIN", "MAX"), (None, [0.5]), ("NONE", "LOGISTIC", "SOFTMAX")
    ):
        given = {f"target_{k}": v for k, v in leaves.items()} | {
            "target_weights": weights,
            "aggregate_function": how,
            "post_transform": transform,
        }
        yield ml(
            "TreeEnsembleRegressor", [x], base_values=base, n_targets=1, target_ids=[0] * 6, until=4, **named, **given
        )
        if base is None:
            yield ml(
                "TreeEnsembleRegressor", [x], n_targets=2, target_ids=[0, 1, 0, 1, 1, 0], until=4, **named, **given
            )
    for transform, base in itertools.product(
        ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"), (None, [0.5, -0.25, 0.1])
    ):
        for label in labels("classlabels_int64s", [4, 7, 1]):
            given = {f"class_{k}": v for k, v in leaves.items()} | {
                "class_ids": [0, 1, 2, 0, 1, 2],
                "post_transform": transform,
            }
            yield ml(
                "TreeEnsembleClassifier",
                [x],
                outputs=2,
                class_weights=weights,
                base_values=base,
                until=4,
                **label,
                **named,
                **given,
            )
        wide = {"class_weights_as_tensor": as_tensor(weights), "nodes_values_as_tensor": as_tensor(SPLITS)}
        if base is not None:
            wide["base_values_as_tensor"] = as_tensor(base)
        given = {f"class_{k}": v for k, v in leaves.items()} | {
            "class_ids": [0, 1, 2, 0, 1, 2],
            "post_transform": transform,
        }
        yield ml("TreeEnsembleClassifier", [x.astype(np.float64)], outputs=2, since=3, until=4, classlabels_int64s=[4, 7, 1],
                 **wide, **forest("BRANCH_LEQ", None), **given)  # fmt: skip
        # Two classes of which one has weights.
        for sign in (1.0, -1.0, 0.1):
            given = {f"class_{k}": v for k, v in leaves.items()} | {"class_ids": [1] * 6, "post_transform": transform}
            yield ml("TreeEnsembleClassifier", [x], outputs=2, class_weights=[abs(w) * sign for w in weights], classlabels_int64s=[0, 1],
                     until=4, **named, **given)  # fmt: skip


def ensembles() -> Iterator[Case]:
    """Trees as they are from version 5 on: branches and leaves in lists of their own, and sets of members."""
    x = asked()
    for kind, mode, missing in itertools.product((np.float32, np.float64), range(6), (None, 0, 1)):
        branches: dict[str, Any] = {
            "tree_roots": [0, 3], "nodes_featureids": [0, 1, 2, 1], "nodes_splits": as_tensor([0.5, 0.25, 0.75, 0.25], kind),
            "nodes_modes": onnx.numpy_helper.from_array(np.full(4, mode, np.uint8)),
            "nodes_truenodeids": [1, 0, 2, 4], "nodes_trueleafs": [0, 1, 1, 1],
            "nodes_falsenodeids": [2, 1, 3, 5], "nodes_falseleafs": [0, 1, 1, 1],
            "nodes_missing_value_tracks_true": None if missing is None else [missing] * 4,
            "leaf_weights": as_tensor([0.5, -1.0, 2.0, 0.25, 1.5, -0.75], kind),
        }  # fmt: skip
        for how in (0, 1, 2, 3) if mode == 0 else (1,):
            named: dict[str, Any] = {"aggregate_function": how, "post_transform": 0}
            yield ml(
                "TreeEnsemble", [x.astype(kind)], since=5, leaf_targetids=[0] * 6, n_targets=1, **branches, **named
            )
            yield ml(
                "TreeEnsemble",
                [x.astype(kind)],
                since=5,
                leaf_targetids=[0, 1, 0, 1, 1, 0],
                n_targets=2,
                **branches,
                **named,
            )
    # By the text 1 is SOFTMAX and 2 LOGISTIC; ONNX Runtime has them the other way round, and the reference leaves both out.
    some = x[:3].astype(np.float64)
    leaves = np.array([[0.5, 1.5]] * 3)  # all have x0 <= 0.5, x1 <= 0.25, and take leaves 0 and 4
    for then, function in ((1, softmax), (2, lambda s: 1 / (1 + np.exp(-s))), (3, softmax)):
        yield ml("TreeEnsemble", [some], since=5, tree_roots=[0, 3], nodes_featureids=[0, 1, 2, 1],
                 nodes_splits=as_tensor([0.5, 0.25, 0.75, 0.25]), nodes_modes=onnx.numpy_helper.from_array(np.zeros(4, np.uint8)),
                 nodes_truenodeids=[1, 0, 2, 4], nodes_trueleafs=[0, 1, 1, 1], nodes_falsenodeids=[2, 1, 3, 5], nodes_falseleafs=[0, 1, 1, 1],
                 leaf_weights=as_tensor([0.5, -1.0, 2.0, 0.25, 1.5, -0.75]),
                 leaf_targetids=[0, 1, 0, 1, 1, 0], n_targets=2, post_transform=then, expected=[function(leaves)])  # fmt: skip
    members: dict[str, Any] = {
        "tree_roots": [0], "nodes_featureids": [0], "nodes_splits": as_tensor([0.5], np.float32),
        "nodes_modes": onnx.numpy_helper.from_array(np.array([6], np.uint8)), "nodes_truenodeids": [0], "nodes_trueleafs": [1],
        "nodes_falsenodeids": [1], "nodes_falseleafs": [1], "leaf_targetids": [0, 0], "leaf_weights": as_tensor([1.0, 2.0], np.float32),
    }  # fmt: skip
    sets = as_tensor([-1.0, 1.0, np.nan], np.float32)
    yield ml(
        "TreeEnsemble",
        [x],
        since=5,
        n_targets=1,
        post_transform=0,
        aggregate_function=1,
        membership_values=sets,
        **members,
    )


def softmax(scores: Array) -> Array:
    powers = np.exp(scores)
    return np.asarray(powers / powers.sum(1, keepdims=True))


FEATURES: tuple[Case, ...] = tuple(rows())
