// SPDX-License-Identifier: Apache-2.0
// Matmul of integers: blocks of rows times panels of columns, as of f64 (matmul/doubles.cpp), but sums are exact modulo 2^n. For each
// block of k a panel of the right side is laid out in the first cache, unless it lies well and few rows would share it. A single
// column is dot products.
#include "core/kernels/matmul/integer_product.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/matmul/product.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

constexpr int64_t kRows = 64;    // of a task: their totals are 8 KiB
constexpr int64_t kSteps = 128;  // of k at a time: a panel of 16 KiB

template <class T> struct IntegerJob {
  const Args& args;
  const Product& p;
  const IntegerTiles& tiles;
  const T* c;  // null: none
};
template <class T> constexpr int kWide = sizeof(T) == 8 ? 1 : 0;

// Offsets of item i of nested axes, for each tensor that there is: a, b, dst, c.
void add_offsets(const ProductAxis* axes, int count, int64_t i, int tensors, int64_t (&at)[4]) noexcept {
  for (int a = count - 1; a >= 0; --a) {
    const int64_t k = i % axes[a].count;
    i /= axes[a].count;
    for (int t = 0; t < tensors; ++t) at[t] += k * axes[a].stride[t];
  }
}

// Writes `columns` totals of the row whose offsets are `at`.
template <class T>
void store_row(const IntegerJob<T>& job, const T* totals, int64_t columns, int64_t column, const int64_t (&at)[4]) noexcept {
  const Product& p = job.p;
  T* to = job.args.out[0].template as<T>() + at[2] + column * p.dst_n;
  if (job.c == nullptr && p.dst_n == 1) {
    std::memcpy(to, totals, static_cast<size_t>(columns) * sizeof(T));
    return;
  }
  const int64_t c_n = job.c != nullptr ? p.operand_n[0] : 0;
  const T* c = job.c != nullptr ? job.c + at[3] + column * c_n : nullptr;
  for (int64_t j = 0; j < columns; ++j) to[j * p.dst_n] = c != nullptr ? totals[j] + c[j * c_n] : totals[j];
}

template <class T> void pack_panel(const T* from, int64_t k_step, int64_t n_step, int64_t steps, int64_t columns, T* to) noexcept {
  constexpr int64_t kColumns = kIntegerPanel / sizeof(T);
  for (int64_t s = 0; s < steps; ++s, from += k_step, to += kColumns) {
    if (n_step == 1 && columns == kColumns) {
      std::memcpy(to, from, kIntegerPanel);
      continue;
    }
    for (int64_t j = 0; j < columns; ++j) to[j] = from[j * n_step];
    for (int64_t j = columns; j < kColumns; ++j) to[j] = 0;
  }
}

template <class T> void product_part(const IntegerJob<T>& job, int64_t item, int64_t first_row, int64_t last_row, int64_t panel) noexcept {
  constexpr int64_t kColumns = kIntegerPanel / sizeof(T);
  const Product& p = job.p;
  const int tensors = job.c != nullptr ? 4 : 3;
  const int64_t column = panel * kColumns, columns = std::min(kColumns, p.n - column), count = last_row - first_row;
  int64_t base[4] = {};
  add_offsets(p.outer, p.outer_count, item, tensors, base);
  int64_t at[kRows][4];
  const void* a[kRows];
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(base, 4, at[r]);
    add_offsets(p.rows, p.row_count, first_row + r, tensors, at[r]);
    a[r] = job.args.in[0].template as<const T>() + at[r][0];
  }
  const T* b = job.args.in[1].template as<const T>() + base[1] + column * p.b_n;
  if (p.n == 1 && p.a_k == 1 && p.b_k == 1) {
    for (int64_t r = 0; r < count; ++r) {
      const T total = static_cast<T>(job.tiles.dot[kWide<T>](a[r], b, p.k));
      store_row(job, &total, 1, 0, at[r]);
    }
    return;
  }
  alignas(64) T totals[kRows * kColumns], packed[kSteps * kColumns];
  if (p.k == 0) std::fill_n(totals, count * kColumns, T{0});
  const bool in_place = columns == kColumns && p.b_n == 1 && count <= 4;
  for (int64_t k = 0; k < p.k; k += kSteps) {
    const int64_t steps = std::min(kSteps, p.k - k);
    if (!in_place) pack_panel(b + k * p.b_k, p.b_k, p.b_n, steps, columns, packed);
    job.tiles.tile[kWide<T>]({a, p.a_k, in_place ? b + k * p.b_k : packed, in_place ? p.b_k : kColumns, steps, count, totals, k == 0});
    for (int64_t r = 0; r < count; ++r) a[r] = static_cast<const T*>(a[r]) + steps * p.a_k;
  }
  for (int64_t r = 0; r < count; ++r) store_row(job, totals + r * kColumns, columns, column, at[r]);
}

template <class T> void run_product(const IntegerTiles& tiles, const Args& args) noexcept {
  const TensorView& dst = args.out[0];
  // c is walked as a post-op's tensor would be.
  Epilogue chain;
  const T* c = nullptr;
  if (args.in.size() > 2 && args.in[2].dtype != DType::none) {
    const TensorView& t = args.in[2];
    c = t.as<const T>();
    chain.operand_count = 1;
    chain.operands[0].strides = Strides::filled(dst.rank(), 0);
    for (int j = 0; j < t.rank(); ++j)
      if (t.dims[j] != 1) chain.operands[0].strides[dst.rank() - t.rank() + j] = t.strides[j];
  }
  const Product p = make_product(as<Matmul>(*args.op)->get(), args.in[0], args.in[1], dst, chain);
  const IntegerJob<T> job{args, p, tiles, c};
  const int64_t rows = p.row_items(), parts = ceil_div(rows, kRows),
                panels = ceil_div(p.n, kIntegerPanel / static_cast<int64_t>(sizeof(T)));
  args.parallel.run(p.outer_items() * parts * panels, [&](int64_t task, int) {
    const int64_t panel = task % panels, part = task / panels % parts;
    product_part(job, task / panels / parts, part * kRows, std::min(rows, (part + 1) * kRows), panel);
  });
}

bool is_wide_integer(DType t) noexcept { return t == DType::i64 || t == DType::u64; }

}  // namespace

Support IntegerProduct::supports(const Problem& p) const noexcept {
  const Matmul* op = as<Matmul>(*p.op);
  if (!op) return no("another operator");
  const DType t = p.in[0].dtype;
  if (!is_wide_integer(t) && t != DType::i32 && t != DType::u32) return no("the inputs are not integers of 32 or 64 bits");
  for (const TensorType& i : p.in)
    if (i.dtype != t && i.dtype != DType::none) return no("inputs differ in dtype");
  if (p.out[0].dtype != t) return no("the result has another dtype");
  if (op->get().alpha != 1.f || op->get().beta != 1.f) return no("alpha or beta on integers");
  return p.post_ops->count == 0 ? yes() : no("post-ops on integers");
}

Status IntegerProduct::run(const Plan&, const Args& args) const noexcept {
  if (args.out[0].count() == 0) return {};
  if (is_wide_integer(args.in[0].dtype)) run_product<uint64_t>(tiles_, args);
  else run_product<uint32_t>(tiles_, args);
  return {};
}

}  // namespace anydim
