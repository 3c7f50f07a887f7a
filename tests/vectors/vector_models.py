# SPDX-License-Identifier: Apache-2.0
"""The models of the test vectors: small ones that run, and hostile ones that must be refused. make.py writes them.

Each has a few nodes, dims that are known when they run where its operator allows it, and constants from a formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

Array = NDArray[np.generic]
FLOAT, HALF, INT64, BOOL, INT32 = (
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.INT64,
    TensorProto.BOOL,
    TensorProto.INT32,
)
Dims = Sequence[int | str]


def values(count: int, seed: int) -> NDArray[np.float32]:
    """Numbers in [-2, 2) with 12 significant bits, from a linear congruential generator: no library decides on them."""
    state, out = seed * 2654435761 % 2**32, np.empty(count, np.float32)
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out[i] = (state >> 20) / 1024 - 2
    return out


def constant(name: str, dims: Sequence[int], seed: int, dtype: type = np.float32) -> TensorProto:
    array: Array = values(int(np.prod(dims)), seed).reshape(dims).astype(dtype)
    return numpy_helper.from_array(array, name)


def edge(name: str, dtype: int, dims: Dims) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, list(dims))


def model(graph: GraphProto, opset: int = 17) -> ModelProto:
    made = helper.make_model(graph, producer_name="anydim test vectors", opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def graph(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    constants: Sequence[TensorProto] = (),
) -> GraphProto:
    for i, node in enumerate(nodes):
        node.name = node.name or f"{node.op_type}_{i}"
    return helper.make_graph(list(nodes), "vectors", list(inputs), list(outputs), list(constants))


# -- models that run ----------------------------------------------------------------------------------------------


def conv_relu() -> ModelProto:
    nodes = [
        helper.make_node("Conv", ["x", "kernel", "bias"], ["sums"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["sums"], ["y"]),
    ]
    constants = [constant("kernel", [4, 3, 3, 3], 1), constant("bias", [4], 2)]
    return model(
        graph(nodes, [edge("x", FLOAT, ["n", 3, "h", "w"])], [edge("y", FLOAT, ["n", 4, "h", "w"])], constants)
    )


def matmul() -> ModelProto:
    nodes = [helper.make_node("MatMul", ["x", "weights"], ["y"])]
    return model(
        graph(nodes, [edge("x", FLOAT, ["rows", 5])], [edge("y", FLOAT, ["rows", 3])], [constant("weights", [5, 3], 3)])
    )


def layer_norm() -> ModelProto:
    nodes = [helper.make_node("LayerNormalization", ["x", "scale", "shift"], ["y"], axis=-1, epsilon=1e-5)]
    constants = [constant("scale", [6], 4), constant("shift", [6], 5)]
    return model(graph(nodes, [edge("x", FLOAT, ["n", 6])], [edge("y", FLOAT, ["n", 6])], constants))


def softmax() -> ModelProto:
    nodes = [helper.make_node("Softmax", ["x"], ["y"], axis=-1)]
    return model(graph(nodes, [edge("x", FLOAT, ["n", "m"])], [edge("y", FLOAT, ["n", "m"])]))


def gather() -> ModelProto:
    nodes = [helper.make_node("Gather", ["x", "indices"], ["y"], axis=0)]
    inputs = [edge("x", FLOAT, ["n", 3]), edge("indices", INT64, ["k"])]
    return model(graph(nodes, inputs, [edge("y", FLOAT, ["k", 3])]))


def add() -> ModelProto:
    """Two inputs, broadcast; with two outputs."""
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Greater", ["a", "b"], ["more"])]
    inputs = [edge("a", FLOAT, ["n", "m"]), edge("b", FLOAT, ["k", "l"])]
    return model(graph(nodes, inputs, [edge("sum", FLOAT, ["p", "q"]), edge("more", BOOL, ["p", "q"])]))


def half() -> ModelProto:
    nodes = [helper.make_node("Mul", ["x", "scale"], ["scaled"]), helper.make_node("Sigmoid", ["scaled"], ["y"])]
    return model(
        graph(nodes, [edge("x", HALF, ["n", 4])], [edge("y", HALF, ["n", 4])], [constant("scale", [4], 6, np.float16)])
    )


def integers() -> ModelProto:
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["square"]),
        helper.make_node("Cast", ["square"], ["y"], to=INT64),
        helper.make_node("ReduceMax", ["square"], ["most"], axes=[1], keepdims=0),
    ]
    return model(
        graph(nodes, [edge("x", INT32, ["n", "m"])], [edge("y", INT64, ["n", "m"]), edge("most", INT32, ["n"])])
    )


def flatten_by_shape() -> ModelProto:
    """A reshape whose target is computed from the input's own dims."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["n"], axis=0),
        helper.make_node("Concat", ["n", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["y"]),
    ]
    constants = [numpy_helper.from_array(np.array([v], np.int64), name) for name, v in (("zero", 0), ("rest", -1))]
    return model(graph(nodes, [edge("x", FLOAT, ["n", "h", "w"])], [edge("y", FLOAT, ["n", "hw"])], constants))


