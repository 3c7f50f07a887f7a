// SPDX-License-Identifier: Apache-2.0
// Attention in math mode reduced: both products are jobs of its tile engine (tiles/tile_engine.h), the softmax between them is that of mode
// strict. The keys and values that a task's rows see are packed once for all of them, as bf16, into the worker's scratch.
//
// A key that only some rows of a job see has a weight of +0 for the others. That adds nothing, as long as its values are finite. Where
// some are not, results are not, either: then each row packs the values that it sees, alone.
#include <algorithm>
#include <cmath>

#include "core/kernels/attention/attention.h"
#include "core/kernels/attention/job.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/reduced_probe.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"

namespace anydim {

namespace {

struct ReducedAttentionPlan {
  int64_t parts = 1;  // tasks of the rows that read one head of keys
};

// Where the parts of a worker's scratch lie, in bytes.
struct ReducedScratch {
  int64_t values, scores, segments, tiles, all;  // keys lie first
  ReducedScratch(const TileEngine& engine, int64_t size, int64_t value_size, int64_t keys) noexcept {
    const int64_t most = saturating_add(keys, kReducedBlock);  // values begin within a block
    values = lines(saturating_mul(engine.panel_floats(keys, size), 4));
    scores = saturating_add(values, lines(saturating_mul(engine.panel_floats(value_size, most), 4)));
    segments = saturating_add(scores, lines(saturating_mul(saturating_mul(attention_rows_of_task(keys), attention_score_step(keys)), 4)));
    tiles = saturating_add(segments, lines((most / kSumBlock + size / kSumBlock + 4) * static_cast<int64_t>(sizeof(KSegment))));
    all = saturating_add(tiles, lines(engine.scratch(std::max(size, most))));
  }
  static int64_t lines(int64_t bytes) noexcept { return saturating_add(bytes, 63) & ~INT64_C(63); }
};

class ReducedAttention final : public HostKernel {
 public:
  constexpr ReducedAttention(const char* name, Isa isa, const TileEngine& engine, const AttentionFunctions& functions) noexcept
      : name_(name), key_{.op = OpKind::attention, .isa = isa, .mode = MathMode::reduced}, engine_(engine), functions_(functions) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (!has_reduced_bits(engine_)) return no("this processor's sums of bf16 have other bits than the mode");
    return reduced_serves_attention(p);
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    Dims dims[Attention::kInputs];
    for (size_t i = 0; i < args.in.size(); ++i) dims[i] = args.in[i].dims;
    const AttentionSizes n = attention_sizes(dims);
    const int64_t threads = args.parallel.threads(), units = n.batch * n.key_heads, rows = n.group() * n.queries;
    // A part packs the keys that it sees. Enough of them for the threads.
    int64_t parts = 1;
    if (threads > 1 && units > 0 && units < 4 * threads)
      parts = std::clamp<int64_t>(ceil_div(4 * threads, units), 1, ceil_div(rows, kPartRows));
    plan->as<ReducedAttentionPlan>().parts = std::max<int64_t>(parts, 1);
    plan->scratch = threads * ReducedScratch(engine_, n.size, n.value_size, n.keys).all;
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const AttentionSizes n = attention_sizes(in);
    // Rows of scores are as many as fit, so that fewer keys may need more of them.
    const int64_t all = ReducedScratch(engine_, n.size, n.value_size, n.keys).all;
    return saturating_mul(threads, saturating_add(all, kAttentionScoreFloats * static_cast<int64_t>(sizeof(float))));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    Dims dims[Attention::kInputs];
    for (size_t i = 0; i < args.in.size(); ++i) dims[i] = args.in[i].dims;
    const AttentionSizes n = attention_sizes(dims);
    if (args.out[0].count() == 0) return {};
    const int64_t rows = n.group() * n.queries, parts = plan.as<ReducedAttentionPlan>().parts;
    const KeyRanges ranges(args, n);
    const ReducedScratch at(engine_, n.size, n.value_size, n.keys);
    args.parallel.run(n.batch * n.key_heads * parts, [&](int64_t task, int worker) {
      // The last rows see the most under a causal mask: they come first.
      const int64_t part = parts - 1 - task % parts, head = task / parts;
      auto* const scratch = static_cast<std::byte*>(args.scratch) + worker * at.all;
      Part(*this, args, n, ranges, at, scratch, head / n.key_heads, head % n.key_heads)
          .run(part_begin(rows, parts, part), part_begin(rows, parts, part + 1));
    });
    return {};
  }

 private:
  static constexpr int64_t kPartRows = 24;

