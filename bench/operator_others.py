# SPDX-License-Identifier: Apache-2.0
"""Spectra, texts, learned tables and trees, sequences, control flow, random numbers, optimisers; as cases of bench/operators.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kernel_case import Case, Drawn, constant, numbers
from operator_elements import dims_text, uniform

ML = "ai.onnx.ml"


def spectra() -> Iterator[Case]:
    for dtype in ("float32", "float64"):
        for length in (64, 400, 512, 1000, 1021, 4096):
            for parts in (1, 2):
                x = (dtype, (8, length, parts))
                text = f"{dtype} {length} {'complex' if parts == 2 else 'real'}"
                yield Case(f"DFT {text}", "DFT", [x, None, constant("int64", 1)], [dtype])
                if parts == 1:
                    yield Case(
                        f"DFT {text} one-sided", "DFT", [x, None, constant("int64", 1)], [dtype], {"onesided": 1}
                    )
                else:
                    yield Case(f"DFT {text} inverse", "DFT", [x, None, constant("int64", 1)], [dtype], {"inverse": 1})
        for axis in (1, 2):
            yield Case(
                f"DFT {dtype} of a picture axis {axis}",
                "DFT",
                [(dtype, (4, 128, 96, 1)), None, constant("int64", axis)],
                [dtype],
            )
        for frame, step in ((400, 160), (512, 128), (1024, 256)):
            window = Drawn(dtype, (frame,), lambda r, d: r.uniform(0, 1, d), True)
            given = [(dtype, (1, 16000, 1)), constant("int64", step), window, constant("int64", frame)]
            for onesided in (0, 1):
                yield Case(f"STFT {dtype} {frame} {step} {onesided}", "STFT", given, [dtype], {"onesided": onesided})
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for size in (400, 20000):
            for periodic in (0, 1):
                given = [Drawn("int64", (), lambda r, d, n=size: n)]
                yield Case(f"{op} {size} {periodic}", op, given, ["float32"], {"periodic": periodic})
    mel = [
        Drawn(t, (), lambda r, d, v=v: v)
        for t, v in (("int64", 80), ("int64", 400), ("int64", 16000), ("float32", 20), ("float32", 8000))
    ]
    yield Case("MelWeightMatrix", "MelWeightMatrix", mel, ["float32"])


def words(dims: tuple[int, ...], form: str = "{} of {}") -> Drawn:
    def draw(r: Any, d: tuple[int, ...]) -> Any:
        import numpy as np

        flat = [form.format(a, b) for a, b in r.integers(0, 999, (int(np.prod(d)), 2))]
        return np.array(flat, object).reshape(d)

    return Drawn("string", dims, draw)


def texts() -> Iterator[Case]:
    for count in (1000, 20000):
        yield Case(f"StringConcat {count}", "StringConcat", [words((count,)), words((count,))], ["string"])
        yield Case(f"StringConcat {count} with one", "StringConcat", [words((count,)), words((1,))], ["string"])
        yield Case(f"StringSplit {count}", "StringSplit", [words((count,))], ["string", "int64"], {"delimiter": " "})
        yield Case(f"StringSplit {count} blanks", "StringSplit", [words((count,))], ["string", "int64"])
        for pattern in (r"\d+ of \d+", r"[0-9]{3}.*", ".*9"):
            yield Case(
                f"RegexFullMatch {count} {pattern}", "RegexFullMatch", [words((count,))], ["bool"], {"pattern": pattern}
            )
        for case in ("LOWER", "UPPER", "NONE"):
            own = {"case_change_action": case, "is_case_sensitive": 0, "stopwords": ["1 of 1", "2 OF 3"]}
            yield Case(
                f"StringNormalizer {count} {case}",
                "StringNormalizer",
                [words((count,), "Word {} OF {}")],
                ["string"],
                own,
            )
        for dtype in ("int64", "int32", "string"):
            x = Drawn(dtype, (4, count), lambda r, d, t=dtype: r.integers(0, 50, d).astype(str if t == "string" else t))
            pool: dict[str, Any] = (
                {"pool_strings": [str(i) for i in range(60)]} if dtype == "string" else {"pool_int64s": list(range(60))}
            )
            counted: dict[str, Any] = {
                "mode": "TFIDF", "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0, "ngram_counts": [0, 20],
                "ngram_indexes": list(range(40)), "weights": [0.5] * 40, **pool,
            }  # fmt: skip
            yield Case(f"TfIdfVectorizer {dtype} {count}", "TfIdfVectorizer", [x], ["float32"], counted)
        marked: dict[str, Any] = {"mark": 0, "mincharnum": 1, "pad_value": "#", "separators": [" "]}
        yield Case(f"Tokenizer {count}", "Tokenizer", [words((count,))], ["string"], marked, "com.microsoft")
    for op, axis in (("Concat", 0), ("Concat", 1)):
        yield Case(f"{op} string axis {axis}", op, [words((128, 64)), words((128, 64))], ["string"], {"axis": axis})
    yield Case("Reshape string", "Reshape", [words((128, 64)), numbers(-1)], ["string"])
    yield Case("Slice string", "Slice", [words((128, 64)), numbers(1), numbers(50), numbers(1)], ["string"])
    yield Case(
        "Unique string", "Unique", [Drawn("string", (5000,), lambda r, d: r.integers(0, 99, d).astype(str))], ["string"]
    )


def learned() -> Iterator[Case]:
    for rows in (1, 100, 10000):
        for dtype in ("float32", "float64", "int64", "int32"):
            x = (dtype, (rows, 20))
            text = f"{dtype} {rows}"
            yield Case(f"ArrayFeatureExtractor {text}", "ArrayFeatureExtractor", [x, numbers(1, 5, 7)], [dtype], {}, ML)
            yield Case(f"Binarizer {text}", "Binarizer", [x], [dtype], {"threshold": 0.5}, ML)
            yield Case(f"Scaler {text}", "Scaler", [x], ["float32"], {"offset": [0.5] * 20, "scale": [2.0] * 20}, ML)
            yield Case(f"Normalizer {text} L2", "Normalizer", [x], ["float32"], {"norm": "L2"}, ML)
            key = "int64s" if "int" in dtype else "floats"
            replaced: dict[str, Any] = {f"imputed_value_{key}": [1] * 20 if "int" in dtype else [1.0] * 20}
            replaced["replaced_value_int64" if "int" in dtype else "replaced_value_float"] = (
                3 if "int" in dtype else 3.0
            )
            yield Case(f"Imputer {text}", "Imputer", [x], [dtype], replaced, ML)
            yield Case(
                f"FeatureVectorizer {text}",
                "FeatureVectorizer",
                [x, (dtype, (rows, 5))],
                ["float32"],
                {"inputdimensions": [20, 5]},
                ML,
            )
            yield Case(
                f"OneHotEncoder {text}",
                "OneHotEncoder",
                [(dtype, (rows,))],
                ["float32"],
                {"cats_int64s": list(range(50))},
                ML,
            )
            coefficients = [0.01 * i for i in range(60)]
            own = {"coefficients": coefficients, "intercepts": [0.1, 0.2, 0.3]}
            yield Case(f"LinearRegressor {text}", "LinearRegressor", [x], ["float32"], {**own, "targets": 3}, ML)
            more = {**own, "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX"}
            yield Case(f"LinearClassifier {text}", "LinearClassifier", [x], ["int64", "float32"], more, ML)
        labels = {
            "keys_strings": [f"{i} of 1" for i in range(200)],
            "values_int64s": list(range(200)),
            "default_int64": -1,
        }
        yield Case(f"LabelEncoder string int64 {rows}", "LabelEncoder", [words((rows,))], ["int64"], labels, ML)
        labels = {
            "keys_int64s": list(range(200)),
            "values_strings": [str(i) for i in range(200)],
            "default_string": "?",
        }
        yield Case(f"LabelEncoder int64 string {rows}", "LabelEncoder", [("int64", (rows,))], ["string"], labels, ML)
        labels = {"keys_int64s": list(range(200)), "values_floats": [0.5 * i for i in range(200)]}
        yield Case(f"LabelEncoder int64 float32 {rows}", "LabelEncoder", [("int64", (rows,))], ["float32"], labels, ML)
        names = {
            "cats_strings": [f"{i} of 1" for i in range(200)],
            "cats_int64s": list(range(200)),
            "default_int64": -1,
        }
        yield Case(f"CategoryMapper {rows}", "CategoryMapper", [words((rows,))], ["int64"], names, ML)
        yield Case(
            f"OneHotEncoder string {rows}",
            "OneHotEncoder",
            [words((rows,))],
            ["float32"],
            {"cats_strings": names["cats_strings"]},
            ML,
        )
        yield from machines(rows)


def machines(rows: int) -> Iterator[Case]:
    import numpy as np

    r = np.random.default_rng(4)
    support, width = 100, 20
    vectors = r.standard_normal(support * width).astype(float).tolist()
    for kernel in ("RBF", "LINEAR", "POLY", "SIGMOID"):
        own = {"kernel_type": kernel, "kernel_params": [0.05, 0.1, 2.0], "support_vectors": vectors}
        regressor = {**own, "coefficients": r.standard_normal(support).tolist(), "rho": [0.1], "n_supports": support}
        yield Case(
            f"SVMRegressor {kernel} {rows}", "SVMRegressor", [("float32", (rows, width))], ["float32"], regressor, ML
        )
        classes = {
            **own, "coefficients": r.standard_normal(2 * support).tolist(), "rho": [0.1, 0.2, 0.3], "vectors_per_class": [40, 30, 30],
            "classlabels_ints": [0, 1, 2],
        }  # fmt: skip
        yield Case(
            f"SVMClassifier {kernel} {rows}",
            "SVMClassifier",
            [("float32", (rows, width))],
            ["int64", "float32"],
            classes,
            ML,
        )


def grown(trees: int, depth: int) -> dict[str, list[Any]]:
    """Full binary trees over 20 features."""
    import numpy as np

    r = np.random.default_rng(5)
    names = "treeids nodeids featureids modes values truenodeids falsenodeids".split()
    a: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    inner, whole = 2**depth - 1, 2 ** (depth + 1) - 1
    for tree in range(trees):
        for node in range(whole):
            leaf = node >= inner
            row = (
                tree,
                node,
                int(r.integers(20)),
                "LEAF" if leaf else "BRANCH_LEQ",
                float(r.standard_normal()),
                0 if leaf else 2 * node + 1,
                0 if leaf else 2 * node + 2,
            )
            for name, value in zip(a, row, strict=True):
                a[name].append(value)
    return a


def trees() -> Iterator[Case]:
    import numpy as np
    from onnx import helper

    for count, depth in ((10, 4), (100, 6)):
        a, inner, whole = grown(count, depth), 2**depth - 1, 2 ** (depth + 1) - 1
        leaves = [(t, n) for t in range(count) for n in range(inner, whole)]
        weights = np.random.default_rng(6).standard_normal(len(leaves)).tolist()
        for rows in (1, 10, 50, 300, 10000):
            for form in ("target", "class"):
                ids = [0] * len(leaves) if form == "target" else [k % 3 for k in range(len(leaves))]
                own = {
                    **a,
                    f"{form}_treeids": [t for t, _ in leaves],
                    f"{form}_nodeids": [n for _, n in leaves],
                    f"{form}_ids": ids,
                    f"{form}_weights": weights,
                }
                own |= {"n_targets": 1} if form == "target" else {"classlabels_int64s": [0, 1, 2]}
                op = "TreeEnsembleRegressor" if form == "target" else "TreeEnsembleClassifier"
                results = ["float32"] if form == "target" else ["int64", "float32"]
                yield Case(
                    f"{op} {count} trees {rows} rows", op, [uniform("float32", (rows, 20), -2, 2)], results, own, ML
                )
            kept = [k for k, mode in enumerate(a["nodes_modes"]) if mode != "LEAF"]
            own = {
                "nodes_splits": helper.make_tensor("s", 1, [inner * count], [a["nodes_values"][k] for k in kept]),
                "nodes_featureids": [a["nodes_featureids"][k] for k in kept],
                "nodes_modes": helper.make_tensor("m", 2, [inner * count], [0] * inner * count),
                "tree_roots": [t * inner for t in range(count)],
                **branches(count, inner),
                "leaf_targetids": [0] * len(leaves), "leaf_weights": helper.make_tensor("w", 1, [len(leaves)], weights), "n_targets": 1,
            }  # fmt: skip
            yield Case(
                f"TreeEnsemble {count} trees {rows} rows",
                "TreeEnsemble",
                [uniform("float32", (rows, 20), -2, 2)],
                ["float32"],
                own,
                ML,
                opset=5,
            )


def branches(count: int, inner: int) -> dict[str, list[int]]:
    """Where nodes of full trees lead: to an inner node's number, or to a leaf's."""
    found: dict[str, list[int]] = {
        "nodes_trueleafs": [],
        "nodes_truenodeids": [],
        "nodes_falseleafs": [],
        "nodes_falsenodeids": [],
    }
    for tree in range(count):
        for node in range(inner):
            for side, child in (("true", 2 * node + 1), ("false", 2 * node + 2)):
                leaf = child >= inner
                found[f"nodes_{side}leafs"].append(int(leaf))
                found[f"nodes_{side}nodeids"].append(
                    tree * (inner + 1) + child - inner if leaf else tree * inner + child
                )
    return found


Made = tuple[str, list[str], list[str], dict[str, Any]]  # operator, inputs, outputs, attributes


def chain(*made: Made) -> Callable[[list[str], list[str]], list[Any]]:
    """Nodes; i0, o0 are the model's."""

    def nodes(names: list[str], results: list[str]) -> list[Any]:
        from onnx import helper

        return [helper.make_node(op, given, out, **own) for op, given, out, own in made]

    return nodes


