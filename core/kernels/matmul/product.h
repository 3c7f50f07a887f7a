// SPDX-License-Identifier: Apache-2.0
// A matmul's tensors as a nest of axes: batch axes and rows with the strides of every tensor, ones dropped,
// neighbours merged where memory allows, split into axes that share one right-hand matrix and axes that change it.
#pragma once

#include "core/kernels/epilogue/epilogue.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

// Number of tensors whose strides are followed: a, b, dst, then the epilogue's operands.
constexpr int kProductTensors = 3 + kMaxEpilogueOperands;

// Of the strides only those of tensors that there are have values: a product is made for each matmul at each new shape, and
// filling in all of them took half of that.
struct ProductAxis {
  int64_t count;
  int64_t stride[kProductTensors];
};

struct Product {
  int64_t m = 0, n = 0, k = 0;
  int64_t a_k = 0, b_k = 0, b_n = 0, dst_n = 0;  // strides along k and n
  int64_t operand_n[kMaxEpilogueOperands];
  // outer: b changes along at least the last of them; rows: b does not (at most kRowAxes, the last fastest).
  int outer_count = 0, row_count = 0;
  ProductAxis outer[kMaxRank], rows[4];
  int64_t outer_items() const noexcept;
  int64_t row_items() const noexcept;
  // Of tensor t (0 a, 1 b, 2 dst, 3.. operands) at the outer axes' combination i.
  int64_t item_offset(int64_t i, int t) const noexcept;
};

// Only the sizes: m, n, k from dims.
void product_sizes(const Matmul::Attributes& at, const Dims& a, const Dims& b, int64_t* m, int64_t* n, int64_t* k) noexcept;

// `epilogue` operands have strides against dst's dims.
Product make_product(const Matmul::Attributes& at, const TensorView& a, const TensorView& b, const TensorView& dst,
                     const Epilogue& epilogue) noexcept;

}  // namespace anydim
