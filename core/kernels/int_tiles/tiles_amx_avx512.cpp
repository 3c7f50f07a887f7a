// SPDX-License-Identifier: Apache-2.0
// Sums of the integer engine with AMX: an instruction multiplies 16 rows of 64 bytes by 64 bytes of 16 columns. Four bytes of each of 16
// columns side by side are what half of a step of a panel is, so panels are those of VNNI, whose engine does what follows the sums, and
// rows that are few or short. AMX sums wrap, too.
//
// Two tiles of rows times the two of a panel: each load serves two products, which the loads keep up with when panels lie in the second
// cache. Up to 16 rows are multiplied by two panels at once, since a product's sum is ready after the time of three further ones.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/int_tiles/made_sums.inl.h"

namespace anydim::avx512 {
namespace {

constexpr int32_t kTileRows = 16, kPairRows = 2 * kTileRows;  // of a tile, and of two
constexpr int64_t kTileBytes = 64, kPanelStep = kIntColumns * kIntStepBytes;
constexpr int32_t kFewRows = 8;   // for VNNI
constexpr int64_t kFewSteps = 8;  // likewise: half of a tile
constexpr int64_t kTileSteps = kTileBytes / kIntStepBytes;

// The compiler does not know what tiles read and write.
inline void memory_is_read(const void* p = nullptr) { asm volatile("" ::"r"(p) : "memory"); }

// What LDTILECFG reads. Tiles 0 to 3 are sums, 4 and 5 rows, 6 and 7 the columns of a panel.
struct alignas(64) Shapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};
  void set(int tile, int32_t count) { bytes[tile] = kTileBytes, rows[tile] = static_cast<uint8_t>(count); }
};
// Tiles 0, 1 and 4 have `first` rows, 2, 3 and 5 `second`. It makes all tiles 0.
void configure(int32_t first, int32_t second) {
  Shapes shapes;
  for (const int tile : {0, 1, 4}) shapes.set(tile, first);
  for (const int tile : {2, 3, 5}) shapes.set(tile, second);
  for (const int tile : {6, 7}) shapes.set(tile, kTileRows);
  memory_is_read(&shapes);
  _tile_loadconfig(&shapes);
}

// Rows at even distances. What is left of them after whole tiles lies, filled up with zeros, in `rest`.
struct Rows {
  const std::byte* at;
  int64_t apart;
  const std::byte* rest;
};
struct Panel {
  const std::byte* at;
  const std::byte* rest;  // the last steps, filled up to a tile
};

// A load is followed by the products that it makes possible.
inline void pair_of_rows(const std::byte* a, int64_t apart, const std::byte* w) {
  _tile_loadd(6, w, kPanelStep);
  _tile_loadd(4, a, apart);
  _tile_dpbusd(0, 4, 6);
  _tile_loadd(7, w + kTileBytes, kPanelStep);
  _tile_dpbusd(1, 4, 7);
  _tile_loadd(5, a + kTileRows * apart, apart);
  _tile_dpbusd(2, 5, 6);
  _tile_dpbusd(3, 5, 7);
}
void sums_of_pair(const Rows& rows, const Panel& panel, int64_t whole, int32_t* to) {
  memory_is_read();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::byte *a = rows.at, *w = panel.at;
  for (int64_t i = 0; i < whole; ++i, a += kTileBytes, w += kTileSteps * kPanelStep) pair_of_rows(a, rows.apart, w);
  if (panel.rest != nullptr) pair_of_rows(rows.rest, kTileBytes, panel.rest);
  constexpr int64_t kRow = kIntColumns * sizeof(int32_t);
  _tile_stored(0, to, kRow);
  _tile_stored(1, to + 16, kRow);
  _tile_stored(2, to + kTileRows * kIntColumns, kRow);
  _tile_stored(3, to + kTileRows * kIntColumns + 16, kRow);
  memory_is_read();
}

