// SPDX-License-Identifier: Apache-2.0
// where and cast on every dtype, scalar: selection copies bits, conversions follow docs/numerics.md, section 7, with
// one rounding whatever the pair of dtypes.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/plain_kernel.h"
#include "core/ops/cast.h"
#include "core/ops/where.h"

namespace anydim {

namespace {

// Rounds to odd: toward zero, the last bit set if anything was lost. A second rounding to a narrower type then gives
// what a single rounding would.
float to_odd_float(double x) {
  const float f = static_cast<float>(x);
  if (static_cast<double>(f) == x || f != f) return f;
  float toward_zero = f;
  if (std::fabs(static_cast<double>(f)) > std::fabs(x)) toward_zero = std::nextafter(f, 0.f);
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, toward_zero) | 1u);
}
template <class T> double to_odd_double(T v) {
  // At most 64 significant bits: the 11 lowest are folded into one when they do not fit.
  const bool negative = v < 0;
  uint64_t m = negative ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  if (m >> 53 != 0) m = (m >> 11 | ((m & 0x7ff) != 0 ? 1u : 0u)) << 11;
  const auto d = static_cast<double>(m);
  return negative ? -d : d;
}

template <class To, class From> typename ComputeType<To>::type convert(From x) {
  using C = typename ComputeType<To>::type;
  if constexpr (std::is_same_v<To, bool>) return x != From{};
  else if constexpr (std::is_same_v<From, bool>) return static_cast<C>(x ? 1 : 0);
  else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16>) {
    // The store rounds f32 once more, so what comes before must be exact or rounded to odd.
    if constexpr (std::is_same_v<From, float>) return x;
    else if constexpr (std::is_same_v<From, double>) return to_odd_float(x);
    else return to_odd_float(to_odd_double(x));
  } else if constexpr (std::is_floating_point_v<C>) {
    return static_cast<C>(x);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (x != x) return C{};
    // 2^n bounds are exact in every float type.
    constexpr auto kAbove = static_cast<From>(std::numeric_limits<C>::max() / 2 + 1) * From{2};
    if (x >= kAbove) return std::numeric_limits<C>::max();
    if (x < static_cast<From>(std::numeric_limits<C>::lowest())) return std::numeric_limits<C>::lowest();
    return static_cast<C>(x);
  } else {
    return static_cast<C>(x);  // modulo 2^n
  }
}

class WhereKernel final : public PlainKernel {
 public:
  constexpr WhereKernel() noexcept : PlainKernel("where.reference", OpKind::where) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Dims& dims = args.out[0].dims;
    Walker w[4] = {walker(args.out[0], dims), walker(args.in[0], dims), walker(args.in[1], dims), walker(args.in[2], dims)};
    const auto copy = [&](auto tag) {
      for_each_element(dims, w, [&] { std::memcpy(w[0].at, w[load_element<bool>(w[1].at) ? 2 : 3].at, sizeof(tag)); });
    };
    switch (dtype_size(args.out[0].dtype)) {
      case 1: copy(uint8_t{}); break;
      case 2: copy(uint16_t{}); break;
      case 4: copy(uint32_t{}); break;
      default: copy(uint64_t{}); break;
    }
    return {};
  }
};

class CastKernel final : public PlainKernel {
 public:
  constexpr CastKernel() noexcept : PlainKernel("cast.reference", OpKind::cast) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Dims& dims = args.out[0].dims;
    Walker w[2] = {walker(args.out[0], dims), walker(args.in[0], dims)};
    visit_dtype(args.in[0].dtype, [&](auto from) {
      visit_dtype(args.out[0].dtype, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        for_each_element(dims, w, [&] {
          if constexpr (std::is_same_v<From, To>) std::memcpy(w[0].at, w[1].at, sizeof(To));
          else store_element<To>(w[0].at, convert<To>(load_element<From>(w[1].at)));
        });
      });
    });
    return {};
  }
};

const WhereKernel where_kernel;
const CastKernel cast_kernel;

}  // namespace

constinit const Kernel* const kWhereReference = &where_kernel;
constinit const Kernel* const kCastReference = &cast_kernel;

}  // namespace anydim
