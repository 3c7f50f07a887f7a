// SPDX-License-Identifier: Apache-2.0
// The reference of resize; see reference.h and docs/numerics.md section 6.
#include "core/kernels/resize/reference.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/checked.h"
#include "core/kernels/resize/tables.h"
#include "core/kernels/simd/half.h"

namespace anydim {

namespace {

// 16-bit floats and integers up to 16 bits are interpolated in f32, integers of 32 bits in f64; each is rounded once.
template <class E> E element(const TensorView& t, int64_t i) noexcept {
  switch (t.dtype) {
    case DType::f16: return static_cast<float>(t.as<const StoredF16>()[i]);
    case DType::bf16: return static_cast<float>(t.as<const StoredBF16>()[i]);
    case DType::u8: return t.as<const uint8_t>()[i];
    case DType::i8: return t.as<const int8_t>()[i];
    case DType::u16: return t.as<const uint16_t>()[i];
    case DType::i16: return t.as<const int16_t>()[i];
    case DType::i32: return static_cast<E>(t.as<const int32_t>()[i]);
    case DType::f64: return static_cast<E>(t.as<const double>()[i]);
    default: return t.as<const float>()[i];
  }
}

// Cut to a whole number; out of range the nearest, NaN 0: as cast.
template <class T> T whole(double v) noexcept {
  constexpr double kAbove = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  if (v != v) return 0;
  if (v >= kAbove) return std::numeric_limits<T>::max();
  return v <= static_cast<double>(std::numeric_limits<T>::lowest()) ? std::numeric_limits<T>::lowest() : static_cast<T>(v);
}

// A number in the bits of a dtype.
template <class E> void store_number(const TensorView& t, int64_t i, E v) noexcept {
  switch (t.dtype) {
    case DType::f32: t.as<float>()[i] = static_cast<float>(v); return;
    case DType::f64: t.as<double>()[i] = static_cast<double>(v); return;
    case DType::f16: t.as<StoredF16>()[i] = static_cast<float>(v); return;
    case DType::bf16: t.as<StoredBF16>()[i] = static_cast<float>(v); return;
    case DType::u8: t.as<uint8_t>()[i] = whole<uint8_t>(v); return;
    case DType::i8: t.as<int8_t>()[i] = whole<int8_t>(v); return;
    case DType::u16: t.as<uint16_t>()[i] = whole<uint16_t>(v); return;
    case DType::i16: t.as<int16_t>()[i] = whole<int16_t>(v); return;
    case DType::u32: t.as<uint32_t>()[i] = whole<uint32_t>(v); return;
    case DType::i32: t.as<int32_t>()[i] = whole<int32_t>(v); return;
    case DType::u64: t.as<uint64_t>()[i] = whole<uint64_t>(v); return;
    case DType::i64: t.as<int64_t>()[i] = whole<int64_t>(v); return;
    default: t.as<bool>()[i] = v != E{0}; return;
  }
}

template <class E> struct Point {
  const TensorView* src;
  bool identity[kMaxRank];
  ResizeTable<E> table[kMaxRank];
  int64_t at[kMaxRank];

  // Axes from `axis` on, with the source offset of those before: the last axis is interpolated first.
  E value(int axis, int64_t offset) const noexcept {
    if (axis == src->dims.rank) return element<E>(*src, offset);
    const int64_t stride = src->strides[axis], x = at[axis];
    if (identity[axis]) return value(axis + 1, offset + x * stride);
    const ResizeTable<E>& t = table[axis];
    const auto tap = [&](int64_t i) { return value(axis + 1, offset + t.place[i] * stride); };
    E y = t.weight[t.begin[x]] * tap(t.begin[x]);
    for (int64_t i = t.begin[x] + 1; i < t.begin[x + 1]; ++i) y = std::fma(t.weight[i], tap(i), y);
    return y;
  }
};

template <class E> void resize_points(const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  const bool copies = op.get().mode == Resize::Mode::nearest;
  const int rank = dst.dims.rank;
  const auto size = dtype_size(src.dtype);
  Point<E> made;
  made.src = &src;
  int first = 0;  // the longest axis is handed to threads
  auto* memory = static_cast<std::byte*>(args.scratch);
  for (int a = 0; a < rank; ++a) {
    if (dst.dims[a] > dst.dims[first]) first = a;
    const Resize::Axis axis = op.axis(a, src.dims, dst.dims, args.dim_attributes);
    auto* room = reinterpret_cast<double*>(memory + resize_table_bytes(op, axis.in, axis.out));
    made.identity[a] = axis.identity;
    made.table[a] = resize_table<E>(op, axis, ResizePlaces::elements, memory, room);
    memory = reinterpret_cast<std::byte*>(room) + resize_table_room(op, axis.in, axis.out);
  }
  args.parallel.run(dst.dims[first], [&](int64_t task, int) {
    Point<E> p = made;
    for (int a = 0; a < rank; ++a) p.at[a] = a == first ? task : 0;
    for (;;) {
      int64_t from = 0, to = 0;
      bool outside = false;
      for (int a = 0; a < rank; ++a) {
        const ResizeTable<E>& t = p.table[a];
        to += p.at[a] * dst.strides[a];
        if (t.outside != nullptr && t.outside[p.at[a]] != 0) outside = true;
        else from += t.first(p.at[a]) * src.strides[a];
      }
      if (outside) store_number(dst, to, static_cast<E>(op.get().extrapolation_value));
      else if (copies) std::memcpy(dst.as<std::byte>() + to * size, src.as<std::byte>() + from * size, static_cast<size_t>(size));
      else store_number(dst, to, p.value(0, 0));
      int a = rank - 1;
      for (; a >= 0; --a) {
        if (a == first) continue;
        if (++p.at[a] < dst.dims[a]) break;
        p.at[a] = 0;
      }
      if (a < 0) return;
    }
  });
}

}  // namespace

void store_extrapolated(const Resize& op, DType dtype, std::byte* element) noexcept {
  store_number(TensorView{element, dtype, {}, {}}, 0, static_cast<double>(op.get().extrapolation_value));
}

int64_t reference_resize_scratch(const Operator& op, const Dims& in, const Dims& out) noexcept {
  const auto& resize = static_cast<const Resize&>(op);
  int64_t bytes = 0;
  for (int a = 0; a < in.rank; ++a) {
    bytes = saturating_add(bytes, resize_table_bytes(resize, in[a], out[a]));
    bytes = saturating_add(bytes, resize_table_room(resize, in[a], out[a]));
  }
  return bytes;
}

Status reference_resize(const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const Dims &in = args.in[0].dims, &out = args.out[0].dims;
  if (args.out[0].count() == 0) return {};
  for (int a = 0; a < out.rank; ++a)
    if (const Resize::Axis axis = op.axis(a, in, out, args.dim_attributes); resize_reach(op, axis) == 0) return too_many_taps(axis);
  if (resizes_in_binary64(args.in[0].dtype)) resize_points<double>(args);
  else resize_points<float>(args);
  return {};
}

}  // namespace anydim
