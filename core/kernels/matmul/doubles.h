// SPDX-License-Identifier: Apache-2.0
// Matmul of f64: its kernel. See doubles.h.
#pragma once

#include "core/kernels/doubles/rows.h"
#include "core/kernels/plain_kernel.h"

namespace anydim {

class DoubleProduct final : public PlainKernel {
 public:
  constexpr DoubleProduct(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : PlainKernel(name, OpKind::matmul, isa), rows_(rows) {}
  Support supports(const Problem& p) const noexcept override;
  // A constant right side of more than a few columns is laid out by panels once: reading it in pieces of a row costs more than the products.
  PackedForm packed_form(const Problem& p) const noexcept override;
  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override;
  void plan(const Args& args, Plan* plan) const noexcept override;
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int threads) const noexcept override;
  Status run(const Plan& plan, const Args& args) const noexcept override;

 private:
  const DoubleRows& rows_;
};

}  // namespace anydim
