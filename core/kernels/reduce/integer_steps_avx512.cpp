// SPDX-License-Identifier: Apache-2.0
// Steps of integer reductions, and running rows, avx512.
#include "core/kernels/reduce/integer_steps.inl.h"
#include "core/kernels/reduce/running_rows.inl.h"

namespace anydim {

const IntegerSteps* IntegerStepsOf::avx512(ReduceKind kind, DType dtype) noexcept { return avx512::integer_steps(kind, dtype); }
RunningFunction RunningRowsOf::avx512(bool product, DType dtype) noexcept { return avx512::running_rows(product, dtype); }

}  // namespace anydim
