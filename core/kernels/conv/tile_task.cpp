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

}  // namespace

void run_conv_task(const ConvExecution& e, int64_t group, int64_t row_part, int64_t column_part, KList list, void* scratch) {
  const ConvGeometry& g = e.plan.geometry;
  const WorkSplit& split = e.plan.split;
  const int64_t panels = e.engine.panels(g.out_channels);
  const SpatialStrides &ss = e.src_strides, &ds = e.dst_strides;
  TileJob job;
  job.dst_column_step = ds.c;
  job.k_step = ss.c;
  job.panels = e.panels + group * e.engine.panel_floats(g.out_channels, g.k());
  job.k = g.k();
  job.columns = g.out_channels;
  job.panel_begin = split.panel_begin(panels, column_part);
  job.panel_end = split.panel_begin(panels, column_part + 1);
  job.bias = e.bias ? e.bias + group * g.out_channels : nullptr;
  job.program = &e.program;
  job.tile_rows = split.tile_rows;
  job.row_block = split.row_block;
  job.panels_outer = split.panels_outer;
  job.k_part = split.k_part;
  job.scratch = scratch;
  job.rounded = e.rounded;
  const int64_t unit = split.tile_rows;
  const auto floats = [&](int64_t step) { return e.rounded ? step * e.engine.rounded_bytes / static_cast<int64_t>(sizeof(float)) : step; };

  const AxisRun* run[3];
  Band band;
  // Runs the rows [row_begin, row_end) of the class of positions `run`, or of a ragged band from there.
  auto run_class = [&](int64_t row_begin, int64_t row_end) {
    job.ragged = band.ragged;
    if (band.ragged) list_ragged_taps(g, ss, *run[0], *run[1], run[2]->out, band.count, &list);
    else list_taps(g, ss, *run[0], *run[1], *run[2], &list);
    job.segments = list.segments;
    job.segment_count = list.segment_count;
    job.elements = list.element_blocks > 0 ? list.elements : nullptr;
    job.element_blocks = list.element_blocks;
    std::copy_n(list.element_ends, kMostElementBlocks, job.element_ends);
    job.count[0] = g.batch;
    job.src = e.src + floats(group * g.in_channels * ss.c);
    job.dst = e.dst + group * g.out_channels * ds.c;
    job.src_step[0] = floats(ss.n);
    job.dst_step[0] = ds.n;
    for (int a = 0; a < 3; ++a) {
      job.count[a + 1] = a == 2 ? band.count : run[a]->count;
      job.src += floats((a == 2 && band.ragged ? run[a]->out * g.stride[a] : run[a]->in) * ss.s[a]);
      job.src_step[a + 1] = floats(run[a]->in_step * ss.s[a]);
      job.dst += run[a]->out * ds.s[a];
      job.dst_step[a + 1] = run[a]->out_step * ds.s[a];
    }
    for (int o = 0; o < e.epilogue.operand_count; ++o) {
      const EpilogueOperand& operand = e.epilogue.operands[o];
      const SpatialStrides os = spatial_strides(operand.strides, g.spatial);
      job.operand[o] = operand.data + group * g.out_channels * os.c;
      job.operand_step[o][0] = os.n;
      for (int a = 0; a < 3; ++a) {
        job.operand[o] += run[a]->out * os.s[a];
        job.operand_step[o][a + 1] = run[a]->out_step * os.s[a];
      }
    }
    for (int64_t at = row_begin; at < row_end; at = job.row_end) {
      job.row_begin = at;
      job.row_end = band.ragged ? std::min(at / band.count * band.count + band.count, row_end) : row_end;
      e.engine.run(job);
    }
  };
  auto each_class = [&](auto&& f) {
    for (int64_t z = 0; z < e.run_count[0]; ++z)
      for (int64_t y = 0; y < e.run_count[1]; ++y)
        for (int64_t x = 0; x < e.run_count[2]; x = band.end) {
          run[0] = &e.runs[0][z];
          run[1] = &e.runs[1][y];
          run[2] = &e.runs[2][x];
          const int64_t lines = g.batch * run[0]->count * run[1]->count;
          band = band_at(e, lines, x);
          f(lines * band.count);
        }
  };

  if (g.patches()) {
    // Every class has a row per input position. A block of them makes its whole patch before the next, while the
    // output's lines, each shared by several phases, are in cache.
    const int64_t rows = g.in_positions(), end = part_begin(rows, split.row_tasks, row_part + 1);
    for (int64_t r = part_begin(rows, split.row_tasks, row_part); r < end; r += split.row_block)
      each_class([&](int64_t) { run_class(r, std::min(r + split.row_block, end)); });
    return;
  }
  // Work is measured in rows x taps; a part is a range of it, cut at multiples of a tile within a class.
  int64_t sum[3] = {};
  for (int a = 0; a < 3; ++a)
    for (int64_t i = 0; i < e.run_count[a]; ++i) sum[a] += e.runs[a][i].count * e.runs[a][i].taps;
  const int64_t total = g.batch * sum[0] * sum[1] * sum[2] + g.positions();
  const int64_t from = part_begin(total, split.row_tasks, row_part), to = part_begin(total, split.row_tasks, row_part + 1);
  const int64_t end = job.panel_end, step = panels_for_all_classes(e, end - job.panel_begin);
  for (; job.panel_begin < end; job.panel_begin = job.panel_end) {
    job.panel_end = std::min(job.panel_begin + step, end);
    int64_t done = 0;
    each_class([&](int64_t rows) {
      const int64_t work = rows / band.count * run[0]->taps * run[1]->taps * band.taps + rows, weight = work / rows;
      auto cut = [&](int64_t at) {
        const int64_t r = at <= done ? 0 : (at - done) / weight;
        return std::min(rows, (r + unit / 2) / unit * unit);
      };
      const int64_t first = row_part == 0 ? 0 : cut(from), last = row_part + 1 == split.row_tasks ? rows : cut(to);
      done += work;
      if (first < last) run_class(first, last);
    });
  }
}

}  // namespace anydim
