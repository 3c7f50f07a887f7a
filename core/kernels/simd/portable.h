// SPDX-License-Identifier: Apache-2.0
// The f32 vector in plain C++, and the meaning of every operation that the vector types offer. F32 (8 lanes) is for portable kernels,
// PortableF32<1> is the scalar of the reference kernels. Without an FMA instruction std::fma is a library call: correct and slow.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/simd/half.h"

namespace anydim::portable {
namespace {

template <int W> struct PortableF32 {
  static constexpr int kWidth = W;
  struct Mask {
    bool m[W];
  };
  struct Int {
    int32_t v[W];
  };
  float v[W];

  static PortableF32 set(float x) {
    PortableF32 r;
    for (int i = 0; i < W; ++i) r.v[i] = x;
    return r;
  }
  static PortableF32 zero() { return set(0.f); }
  static PortableF32 load(const float* p) { return load_strided(p, 1, W); }
  // The first n lanes (0 <= n <= W); the others are 0. Memory past them is not touched.
  static PortableF32 load_partial(const float* p, int n) { return load_strided(p, 1, n); }
  static PortableF32 load_strided(const float* p, int64_t stride, int n) {
    PortableF32 r = zero();
    for (int i = 0; i < n; ++i) __builtin_memcpy(&r.v[i], p + i * stride, sizeof(float));  // as vectors do: at any address
    return r;
  }
  void store(float* p) const { store_partial(p, W); }
  void store_partial(float* p, int n) const {
    for (int i = 0; i < n; ++i) p[i] = v[i];
  }
  // True in the first n lanes.
  static Mask first_lanes(int n) {
    Mask m;
    for (int i = 0; i < W; ++i) m.m[i] = i < n;
    return m;
  }
  // 16-bit floats: all lanes, nearest even.
  static PortableF32 load_f16(const uint16_t* p) {
    PortableF32 r;
    for (int i = 0; i < W; ++i) r.v[i] = f16_to_f32(p[i]);
    return r;
  }
  void store_f16(uint16_t* p) const {
    for (int i = 0; i < W; ++i) p[i] = f32_to_f16(v[i]);
  }
  static PortableF32 load_bf16(const uint16_t* p) {
    PortableF32 r;
    for (int i = 0; i < W; ++i) r.v[i] = bf16_to_f32(p[i]);
    return r;
  }
  void store_bf16(uint16_t* p) const {
    for (int i = 0; i < W; ++i) p[i] = f32_to_bf16(v[i]);
  }
};

// Calls f(i) for each lane: the bodies below read as one line per operation.
template <int W, class F> inline PortableF32<W> lanewise(F&& f) {
  PortableF32<W> r;
  for (int i = 0; i < W; ++i) r.v[i] = f(i);
  return r;
}
template <int W, class F> inline typename PortableF32<W>::Mask maskwise(F&& f) {
  typename PortableF32<W>::Mask r;
  for (int i = 0; i < W; ++i) r.m[i] = f(i);
  return r;
}
inline uint32_t word(float x) { return __builtin_bit_cast(uint32_t, x); }
inline float unword(uint32_t x) { return __builtin_bit_cast(float, x); }

// IEEE operations, one rounding each.
template <int W> PortableF32<W> operator+(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) { return a.v[i] + b.v[i]; });
}
template <int W> PortableF32<W> operator-(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) { return a.v[i] - b.v[i]; });
}
template <int W> PortableF32<W> operator*(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) { return a.v[i] * b.v[i]; });
}
template <int W> PortableF32<W> operator/(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) { return a.v[i] / b.v[i]; });
}
template <int W> PortableF32<W> fma(PortableF32<W> a, PortableF32<W> b, PortableF32<W> c) {
  return lanewise<W>([&](int i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
}
template <int W> PortableF32<W> sqrt(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return __builtin_sqrtf(a.v[i]); });
}
// On the sign bit alone, NaN included.
template <int W> PortableF32<W> neg(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return unword(word(a.v[i]) ^ 0x80000000u); });
}
template <int W> PortableF32<W> abs(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return unword(word(a.v[i]) & 0x7fffffffu); });
}
template <int W> PortableF32<W> copysign(PortableF32<W> magnitude, PortableF32<W> sign) {
  return lanewise<W>([&](int i) { return unword((word(magnitude.v[i]) & 0x7fffffffu) | (word(sign.v[i]) & 0x80000000u)); });
}