// The same of up to 16 rows and two panels.
inline void pair_of_panels(const std::byte* a, int64_t apart, const std::byte* w, const std::byte* other) {
  _tile_loadd(4, a, apart);
  _tile_loadd(6, w, kPanelStep);
  _tile_dpbusd(0, 4, 6);
  _tile_loadd(7, w + kTileBytes, kPanelStep);
  _tile_dpbusd(1, 4, 7);
  _tile_loadd(6, other, kPanelStep);
  _tile_dpbusd(2, 4, 6);
  _tile_loadd(7, other + kTileBytes, kPanelStep);
  _tile_dpbusd(3, 4, 7);
}
void sums_of_panels(const Rows& rows, const Panel (&panels)[2], int64_t whole, int32_t* to) {
  memory_is_read();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::byte *a = rows.at, *w = panels[0].at, *other = panels[1].at;
  for (int64_t i = 0; i < whole; ++i, a += kTileBytes, w += kTileSteps * kPanelStep, other += kTileSteps * kPanelStep)
    pair_of_panels(a, rows.apart, w, other);
  if (panels[0].rest != nullptr) pair_of_panels(rows.rest, kTileBytes, panels[0].rest, panels[1].rest);
  constexpr int64_t kRow = kIntColumns * sizeof(int32_t);
  _tile_stored(0, to, kRow);
  _tile_stored(1, to + 16, kRow);
  _tile_stored(2, to + kTileRows * kIntColumns, kRow);
  _tile_stored(3, to + kTileRows * kIntColumns + 16, kRow);
  memory_is_read();
}

bool lie_evenly(const IntBlock& b) {
  if (b.segments != 1) return false;
  const int64_t apart = b.from.rows[1] - b.from.rows[0];
  for (int32_t r = 2; r < b.rows; ++r)
    if (b.from.rows[r] - b.from.rows[r - 1] != apart) return false;
  return true;
}

inline void run_with_amx(const IntBlock& b) {
  const auto next = IntEngine::avx512_vnni.run;
  if (b.from.kind != IntSource::Kind::rows || b.rows <= kFewRows || b.rows > kIntBlockRows || b.steps < kFewSteps || !lie_evenly(b))
    return next(b);
  alignas(64) int32_t sums[kIntBlockRows * kIntColumns];
  alignas(64) std::byte rows_rest[kIntBlockRows * kTileBytes], panels_rest[2][kTileSteps * kPanelStep];
  const int64_t whole = b.steps / kTileSteps, rest = b.steps % kTileSteps, panel_bytes = b.steps * kPanelStep;
  if (rest != 0) {
    __builtin_memset(panels_rest, 0, sizeof panels_rest);
    for (int32_t r = 0; r < b.rows; ++r) {
      const __mmask16 there = static_cast<__mmask16>((1u << rest) - 1);
      _mm512_store_si512(rows_rest + r * kTileBytes, _mm512_maskz_loadu_epi32(there, b.from.rows[r] + whole * kTileBytes));
    }
  }
  const auto panel_at = [&](int64_t panel, std::byte* filled) -> Panel {
    const std::byte* const at = b.panels + panel * panel_bytes;
    if (rest == 0) return {at, nullptr};
    const std::byte* const from = at + whole * kTileSteps * kPanelStep;
    for (int64_t s = 0; s < 2 * rest; ++s) _mm512_store_si512(filled + s * 64, _mm512_loadu_si512(from + s * 64));
    return {at, filled};
  };
  const auto rows_at = [&](int32_t r) -> Rows { return {b.from.rows[r], b.from.rows[1] - b.from.rows[0], rows_rest + r * kTileBytes}; };
  if (b.rows <= kTileRows) {
    configure(b.rows, b.rows);
    for (int64_t panel = b.panel_begin; panel < b.panel_end; panel += 2) {
      const bool two = panel + 1 < b.panel_end;  // else one is multiplied twice
      Panel panels[2] = {panel_at(panel, panels_rest[0]), {}};
      panels[1] = two ? panel_at(panel + 1, panels_rest[1]) : panels[0];
      sums_of_panels(rows_at(0), panels, whole, sums);
      finish_sums(b, next, panel, 0, b.rows, sums);
      if (two) finish_sums(b, next, panel + 1, 0, b.rows, sums + kTileRows * kIntColumns);
    }
  } else {
    // Parts of as many rows each, so that shapes are set once; the last one makes up to two rows again.
    const int32_t parts = (b.rows + kPairRows - 1) / kPairRows, of_part = (b.rows + parts - 1) / parts;
    configure(kTileRows, of_part - kTileRows);
    for (int64_t panel = b.panel_begin; panel < b.panel_end; ++panel) {
      const Panel from = panel_at(panel, panels_rest[0]);
      for (int32_t part = 0; part < parts; ++part) {
        const int32_t at = part + 1 < parts ? part * of_part : b.rows - of_part;
        sums_of_pair(rows_at(at), from, whole, sums + at * kIntColumns);
      }
      finish_sums(b, next, panel, 0, b.rows, sums);
    }
  }
  _tile_release();
}

}  // namespace
}  // namespace anydim::avx512

void anydim::IntRunOfAmx::amx(const IntBlock& b) noexcept { avx512::run_with_amx(b); }
