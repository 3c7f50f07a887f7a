// SPDX-License-Identifier: Apache-2.0
// Reductions, softmax and layer norm of f64 by rows, and the list of the family. See doubles.h.
#include "core/kernels/doubles/doubles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/attention/doubles.h"
#include "core/kernels/pool/doubles.h"
#include "core/kernels/matmul/doubles.h"
#include "core/kernels/doubles/rows.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/reduce/strip_tasks.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"

namespace anydim {

namespace {

constexpr int64_t kTaskElements = 8 << 10;

// What all kernels of rows say of a problem.
class DoubleRowsKernel : public PlainKernel {
 public:
  constexpr DoubleRowsKernel(const char* name, OpKind op, Isa isa, const DoubleRows& rows) noexcept
      : PlainKernel(name, op, isa), rows_(rows) {}
  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() == key().op && p.in[0].dtype != DType::f64) return no("the input is not f64");
    return PlainKernel::supports(p);
  }

 protected:
  const DoubleRows& rows_;
};

constexpr int64_t kPiece = kLaneBlock;  // elements that are gathered at a time: a whole number of blocks of both rules

// One output of a reduction, whose elements lie anywhere: pieces of them, gathered where they are not side by side.
class DoubleLine {
 public:
  DoubleLine(const DoubleRows& rows, const ReducedAxes& axes, bool lanes, const double* x) noexcept
      : rows_(rows), axes_(axes), lanes_(lanes), x_(x) {}

  double reduced(ReduceKind kind) const noexcept {
    const double count = static_cast<double>(axes_.count);
    switch (kind) {
      case ReduceKind::mean: return total(ReduceKind::sum, 0.0) / count;
      case ReduceKind::l2: return std::sqrt(total(ReduceKind::sum_square, 0.0));
      case ReduceKind::log_sum: return f64_function(UnaryFunction::log, total(ReduceKind::sum, 0.0), 0.0, 0.0);
      case ReduceKind::log_sum_exp: {
        const double most = total(ReduceKind::max, -kInfinity), shift = std::isinf(most) ? 0.0 : most;
        return f64_function(UnaryFunction::log, total(ReduceKind::sum, 0.0, &shift), 0.0, 0.0) + shift;
      }
      case ReduceKind::prod: return total(kind, 1.0);
      case ReduceKind::max: return total(kind, -kInfinity);
      case ReduceKind::min: return total(kind, kInfinity);
      default: return total(kind, 0.0);
    }
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // With a shift, of exp(x - shift).
  double total(ReduceKind kind, double start, const double* shift = nullptr) const noexcept {
    DoublePart part{kind, lanes_, nullptr, 0, start, true};
    const auto take = [&](const double* x, int64_t n) {
      part.x = x, part.n = n;
      part.total = rows_.part(part);
      part.first = false;
    };
    const int last = axes_.rank - 1;
    const bool dense = axes_.rank == 1 && axes_.in_strides[0] == 1;
    if (dense && shift == nullptr) {
      if (axes_.count > 0) take(x_, axes_.count);
      return part.total;
    }
    alignas(64) double piece[kPiece];
    ReducedCursor at{axes_};
    for (int64_t done = 0; done < axes_.count; done += kPiece) {
      const int64_t n = std::min(kPiece, axes_.count - done);
      for (int64_t filled = 0; filled < n;) {
        const int64_t run = std::min(at.run(), n - filled), step = axes_.in_strides[last];
        const double* from = x_ + at.in;
        if (step == 1) std::memcpy(piece + filled, from, static_cast<size_t>(run) * sizeof(double));
        else
          for (int64_t i = 0; i < run; ++i) piece[filled + i] = from[i * step];
        at.advance(run);
        filled += run;
      }
      if (shift != nullptr) rows_.exp_less(piece, *shift, piece, n);
      take(piece, n);
    }
    return part.total;
  }

  const DoubleRows& rows_;
  const ReducedAxes& axes_;
  bool lanes_;
  const double* x_;
};

class DoubleReduce final : public DoubleRowsKernel {
 public:
  constexpr DoubleReduce(const char* name, Isa isa, const DoubleRows& rows) noexcept : DoubleRowsKernel(name, OpKind::reduce, isa, rows) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Reduce& op = *as<Reduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    uint32_t mask;
    ANYDIM_TRY(op.axis_mask(x.rank(), &mask));
    SplitAxes axes = reduction_axes(x, y, mask, op.keepdims());
    const ReduceKind kind = op.reduction();
    const bool most = kind == ReduceKind::max || kind == ReduceKind::min;  // in any order: that of memory
    if (most) sort_by_memory(&axes.reduced);
    const bool lanes = most || (x.rank() > 0 && mask == 1u << (x.rank() - 1));
    const bool across = (most ? axes.reduced.in_strides[axes.reduced.rank - 1] != 1 : !lanes) && axes.in_stride == 1 &&
                        axes.width >= kDoubleChains && has_double_rows(kind);
    run_strips(axes, !across, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
      const double* from = x.as<double>() + in;
      double* to = y.as<double>() + out;
      if (across && width >= kDoubleChains) return rows_.chains({kind, from, to, width, axes.out_stride, &axes.reduced});
      for (int64_t i = 0; i < width; ++i)
        to[i * axes.out_stride] = DoubleLine(rows_, axes.reduced, lanes, from + i * axes.in_stride).reduced(kind);
    });
    return {};
  }
};