def non_zero() -> ModelProto:
    """The size of the output is known when the data is."""
    nodes = [helper.make_node("NonZero", ["x"], ["y"])]
    return model(graph(nodes, [edge("x", FLOAT, ["n", "m"])], [edge("y", INT64, [2, "found"])]))


def identity() -> ModelProto:
    """The least that a model can do: what a call costs beside its work is measured with it (bench/calls.cpp)."""
    return model(
        graph([helper.make_node("Identity", ["x"], ["y"])], [edge("x", FLOAT, ["n"])], [edge("y", FLOAT, ["n"])])
    )


def branch() -> ModelProto:
    def body(op: str) -> GraphProto:
        return helper.make_graph(
            [helper.make_node(op, ["x"], ["r"], name=f"{op}_inside")], op, [], [edge("r", FLOAT, ["n"])]
        )

    nodes = [helper.make_node("If", ["condition"], ["y"], then_branch=body("Neg"), else_branch=body("Abs"))]
    return model(graph(nodes, [edge("condition", BOOL, []), edge("x", FLOAT, ["n"])], [edge("y", FLOAT, ["n"])]))


def loop() -> ModelProto:
    """x doubled as often as `times` says."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["v", "v"], ["twice"], name="double"),
            helper.make_node("Identity", ["go"], ["on"], name="go_on"),
        ],
        "body",
        [edge("i", INT64, []), edge("go", BOOL, []), edge("v", FLOAT, ["n"])],
        [edge("on", BOOL, []), edge("twice", FLOAT, ["n"])],
    )
    nodes = [helper.make_node("Loop", ["times", "yes", "x"], ["y"], body=body)]
    yes = numpy_helper.from_array(np.array(True), "yes")
    return model(graph(nodes, [edge("times", INT64, []), edge("x", FLOAT, ["n"])], [edge("y", FLOAT, ["n"])], [yes]))


def sequences() -> ModelProto:
    """A sequence that comes in, one that is known when the model is loaded, one as long as what came in, and its first element."""
    nodes = [
        helper.make_node("SequenceConstruct", ["x", "x"], ["pair"]),
        helper.make_node("SequenceInsert", ["s", "x"], ["more"]),
        helper.make_node("SequenceAt", ["s", "zero"], ["element"]),
        helper.make_node("Neg", ["element"], ["first"]),
    ]
    inputs = [helper.make_tensor_sequence_value_info("s", FLOAT, [None, None]), edge("x", FLOAT, ["n", "m"])]
    outputs = [helper.make_tensor_sequence_value_info(name, FLOAT, None) for name in ("pair", "more")]
    zero = numpy_helper.from_array(np.array(0, np.int64), "zero")
    return model(graph(nodes, inputs, [*outputs, edge("first", FLOAT, ["a", "b"])], [zero]))


def optional() -> ModelProto:
    """Is an optional there?"""
    nodes = [helper.make_node("OptionalHasElement", ["x"], ["has"])]
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, ["n"]))
    return model(graph(nodes, [helper.make_value_info("x", kind)], [edge("has", BOOL, [])]))


GOOD: dict[str, Callable[[], ModelProto]] = {
    f.__name__: f
    for f in (
        conv_relu, matmul, layer_norm, softmax, gather, add, half, integers, flatten_by_shape, non_zero, branch, loop, identity, sequences,
        optional,
    )
}  # fmt: skip


# -- models that are refused when they are loaded ---------------------------------------------------------------------


def _one(node: NodeProto, constants: Sequence[TensorProto] = (), opset: int = 17, dims: Dims = ("n", 4)) -> ModelProto:
    return model(graph([node], [edge("x", FLOAT, dims)], [edge("y", FLOAT, ["a", "b"])], constants), opset)


def unknown_operator() -> ModelProto:
    return _one(helper.make_node("Frobnicate", ["x"], ["y"]))


def unknown_domain() -> ModelProto:
    return _one(helper.make_node("Relu", ["x"], ["y"], domain="com.example"))


def opset_of_the_future() -> ModelProto:
    return _one(helper.make_node("Relu", ["x"], ["y"]), opset=9999)


def undefined_value() -> ModelProto:
    return _one(helper.make_node("Add", ["x", "nowhere"], ["y"]))


def cycle() -> ModelProto:
    nodes = [helper.make_node("Add", ["x", "b"], ["y"]), helper.make_node("Relu", ["y"], ["b"])]
    return model(graph(nodes, [edge("x", FLOAT, ["n"])], [edge("y", FLOAT, ["n"])]))


def value_made_twice() -> ModelProto:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["y"])]
    return model(graph(nodes, [edge("x", FLOAT, ["n"])], [edge("y", FLOAT, ["n"])]))


def output_of_no_node() -> ModelProto:
    return model(graph([helper.make_node("Relu", ["x"], ["z"])], [edge("x", FLOAT, ["n"])], [edge("y", FLOAT, ["n"])]))


def _weights(dims: Sequence[int], data: bytes, dtype: int = FLOAT) -> ModelProto:
    weights = TensorProto(name="weights", data_type=dtype, dims=dims, raw_data=data)
    return _one(helper.make_node("MatMul", ["x", "weights"], ["y"]), [weights])


def constant_too_short() -> ModelProto:
    return _weights([4, 3], bytes(20))


def constant_too_long() -> ModelProto:
    return _weights([4, 3], bytes(64))


def constant_of_negative_dims() -> ModelProto:
    return _weights([4, -3], bytes(48))


def constant_of_huge_dims() -> ModelProto:
    return _weights([2**40, 2**40], bytes(48))


def constant_of_no_dtype() -> ModelProto:
    return _weights([4, 3], bytes(48), 99)


def constant_of_nine_dims() -> ModelProto:
    return _weights([1, 1, 1, 1, 1, 1, 1, 4, 3], bytes(48))


def input_of_nine_dims() -> ModelProto:
    return _one(helper.make_node("Relu", ["x"], ["y"]), dims=[1, 2, 3, 4, 5, 6, 7, 8, 9])


def external(location: str) -> Callable[[], ModelProto]:
    def make() -> ModelProto:
        weights = TensorProto(name="weights", data_type=FLOAT, dims=[4, 3], data_location=TensorProto.EXTERNAL)
        weights.external_data.add(key="location", value=location)
        return _one(helper.make_node("MatMul", ["x", "weights"], ["y"]), [weights])

    return make


def stride_of_zero() -> ModelProto:
    kernel = constant("kernel", [4, 3, 3, 3], 1)
    node = helper.make_node("Conv", ["x", "kernel"], ["y"], kernel_shape=[3, 3], strides=[0, 1])
    return model(
        graph([node], [edge("x", FLOAT, ["n", 3, "h", "w"])], [edge("y", FLOAT, ["n", 4, "a", "b"])], [kernel])
    )


def groups_that_do_not_divide() -> ModelProto:
    kernel = constant("kernel", [4, 3, 3, 3], 1)
    node = helper.make_node("Conv", ["x", "kernel"], ["y"], kernel_shape=[3, 3], group=3)
    return model(
        graph([node], [edge("x", FLOAT, ["n", 3, "h", "w"])], [edge("y", FLOAT, ["n", 4, "a", "b"])], [kernel])
    )


def attribute_of_another_type() -> ModelProto:
    node = helper.make_node("Softmax", ["x"], ["y"])
    node.attribute.add(name="axis", type=AttributeProto.STRING, s=b"last")
    return _one(node)


def products_that_do_not_match() -> ModelProto:
    return _one(helper.make_node("MatMul", ["x", "weights"], ["y"]), [constant("weights", [7, 3], 1)])


def no_graph() -> ModelProto:
    made = _one(helper.make_node("Relu", ["x"], ["y"]))
    made.ClearField("graph")
    return made


def chunk(number: int, data: bytes) -> bytes:
    """A field of a message, as protobuf writes it."""
    size, length = len(data), bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + data


def branches_in_branches() -> bytes:
    """An If in an If, a hundred and fifty deep: the onnx package itself refuses to write it."""
    inner = chunk(1, chunk(1, b"x") + chunk(2, b"r") + chunk(4, b"Neg"))
    for _ in range(150):
        branch = chunk(1, b"then_branch") + chunk(6, inner) + bytes([20 << 3 & 127 | 128, 1, AttributeProto.GRAPH])
        inner = chunk(1, chunk(1, b"x") + chunk(2, b"r") + chunk(4, b"If") + chunk(5, branch))
    edges = chunk(11, edge("x", BOOL, []).SerializeToString()) + chunk(12, edge("r", BOOL, []).SerializeToString())
    opset = chunk(8, chunk(1, b"") + bytes([2 << 3, 17]))
    return bytes([1 << 3, 8]) + opset + chunk(7, inner + edges)


HOSTILE: dict[str, Callable[[], ModelProto | bytes]] = {
    f.__name__: f
    for f in (
        unknown_operator, unknown_domain, opset_of_the_future, undefined_value, cycle, value_made_twice,
        output_of_no_node, constant_too_short, constant_too_long, constant_of_negative_dims, constant_of_huge_dims,
        constant_of_no_dtype, constant_of_nine_dims, input_of_nine_dims, stride_of_zero, groups_that_do_not_divide,
        attribute_of_another_type, products_that_do_not_match, no_graph, branches_in_branches,
    )
} | {
    "weights_in_a_file_that_is_not_there": external("nothing_here.bin"),
    "weights_outside_of_the_folder": external("../../../../../../etc/passwd"),
    "weights_at_an_absolute_path": external("/etc/passwd"),
}  # fmt: skip
