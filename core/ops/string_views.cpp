// SPDX-License-Identifier: Apache-2.0
// Checks and sensible data that operators on strings share.
#include "core/ops/string_views.h"

#include <algorithm>

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status check_strings(std::span<const TensorType> in, size_t views) {
  if (in[views].dtype != DType::i64) return invalid("input {} has dtype {}; views of strings are i64", views, dtype_name(in[views].dtype));
  const TensorType& heap = in[views + 1];
  if (heap.dtype != DType::u8) return invalid("input {} has dtype {}; a heap of strings is u8", views + 1, dtype_name(heap.dtype));
  return check_rank(heap, static_cast<int>(views + 1), 1, 1);
}

Status check_automata(DimPool& pool, std::span<const TensorType> in, size_t classes, bool one) {
  const TensorType &c = in[classes], &t = in[classes + 1];
  if (c.dtype != DType::u8) return invalid("input {} has dtype {}; expected u8", classes, dtype_name(c.dtype));
  if (t.dtype != DType::i32) return invalid("input {} has dtype {}; expected i32", classes + 1, dtype_name(t.dtype));
  ANYDIM_TRY(check_rank(c, static_cast<int>(classes), 2, 2));
  ANYDIM_TRY(check_rank(t, static_cast<int>(classes + 1), 2, 2));
  ANYDIM_TRY(check_same_dim(c.dims[1], 256, static_cast<int>(classes), 1));
  ANYDIM_TRY(require_equal(pool, c.dims[1], 256, "classes of bytes"));
  if (!one) return {};
  ANYDIM_TRY(check_same_dim(c.dims[0], 1, static_cast<int>(classes), 0));
  return require_equal(pool, c.dims[0], 1, "automata");
}

ValueRange sensible_views(const Dims& heap) noexcept { return {0, std::clamp<int64_t>(heap.rank == 1 ? heap[0] : 0, 0, kLongestString)}; }

ValueRange sensible_strings(std::span<const Dims> in, size_t input) noexcept {
  switch (input) {
    case 0: return sensible_views(in[1]);
    case 1: return kSensibleBytes;
    case 2: return {0, in.size() > 3 && in[3].rank == 2 ? std::clamp<int64_t>(in[3][1] - 2, 0, 255) : 0};
    default: return {-2, in[input].rank == 2 ? std::clamp<int64_t>(2 * in[input][0] - 1, -2, INT32_MAX) : -2};
  }
}

}  // namespace anydim
