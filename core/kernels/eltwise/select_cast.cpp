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

constinit const HostKernel* const kWhereReference = &where_kernel;
constinit const HostKernel* const kCastReference = &cast_kernel;

}  // namespace anydim
