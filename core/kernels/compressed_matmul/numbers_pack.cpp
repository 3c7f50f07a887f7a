// SPDX-License-Identifier: Apache-2.0
// Packing of compressed weights; see numbers_pack.h.
#include "core/kernels/compressed_matmul/numbers_pack.h"

#include <algorithm>
#include <utility>

#include "core/kernels/pack_pieces.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

using Op = CompressedMatmul;

enum { kNumbers, kScales, kZeros };  // pieces of the packed form

}  // namespace

NumbersForm numbers_form(const Operator& op, DType dtype, const Dims& b) noexcept {
  const CompressedMatmul::Attributes& at = as<CompressedMatmul>(op)->get();
  NumbersForm f;
  switch (dtype) {
    case DType::i4: f.form = NumberForm::bits4, f.shift = 8; break;
    case DType::u4: f.form = NumberForm::bits4; break;
    case DType::i8: f.shift = 128; break;
    case DType::f16: f.form = NumberForm::f16; break;
    case DType::bf16: f.form = NumberForm::bf16; break;
    default: break;
  }
  f.transposed = at.transpose_b;
  f.k = b[f.transposed ? 1 : 0];
  f.columns = b[f.transposed ? 0 : 1];
  f.block = at.block == 0 || at.block > f.k ? std::max<int64_t>(f.k, 1) : at.block;
  f.blocks = ceil_div(f.k, f.block);
  return f;
}

int64_t numbers_bytes(const NumbersForm& f, int64_t panels, int64_t width) noexcept {
  return saturating_mul(saturating_mul(panels * width, ceil_div(f.k, numbers_of_word(f.form))), word_bytes(f.form));
}

namespace {

// Words [first, end) of one panel.
void pack_words(const NumbersForm& f, const TensorView& b, int64_t panel, int64_t width, int64_t first, int64_t end, std::byte* to) {
  const int64_t k_step = f.transposed ? 1 : f.columns, n_step = f.transposed ? f.k : 1, column = panel * width;
  const int64_t columns = std::min(width, f.columns - column);
  if (f.form == NumberForm::f16 || f.form == NumberForm::bf16) {
    const auto* const from = static_cast<const uint16_t*>(b.data) + column * n_step;
    auto* const numbers = reinterpret_cast<uint16_t*>(to);
    for (int64_t k = first; k < end; ++k)
      for (int64_t c = 0; c < columns; ++c) numbers[k * width + c] = read_unaligned(from + k * k_step + c * n_step);
    return;
  }
  const auto* const from = static_cast<const uint8_t*>(b.data) + column * n_step;
  auto* const words = reinterpret_cast<uint32_t*>(to);
  const int per_word = numbers_of_word(f.form), bits = 32 / per_word;
  const uint32_t mask = (1u << bits) - 1, flip = static_cast<uint32_t>(f.shift);  // adding half of the range flips the highest bit
  for (int64_t j = first; j < end; ++j) {
    const int64_t k = j * per_word, count = std::min<int64_t>(per_word, f.k - k);
    for (int64_t c = 0; c < columns; ++c) {
      uint32_t word = 0;
      for (int64_t i = 0; i < count; ++i) word |= ((from[(k + i) * k_step + c * n_step] & mask) ^ flip) << (bits * i);
      words[j * width + c] = word;
    }
  }
}

}  // namespace

void pack_numbers(const NumbersForm& f, const TensorView& b, int64_t panels, int64_t width, const Packing& packing, std::byte* to) {
  const int64_t words = ceil_div(f.k, numbers_of_word(f.form)), panel_bytes = words * width * word_bytes(f.form);
  if (words == 0 || panels == 0) return;
  if (f.transposed) {
    pack_in_pieces(
        packing, b, panels, [&](int64_t i) { return std::min(i * width, f.columns) * f.k; },
        [&](int64_t i) { pack_words(f, b, i, width, 0, words, to + i * panel_bytes); });
    return;
  }
  const int64_t row_bytes = std::max<int64_t>(f.columns * numbers_of_word(f.form) * dtype_size(b.dtype), 1);
  const int64_t each = std::max<int64_t>(kPieceBytes / row_bytes, 1), pieces = ceil_div(words, each);
  pack_in_pieces(
      packing, b, pieces, [&](int64_t i) { return std::min(i * each * numbers_of_word(f.form), f.k) * f.columns; },
      [&](int64_t i) {
        for (int64_t panel = 0; panel < panels; ++panel)
          pack_words(f, b, panel, width, i * each, std::min(words, (i + 1) * each), to + panel * panel_bytes);
      });
}