  // Some of the rows that read one head of keys.
  class Part {
   public:
    Part(const ReducedAttention& kernel, const Args& args, const AttentionSizes& n, const KeyRanges& ranges, const ReducedScratch& at,
         std::byte* scratch, int64_t example, int64_t key_head) noexcept
        : engine_(kernel.engine_),
          functions_(kernel.functions_),
          args_(args),
          n_(n),
          ranges_(ranges),
          example_(example),
          key_head_(key_head),
          shift_(ranges.shift_of(example)),
          step_(attention_score_step(n.keys)),
          keys_(reinterpret_cast<float*>(scratch)),
          values_(reinterpret_cast<float*>(scratch + at.values)),
          scores_(reinterpret_cast<float*>(scratch + at.scores)),
          segments_(reinterpret_cast<KSegment*>(scratch + at.segments)),
          tiles_(scratch + at.tiles) {}

    void run(int64_t begin, int64_t end) noexcept {
      first_ = n_.keys + shift_;
      last_ = 0;
      for (int64_t query = begin / n_.group(); query * n_.group() < end; ++query) {
        const KeyRange seen = ranges_.of(example_, query);
        if (seen.begin >= seen.end) continue;
        first_ = std::min(first_, seen.begin + shift_);
        last_ = std::max(last_, seen.end + shift_);
      }
      if (first_ < last_) {
        pack_keys();
        pack_values(first_, last_);
      }
      const int64_t most = attention_rows_of_task(n_.keys);
      for (int64_t r = begin; r < end; r += most) run_rows(r, std::min(most, end - r));
    }

   private:
    // Keys [first_, last_) are the columns of a matrix whose rows are their elements.
    void pack_keys() noexcept {
      const TensorView& k = args_.in[Attention::kK];
      PackJob job;
      job.b = k.as<const float>() + example_ * k.strides[0] + key_head_ * k.strides[1] + (first_ - shift_) * k.strides[2];
      job.row_stride = n_.size == 1 ? 1 : k.strides[3];
      job.column_stride = k.strides[2];
      job.rows = job.k = n_.size;
      job.columns = last_ - first_;
      job.panel_end = engine_.panels(job.columns);
      job.panels = keys_;
      job.fresh = true;
      engine_.pack(job);
    }
    // Values of keys [first, last), in whole blocks of keys.
    void pack_values(int64_t first, int64_t last) noexcept {
      const TensorView& v = args_.in[Attention::kV];
      value_base_ = first / kReducedBlock * kReducedBlock;
      value_k_ = last - value_base_;
      PackJob job;
      job.b = v.as<const float>() + example_ * v.strides[0] + key_head_ * v.strides[1] + (first - shift_) * v.strides[2];
      job.row_stride = v.strides[2];
      job.column_stride = n_.value_size == 1 ? 1 : v.strides[3];
      job.first = first - value_base_;
      job.rows = last - first;
      job.k = value_k_;
      job.columns = n_.value_size;
      job.panel_end = engine_.panels(job.columns);
      job.panels = values_;
      job.fresh = true;
      engine_.pack(job);
    }
    // Whether results of rows are finite: then all values were that a weight was multiplied with.
    bool are_finite(int64_t first, int64_t count) const noexcept {
      const TensorView& y = args_.out[0];
      for (int64_t i = 0; i < count; ++i) {
        const float* const row = row_of(first + i);
        if (y.strides[3] == 1 || n_.value_size == 1) {
          if (functions_.has_nan(row, n_.value_size)) return false;
        } else {
          for (int64_t c = 0; c < n_.value_size; ++c)
            if (!std::isfinite(row[c * y.strides[3]])) return false;
        }
      }
      return true;
    }

    // A job whose rows are [first, first + count) of the part's.
    TileJob rows_job(int64_t first, int64_t count) const noexcept {
      TileJob job;
      job.count[2] = n_.queries;
      job.count[3] = n_.group();
      job.row_begin = first;
      job.row_end = first + count;
      job.tile_rows = engine_.tile_rows;
      job.row_block = count;
      job.scratch = tiles_;
      return job;
    }
    // Scores of rows, as the rows of one side of a job.
    void lay_scores(int64_t first, int64_t from, float** data, int64_t* steps) const noexcept {
      *data = scores_ - first * step_ + from;
      steps[2] = n_.group() * step_;
      steps[3] = step_;
    }
    void set_segments(TileJob* job, int64_t src, int64_t k, int64_t count) const noexcept {
      job->segments = segments_;
      for (int64_t end = k + count; k < end;) {
        const auto n = static_cast<int32_t>(std::min(end, k / kSumBlock * kSumBlock + kSumBlock) - k);
        segments_[job->segment_count++] = {src, k, n, 1};
        src += n;
        k += n;
      }
    }

