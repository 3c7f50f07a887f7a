// SPDX-License-Identifier: Apache-2.0
// Steps of integer reductions, and running rows, portable.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/kernels/reduce/integer_steps.h"
#include "core/kernels/reduce/running_rows.h"

namespace anydim {
namespace {
#include "core/kernels/reduce/integer_steps.inl.h"
#include "core/kernels/reduce/running_rows.inl.h"
}  // namespace

const IntegerSteps* integer_steps_portable(ReduceKind kind, DType dtype) noexcept { return integer_steps(kind, dtype); }
RunningFunction running_rows_portable(bool product, DType dtype) noexcept { return running_rows(product, dtype); }

}  // namespace anydim