void pack_factors(const NumbersForm& f, const TensorView& t, float shift, int64_t panels, int64_t width, float* to) {
  const int of_n = f.transposed ? 0 : 1;
  const bool one = t.dims[of_n] == 1;
  const int64_t block_step = f.transposed ? 1 : t.dims[1], n_step = one ? 0 : f.transposed ? t.dims[1] : 1;
  const auto* const from = static_cast<const float*>(t.data);
  for (int64_t panel = 0; panel < panels; ++panel)
    for (int64_t block = 0; block < f.blocks; ++block)
      for (int64_t c = 0; c < width && panel * width + c < f.columns; ++c)
        to[(panel * f.blocks + block) * width + c] = read_unaligned(from + block * block_step + (panel * width + c) * n_step) + shift;
}

NumbersForm numbers_form(const Problem& p) noexcept { return numbers_form(*p.op, p.in[Op::kB].dtype, numbers(p.in[Op::kB].dims)); }

void add_numbers(const Problem& p, int64_t panels, int64_t width, PackedForm* form) {
  const NumbersForm f = numbers_form(p);
  form->operands = {Op::kB};
  form->add("numbers", DType::u8, numbers_bytes(f, panels, width));
  for (const auto& [input, name] : {std::pair{Op::kScales, "scales"}, std::pair{Op::kZeroPoints, "zero points"}})
    if (p.in.size() > input && p.in[input].dtype != DType::none) {
      form->operands.add(input);
      form->add(name, DType::f32, saturating_mul(panels * width, f.blocks));
    }
}

void pack_form(const Problem& p, std::span<const TensorView> tensors, const Packing& packing, int64_t panels, int64_t width,
               std::span<std::byte* const> pieces) {
  const NumbersForm f = numbers_form(p);
  pack_numbers(f, tensors[Op::kB], panels, width, packing, pieces[kNumbers]);
  for (const auto& [input, piece] : {std::pair{Op::kScales, kScales}, std::pair{Op::kZeroPoints, kZeros}})
    if (tensors.size() > input && tensors[input].dtype != DType::none)
      pack_factors(f, tensors[input], 0.f, panels, width, reinterpret_cast<float*>(pieces[static_cast<size_t>(piece)]));
}

NumberPanels number_panels(const Args& args) noexcept {
  const NumbersForm f = numbers_form(*args.op, args.in[Op::kB].dtype, args.in[Op::kB].dims);
  NumberPanels panels;
  panels.form = f.form;
  panels.numbers = args.weights->pieces[kNumbers];
  if (args.weights->form.count > kScales) panels.scales = args.weights->piece<float>(kScales);
  if (args.weights->form.count > kZeros) panels.zeros = args.weights->piece<float>(kZeros);
  panels.zero = static_cast<float>(as<Op>(*args.op)->get().zero_point + f.shift);
  panels.k = f.k;
  panels.columns = f.columns;
  panels.block = f.block;
  panels.blocks = f.blocks;
  return panels;
}

Product numbers_product(const Args& args, const Epilogue& epilogue) noexcept {
  const TensorView& b = args.in[Op::kB];
  TensorView real{nullptr, DType::f32, b.dims, dense_strides(b.dims)};
  if (as<Op>(*args.op)->get().transpose_b) {
    std::swap(real.dims[0], real.dims[1]);
    std::swap(real.strides[0], real.strides[1]);
  }
  return make_product({}, args.in[Op::kA], real, args.out[0], epilogue);
}

}  // namespace anydim
