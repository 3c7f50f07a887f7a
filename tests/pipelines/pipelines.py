# SPDX-License-Identifier: Apache-2.0
"""scikit-learn pipelines as people build them, and their conversion by skl2onnx: what test_pipelines.py runs on Anydim and on ONNX Runtime.
Each is a name, a function that makes the estimator, and the data it learns from."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
import pandas as pd
import skl2onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn import (
    calibration,
    cluster,
    compose,
    datasets,
    decomposition,
    discriminant_analysis,
    ensemble,
    feature_extraction,
    feature_selection,
    gaussian_process,
    impute,
    linear_model,
    mixture,
    multiclass,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    random_projection,
    svm,
    tree,
)

ROWS, FEATURES = 300, 10
NAMES = np.array(["ash", "birch", "cedar", "elm"])


@dataclass(frozen=True)
class Data:
    """What a pipeline learns from and is asked about: a matrix of float32, or a table with columns of words and of numbers."""

    x: Any
    y: Any
    inputs: list[tuple[str, Any]]

    def feeds(self) -> dict[str, Any]:
        """As ONNX models take it."""
        if self.inputs[0][0] == "text":
            return {"text": np.asarray(self.x, object).reshape(-1, 1)}
        if isinstance(self.x, pd.DataFrame):
            return {
                name: self.x[[name]].to_numpy(np.float32 if _is_number(self.x[name]) else object) for name in self.x
            }
        return {"x": self.x}


def _is_number(column: Any) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))


@cache
def data(kind: str) -> Data:
    """By the name of its kind."""
    classes = {"two": 2, "three": 3, "named": 4, "named_two": 2, "counts": 3}.get(kind, 0)
    if kind in ("table", "comments"):
        return _table(kind == "comments")
    if kind == "texts":
        texts, about = _texts(np.random.default_rng(11), ROWS)
        return Data(texts, np.where(about, "tree", "town"), [("text", StringTensorType([None, 1]))])
    if classes:
        x, y = datasets.make_classification(
            ROWS, FEATURES, n_informative=6, n_classes=classes, class_sep=1.5, random_state=classes
        )
        y = NAMES[y] if kind.startswith("named") else y
    elif kind == "targets":
        x, y = datasets.make_regression(ROWS, FEATURES, n_targets=3, noise=3.0, random_state=1)
    else:
        x, y = datasets.make_regression(ROWS, FEATURES, noise=3.0, random_state=1)
        y = y / np.std(y)
    if kind == "counts":
        x = np.abs(np.round(x * 2))
    x = x.astype(np.float32)
    if kind == "holes":
        x[np.random.default_rng(5).random(x.shape) < 0.1] = np.nan
    return Data(x, y, [("x", FloatTensorType([None, FEATURES]))])


TREES = ["Elm", "ash", "birch", "leaf", "root", "bark", "Éclat", "forest"]
TOWNS = ["Street", "house", "bus", "Bridge", "shop", "straße", "café", "tram"]
BETWEEN = ["the", "a", "of", "and", "is", "x", "in", "very", "42"]


def _texts(r: np.random.Generator, count: int) -> tuple[list[str], Any]:
    """Comments, and whether each is about trees."""
    about = r.random(count) < 0.5
    texts = []
    for trees in about:
        words = [
            str(r.choice(BETWEEN if r.random() < 0.4 else TREES if trees else TOWNS)) for _ in range(r.integers(3, 12))
        ]
        texts.append(str(r.choice([" ", "  ", ", ", ". "])).join(words))
    return texts, about


def _table(comments: bool) -> Data:
    r = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "tree": NAMES[r.integers(0, 4, ROWS)].astype(object),
            "colour": np.array(["red", "green", "blue"])[r.integers(0, 3, ROWS)].astype(object),
            "height": r.normal(10, 3, ROWS).astype(np.float32),
            "age": r.uniform(1, 90, ROWS).astype(np.float32),
        }
    )
    if comments:
        frame["comment"] = np.array(_texts(r, ROWS)[0], object)
    y = ((frame["height"] > 10) & (frame["tree"] != "elm")).to_numpy().astype(np.int64)
    kinds = [(n, FloatTensorType([None, 1]) if _is_number(frame[n]) else StringTensorType([None, 1])) for n in frame]
    return Data(frame, y, kinds)


def _vectors(kind: str = "tfidf", **options: Any) -> Any:
    """A vectoriser whose words both runtimes cut out as scikit-learn does: of ASCII, without boundaries of Unicode."""
    made = {"tfidf": feature_extraction.text.TfidfVectorizer, "counts": feature_extraction.text.CountVectorizer}[kind]
    return made(**({"token_pattern": "[a-zA-Z0-9_]+"} | options))


def _of_text(vectors: Any, final: Any) -> Any:
    """Over a column of texts, as the converter takes it."""
    return pipeline.make_pipeline(vectors, final)


def _columns_with_text(final: Any, vectors: Any) -> Any:
    parts = [
        ("words", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["tree", "colour"]),
        ("numbers", preprocessing.StandardScaler(), ["height", "age"]),
        ("text", vectors, "comment"),
    ]
    return pipeline.make_pipeline(compose.ColumnTransformer(parts, sparse_threshold=0), final)


def _columns(final: Any, *, scaler: Any = None) -> Any:
    encode = preprocessing.OneHotEncoder(handle_unknown="ignore")
    parts = [
        ("words", encode, ["tree", "colour"]),
        ("numbers", scaler or preprocessing.StandardScaler(), ["height", "age"]),
    ]
    return pipeline.make_pipeline(compose.ColumnTransformer(parts), final)


_p = pipeline.make_pipeline
_standard = preprocessing.StandardScaler
_logistic = linear_model.LogisticRegression
Make = Callable[[], Any]

PIPELINES: dict[str, tuple[Make, str]] = {
    # classifiers
    "logistic": (lambda: _p(_standard(), _logistic()), "three"),
    "logistic_two": (lambda: _logistic(), "two"),
    "logistic_named": (lambda: _p(preprocessing.MinMaxScaler(), _logistic()), "named"),
    "logistic_each": (lambda: multiclass.OneVsRestClassifier(_logistic()), "three"),
    "sgd": (lambda: _p(_standard(), linear_model.SGDClassifier(random_state=0)), "three"),
    "sgd_log": (lambda: _p(_standard(), linear_model.SGDClassifier(loss="log_loss", random_state=0)), "named"),
    "perceptron": (lambda: linear_model.Perceptron(random_state=0), "three"),
    "ridge_classifier": (lambda: linear_model.RidgeClassifier(), "three"),
    "tree": (lambda: tree.DecisionTreeClassifier(max_depth=6, random_state=0), "three"),
    "tree_named": (lambda: tree.DecisionTreeClassifier(random_state=0), "named"),
    "forest": (lambda: ensemble.RandomForestClassifier(50, random_state=0), "three"),
    "forest_two": (lambda: ensemble.RandomForestClassifier(50, random_state=0), "two"),
    "forest_named": (lambda: _p(_standard(), ensemble.RandomForestClassifier(30, random_state=0)), "named"),
    "forest_named_two": (lambda: ensemble.RandomForestClassifier(30, random_state=0), "named_two"),
    "extra_trees": (lambda: ensemble.ExtraTreesClassifier(40, random_state=0), "three"),
    "boosting": (lambda: ensemble.GradientBoostingClassifier(n_estimators=30, random_state=0), "three"),
    "boosting_two": (lambda: ensemble.GradientBoostingClassifier(n_estimators=30, random_state=0), "two"),
    "ada_boost": (lambda: ensemble.AdaBoostClassifier(n_estimators=10, random_state=0), "three"),
    "bagging": (lambda: ensemble.BaggingClassifier(_logistic(), 5, random_state=0), "three"),
    "voting": (
        lambda: ensemble.VotingClassifier(
            [("a", _logistic()), ("b", naive_bayes.GaussianNB())], voting="soft", flatten_transform=False
        ),
        "named",
    ),
    "stacking": (
        lambda: ensemble.StackingClassifier(
            [("a", _logistic()), ("b", tree.DecisionTreeClassifier(max_depth=3, random_state=0))]
        ),
        "three",
    ),
    "calibrated": (lambda: calibration.CalibratedClassifierCV(naive_bayes.GaussianNB(), cv=2), "three"),
    "svc": (lambda: _p(_standard(), svm.SVC()), "three"),
    "svc_two": (lambda: _p(_standard(), svm.SVC()), "two"),
    "svc_poly": (lambda: _p(_standard(), svm.SVC(kernel="poly")), "named"),
    "svc_probability": (lambda: _p(_standard(), svm.SVC(probability=True, random_state=0)), "three"),
    "svc_probability_two": (lambda: _p(_standard(), svm.SVC(probability=True, random_state=0)), "named_two"),
    "svc_sigmoid": (lambda: _p(_standard(), svm.SVC(kernel="sigmoid", probability=True, random_state=0)), "named"),
    "nu_svc": (lambda: _p(_standard(), svm.NuSVC(kernel="linear", nu=0.5)), "three"),
    "linear_svc": (
        lambda: _p(_standard(), calibration.CalibratedClassifierCV(svm.LinearSVC(random_state=0), cv=2)),
        "named",
    ),
    "neighbours": (lambda: neighbors.KNeighborsClassifier(5), "three"),
    "neighbours_named": (lambda: _p(_standard(), neighbors.KNeighborsClassifier(7)), "named"),
    "gaussian_bayes": (lambda: naive_bayes.GaussianNB(), "named"),
    "multinomial_bayes": (lambda: naive_bayes.MultinomialNB(), "counts"),
    "bernoulli_bayes": (lambda: _p(preprocessing.Binarizer(threshold=0.5), naive_bayes.BernoulliNB()), "counts"),
    "perceptrons": (
        lambda: _p(_standard(), neural_network.MLPClassifier(hidden_layer_sizes=(16, 8), max_iter=80, random_state=0)),
        "named",
    ),
    "perceptrons_two": (
        lambda: _p(_standard(), neural_network.MLPClassifier(hidden_layer_sizes=(12,), max_iter=80, random_state=0)),
        "two",
    ),
    "linear_discriminant": (lambda: discriminant_analysis.LinearDiscriminantAnalysis(), "three"),
    "quadratic_discriminant": (lambda: discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.1), "named"),
    # regressors
    "linear": (lambda: _p(_standard(), linear_model.LinearRegression()), "numbers"),
    "linear_targets": (lambda: linear_model.LinearRegression(), "targets"),
    "ridge": (lambda: _p(preprocessing.RobustScaler(), linear_model.Ridge()), "numbers"),
    "lasso": (lambda: _p(preprocessing.MaxAbsScaler(), linear_model.Lasso(0.01)), "numbers"),
    "elastic_polynomials": (
        lambda: _p(_standard(), preprocessing.PolynomialFeatures(2), linear_model.ElasticNet(0.01)),
        "numbers",
    ),
    "tree_regressor": (lambda: tree.DecisionTreeRegressor(random_state=0), "numbers"),
    "forest_regressor": (lambda: ensemble.RandomForestRegressor(40, random_state=0), "numbers"),
    "forest_targets": (lambda: ensemble.RandomForestRegressor(20, random_state=0), "targets"),
    "extra_trees_regressor": (lambda: ensemble.ExtraTreesRegressor(40, random_state=0), "numbers"),
    "boosting_regressor": (lambda: ensemble.GradientBoostingRegressor(n_estimators=40, random_state=0), "numbers"),
    "svr": (lambda: _p(_standard(), svm.SVR()), "numbers"),
    "nu_svr": (lambda: _p(_standard(), svm.NuSVR(kernel="poly")), "numbers"),
    "linear_svr": (lambda: _p(_standard(), svm.LinearSVR(random_state=0)), "numbers"),
    "neighbours_regressor": (lambda: neighbors.KNeighborsRegressor(5), "numbers"),
    "perceptrons_regressor": (
        lambda: _p(_standard(), neural_network.MLPRegressor(hidden_layer_sizes=(16,), max_iter=80, random_state=0)),
        "numbers",
    ),
    "gaussian_process": (lambda: _p(_standard(), gaussian_process.GaussianProcessRegressor(alpha=1.0)), "numbers"),
    "poisson": (lambda: _p(_standard(), linear_model.PoissonRegressor()), "counts"),
    "voting_regressor": (
        lambda: ensemble.VotingRegressor(
            [("a", linear_model.LinearRegression()), ("b", tree.DecisionTreeRegressor(max_depth=4))]
        ),
        "numbers",
    ),
    # transformers, outliers, clusters
    "imputer": (lambda: _p(impute.SimpleImputer(), _standard(), linear_model.Ridge()), "holes"),
    "median_imputer": (
        lambda: _p(impute.SimpleImputer(strategy="median"), tree.DecisionTreeRegressor(max_depth=5)),
        "holes",
    ),
    "neighbours_imputer": (lambda: impute.KNNImputer(), "holes"),
    "principal_components": (lambda: _p(_standard(), decomposition.PCA(4), _logistic()), "three"),
    "kernel_components": (lambda: decomposition.KernelPCA(3, kernel="rbf", gamma=0.05), "three"),
    "truncated_svd": (lambda: decomposition.TruncatedSVD(4), "three"),
    "normalizer_l2": (lambda: _p(preprocessing.Normalizer("l2"), _logistic()), "three"),
    "normalizer_l1": (lambda: preprocessing.Normalizer("l1"), "three"),
    "normalizer_max": (lambda: preprocessing.Normalizer("max"), "counts"),
    "bins": (lambda: _p(preprocessing.KBinsDiscretizer(5, encode="onehot-dense"), _logistic()), "three"),
    "power": (lambda: _p(preprocessing.PowerTransformer(), linear_model.Ridge()), "numbers"),
    "chosen_features": (lambda: _p(feature_selection.SelectKBest(k=5), _logistic()), "three"),
    "projection": (lambda: random_projection.GaussianRandomProjection(4, random_state=0), "three"),
    "isolation_forest": (lambda: ensemble.IsolationForest(n_estimators=30, random_state=0), "numbers"),
    "one_class_svm": (lambda: _p(_standard(), svm.OneClassSVM()), "numbers"),
    "outlier_factor": (lambda: neighbors.LocalOutlierFactor(novelty=True), "numbers"),
    "k_means": (lambda: cluster.KMeans(4, n_init=2, random_state=0), "three"),
    "gaussian_mixture": (lambda: mixture.GaussianMixture(3, reg_covar=0.01, random_state=0), "three"),
    # columns of words and of numbers
    "columns_logistic": (lambda: _columns(_logistic()), "table"),
    "columns_forest": (lambda: _columns(ensemble.RandomForestClassifier(20, random_state=0)), "table"),
    "columns_boosting": (
        lambda: _columns(ensemble.GradientBoostingClassifier(n_estimators=20, random_state=0)),
        "table",
    ),
    "columns_ordinal": (
        lambda: _p(
            compose.ColumnTransformer(
                [
                    ("words", preprocessing.OrdinalEncoder(), ["tree", "colour"]),
                    ("numbers", preprocessing.MinMaxScaler(), ["height", "age"]),
                ]
            ),
            tree.DecisionTreeClassifier(max_depth=5, random_state=0),
        ),
        "table",
    ),
}
TEXT_PIPELINES: dict[str, tuple[Make, str]] = {
    "words_counted": (lambda: _of_text(_vectors("counts"), _logistic()), "texts"),
    "words_binary": (lambda: _of_text(_vectors("counts", binary=True), naive_bayes.BernoulliNB()), "texts"),
    "words_bayes": (lambda: _of_text(_vectors("counts"), naive_bayes.MultinomialNB()), "texts"),
    "words_cased": (lambda: _of_text(_vectors("counts", lowercase=False), _logistic()), "texts"),
    "words_tfidf": (lambda: _of_text(_vectors(), _logistic()), "texts"),
    "words_pairs": (lambda: _of_text(_vectors(ngram_range=(1, 2)), _logistic()), "texts"),
    "words_triples": (lambda: _of_text(_vectors(ngram_range=(2, 3)), _logistic()), "texts"),
    "words_stopped": (lambda: _of_text(_vectors(stop_words=["the", "and", "of"]), _logistic()), "texts"),
    "words_l1": (lambda: _of_text(_vectors(norm="l1", sublinear_tf=False), _logistic()), "texts"),
    "words_no_idf": (lambda: _of_text(_vectors(use_idf=False, norm=None), _logistic()), "texts"),
    "words_forest": (lambda: _of_text(_vectors(), ensemble.RandomForestClassifier(20, random_state=0)), "texts"),
    "words_svd": (lambda: _p(_vectors(), decomposition.TruncatedSVD(4, random_state=0), _logistic()), "texts"),
    "characters": (lambda: _of_text(_vectors(analyzer="char", ngram_range=(1, 2)), _logistic()), "texts"),
    "columns_text": (lambda: _columns_with_text(_logistic(max_iter=300), _vectors()), "comments"),
    "columns_text_counted": (
        lambda: _columns_with_text(
            ensemble.RandomForestClassifier(20, random_state=0), _vectors("counts", ngram_range=(1, 2))
        ),
        "comments",
    ),
}
PIPELINES |= TEXT_PIPELINES

# How the converter learns what a model's user wants; by default probabilities come as maps.
OPTIONS: dict[str, dict[str, Any]] = {
    "forest_named_two": {"zipmap": False},
    "logistic_two": {"zipmap": False},
    "isolation_forest": {"score_samples": True},
}


def converted(name: str) -> tuple[bytes, Data, Any]:
    """The model that skl2onnx makes of a pipeline, fitted just now, and the pipeline."""
    make, kind = PIPELINES[name]
    given = data(kind)
    estimator = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(given.x, given.y)
        options = OPTIONS.get(name)
        model = skl2onnx.convert_sklearn(
            estimator,
            initial_types=given.inputs,
            options=None if options is None else {id(estimator): options},
            target_opset={"": 18, "ai.onnx.ml": 3},
        )
    # ONNX Runtime asks the machine for en_US, which it may not have; characters have the same cases there.
    for node in model.graph.node:
        if node.op_type == "StringNormalizer":
            node.attribute.append(onnx.helper.make_attribute("locale", "C.UTF-8"))
    return model.SerializeToString(), given, estimator
