// SPDX-License-Identifier: Apache-2.0
// Functions of two tensors of which some are of 8 bits: each number becomes the real one that it stands for, the function is computed in
// binary32, the result is stored as numbers. The same roundings as the three steps apart. docs/numerics.md, section 1.
#include <algorithm>
#include <cmath>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/binary.h"
#include "core/ops/quantization.h"

namespace anydim {

namespace {

float value_at(const void* p, DType t, int64_t i) noexcept {
  switch (t) {
    case DType::i8: return static_cast<const int8_t*>(p)[i];
    case DType::u8: return static_cast<const uint8_t*>(p)[i];
    default: return static_cast<const float*>(p)[i];
  }
}

// docs/numerics.md, section 4.
float computed(BinaryFunction f, float a, float b) noexcept {
  switch (f) {
    case BinaryFunction::add: return a + b;
    case BinaryFunction::sub: return a - b;
    case BinaryFunction::mul: return a * b;
    case BinaryFunction::div: return a / b;
    default: break;
  }
  if (std::isnan(a) || std::isnan(b)) return NAN;
  const bool first = a == b ? std::signbit(a) < std::signbit(b) : a > b;  // a is the larger: +0 > -0
  return first == (f == BinaryFunction::max) ? a : b;
}

constexpr size_t kAddend = 3;  // of the loops' operands

// Factors of the call, by operand; those that are not given have no value.
struct CombineFactors {
  float scale[Quantization::kOperands], zero[Quantization::kOperands];
  bool has_scale[Quantization::kOperands] = {}, has_zero[Quantization::kOperands] = {};
  explicit CombineFactors(const Args& args) noexcept {
    const Quantization& q = *args.quantization;
    const TensorView* next = args.post_in.data() + args.post_ops->operands();
    for (int o = 0; o < Quantization::kOperands; ++o)
      for (const bool is_scale : {true, false}) {
        const Quantization::Factors& f = is_scale ? q.scale[o] : q.zero_point[o];
        if (!f.present()) continue;
        float& value = is_scale ? scale[o] : zero[o];
        (is_scale ? has_scale : has_zero)[o] = true;
        if (f.from == Quantization::Factors::From::attribute) {
          value = f.values[0];
        } else {
          value = value_at(next->data, next->dtype, 0);
          ++next;
        }
      }
  }
};

Support chain_is_known(const Problem& p) noexcept {
  Problem chain = p;
  chain.post_in = p.post_in.first(static_cast<size_t>(p.post_ops->operands()));
  return supports_post_ops(chain);
}

class CombineReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "binary.quantized.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return chain_is_known(p); }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const CombineFactors f(args);
    const Dims& dims = args.out[0].dims;
    const BinaryFunction function = as<Binary>(*args.op)->function();
    Walker w[3] = {walker(args.out[0], dims), walker(args.in[0], dims), walker(args.in[1], dims)};
    Dims at = Dims::filled(dims.rank, 0);
    const auto real = [&](int o) {
      float x = value_at(w[1 + o].at, args.in[static_cast<size_t>(o)].dtype, 0);
      if (f.has_zero[o]) x = x - f.zero[o];
      return f.has_scale[o] ? x * f.scale[o] : x;
    };
    const DType to = args.out[0].dtype;
    for_each_element(dims, w, [&] {
      float y = reference_chain(*args.post_ops, args.post_in, dims, at, computed(function, real(0), real(1)));
      for (int j = at.rank - 1; j >= 0 && ++at[j] == dims[j]; --j) at[j] = 0;
      if (f.has_scale[2]) y = y / f.scale[2];
      if (to != DType::f32) {
        y = std::nearbyint(y);
        if (f.has_zero[2]) y = y + f.zero[2];
      }
      visit_dtype(to, [&](auto tag) { store_element<decltype(tag)>(w[0].at, convert<decltype(tag)>(y)); });
    });
    return {};
  }

