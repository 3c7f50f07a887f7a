# SPDX-License-Identifier: Apache-2.0
"""Element types that nobody meant: a graph of another kind in which an input, a constant or the target of a Cast gets another type.
Most are no models any more. Whoever runs one must be right: judge.py lets us refuse only what ONNX Runtime refuses, too."""

from __future__ import annotations

import random

import numpy as np
import onnx
from cases import NUMPY, initializer


def disturb(model: onnx.ModelProto, chosen: random.Random) -> onnx.ModelProto:
    """The model with one or two types changed."""
    graph = model.graph
    casts = [a for n in graph.node for a in n.attribute if n.op_type == "Cast" and a.name == "to"]
    # What is declared of the outputs would refuse most of them; a few keep it.
    if chosen.random() < 0.85:
        for output in graph.output:
            output.ClearField("type")
    for _ in range(chosen.choice((1, 1, 2))):
        # Small vectors of integers are shapes and axes, of which one type is enough.
        places = [*graph.input, *graph.initializer, *casts]
        if not places:
            return model
        place = chosen.choice(places)
        kind = chosen.choice(list(NUMPY))
        if isinstance(place, onnx.ValueInfoProto):
            place.type.tensor_type.elem_type = kind
        elif isinstance(place, onnx.TensorProto):
            with np.errstate(all="ignore"):
                changed = onnx.numpy_helper.to_array(place).astype(NUMPY[kind])
            place.CopyFrom(initializer(place.name, changed))
        else:
            place.i = kind
    return model
