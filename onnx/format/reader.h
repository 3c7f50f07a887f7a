// SPDX-License-Identifier: Apache-2.0
// Reads an ONNX file's bytes into the structs of proto.h. Encoding only: what the model means is import.h's.
// Any input is safe: what is damaged gives Code::invalid_model with the place in the message ("graph.node[12].
// attribute[0]: ..."). Memory is bounded by a small multiple of the input's size.
#pragma once

#include "onnx/format/proto.h"
#include "onnx/format/source.h"

namespace anydim::onnx {

// The result views `bytes`; keep them.
Result<ModelProto> read_model(std::string_view bytes);

}  // namespace anydim::onnx
