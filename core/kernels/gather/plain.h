// SPDX-License-Identifier: Apache-2.0
// The family's functions, and the few steps that references share: walking logical indices, reading an index of either
// width, and saying which one was out of range.
#pragma once

#include <cstring>

#include "core/kernels/gather/index_lines.h"
#include "core/kernels/kernel.h"

namespace anydim {

// Element by element, straight from the definitions.
Status reference_gather(const Args& args) noexcept;
Status reference_gather_elements(const Args& args) noexcept;
Status reference_gather_nd(const Args& args) noexcept;
Status reference_scatter_elements(const Args& args) noexcept;
Status reference_scatter_nd(const Args& args) noexcept;
Status reference_range(const Args& args) noexcept;
Status reference_shape_tensor(const Args& args) noexcept;
Status reference_one_hot(const Args& args) noexcept;
Status reference_trilu(const Args& args) noexcept;
Status reference_eye_like(const Args& args) noexcept;

// By loops over merged axes: by_index.cpp, with an instruction set's way to find places, and patterns.cpp.
Status run_gather(const Args& args, const IndexSteps& steps) noexcept;
Status run_gather_elements(const Args& args, const IndexSteps& steps) noexcept;
Status run_gather_nd(const Args& args, const IndexSteps& steps) noexcept;
Status run_scatter_elements(const Args& args, const IndexSteps& steps) noexcept;
Status run_scatter_nd(const Args& args, const IndexSteps& steps) noexcept;
Status run_range(const Args& args) noexcept;
Status run_one_hot(const Args& args) noexcept;
Status run_trilu(const Args& args) noexcept;
Status run_eye_like(const Args& args) noexcept;
Status run_topk(const Args& args) noexcept;
Status reference_topk(const Args& args) noexcept;
int64_t topk_scratch(int64_t dim, int threads) noexcept;

inline int64_t offset_of(const TensorView& t, const Dims& at) noexcept {
  int64_t o = 0;
  for (int i = 0; i < at.rank; ++i) o += at[i] * t.strides[i];
  return o;
}
inline std::byte* element(const TensorView& t, const Dims& at) noexcept {
  return t.as<std::byte>() + offset_of(t, at) * dtype_size(t.dtype);
}
// The next index in logical row-major order; false after the last.
inline bool next(Dims* at, const Dims& dims) noexcept {
  for (int i = dims.rank - 1; i >= 0; --i) {
    if (++at->values[i] < dims[i]) return true;
    at->values[i] = 0;
  }
  return false;
}
// Calls f(at) for every index of `dims`, in order, until one gives a failure.
template <class F> Status for_each(const Dims& dims, F&& f) noexcept {
  if (element_count(dims) == 0) return {};
  Dims at = Dims::filled(dims.rank, 0);
  do {
    if (Status s = f(at); !s.ok()) return s;
  } while (next(&at, dims));
  return {};
}

inline int64_t read_index(const TensorView& t, int64_t offset) noexcept {
  return t.dtype == DType::i64 ? t.as<const int64_t>()[offset] : t.as<const int32_t>()[offset];
}

// The index in input 1 at `at`, negative ones counted from the end of an axis of `bound` elements.
inline Status checked_index(const TensorView& indices, const Dims& at, int axis, int64_t bound, int64_t* out) noexcept {
  const int64_t found = read_index(indices, offset_of(indices, at));
  *out = found < 0 ? found + bound : found;
  if (*out >= 0 && *out < bound) return {};
  return error(Code::invalid_data, "index {} at position [{}] of input 1 is out of range for axis {} of {} elements; expected {}..{}",
               found, joined(at, ", "), axis, bound, -bound, bound - 1);
}

}  // namespace anydim
