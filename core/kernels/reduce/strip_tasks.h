// SPDX-License-Identifier: Apache-2.0
// The axes of a reduction's call, and how threads share its outputs: strips of the vector axis, some to a task. Not for files of one
// instruction set.
#pragma once

#include "core/base/checked.h"
#include "core/base/threads/threads.h"
#include "core/kernels/reduce/axes.h"
#include "core/tensor/dims.h"

namespace anydim {

// Bit i of `mask`: axis i of x is reduced; y has it with one element (keepdims), or not at all.
inline SplitAxes reduction_axes(const TensorView& x, const TensorView& y, uint32_t mask, bool keepdims) noexcept {
  Strides out = Strides::filled(x.rank(), 0);
  for (int a = 0, o = 0; a < x.rank(); ++a) {
    const bool reduced = mask >> a & 1;
    if (!reduced) out[a] = y.strides[o];
    o += !reduced || keepdims;
  }
  return split_axes(x.rank(), x.dims.values, x.strides.values, out.values, mask);
}

// Calls f(in, out, width) with the offsets of strips that make up all outputs; strips of different tasks may run at the
// same time. `rows`: each output is a contiguous row, which may be cut off anywhere; else strips are whole vectors.
template <class F> void run_strips(const SplitAxes& axes, bool rows, const Parallel& parallel, F&& f) noexcept {
  constexpr int64_t kElementsPerTask = 16 << 10;
  // A chunk of the vector axis is a unit of work; units are grouped until a task is worth its dispatch.
  const int64_t reduced = axes.reduced.count > 0 ? axes.reduced.count : 1;
  int64_t chunk = axes.width, units_per_task = axes.outer_count;
  if (parallel.threads() > 1 && axes.outer_count * axes.width * reduced > kElementsPerTask) {
    const int64_t wanted = ceil_div(4 * static_cast<int64_t>(parallel.threads()), axes.outer_count);
    chunk = ceil_div(axes.width, wanted);
    if (!rows) chunk = round_up(chunk, 16);
    units_per_task = ceil_div(kElementsPerTask, chunk * reduced);
  }
  const int64_t chunks = ceil_div(axes.width, chunk), units = axes.outer_count * chunks;
  if (parallel.threads() == 1) units_per_task = units;
  parallel.run(ceil_div(units, units_per_task), [&](int64_t t, int) {
    const int64_t end = (t + 1) * units_per_task < units ? (t + 1) * units_per_task : units;
    for (int64_t u = t * units_per_task; u < end; ++u) {
      const int64_t i = u % chunks * chunk;
      int64_t in, out;
      outer_offsets(axes, u / chunks, &in, &out);
      f(in + i * axes.in_stride, out + i * axes.out_stride, axes.width - i < chunk ? axes.width - i : chunk);
    }
  });
}

}  // namespace anydim
