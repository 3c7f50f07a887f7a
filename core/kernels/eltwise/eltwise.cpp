// SPDX-License-Identifier: Apache-2.0
// The f32 kernels for unary and binary operators with their post-op chains, one per instruction set, and the family's
// list.
#include "core/kernels/eltwise/eltwise.h"

#include "core/kernels/copy/copy.h"
#include "core/kernels/eltwise/row_chain.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

class RowKernel final : public HostKernel {
 public:
  constexpr RowKernel(const char* name, Isa isa, EltwiseRows::Function* rows, OpKind op) noexcept
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
    run_row_chain(rows_, chain_of(*args.op, *args.post_ops), args.out[0], args.in, args.post_in, args.parallel);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  EltwiseRows::Function* rows_;
};

}  // namespace

KernelList eltwise_kernels() noexcept {
  static const KernelsOfSets<"unary", RowKernel, EltwiseRows> unary(OpKind::unary);
  static const KernelsOfSets<"binary", RowKernel, EltwiseRows> binary(OpKind::binary);
  static const auto all =
      kernel_list(unary, kept<"unary.reference", kUnaryReference>(), binary, kept<"binary.reference", kBinaryReference>(),
                  kept<"where.reference", kWhereReference>(), kept<"cast.reference", kCastReference>(),
                  kept<"copy.bit_cast.portable", kBitCastCopy>(), kept<"bit_cast.reference", kBitCastReference>());
  return all;
}

}  // namespace anydim
