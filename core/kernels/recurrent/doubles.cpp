// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of f64 (docs/numerics.md, section 9): products of rows by the tiles of doubles (doubles/rows.h), functions by rows
// (eltwise/typed_rows.h). A thread takes some rows of the batch of one direction through all steps.
#include <algorithm>
#include <cmath>

#include "core/kernels/doubles/rows.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/recurrent/recurrent.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/work_split.h"
#include "core/ops/operators/recurrent.h"

namespace anydim {

namespace {

using Op = Recurrent;

constexpr int64_t kMostRows = 64;     // of a product at a time
constexpr int64_t kRowsAtOnce = 256;  // of inputs whose sums are held
enum { kInputPanels, kStatePanels };  // pieces

int64_t padded(int64_t columns) noexcept { return saturating_mul(ceil_div(columns, kDoubleColumns), kDoubleColumns); }

// Where the parts of a task's scratch begin, in doubles; `each` is the size of one task's.
struct DoublePlaces {
  int64_t given = 0, sums = 0, q = 0, h = 0, c = 0, kept = 0, each = 0;
  DoublePlaces(const RecurrentSizes& n, int64_t rows, int64_t steps) noexcept {
    const auto part = [&](int64_t count) {
      const int64_t at = each;
      each = saturating_add(each, saturating_add(count, 7) & ~INT64_C(7));
      return at;
    };
    const int64_t columns = saturating_mul(n.gates, n.hidden), states = saturating_mul(rows, n.hidden);
    given = part(saturating_mul(saturating_mul(steps, rows), columns));
    sums = part(saturating_mul(rows, columns));
    q = part(states);
    h = part(states);
    c = part(states);
    kept = part(states);
  }
};

struct DoublePlan {
  int64_t parts = 1;      // of the batch
  int64_t steps = 1;      // whose inputs' sums are held
  int64_t panels_at = 0;  // in doubles; where the weights are no constants
};

int64_t rows_of_part(int64_t batch, int64_t parts) noexcept { return ceil_div(std::max<int64_t>(batch, 1), std::max<int64_t>(parts, 1)); }

class DoubleRecurrent final : public HostKernel {
 public:
  DoubleRecurrent(const char* name, Isa isa, const DoubleRows& rows, const TypedRows& functions) noexcept
      : rows_(rows), functions_(functions), name_(name), key_{OpKind::recurrent, DType::f64, DType::f64, LayoutFamily::any, isa} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (p.in[Op::kX].dtype != DType::f64) return no("x is not f64");
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(Op::kInputWeights) || !p.is_constant(Op::kRecurrentWeights)) return form;
    const Dims w = numbers(p.in[Op::kInputWeights].dims), r = numbers(p.in[Op::kRecurrentWeights].dims);
    if (w.rank != 3 || r.rank != 3) return form;
    form.format = "recurrent.doubles16";
    form.operands = {Op::kInputWeights, Op::kRecurrentWeights};
    form.add("input_panels", DType::f64, saturating_mul(w[0], saturating_mul(padded(w[1]), w[2])));
    form.add("state_panels", DType::f64, saturating_mul(r[0], saturating_mul(padded(r[1]), r[2])));
    return form;
  }
  Status pack(const Problem&, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    pack_panels(tensors[Op::kInputWeights], packing.parallel, reinterpret_cast<double*>(pieces[kInputPanels]));
    pack_panels(tensors[Op::kRecurrentWeights], packing.parallel, reinterpret_cast<double*>(pieces[kStatePanels]));
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const Dims dims[] = {args.in[0].dims, args.in[1].dims, args.in[2].dims};
    const RecurrentSizes n = recurrent_sizes(*args.op, dims);
    DoublePlan& to = plan->as<DoublePlan>();
    to = {};
    to.parts = std::max<int64_t>(std::min(n.batch, ceil_div(args.parallel.threads(), n.directions)), 1);
    const int64_t rows = rows_of_part(n.batch, to.parts);
    to.steps = std::clamp<int64_t>(kRowsAtOnce / rows, 1, std::max<int64_t>(n.steps, 1));
    to.panels_at = saturating_mul(saturating_mul(n.directions, to.parts), DoublePlaces(n, rows, to.steps).each);
    plan->scratch = bytes(to.panels_at, args.packs(Op::kInputWeights) ? 0 : panels_of(n));
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const RecurrentSizes n = recurrent_sizes(*p.op, in);
    // Parts together have a row more each than the batch, and hold at most kRowsAtOnce rows each or one step.
    const int64_t parts = std::max<int64_t>(std::min<int64_t>(n.batch, threads), 1);
    const int64_t rows = saturating_add(n.batch, parts);
    const int64_t steps_rows = std::max(std::min(saturating_mul(n.steps, rows), saturating_mul(parts, kRowsAtOnce)), rows);
    const DoublePlaces states(n, rows, 0);
    const int64_t given = saturating_mul(saturating_add(steps_rows, parts), saturating_mul(n.gates, n.hidden));
    const int64_t all = saturating_mul(n.directions, saturating_add(saturating_add(states.each, given), saturating_mul(parts, 64)));
    const bool packed = p.is_constant(Op::kInputWeights) && p.is_constant(Op::kRecurrentWeights);
    return bytes(all, packed ? 0 : panels_of(n));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    ANYDIM_TRY(check_lengths(args));
    Layer(*this, plan.as<DoublePlan>(), args).run();
    return {};
  }