// a > b ? a : b and a < b ? a : b: the second operand for NaN and for equal zeros. One instruction where there is one.
template <int W> PortableF32<W> pick_greater(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
template <int W> PortableF32<W> pick_less(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
// The contract's max and min: NaN if either is NaN, +0 > -0.
template <int W> PortableF32<W> max(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) {
    const float x = a.v[i], y = b.v[i];
    if (x != x || y != y) return x + y;
    if (x == y) return unword(word(x) & word(y));
    return x > y ? x : y;
  });
}
template <int W> PortableF32<W> min(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) {
    const float x = a.v[i], y = b.v[i];
    if (x != x || y != y) return x + y;
    if (x == y) return unword(word(x) | word(y));
    return x < y ? x : y;
  });
}

// The same of numbers: where there is a NaN, anything.
template <int W> PortableF32<W> max_of_numbers(PortableF32<W> a, PortableF32<W> b) {
  return lanewise<W>([&](int i) {
    const float x = a.v[i], y = b.v[i];
    return x == y ? unword(word(x) & word(y)) : x > y ? x : y;
  });
}

// Lane i holds lane i + h for i < h; the others are unspecified.
template <int h, int W> PortableF32<W> upper(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return a.v[i + h < W ? i + h : i]; });
}
template <int W> float first(PortableF32<W> a) { return a.v[0]; }
// W vectors as the rows of a square.
template <int W> void transpose(PortableF32<W> (&r)[W]) {
  for (int i = 0; i < W; ++i)
    for (int k = 0; k < i; ++k) {
      const float t = r[i].v[k];
      r[i].v[k] = r[k].v[i];
      r[k].v[i] = t;
    }
}

// Comparisons are false for NaN.
template <int W> auto operator<(PortableF32<W> a, PortableF32<W> b) {
  return maskwise<W>([&](int i) { return a.v[i] < b.v[i]; });
}
template <int W> auto operator<=(PortableF32<W> a, PortableF32<W> b) {
  return maskwise<W>([&](int i) { return a.v[i] <= b.v[i]; });
}
template <int W> auto operator==(PortableF32<W> a, PortableF32<W> b) {
  return maskwise<W>([&](int i) { return a.v[i] == b.v[i]; });
}
template <int W> auto is_nan(PortableF32<W> a) {
  return maskwise<W>([&](int i) { return a.v[i] != a.v[i]; });
}

template <int W> PortableF32<W> floor(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return __builtin_floorf(a.v[i]); });
}
template <int W> PortableF32<W> ceil(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return __builtin_ceilf(a.v[i]); });
}
template <int W> PortableF32<W> round_even(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return __builtin_nearbyintf(a.v[i]); });
}
// Through the 16-bit float and back.
template <int W> PortableF32<W> round_f16(PortableF32<W> a) {
  return lanewise<W>([&](int i) { return f16_to_f32(f32_to_f16(a.v[i])); });
}

