# SPDX-License-Identifier: Apache-2.0
"""The cases of the test vectors, before their results: what is loaded, given and expected. make.py writes cases.txt from them;
README.md says what its lines mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from vector_models import Array, values


class Given(NamedTuple):
    """An input: an array, or dims that no array has (then without data)."""

    name: str
    array: Array | None
    dtype: str = "f32"
    dims: tuple[int, ...] = ()


@dataclass
class Case:
    name: str
    model: str = ""  # file of models/; or an operator
    operator: str = ""
    first_bytes: int | None = None  # so much of the file is loaded
    bounds: tuple[tuple[str, str], ...] = ()
    descs: tuple[tuple[str, str], ...] = ()  # of an operator's inputs: dtype, dims
    destroy: tuple[str, ...] = ()  # before the run
    inputs: Sequence[Given] = ()
    ask: str = ""  # an output by its name
    sequences: str = ""  # what inputs that are sequences are made of, as the C option of that name says it
    tensors: tuple[str, ...] = ()  # of outputs that are sequences, the names of all outputs' tensors
    fails: str = ""  # step and statuses; empty: it runs
    says: tuple[str, ...] = ()
    about: str = ""  # why it is here, in a comment
    peer: Callable[..., Sequence[Array]] | None = field(default=None)  # of operators: what another makes of it


def given(name: str, dims: Sequence[int], seed: int, dtype: type = np.float32) -> Given:
    return Given(name, values(int(np.prod(dims)), seed).reshape(dims).astype(dtype))


def exact(name: str, numbers: object, dtype: type = np.float32) -> Given:
    return Given(name, np.array(numbers, dtype))


def unheld(name: str, dims: Sequence[int], dtype: str = "f32") -> Given:
    return Given(name, None, dtype, tuple(dims))


def good() -> list[Case]:
    """What runs: several shapes of each model, zero dims, special values, bounds, handles destroyed early."""
    infinity = float("inf")
    convs = [(1, 3, 5, 7), (2, 3, 1, 1), (3, 3, 16, 9), (0, 3, 4, 4)]
    cases = [
        Case(f"conv_relu_{'x'.join(map(str, d))}", "conv_relu", inputs=[given("x", d, 10 + i)])
        for i, d in enumerate(convs)
    ]
    cases += [Case(f"matmul_of_{n}_rows", "matmul", inputs=[given("x", (n, 5), 20 + n)]) for n in (1, 2, 17, 0)]
    cases += [Case(f"layer_norm_{n}", "layer_norm", inputs=[given("x", (n, 6), 40 + n)]) for n in (1, 5)]
    cases += [
        Case("layer_norm_of_equal_numbers", "layer_norm", inputs=[exact("x", [[3.0] * 6])]),
        Case("softmax_3x9", "softmax", inputs=[given("x", (3, 9), 50)]),
        Case("softmax_of_one", "softmax", inputs=[exact("x", [[-7.5]])]),
        Case("softmax_of_special_values", "softmax", inputs=[exact("x", [[-infinity, 0, 1e-45, -0.0, 88.0, -3e38]])]),
        Case("softmax_of_no_columns", "softmax", inputs=[given("x", (4, 0), 51)]),
        Case("gather", "gather", inputs=[given("x", (5, 3), 60), exact("indices", [4, 0, -1, 2, 2], np.int64)]),
        Case("gather_of_nothing", "gather", inputs=[given("x", (5, 3), 61), exact("indices", [], np.int64)]),
        Case("add_of_a_row_and_a_column", "add", inputs=[given("a", (3, 1), 70), given("b", (1, 4), 71)]),
        Case("add_of_equal_dims", "add", inputs=[given("a", (2, 3), 72), given("b", (2, 3), 73)]),
        Case("one_output_by_its_name", "add", inputs=[given("a", (2, 3), 72), given("b", (2, 3), 73)], ask="more"),
        Case("half", "half", inputs=[given("x", (3, 4), 80, np.float16)]),
        Case("half_to_its_limits", "half", inputs=[exact("x", [[65504.0, -65504.0, 6e-8, infinity]], np.float16)]),
        Case(
            "integers_that_wrap", "integers", inputs=[exact("x", [[1, -2, 46341], [2**31 - 1, 0, -(2**31)]], np.int32)]
        ),
        Case("flatten_by_shape", "flatten_by_shape", inputs=[given("x", (2, 3, 5), 90)]),
        Case("non_zero", "non_zero", inputs=[exact("x", [[0.0, 1.0, -0.0], [2.0, 0.0, 3.0]])]),
        Case("non_zero_of_zeros", "non_zero", inputs=[exact("x", [[0.0, -0.0]])]),
        Case("branch_taken", "branch", inputs=[exact("condition", True, np.bool_), given("x", (4,), 91)]),
        Case("branch_not_taken", "branch", inputs=[exact("condition", False, np.bool_), given("x", (6,), 92)]),
        Case("loop_of_three", "loop", inputs=[exact("times", 3, np.int64), given("x", (3,), 93)]),
        Case(
            "sequences_of_slices",
            "sequences",
            inputs=[given("s", (3, 2, 2), 97), given("x", (2, 2), 98)],
            tensors=("pair[0]", "pair[1]", "more", "first"),
            about="a sequence whose length a run knows is one tensor, whose first axis counts",
        ),
        Case(
            "sequences_of_known_length",
            "sequences",
            sequences="s=2,2",
            inputs=[given("s[0]", (2, 2), 97), given("s[1]", (2, 3), 99), given("x", (2, 2), 98)],
            tensors=("pair[0]", "pair[1]", "more[0]", "more[1]", "more[2]", "first"),
        ),
        Case(
            "an_element_by_its_name",
            "sequences",
            inputs=[given("s", (1, 2, 2), 97), given("x", (2, 2), 98)],
            ask="pair[1]",
            tensors=("pair[1]",),
        ),
        Case("optional_that_is_there", "optional", inputs=[given("x", (3,), 88)]),
        Case(
            "optional_that_is_absent",
            "optional",
            sequences="x=-",
        ),
        Case("identity", "identity", inputs=[exact("x", [1.5, -0.0, float("inf"), 1e-45])]),
        Case("loop_of_none", "loop", inputs=[exact("times", 0, np.int64), given("x", (3,), 94)]),
        Case(
            "within_bounds", "conv_relu", bounds=(("x", "1..4,3,1..16,1..16"),), inputs=[given("x", (2, 3, 16, 3), 95)]
        ),
        Case("engine_given_up_before_the_run", "matmul", destroy=("engine",), inputs=[given("x", (2, 5), 96)]),
        Case("model_given_up_before_the_run", "matmul", destroy=("model",), inputs=[given("x", (2, 5), 96)]),
    ]
    return [
        *cases,
        Case(
            "relu_as_a_primitive",
            operator="relu",
            descs=(("f32", "0..64,3"),),
            inputs=[given("x", (4, 3), 100)],
            peer=lambda x: [np.maximum(x, np.float32(0))],
        ),
        Case(
            "product_as_a_primitive",
            operator="matmul",
            descs=(("f32", "1..64,5"), ("f32", "5,1..9")),
            inputs=[given("a", (3, 5), 101), given("b", (5, 2), 102)],
            peer=lambda a, b: [a @ b],
        ),
    ]


def wrong_inputs() -> list[Case]:
    x, y = given("x", (1, 3, 4, 4), 1), given("y", (1, 3, 4, 4), 1)
    two = [given("a", (2, 3), 2), given("b", (2, 3), 3)]
    bounded = (("x", "1..2,3,1..8,1..8"),)
    wrong, outside = "run invalid_argument", "run out_of_bounds"
    return [
        Case(
            "wrong_rank",
            "conv_relu",
            inputs=[given("x", (3, 4, 4), 1)],
            fails=wrong,
            says=("input 'x'", "rank 3", "expects 4"),
        ),
        Case(
            "wrong_channels",
            "conv_relu",
            inputs=[given("x", (1, 4, 4, 4), 1)],
            fails=wrong,
            says=("input 'x'", "dim 1 is 4", "expects 3"),
        ),
        Case(
            "wrong_dtype",
            "conv_relu",
            inputs=[given("x", (1, 3, 4, 4), 1, np.float64)],
            fails=wrong,
            says=("input 'x'", "f64", "f32"),
        ),
        Case(
            "negative_dim", "conv_relu", inputs=[unheld("x", (1, 3, -4, 4))], fails=wrong, says=("is -4", "0 or more")
        ),
        Case("no_data", "conv_relu", inputs=[unheld("x", (1, 3, 4, 4))], fails=wrong, says=("'x'",)),
        Case(
            "more_bytes_than_int64_counts",
            "softmax",
            inputs=[unheld("x", (2**40, 2**40))],
            fails=wrong,
            says=("1099511627776", "int64_t"),
        ),
        Case("input_left_out", "add", inputs=two[:1], fails=wrong, says=("'b'",)),
        Case(
            "input_of_an_unknown_name", "conv_relu", inputs=[y], fails="find not_found invalid_argument", says=("'y'",)
        ),
        Case(
            "output_of_an_unknown_name",
            "conv_relu",
            inputs=[x],
            ask="nowhere",
            fails="find not_found invalid_argument",
            says=("'nowhere'",),
        ),
        Case(
            "dims_that_do_not_broadcast",
            "add",
            inputs=[given("a", (2, 3), 2), given("b", (2, 4), 3)],
            fails=wrong,
            says=("Add_0", "axis -1", "'a' 2x3, 'b' 2x4"),
        ),
        Case(
            "index_out_of_range",
            "gather",
            inputs=[given("x", (5, 3), 4), exact("indices", [0, 5], np.int64)],
            fails="run invalid_data",
            says=("Gather_0", "5"),
        ),
        Case(
            "below_the_bounds",
            "conv_relu",
            bounds=bounded,
            inputs=[given("x", (0, 3, 4, 4), 5)],
            fails=outside,
            says=("dim 0", "is 0", "1..2"),
        ),
        Case(
            "above_the_bounds",
            "conv_relu",
            bounds=bounded,
            inputs=[given("x", (1, 3, 4, 9), 5)],
            fails=outside,
            says=("dim 3", "is 9", "1..8"),
        ),
        Case(
            "sequence_that_is_not_there",
            "sequences",
            sequences="t=2",
            fails="load not_found",
            says=("'t'", "sequence or optional"),
        ),
        Case(
            "sequence_that_is_absent",
            "sequences",
            sequences="s=-",
            fails="load invalid_argument",
            says=("'s'", "cannot be absent"),
        ),
        Case(
            "sequence_of_another_rank",
            "sequences",
            sequences="s=2,3",
            fails="load invalid_argument",
            says=("'s'", "rank 3", "declares 2"),
        ),
        Case(
            "session_given_up_before_the_run",
            "conv_relu",
            destroy=("session",),
            inputs=[x],
            fails="run invalid_handle closed",
            says=("session",),
        ),
    ]


def wrong_bounds_and_descriptors() -> list[Case]:
    def bounds(name: str, dims: str, says: tuple[str, ...], status: str = "invalid_argument", of: str = "x") -> Case:
        return Case(name, "conv_relu", bounds=((of, dims),), fails=f"create {status}", says=says)

    def desc(name: str, dims: str, says: tuple[str, ...], operator: str = "relu") -> Case:
        return Case(name, operator=operator, descs=(("f32", dims),), fails="create invalid_argument", says=says)

    x = given("x", (4, 3), 1)
    return [
        bounds("bounds_that_cross", "1,3,9..8,1..8", ("9", "8")),
        bounds("bounds_below_zero", "1,3,-4..8,1..8", ("-4",)),
        bounds("bounds_of_another_rank", "1,3,1..8", ("'x'", "rank 3", "4")),
        bounds("bounds_of_another_channel", "1,5,1..8,1..8", ("'x'", "5", "3"), "invalid_argument out_of_bounds"),
        bounds("bounds_of_an_unknown_input", "1,3,1..8,1..8", ("'y'",), "not_found", "y"),
        bounds(
            "bounds_of_more_than_int64",
            "1,3,1..4611686018427387904,1..4611686018427387904",
            ("no bound",),
            "out_of_bounds",
        ),
        desc("descriptor_of_nine_dims", "1,1,1,1,1,1,1,1,1", ("9", "8")),
        desc("descriptor_of_a_negative_dim", "4,-3", ("-3",)),
        desc("descriptor_whose_promises_cross", "4,5..2", ("5", "2")),
        desc("product_of_one_operand", "1..64,5", ("matmul",), "matmul"),
        Case(
            "product_that_does_not_match",
            operator="matmul",
            descs=(("f32", "1..64,5"), ("f32", "6,2")),
            fails="create invalid_argument",
            says=("5", "6"),
        ),
        Case(
            "primitive_outside_its_promise",
            operator="relu",
            descs=(("f32", "1..3,3"),),
            inputs=[x],
            fails="run out_of_bounds",
            says=("4", "3"),
        ),
        Case(
            "primitive_of_another_dtype",
            operator="relu",
            descs=(("f64", "1..9,3"),),
            inputs=[x],
            fails="run invalid_argument",
            says=("f32", "f64"),
        ),
    ]


# Of each hostile model: the status with which it is refused, and what the message says.
HOSTILE: dict[str, tuple[str, tuple[str, ...]]] = {
    "unknown_operator": ("unimplemented", ("Frobnicate_0", "operator Frobnicate")),
    "unknown_domain": ("unimplemented", ("com.example.Relu",)),
    "opset_of_the_future": ("unimplemented", ("opset 9999",)),
    "undefined_value": ("invalid_model", ("Add_0", "'nowhere'")),
    "cycle": ("invalid_model", ("Add_0", "cycle")),
    "value_made_twice": ("invalid_model", ("'y'", "Relu_0", "Neg_1")),
    "output_of_no_node": ("invalid_model", ("'y'",)),
    "constant_too_short": ("invalid_model", ("'weights'", "20 bytes", "48")),
    "constant_too_long": ("invalid_model", ("'weights'", "64 bytes", "48")),
    "constant_of_negative_dims": ("invalid_model", ("'weights'", "-3")),
    "constant_of_huge_dims": ("invalid_model", ("'weights'", "address space")),
    "constant_of_no_dtype": ("invalid_model", ("'weights'", "99")),
    "constant_of_nine_dims": ("unimplemented", ("'weights'", "rank 9", "at most 8")),
    "input_of_nine_dims": ("unimplemented", ("'x'", "rank 9", "at most 8")),
    "stride_of_zero": ("invalid_model", ("Conv_0", "strides[0] is 0")),
    "groups_that_do_not_divide": ("invalid_model", ("Conv_0", "3 groups")),
    "attribute_of_another_type": ("invalid_model", ("Softmax_0", "axis")),
    "products_that_do_not_match": ("invalid_model", ("MatMul_0", "4 columns", "7 rows")),
    "no_graph": ("invalid_model", ("no graph",)),
    "branches_in_branches": ("invalid_model", ("nested too deeply",)),
    "weights_in_a_file_that_is_not_there": ("file_not_found", ("nothing_here.bin",)),
    "weights_outside_of_the_folder": ("invalid_model", ("'..'",)),
    "weights_at_an_absolute_path": ("invalid_model", ("relative path",)),
}


def files() -> list[Case]:
    cases = [
        Case(f"first_{n}_bytes_of_a_model", "conv_relu", first_bytes=n, fails="load invalid_model")
        for n in (0, 1, 40, 200, 600)
    ]
    cases.append(Case("file_that_is_not_there", "not_there", fails="load file_not_found", says=("not_there.onnx",)))
    cases += [
        Case(f"model_with_{name}" if "model" not in name else name, name, fails=f"load {status}", says=says)
        for name, (status, says) in HOSTILE.items()
    ]
    return cases


def every() -> list[Case]:
    return [*good(), *wrong_inputs(), *wrong_bounds_and_descriptors(), *files()]
