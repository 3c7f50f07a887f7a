// SPDX-License-Identifier: Apache-2.0
// The f32 kernels for unary and binary operators with their post-op chains, one per instruction set, and the family's
// list. A kernel is a loop nest around the row function of its instruction set.
#include "core/kernels/eltwise/eltwise.h"

#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/eltwise/rows.h"
#include "core/ops/binary.h"
#include "core/ops/unary.h"

namespace anydim {

namespace {

// Enough that handing a task to another thread is small beside it.
constexpr int64_t kElementsPerTask = 16 << 10;

class RowKernel final : public Kernel {
 public:
  constexpr RowKernel(const char* name, OpKind op, Isa isa, RowFunction rows) noexcept
      : name_(name), key_{.op = op, .isa = isa}, rows_(rows) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key_.op) return no("another operator");
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32) return no("an input is not f32");
    if (p.out[0].dtype != DType::f32) return no("the output is not f32");
    const Unary* unary = as<Unary>(*p.op);
    const Binary* binary = as<Binary>(*p.op);
    if (unary ? !is_chain_function(unary->function()) : !is_chain_function(binary->function())) return no("the function does not give f32");
    return supports_post_ops(p);
  }

  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    LoopNest nest;
    if (!make_loop_nest(args.out[0], args.in, args.post_in, &nest)) return {};

    // The operator itself is the first step of the chain; an identity is none. step_operand: which operand of the nest
    // a step reads.
    ChainStep steps[kMaxPostOps + 1];
    int step_operand[kMaxPostOps + 1] = {};
    int count = 0;
    const float* data[kMaxOperands] = {args.out[0].as<float>()};
    int operands = 1;
    for (const TensorView& t : args.in) data[operands++] = t.as<float>();
    const int first_post = operands;
    for (const TensorView& t : args.post_in) data[operands++] = t.as<float>();
    if (const Unary* u = as<Unary>(*args.op)) {
      if (u->function() != UnaryFunction::identity)
        steps[count++].op = {PostOp::Kind::unary, u->function(), BinaryFunction::add, u->alpha(), u->beta()};
    } else {
      step_operand[count] = 2;
      steps[count++].op = {PostOp::Kind::binary, UnaryFunction::identity, as<Binary>(*args.op)->function()};
    }
    int post = first_post;
    for (const PostOp& p : *args.post_ops) {
      if (p.takes_tensor()) step_operand[count] = post++;
      steps[count++].op = p;
    }

    const int last = nest.rank - 1, second = nest.rank - 2;
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) {
      const auto operand = [&](int o) { return RowOperand{data[o] + at.offsets[o], nest.strides[o][second], nest.strides[o][last]}; };
      RowBlock block;
      block.out = args.out[0].as<float>() + at.offsets[0];
      block.out_row_stride = nest.strides[0][second];
      block.out_column_stride = nest.strides[0][last];
      block.first = operand(1);
      block.steps = steps;
      block.count = count;
      for (int i = 0; i < count; ++i)
        if (steps[i].op.takes_tensor()) block.operands[i] = operand(step_operand[i]);
      block.rows = at.rows;
      block.columns = at.columns;
      rows_(block);
    });
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  RowFunction rows_;
};

#if defined(__x86_64__)
const RowKernel kUnaryAvx512("unary.avx512", OpKind::unary, Isa::avx512, eltwise_rows_avx512);
const RowKernel kUnaryAvx2("unary.avx2", OpKind::unary, Isa::avx2, eltwise_rows_avx2);
const RowKernel kBinaryAvx512("binary.avx512", OpKind::binary, Isa::avx512, eltwise_rows_avx512);
const RowKernel kBinaryAvx2("binary.avx2", OpKind::binary, Isa::avx2, eltwise_rows_avx2);
#endif
const RowKernel kUnaryPortable("unary.portable", OpKind::unary, Isa::portable, eltwise_rows_portable);
const RowKernel kBinaryPortable("binary.portable", OpKind::binary, Isa::portable, eltwise_rows_portable);

}  // namespace

KernelList eltwise_kernels() noexcept {
  static const Kernel* const list[] = {
#if defined(__x86_64__)
    &kUnaryAvx512,
    &kUnaryAvx2,
#endif
    &kUnaryPortable,
    kUnaryReference,
#if defined(__x86_64__)
    &kBinaryAvx512,
    &kBinaryAvx2,
#endif
    &kBinaryPortable,
    kBinaryReference,
    kWhereReference,
    kCastReference,
  };
  return list;
}

}  // namespace anydim
