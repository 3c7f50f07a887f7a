// SPDX-License-Identifier: Apache-2.0
// Attention of f64 on the tiles and rows of doubles/rows.h: the scores of a block of rows, panel of keys by panel, then each row's
// weights, then the sums of values of rows that see the same keys. Indices of keys count from the sequence's first one, as the order
// of sums does (docs/numerics.md, section 11).
#include "core/kernels/attention/doubles.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/attention/attention.h"
#include "core/kernels/eltwise/functions.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

constexpr int64_t kMostRowsOfDoubles = 64, kFewestRowsOfDoubles = 8, kScoreDoubles = 96 << 10;  // of a task
constexpr double kInfinity64 = __builtin_inf();

int64_t step_of_doubles(int64_t keys) noexcept { return saturating_add(keys, 2 * kReductionLanes); }
int64_t rows_of_doubles(int64_t keys) noexcept {
  return std::clamp(kScoreDoubles / step_of_doubles(keys), kFewestRowsOfDoubles, kMostRowsOfDoubles);
}

// Some queries that read one head of keys: row i is query i / group of the group's head i % group.
class DoubleAttentionRows {
 public:
  DoubleAttentionRows(const Args& args, const AttentionSizes& n, const DoubleRows& rows, double* scores) noexcept
      : args_(args), n_(n), at_(as<Attention>(*args.op)->get()), rows_(rows), ranges_(args, n), scores_(scores) {
    const Dims all{n.batch, n.heads, n.queries, n.keys};
    if (has(Attention::kBias)) bias_ = broadcast_strides(args.in[Attention::kBias], all);
    if (has(Attention::kMask)) mask_ = broadcast_strides(args.in[Attention::kMask], all);
  }

  void run(int64_t example, int64_t key_head, int64_t first, int64_t count) noexcept {
    const TensorView& q = args_.in[Attention::kQ];
    example_ = example, key_head_ = key_head, first_ = first, count_ = count;
    shift_ = ranges_.shift_of(example);
    least_ = INT64_MAX;
    int64_t most = 0;
    for (int64_t i = 0; i < count; ++i) {
      KeyRange& seen = seen_[i];
      seen = ranges_.of(example, query(i));
      q_[i] = q.as<const double>() + example * q.strides[0] + head(i) * q.strides[1] + query(i) * q.strides[2];
      if (seen.begin >= seen.end) continue;
      seen.begin += shift_, seen.end += shift_;
      least_ = std::min(least_, seen.begin), most = std::max(most, seen.end);
    }
    base_ = least_ == INT64_MAX ? 0 : least_ / kReductionLanes * kReductionLanes;
    for (int64_t t = least_; t < most; t += kDoubleColumns) score(t, std::min(kDoubleColumns, most - t));
    for (int64_t i = 0; i < count; ++i) any_[i] = weigh(i);
    for (int64_t i = 0, end; i < count; i = end) {
      for (end = i + 1; end < count && any_[end] == any_[i] && seen_[end].begin == seen_[i].begin && seen_[end].end == seen_[i].end;
           ++end) {
      }
      for (int64_t c = 0; c < n_.value_size; c += kDoubleColumns) sum_values(i, end, c);
    }
  }

 private:
  bool has(size_t i) const noexcept { return i < args_.in.size() && args_.in[i].dtype != DType::none; }
  int64_t query(int64_t i) const noexcept { return (first_ + i) / n_.group(); }
  int64_t head(int64_t i) const noexcept { return key_head_ * n_.group() + (first_ + i) % n_.group(); }
  double* row(int64_t i) const noexcept { return scores_ + i * step_of_doubles(n_.keys) - base_; }  // by key