 private:
  KernelKey key_{.op = OpKind::binary, .src = DType::none, .dst = DType::none, .quantized = true};
};

// Elements of 8 bits or f32, `from_step` and `to_step` apart.
void copy_apart(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step, int64_t n, DType t) noexcept {
  const auto copy = [&](auto* typed, const auto* read) {
    for (int64_t i = 0; i < n; ++i) typed[i * to_step] = read[i * from_step];
  };
  if (t == DType::f32) copy(reinterpret_cast<float*>(to), reinterpret_cast<const float*>(from));
  else copy(reinterpret_cast<uint8_t*>(to), reinterpret_cast<const uint8_t*>(from));
}

class CombineRows final : public HostKernel {
 public:
  CombineRows(const char* name, Isa isa, CombineFunctions::Function* rows) noexcept
      : name_(name), key_{.op = OpKind::binary, .src = DType::none, .dst = DType::none, .isa = isa, .quantized = true}, rows_(rows) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const PostOps& chain = *p.post_ops;
    if (chain.count > 0) {
      const PostOp& step = chain.steps[0];
      if (chain.count > 1 || !step.takes_tensor() || step.binary != BinaryFunction::add ||
          as<Binary>(*p.op)->function() != BinaryFunction::mul)
        return no("post-ops but an addend to a product are not fused into this operator");
      if (const Support s = chain_is_known(p); !s) return s;
    }
    return rows_(as<Binary>(*p.op)->function()) != nullptr ? yes() : no("there are no rows for this function");
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const CombineFactors f(args);
    LoopNest nest;
    const bool adds = args.post_ops->count > 0;
    if (!make_loop_nest(args.out[0], args.in, args.post_in.first(adds ? 1 : 0), &nest)) return {};
    const CombineFunction row = rows_(as<Binary>(*args.op)->function());
    const int last = nest.rank - 1, second = nest.rank - 2;
    const DType types[3] = {args.out[0].dtype, args.in[0].dtype, args.in[1].dtype};
    std::byte* const data[3] = {static_cast<std::byte*>(args.out[0].data), static_cast<std::byte*>(args.in[0].data),
                                static_cast<std::byte*>(args.in[1].data)};
    CombineRow call{};
    for (int o = 0; o < 2; ++o) {
      call.in_scale[o] = f.has_scale[o] ? &f.scale[o] : nullptr;
      call.in_zero[o] = f.has_zero[o] ? &f.zero[o] : nullptr;
    }
    call.out_scale = f.has_scale[2] ? &f.scale[2] : nullptr;
    call.out_zero = f.has_zero[2] ? &f.zero[2] : nullptr;
    const auto* const addends = adds ? args.post_in[0].as<const float>() : nullptr;
    constexpr int64_t kElementsPerTask = 32 << 10, kRepeated = 768, kGathered = 512;
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) {
      CombineRow run = call;
      const int64_t* step[3] = {&nest.strides[0][last], &nest.strides[1][last], &nest.strides[2][last]};
      const int64_t addend_step = nest.strides[kAddend][last], addend_apart = nest.strides[kAddend][second];  // 0 where there is none
      const auto is_run = [](int64_t by) { return by == 0 || by == 1; };
      const bool apart = *step[0] != 1 || !is_run(*step[1]) || !is_run(*step[2]) || !is_run(addend_step);
      run.rows = at.rows;
      run.out_apart = nest.strides[0][second];
      for (int o = 0; o < 2; ++o) run.in_apart[o] = nest.strides[1 + o][second];
      const auto go = [&](int64_t c, int64_t n) {
        const auto place = [&](int o) { return data[o] + (at.offsets[o] + c * *step[o]) * dtype_size(types[o]); };
        run.out = place(0);
        for (int o = 0; o < 2; ++o) run.in[o] = place(1 + o), run.step[o] = *step[1 + o];
        if (adds) run.addend = addends + at.offsets[kAddend] + c * addend_step;
        run.addend_step = addend_step;
        run.addend_apart = addend_apart;
        run.n = n;
        row(run, types[1], types[2], types[0]);
      };
      if (!apart && at.rows > 1 && run.out_apart == at.columns && at.columns <= kRepeated / 2) {
        // Numbers of channels beside few channels: as many rows as one, with the numbers as often.
        for (const int o : {0, 1}) {
          const int other = 1 - o;
          if (*step[1 + o] != 1 || *step[1 + other] != 1 || run.in_apart[o] != 0 || run.in_apart[other] != at.columns) continue;
          if (adds && (addend_step != 1 || addend_apart != 0)) continue;
          const int64_t size = dtype_size(types[1 + o]);
          alignas(64) std::byte repeated[kRepeated * 4];
          const int64_t most = kRepeated / at.columns, together = std::min(most, at.rows), rest = at.rows % together;
          float added[kRepeated];
          for (int64_t r = 0; r < together; ++r) {
            std::copy_n(data[1 + o] + at.offsets[1 + o] * size, at.columns * size, repeated + r * at.columns * size);
            if (adds) std::copy_n(addends + at.offsets[kAddend], at.columns, added + r * at.columns);
          }
          run.addend = adds ? added : nullptr;
          run.addend_step = 1;
          const auto part = [&](int64_t first, int64_t rows, int64_t n) {
            const auto place = [&](int t) { return data[t] + (at.offsets[t] + first * at.columns) * dtype_size(types[t]); };
            run.step[0] = run.step[1] = 1;
            run.out = place(0);
            run.in[o] = repeated;
            run.in[other] = place(1 + other);
            run.rows = rows;
            run.n = run.in_apart[other] = run.out_apart = n;
            row(run, types[1], types[2], types[0]);
          };
          part(0, at.rows / together, together * at.columns);
          if (rest > 0) part(at.rows - rest, 1, rest * at.columns);
          return;
        }
      }
      if (!apart || at.columns == 1) {
        go(0, at.columns);
        return;
      }
      // What lies apart is gathered before, or scattered after.
      alignas(64) std::byte beside[3][kGathered * 4];
      float added[kGathered];
      CombineRow dense = call;
      dense.rows = 1;
      for (int64_t r = 0; r < at.rows; ++r)
        for (int64_t c = 0; c < at.columns; c += kGathered) {
          dense.n = std::min(kGathered, at.columns - c);
          const auto place = [&](int t) {
            return data[t] + (at.offsets[t] + r * nest.strides[static_cast<size_t>(t)][second] + c * *step[t]) * dtype_size(types[t]);
          };
          for (int o = 0; o < 2; ++o) {
            const int64_t by = *step[1 + o];
            dense.step[o] = by == 0 ? 0 : 1;
            dense.in[o] = is_run(by) ? place(1 + o) : beside[1 + o];
            if (!is_run(by)) copy_apart(place(1 + o), by, beside[1 + o], 1, dense.n, types[1 + o]);
          }
          if (adds) {
            const float* const from = addends + at.offsets[kAddend] + r * addend_apart + c * addend_step;
            dense.addend = is_run(addend_step) ? from : added;
            dense.addend_step = addend_step == 0 ? 0 : 1;
            if (!is_run(addend_step))
              for (int64_t i = 0; i < dense.n; ++i) added[i] = from[i * addend_step];
          }
          dense.out = *step[0] == 1 ? place(0) : beside[0];
          row(dense, types[1], types[2], types[0]);
          if (*step[0] != 1) copy_apart(beside[0], 1, place(0), *step[0], dense.n, types[0]);
        }
    });
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  CombineFunctions::Function* rows_;
};

}  // namespace

KernelList combine_kernels() noexcept {
  static const KernelsOfSets<"binary.quantized", CombineRows, CombineFunctions> rows;
  static const CombineReference reference;
  static const auto all = kernel_list(rows, &reference);
  return all;
}

}  // namespace anydim
