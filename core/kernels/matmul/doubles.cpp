// SPDX-License-Identifier: Apache-2.0
// Matmul of f64: blocks of rows times groups of panels of columns. For each block of k the panels of the right side are laid out side by
// side, unless they lie well and few rows would share them. A product of few columns is that of the sides changed.
#include "core/kernels/matmul/doubles.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/matmul/product.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

constexpr int64_t kRows = 128;      // of a task
constexpr int64_t kPanels = 4;      // of a task: of each row of the right side 512 bytes are read at once
constexpr int64_t kFewColumns = 8;  // the sides change
constexpr int64_t kPackedPanel = kDoubleBlock * kDoubleColumns, kTotalsOfPanel = kRows * kDoubleColumns;
constexpr int64_t kScratchOfThread = kPanels * (kPackedPanel + kTotalsOfPanel) * static_cast<int64_t>(sizeof(double));

// Rows and columns of one item of the right side, and how many items there are.
struct DoubleRight {
  int64_t k, n, items = 1;

  DoubleRight(const Operator& op, const Dims& b) noexcept : k(b[0]), n(1) {
    if (b.rank == 1) return;
    const bool transposed = as<Matmul>(op)->get().transpose_b;
    k = b[b.rank - (transposed ? 1 : 2)];
    n = b[b.rank - (transposed ? 2 : 1)];
    for (int i = 0; i + 2 < b.rank; ++i) items = saturating_mul(items, b[i]);
  }
  // Doubles of one item's panels: [panels, k, kDoubleColumns].
  int64_t each() const noexcept { return saturating_mul(saturating_mul(ceil_div(n, kDoubleColumns), k), kDoubleColumns); }
};

struct DoubleJob {
  const Args& args;
  const Product& p;
  const DoubleRows& rows;
  const double *a, *b;
  double alpha, beta;
  const double* c;  // null: none
  bool packed;      // b is panels
};

// Offsets of item i of nested axes, for each tensor that there is: a, b, dst, c.
void product_offsets(const ProductAxis* axes, int count, int64_t i, int tensors, int64_t (&at)[4]) noexcept {
  for (int a = count - 1; a >= 0; --a) {
    const int64_t k = i % axes[a].count;
    i /= axes[a].count;
    for (int t = 0; t < tensors; ++t) at[t] += k * axes[a].stride[t];
  }
}

// `steps` rows of the right side, `columns` of a panel; what is missing is 0.
void pack_panel(const double* from, int64_t step, int64_t column_step, int64_t steps, int64_t columns, double* to) noexcept {
  if (column_step == 1 && columns == kDoubleColumns) {
    for (int64_t s = 0; s < steps; ++s) std::memcpy(to + s * kDoubleColumns, from + s * step, kDoubleColumns * sizeof(double));
    return;
  }
  if (columns < kDoubleColumns) std::fill_n(to, steps * kDoubleColumns, 0.0);
  if (step == 1) {
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t s = 0; s < steps; ++s) to[s * kDoubleColumns + j] = from[s + j * column_step];
    return;
  }
  for (int64_t s = 0; s < steps; ++s)
    for (int64_t j = 0; j < columns; ++j) to[s * kDoubleColumns + j] = from[s * step + j * column_step];
}