def several(
    name: str,
    inputs: list[Any],
    outputs: list[str],
    *made: Made,
    **more: Any,
) -> Case:
    return Case(name, "+".join(op for op, *_ in made), inputs, outputs, nodes=chain(*made), **more)


def sequences() -> Iterator[Case]:
    x, y = ("float32", (256, 256)), ("float32", (256, 256))
    join: Made = ("ConcatFromSequence", ["s"], ["o0"], {"axis": 0})
    yield several(
        "Sequence constructed, joined", [x, y], ["float32"], ("SequenceConstruct", ["i0", "i1"], ["s"], {}), join
    )
    stack = ("ConcatFromSequence", ["s"], ["o0"], {"axis": 0, "new_axis": 1})
    yield several("Sequence stacked", [x, y], ["float32"], ("SequenceConstruct", ["i0", "i1"], ["s"], {}), stack)
    for axis in (0, 1):
        for keep in (0, 1):
            split = ("SplitToSequence", ["i0"], ["s"], {"axis": axis, "keepdims": keep})
            at: Made = ("SequenceAt", ["s", "i1"], ["o0"], {})
            yield several(
                f"Sequence split axis {axis} keepdims {keep}, one taken",
                [x, constant("int64", 3)],
                ["float32"],
                split,
                at,
            )
    split = ("SplitToSequence", ["i0", "i1"], ["s"], {"axis": 1})
    yield several(
        "Sequence split by 64, joined",
        [x, constant("int64", 64)],
        ["float32"],
        split,
        ("ConcatFromSequence", ["s"], ["o0"], {"axis": 1}),
    )
    fill: list[Made] = [
        ("SequenceEmpty", [], ["e"], {}),
        ("SequenceInsert", ["e", "i0"], ["f"], {}),
        ("SequenceInsert", ["f", "i1"], ["g"], {}),
    ]
    yield several(
        "Sequence inserted, erased",
        [x, y, constant("int64", 0)],
        ["float32"],
        *fill,
        ("SequenceErase", ["g", "i2"], ["s"], {}),
        join,
    )
    yield several(
        "Sequence counted",
        [x, y],
        ["int64"],
        ("SequenceConstruct", ["i0", "i1"], ["s"], {}),
        ("SequenceLength", ["s"], ["o0"], {}),
    )
    yield several(
        "Optional taken", [x], ["float32"], ("Optional", ["i0"], ["s"], {}), ("OptionalGetElement", ["s"], ["o0"], {})
    )
    yield several(
        "Optional asked", [x], ["bool"], ("Optional", ["i0"], ["s"], {}), ("OptionalHasElement", ["s"], ["o0"], {})
    )


