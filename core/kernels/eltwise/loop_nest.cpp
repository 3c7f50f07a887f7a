// SPDX-License-Identifier: Apache-2.0
// Ordering and merging of axes; see loop_nest.h.
#include "core/kernels/eltwise/loop_nest.h"

#include "core/tensor/views.h"

namespace anydim {

bool make_loop_nest(const TensorView& out, std::span<const TensorView> in, std::span<const TensorView> post_in, LoopNest* nest) noexcept {
  Strides strides[kMaxOperands];
  int operands = 0;
  strides[operands++] = out.strides;
  for (const TensorView& t : in) strides[operands++] = broadcast_strides(t, out.dims);
  for (const TensorView& t : post_in) strides[operands++] = broadcast_strides(t, out.dims);

  // Axes by falling output stride, logical order among equals; axes of 1 do not count.
  int order[kMaxRank], n = 0;
  for (int a = 0; a < out.dims.rank; ++a) {
    if (out.dims[a] == 0) return false;
    if (out.dims[a] == 1) continue;
    const auto size = [&](int axis) { return out.strides[axis] < 0 ? -out.strides[axis] : out.strides[axis]; };
    int at = n++;
    for (; at > 0 && size(order[at - 1]) < size(a); --at) order[at] = order[at - 1];
    order[at] = a;
  }

  // Built from the innermost axis outwards, at the end of the arrays.
  int top = kMaxRank + 2;
  const auto push = [&](int64_t dim, int axis) {
    --top;
    nest->dims[top] = dim;
    for (int o = 0; o < operands; ++o) nest->strides[o][top] = axis < 0 ? 0 : strides[o][axis];
  };
  for (int i = n - 1; i >= 0; --i) {
    const int a = order[i];
    bool merges = top < kMaxRank + 2;
    for (int o = 0; merges && o < operands; ++o) merges = strides[o][a] == nest->strides[o][top] * nest->dims[top];
    if (merges) nest->dims[top] *= out.dims[a];
    else push(out.dims[a], a);
  }
  while (top > kMaxRank) push(1, -1);

  nest->rank = kMaxRank + 2 - top;
  nest->operands = operands;
  for (int i = 0; i < nest->rank; ++i) {
    nest->dims[i] = nest->dims[top + i];
    for (int o = 0; o < operands; ++o) nest->strides[o][i] = nest->strides[o][top + i];
  }
  return true;
}

}  // namespace anydim
