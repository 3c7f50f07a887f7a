// SPDX-License-Identifier: Apache-2.0
// Matmul's axes; see product.h.
#include "core/kernels/matmul/product.h"

namespace anydim {

int64_t Product::outer_items() const noexcept {
  int64_t n = 1;
  for (int i = 0; i < outer_count; ++i) n *= outer[i].count;
  return n;
}

int64_t Product::row_items() const noexcept {
  int64_t n = 1;
  for (int i = 0; i < row_count; ++i) n *= rows[i].count;
  return n;
}

int64_t Product::item_offset(int64_t i, int t) const noexcept {
  int64_t sum = 0;
  for (int a = outer_count - 1; a >= 0; --a) {
    sum += i % outer[a].count * outer[a].stride[t];
    i /= outer[a].count;
  }
  return sum;
}

void product_sizes(const Matmul::Attributes& at, const Dims& a, const Dims& b, int64_t* m, int64_t* n, int64_t* k) noexcept {
  *m = a.rank == 1 ? 1 : a[a.rank - (at.transpose_a ? 1 : 2)];
  *k = a.rank == 1 ? a[0] : a[a.rank - (at.transpose_a ? 2 : 1)];
  *n = b.rank == 1 ? 1 : b[b.rank - (at.transpose_b ? 2 : 1)];
}

Product make_product(const Matmul::Attributes& at, const TensorView& a, const TensorView& b, const TensorView& dst,
                     const Epilogue& epilogue) noexcept {
  Product p;
  product_sizes(at, a.dims, b.dims, &p.m, &p.n, &p.k);
  const int ra = a.rank(), rb = b.rank(), rd = dst.rank();
  p.a_k = ra == 1 ? a.strides[0] : a.strides[ra - (at.transpose_a ? 2 : 1)];
  p.b_k = rb == 1 ? b.strides[0] : b.strides[rb - (at.transpose_b ? 1 : 2)];
  p.b_n = rb == 1 ? 0 : b.strides[rb - (at.transpose_b ? 2 : 1)];
  const bool has_m = ra > 1, has_n = rb > 1;
  p.dst_n = has_n && p.n > 1 ? dst.strides[rd - 1] : 1;
  const int tensors = 3 + epilogue.operand_count;
  for (int o = 0; o < epilogue.operand_count; ++o) p.operand_n[o] = has_n && p.n > 1 ? epilogue.operands[o].strides[rd - 1] : 0;

  // Batch axes, then rows.
  const int batch = rd - has_m - has_n;
  ProductAxis axes[kMaxRank + 1];
  int count = 0;
  for (int i = 0; i < batch + (has_m ? 1 : 0); ++i) {
    if (dst.dims[i] == 1) continue;
    ProductAxis& x = axes[count];
    x.count = dst.dims[i];
    x.stride[0] = x.stride[1] = 0;
    if (i == batch) {
      x.stride[0] = a.strides[ra - (at.transpose_a ? 1 : 2)];
    } else {
      const int ia = i - (batch - (ra - 2)), ib = i - (batch - (rb - 2));
      if (ra > 2 && ia >= 0 && a.dims[ia] != 1) x.stride[0] = a.strides[ia];
      if (rb > 2 && ib >= 0 && b.dims[ib] != 1) x.stride[1] = b.strides[ib];
    }
    x.stride[2] = dst.strides[i];
    for (int o = 0; o < epilogue.operand_count; ++o) x.stride[3 + o] = epilogue.operands[o].strides[i];
    // One axis with the one before it if every tensor walks through both without a seam.
    bool merge = count > 0;
    for (int t = 0; merge && t < tensors; ++t) merge = axes[count - 1].stride[t] == x.stride[t] * x.count;
    if (merge) {
      x.count *= axes[count - 1].count;
      axes[count - 1] = x;
    } else {
      ++count;
    }
  }
  int first = count;
  while (first > 0 && count - first < 4 && axes[first - 1].stride[1] == 0) --first;
  for (int i = 0; i < first; ++i) p.outer[p.outer_count++] = axes[i];
  for (int i = first; i < count; ++i) p.rows[p.row_count++] = axes[i];
  return p;
}

}  // namespace anydim
