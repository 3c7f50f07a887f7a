// SPDX-License-Identifier: Apache-2.0
// The reference kernel of attention, docs/numerics.md, section 11, as plain loops on every float dtype: 16-bit floats compute in
// binary32 and round once, binary64 follows the same order in binary64. Any strides.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels/attention/attention.h"
#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/axes.h"
#include "core/kernels/sums.h"

namespace anydim {

namespace {

float exp_of(float x) { return f32_function(UnaryFunction::exp, x, 0, 0); }
float tanh_of(float x) { return f32_function(UnaryFunction::tanh, x, 0, 0); }
double exp_of(double x) { return f64_function(UnaryFunction::exp, x, 0, 0); }
double tanh_of(double x) { return f64_function(UnaryFunction::tanh, x, 0, 0); }

constexpr int64_t kSumBlock = 128;  // docs/numerics.md, section 1

// Section 1: the sum of products f(k) = {a, b} over k in [begin, end), cut at multiples of the block.
template <class C, class F> C sum_of_products(int64_t begin, int64_t end, F f) {
  C total = 0;
  bool first = true;
  for (int64_t at = begin; at < end;) {
    const int64_t stop = std::min(end, at / kSumBlock * kSumBlock + kSumBlock);
    C acc = 0;
    for (; at < stop; ++at) {
      const auto [a, b] = f(at);
      acc = std::fma(a, b, acc);
    }
    total = first ? acc : total + acc;
    first = false;
  }
  return total;
}

// The same in math mode reduced: products that are left out count as +0 times +0.
template <class F> float reduced_sum_of_products(int64_t begin, int64_t end, F f) {
  const auto nothing = [](int64_t) { return 0.f; };
  ReducedSum<decltype(nothing)> sum(0, nothing);
  for (int64_t at = begin; at < end; ++at) {
    const auto [a, b] = f(at);
    sum.add(at, a, b);
  }
  return sum.total();
}

class AttentionReference final : public PlainKernel {
 public:
  constexpr AttentionReference() noexcept : PlainKernel("attention.reference", OpKind::attention) {}

  // The weights of a row, one after another, computed in the type of the row. Scratch is for one worker, which it is.
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = scratch(args.in[Attention::kK].dims[2]); }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return scratch(in[Attention::kK][2]);
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    visit_dtype(args.in[0].dtype, [&](auto tag) {
      if constexpr (kIsFloat<decltype(tag)>) rows<decltype(tag)>(args);
    });
    return {};
  }

