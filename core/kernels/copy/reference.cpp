// SPDX-License-Identifier: Apache-2.0
// The movers one element at a time; see reference.h.
#include "core/kernels/copy/reference.h"

#include <cstring>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

std::byte* element(const TensorView& t, const Dims& at) noexcept {
  int64_t offset = 0;
  for (int i = 0; i < at.rank; ++i) offset += at[i] * t.strides[i];
  return t.as<std::byte>() + offset * dtype_size(t.dtype);
}

// The next index in logical row-major order; false after the last.
bool next(Dims* at, const Dims& dims) noexcept {
  for (int i = dims.rank - 1; i >= 0; --i) {
    if (++at->values[i] < dims[i]) return true;
    at->values[i] = 0;
  }
  return false;
}

// out[at] = source(at), for every index of the output; a null source is skipped.
template <class Source> void for_each_output(const TensorView& out, Source&& source) noexcept {
  if (out.count() == 0) return;
  const auto size = static_cast<size_t>(dtype_size(out.dtype));
  Dims at = Dims::filled(out.dims.rank, 0);
  do {
    if (const std::byte* from = source(at)) std::memcpy(element(out, at), from, size);
  } while (next(&at, out.dims));
}

}  // namespace

Status reference_transpose(const Args& args) noexcept {
  const Perm& perm = static_cast<const Transpose*>(args.op)->perm();
  for_each_output(args.out[0], [&](const Dims& at) {
    Dims from = at;
    for (int i = 0; i < perm.rank; ++i) from[perm[i]] = at[i];
    return element(args.in[0], from);
  });
  return {};
}

Status reference_reshape(const Args& args) noexcept {
  Dims from = Dims::filled(args.in[0].dims.rank, 0);
  for_each_output(args.out[0], [&](const Dims&) {
    const std::byte* p = element(args.in[0], from);
    next(&from, args.in[0].dims);
    return p;
  });
  return {};
}

Status reference_expand(const Args& args) noexcept {
  const TensorView& src = args.in[0];
  const int shift = args.out[0].dims.rank - src.dims.rank;
  for_each_output(args.out[0], [&](const Dims& at) {
    Dims from;
    for (int i = 0; i < src.dims.rank; ++i) from.push_back(src.dims[i] == 1 ? 0 : at[i + shift]);
    return element(src, from);
  });
  return {};
}

Status reference_slice(const Args& args) noexcept {
  const auto& steps = static_cast<const Slice*>(args.op)->steps();
  for_each_output(args.out[0], [&](const Dims& at) {
    Dims from;
    for (int i = 0; i < at.rank; ++i) from.push_back(args.dim_attributes[static_cast<size_t>(i)] + at[i] * steps[i]);
    return element(args.in[0], from);
  });
  return {};
}

Status reference_concat(const Args& args) noexcept {
  const int axis = static_cast<const Concat*>(args.op)->axis();
  for_each_output(args.out[0], [&](const Dims& at) {
    Dims from = at;
    size_t input = 0;
    while (from[axis] >= args.in[input].dims[axis]) from[axis] -= args.in[input++].dims[axis];
    return element(args.in[input], from);
  });
  return {};
}

int64_t pad_source(Pad::Mode mode, int64_t place, int64_t n) noexcept {
  switch (mode) {
    case Pad::Mode::edge: return place < 0 ? 0 : place >= n ? n - 1 : place;
    case Pad::Mode::wrap: return floor_mod(place, n);
    case Pad::Mode::reflect: {
      if (n == 1) return 0;
      const int64_t period = 2 * (n - 1), at = floor_mod(place, period);
      return at < n ? at : period - at;
    }
    case Pad::Mode::constant: break;
  }
  return -1;
}

Status reference_pad(const Args& args) noexcept {
  const auto& op = *static_cast<const Pad*>(args.op);
  const TensorView& src = args.in[0];
  static constexpr uint64_t kZero = 0;
  const bool has_value = args.in.size() > 1 && args.in[1].data != nullptr;
  const std::byte* value = has_value ? args.in[1].as<std::byte>() : reinterpret_cast<const std::byte*>(&kZero);
  if (op.mode() != Pad::Mode::constant && src.count() == 0 && args.out[0].count() > 0)
    return invalid("pad: the input is empty; there is nothing to copy pads from");
  for_each_output(args.out[0], [&](const Dims& at) -> const std::byte* {
    Dims from;
    for (int i = 0; i < at.rank; ++i) {
      int64_t place = at[i] - args.dim_attributes[static_cast<size_t>(i)];
      if (place < 0 || place >= src.dims[i]) {
        if (op.mode() == Pad::Mode::constant) return value;
        place = pad_source(op.mode(), place, src.dims[i]);
      }
      from.push_back(place);
    }
    return element(src, from);
  });
  return {};
}

Status reference_tile(const Args& args) noexcept {
  for_each_output(args.out[0], [&](const Dims& at) {
    Dims from;
    for (int i = 0; i < at.rank; ++i) from.push_back(at[i] % args.in[0].dims[i]);
    return element(args.in[0], from);
  });
  return {};
}

Status reference_depth_to_space(const Args& args) noexcept {
  const auto& op = *static_cast<const DepthToSpace*>(args.op);
  const int64_t b = op.block();
  const int64_t depth = op.inverse() ? args.in[0].dims[1] : args.out[0].dims[1];
  for_each_output(args.out[0], [&](const Dims& at) {
    Dims from = at;
    if (op.inverse()) {  // channel (row, column, depth) comes from the pixel (row, column) of its square
      from[1] = at[1] % depth;
      from[2] = at[2] * b + at[1] / depth / b;
      from[3] = at[3] * b + at[1] / depth % b;
    } else {
      const int64_t square = at[2] % b * b + at[3] % b;
      from[1] = op.order() == DepthToSpace::Order::depth_first ? square * depth + at[1] : at[1] * b * b + square;
      from[2] = at[2] / b;
      from[3] = at[3] / b;
    }
    return element(args.in[0], from);
  });
  return {};
}

}  // namespace anydim
