// SPDX-License-Identifier: Apache-2.0
// Random numbers in a model: what a node without a seed gets, and numbers from 0 to 1 with the dims of a tensor.
#pragma once

#include "onnx/walk/node_import.h"

namespace anydim::onnx {

// f32 or f64, from 0 (included) to 1 (not included). `stream`: nodes that need several sequences number them.
ValueId random_numbers(NodeImport& n, DType dtype, const SymDims& dims, int64_t stream = 0);

}  // namespace anydim::onnx
