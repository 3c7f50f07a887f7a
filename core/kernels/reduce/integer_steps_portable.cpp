// SPDX-License-Identifier: Apache-2.0
// Steps of integer reductions, and running rows, portable.
#include "core/kernels/reduce/integer_steps.inl.h"
#include "core/kernels/reduce/running_rows.inl.h"

namespace anydim {

const IntegerSteps* IntegerStepsOf::portable(ReduceKind kind, DType dtype) noexcept { return portable::integer_steps(kind, dtype); }
RunningFunction RunningRowsOf::portable(bool product, DType dtype) noexcept { return portable::running_rows(product, dtype); }

}  // namespace anydim
