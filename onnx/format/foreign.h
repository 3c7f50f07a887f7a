// SPDX-License-Identifier: Apache-2.0
// Files that people load as ONNX models and that are something else, by how they begin.
#pragma once

#include <string>
#include <string_view>

namespace anydim::onnx {

// What these bytes, which are no ONNX model, are, and what to do; empty if that is not known.
std::string foreign_file(std::string_view bytes);

}  // namespace anydim::onnx