  // Keys [t, t + keys) of all rows.
  void score(int64_t t, int64_t keys) noexcept {
    const TensorView &q = args_.in[Attention::kQ], &k = args_.in[Attention::kK];
    const double* const from = k.as<const double>() + example_ * k.strides[0] + key_head_ * k.strides[1] + (t - shift_) * k.strides[2];
    if (n_.size == 0) std::fill_n(totals_, count_ * kDoubleColumns, 0.0);
    const double* a[kMostRowsOfDoubles];
    for (int64_t d = 0; d < n_.size; d += kDoubleBlock) {
      const int64_t steps = std::min(kDoubleBlock, n_.size - d);
      for (int64_t i = 0; i < kDoubleColumns; ++i)
        for (int64_t s = 0; s < steps; ++s)
          packed_[s * kDoubleColumns + i] = i < keys ? from[i * k.strides[2] + (d + s) * k.strides[3]] : 0.0;
      for (int64_t i = 0; i < count_; ++i) a[i] = q_[i] + d * q.strides[3];
      rows_.tile({a, q.strides[3], packed_, kDoubleColumns, steps, count_, totals_, d == 0});
    }
    const double scale = static_cast<double>(at_.scale), cap = static_cast<double>(at_.softcap);
    for (int64_t i = 0; i < count_; ++i) {
      double* const x = totals_ + i * kDoubleColumns;
      if (at_.scale != 1.f)
        for (int64_t j = 0; j < keys; ++j) x[j] = scale * x[j];
      if (at_.softcap != 0.f)
        for (int64_t j = 0; j < keys; ++j) x[j] = f64_function(UnaryFunction::tanh, x[j] / cap, 0, 0) * cap;
      const auto place = [&](const Strides& by) { return example_ * by[0] + head(i) * by[1] + query(i) * by[2] + (t - shift_) * by[3]; };
      if (has(Attention::kBias)) {
        const double* const b = args_.in[Attention::kBias].as<const double>() + place(bias_);
        for (int64_t j = 0; j < keys; ++j) x[j] = x[j] + b[j * bias_[3]];
      }
      if (has(Attention::kMask)) {
        const uint8_t* const m = args_.in[Attention::kMask].as<const uint8_t>() + place(mask_);
        for (int64_t j = 0; j < keys; ++j)
          if (m[j * mask_[3]] == 0) x[j] = -kInfinity64;
      }
      std::memcpy(row(i) + t, x, static_cast<size_t>(keys) * sizeof(double));
    }
  }

  bool sees_any(int64_t i) const noexcept {
    if (!has(Attention::kMask)) return seen_[i].begin < seen_[i].end;
    const uint8_t* const m =
        args_.in[Attention::kMask].as<const uint8_t>() + example_ * mask_[0] + head(i) * mask_[1] + query(i) * mask_[2];
    for (int64_t t = seen_[i].begin; t < seen_[i].end; ++t)
      if (m[(t - shift_) * mask_[3]] != 0) return true;
    return false;
  }
  // Scores become weights; false: the row sees no key. Keys before the first one that is seen count as weights of +0.
  bool weigh(int64_t i) const noexcept {
    const auto [begin, end] = seen_[i];
    if (!sees_any(i)) return false;
    double* const x = row(i);
    double m = rows_.part({ReduceKind::max, true, x + begin, end - begin, 0.0, true});
    const TensorView* const sinks = has(Attention::kSinks) ? &args_.in[Attention::kSinks] : nullptr;
    const double sink = sinks != nullptr ? sinks->as<const double>()[head(i) * sinks->strides[0]] : 0.0;
    if (sinks != nullptr) m = m != m || sink != sink ? m + sink : m < sink ? sink : m;
    const int64_t aligned = begin / kReductionLanes * kReductionLanes;
    std::fill(x + aligned, x + begin, 0.0);
    rows_.exp_less(x + begin, m, x + begin, end - begin);
    double total = 0;
    for (int64_t b = aligned; b < end;) {
      const int64_t stop = std::min(end, b / kLaneBlock * kLaneBlock + kLaneBlock);
      total = total + rows_.part({ReduceKind::sum, true, x + b, stop - b, 0.0, true});
      b = stop;
    }
    total = total + (sinks != nullptr ? f64_function(UnaryFunction::exp, sink - m, 0, 0) : 0.0);
    const double scale = 1.0 / total;
    for (int64_t t = begin; t < end; ++t) x[t] = x[t] * scale;
    return true;
  }