 private:
  static int64_t bytes(int64_t a, int64_t b) noexcept { return saturating_mul(saturating_add(a, b), static_cast<int64_t>(sizeof(double))); }
  static int64_t panels_of(const RecurrentSizes& n) noexcept {
    return saturating_mul(saturating_mul(n.directions, padded(saturating_mul(n.gates, n.hidden))), saturating_add(n.inputs, n.hidden));
  }
  // Rows of weights [directions, columns, k] are columns of panels [directions][panel][k][kDoubleColumns].
  static void pack_panels(const TensorView& w, const Parallel& parallel, double* to) noexcept {
    const int64_t columns = w.dims[1], k_count = w.dims[2], panels = ceil_div(columns, kDoubleColumns);
    parallel.run(w.dims[0] * panels, [&](int64_t task, int) {
      const int64_t d = task / panels, first = task % panels * kDoubleColumns;
      const double* const from = w.as<const double>() + d * w.strides[0];
      double* panel = to + task * k_count * kDoubleColumns;
      for (int64_t k = 0; k < k_count; ++k)
        for (int64_t j = 0; j < kDoubleColumns; ++j)
          *panel++ = first + j < columns ? from[(first + j) * w.strides[1] + k * w.strides[2]] : 0.0;
    });
  }

  class Layer {
   public:
    Layer(const DoubleRecurrent& kernel, const DoublePlan& plan, const Args& args) noexcept
        : rows_(kernel.rows_), functions_(kernel.functions_), plan_(plan), args_(args), at_(as<Op>(*args.op)->get()) {
      const Dims dims[] = {args.in[0].dims, args.in[1].dims, args.in[2].dims};
      n_ = recurrent_sizes(*args.op, dims);
      columns_ = n_.gates * n_.hidden;
    }

    void run() noexcept {
      if (n_.batch == 0 || n_.hidden == 0) return;
      auto* const scratch = static_cast<double*>(args_.scratch);
      if (args_.packs(Op::kInputWeights)) {
        input_panels_ = args_.weights->piece<double>(kInputPanels);
        state_panels_ = args_.weights->piece<double>(kStatePanels);
      } else {
        double* const to = scratch + plan_.panels_at;
        double* const behind = to + n_.directions * padded(columns_) * n_.inputs;
        pack_panels(args_.in[Op::kInputWeights], args_.parallel, to);
        pack_panels(args_.in[Op::kRecurrentWeights], args_.parallel, behind);
        input_panels_ = to;
        state_panels_ = behind;
      }
      const DoublePlaces places(n_, rows_of_part(n_.batch, plan_.parts), plan_.steps);
      args_.parallel.run(n_.directions * plan_.parts, [&](int64_t task, int) {
        const int64_t part = task % plan_.parts;
        run_part(task / plan_.parts, part_begin(n_.batch, plan_.parts, part), part_begin(n_.batch, plan_.parts, part + 1), places,
                 scratch + task * places.each);
      });
    }

