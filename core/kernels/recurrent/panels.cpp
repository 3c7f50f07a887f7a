// SPDX-License-Identifier: Apache-2.0
// Packing of recurrent weights and the division of scratch; see panels.h.
#include "core/kernels/recurrent/panels.h"

#include <algorithm>

#include "core/kernels/tiles/work_split.h"

namespace anydim {

namespace {

int64_t round_bytes(int64_t bytes) noexcept { return saturating_add(bytes, 63) & ~INT64_C(63); }
int64_t blocks_of(int64_t k) noexcept { return k / kSumBlock + 1; }

}  // namespace

int64_t padded_columns(const TileEngine& engine, int64_t columns) noexcept {
  return saturating_mul(engine.panels(columns), 2 * engine.vector);
}

RecurrentPlaces recurrent_places(const TileEngine& engine, const RecurrentAttributes& at, const RecurrentSizes& n, int64_t rows,
                                 bool packed, int threads) noexcept {
  const PanelSizes p(engine, at.cell, n.inputs, n.hidden);
  RecurrentPlaces to;
  const auto floats = [&](int64_t count) {
    const int64_t begin = to.bytes;
    to.bytes = saturating_add(to.bytes, round_bytes(saturating_mul(count, 4)));
    return begin;
  };
  const int64_t sequences = saturating_mul(n.directions, n.batch), states = saturating_mul(sequences, n.hidden);
  const bool lstm = at.cell == RecurrentCell::lstm, gru = at.cell == RecurrentCell::gru;
  to.given = floats(saturating_mul(saturating_mul(n.directions, rows), p.columns));
  to.sums = floats(saturating_mul(sequences, p.first_columns));
  to.h = floats(states);
  if (lstm) to.c = floats(states), to.peepholes = floats(saturating_mul(n.directions, saturating_mul(3, n.hidden)));
  if (gru)
    to.candidate = floats(states), to.kept = floats(states),
    to.state_bias = floats(saturating_mul(n.directions, padded_columns(engine, n.hidden)));
  to.bias = floats(saturating_mul(n.directions, padded_columns(engine, p.columns)));
  const auto bytes = [&](int64_t count) {
    const int64_t begin = to.bytes;
    to.bytes = saturating_add(to.bytes, round_bytes(count));
    return begin;
  };
  to.active = bytes(sequences);
  to.segments = bytes(saturating_mul(blocks_of(n.inputs), static_cast<int64_t>(sizeof(KSegment))));
  to.state_segments = bytes(saturating_mul(blocks_of(n.hidden), static_cast<int64_t>(sizeof(KSegment))));
  if (!packed) {
    to.panels = floats(saturating_mul(n.directions, p.input));
    to.state_panels = floats(saturating_mul(n.directions, p.state()));
  }
  to.tile_bytes = round_bytes(std::max(engine.scratch(n.inputs), engine.scratch(n.hidden)));
  to.tiles = bytes(saturating_mul(to.tile_bytes, threads));
  return to;
}

void make_panels(const TileEngine& engine, RecurrentCell cell, const TensorView& w, const TensorView& r, const Parallel& parallel,
                 float* input, float* state) noexcept {
  const int64_t directions = w.dims[0], hidden = r.dims[2];
  const PanelSizes n(engine, cell, w.dims[2], hidden);
  PackJob jobs[3];  // of a direction: the inputs', the state's, gru's candidate
  const auto job = [&](const TensorView& t, int64_t first_row, int64_t columns) {
    PackJob j;
    j.b = t.as<const float>() + first_row * t.strides[1];
    j.row_stride = t.strides[2];
    j.column_stride = t.strides[1];
    j.rows = j.k = t.dims[2];
    j.columns = columns;
    j.fresh = engine.mode == MathMode::reduced;
    return j;
  };
  jobs[0] = job(w, 0, n.columns);
  jobs[1] = job(r, 0, n.first_columns);
  jobs[2] = job(r, n.first_columns, n.last_columns);
  jobs[0].panels = input;
  jobs[1].panels = state;
  jobs[2].panels = state + n.first;
  const int64_t cuts = parallel.threads() > 1 ? 4 : 1;
  parallel.run(directions * 3 * cuts, [&](int64_t task, int) {
    const int64_t cut = task % cuts, which = task / cuts % 3, d = task / cuts / 3;
    PackJob part = jobs[which];
    const int64_t panels = engine.panels(part.columns);
    part.panel_begin = part_begin(panels, cuts, cut);
    part.panel_end = part_begin(panels, cuts, cut + 1);
    if (part.panel_begin == part.panel_end) return;
    part.b += d * (which == 0 ? w : r).strides[0];
    part.panels += d * (which == 0 ? n.input : n.state());
    engine.pack(part);
  });
}

}  // namespace anydim
