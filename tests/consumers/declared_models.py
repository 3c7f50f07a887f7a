# SPDX-License-Identifier: Apache-2.0
"""Models whose files declare strings, maps and sequences, for the tests of Java and Rust."""

from __future__ import annotations

import sys
from pathlib import Path


def declared_models(folder: Path) -> None:
    """Models whose files have strings, maps and sequences."""
    from onnx import TensorProto, helper

    floats, texts = TensorProto.FLOAT, TensorProto.STRING

    def save(name: str, nodes: list[object], inputs: list[object], outputs: list[object]) -> None:
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3)]
        graph = helper.make_graph(nodes, name, inputs, outputs)
        (folder / f"{name}.onnx").write_bytes(
            helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
        )

    def tensor(name: str, kind: int, dims: list[object]) -> object:
        return helper.make_tensor_value_info(name, kind, dims)

    encoder = helper.make_node(
        "LabelEncoder", ["city"], ["country"], domain="ai.onnx.ml", keys_strings=["Oslo", "Lima"],
        values_strings=["Norway", "Peru"], default_string="?",
    )  # fmt: skip
    save("labels", [encoder], [tensor("city", texts, ["n"])], [tensor("country", texts, ["n"])])
    joined = helper.make_node("StringConcat", ["a", "b"], ["y"])
    save("joined", [joined], [tensor("a", texts, ["n"]), tensor("b", texts, ["n"])], [tensor("y", texts, ["n"])])
    probabilities = helper.make_node("ZipMap", ["x"], ["p"], domain="ai.onnx.ml", classlabels_strings=["no", "yes"])
    row = helper.make_node("DictVectorizer", ["m"], ["row"], domain="ai.onnx.ml", string_vocabulary=["a", "b", "c"])
    kind = helper.make_map_type_proto(texts, helper.make_tensor_type_proto(floats, []))
    rows = helper.make_sequence_type_proto(kind)
    save(
        "maps",
        [probabilities, row],
        [tensor("x", floats, ["n", 2]), helper.make_value_info("m", kind)],
        [helper.make_value_info("p", rows), tensor("row", floats, [1, 3])],
    )
    whole = helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(floats, ["n"]))
    save(
        "sequences",
        [whole, helper.make_node("Identity", ["s"], ["t"])],
        [helper.make_value_info("s", sequence)],
        [tensor("y", floats, ["m"]), helper.make_value_info("t", sequence)],
    )


if __name__ == "__main__":
    declared_models(Path(sys.argv[1]))