   private:
    bool has(size_t i) const noexcept { return i < args_.in.size() && args_.in[i].dtype != DType::none; }
    bool later_bias() const noexcept { return at_.cell == RecurrentCell::gru && at_.linear_before_reset; }
    double bias(int64_t d, int64_t column) const noexcept {
      const TensorView& b = args_.in[Op::kBias];
      return b.as<const double>()[d * b.strides[0] + column * b.strides[1]];
    }

    // to[row][j] for columns [first, first + count) of packed weights: rows of `from` times the weights.
    void multiply(const double* const* from, int64_t from_step, int64_t rows, int64_t k_count, const double* panels, int64_t first,
                  int64_t count, double* to, int64_t to_step) const noexcept {
      alignas(64) double totals[kMostRows * kDoubleColumns];
      const double* a[kMostRows];
      for (int64_t row = 0; row < rows; row += kMostRows) {
        const int64_t here = std::min(kMostRows, rows - row);
        for (int64_t panel = first / kDoubleColumns; panel * kDoubleColumns < first + count; ++panel) {
          const double* b = panels + panel * k_count * kDoubleColumns;
          std::copy_n(from + row, here, a);
          if (k_count == 0) std::fill_n(totals, here * kDoubleColumns, 0.0);
          for (int64_t k = 0; k < k_count; k += kDoubleBlock) {
            const int64_t steps = std::min(kDoubleBlock, k_count - k);
            rows_.tile({a, from_step, b + k * kDoubleColumns, kDoubleColumns, steps, here, totals, k == 0});
            for (int64_t r = 0; r < here; ++r) a[r] += steps * from_step;
          }
          const int64_t begin = std::max(first, panel * kDoubleColumns), end = std::min(first + count, (panel + 1) * kDoubleColumns);
          for (int64_t r = 0; r < here; ++r)
            std::copy(totals + r * kDoubleColumns + begin % kDoubleColumns,
                      totals + r * kDoubleColumns + begin % kDoubleColumns + end - begin, to + (row + r) * to_step + begin - first);
        }
      }
    }
    void multiply_states(const double* states, int64_t rows, const double* panels, int64_t first, int64_t count, double* to,
                         int64_t to_step) const noexcept {
      const double* from[kMostRows];
      for (int64_t row = 0; row < rows; row += kMostRows) {
        const int64_t here = std::min(kMostRows, rows - row);
        for (int64_t r = 0; r < here; ++r) from[r] = states + (row + r) * n_.hidden;
        multiply(from, 1, here, n_.hidden, panels, first, count, to + row * to_step, to_step);
      }
    }

    void apply(UnaryFunction f, float alpha, float beta, float clip, double* x, int64_t n) const noexcept {
      const auto most = static_cast<double>(clip);
      if (clip != 0)
        for (int64_t i = 0; i < n; ++i) {
          const double y = x[i] < -most ? -most : x[i];
          x[i] = most < y ? most : y;
        }
      if (const TypedRowFunction row = functions_.unary(f, DType::f64))
        return row({x, {x}, n, static_cast<double>(alpha), static_cast<double>(beta)});
      for (int64_t i = 0; i < n; ++i) x[i] = f64_function(f, x[i], static_cast<double>(alpha), static_cast<double>(beta));
    }
    void gate(double* x, int64_t n) const noexcept { apply(at_.gates, at_.gates_alpha, at_.gates_beta, at_.clip, x, n); }
    void candidate(double* x, int64_t n) const noexcept { apply(at_.candidate, at_.candidate_alpha, at_.candidate_beta, at_.clip, x, n); }

