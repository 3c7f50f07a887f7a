// SPDX-License-Identifier: Apache-2.0
// See reduced_probe.h.
#include "core/kernels/tiles/reduced_probe.h"

#include <cmath>
#include <cstring>

#include "core/base/cpu.h"
#include "core/base/memory/aligned_buffer.h"
#include "core/kernels/sums.h"

namespace anydim {

namespace {

constexpr int64_t kRows = 17, kColumns = 33, kDepth = 70;

// Numbers of a few sizes, signs and last bits; every fourth row and column has such that sums are flushed.
float probed(int64_t i, int64_t row) noexcept {
  const auto h = static_cast<uint32_t>(i * INT64_C(2654435761) >> 7);
  const float value = static_cast<float>(static_cast<int>(h % 511) - 255) / 128.f;
  return std::ldexp(value, row % 4 == 3 ? -64 + static_cast<int>(h >> 10 & 3) : static_cast<int>(h >> 10 & 7) - 4);
}

bool probe(const TileEngine& engine) noexcept {
  float a[kRows * kDepth], b[kDepth * kColumns], y[kRows * kColumns];
  for (int64_t i = 0; i < kRows * kDepth; ++i) a[i] = probed(i, i / kDepth);
  for (int64_t i = 0; i < kDepth * kColumns; ++i) b[i] = probed(i + 12345, i % kColumns);
  const int64_t panel_bytes = engine.panel_floats(kColumns, kDepth) * 4;
  auto memory = AlignedBuffer::allocate(panel_bytes + engine.scratch(kDepth));
  if (!memory.ok()) return false;
  PackJob pack;
  pack.b = b;
  pack.row_stride = kColumns;
  pack.column_stride = 1;
  pack.rows = pack.k = kDepth;
  pack.columns = kColumns;
  pack.panel_end = engine.panels(kColumns);
  pack.panels = reinterpret_cast<float*>(memory->data());
  pack.fresh = true;
  engine.pack(pack);
  const KSegment segment{0, 0, static_cast<int32_t>(kDepth), 1};
  const EpilogueProgram program;
  TileJob job;
  job.count[3] = job.row_end = kRows;
  job.src = a;
  job.src_step[3] = kDepth;
  job.dst = y;
  job.dst_step[3] = kColumns;
  job.segments = &segment;
  job.segment_count = 1;
  job.panels = pack.panels;
  job.k = kDepth;
  job.columns = kColumns;
  job.panel_end = pack.panel_end;
  job.program = &program;
  job.scratch = memory->data() + panel_bytes;
  engine.run(job);
  for (int64_t m = 0; m < kRows; ++m)
    for (int64_t n = 0; n < kColumns; ++n) {
      const auto weight = [&](int64_t k) { return b[k * kColumns + n]; };
      ReducedSum sum(kDepth, weight);
      for (int64_t k = 0; k < kDepth; ++k) sum.add(k, a[m * kDepth + k], weight(k));
      const float want = sum.total();
      if (std::memcmp(&want, y + m * kColumns + n, sizeof want) != 0) return false;
    }
  return true;
}

}  // namespace

bool has_reduced_bits(const TileEngine& engine) noexcept {
  if (!engine.neighbours || !cpu().usable.includes(Isa::amx)) return true;
  static const bool has = probe(engine);
  return has;
}

}  // namespace anydim
