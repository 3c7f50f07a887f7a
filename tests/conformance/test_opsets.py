# SPDX-License-Identifier: Apache-2.0
"""Small models of one node, for every operator version from opset 7 on, held against ONNX Runtime and onnx.reference
(opset_cases.py): what Anydim computes is what one of them computes, and what both compute where they agree. A quick run draws forms of
operators that have hundreds."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from opset_cases import LIMITS, OLDEST, Array, Case, problem_of, signature, versions
from opset_edges import EDGES
from opset_features import FEATURES
from opset_more import MORE
from opset_others import OTHERS
from opset_table import CASES
from opset_values import VALUES
from test_old_opsets import ROWS as OLD
from test_old_opsets import opsets as old_opsets
from test_old_opsets import same_form_at

# Raised when rows are added; a fall below it is a regression.
FLOOR = 10_000

ROWS = CASES + EDGES + MORE + VALUES + FEATURES + OTHERS


# Forms of one operator that a quick run draws; operators with more of them have a long test of all.
DRAWN = 250

Form = tuple[Case, int]


def forms_of(operator: str) -> list[Form]:
    """Each case of the operator with each opset that it has a meaning in."""
    cases = [case for case in ROWS if full_name(case) == operator]
    return [
        (case, opset)
        for case in cases
        for opset in versions(case.operator, case.domain)
        if case.since <= opset <= case.until
    ]


def full_name(case: Case) -> str:
    return f"{case.domain}.{case.operator}" if case.domain else case.operator


OPERATORS = sorted({full_name(case) for case in ROWS})
LARGE = [operator for operator in OPERATORS if len(forms_of(operator)) > DRAWN]


def compare(operator: str, forms: list[Form]) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for case, opset in forms:
        verdict, message = problem_of(case, opset)
        counts[verdict] += 1
        if verdict == "wrong":
            wrong.append(f"opset {opset}: {case.label}: {message}")
    assert not wrong, f"{len(wrong)} of {counts.total()}\n" + "\n".join(wrong[:20])
    assert counts["passed"] > 0, f"nothing of {operator} was compared: {counts}"


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_version_of_an_operator_means_what_onnx_says(operator: str) -> None:
    forms = forms_of(operator)
    if operator in LARGE:
        seed = random.SystemRandom().randrange(2**31)
        print(f"{DRAWN} of {len(forms)} forms, seed {seed}")  # pytest shows it if one is wrong
        forms = random.Random(seed).sample(forms, DRAWN)
    compare(operator, forms)


@pytest.mark.long
@pytest.mark.parametrize("operator", LARGE)
def test_every_form_of_a_large_operator_means_what_onnx_says(operator: str) -> None:
    compare(operator, forms_of(operator))


# Operators without rows, and why.
ELSEWHERE = {
    "random numbers, which test_random.py compares with their distributions": {
        "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
    },
    "strings, which test_strings.py compares with ONNX Runtime": {
        "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer", "ai.onnx.ml.CastMap",
        "ai.onnx.ml.DictVectorizer",
    },
    "refused by name": {
        "ImageDecoder", "ai.onnx.preview.FlexAttention", "ai.onnx.preview.training.Gradient",
    },
}  # fmt: skip


def forms_since_1(name: str, domain: str) -> list[tuple[int, int]]:
    """The first and last opset of each form of an operator that is neither deprecated nor newer than what Anydim reads."""
    history = [v for v in onnx.defs.get_all_schemas_with_history() if (v.name, v.domain) == (name, domain)]
    history.sort(key=lambda schema: schema.since_version)
    newest = LIMITS[domain][2]
    ends = [*(v.since_version - 1 for v in history[1:]), newest]
    forms: list[tuple[int, int]] = []
    for at, (schema, last) in enumerate(zip(history, ends, strict=True)):
        if schema.deprecated or schema.since_version > newest:
            continue
        same = at > 0 and signature(history[at - 1]) == signature(schema)
        if same and forms:
            forms[-1] = (forms[-1][0], min(last, newest))
        else:
            forms.append((schema.since_version, min(last, newest)))
    return forms


def test_every_form_of_every_operator_has_a_row() -> None:
    """From opset 1 on; of forms that ended before 7 the rows are those of test_old_opsets.py."""
    seen: dict[tuple[str, str], set[int]] = {}
    for operator in OPERATORS:
        for case, opset in forms_of(operator):
            seen.setdefault((case.operator, case.domain), set()).add(opset)
    for case in OLD:
        seen.setdefault((case.operator, ""), set()).update(old_opsets(case))
    for opset in range(1, OLDEST):
        for operator in {
            case.operator for case in CASES if case.since == OLDEST and same_form_at(case.operator, opset)
        }:
            seen[(operator, "")].add(opset)
    left_out = set().union(*ELSEWHERE.values())
    lacking = []
    for name, domain in sorted({(v.name, v.domain) for v in onnx.defs.get_all_schemas_with_history()}):
        if (f"{domain}.{name}" if domain else name) in left_out:
            continue
        for first, last in forms_since_1(name, domain):
            if not any(first <= opset <= last for opset in seen.get((name, domain), ())):
                lacking.append(f"{domain}.{name} of opset {first} to {last}")
    assert not lacking, "\n".join(lacking)


def test_the_table_is_as_long_as_it_was() -> None:
    assert sum(len(forms_of(operator)) for operator in OPERATORS) >= FLOOR


# -- 16-bit floats are storage: an operator is computed in float32 at least and rounded once (docs/numerics.md, section 4) ------


Row = tuple[str, int, list[np.ndarray], dict[str, Any]]


def numbers(*dims: int, seed: int, spread: float = 1.0, centre: float = 0.0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(dims) * spread + centre


PER_CHANNEL = [numbers(4, seed=1, centre=1.0, spread=0.1), numbers(4, seed=2)]
WIDE = numbers(2, 4, 5, 6, seed=3, spread=3)
SIXTEEN_BITS: list[Row] = [
    # Scale and shift of the size of 1000: rounded to 16 bits they are off by 0.5.
    ("BatchNormalization", 15, [100 + WIDE / 30, *PER_CHANNEL, np.full(4, 100.0), np.full(4, 0.01)], {}),
    ("BatchNormalization", 9, [100 + WIDE / 30, *PER_CHANNEL, np.full(4, 100.0), np.full(4, 0.01)], {}),
    ("BatchNormalization", 15, [100 + WIDE / 3, *PER_CHANNEL, np.full(4, 0.0), np.full(4, 1.0)], {"training_mode": 1}),
    ("InstanceNormalization", 17, [100 + WIDE, *PER_CHANNEL], {}),
    ("GroupNormalization", 18, [WIDE, PER_CHANNEL[0][:2], PER_CHANNEL[1][:2]], {"num_groups": 2}),
    ("GroupNormalization", 21, [100 + WIDE, *PER_CHANNEL], {"num_groups": 2}),
    ("LayerNormalization", 17, [100 + WIDE, numbers(6, seed=4), numbers(6, seed=5)], {}),
    ("RMSNormalization", 23, [WIDE, numbers(6, seed=4)], {}),
    ("MeanVarianceNormalization", 13, [100 + WIDE], {}),
    ("LpNormalization", 22, [WIDE], {"p": 1}),
    ("LpNormalization", 22, [WIDE], {"p": 2}),
    ("LRN", 13, [WIDE], {"size": 3, "alpha": 1.0}),
    ("Softmax", 13, [WIDE], {}),
    ("Softmax", 11, [WIDE], {"axis": 2}),
    ("LogSoftmax", 13, [WIDE], {}),
    ("Sum", 13, [numbers(50, seed=at, centre=40) for at in range(40)], {}),
    ("Mean", 13, [numbers(50, seed=at, centre=40) for at in range(40)], {}),
    ("ReduceMean", 18, [100 + WIDE], {}),
    ("ReduceL2", 18, [WIDE], {}),
    ("ReduceLogSumExp", 18, [WIDE], {}),
    ("ReduceSumSquare", 18, [WIDE], {}),
    ("MatMul", 13, [numbers(3, 40, seed=7), numbers(40, 5, seed=8)], {}),
    ("Gemm", 13, [numbers(3, 40, seed=7), numbers(40, 5, seed=8), numbers(5, seed=9)], {"alpha": 0.7, "beta": 1.3}),
    ("Conv", 11, [WIDE, numbers(6, 2, 3, 3, seed=10), numbers(6, seed=11)], {"group": 2, "pads": [1, 1, 1, 1]}),
    ("Conv", 11, [WIDE, numbers(4, 1, 3, 3, seed=10)], {"group": 4}),
    ("ConvTranspose", 11, [WIDE, numbers(4, 3, 2, 2, seed=12), numbers(3, seed=13)], {"strides": [2, 2]}),
    ("Einsum", 12, [numbers(3, 9, seed=7), numbers(9, 8, seed=8), numbers(8, 5, seed=9)], {"equation": "ij,jk,kl->il"}),
    ("Attention", 23, [numbers(1, 2, 5, 8, seed=at) for at in range(3)], {"is_causal": 1}),
    ("AveragePool", 19, [100 + WIDE], {"kernel_shape": [3, 3]}),
    ("MaxPool", 12, [WIDE], {"kernel_shape": [3, 3]}),
    ("GlobalAveragePool", 22, [100 + WIDE], {}),
    ("LpPool", 18, [WIDE], {"kernel_shape": [3, 3], "p": 3}),
    ("GlobalLpPool", 2, [WIDE], {"p": 2}),
    ("Range", 11, [np.array(0.5), np.array(200.0), np.array(0.75)], {}),
    ("Range", 27, [np.array(0.5), np.array(200.0), np.array(0.75)], {"stash_type": 1}),
    ("HardSwish", 14, [WIDE], {}),
    ("HardSigmoid", 6, [WIDE], {}),
    ("Mish", 18, [WIDE], {}),
    ("Celu", 12, [WIDE], {"alpha": 0.3}),
    ("Swish", 24, [WIDE], {"alpha": 1.7}),
    ("Elu", 6, [WIDE], {}),
]


def model_of(operator: str, opset: int, inputs: list[np.ndarray], attributes: dict[str, Any], element: int) -> bytes:
    """One node on inputs of an element type; what comes in is float64, and what goes out."""
    from onnx import TensorProto, helper

    nodes, values = [], []
    for at, x in enumerate(inputs):
        values.append(helper.make_tensor_value_info(f"x{at}", TensorProto.DOUBLE, x.shape))
        nodes.append(helper.make_node("Cast", [f"x{at}"], [f"t{at}"], to=element))
    nodes.append(helper.make_node(operator, [f"t{at}" for at in range(len(inputs))], ["t"], **attributes))
    nodes.append(helper.make_node("Cast", ["t"], ["y"], to=TensorProto.DOUBLE))
    graph = helper.make_graph(nodes, "16 bits", values, [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", max(opset, 7))], ir_version=8)
    serialised: bytes = model.SerializeToString()
    return serialised


@pytest.mark.parametrize(("element", "digits"), [(10, 11), (16, 8)], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("row", SIXTEEN_BITS, ids=[f"{row[0]}-{row[1]}-{at}" for at, row in enumerate(SIXTEEN_BITS)])
def test_a_16_bit_operator_is_the_exact_one_rounded_once(row: Row, element: int, digits: int) -> None:
    operator, opset, inputs, attributes = row
    # Inputs that the type holds, so that only the operator rounds.
    step: list[Any] = [2.0 ** (np.floor(np.log2(np.abs(np.where(x == 0, 1, x)))) + 1 - digits) for x in inputs]
    inputs = [np.round(x / s) * s for x, s in zip(inputs, step, strict=True)]
    feeds = {f"x{at}": x for at, x in enumerate(inputs)}
    exact = anydim.InferenceSession(model_of(operator, opset, inputs, attributes, 11)).run(None, feeds)[0]
    got = anydim.InferenceSession(model_of(operator, opset, inputs, attributes, element)).run(None, feeds)[0]
    # Half a step of the result, and what float32 loses where large numbers cancel.
    room = 0.51 * 2.0 ** (np.floor(np.log2(np.maximum(np.abs(exact), 2.0**-14))) + 1 - digits) + 2e-4
    worst = np.abs(got - exact) / room
    assert worst.max() <= 1, f"{got.ravel()[worst.argmax()]} where {exact.ravel()[worst.argmax()]} is exact"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_statistics_of_a_layer_norm_have_the_stash_type(dtype: type) -> None:
    x: Array = numbers(3, 8, seed=6, centre=5).astype(dtype)
    case = Case("LayerNormalization", [x], [np.ones(8, dtype)], outputs=3, since=17)
    y, mean, deviation = anydim.InferenceSession(case.model(17)).run(None, case.feeds())
    assert (y.dtype, mean.dtype, deviation.dtype) == (dtype, np.float32, np.float32)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean, wide.mean(-1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(deviation, 1 / np.sqrt(wide.var(-1, keepdims=True) + 1e-5), rtol=1e-5)


@pytest.mark.parametrize("known", [True, False], ids=["constants", "computed"])
def test_a_range_of_float16_counts_in_float32_and_in_nothing_else(known: bool) -> None:
    numbers_of = [np.array(at, np.float16) for at in (2040, 2060, 1)]
    given, fed = ([], numbers_of) if known else (numbers_of, [])
    case = Case("Range", given, fed, since=27)
    y = anydim.InferenceSession(case.model(27)).run(None, case.feeds())[0]
    np.testing.assert_array_equal(y, np.arange(2040, 2060, dtype=np.float32).astype(np.float16))
    for stash in (0, 10, 11):
        other = Case("Range", given, fed, attributes={"stash_type": stash}, since=27)
        with pytest.raises(anydim.UnimplementedError, match=f"stash_type is {stash}; expected 1"):
            anydim.InferenceSession(other.model(27))