    void load_state(Op::Input input, int64_t d, int64_t first, int64_t last, double* to) const noexcept {
      if (!has(input)) return void(std::fill_n(to, (last - first) * n_.hidden, 0.0));
      const TensorView& s = args_.in[input];
      for (int64_t b = first; b < last; ++b)
        for (int64_t j = 0; j < n_.hidden; ++j) *to++ = s.as<const double>()[d * s.strides[0] + b * s.strides[1] + j * s.strides[2]];
    }
    static void store_row(const TensorView& y, int64_t at, int64_t step, const double* from, int64_t n) noexcept {
      for (int64_t j = 0; j < n; ++j) y.as<double>()[at + j * step] = from != nullptr ? from[j] : 0.0;
    }

    void run_part(int64_t d, int64_t first, int64_t last, const DoublePlaces& at, double* scratch) noexcept {
      const int64_t rows = last - first, hidden = n_.hidden;
      double *const h = scratch + at.h, *const c = scratch + at.c;
      load_state(Op::kInitialHidden, d, first, last, h);
      load_state(Op::kInitialCell, d, first, last, c);
      const bool reverse = d == 1 || at_.direction == RecurrentDirection::reverse;
      for (int64_t done = 0; done < n_.steps; done += plan_.steps) {
        const int64_t count = std::min(plan_.steps, n_.steps - done), begin = reverse ? n_.steps - done - count : done;
        multiply_inputs(d, begin, count, first, rows, scratch + at.given);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t local = reverse ? count - 1 - i : i, t = begin + local;
          step(d, t, first, rows, scratch + at.given + local * rows * columns_, at, scratch);
          const TensorView& y = args_.out[0];
          for (int64_t r = 0; r < rows; ++r)
            store_row(y, t * y.strides[0] + d * y.strides[1] + (first + r) * y.strides[2], y.strides[3],
                      active(t, first + r) ? h + r * hidden : nullptr, hidden);
        }
      }
      for (size_t o = 1; o < args_.out.size(); ++o) {
        const TensorView& y = args_.out[o];
        for (int64_t r = 0; r < rows; ++r)
          store_row(y, d * y.strides[0] + (first + r) * y.strides[1], y.strides[2], (o == 1 ? h : c) + r * hidden, hidden);
      }
    }

    bool active(int64_t t, int64_t b) const noexcept {
      if (!has(Op::kLengths)) return true;
      const TensorView& lengths = args_.in[Op::kLengths];
      return t < lengths.as<const int32_t>()[b * lengths.strides[0]];
    }

    // The sums of the inputs of some steps, with the bias.
    void multiply_inputs(int64_t d, int64_t begin, int64_t count, int64_t first, int64_t rows, double* to) const noexcept {
      const TensorView& x = args_.in[Op::kX];
      const double* from[kMostRows];
      const double* const panels = input_panels_ + d * padded(columns_) * n_.inputs;
      for (int64_t row = 0; row < count * rows; row += kMostRows) {
        const int64_t here = std::min(kMostRows, count * rows - row);
        for (int64_t r = 0; r < here; ++r)
          from[r] = x.as<const double>() + (begin + (row + r) / rows) * x.strides[0] + (first + (row + r) % rows) * x.strides[1];
        multiply(from, x.strides[2], here, n_.inputs, panels, 0, columns_, to + row * columns_, columns_);
      }
      if (!has(Op::kBias)) return;
      const int64_t plain = later_bias() ? columns_ - n_.hidden : columns_;
      for (int64_t j = 0; j < columns_; ++j) {
        const double b = j < plain ? bias(d, j) + bias(d, columns_ + j) : bias(d, j);
        for (int64_t row = 0; row < count * rows; ++row) to[row * columns_ + j] += b;
      }
    }

