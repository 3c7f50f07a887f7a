// SPDX-License-Identifier: Apache-2.0
// For tests of constants: a kernel that makes pieces of three dtypes of them, and a host engine that has it before the CPU's kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/engines/cpu/engine.h"
#include "core/ops/operators/matmul.h"

namespace anydim::testing {

// A matrix product whose constant right side is packed as s8 panels, s32 sums of columns, and an f32 scale for each column; a
// constant c beside it as f32. The left side holds integers from -128 to 127, which it reads as u8. Where all of that is exact, as for
// small multiples of a power of two, it has the reference's bits. An affine post-op without an addend goes into the scales, if it may.
class QuantisedProduct final : public HostKernel {
 public:
  enum { kPanels, kSums, kScales, kAddend };
  uint8_t depends = 0;       // what its form says that it depends on
  bool takes_scale = false;  // then that must be on_post_ops

  const char* name() const noexcept override { return "testing.quantised"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (!p.is_constant(1) || p.in[1].dims.rank != 2) return no("the second input is no constant matrix");
    if (p.in[1].dtype != DType::f32) return no("an input is not f32");
    if (as<Matmul>(*p.op)->get().transpose_a || as<Matmul>(*p.op)->get().transpose_b) return no("an input is transposed");
    for (const PostOp& o : *p.post_ops)
      if (o.kind != PostOp::Kind::unary || (o.unary != UnaryFunction::relu && o.unary != UnaryFunction::affine)) return no("a post-op");
    return yes();
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims b = numbers(p.in[1].dims);
    form.format = "testing.s8";
    form.operands = {1};
    form.depends = depends;
    form.add("panels", DType::i8, b[0] * b[1]);
    form.add("sums", DType::i32, b[1]);
    form.add("scales", DType::f32, b[1]);
    if (p.is_constant(2)) {
      form.operands.add(2);
      form.add("addend", DType::f32, element_count(numbers(p.in[2].dims)));
    }
    return form;
  }
  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing&,
              std::span<std::byte* const> pieces) const override {
    const TensorView& b = tensors[1];
    auto* panels = reinterpret_cast<int8_t*>(pieces[kPanels]);
    auto* sums = reinterpret_cast<int32_t*>(pieces[kSums]);
    auto* scales = reinterpret_cast<float*>(pieces[kScales]);
    for (int64_t n = 0; n < b.dims[1]; ++n) {
      const auto at = [&](int64_t k) { return read_unaligned(b.as<const float>() + k * b.strides[0] + n * b.strides[1]); };
      float most = 0;
      for (int64_t k = 0; k < b.dims[0]; ++k) most = std::max(most, std::fabs(at(k)));
      scales[n] = most == 0 ? 1.f : std::exp2(std::ceil(std::log2(most / 127)));
      for (int64_t k = 0; k < b.dims[0]; ++k) {
        panels[n * b.dims[0] + k] = static_cast<int8_t>(std::lrint(at(k) / scales[n]));
        sums[n] += panels[n * b.dims[0] + k];
      }
      if (scales_itself(*problem.post_ops)) scales[n] *= problem.post_ops->steps[0].alpha;
    }
    for (int64_t i = 0; pieces.size() > kAddend && i < tensors[2].count(); ++i)
      reinterpret_cast<float*>(pieces[kAddend])[i] = read_unaligned(tensors[2].as<const float>() + i * tensors[2].strides[0]);
    return {};
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &a = args.in[0], &y = args.out[0];
    const int64_t k = a.dims[1];
    const bool scaled = scales_itself(*args.post_ops);
    for (int64_t m = 0; m < y.dims[0]; ++m)
      for (int64_t n = 0; n < y.dims[1]; ++n) {
        const int8_t* panel = args.weights->piece<int8_t>(kPanels) + n * k;
        int32_t sum = -128 * args.weights->piece<int32_t>(kSums)[n];
        for (int64_t i = 0; i < k; ++i)
          sum += static_cast<uint8_t>(a.as<const float>()[m * a.strides[0] + i * a.strides[1]] + 128) * panel[i];
        float v = static_cast<float>(sum) * args.weights->piece<float>(kScales)[n];
        if (args.packs(2)) v += args.weights->piece<float>(kAddend)[n];
        else if (args.in.size() > 2) v += args.in[2].as<const float>()[n * args.in[2].strides[0]];
        for (int i = scaled ? 1 : 0; i < args.post_ops->count; ++i) {
          const PostOp& o = args.post_ops->steps[i];
          v = o.unary == UnaryFunction::relu ? std::max(v, 0.f) : o.alpha * v + o.beta;
        }
        y.as<float>()[m * y.strides[0] + n * y.strides[1]] = v;
      }
    return {};
  }

 private:
  bool scales_itself(const PostOps& chain) const noexcept {
    return takes_scale && chain.count > 0 && chain.steps[0].unary == UnaryFunction::affine && chain.steps[0].beta == 0;
  }
  KernelKey key_{OpKind::matmul, DType::f32, DType::f32, LayoutFamily::any, Isa()};
};

// The CPU with such a kernel, as a device of its own.
class EngineWithPieces final : public Engine {
 public:
  static std::shared_ptr<const EngineWithPieces> create(uint8_t depends = 0, bool takes_scale = false) {
    auto parts = std::make_shared<Parts>();
    parts->product.depends = depends;
    parts->product.takes_scale = takes_scale;
    parts->table.add(parts->product);
    for (const Kernel* k : cpu_engine()->kernels().all()) parts->table.add(*k);
    return std::shared_ptr<const EngineWithPieces>(new EngineWithPieces(std::move(parts)));
  }
  const char* unsupported_reason(const Kernel& kernel) const noexcept override { return cpu_engine()->unsupported_reason(kernel); }
  Rates rates(const Kernel& kernel, bool products) const noexcept override { return cpu_engine()->rates(kernel, products); }
  Status allocate(int64_t bytes, MemoryPtr* out) const override { return cpu_engine()->allocate(bytes, out); }
  Status import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const override {
    return cpu_engine()->import(data, bytes, std::move(owner), out);
  }
  Status pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              WeightsValues* out) const override {
    return cpu_engine()->pack(kernel, problem, tensors, packing, out);
  }
  Status create_stream(int threads, StreamPtr* out) const override { return cpu_engine()->create_stream(threads, out); }

 private:
  struct Parts {
    QuantisedProduct product;
    KernelTable table;
  };
  static Facts facts() {
    Facts f;
    f.identity.kind = "pieces";
    f.device_id = 1000;
    f.is_host = true;
    f.clocks = cpu_engine()->clocks();
    return f;
  }
  explicit EngineWithPieces(std::shared_ptr<Parts> parts) : Engine(facts(), parts->table), parts_(std::move(parts)) {}
  const std::shared_ptr<Parts> parts_;
};

}  // namespace anydim::testing
