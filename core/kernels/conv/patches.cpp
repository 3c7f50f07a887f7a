// SPDX-License-Identifier: Apache-2.0
// Small patches of transposed convolutions; see patches.h.
#include "core/kernels/conv/patches.h"

#include <algorithm>

namespace anydim {

namespace {

constexpr int kMostColumns = 16;

// Calls f(column, kernel position on each axis, channel).
template <class F> void each_column(const ConvGeometry& g, F&& f) {
  int64_t column = 0;
  for (int64_t z = 0; z < g.kernel[0]; ++z)
    for (int64_t y = 0; y < g.kernel[1]; ++y)
      for (int64_t x = 0; x < g.kernel[2]; ++x)
        for (int64_t m = 0; m < g.out_channels; ++m) f(column++, z, y, x, m);
}

}  // namespace

bool is_small_patch(const Operator& op, const Dims& weights, const TileEngine& engine) noexcept {
  const auto* t = as<ConvTranspose>(op);
  if (!t || weights[0] == 0 || weights[1] == 0) return false;
  const auto& at = t->get();
  if (at.group != 1 || !at.output_shape.empty() || (at.auto_pad != AutoPad::explicit_ && at.auto_pad != AutoPad::valid)) return false;
  int64_t taps = 1;
  for (int i = 0; i < at.spatial; ++i) {
    if (weights[i + 2] != at.strides[i] || at.dilations[i] != 1 || at.pads_begin[i] != 0 || at.pads_end[i] != 0 ||
        at.output_padding[i] != 0)
      return false;
    taps = saturating_mul(taps, weights[i + 2]);
  }
  const int64_t most = std::min(engine.vector, kMostColumns);
  return taps > 1 && saturating_mul(taps, weights[1]) <= most && saturating_mul(taps, weights[0]) <= kSumBlock;
}

void pack_small_patch(const TileEngine& engine, const ConvGeometry& g, const TensorView& w, float* panel) noexcept {
  const int64_t width = engine.packed_columns(g.taps() * g.out_channels);
  const SpatialStrides s = spatial_strides(w.strides, g.spatial);
  each_column(g, [&](int64_t column, int64_t z, int64_t y, int64_t x, int64_t m) {
    const float* from = w.as<const float>() + m * s.c + z * s.s[0] + y * s.s[1] + x * s.s[2];
    for (int64_t c = 0; c < g.in_channels; ++c) panel[c * width + column] = read_unaligned(from + c * s.n);
  });
}

void run_small_patch(const TileEngine& engine, const ConvGeometry& g, const WorkSplit& split, const Args& args, const float* panel,
                     const float* bias, const Epilogue& epilogue) noexcept {
  const SpatialStrides src = spatial_strides(args.in[0].strides, g.spatial), dst = spatial_strides(args.out[0].strides, g.spatial);
  KSegment segment{0, 0, static_cast<int32_t>(g.in_channels), 1};
  EpilogueProgram program;
  program.count = epilogue.count;
  program.operand_count = epilogue.operand_count;
  program.steps = epilogue.steps;
  TileJob proto;
  proto.count[0] = g.batch;
  proto.src = args.in[0].as<const float>();
  proto.src_step[0] = src.n;
  proto.dst = args.out[0].as<float>();
  proto.dst_step[0] = dst.n;
  for (int a = 0; a < 3; ++a) {
    proto.count[a + 1] = g.in[a];
    proto.src_step[a + 1] = src.s[a];
    proto.dst_step[a + 1] = dst.s[a] * g.stride[a];
  }
  // Where columns lie, in the output and in each operand.
  int64_t columns[1 + kMaxEpilogueOperands][kMostColumns];
  auto place = [&](const SpatialStrides& s, int64_t* to) {
    each_column(g, [&](int64_t column, int64_t z, int64_t y, int64_t x, int64_t m) {
      to[column] = z * s.s[0] + y * s.s[1] + x * s.s[2] + m * s.c;
    });
  };
  place(dst, columns[0]);
  proto.dst_columns = columns[0];
  for (int o = 0; o < epilogue.operand_count; ++o) {
    const SpatialStrides s = spatial_strides(epilogue.operands[o].strides, g.spatial);
    place(s, columns[1 + o]);
    program.walks[o].columns = columns[1 + o];
    program.walks[o].by_row = true;
    proto.operand[o] = epilogue.operands[o].data;
    proto.operand_step[o][0] = s.n;
    for (int a = 0; a < 3; ++a) proto.operand_step[o][a + 1] = s.s[a] * g.stride[a];
  }
  proto.segments = &segment;
  proto.segment_count = g.in_channels > 0 ? 1 : 0;
  proto.k_step = src.c;
  proto.panels = panel;
  proto.k = g.in_channels;
  proto.columns = g.taps() * g.out_channels;
  proto.panel_end = 1;
  proto.bias = bias;
  proto.program = &program;
  proto.tile_rows = split.tile_rows;
  proto.row_block = split.row_block;
  const int64_t rows = g.in_positions();
  args.parallel.run(split.row_tasks, [&](int64_t task, int) {
    TileJob job = proto;
    job.row_begin = part_begin(rows, split.row_tasks, task);
    job.row_end = part_begin(rows, split.row_tasks, task + 1);
    if (job.row_begin < job.row_end) engine.run(job);
  });
}

}  // namespace anydim
