// SPDX-License-Identifier: Apache-2.0
// The scale and the zero point of a tensor that is quantized dynamically: one pass over its elements in the order of memory, on all
// threads. The least and the greatest are the same in any order. docs/numerics.md, section 1.
#include <atomic>
#include <cmath>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/quantized/range_factors.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/quantization_range.h"

namespace anydim {

namespace {

void store_range(const Args& args, const Extremes& e) noexcept {
  const RangeFactors f = range_factors(e);
  *args.out[QuantizationRange::kScale].as<float>() = f.scale;
  *args.out[QuantizationRange::kZeroPoint].as<uint8_t>() = static_cast<uint8_t>(f.zero);
}

class RangeReference final : public PlainKernel {
 public:
  constexpr RangeReference() noexcept : PlainKernel("quantization_range.reference", OpKind::quantization_range) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    Extremes e;
    Walker w[1] = {walker(args.in[0], args.in[0].dims)};
    for_each_element(args.in[0].dims, w, [&] {
      const float x = load_element<float>(w[0].at);
      if (std::isnan(x)) e.low = e.high = x;  // and they stay: no comparison with them is true
      if (x < e.low) e.low = x;
      if (x > e.high) e.high = x;
    });
    store_range(args, e);
    return {};
  }
};

// The lesser (or, of negated numbers, the greater) of the present one and x; NaN stays.
void take_lesser(std::atomic<float>* least, float x) noexcept {
  float old = least->load(std::memory_order_relaxed);
  while ((x < old || (std::isnan(x) && !std::isnan(old))) && !least->compare_exchange_weak(old, x, std::memory_order_relaxed)) {
  }
}

class RangeRows final : public PlainKernel {
 public:
  constexpr RangeRows(const char* name, Isa isa, RangeOfRows::Function* rows) noexcept
      : PlainKernel(name, OpKind::quantization_range, isa), rows_(rows) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView& x = args.in[0];
    LoopNest nest;
    if (!make_loop_nest(x, {}, {}, &nest)) {
      store_range(args, {});
      return {};
    }
    const int last = nest.rank - 1, second = nest.rank - 2;
    std::atomic<float> low = 0.f, high = 0.f;  // the greatest with its sign changed
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) {
      const Extremes e = rows_({x.as<const float>() + at.offsets[0], at.rows, at.columns, nest.strides[0][second], nest.strides[0][last]});
      take_lesser(&low, e.low);
      take_lesser(&high, -e.high);
    });
    store_range(args, {low.load(std::memory_order_relaxed), -high.load(std::memory_order_relaxed)});
    return {};
  }

 private:
  static constexpr int64_t kElementsPerTask = 32 << 10;
  RangeOfRows::Function* rows_;
};

}  // namespace

KernelList range_kernels() noexcept {
  static const KernelsOfSets<"quantization_range", RangeRows, RangeOfRows> rows;
  static const RangeReference reference;
  static const auto all = kernel_list(rows, kept<"quantization_range.reference", reference>());
  return all;
}

}  // namespace anydim