// Rows [first_row, last_row) of an item, panels [first_panel, last_panel). `scratch` has kScratchOfThread bytes.
void double_product_part(const DoubleJob& job, int64_t item, int64_t first_row, int64_t last_row, int64_t first_panel, int64_t last_panel,
                         double* scratch) noexcept {
  const Product& p = job.p;
  const int tensors = job.c != nullptr ? 4 : 3;
  const int64_t count = last_row - first_row;
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
    a[r] = job.a + at[r][0];
  }
  double *const dst = job.args.out[0].as<double>(), *const packed = scratch, *const room = scratch + kPanels * kPackedPanel;
  // Whole panels whose rows have one distance in memory are summed where they belong.
  const bool evenly = p.dst_n == 1 && p.row_count == 1;
  const auto columns_of = [&](int64_t panel) { return std::min(kDoubleColumns, p.n - panel * kDoubleColumns); };
  const auto direct = [&](int64_t panel) { return evenly && columns_of(panel) == kDoubleColumns; };
  const auto totals_of = [&](int64_t panel) {
    return direct(panel) ? dst + at[0][2] + panel * kDoubleColumns : room + (panel - first_panel) * kTotalsOfPanel;
  };
  for (int64_t k = 0; k < p.k; k += kDoubleBlock) {
    const int64_t steps = std::min(kDoubleBlock, p.k - k);
    const auto in_place = [&](int64_t panel) { return columns_of(panel) == kDoubleColumns && p.b_n == 1 && count <= 4; };
    const auto right = [&](int64_t panel) { return job.b + base[1] + panel * kDoubleColumns * p.b_n + k * p.b_k; };
    for (int64_t panel = first_panel; panel < last_panel; ++panel)
      if (!in_place(panel)) pack_panel(right(panel), p.b_k, p.b_n, steps, columns_of(panel), packed + (panel - first_panel) * kPackedPanel);
    for (int64_t panel = first_panel; panel < last_panel; ++panel) {
      if (job.packed) {
        const double* of = job.b + base[1] + (panel * p.k + k) * kDoubleColumns;
        job.rows.tile(
            {a, p.a_k, of, kDoubleColumns, steps, count, totals_of(panel), k == 0, direct(panel) ? p.rows[0].stride[2] : kDoubleColumns});
        continue;
      }
      const bool here = in_place(panel);
      job.rows.tile({a, p.a_k, here ? right(panel) : packed + (panel - first_panel) * kPackedPanel, here ? p.b_k : kDoubleColumns, steps,
                     count, totals_of(panel), k == 0, direct(panel) ? p.rows[0].stride[2] : kDoubleColumns});
    }
    for (int64_t r = 0; r < count; ++r) a[r] += steps * p.a_k;
  }
  const int64_t c_n = job.c != nullptr ? p.operand_n[0] : 0;
  for (int64_t panel = first_panel; panel < last_panel; ++panel) {
    if (direct(panel) && p.k > 0 && job.c == nullptr && job.alpha == 1.0) continue;
    const int64_t columns = columns_of(panel);
    for (int64_t r = 0; r < count; ++r) {
      double* to = dst + at[r][2] + panel * kDoubleColumns * p.dst_n;
      const double* from = direct(panel) ? to : totals_of(panel) + r * kDoubleColumns;
      const double* c = job.c != nullptr ? job.c + at[r][3] + panel * kDoubleColumns * c_n : nullptr;
      for (int64_t j = 0; j < columns; ++j) {
        double v = p.k > 0 ? from[j] : 0.0;
        if (job.alpha != 1.0) v = job.alpha * v;
        if (c != nullptr) v = v + (job.beta != 1.0 ? job.beta * c[j * c_n] : c[j * c_n]);
        to[j * p.dst_n] = v;
      }
    }
  }
}

// The rows become columns: products of numbers do not care which is the left one.
void change_sides(Product* p, bool with_c) noexcept {
  const ProductAxis columns{p->n, {p->b_n, 0, p->dst_n, with_c ? p->operand_n[0] : 0}};
  const ProductAxis rows = p->rows[0];
  std::swap(p->a_k, p->b_k);
  p->m = columns.count;
  p->n = rows.count;
  p->b_n = rows.stride[0];
  p->dst_n = rows.stride[2];
  if (with_c) p->operand_n[0] = rows.stride[3];
  p->rows[0] = columns;
  for (int i = 0; i < p->outer_count; ++i) std::swap(p->outer[i].stride[0], p->outer[i].stride[1]);
}

}  // namespace

Support DoubleProduct::supports(const Problem& p) const noexcept {
  if (!as<Matmul>(*p.op)) return no("another operator");
  for (const TensorType& i : p.in)
    if (i.dtype != DType::f64 && i.dtype != DType::none) return no("the inputs are not f64");
  if (p.in[0].dtype != DType::f64) return no("the inputs are not f64");
  return p.post_ops->count == 0 ? yes() : no("post-ops of f64 are the reference's");
}

