// SPDX-License-Identifier: Apache-2.0
// ScatterElements and ScatterND element by element, the truth for tests: a copy of the data, then the updates in their logical order on one thread, so that
// updates that meet combine in one order always.
#include <cstring>

#include "core/kernels/gather/combine.h"
#include "core/kernels/gather/plain.h"
#include "core/ops/operators/scatter_nd.h"

namespace anydim {

namespace {

template <class T> void apply_as(ScatterReduction r, std::byte* to, const std::byte* from) noexcept {
  T there, update;
  std::memcpy(&there, to, sizeof(T));
  std::memcpy(&update, from, sizeof(T));
  there = combine(r, there, update);
  std::memcpy(to, &there, sizeof(T));
}

void apply(ScatterReduction r, DType t, std::byte* to, const std::byte* from) noexcept {
  if (r == ScatterReduction::none) {
    std::memcpy(to, from, static_cast<size_t>(dtype_size(t)));
    return;
  }
  switch (t) {
    case DType::f32: return apply_as<float>(r, to, from);
    case DType::f64: return apply_as<double>(r, to, from);
    case DType::i8: return apply_as<int8_t>(r, to, from);
    case DType::u8: return apply_as<uint8_t>(r, to, from);
    case DType::i16: return apply_as<int16_t>(r, to, from);
    case DType::u16: return apply_as<uint16_t>(r, to, from);
    case DType::i32: return apply_as<int32_t>(r, to, from);
    case DType::u32: return apply_as<uint32_t>(r, to, from);
    case DType::i64: return apply_as<int64_t>(r, to, from);
    case DType::u64: return apply_as<uint64_t>(r, to, from);
    default: return;  // refused by supports()
  }
}

Status copy_data(const TensorView& data, const TensorView& out) noexcept {
  if (data.data == out.data) return {};
  const auto size = static_cast<size_t>(dtype_size(data.dtype));
  return for_each(out.dims, [&](const Dims& at) -> Status {
    std::memcpy(element(out, at), element(data, at), size);
    return {};
  });
}

}  // namespace

Status reference_scatter_elements(const Args& args) noexcept {
  const TensorView &indices = args.in[1], &updates = args.in[2], &out = args.out[0];
  const auto& op = *static_cast<const ScatterElements*>(args.op);
  ANYDIM_TRY(copy_data(args.in[0], out));
  return for_each(indices.dims, [&](const Dims& at) -> Status {
    Dims to = at;
    ANYDIM_TRY(checked_index(indices, at, op.axis(), out.dims[op.axis()], &to[op.axis()]));
    apply(op.reduction(), out.dtype, element(out, to), element(updates, at));
    return {};
  });
}

Status reference_scatter_nd(const Args& args) noexcept {
  const TensorView &indices = args.in[1], &updates = args.in[2], &out = args.out[0];
  const ScatterReduction r = static_cast<const ScatterNd*>(args.op)->reduction();
  const int last = indices.dims.rank - 1, width = static_cast<int>(indices.dims[last]);
  ANYDIM_TRY(copy_data(args.in[0], out));
  return for_each(updates.dims, [&](const Dims& at) -> Status {
    Dims pick, to;
    for (int i = 0; i < last; ++i) pick.push_back(at[i]);
    pick.push_back(0);
    for (int i = 0; i < width; ++i) {
      pick[last] = i;
      int64_t index = 0;
      ANYDIM_TRY(checked_index(indices, pick, i, out.dims[i], &index));
      to.push_back(index);
    }
    for (int i = last; i < at.rank; ++i) to.push_back(at[i]);
    apply(r, out.dtype, element(out, to), element(updates, at));
    return {};
  });
}

}  // namespace anydim
