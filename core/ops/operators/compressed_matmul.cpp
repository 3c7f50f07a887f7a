// SPDX-License-Identifier: Apache-2.0
// Compressed matmul: shape rule and work.
#include "core/ops/operators/compressed_matmul.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status CompressedMatmul::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  constexpr const char* kNames[kInputs] = {"a", "b", "scales", "zero_points"};
  ANYDIM_TRY(check_inputs(in, 2, kInputs).at("compressed_matmul"));
  const TensorType &a = in[kA], &b = in[kB];
  if (a.dtype != DType::f32) return invalid("compressed_matmul: a has dtype {}; expected f32", dtype_name(a.dtype));
  const bool whole = b.dtype == DType::i8 || b.dtype == DType::u8 || b.dtype == DType::i4 || b.dtype == DType::u4;
  if (!whole && !dtype_is_half(b.dtype))
    return invalid("compressed_matmul: b has dtype {}; expected i8, u8, i4, u4, f16 or bf16", dtype_name(b.dtype));
  if (at_.rounded_rows && (!whole || at_.block < 8 || at_.block > 256 || at_.block % 8 != 0))
    return invalid("compressed_matmul: rounded_rows with b {} in blocks of {}; expected numbers in blocks of 8 to 256, a multiple of 8",
                   dtype_name(b.dtype), at_.block);
  if (a.dims.rank < 1) return invalid("compressed_matmul: a is a scalar; expected rank 1 to {}", kMaxRank);
  if (b.dims.rank != 2) return invalid("compressed_matmul: b has rank {}; expected 2", b.dims.rank);
  const int of_k = at_.transpose_b ? 1 : 0, of_n = 1 - of_k;
  const Dim k = b.dims[of_k], n = b.dims[of_n], columns = a.dims[a.dims.rank - 1];
  if (k.is_number() && columns.is_number() && !(k == columns))
    return invalid("compressed_matmul: a {} has {} columns; b {} has {} rows", pool.text(a.dims), columns.number(), pool.text(b.dims),
                   k.number());
  ANYDIM_TRY(require_equal(pool, k, columns, "columns of a and rows of b"));
  const Dim blocks = at_.block == 0 ? Dim(1) : pool.ceil_div(k, at_.block);
  for (const size_t i : {kScales, kZeroPoints}) {
    const bool present = i < in.size() && in[i].dtype != DType::none;
    if (i == kScales && present != whole)
      return invalid("compressed_matmul: b is {} and scales are {}; expected scales with i8, u8, i4 and u4 alone", dtype_name(b.dtype),
                     present ? "there" : "not there");
    if (!present) continue;
    if (!whole) return invalid("compressed_matmul: b is {} and has {}; expected none", dtype_name(b.dtype), kNames[i]);
    if (in[i].dtype != DType::f32) return invalid("compressed_matmul: {} have dtype {}; expected f32", kNames[i], dtype_name(in[i].dtype));
    if (in[i].dims.rank != 2) return invalid("compressed_matmul: {} have rank {}; expected 2", kNames[i], in[i].dims.rank);
    const Dim along = in[i].dims[of_k], other = in[i].dims[of_n];
    if ((along.is_number() && blocks.is_number() && !(along == blocks)) ||
        (other.is_number() && n.is_number() && !other.is(1) && !(other == n)))
      return invalid("compressed_matmul: {} have dims {}; expected {} blocks by {} columns or 1", kNames[i], pool.text(in[i].dims),
                     pool.text(blocks), pool.text(n));
    ANYDIM_TRY(require_equal(pool, along, blocks, "blocks of {}", kNames[i]));
    ANYDIM_TRY(require_fits(pool, other, n, "columns of {}", kNames[i]));
  }
  out[0] = {DType::f32, a.dims};
  out[0].dims[a.dims.rank - 1] = n;
  return {};
}

Work CompressedMatmul::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (in.empty() || out.empty() || in[kA].rank == 0) return work_per_element(in, out);
  return work_of_products(count_of(out[0]), static_cast<double>(in[kA][in[kA].rank - 1]));
}

}  // namespace anydim
