// SPDX-License-Identifier: Apache-2.0
// Packs numbers of few bits, their scales and zero points into panels; see numbers_engine.h.
#pragma once

#include "core/kernels/compressed_matmul/numbers_engine.h"
#include "core/kernels/kernel.h"
#include "core/kernels/matmul/product.h"

namespace anydim {

// What the operator's constants are.
struct NumbersForm {
  NumberForm form = NumberForm::bits8;
  int32_t shift = 0;  // added to numbers
  bool transposed = false;
  int64_t k = 0, columns = 0, block = 1, blocks = 1;
};
NumbersForm numbers_form(const Operator& op, DType dtype, const Dims& b) noexcept;
NumbersForm numbers_form(const Problem& p) noexcept;

int64_t numbers_bytes(const NumbersForm& form, int64_t panels, int64_t width) noexcept;
void pack_numbers(const NumbersForm& form, const TensorView& b, int64_t panels, int64_t width, const Packing& packing, std::byte* to);
// One for each block and column, `shift` added.
void pack_factors(const NumbersForm& form, const TensorView& factors, float shift, int64_t panels, int64_t width, float* to);

// What kernels over such panels have in common, whatever becomes of their rows: the packed form (with scales and zero points where there are
// any), packing into it, reading it, and the product that the operator is.
void add_numbers(const Problem& p, int64_t panels, int64_t width, PackedForm* form);
void pack_form(const Problem& p, std::span<const TensorView> tensors, const Packing& packing, int64_t panels, int64_t width,
               std::span<std::byte* const> pieces);
NumberPanels number_panels(const Args& args) noexcept;
Product numbers_product(const Args& args, const Epilogue& epilogue) noexcept;

}  // namespace anydim
