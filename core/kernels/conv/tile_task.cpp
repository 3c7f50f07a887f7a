// SPDX-License-Identifier: Apache-2.0
// See tile_task.h: rows of one set of valid taps are a matrix product each; what neighbouring ones share is worked on together.
#include "core/kernels/conv/tile_task.h"

#include <algorithm>

#include "core/base/cpu.h"

namespace anydim {

namespace {

// How many of a task's panels all classes of positions use before the next ones. Where weights do not stay in L2 each class, and
// each block of its rows, would fetch them again; a few panels that stay make every class fetch the activation again instead.
int64_t panels_for_all_classes(const ConvExecution& e, int64_t panels) {
  const ConvGeometry& g = e.plan.geometry;
  const WorkSplit& split = e.plan.split;
  if (!split.panels_outer) return panels;
  const int64_t panel_bytes = 2 * e.engine.vector * g.k() * 4, rows = g.positions() / split.row_tasks;
  const int64_t step = std::max<int64_t>(cpu().l2 / 4 * 3 / panel_bytes, kPanelsInParts);
  const int64_t blocks = e.run_count[0] * e.run_count[1] * e.run_count[2] + rows / std::max<int64_t>(split.row_block, 1);
  const int64_t activation = rows * e.plan.row_bytes * (ceil_div(panels, step) - 1);
  return panels * panel_bytes * (blocks - 1) > activation ? step : panels;
}

// Neighbouring runs along x that are worked on together: one run, whose positions share their taps; or several short ones, whose
// positions have taps of their own (TileJob::ragged).
struct Band {
  int64_t end;    // the run behind the last
  int64_t count;  // positions along x
  int64_t taps;   // of all of them
  bool ragged;
};
Band band_at(const ConvExecution& e, int64_t lines, int64_t x) {
  const AxisRun* runs = e.runs[2];
  Band band{x + 1, runs[x].count, runs[x].count * runs[x].taps, false};
  // A tile in that only two of a dozen rows are used takes as long as a full one; three taps have not so many runs.
  constexpr int64_t kFewRows = 2, kManyRuns = 4, kLeastChannels = 8;
  const ConvGeometry& g = e.plan.geometry;
  if (e.engine.mode == MathMode::reduced || g.transposed || g.in_channels < kLeastChannels || lines * runs[x].count > kFewRows) return band;
  while (band.end < e.run_count[2] && lines * runs[band.end].count <= kFewRows) {
    band.count += runs[band.end].count;
    band.taps += runs[band.end].count * runs[band.end].taps;
    ++band.end;
  }
  band.ragged = band.end - x >= kManyRuns;
  return band.ragged ? band : Band{x + 1, runs[x].count, runs[x].count * runs[x].taps, false};
}

// A task: the job of a tile engine, filled in class of positions by class of positions.
class ConvTask {
 public:
  ConvTask(const ConvExecution& e, int64_t group, int64_t row_part, int64_t column_part, KList list, void* scratch)
      : e_(e), g_(e.plan.geometry), split_(e.plan.split), group_(group), row_part_(row_part), list_(list) {
    const int64_t panels = e.engine.panels(g_.out_channels);
    job_.dst_column_step = e.dst_strides.c;
    job_.k_step = e.src_strides.c;
    job_.panels = e.panels + group * e.engine.panel_floats(g_.out_channels, g_.k());
    job_.k = g_.k();
    job_.columns = g_.out_channels;
    job_.panel_begin = split_.panel_begin(panels, column_part);
    job_.panel_end = split_.panel_begin(panels, column_part + 1);
    job_.bias = e.bias ? e.bias + group * g_.out_channels : nullptr;
    job_.program = &e.program;
    job_.tile_rows = split_.tile_rows;
    job_.row_block = split_.row_block;
    job_.panels_outer = split_.panels_outer;
    job_.k_part = split_.k_part;
    job_.scratch = scratch;
    job_.rounded = e.rounded;
  }

  void run() { g_.patches() ? run_patches() : run_positions(); }

 private:
  // Every class has a row per input position. A block of them makes its whole patch before the next, while the output's lines, each
  // shared by several phases, are in cache.
  void run_patches() {
    const int64_t rows = g_.in_positions(), end = part_begin(rows, split_.row_tasks, row_part_ + 1);
    for (int64_t r = part_begin(rows, split_.row_tasks, row_part_); r < end; r += split_.row_block)
      each_class([&](int64_t) { run_class(r, std::min(r + split_.row_block, end)); });
  }

