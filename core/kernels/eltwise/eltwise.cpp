// SPDX-License-Identifier: Apache-2.0
// The f32 kernels for unary and binary operators with their post-op chains, one per instruction set, and the family's
// list.
#include "core/kernels/eltwise/eltwise.h"

#include "core/kernels/copy/copy.h"
#include "core/kernels/eltwise/row_chain.h"
#include "core/kernels/x86.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

class RowKernel final : public HostKernel {
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
    run_row_chain(rows_, chain_of(*args.op, *args.post_ops), args.out[0], args.in, args.post_in, args.parallel);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  RowFunction rows_;
};

}  // namespace

KernelList eltwise_kernels() noexcept {
  static const RowKernel unary_portable("unary.portable", OpKind::unary, Isa::portable, eltwise_rows_portable);
  static const RowKernel binary_portable("binary.portable", OpKind::binary, Isa::portable, eltwise_rows_portable);
  static const HostKernel* const everywhere[] = {&unary_portable, kUnaryReference, &binary_portable, kBinaryReference,
                                                 kWhereReference, kCastReference,  kBitCastCopy,     kBitCastReference};
  if constexpr (kX86) {
    static const RowKernel unary_avx512("unary.avx512", OpKind::unary, Isa::avx512, eltwise_rows_avx512);
    static const RowKernel unary_avx2("unary.avx2", OpKind::unary, Isa::avx2, eltwise_rows_avx2);
    static const RowKernel binary_avx512("binary.avx512", OpKind::binary, Isa::avx512, eltwise_rows_avx512);
    static const RowKernel binary_avx2("binary.avx2", OpKind::binary, Isa::avx2, eltwise_rows_avx2);
    static const auto all = kernel_list({&unary_avx512, &unary_avx2, &binary_avx512, &binary_avx2}, everywhere);
    return all;
  }
  return everywhere;
}

}  // namespace anydim
