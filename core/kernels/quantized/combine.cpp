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

// A run: each block of rows is combined where it lies; with the numbers of channels repeated, where they are few; or beside it, where it
// lies apart.
class CombineRun {
 public:
  CombineRun(const Args& args, const LoopNest& nest, CombineFunction row)
      : factors_(args),
        nest_(nest),
        row_(row),
        adds_(args.post_ops->count > 0),
        types_{args.out[0].dtype, args.in[0].dtype, args.in[1].dtype},
        data_{static_cast<std::byte*>(args.out[0].data), static_cast<std::byte*>(args.in[0].data),
              static_cast<std::byte*>(args.in[1].data)},
        addends_(adds_ ? args.post_in[0].as<const float>() : nullptr) {
    for (int t = 0; t < 3; ++t) step_[t] = nest.strides[static_cast<size_t>(t)][nest.rank - 1];
    addend_step_ = nest.strides[kAddend][nest.rank - 1];  // 0 where there is none
    addend_apart_ = nest.strides[kAddend][nest.rank - 2];
    for (int o = 0; o < 2; ++o) {
      call_.in_scale[o] = factors_.has_scale[o] ? &factors_.scale[o] : nullptr;
      call_.in_zero[o] = factors_.has_zero[o] ? &factors_.zero[o] : nullptr;
      call_.in_apart[o] = row_step(1 + o);
    }
    call_.out_scale = factors_.has_scale[2] ? &factors_.scale[2] : nullptr;
    call_.out_zero = factors_.has_zero[2] ? &factors_.zero[2] : nullptr;
    call_.out_apart = row_step(0);
  }

  void block(const LoopBlock& at) const {
    const bool apart = step_[0] != 1 || !is_run(step_[1]) || !is_run(step_[2]) || !is_run(addend_step_);
    if (apart && at.columns > 1) return gathered(at);
    if (!apart && at.rows > 1 && call_.out_apart == at.columns && at.columns <= kRepeated / 2)
      for (const int o : {0, 1})
        if (is_repeated(at, o)) return repeated(at, o);
    in_place(at);
  }

 private:
  static constexpr int64_t kRepeated = 768, kGathered = 512;

  static bool is_run(int64_t by) { return by == 0 || by == 1; }
  int64_t row_step(int t) const { return nest_.strides[static_cast<size_t>(t)][nest_.rank - 2]; }
  // `elements` behind the block's first.
  std::byte* place(const LoopBlock& at, int t, int64_t elements) const {
    return data_[t] + (at.offsets[t] + elements) * dtype_size(types_[t]);
  }
  void combine(const CombineRow& rows) const { row_(rows, types_[1], types_[2], types_[0]); }

  void in_place(const LoopBlock& at) const {
    CombineRow run = call_;
    run.rows = at.rows;
    run.out = place(at, 0, 0);
    for (int o = 0; o < 2; ++o) run.in[o] = place(at, 1 + o, 0), run.step[o] = step_[1 + o];
    if (adds_) run.addend = addends_ + at.offsets[kAddend];
    run.addend_step = addend_step_;
    run.addend_apart = addend_apart_;
    run.n = at.columns;
    combine(run);
  }

  // Is operand o one row of numbers beside rows that lie one behind the other?
  bool is_repeated(const LoopBlock& at, int o) const {
    const int other = 1 - o;
    if (step_[1 + o] != 1 || step_[1 + other] != 1 || call_.in_apart[o] != 0 || call_.in_apart[other] != at.columns) return false;
    return !adds_ || (addend_step_ == 1 && addend_apart_ == 0);
  }

  // Numbers of channels beside few channels: as many rows as one, with the numbers as often.
  void repeated(const LoopBlock& at, int o) const {
    const int other = 1 - o;
    const int64_t size = dtype_size(types_[1 + o]);
    alignas(64) std::byte repeated[kRepeated * 4];
    const int64_t most = kRepeated / at.columns, together = std::min(most, at.rows), rest = at.rows % together;
    float added[kRepeated];
    for (int64_t r = 0; r < together; ++r) {
      std::copy_n(place(at, 1 + o, 0), at.columns * size, repeated + r * at.columns * size);
      if (adds_) std::copy_n(addends_ + at.offsets[kAddend], at.columns, added + r * at.columns);
    }
    CombineRow run = call_;
    run.addend = adds_ ? added : nullptr;
    run.addend_step = run.step[0] = run.step[1] = 1;
    run.in[o] = repeated;
    const auto part = [&](int64_t first, int64_t rows, int64_t n) {
      run.out = place(at, 0, first * at.columns);
      run.in[other] = place(at, 1 + other, first * at.columns);
      run.rows = rows;
      run.n = run.in_apart[other] = run.out_apart = n;
      combine(run);
    };
    part(0, at.rows / together, together * at.columns);
    if (rest > 0) part(at.rows - rest, 1, rest * at.columns);
  }

  // What lies apart is gathered before, or scattered after.
  void gathered(const LoopBlock& at) const {
    alignas(64) std::byte beside[3][kGathered * 4];
    float added[kGathered];
    CombineRow dense = call_;
    dense.rows = 1;
    for (int64_t r = 0; r < at.rows; ++r)
      for (int64_t c = 0; c < at.columns; c += kGathered) {
        dense.n = std::min(kGathered, at.columns - c);
        const auto here = [&](int t) { return place(at, t, r * row_step(t) + c * step_[t]); };
        for (int o = 0; o < 2; ++o) {
          const int64_t by = step_[1 + o];
          dense.step[o] = by == 0 ? 0 : 1;
          dense.in[o] = is_run(by) ? here(1 + o) : beside[1 + o];
          if (!is_run(by)) copy_apart(here(1 + o), by, beside[1 + o], 1, dense.n, types_[1 + o]);
        }
        if (adds_) {
          const float* const from = addends_ + at.offsets[kAddend] + r * addend_apart_ + c * addend_step_;
          dense.addend = is_run(addend_step_) ? from : added;
          dense.addend_step = addend_step_ == 0 ? 0 : 1;
          if (!is_run(addend_step_))
            for (int64_t i = 0; i < dense.n; ++i) added[i] = from[i * addend_step_];
        }
        dense.out = step_[0] == 1 ? here(0) : beside[0];
        combine(dense);
        if (step_[0] != 1) copy_apart(beside[0], 1, here(0), step_[0], dense.n, types_[0]);
      }
  }

  const CombineFactors factors_;
  const LoopNest& nest_;
  const CombineFunction row_;
  const bool adds_;
  const DType types_[3];
  std::byte* const data_[3];
  const float* const addends_;
  int64_t step_[3], addend_step_, addend_apart_;
  CombineRow call_{};  // with all that blocks share
};

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
    LoopNest nest;
    if (!make_loop_nest(args.out[0], args.in, args.post_in.first(args.post_ops->count > 0 ? 1 : 0), &nest)) return {};
    const CombineRun run(args, nest, rows_(as<Binary>(*args.op)->function()));
    constexpr int64_t kElementsPerTask = 32 << 10;
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) { run.block(at); });
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
  static const auto all = kernel_list(rows, kept<"binary.quantized.reference", reference>());
  return all;
}

}  // namespace anydim