  // Work is measured in rows x taps; a part is a range of it, cut at multiples of a tile within a class.
  void run_positions() {
    int64_t sum[3] = {};
    for (int a = 0; a < 3; ++a)
      for (int64_t i = 0; i < e_.run_count[a]; ++i) sum[a] += e_.runs[a][i].count * e_.runs[a][i].taps;
    const int64_t total = g_.batch * sum[0] * sum[1] * sum[2] + g_.positions(), unit = split_.tile_rows;
    const int64_t from = part_begin(total, split_.row_tasks, row_part_), to = part_begin(total, split_.row_tasks, row_part_ + 1);
    const int64_t end = job_.panel_end, step = panels_for_all_classes(e_, end - job_.panel_begin);
    for (; job_.panel_begin < end; job_.panel_begin = job_.panel_end) {
      job_.panel_end = std::min(job_.panel_begin + step, end);
      int64_t done = 0;
      each_class([&](int64_t rows) {
        const int64_t work = rows / band_.count * run_[0]->taps * run_[1]->taps * band_.taps + rows, weight = work / rows;
        auto cut = [&](int64_t at) {
          const int64_t r = at <= done ? 0 : (at - done) / weight;
          return std::min(rows, (r + unit / 2) / unit * unit);
        };
        const int64_t first = row_part_ == 0 ? 0 : cut(from), last = row_part_ + 1 == split_.row_tasks ? rows : cut(to);
        done += work;
        if (first < last) run_class(first, last);
      });
    }
  }

  // Calls f(rows) for each class of positions, or ragged band of them.
  template <class F> void each_class(const F& f) {
    for (int64_t z = 0; z < e_.run_count[0]; ++z)
      for (int64_t y = 0; y < e_.run_count[1]; ++y)
        for (int64_t x = 0; x < e_.run_count[2]; x = band_.end) {
          run_[0] = &e_.runs[0][z];
          run_[1] = &e_.runs[1][y];
          run_[2] = &e_.runs[2][x];
          const int64_t lines = g_.batch * run_[0]->count * run_[1]->count;
          band_ = band_at(e_, lines, x);
          f(lines * band_.count);
        }
  }

  // The rows [row_begin, row_end) of the class that each_class() stands at.
  void run_class(int64_t row_begin, int64_t row_end) {
    list_k();
    place();
    for (int64_t at = row_begin; at < row_end; at = job_.row_end) {
      job_.row_begin = at;
      job_.row_end = band_.ragged ? std::min(at / band_.count * band_.count + band_.count, row_end) : row_end;
      e_.engine.run(job_);
    }
  }

  void list_k() {
    job_.ragged = band_.ragged;
    if (band_.ragged) list_ragged_taps(g_, e_.src_strides, *run_[0], *run_[1], run_[2]->out, band_.count, &list_);
    else list_taps(g_, e_.src_strides, *run_[0], *run_[1], *run_[2], &list_);
    job_.segments = list_.segments;
    job_.segment_count = list_.segment_count;
    job_.elements = list_.element_blocks > 0 ? list_.elements : nullptr;
    job_.element_blocks = list_.element_blocks;
    std::copy_n(list_.element_ends, kMostElementBlocks, job_.element_ends);
  }

  void place() {
    const SpatialStrides &ss = e_.src_strides, &ds = e_.dst_strides;
    const auto floats = [&](int64_t step) {
      return e_.rounded ? step * e_.engine.rounded_bytes / static_cast<int64_t>(sizeof(float)) : step;
    };
    job_.count[0] = g_.batch;
    job_.src = e_.src + floats(group_ * g_.in_channels * ss.c);
    job_.dst = e_.dst + group_ * g_.out_channels * ds.c;
    job_.src_step[0] = floats(ss.n);
    job_.dst_step[0] = ds.n;
    for (int a = 0; a < 3; ++a) {
      job_.count[a + 1] = a == 2 ? band_.count : run_[a]->count;
      job_.src += floats((a == 2 && band_.ragged ? run_[a]->out * g_.stride[a] : run_[a]->in) * ss.s[a]);
      job_.src_step[a + 1] = floats(run_[a]->in_step * ss.s[a]);
      job_.dst += run_[a]->out * ds.s[a];
      job_.dst_step[a + 1] = run_[a]->out_step * ds.s[a];
    }
    for (int o = 0; o < e_.epilogue.operand_count; ++o) {
      const EpilogueOperand& operand = e_.epilogue.operands[o];
      const SpatialStrides os = spatial_strides(operand.strides, g_.spatial);
      job_.operand[o] = operand.data + group_ * g_.out_channels * os.c;
      job_.operand_step[o][0] = os.n;
      for (int a = 0; a < 3; ++a) {
        job_.operand[o] += run_[a]->out * os.s[a];
        job_.operand_step[o][a + 1] = run_[a]->out_step * os.s[a];
      }
    }
  }

  const ConvExecution& e_;
  const ConvGeometry& g_;
  const WorkSplit& split_;
  const int64_t group_, row_part_;
  KList list_;
  TileJob job_;
  const AxisRun* run_[3] = {};
  Band band_{};
};

}  // namespace

void run_conv_task(const ConvExecution& e, int64_t group, int64_t row_part, int64_t column_part, KList list, void* scratch) {
  ConvTask(e, group, row_part, column_part, list, scratch).run();
}

}  // namespace anydim
