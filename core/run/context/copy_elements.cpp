// SPDX-License-Identifier: Apache-2.0
// Copies between tensors of any strides: in one piece where both are row-major; see copy_elements.h.
#include "core/run/context/copy_elements.h"

#include <cstring>

#include "core/kernels/copy/copy_core.h"
#include "core/kernels/copy/strided_copy.h"

namespace anydim {

void copy_elements(const TensorView& from, const TensorView& to) noexcept {
  if (from.count() == 0) return;
  if (is_row_major(from) && is_row_major(to)) {
    std::memcpy(to.data, from.data, static_cast<size_t>(from.count() * dtype_size(from.dtype)));
    return;
  }
  StridedCopy copy;
  copy.from = from.as<const std::byte>();
  copy.to = to.as<std::byte>();
  copy.size = dtype_size(from.dtype);
  for (int i = 0; i < from.dims.rank; ++i) copy.axis(from.dims[i], from.strides[i], to.strides[i]);
  run_copy(copy, CopyCore::portable, Parallel{1});
}

Status copy_tensor(const Primitive& copy, const TensorView& from, const TensorView& to, const Parallel& parallel) {
  Args args;
  args.in = {&from, 1};
  args.out = {&to, 1};
  args.parallel = parallel;
  copy.fill_in(&args);
  Plan plan;
  copy.plan(args, &plan);
  // Where the arena is free the plan does not say.
  if (plan.scratch > 0) return error(Code::internal, "kernel {} wants scratch to copy a tensor", copy.kernel().name());
  const FloatingPointScope floating_point;
  return copy.run(plan, args);
}

Status copy_output(const Program& program, size_t output, const TensorView& from, TensorView to, const Parallel& parallel) {
  while (to.dims.rank < from.dims.rank) to.dims.insert(0, 1), to.strides.insert(0, 1);
  return copy_tensor(*program.output_copies[output], from, to, parallel);
}

}  // namespace anydim
