// SPDX-License-Identifier: Apache-2.0
// The reference of resize; see reference.h and docs/numerics.md section 6.
#include "core/kernels/resize/reference.h"

#include <cmath>
#include <cstring>

#include "core/kernels/resize/taps.h"

namespace anydim {

namespace {

#include "core/kernels/simd/half.inl.h"

// 16-bit floats are interpolated in f32 and rounded once.
float element(const TensorView& t, int64_t offset) noexcept {
  if (t.dtype == DType::f16) return t.as<const StoredF16>()[offset];
  if (t.dtype == DType::bf16) return t.as<const StoredBF16>()[offset];
  return t.as<const float>()[offset];
}

struct Point {
  const Resize* op;
  const TensorView* src;
  Resize::Axis axes[kMaxRank];
  ResizeTaps taps[kMaxRank];
  int64_t at[kMaxRank];
};

// Axes from `axis` on, with the source offset of those before: the last axis is interpolated first.
float value(const Point& p, int axis, int64_t offset) noexcept {
  if (axis == p.src->dims.rank) return element(*p.src, offset);
  const int64_t stride = p.src->strides[axis];
  if (p.axes[axis].identity) return value(p, axis + 1, offset + p.at[axis] * stride);
  const ResizeTaps& t = p.taps[axis];
  float y = t.weight[0] * value(p, axis + 1, offset + t.index[0] * stride);
  for (int i = 1; i < taps_per_axis(p.op->get().mode); ++i) y = std::fma(t.weight[i], value(p, axis + 1, offset + t.index[i] * stride), y);
  return y;
}

// A number in the bits of a dtype. Integers take it rounded toward zero.
void store_number(DType t, float v, std::byte* to) noexcept {
  const auto whole = static_cast<int64_t>(v);
  switch (t) {
    case DType::f32: std::memcpy(to, &v, 4); return;
    case DType::f64: {
      const auto d = static_cast<double>(v);
      std::memcpy(to, &d, 8);
      return;
    }
    case DType::f16: *reinterpret_cast<StoredF16*>(to) = v; return;
    case DType::bf16: *reinterpret_cast<StoredBF16*>(to) = v; return;
    default: std::memcpy(to, &whole, static_cast<size_t>(dtype_size(t))); return;
  }
}

}  // namespace

void reference_resize(const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  if (dst.count() == 0) return;
  const int rank = dst.dims.rank;
  const auto size = dtype_size(src.dtype);
  int64_t first = 0;  // the outermost axis is handed to threads
  for (int i = 0; i < rank; ++i)
    if (dst.dims[i] > dst.dims[static_cast<int>(first)]) first = i;
  args.parallel.run(dst.dims[static_cast<int>(first)], [&](int64_t task, int) {
    Point p;
    p.op = &op;
    p.src = &src;
    for (int i = 0; i < rank; ++i) {
      p.axes[i] = op.axis(i, src.dims, dst.dims, args.dim_attributes);
      p.at[i] = i == first ? task : 0;
    }
    for (;;) {
      int64_t from = 0, to = 0;
      bool outside = false;
      for (int i = 0; i < rank; ++i) {
        to += p.at[i] * dst.strides[i];
        int64_t index = p.at[i];
        if (!p.axes[i].identity) {
          p.taps[i] = resize_taps(op, p.axes[i], p.at[i]);
          outside = outside || p.taps[i].outside;
          index = p.taps[i].index[0];
        }
        from += index * src.strides[i];
      }
      std::byte* out = dst.as<std::byte>() + to * size;
      if (outside) {
        store_number(dst.dtype, op.get().extrapolation_value, out);
      } else if (op.get().mode == Resize::Mode::nearest) {
        std::memcpy(out, src.as<std::byte>() + from * size, static_cast<size_t>(size));
      } else {
        store_number(dst.dtype, value(p, 0, 0), out);
      }
      int i = rank - 1;
      for (; i >= 0; --i) {
        if (i == first) continue;
        if (++p.at[i] < dst.dims[i]) break;
        p.at[i] = 0;
      }
      if (i < 0) return;
    }
  });
}

}  // namespace anydim
