// SPDX-License-Identifier: Apache-2.0
// Tensors made from a rule, element by element: Range, ShapeTensor, OneHot, Trilu, EyeLike.
#include <cstring>
#include <type_traits>

#include "core/kernels/gather/numbers.h"
#include "core/kernels/gather/plain.h"
#include "core/ops/operators/eye_like.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/shape_tensor.h"
#include "core/ops/operators/trilu.h"

namespace anydim {

namespace {

int64_t read_number(const TensorView& t, int64_t offset) noexcept {
  int64_t v = 0;
  with_type(t.dtype, [&](auto zero) { v = integer_of(t.as<const decltype(zero)>()[offset]); });
  return v;
}

}  // namespace

Status reference_range(const Args& args) noexcept {
  const auto& op = *static_cast<const Range*>(args.op);
  const TensorView& out = args.out[0];
  with_type(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < out.dims[0]; ++i) {
      T y;
      if constexpr (std::is_floating_point_v<T>) {
        const T start = op.is_real() ? static_cast<T>(op.real_start()) : static_cast<T>(args.dim_attributes[0]);
        const T delta = op.is_real() ? static_cast<T>(op.real_delta()) : static_cast<T>(args.dim_attributes[1]);
        y = start + static_cast<T>(i) * delta;
      } else {
        const auto start = static_cast<uint64_t>(args.dim_attributes[0]), delta = static_cast<uint64_t>(args.dim_attributes[1]);
        y = static_cast<T>(start + static_cast<uint64_t>(i) * delta);
      }
      out.as<T>()[i * out.strides[0]] = y;
    }
  });
  return {};
}

Status reference_shape_tensor(const Args& args) noexcept {
  const TensorView& out = args.out[0];
  const int64_t step = out.dims.rank == 0 ? 0 : out.strides[0];
  with_type(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < args.dim_attributes.size(); ++i) {
      const int64_t v = args.dim_attributes[i];
      out.as<T>()[static_cast<int64_t>(i) * step] = out.dtype == DType::boolean ? static_cast<T>(v != 0) : static_cast<T>(v);
    }
  });
  return {};
}

Status reference_one_hot(const Args& args) noexcept {
  const TensorView &indices = args.in[0], &values = args.in[1], &out = args.out[0];
  const int axis = static_cast<const OneHot*>(args.op)->axis();
  const auto size = static_cast<size_t>(dtype_size(out.dtype));
  const auto* off = values.as<const std::byte>();
  const std::byte* on = off + values.strides[0] * static_cast<int64_t>(size);
  return for_each(out.dims, [&](const Dims& at) -> Status {
    Dims pick = at;
    pick.erase(axis);
    const int64_t depth = out.dims[axis];
    int64_t index = read_number(indices, offset_of(indices, pick));
    if (index < 0 && index >= -depth) index += depth;
    std::memcpy(element(out, at), index == at[axis] ? on : off, size);
    return {};
  });
}

Status reference_trilu(const Args& args) noexcept {
  const TensorView &in = args.in[0], &out = args.out[0];
  const bool upper = static_cast<const Trilu*>(args.op)->upper();
  const int64_t k = args.dim_attributes[0];
  const auto size = static_cast<size_t>(dtype_size(out.dtype));
  return for_each(out.dims, [&](const Dims& at) -> Status {
    const int64_t over = at[at.rank - 1] - at[at.rank - 2];  // columns right of the main diagonal
    if (upper ? over >= k : over <= k) std::memcpy(element(out, at), element(in, at), size);
    else std::memset(element(out, at), 0, size);
    return {};
  });
}

Status reference_eye_like(const Args& args) noexcept {
  const TensorView& out = args.out[0];
  const int64_t k = static_cast<const EyeLike*>(args.op)->k();
  const uint64_t one = one_bits(out.dtype), zero = 0;
  const auto size = static_cast<size_t>(dtype_size(out.dtype));
  return for_each(out.dims, [&](const Dims& at) -> Status {
    std::memcpy(element(out, at), at[1] - at[0] == k ? &one : &zero, size);
    return {};
  });
}

}  // namespace anydim
