// SPDX-License-Identifier: Apache-2.0
// See result.h.
#include "core/tensor/result.h"

#include "core/base/result_memory.h"

namespace anydim {

Status place_result(std::string_view what, const Perm& order, TensorView* t) {
  t->strides = dense_strides(t->dims, order);
  const int64_t bytes = saturating_mul(t->count(), dtype_size(t->dtype));
  if (bytes >= kMaxSize)
    return error(Code::out_of_memory, "{} of dims {} needs more memory than any address space has", what, to_string(t->dims));
  t->data = ResultMemory::instance().take(bytes);
  if (t->data != nullptr) return {};
  return error(Code::out_of_memory, "{} of dims {} needs {} bytes, which could not be had", what, to_string(t->dims), bytes);
}

}  // namespace anydim
