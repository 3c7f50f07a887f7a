// SPDX-License-Identifier: Apache-2.0
// The reference of pooling; see reference.h and docs/numerics.md section 5.
#include "core/kernels/pool/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/checked.h"
#include "core/kernels/pool/pool_job.h"
#include "core/kernels/simd/half.h"

namespace anydim {

namespace {

// A spatial axis: strides padded to three axes as the window is.
struct Walk {
  int64_t n, c, s[3];
};
Walk walk_of(const TensorView& t) noexcept {
  Walk w{t.strides[0], t.strides[1], {0, 0, 0}};
  const int missing = 4 - (t.dims.rank - 1);
  for (int i = 2; i < t.dims.rank; ++i) w.s[i - 2 + missing] = t.strides[i];
  return w;
}

// a comes before b as the maximum: NaN first, and +0 > -0.
template <class T> bool wins(T a, T b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(b)) return false;
    if (std::isnan(a)) return true;
    if (a == 0 && b == 0) return std::signbit(b) && !std::signbit(a);
  }
  return a > b;
}

// How many of an axis's taps, which begin at place `first`, lie below `limit`.
int64_t taps_below(const Pooling::Window& w, int axis, int64_t first, int64_t limit) noexcept {
  return first >= limit ? 0 : std::min(ceil_div(limit - first, w.dilation[axis]), w.kernel[axis]);
}

// Elements of type S, computed in T.
template <class T, class S = T> void pool(const Pooling& op, const Pooling::Window& w, const Args& args) noexcept {
  const Pooling::Attributes& at = op.get();
  const TensorView &src = args.in[0], &dst = args.out[0];
  const Walk s = walk_of(src), d = walk_of(dst);
  const int64_t plane = w.in[0] * w.in[1] * w.in[2];
  const int64_t pixels = w.out[0] * w.out[1] * w.out[2], channels = src.dims[1];
  args.parallel.run(src.dims[0] * channels, [&](int64_t task, int) {
    const int64_t n = task / channels, c = task % channels;
    const S* x = src.as<const S>() + n * s.n + c * s.c;
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      const int64_t o[3] = {pixel / w.out[2] / w.out[1], pixel / w.out[2] % w.out[1], pixel % w.out[2]};
      T best = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
      T total = 0, block = 0;
      int64_t winner = -1, inside = 0, counted = 1, block_index = -1;
      bool any_block = false;
      // Taps inside the input, and how many lie inside the padded input: as many as there are elements, however long the window.
      int64_t first[3], begin[3], end[3];
      bool empty = false;
      for (int a = 0; a < 3; ++a) {
        first[a] = o[a] * w.stride[a] - w.pad_begin[a];
        begin[a] = taps_below(w, a, first[a], 0);
        end[a] = taps_below(w, a, first[a], w.in[a]);
        counted *= taps_below(w, a, first[a], w.in[a] + w.pad_end[a]);
        empty = empty || begin[a] >= end[a];
      }
      int64_t tap[3] = {begin[0], begin[1], begin[2]};
      while (!empty) {
        const int64_t k = (tap[0] * w.kernel[1] + tap[1]) * w.kernel[2] + tap[2];
        int64_t place[3];
        for (int a = 0; a < 3; ++a) place[a] = first[a] + tap[a] * w.dilation[a];
        const T v = x[place[0] * s.s[0] + place[1] * s.s[1] + place[2] * s.s[2]];
        if (k / kPoolBlock != block_index) {  // a block with no tap inside is not added
          if (block_index >= 0) total = any_block ? static_cast<T>(total + block) : block;
          any_block = block_index >= 0;
          block = 0;
          block_index = k / kPoolBlock;
        }
        block = static_cast<T>(block + v);
        ++inside;
        if (winner < 0 || wins(v, best)) {
          best = v;
          winner = at.column_major_indices ? (place[2] * w.in[1] + place[1]) * w.in[0] + place[0]
                                           : (place[0] * w.in[1] + place[1]) * w.in[2] + place[2];
        }
        int a = 2;
        while (a >= 0 && ++tap[a] == end[a]) {
          tap[a] = begin[a];
          --a;
        }
        empty = a < 0;
      }
      if (block_index >= 0) total = any_block ? static_cast<T>(total + block) : block;
      const int64_t to = n * d.n + c * d.c + o[0] * d.s[0] + o[1] * d.s[1] + o[2] * d.s[2];
      if (at.kind == Pooling::Kind::max) {
        dst.as<S>()[to] = best;
      } else {
        dst.as<S>()[to] = static_cast<T>(total / static_cast<T>(at.count_include_pad ? counted : inside));
      }
      if (at.indices) {
        const TensorView& index = args.out[1];
        const Walk i = walk_of(index);
        index.as<int64_t>()[n * i.n + c * i.c + o[0] * i.s[0] + o[1] * i.s[1] + o[2] * i.s[2]] = winner < 0 ? -1 : task * plane + winner;
      }
    }
  });
}

}  // namespace

const char* pool_reference_refusal(const Pooling& op, DType t) noexcept {
  if (dtype_is_float(t)) return nullptr;
  if (op.get().kind == Pooling::Kind::max && (t == DType::i8 || t == DType::u8)) return nullptr;
  return "pooling takes floats, and the maximum also i8 and u8";
}

void reference_pool(const Pooling::Window& window, const Args& args) noexcept {
  const auto& op = *static_cast<const Pooling*>(args.op);
  switch (args.in[0].dtype) {
    case DType::f32: return pool<float>(op, window, args);
    case DType::f64: return pool<double>(op, window, args);
    case DType::f16: return pool<float, StoredF16>(op, window, args);
    case DType::bf16: return pool<float, StoredBF16>(op, window, args);
    case DType::i8: return op.get().kind == Pooling::Kind::max ? pool<int8_t>(op, window, args) : void();
    case DType::u8: return op.get().kind == Pooling::Kind::max ? pool<uint8_t>(op, window, args) : void();
    default: return;
  }
}

}  // namespace anydim
