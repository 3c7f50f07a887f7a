// SPDX-License-Identifier: Apache-2.0
// Attributes, shape rule and work of matmul.
#include "core/ops/operators/matmul.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

// Splits an operand into batch dims and its matrix's rows and columns, after transposition.
Status split(const TensorType& t, const char* what, bool left, bool trans, SymDims* batch, Dim* rows, Dim* columns) {
  const int rank = t.dims.rank;
  if (rank < 1) return invalid("matmul: {} is a scalar; expected rank 1 to {}", what, kMaxRank);
  if (rank == 1) {
    if (trans) return invalid("matmul: {} has rank 1 and is to be transposed; expected rank 2 or more", what);
    *rows = left ? Dim(1) : t.dims[0];
    *columns = left ? t.dims[0] : Dim(1);
    return {};
  }
  for (int i = 0; i + 2 < rank; ++i) batch->push_back(t.dims[i]);
  *rows = t.dims[rank - (trans ? 1 : 2)];
  *columns = t.dims[rank - (trans ? 2 : 1)];
  return {};
}

}  // namespace

Status Matmul::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 3).at("matmul"));
  const TensorType &a = in[0], &b = in[1];
  if (a.dtype == DType::boolean) return invalid("matmul: a has dtype bool; expected numbers");
  if (a.dtype != b.dtype) return invalid("matmul: b has dtype {}; a has {}", dtype_name(b.dtype), dtype_name(a.dtype));
  SymDims batch_a, batch_b, batch;
  Dim m, k, kb, n;
  ANYDIM_TRY(split(a, "a", true, at_.transpose_a, &batch_a, &m, &k));
  ANYDIM_TRY(split(b, "b", false, at_.transpose_b, &batch_b, &kb, &n));
  if (k.is_number() && kb.is_number() && !(k == kb))
    return invalid("matmul: a {} has {} columns and b {} has {} rows; expected equal numbers", pool.text(a.dims), k.number(),
                   pool.text(b.dims), kb.number());
  ANYDIM_TRY(require_equal(pool, k, kb, "columns of a and rows of b"));
  require_broadcast(pool, batch_a, batch_b, 2);
  ANYDIM_TRY(broadcast_dims(pool, batch_a, batch_b, &batch).at("matmul: batch"));
  if (a.dims.rank > 1) batch.push_back(m);
  if (b.dims.rank > 1) batch.push_back(n);
  if (in.size() > 2 && in[2].dtype != DType::none) {
    const TensorType& c = in[2];
    if (c.dtype != a.dtype) return invalid("matmul: c has dtype {}; a has {}", dtype_name(c.dtype), dtype_name(a.dtype));
    if (c.dims.rank > batch.rank) return invalid("matmul: c {} has more axes than the product {}", pool.text(c.dims), pool.text(batch));
    for (int i = 0; i < c.dims.rank; ++i) {
      const Dim x = c.dims[i], y = batch[i + batch.rank - c.dims.rank];
      if (x.is_number() && y.is_number() && !x.is(1) && !(x == y))
        return invalid("matmul: c {} does not broadcast to the product {}: axis {} has {}", pool.text(c.dims), pool.text(batch), i,
                       x.number());
    }
    for (int i = 1; i <= c.dims.rank; ++i)
      ANYDIM_TRY(require_fits(pool, c.dims[c.dims.rank - i], batch[batch.rank - i], "axis -{} of c", i));
  }
  out[0].dtype = a.dtype;
  out[0].dims = batch;
  return {};
}

Work Matmul::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (in.size() < 2 || out.empty() || in[0].rank == 0) return work_per_element(in, out);
  const Dims& a = in[0];
  const int k = a.rank == 1 ? 0 : at_.transpose_a ? a.rank - 2 : a.rank - 1;
  return work_of_products(count_of(out[0]), static_cast<double>(a[k]));
}

}  // namespace anydim