// Masks and the 32-bit integers of a vector are nested types, which no template argument can be deduced from: their
// operations are given for the two widths in use.
#define ANYDIM_PORTABLE_WIDTH(W)                                                                                              \
  inline PortableF32<W>::Mask operator&(PortableF32<W>::Mask a, PortableF32<W>::Mask b) {                                     \
    return maskwise<W>([&](int i) { return a.m[i] && b.m[i]; });                                                              \
  }                                                                                                                           \
  inline PortableF32<W>::Mask operator|(PortableF32<W>::Mask a, PortableF32<W>::Mask b) {                                     \
    return maskwise<W>([&](int i) { return a.m[i] || b.m[i]; });                                                              \
  }                                                                                                                           \
  inline PortableF32<W>::Mask operator!(PortableF32<W>::Mask a) {                                                             \
    return maskwise<W>([&](int i) { return !a.m[i]; });                                                                       \
  }                                                                                                                           \
  inline PortableF32<W> select(PortableF32<W>::Mask m, PortableF32<W> a, PortableF32<W> b) {                                  \
    return lanewise<W>([&](int i) { return m.m[i] ? a.v[i] : b.v[i]; });                                                      \
  }                                                                                                                           \
  inline uint32_t mask_bits(PortableF32<W>::Mask m) {                                                                         \
    uint32_t b = 0;                                                                                                           \
    for (int i = 0; i < W; ++i) b |= static_cast<uint32_t>(m.m[i]) << i;                                                      \
    return b;                                                                                                                 \
  }                                                                                                                           \
  inline bool any(PortableF32<W>::Mask m) { return mask_bits(m) != 0; }                                                       \
  inline PortableF32<W>::Int bits(PortableF32<W> a) { return __builtin_bit_cast(PortableF32<W>::Int, a); }                    \
  inline PortableF32<W> from_bits(PortableF32<W>::Int a) { return __builtin_bit_cast(PortableF32<W>, a); }                    \
  inline PortableF32<W>::Int set_int(PortableF32<W>, int32_t x) {                                                             \
    PortableF32<W>::Int r;                                                                                                    \
    for (int i = 0; i < W; ++i) r.v[i] = x;                                                                                   \
    return r;                                                                                                                 \
  }                                                                                                                           \
  inline PortableF32<W>::Int operator+(PortableF32<W>::Int a, PortableF32<W>::Int b) {                                        \
    for (int i = 0; i < W; ++i) a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) + static_cast<uint32_t>(b.v[i])); \
    return a;                                                                                                                 \
  }                                                                                                                           \
  inline PortableF32<W>::Int operator-(PortableF32<W>::Int a, PortableF32<W>::Int b) {                                        \
    for (int i = 0; i < W; ++i) a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) - static_cast<uint32_t>(b.v[i])); \
    return a;                                                                                                                 \
  }                                                                                                                           \
  inline PortableF32<W>::Int operator*(PortableF32<W>::Int a, PortableF32<W>::Int b) {                                        \
    for (int i = 0; i < W; ++i) a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) * static_cast<uint32_t>(b.v[i])); \
    return a;                                                                                                                 \
  }                                                                                                                           \
  inline PortableF32<W>::Int operator&(PortableF32<W>::Int a, PortableF32<W>::Int b) {                                        \
    for (int i = 0; i < W; ++i) a.v[i] &= b.v[i];                                                                             \
    return a;                                                                                                                 \
  }                                                                                                                           \
  template <int n> inline PortableF32<W>::Int shift_left(PortableF32<W>::Int a) {                                             \
    for (int i = 0; i < W; ++i) a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) << n);                            \
    return a;                                                                                                                 \
  }                                                                                                                           \
  template <int n> /* arithmetic */                                                                                           \
  inline PortableF32<W>::Int shift_right(PortableF32<W>::Int a) {                                                             \
    for (int i = 0; i < W; ++i) a.v[i] >>= n;                                                                                 \
    return a;                                                                                                                 \
  }                                                                                                                           \
  inline PortableF32<W> to_float(PortableF32<W>::Int a) {                                                                     \
    return lanewise<W>([&](int i) { return static_cast<float>(a.v[i]); });                                                    \
  }
ANYDIM_PORTABLE_WIDTH(8)
ANYDIM_PORTABLE_WIDTH(1)
#undef ANYDIM_PORTABLE_WIDTH

// a * 2^n for integral n, |n| <= 250, and 0.5 <= |a| <= 2 (or NaN): rounded once. Two steps keep both factors normal.
template <int W> PortableF32<W> scale_by_power(PortableF32<W> a, PortableF32<W> n) {
  return lanewise<W>([&](int i) {
    const auto k = static_cast<int32_t>(n.v[i] == n.v[i] ? n.v[i] : 0.f), half = k >> 1;
    return a.v[i] * unword(static_cast<uint32_t>(half + 127) << 23) * unword(static_cast<uint32_t>(k - half + 127) << 23);
  });
}

using F32 = PortableF32<8>;

}  // namespace
}  // namespace anydim::portable