def body(nodes: list[Any], given: list[tuple[str, int, Any]], taken: list[tuple[str, int, Any]]) -> Any:
    from onnx import helper

    before, behind = ([helper.make_tensor_value_info(*one) for one in side] for side in (given, taken))
    return helper.make_graph([helper.make_node(op, i, o) for op, i, o in nodes], "body", before, behind)


def flows() -> Iterator[Case]:
    for dims in ((8,), (64, 256)):
        relu, neg = (body([(op, ["i1"], [f"{op}y"])], [], [(f"{op}y", 1, None)]) for op in ("Relu", "Neg"))
        given = [Drawn("bool", (), lambda r, d: True), ("float32", dims)]
        own = {"then_branch": relu, "else_branch": neg}
        yield several(f"If {dims_text(dims)}", given, ["float32"], ("If", ["i0"], ["o0"], own))
        for count in (10, 100):
            step = body(
                [("Add", ["v", "one"], ["w"]), ("Identity", ["c"], ["d"])],
                [("i", 7, []), ("c", 9, []), ("v", 1, list(dims))], [("d", 9, []), ("w", 1, list(dims))],
            )  # fmt: skip
            inputs = [
                Drawn("int64", (), lambda r, d, n=count: n),
                constant("bool", True),
                ("float32", dims),
                ("float32", dims),
            ]
            step.node[0].input[1] = "i3"
            yield several(
                f"Loop {count} of {dims_text(dims)}",
                inputs,
                ["float32"],
                ("Loop", ["i0", "i1", "i2"], ["o0"], {"body": step}),
                fixed=True,
            )
            scan = body(
                [("Add", ["v", "x"], ["w"]), ("Identity", ["w"], ["u"])],
                [("v", 1, list(dims)), ("x", 1, list(dims))], [("w", 1, list(dims)), ("u", 1, list(dims))],
            )  # fmt: skip
            inputs = [("float32", dims), ("float32", (count, *dims))]
            own = {"body": scan, "num_scan_inputs": 1}
            yield several(
                f"Scan {count} of {dims_text(dims)}",
                inputs,
                ["float32"] * 2,
                ("Scan", ["i0", "i1"], ["o0", "o1"], own),
                fixed=True,
            )
    each = body([("Relu", ["e"], ["f"])], [("e", 1, None)], [("f", 1, None)])
    split = ("SplitToSequence", ["i0"], ["s"], {"axis": 0})
    mapped = ("SequenceMap", ["s"], ["t"], {"body": each})
    join = ("ConcatFromSequence", ["t"], ["o0"], {"axis": 0})
    yield several("SequenceMap of 64 rows", [("float32", (64, 256))], ["float32"], split, mapped, join, fixed=True)


