// SPDX-License-Identifier: Apache-2.0
// The f32 kernels of attention, one per instruction set, and the family's list. The scores of a few rows at a time lie in scratch: as many
// rows as the second cache holds. Rows that read one head of keys share its panels: the queries of a group, query by query.
#include "core/kernels/attention/attention.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/attention/job.h"
#include "core/kernels/reduce/axes.h"
#include "core/kernels/sets.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

// Where the parts of a worker's scratch lie, in floats.
struct Scratch {
  int64_t panel = 0, q, y, scores, all;
  Scratch(int64_t size, int64_t value_size, int64_t scores_floats) noexcept {
    q = round_up(size * kReductionLanes, 16);
    y = q + round_up(kMostAttentionRows * size, 16);
    scores = y + round_up(kMostAttentionRows * value_size, 16);
    all = scores + round_up(scores_floats, 16);
  }
};

struct AttentionPlan {
  int64_t rows = 0;  // of a task
};

class AttentionKernel final : public HostKernel {
 public:
  constexpr AttentionKernel(const char* name, Isa isa, const AttentionFunctions& functions) noexcept
      : name_(name), key_{.op = OpKind::attention, .isa = isa}, functions_(functions) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<Attention>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("q is not f32");
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into attention");
  }

  // Values are read as vectors where they lie side by side; whatever else lies apart is free.
  Perm preferred_order(const Problem&, bool output, int index) const noexcept override {
    return !output && index == Attention::kV ? Perm{0, 1, 2, 3} : Perm{};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const Dims &q = args.in[Attention::kQ].dims, &k = args.in[Attention::kK].dims, &v = args.in[Attention::kV].dims;
    const int64_t threads = args.parallel.threads(), each = k[1] > 0 ? q[1] / k[1] * q[2] : 0, units = q[0] * k[1];
    int64_t rows = attention_rows_of_task(k[2]);
    // Enough tasks for the threads, as long as tiles stay whole.
    if (threads > 1 && units * each < 2 * threads * rows)
      rows = std::clamp<int64_t>(ceil_div(ceil_div(units * each, 2 * threads), kAttentionRows) * kAttentionRows, kAttentionRows, rows);
    plan->as<AttentionPlan>().rows = rows;
    plan->scratch =
        threads * Scratch(q[3], v[3], std::max(rows * attention_score_step(k[2]), 2 * k[2])).all * static_cast<int64_t>(sizeof(float));
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const int64_t step = attention_score_step(in[Attention::kK][2]);
    const int64_t scores = std::max(kAttentionScoreFloats, saturating_mul(step, kAttentionRows));
    return saturating_mul(saturating_mul(threads, Scratch(in[Attention::kQ][3], in[Attention::kV][3], scores).all), sizeof(float));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    Dims dims[Attention::kInputs];
    for (size_t i = 0; i < args.in.size(); ++i) dims[i] = args.in[i].dims;
    const AttentionSizes n = attention_sizes(dims);
    const TensorView& y = args.out[0];
    if (y.count() == 0) return {};
    const int64_t rows = plan.as<AttentionPlan>().rows, each = n.group() * n.queries, blocks = ceil_div(each, rows);
    const KeyRanges ranges(args, n);
    const Scratch at(n.size, n.value_size, rows * attention_score_step(n.keys));
    args.parallel.run(n.batch * n.key_heads * blocks, [&](int64_t task, int worker) {
      // The last rows see the most under a causal mask: they come first.
      const int64_t block = blocks - 1 - task % blocks, head = task / blocks;
      run_rows(args, n, ranges, head / n.key_heads, head % n.key_heads, block * rows, std::min(rows, each - block * rows),
               static_cast<float*>(args.scratch) + worker * at.all, at);
    });
    return {};
  }

 private:
  // Rows [first, first + count) of the queries that read one head of keys: row i is query i / group of the group's head i % group.
  void run_rows(const Args& args, const AttentionSizes& n, const KeyRanges& ranges, int64_t example, int64_t key_head, int64_t first,
                int64_t count, float* scratch, const Scratch& at) const noexcept {
    const TensorView &q = args.in[Attention::kQ], &k = args.in[Attention::kK], &v = args.in[Attention::kV], &y = args.out[0];
    AttentionRows at_rows;
    float* out[kMostAttentionRows];
    AttentionJob j;
    at_rows.fill(args, n, ranges, example, key_head, first, count, &j);
    j.q = scratch + at.q;
    j.panel = scratch + at.panel;
    j.scores = scratch + at.scores;
    j.score_step = attention_score_step(n.keys);
    j.k = k.as<const float>() + example * k.strides[0] + key_head * k.strides[1];
    j.k_step = k.strides[2];
    j.k_element = n.size == 1 ? 1 : k.strides[3];
    j.v = v.as<const float>() + example * v.strides[0] + key_head * v.strides[1];
    j.v_step = v.strides[2];
    j.v_element = n.value_size == 1 ? 1 : v.strides[3];
    j.k -= j.shift * j.k_step;
    j.v -= j.shift * j.v_step;
    const bool dense = y.strides[3] == 1 || n.value_size == 1;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t query = (first + i) / n.group(), head = key_head * n.group() + (first + i) % n.group();
      const float* const from = q.as<const float>() + example * q.strides[0] + head * q.strides[1] + query * q.strides[2];
      float* const to = scratch + at.q + i * n.size;
      if (q.strides[3] == 1) std::memcpy(to, from, static_cast<size_t>(n.size) * sizeof(float));
      else
        for (int64_t d = 0; d < n.size; ++d) to[d] = from[d * q.strides[3]];
      out[i] =
          dense ? y.as<float>() + example * y.strides[0] + head * y.strides[1] + query * y.strides[2] : scratch + at.y + i * n.value_size;
    }
    j.base = (j.first - (j.first - j.shift) % functions_.panel_keys) / kReductionLanes * kReductionLanes;
    j.y = out;
    functions_.run(j);
    for (int64_t i = 0; i < count && !dense; ++i) {
      const int64_t query = (first + i) / n.group(), head = key_head * n.group() + (first + i) % n.group();
      float* const to = y.as<float>() + example * y.strides[0] + head * y.strides[1] + query * y.strides[2];
      for (int64_t c = 0; c < n.value_size; ++c) to[c * y.strides[3]] = out[i][c];
    }
  }

  const char* name_;
  KernelKey key_;
  const AttentionFunctions& functions_;
};

}  // namespace

KernelList attention_kernels() noexcept {
  static const KernelsOfSets<"attention.rows", AttentionKernel, AttentionFunctions> rows;
  static const auto all = kernel_list(rows, kept<"attention.reference", attention_reference>());
  return all;
}

}  // namespace anydim