PackedForm DoubleProduct::packed_form(const Problem& p) const noexcept {
  PackedForm form;
  if (!p.is_constant(1) || p.in[1].dims.rank == 0) return form;
  const DoubleRight right(*p.op, numbers(p.in[1].dims));
  if (right.n <= kFewColumns) return form;
  form.format = "gemm.doubles16";
  form.operands = {1};
  form.add("panels", DType::f64, saturating_mul(right.each(), right.items));
  return form;
}

Status DoubleProduct::pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                           std::span<std::byte* const> pieces) const {
  const TensorView& b = tensors[1];
  const int rank = b.rank();
  const DoubleRight right(*problem.op, b.dims);
  const bool transposed = as<Matmul>(*problem.op)->get().transpose_b;
  const int64_t row = b.strides[rank - (transposed ? 1 : 2)], column = b.strides[rank - (transposed ? 2 : 1)];
  const int64_t panels = ceil_div(right.n, kDoubleColumns);
  auto* const to = reinterpret_cast<double*>(pieces[0]);
  packing.parallel.run(right.items * panels, [&](int64_t task, int) {
    const int64_t panel = task % panels, item = task / panels, first = panel * kDoubleColumns;
    int64_t rest = item, offset = 0;
    for (int a = rank - 3; a >= 0; --a) {
      offset += rest % b.dims[a] * b.strides[a];
      rest /= b.dims[a];
    }
    const double* const from = b.as<const double>() + offset;
    double* next = to + item * right.each() + panel * right.k * kDoubleColumns;
    for (int64_t s = 0; s < right.k; ++s, next += kDoubleColumns)
      for (int64_t j = 0; j < std::min(kDoubleColumns, right.n - first); ++j)
        next[j] = read_unaligned(from + s * row + (first + j) * column);
  });
  const auto* const bytes = static_cast<const std::byte*>(b.data);
  const int64_t size = b.count() * static_cast<int64_t>(sizeof(double));
  if (packing.read != nullptr) packing.read(packing.context, bytes, size);
  if (packing.done != nullptr) packing.done(packing.context, bytes, size);
  return {};
}

void DoubleProduct::plan(const Args& args, Plan* plan) const noexcept { plan->scratch = kScratchOfThread * args.parallel.threads(); }
int64_t DoubleProduct::scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int threads) const noexcept {
  return kScratchOfThread * threads;
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
  TensorView right = args.in[1];
  const bool packed = args.packs(1);
  if (packed) {  // strides of its batch axes count panels
    right.strides = Strides::filled(right.rank(), 0);
    int64_t step = DoubleRight(*args.op, right.dims).each();
    for (int i = right.rank() - 3; i >= 0; --i) {
      right.strides[i] = step;
      step *= right.dims[i];
    }
  }
  Product p = make_product(attributes, args.in[0], right, dst, chain);
  const double *a = args.in[0].as<const double>(), *b = packed ? args.weights->piece<double>(0) : right.as<const double>();
  if (!packed && p.n <= kFewColumns && p.row_count == 1 && p.rows[0].count >= 2 * kFewColumns) {
    change_sides(&p, c != nullptr);
    std::swap(a, b);
  }
  const DoubleJob job{args, p, rows_, a, b, static_cast<double>(attributes.alpha), static_cast<double>(attributes.beta), c, packed};
  const int64_t items = p.outer_items(), rows = p.row_items(), panels = ceil_div(p.n, kDoubleColumns), parts = ceil_div(rows, kRows);
  // Few panels in a task where there would be less than two tasks for a thread.
  int64_t some = kPanels;
  while (some > 1 && items * parts * ceil_div(panels, some) < 2 * args.parallel.threads() && args.parallel.threads() > 1) some /= 2;
  const int64_t groups = ceil_div(panels, some);
  args.parallel.run(items * parts * groups, [&](int64_t task, int worker) {
    const int64_t group = task % groups, part = task / groups % parts;
    double_product_part(job, task / groups / parts, part * kRows, std::min(rows, (part + 1) * kRows), group * some,
                        std::min(panels, (group + 1) * some),
                        reinterpret_cast<double*>(static_cast<std::byte*>(args.scratch) + worker * kScratchOfThread));
  });
  return {};
}

}  // namespace anydim