// Offsets of row `i` of the first `axes` axes of a tensor.
int64_t row_offset(const Dims& dims, const Strides& strides, int axes, int64_t i) noexcept {
  int64_t offset = 0;
  for (int a = axes - 1; a >= 0; --a) {
    offset += i % dims[a] * strides[a];
    i /= dims[a];
  }
  return offset;
}
// Whether the axes from `first` on lie side by side.
bool dense_from(const TensorView& t, int first) noexcept {
  int64_t step = 1;
  for (int a = t.rank() - 1; a >= first; --a) {
    if (t.dims[a] != 1 && t.strides[a] != step) return false;
    step *= t.dims[a];
  }
  return true;
}

class DoubleSoftmax final : public DoubleRowsKernel {
 public:
  constexpr DoubleSoftmax(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : DoubleRowsKernel(name, OpKind::softmax, isa, rows) {}
  // A line for each thread: those that are not side by side are gathered.
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch(*args.op, args.in[0].dims, args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return scratch(*p.op, in[0], threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    const bool log = as<Softmax>(*args.op)->log();
    int axis;
    ANYDIM_TRY(normalise_axis(as<Softmax>(*args.op)->axis(), x.rank(), "softmax: axis", &axis));
    if (x.count() == 0) return {};
    const int64_t n = x.dims[axis];
    const bool last = axis == x.rank() - 1, dense = last && !log && dense_from(x, axis) && dense_from(y, axis);
    Dims others = x.dims;
    Strides x_strides = x.strides, y_strides = y.strides;
    others.erase(axis), x_strides.erase(axis), y_strides.erase(axis);
    const int64_t each = std::max<int64_t>(1, kTaskElements / n), lines = x.count() / n;
    args.parallel.run(ceil_div(lines, each), [&](int64_t t, int worker) {
      double* const line = static_cast<double*>(args.scratch) + worker * n;
      for (int64_t i = t * each; i < std::min(lines, (t + 1) * each); ++i) {
        const double* from = x.as<const double>() + row_offset(others, x_strides, others.rank, i);
        double* to = y.as<double>() + row_offset(others, y_strides, others.rank, i);
        if (dense) rows_.softmax(from, to, n);
        else run_line(log, last, from, x.strides[axis], to, y.strides[axis], n, line);
      }
    });
    return {};
  }

 private:
  static int64_t scratch(const Operator& op, const Dims& x, int threads) noexcept {
    int axis = 0;
    if (!normalise_axis(as<Softmax>(op)->axis(), x.rank, "softmax: axis", &axis).ok()) return 0;
    return saturating_mul(x[axis], 8 * static_cast<int64_t>(threads));
  }
  void run_line(bool log, bool lanes, const double* x, int64_t x_step, double* y, int64_t y_step, int64_t n, double* line) const noexcept {
    for (int64_t i = 0; i < n; ++i) line[i] = x[i * x_step];
    const double m = rows_.part({ReduceKind::max, true, line, n, 0.0, true});
    if (!log) {
      rows_.exp_less(line, m, line, n);
      const double part = 1.0 / rows_.part({ReduceKind::sum, lanes, line, n, 0.0, true});
      for (int64_t i = 0; i < n; ++i) y[i * y_step] = line[i] * part;
      return;
    }
    alignas(64) double piece[kPiece];
    DoublePart sum{ReduceKind::sum, lanes, piece, 0, 0.0, true};
    for (int64_t done = 0; done < n; done += kPiece) {
      sum.n = std::min(kPiece, n - done);
      rows_.exp_less(line + done, m, piece, sum.n);
      sum.total = rows_.part(sum);
      sum.first = false;
    }
    const double log_sum = f64_function(UnaryFunction::log, sum.total, 0.0, 0.0);
    for (int64_t i = 0; i < n; ++i) y[i * y_step] = (line[i] - m) - log_sum;
  }
};

class DoubleLayerNorm final : public DoubleRowsKernel {
 public:
  constexpr DoubleLayerNorm(const char* name, Isa isa, const DoubleRows& rows) noexcept
      : DoubleRowsKernel(name, OpKind::layer_norm, isa, rows) {}
  // What is not side by side is gathered: a line for each thread, and the parameters.
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch(*args.op, args.in[0].dims, args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return scratch(*p.op, in[0], threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const LayerNorm& op = *as<LayerNorm>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "layer_norm: axis", &axis));
    if (x.count() == 0) return {};
    int64_t n = 1;
    for (int a = axis; a < x.rank(); ++a) n *= x.dims[a];
    auto* const scratch = static_cast<double*>(args.scratch);
    const double* parameters[2] = {};
    for (size_t i = 1; i < args.in.size() && i < 3; ++i) {
      if (args.in[i].dtype == DType::none) continue;
      parameters[i - 1] = args.in[i].as<const double>();
      if (dense_from(args.in[i], 0)) continue;
      double* const gathered = scratch + static_cast<int64_t>(i - 1) * n;
      move_line(args.in[i], 0, args.in[i].as<double>(), gathered, n, false);
      parameters[i - 1] = gathered;
    }
    const bool from_x = dense_from(x, axis), to_y = dense_from(y, axis);
    const int64_t each = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(n, 1)), lines = x.count() / n;
    args.parallel.run(ceil_div(lines, each), [&](int64_t t, int worker) {
      double* const line = scratch + (2 + worker) * n;
      for (int64_t i = t * each; i < std::min(lines, (t + 1) * each); ++i) {
        double* const from = x.as<double>() + row_offset(x.dims, x.strides, axis, i);
        double* const to = y.as<double>() + row_offset(y.dims, y.strides, axis, i);
        if (!from_x) move_line(x, axis, from, line, n, false);
        rows_.layer_norm(from_x ? from : line, parameters[0], parameters[1], static_cast<double>(op.epsilon()), to_y ? to : line, n);
        if (!to_y) move_line(y, axis, to, line, n, true);
      }
    });
    return {};
  }

