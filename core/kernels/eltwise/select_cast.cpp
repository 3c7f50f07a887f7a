// SPDX-License-Identifier: Apache-2.0
// where, cast and bit_cast on every dtype, scalar: selection copies bits, conversions follow docs/numerics.md, section 7, with
// one rounding whatever the pair of dtypes.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/eltwise/narrow.h"
#include "core/kernels/plain_kernel.h"
#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/where.h"

namespace anydim {

namespace {

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
    if (dtype_is_narrow(args.in[0].dtype)) {
      from_narrow(args, dims, w);
      return {};
    }
    if (dtype_is_narrow(args.out[0].dtype)) {
      visit_dtype(args.in[0].dtype,
                  [&](auto from) { for_each_element(dims, w, [&] { to_narrow(args, load_element<decltype(from)>(w[1].at), w[0].at); }); });
      return {};
    }
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

 private:
  // Whole numbers of 64 bits keep their lowest bits; floats become such first.
  template <class From> static void to_narrow(const Args& args, From x, void* to) {
    const DType t = args.out[0].dtype;
    const CastAttributes& at = as<Cast>(*args.op)->get();
    auto* element = static_cast<uint8_t*>(to);
    if (narrow_is_integer(t)) *element = integer_to_narrow(t, convert<int64_t>(x));
    else *element = float_to_narrow(t, static_cast<double>(x), {at.overflows, at.rounding});
  }
  static void from_narrow(const Args& args, const Dims& dims, Walker (&w)[2]) {
    const DType from = args.in[0].dtype, to = args.out[0].dtype;
    const auto number = [&] { return narrow_to_float(from, static_cast<uint8_t>(*w[1].at)); };
    if (from == to) return for_each_element(dims, w, [&] { *w[0].at = *w[1].at; });
    if (dtype_is_narrow(to)) return for_each_element(dims, w, [&] { to_narrow(args, number(), w[0].at); });
    visit_dtype(to, [&](auto tag) {
      using To = decltype(tag);
      for_each_element(dims, w, [&] { store_element<To>(w[0].at, convert<To>(number())); });
    });
  }
};

class BitCastKernel final : public PlainKernel {
 public:
  constexpr BitCastKernel() noexcept : PlainKernel("bit_cast.reference", OpKind::bit_cast) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Dims& dims = args.out[0].dims;
    Walker w[2] = {walker(args.out[0], dims), walker(args.in[0], dims)};
    if (args.out[0].dtype == DType::boolean) {
      // Any other byte than 0 and 1 would be a trap for code that reads a bool.
      for_each_element(dims, w, [&] { *w[0].at = std::byte{*w[1].at != std::byte{0}}; });
      return {};
    }
    const auto copy = [&](auto tag) { for_each_element(dims, w, [&] { std::memcpy(w[0].at, w[1].at, sizeof(tag)); }); };
    switch (dtype_size(args.out[0].dtype)) {
      case 1: copy(uint8_t{}); break;
      case 2: copy(uint16_t{}); break;
      case 4: copy(uint32_t{}); break;
      default: copy(uint64_t{}); break;
    }
    return {};
  }
};

const BitCastKernel bit_cast_kernel;
const WhereKernel where_kernel;
const CastKernel cast_kernel;

}  // namespace

constinit const HostKernel* const kWhereReference = &where_kernel;
constinit const HostKernel* const kCastReference = &cast_kernel;
constinit const HostKernel* const kBitCastReference = &bit_cast_kernel;

}  // namespace anydim