  // Columns [c, c + kDoubleColumns) of rows [begin, end), which see the same keys.
  void sum_values(int64_t begin, int64_t end, int64_t c) noexcept {
    const TensorView &v = args_.in[Attention::kV], &y = args_.out[0];
    const int64_t columns = std::min(kDoubleColumns, n_.value_size - c), count = end - begin;
    const double* const from = v.as<const double>() + example_ * v.strides[0] + key_head_ * v.strides[1] + c * v.strides[3];
    const bool in_place = v.strides[3] == 1 && columns == kDoubleColumns;
    const KeyRange seen = seen_[begin];
    std::fill_n(totals_, count * kDoubleColumns, 0.0);
    const double* a[kMostRowsOfDoubles];
    for (int64_t t = seen.begin; any_[begin] && t < seen.end;) {
      const int64_t steps = std::min(seen.end, t / kDoubleBlock * kDoubleBlock + kDoubleBlock) - t;
      const double* const values = from + (t - shift_) * v.strides[2];
      if (!in_place)
        for (int64_t s = 0; s < steps; ++s)
          for (int64_t j = 0; j < kDoubleColumns; ++j)
            packed_[s * kDoubleColumns + j] = j < columns ? values[s * v.strides[2] + j * v.strides[3]] : 0.0;
      for (int64_t i = 0; i < count; ++i) a[i] = row(begin + i) + t;
      rows_.tile({a, 1, in_place ? values : packed_, in_place ? v.strides[2] : kDoubleColumns, steps, count, totals_, t == seen.begin});
      t += steps;
    }
    for (int64_t i = 0; i < count; ++i) {
      double* const to =
          y.as<double>() + example_ * y.strides[0] + head(begin + i) * y.strides[1] + query(begin + i) * y.strides[2] + c * y.strides[3];
      for (int64_t j = 0; j < columns; ++j) to[j * y.strides[3]] = totals_[i * kDoubleColumns + j];
    }
  }

  const Args& args_;
  const AttentionSizes& n_;
  const AttentionAttributes& at_;
  const DoubleRows& rows_;
  const KeyRanges ranges_;
  double* const scores_;
  Strides bias_, mask_;
  int64_t example_ = 0, key_head_ = 0, first_ = 0, count_ = 0, shift_ = 0, least_ = 0, base_ = 0;
  KeyRange seen_[kMostRowsOfDoubles];  // from the sequence's first key
  const double* q_[kMostRowsOfDoubles];
  bool any_[kMostRowsOfDoubles];
  alignas(64) double packed_[kDoubleBlock * kDoubleColumns], totals_[kMostRowsOfDoubles * kDoubleColumns];
};

int64_t scratch_of_doubles(int64_t keys, int threads) noexcept {
  return saturating_mul(saturating_mul(rows_of_doubles(keys), saturating_mul(step_of_doubles(keys), sizeof(double))), threads);
}

}  // namespace

Support DoubleAttention::supports(const Problem& p) const noexcept {
  if (as<Attention>(*p.op) && p.in[0].dtype != DType::f64) return no("q is not f64");
  return PlainKernel::supports(p);
}

void DoubleAttention::plan(const Args& args, Plan* plan) const noexcept {
  plan->scratch = scratch_of_doubles(args.in[Attention::kK].dims[2], args.parallel.threads());
}

int64_t DoubleAttention::scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept {
  const int64_t step = step_of_doubles(in[Attention::kK][2]);  // of fewer keys up to the whole share
  return saturating_mul(saturating_mul(std::max(kScoreDoubles, saturating_mul(kFewestRowsOfDoubles, step)), sizeof(double)), threads);
}

Status DoubleAttention::run(const Plan&, const Args& args) const noexcept {
  Dims dims[Attention::kInputs];
  for (size_t i = 0; i < args.in.size(); ++i) dims[i] = args.in[i].dims;
  const AttentionSizes n = attention_sizes(dims);
  if (args.out[0].count() == 0) return {};
  const int64_t rows = rows_of_doubles(n.keys), each = n.group() * n.queries, blocks = ceil_div(each, rows);
  args.parallel.run(n.batch * n.key_heads * blocks, [&](int64_t task, int worker) {
    const int64_t block = task % blocks, head = task / blocks;
    DoubleAttentionRows of(args, n, rows_, static_cast<double*>(args.scratch) + worker * rows * step_of_doubles(n.keys));
    of.run(head / n.key_heads, head % n.key_heads, block * rows, std::min(rows, each - block * rows));
  });
  return {};
}

}  // namespace anydim