    void run_rows(int64_t first, int64_t count) noexcept {
      AttentionRows rows;
      AttentionJob j;
      rows.fill(args_, n_, ranges_, example_, key_head_, first, count, &j);
      if (j.first >= j.last) {
        for (int64_t i = 0; i < count; ++i) clear_row(first + i);
        return;
      }
      const int64_t width = 2 * engine_.vector, panel = (j.first - first_) / width;
      j.base = (first_ + panel * width) / kReductionLanes * kReductionLanes;
      j.scores = scores_;
      j.score_step = step_;
      multiply_keys(first, j, panel, (j.last - first_ + width - 1) / width);
      bool sees[kMostAttentionRows];
      functions_.weigh(j, sees);
      if (!packed_whole_) pack_values(first_, last_);
      packed_whole_ = true;
      multiply_values(first, count, j, j.first, j.last, first);
      if (are_finite(first, count)) return;
      packed_whole_ = false;
      for (int64_t i = 0; i < count; ++i) {
        if (!sees[i]) {
          clear_row(first + i);
          continue;
        }
        pack_values(rows.begin[i], rows.end[i]);
        multiply_values(first + i, 1, j, rows.begin[i], rows.end[i], first);
      }
    }

    void multiply_keys(int64_t first, const AttentionJob& j, int64_t panel_begin, int64_t panel_end) const noexcept {
      const TensorView& q = args_.in[Attention::kQ];
      const EpilogueProgram program;
      TileJob job = rows_job(first, j.rows);
      job.src = q.as<const float>() + example_ * q.strides[0] + key_head_ * n_.group() * q.strides[1];
      job.src_step[2] = q.strides[2];
      job.src_step[3] = q.strides[1];
      job.k_step = n_.size == 1 ? 1 : q.strides[3];
      lay_scores(first, first_ - j.base, &job.dst, job.dst_step);
      set_segments(&job, 0, 0, n_.size);
      for (int32_t s = 0; s < job.segment_count; ++s) segments_[s].src *= job.k_step;
      job.panels = keys_;
      job.k = n_.size;
      job.columns = last_ - first_;
      job.panel_begin = panel_begin;
      job.panel_end = panel_end;
      job.program = &program;
      engine_.run(job);
    }

    // Weights of keys [from, to) times values; row `scores_first` has the first scores.
    void multiply_values(int64_t first, int64_t count, const AttentionJob& j, int64_t from, int64_t to,
                         int64_t scores_first) const noexcept {
      const TensorView& y = args_.out[0];
      const EpilogueProgram program;
      TileJob job = rows_job(first, count);
      float* scores;
      lay_scores(scores_first, from - j.base, &scores, job.src_step);
      job.src = scores;
      set_segments(&job, 0, from - value_base_, to - from);
      job.dst = y.as<float>() + example_ * y.strides[0] + key_head_ * n_.group() * y.strides[1];
      job.dst_step[2] = y.strides[2];
      job.dst_step[3] = y.strides[1];
      job.dst_column_step = n_.value_size == 1 ? 1 : y.strides[3];
      job.panels = values_;
      job.k = value_k_;
      job.columns = n_.value_size;
      job.panel_end = engine_.panels(n_.value_size);
      job.program = &program;
      engine_.run(job);
    }

    float* row_of(int64_t row) const noexcept {
      const TensorView& y = args_.out[0];
      return y.as<float>() + example_ * y.strides[0] + (key_head_ * n_.group() + row % n_.group()) * y.strides[1] +
             row / n_.group() * y.strides[2];
    }
    void clear_row(int64_t row) const noexcept {
      float* const to = row_of(row);
      for (int64_t c = 0; c < n_.value_size; ++c) to[c * args_.out[0].strides[3]] = 0.f;
    }

    const TileEngine& engine_;
    const AttentionFunctions& functions_;
    const Args& args_;
    const AttentionSizes& n_;
    const KeyRanges& ranges_;
    const int64_t example_, key_head_, shift_, step_;
    float *const keys_, *const values_, *const scores_;
    KSegment* const segments_;
    std::byte* const tiles_;
    int64_t first_ = 0, last_ = 0;  // the keys that some row sees
    int64_t value_base_ = 0, value_k_ = 0;
    bool packed_whole_ = true;  // values of all of them are packed
  };

  const char* name_;
  KernelKey key_;
  const TileEngine& engine_;
  const AttentionFunctions& functions_;
};

}  // namespace

KernelList attention_reduced_kernels() noexcept {
  static const KernelsOfSets<"attention.bf16", ReducedAttention, ReducedTileEngine, AttentionFunctions> tiles;
  static const auto all = kernel_list(tiles, kept<"attention.bf16.reference", attention_reduced_reference>());
  return all;
}

}  // namespace anydim