 private:
  static int64_t scratch(const Operator& op, const Dims& x, int threads) noexcept {
    int axis = 0;
    if (!normalise_axis(as<LayerNorm>(op)->axis(), x.rank, "layer_norm: axis", &axis).ok()) return 0;
    int64_t n = 1;
    for (int a = axis; a < x.rank; ++a) n = saturating_mul(n, x[a]);
    return saturating_mul(n, 8 * (2 + static_cast<int64_t>(threads)));
  }
  // Between a row that begins at `row`, with the axes of t from `axis` on, and n elements side by side.
  static void move_line(const TensorView& t, int axis, double* row, double* line, int64_t n, bool back) noexcept {
    Dims dims = t.dims;
    Strides strides = t.strides;
    for (int a = 0; a < axis; ++a) dims.erase(0), strides.erase(0);
    for (int64_t i = 0; i < n; ++i) {
      double& there = row[row_offset(dims, strides, dims.rank, i)];
      if (back) there = line[i];
      else line[i] = there;
    }
  }
};

}  // namespace

KernelList doubles_kernels() noexcept {
  static const KernelsOfSets<"attention.doubles", DoubleAttention, DoubleRows> attention;
  static const KernelsOfSets<"gemm.doubles", DoubleProduct, DoubleRows> product;
  static const KernelsOfSets<"reduce.doubles", DoubleReduce, DoubleRows> reduce;
  static const KernelsOfSets<"softmax.doubles", DoubleSoftmax, DoubleRows> softmax;
  static const KernelsOfSets<"layer_norm.doubles", DoubleLayerNorm, DoubleRows> norm;
  static const KernelsOfSets<"pool.doubles", DoubleMaxPool, DoubleRows> pool;
  static const auto all = kernel_list(attention, product, reduce, softmax, norm, pool);
  return all;
}

}  // namespace anydim
