// SPDX-License-Identifier: Apache-2.0
// Pieces of a matrix that is packed; see tile_engine.h.
#include <algorithm>

#include "core/base/checked.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/pack_pieces.h"

namespace anydim {

PackCuts::PackCuts(const TileEngine& engine, const PackJob& whole, int64_t taps)
    : by_rows(whole.row_stride >= whole.column_stride),
      width(2 * engine.vector),
      rows(whole.rows),
      columns(whole.columns),
      panels(engine.panels(whole.columns)) {
  constexpr int64_t kRowsAtOnce = 8;  // that pack() reads columns in
  const int64_t unit = (by_rows ? columns : width * rows) * taps * static_cast<int64_t>(sizeof(float));
  each = std::max(kPieceBytes / std::max<int64_t>(unit, 1), by_rows ? kRowsAtOnce : 1);
  pieces = std::max<int64_t>(1, ceil_div(by_rows ? rows : panels, each));
}

void PackCuts::set(int64_t piece, PackJob* job) const noexcept {
  const int64_t all = by_rows ? rows : panels, begin = std::min(all, piece * each), end = std::min(all, begin + each);
  if (by_rows) {
    job->b += begin * job->row_stride;
    job->first += begin;
    job->rows = end - begin;
  } else {
    job->panel_begin = begin;
    job->panel_end = end;
  }
}

int64_t PackCuts::start(int64_t piece) const noexcept {
  return by_rows ? std::min(rows, piece * each) * columns : std::min(columns, piece * each * width) * rows;
}

}  // namespace anydim