  template <class T, bool REDUCED = false> static void rows(const Args& args) noexcept {
    using C = typename ComputeType<T>::type;
    Dims dims[Attention::kInputs];
    for (size_t i = 0; i < args.in.size(); ++i) dims[i] = args.in[i].dims;
    const AttentionSizes n = attention_sizes(dims);
    const AttentionAttributes& at = as<Attention>(*args.op)->get();
    const KeyRanges ranges(args, n);
    const auto present = [&](size_t i) { return i < args.in.size() && args.in[i].dtype != DType::none; };
    const Dims scores{n.batch, n.heads, n.queries, n.keys};
    const Strides bias = present(Attention::kBias) ? broadcast_strides(args.in[Attention::kBias], scores) : Strides{};
    const Strides mask = present(Attention::kMask) ? broadcast_strides(args.in[Attention::kMask], scores) : Strides{};
    const auto element = [&](const TensorView& t, int64_t a, int64_t b, int64_t c, int64_t d) {
      return static_cast<C>(load_element<T>(t.as<const T>() + a * t.strides[0] + b * t.strides[1] + c * t.strides[2] + d * t.strides[3]));
    };
    const auto summed = [](int64_t begin, int64_t end, auto f) {
      if constexpr (REDUCED) return reduced_sum_of_products(begin, end, f);
      else return sum_of_products<C>(begin, end, f);
    };
    C* const row = static_cast<C*>(args.scratch);
    const TensorView& y = args.out[0];
    for (int64_t b = 0; b < n.batch; ++b)
      for (int64_t h = 0; h < n.heads; ++h)
        for (int64_t s = 0; s < n.queries; ++s) {
          const int64_t of = h / n.group();
          const int64_t shift = ranges.shift_of(b);
          KeyRange seen = ranges.of(b, s);
          seen.begin += shift;
          seen.end += shift;
          bool any = false;
          C m = -std::numeric_limits<C>::infinity();
          for (int64_t t = 0; t < seen.end - seen.begin; ++t) {
            const int64_t key = seen.begin - shift + t;
            C x = summed(0, n.size, [&](int64_t d) {
              return std::pair(element(args.in[Attention::kQ], b, h, s, d), element(args.in[Attention::kK], b, of, key, d));
            });
            if (at.scale != 1.f) x = static_cast<C>(at.scale) * x;
            if (at.softcap != 0.f) x = tanh_of(x / static_cast<C>(at.softcap)) * static_cast<C>(at.softcap);
            const auto place = [&](const Strides& by) { return b * by[0] + h * by[1] + s * by[2] + key * by[3]; };
            if (present(Attention::kBias)) x = x + static_cast<C>(load_element<T>(args.in[Attention::kBias].as<const T>() + place(bias)));
            const bool left_out = present(Attention::kMask) && args.in[Attention::kMask].as<const uint8_t>()[place(mask)] == 0;
            if (left_out) x = -std::numeric_limits<C>::infinity();
            any = any || !left_out;
            row[t] = x;
            m = m != m || x != x ? m + x : m < x ? x : m;
          }
          const bool sinks = present(Attention::kSinks);
          const C sink =
              sinks ? static_cast<C>(load_element<T>(args.in[Attention::kSinks].as<const T>() + h * args.in[Attention::kSinks].strides[0]))
                    : C{0};
          if (sinks) m = m != m || sink != sink ? m + sink : m < sink ? sink : m;
          weigh(row, seen, m, sinks ? exp_of(sink - m) : C{0});
          for (int64_t j = 0; j < n.value_size; ++j) {
            const C sum = summed(seen.begin, seen.end, [&](int64_t t) {
              return std::pair(row[t - seen.begin], element(args.in[Attention::kV], b, of, t - shift, j));
            });
            store_element<T>(y.as<T>() + b * y.strides[0] + h * y.strides[1] + s * y.strides[2] + j * y.strides[3], any ? sum : C{0});
          }
        }
  }

 private:
  static int64_t scratch(int64_t keys) noexcept { return keys * static_cast<int64_t>(sizeof(double)); }

  // Scores become weights: softmax over the keys that are seen, in the lanes of their positions. Row: from the first such key on.
  template <class C> static void weigh(C* row, const KeyRange& seen, C m, C sink) noexcept {
    C total = 0;
    for (int64_t b = seen.begin / kLaneBlock * kLaneBlock; b < seen.end; b += kLaneBlock) {
      C lane[kReductionLanes] = {};
      for (int64_t t = std::max(b, seen.begin); t < std::min(seen.end, b + kLaneBlock); ++t) {
        C& x = row[t - seen.begin];
        x = exp_of(x - m);
        lane[t % kReductionLanes] = lane[t % kReductionLanes] + x;
      }
      for (int h = kReductionLanes / 2; h >= 1; h /= 2)
        for (int i = 0; i < h; ++i) lane[i] = lane[i] + lane[i + h];
      total = total + lane[0];  // never below +0: a first block adds unchanged
    }
    total = total + sink;
    for (int64_t t = 0; t < seen.end - seen.begin; ++t) row[t] = row[t] * (C{1} / total);
  }
};

const AttentionReference reference;

class ReducedAttentionReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "attention.bf16.reference"; }
  const KernelKey& key() const noexcept override {
    static constexpr KernelKey key{.op = OpKind::attention, .isa = Isa::portable, .mode = MathMode::reduced};
    return key;
  }
  Support supports(const Problem& p) const noexcept override { return reduced_serves_attention(p); }
  void plan(const Args& args, Plan* plan) const noexcept override { reference.plan(args, plan); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    return reference.scratch_bound(p, in, out, threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    AttentionReference::rows<float, true>(args);
    return {};
  }
};

}  // namespace

Support reduced_serves_attention(const Problem& p) noexcept {
  if (!as<Attention>(*p.op)) return no("another operator");
  if (p.in[0].dtype != DType::f32) return no("q is not f32");
  return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into attention");
}

const HostKernel& attention_reference() noexcept { return reference; }
const HostKernel& attention_reduced_reference() noexcept {
  static const ReducedAttentionReference kernel;
  return kernel;
}

}  // namespace anydim
