// SPDX-License-Identifier: Apache-2.0
// Results in memory of the library; see result.h.
#include "core/tensor/result.h"

#include "core/base/memory/result_memory.h"

namespace anydim {

namespace {
int64_t bytes_of(const TensorView& t) noexcept { return saturating_mul(t.count(), dtype_size(t.dtype)); }
}  // namespace

bool find_room(const Perm& order, const Parallel& parallel, TensorView* t) noexcept {
  t->strides = dense_strides(t->dims, order);
  const int64_t bytes = bytes_of(*t);
  t->data = bytes >= kMaxSize ? nullptr : ResultMemory::instance().allocate(bytes, parallel);
  return t->data != nullptr;
}

Status no_room(std::string_view what, const TensorView& t) {
  const int64_t bytes = bytes_of(t);
  if (bytes >= kMaxSize)
    return error(Code::out_of_memory, "{} of dims {} needs more memory than any address space has", what, to_string(t.dims));
  return error(Code::out_of_memory, "{} of dims {} needs {} bytes, which could not be allocated", what, to_string(t.dims), bytes);
}

}  // namespace anydim
