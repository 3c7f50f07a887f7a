// SPDX-License-Identifier: Apache-2.0
// Matmul of f64: blocks of rows times panels of columns. For each block of k a panel of the right side is laid out in the first
// cache, unless it lies well and few rows would share it.
#include "core/kernels/matmul/doubles.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/matmul/product.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

constexpr int64_t kRows = 128;  // of a task: their totals are 16 KiB

struct DoubleJob {
  const Args& args;
  const Product& p;
  const DoubleRows& rows;
  double alpha, beta;
  const double* c;  // null: none
};

// Offsets of item i of nested axes, for each tensor that there is: a, b, dst, c.
void product_offsets(const ProductAxis* axes, int count, int64_t i, int tensors, int64_t (&at)[4]) noexcept {
  for (int a = count - 1; a >= 0; --a) {
    const int64_t k = i % axes[a].count;
    i /= axes[a].count;
    for (int t = 0; t < tensors; ++t) at[t] += k * axes[a].stride[t];
  }
}

void double_product_part(const DoubleJob& job, int64_t item, int64_t first_row, int64_t last_row, int64_t panel) noexcept {
  const Product& p = job.p;
  const int tensors = job.c != nullptr ? 4 : 3;
  const int64_t column = panel * kDoubleColumns, columns = std::min(kDoubleColumns, p.n - column), count = last_row - first_row;
  int64_t base[4] = {};
  product_offsets(p.outer, p.outer_count, item, tensors, base);
  int64_t at[kRows][4];
  const double* a[kRows];
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(base, 4, at[r]);
    if (p.row_count == 1) {
      for (int t = 0; t < tensors; ++t) at[r][t] += (first_row + r) * p.rows[0].stride[t];
    } else {
      product_offsets(p.rows, p.row_count, first_row + r, tensors, at[r]);
    }
    a[r] = job.args.in[0].as<const double>() + at[r][0];
  }
  const double* b = job.args.in[1].as<const double>() + base[1] + column * p.b_n;
  alignas(64) double totals[kRows * kDoubleColumns], packed[kDoubleBlock * kDoubleColumns];
  if (p.k == 0) std::fill_n(totals, count * kDoubleColumns, 0.0);
  const bool in_place = columns == kDoubleColumns && p.b_n == 1 && count <= 4;
  for (int64_t k = 0; k < p.k; k += kDoubleBlock) {
    const int64_t steps = std::min(kDoubleBlock, p.k - k);
    if (!in_place) {
      for (int64_t s = 0; s < steps; ++s) {
        const double* from = b + (k + s) * p.b_k;
        double* to = packed + s * kDoubleColumns;
        if (p.b_n == 1 && columns == kDoubleColumns) {
          std::memcpy(to, from, kDoubleColumns * sizeof(double));
          continue;
        }
        for (int64_t j = 0; j < columns; ++j) to[j] = from[j * p.b_n];
        for (int64_t j = columns; j < kDoubleColumns; ++j) to[j] = 0.0;
      }
    }
    job.rows.tile({a, p.a_k, in_place ? b + k * p.b_k : packed, in_place ? p.b_k : kDoubleColumns, steps, count, totals, k == 0});
    for (int64_t r = 0; r < count; ++r) a[r] += steps * p.a_k;
  }
  const int64_t c_n = job.c != nullptr ? p.operand_n[0] : 0;
  for (int64_t r = 0; r < count; ++r) {
    double* to = job.args.out[0].as<double>() + at[r][2] + column * p.dst_n;
    const double* from = totals + r * kDoubleColumns;
    if (job.c == nullptr && job.alpha == 1.0 && p.dst_n == 1) {
      std::memcpy(to, from, static_cast<size_t>(columns) * sizeof(double));
      continue;
    }
    const double* c = job.c != nullptr ? job.c + at[r][3] + column * c_n : nullptr;
    for (int64_t j = 0; j < columns; ++j) {
      double v = from[j];
      if (job.alpha != 1.0) v = job.alpha * v;
      if (c != nullptr) v = v + (job.beta != 1.0 ? job.beta * c[j * c_n] : c[j * c_n]);
      to[j * p.dst_n] = v;
    }
  }
}

}  // namespace

Support DoubleProduct::supports(const Problem& p) const noexcept {
  if (!as<Matmul>(*p.op)) return no("another operator");
  for (const TensorType& i : p.in)
    if (i.dtype != DType::f64 && i.dtype != DType::none) return no("the inputs are not f64");
  if (p.in[0].dtype != DType::f64) return no("the inputs are not f64");
  return p.post_ops->count == 0 ? yes() : no("post-ops of f64 are the reference's");
}

Status DoubleProduct::run(const Plan&, const Args& args) const noexcept {
  const Matmul::Attributes& attributes = as<Matmul>(*args.op)->get();
  const TensorView& dst = args.out[0];
  if (dst.count() == 0) return {};
  // c is walked as a post-op's tensor would be.
  Epilogue chain;
  const double* c = nullptr;
  if (args.in.size() > 2 && args.in[2].dtype != DType::none) {
    const TensorView& t = args.in[2];
    c = t.as<const double>();
    chain.operand_count = 1;
    chain.operands[0].strides = Strides::filled(dst.rank(), 0);
    for (int j = 0; j < t.rank(); ++j)
      if (t.dims[j] != 1) chain.operands[0].strides[dst.rank() - t.rank() + j] = t.strides[j];
  }
  const Product p = make_product(attributes, args.in[0], args.in[1], dst, chain);
  const DoubleJob job{args, p, rows_, static_cast<double>(attributes.alpha), static_cast<double>(attributes.beta), c};
  const int64_t items = p.outer_items(), rows = p.row_items(), panels = ceil_div(p.n, kDoubleColumns), parts = ceil_div(rows, kRows);
  args.parallel.run(items * parts * panels, [&](int64_t task, int) {
    const int64_t panel = task % panels, part = task / panels % parts;
    double_product_part(job, task / panels / parts, part * kRows, std::min(rows, (part + 1) * kRows), panel);
  });
  return {};
}

}  // namespace anydim
