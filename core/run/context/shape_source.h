// SPDX-License-Identifier: Apache-2.0
// What the slots of a shape are evaluated from: dims and strides of the inputs, and the numbers that shapes follow from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/tensor/views.h"

namespace anydim {

struct ShapeSource {
  std::vector<TensorView> in;       // their dims and strides count
  std::vector<int64_t> content;     // elements of small integer inputs
  std::vector<int64_t> parameters;  // of a body: values of the program around it
  std::vector<int64_t> rooms;       // by output: along its cache's axis; 0: no more than its dim

  bool same_shape(const ShapeSource& other) const noexcept {
    return content == other.content && parameters == other.parameters && rooms == other.rooms &&
           std::equal(in.begin(), in.end(), other.in.begin(),
                      [](const TensorView& a, const TensorView& b) { return a.dims == b.dims && a.strides == b.strides; });
  }
};

}  // namespace anydim