    void step(int64_t d, int64_t t, int64_t first, int64_t rows, const double* given, const DoublePlaces& at,
              double* scratch) const noexcept {
      double *const h = scratch + at.h, *const c = scratch + at.c, *const sums = scratch + at.sums, *const q = scratch + at.q,
                    *const kept = scratch + at.kept;
      const int64_t hidden = n_.hidden, gru_columns = at_.cell == RecurrentCell::gru ? 2 * hidden : columns_;
      const double* const panels = state_panels_ + d * padded(columns_) * hidden;
      multiply_states(h, rows, panels, 0, gru_columns, sums, columns_);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < gru_columns; ++j) sums[r * columns_ + j] += given[r * columns_ + j];
      if (at_.cell != RecurrentCell::gru) {
        for (int64_t r = 0; r < rows; ++r)
          if (active(t, first + r))
            at_.cell == RecurrentCell::rnn ? rnn(sums + r * columns_, h + r * hidden)
                                           : lstm(d, sums + r * columns_, h + r * hidden, c + r * hidden);
        return;
      }
      for (int64_t r = 0; r < rows; ++r) {
        double* const s = sums + r * columns_;
        gate(s, 2 * hidden);
        for (int64_t j = 0; j < hidden; ++j) kept[r * hidden + j] = s[hidden + j] * h[r * hidden + j];
      }
      multiply_states(at_.linear_before_reset ? h : kept, rows, panels, 2 * hidden, hidden, q, hidden);
      for (int64_t r = 0; r < rows; ++r) {
        if (!active(t, first + r)) continue;
        const double *const s = sums + r * columns_, *const a = given + r * columns_ + 2 * hidden;
        double *const n = q + r * hidden, *const state = h + r * hidden;
        for (int64_t j = 0; j < hidden; ++j) {
          if (!at_.linear_before_reset) n[j] += a[j];
          else n[j] = std::fma(s[hidden + j], has(Op::kBias) ? n[j] + bias(d, columns_ + 2 * hidden + j) : n[j], a[j]);
        }
        candidate(n, hidden);
        for (int64_t j = 0; j < hidden; ++j) state[j] = std::fma(s[j], state[j], (1 - s[j]) * n[j]);
      }
    }

    void rnn(double* s, double* h) const noexcept {
      candidate(s, n_.hidden);
      std::copy_n(s, n_.hidden, h);
    }

    void lstm(int64_t d, double* s, double* h, double* c) const noexcept {
      const int64_t hidden = n_.hidden;
      double *const input = s, *const output = s + hidden, *const forget = s + 2 * hidden, *const fresh = s + 3 * hidden;
      const auto peephole = [&](int64_t which, double* sums) {
        if (!has(Op::kPeepholes)) return;
        const TensorView& p = args_.in[Op::kPeepholes];
        for (int64_t j = 0; j < hidden; ++j)
          sums[j] = std::fma(p.as<const double>()[d * p.strides[0] + (which * hidden + j) * p.strides[1]], c[j], sums[j]);
      };
      peephole(0, input);
      gate(input, hidden);
      if (at_.input_forget) {
        for (int64_t j = 0; j < hidden; ++j) forget[j] = 1 - input[j];
      } else {
        peephole(2, forget);
        gate(forget, hidden);
      }
      candidate(fresh, hidden);
      for (int64_t j = 0; j < hidden; ++j) c[j] = std::fma(forget[j], c[j], input[j] * fresh[j]);
      peephole(1, output);
      gate(output, hidden);
      std::copy_n(c, hidden, h);
      apply(at_.output, at_.output_alpha, at_.output_beta, 0, h, hidden);
      for (int64_t j = 0; j < hidden; ++j) h[j] = output[j] * h[j];
    }

    const DoubleRows& rows_;
    const TypedRows& functions_;
    const DoublePlan& plan_;
    const Args& args_;
    const RecurrentAttributes& at_;
    RecurrentSizes n_{};
    int64_t columns_ = 0;
    const double *input_panels_ = nullptr, *state_panels_ = nullptr;
  };

  const DoubleRows& rows_;
  const TypedRows& functions_;
  const char* name_;
  KernelKey key_;
};

}  // namespace

KernelList recurrent_double_list() noexcept {
  static const KernelsOfSets<"recurrent.doubles", DoubleRecurrent, DoubleRows, TypedRows> doubles;
  static const auto all = kernel_list(doubles);
  return all;
}

}  // namespace anydim
