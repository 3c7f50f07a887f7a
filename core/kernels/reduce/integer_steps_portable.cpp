// SPDX-License-Identifier: Apache-2.0
// Steps of integer reductions, portable.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/kernels/reduce/integer_steps.h"

namespace anydim {
namespace {
#include "core/kernels/reduce/integer_steps.inl.h"
}  // namespace

const IntegerSteps* integer_steps_portable(ReduceKind kind, DType dtype) noexcept { return integer_steps(kind, dtype); }

}  // namespace anydim