def chance() -> Iterator[Case]:
    from kernel_case import element_type

    for dtype in ("float32", "float64", "float16"):
        x = (dtype, (512, 512))
        for op in ("RandomNormalLike", "RandomUniformLike"):
            yield Case(f"{op} {dtype}", op, [x], [dtype], random=True)
        for op in ("RandomNormal", "RandomUniform"):
            own = {"shape": [512, 512], "dtype": element_type(dtype)}
            yield several(
                f"{op} {dtype} added", [x], [dtype], (op, [], ["r"], own), ("Add", ["i0", "r"], ["o0"], {}), random=True
            )
        yield Case(f"Bernoulli {dtype}", "Bernoulli", [uniform(dtype, (512, 512), 0, 1)], [dtype], random=True)
        for draws in (1, 100):
            yield Case(
                f"Multinomial {dtype} {draws}",
                "Multinomial",
                [(dtype, (16, 1000))],
                ["int32"],
                {"sample_size": draws},
                random=True,
            )


def optimisers() -> Iterator[Case]:
    domain = "ai.onnx.preview.training"
    for dtype in ("float32", "float64"):
        rate, turn = Drawn(dtype, (), lambda r, d: 0.1), Drawn("int64", (), lambda r, d: 3)
        x = uniform(dtype, (512, 512), 0.1, 1)
        yield Case(
            f"Adagrad {dtype}",
            "Adagrad",
            [rate, turn, x, x, x],
            [dtype] * 2,
            {"decay_factor": 0.1, "epsilon": 1e-3, "norm_coefficient": 0.01},
            domain,
        )
        yield Case(
            f"Adam {dtype}",
            "Adam",
            [rate, turn, x, x, x, x],
            [dtype] * 3,
            {"alpha": 0.9, "beta": 0.99, "norm_coefficient": 0.01},
            domain,
        )
        own = {"alpha": 0.9, "beta": 0.9, "mode": "standard", "norm_coefficient": 0.01}
        yield Case(f"Momentum {dtype}", "Momentum", [rate, turn, x, x, x], [dtype] * 2, own, domain)


FAMILIES = {
    "spectra": spectra, "texts": texts, "learned": learned, "trees": trees, "sequences": sequences, "control flow": flows,
    "random": chance, "optimisers": optimisers,
}  # fmt: skip
