// SPDX-License-Identifier: Apache-2.0
// The integer engine by itself: rows gathered one by one and by lines, packed columns, sums and depthwise sums, held against loops over
// the numbers. In both forms of rows, pairs of 16 bits and four bytes, in plain C++: so bytes are tested on CPUs without VNNI, too.
// Engines for instructions that this CPU lacks run on emulated ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/testing/random.h"
#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/kernels/sets.h"
#include "core/kernels/testing/plain_engines.h"

namespace anydim {
namespace {

using testing::Random;

int32_t number(const std::byte* p, DType t) { return t == DType::i8 ? static_cast<int8_t>(*p) : static_cast<uint8_t>(*p); }
std::vector<std::byte> drawn(Random& r, int64_t n) {
  std::vector<std::byte> v(static_cast<size_t>(n));
  for (std::byte& b : v) b = static_cast<std::byte>(r.integer(0, 255));
  return v;
}

// A convolution of one line of output positions.
struct Line {
  IntGather g;
  DType w_dtype = DType::i8;
  int64_t columns = 0, rows = 0, stride = 1;
  IntRow first{};
  std::vector<std::byte> a, w;  // a: the planes (planar) or channels last; w: column, channel, taps
  std::vector<int32_t> zero;    // per column, packed; or empty
  int64_t taps() const { return g.kernel[0] * g.kernel[1] * g.kernel[2]; }
};
Line draw(Random& r, const IntEngine& e) {
  Line c;
  IntGather& g = c.g;
  g.dtype = r.flag() ? DType::i8 : DType::u8;
  c.w_dtype = r.flag() ? DType::i8 : DType::u8;
  g.planar = r.flag();
  g.channels = r.integer(1, g.planar ? 4 : 40);
  const int64_t most[3] = {2, 3, 9};
  const bool point = !g.planar && r.flag();
  for (int i = 0; i < 3; ++i) {
    g.kernel[i] = point ? 1 : r.integer(1, most[i]);
    g.dilation[i] = r.chance(0.8) ? 1 : 2;
    g.in[i] = r.integer(1, i == 2 ? 70 : 4);
  }
  g.step[2] = g.planar ? 1 : g.channels;
  g.step[1] = g.step[2] * g.in[2];
  g.step[0] = g.step[1] * g.in[1];
  g.channel_step = g.planar ? g.step[0] * g.in[0] : 1;
  g.line = g.planar ? (g.kernel[2] < 3 ? g.kernel[2] : e.steps(g.kernel[2]) * e.per_step) : 1;
  g.outside = static_cast<int32_t>(g.dtype == DType::i8 ? r.integer(-128, 127) + e.a_shift : r.integer(0, 255));
  const int64_t k = g.channels * g.kernel[0] * g.kernel[1] * (g.planar ? g.line : g.kernel[2]);
  g.steps = e.steps(k);
  g.sums = r.chance(0.3);
  c.columns = r.integer(1, 70);
  c.rows = r.integer(1, 40);
  c.stride = r.integer(1, 3);
  c.a = drawn(r, g.channels * g.in[0] * g.in[1] * g.in[2]);
  c.w = drawn(r, c.columns * g.channels * c.taps());
  if (e.per_step == 2 && r.flag())
    for (int64_t n = 0; n < c.columns; ++n) c.zero.push_back(static_cast<int32_t>(r.integer(0, 255)));
  c.first.base = c.a.data();
  for (int i = 0; i < 3; ++i) c.first.at[i] = r.integer(-3, g.in[i]);
  if (r.flag())
    for (int64_t& at : c.first.at) at = 0;
  return c;
}

// The sum of one row and column; column -1: the row's numbers alone.
int32_t wanted(const Line& c, const IntEngine& e, int64_t row, int64_t column) {
  const IntGather& g = c.g;
  uint32_t sum = 0;
  for (int64_t ch = 0; ch < g.channels; ++ch)
    for (int64_t t = 0; t < c.taps(); ++t) {
      const int64_t tap[3] = {t / (g.kernel[1] * g.kernel[2]), t / g.kernel[2] % g.kernel[1], t % g.kernel[2]};
      int64_t at = ch * g.channel_step;
      bool in = true;
      for (int i = 0; i < 3; ++i) {
        const int64_t p = c.first.at[i] + (i == 2 ? row * c.stride : 0) + tap[i] * g.dilation[i];
        in = in && p >= 0 && p < g.in[i];
        at += p * g.step[i];
      }
      const int32_t a = in ? number(&c.a[static_cast<size_t>(at)], g.dtype) + (g.dtype == DType::i8 ? e.a_shift : 0) : g.outside;
      int32_t w = 1;
      if (column >= 0)
        w = number(&c.w[static_cast<size_t>((column * g.channels + ch) * c.taps() + t)], c.w_dtype) -
            (c.w_dtype == DType::u8 ? e.w_shift : 0) - (c.zero.empty() ? 0 : c.zero[static_cast<size_t>(column)]);
      sum += static_cast<uint32_t>(a * w);
    }
  return static_cast<int32_t>(sum);
}

struct Engine {
  const char* name;
  Isa isa;
  const IntEngine* engine;
  PackIntDepthwise::Function* pack_depthwise;  // null: it knows no taps
};

class IntTiles : public ::testing::TestWithParam<Engine> {
 protected:
  // Of `most`: each instruction that is emulated takes microseconds.
  static int cases(int most) { return cpu().hardware.includes(GetParam().isa) ? most : most / 10; }
};

TEST_P(IntTiles, RowsByLinesAndOneByOneGiveTheExactSums) {
  const IntEngine& e = *GetParam().engine;
  Random r(1);
  int by_lines = 0;
  for (int i = 0; i < cases(400) && !HasFailure(); ++i) {
    const Line c = draw(r, e);
    const IntGather& g = c.g;
    const int64_t panels = IntEngine::panels(c.columns), panel_bytes = g.steps * kIntColumns * kIntStepBytes;
    std::vector<std::byte> packed(static_cast<size_t>(panels * panel_bytes));
    std::vector<int32_t> sums(static_cast<size_t>(IntEngine::padded(c.columns)));
    IntPack pack;
    pack.dtype = c.w_dtype;
    pack.w = c.w.data();
    pack.k = g.channels * c.taps();
    pack.columns = c.columns;
    pack.column_step = pack.k;
    pack.inner = g.planar ? c.taps() : g.channels;
    pack.outer_step = g.planar ? c.taps() : 1;
    pack.inner_step = g.planar ? 1 : c.taps();
    pack.zero = c.zero.empty() ? nullptr : c.zero.data();
    if (g.planar) pack.line = g.kernel[2], pack.padded_line = g.line;
    pack.panel_end = panels;
    pack.panels = packed.data();
    pack.sums = sums.data();
    e.pack(pack);

    const int64_t row_bytes = g.steps * kIntStepBytes;
    std::vector<std::byte> gathered(static_cast<size_t>(c.rows * row_bytes), std::byte{0x5a});
    std::vector<int32_t> row_sums(static_cast<size_t>(c.rows));
    const bool lines = r.flag() && e.gather_lines(g, c.first, c.rows, c.stride, gathered.data());
    by_lines += lines;
    for (int64_t row = 0; !lines && row < c.rows; ++row) {
      IntRow at = c.first;
      at.at[2] += row * c.stride;
      e.gather(g, at, gathered.data() + row * row_bytes);
    }
    std::vector<const std::byte*> a;
    std::vector<std::byte*> d;
    std::vector<int32_t> y(static_cast<size_t>(c.rows * c.columns)), offset(static_cast<size_t>(IntEngine::padded(c.columns)));
    for (int64_t row = 0; row < c.rows; ++row) {
      a.push_back(gathered.data() + row * row_bytes);
      d.push_back(reinterpret_cast<std::byte*>(y.data() + row * c.columns));
    }
    if (g.sums) {
      e.sum_rows(a.data(), static_cast<int32_t>(c.rows), g.steps, row_sums.data());
      for (int64_t row = 0; row < c.rows; ++row)
        ASSERT_EQ(row_sums[static_cast<size_t>(row)], wanted(c, e, row, -1)) << "case " << i << " row " << row << " lines " << lines;
    }
    const EpilogueProgram none;
    IntBlock block;
    block.rows = static_cast<int32_t>(c.rows);
    block.from = IntSource::of_rows(a.data());
    block.steps = g.steps;
    block.panels = packed.data();
    block.columns = c.columns;
    block.panel_end = panels;
    block.column.offset = offset.data();
    block.exact = true;
    block.program = &none;
    block.result = DType::i32;
    block.dst = d.data();
    e.run(block);
    for (int64_t row = 0; row < c.rows; ++row)
      for (int64_t n = 0; n < c.columns; ++n)
        ASSERT_EQ(y[static_cast<size_t>(row * c.columns + n)], wanted(c, e, row, n))
            << "case " << i << " row " << row << " column " << n << " planar " << g.planar << " lines " << lines << " kernel "
            << g.kernel[2];
  }
  if (cases(400) == 400) {
    EXPECT_GT(by_lines, 40);
  }
}

// Rows in pieces or whole, at even distances or not, of any count that a block has: tiles have tails of rows, of steps and of columns.
// Sums wrap at the ends of 32 bits.
TEST_P(IntTiles, BlocksOfAnySizeGiveTheExactSums) {
  const IntEngine& e = *GetParam().engine;
  Random r(3);
  for (int i = 0; i < cases(100) && !HasFailure(); ++i) {
    const bool wraps = i == 0, even = r.flag();
    const int64_t rows = wraps ? (e.even_rows ? 10 : 1) : r.integer(1, r.flag() ? kIntBlockRows : 20),
                  columns = wraps ? 3 : r.integer(1, r.flag() ? 170 : 20);
    const int64_t segments = even ? 1 : r.integer(1, 3), each = wraps ? 17000 : r.integer(1, r.flag() ? 70 : 9);
    const int64_t steps = segments * each, k = steps * e.per_step, panels = IntEngine::panels(columns);
    const int64_t piece = each * kIntStepBytes, room = piece + r.integer(0, 3) * 38;
    std::vector<std::byte> a = drawn(r, segments * rows * room), w = drawn(r, columns * k);
    if (wraps) {
      std::fill(a.begin(), a.end(), std::byte{0x7f});
      std::fill(w.begin(), w.end(), std::byte{0x80});
    }
    std::vector<std::byte> packed(static_cast<size_t>(panels * steps * kIntColumns * kIntStepBytes));
    std::vector<int32_t> sums(static_cast<size_t>(IntEngine::padded(columns))), offset(sums.size());
    for (int32_t& o : offset) o = static_cast<int32_t>(r.flag() ? r.integer(INT32_MIN, INT32_MAX) : r.integer(-9, 9));
    IntPack pack;
    pack.w = w.data();
    pack.k = k;
    pack.columns = columns;
    pack.column_step = k;
    pack.inner = k;
    pack.inner_step = 1;
    pack.panel_end = panels;
    pack.panels = packed.data();
    pack.sums = sums.data();
    e.pack(pack);
    // Even rows stand in order, or the other way round; others anywhere.
    std::vector<const std::byte*> list;
    const bool down = r.flag();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t s = 0; s < segments; ++s)
        list.push_back(a.data() + (even ? down ? rows - 1 - row : row : r.integer(0, segments * rows - 1)) * room);
    std::vector<int32_t> y(static_cast<size_t>(rows * columns), 77);
    std::vector<std::byte*> d;
    for (int64_t row = 0; row < rows; ++row) d.push_back(reinterpret_cast<std::byte*>(y.data() + row * columns));
    const EpilogueProgram none;
    IntBlock block;
    block.rows = static_cast<int32_t>(rows);
    block.from = IntSource::of_rows(list.data());
    block.segments = segments;
    block.steps = steps;
    block.panels = packed.data();
    block.columns = columns;
    block.panel_begin = r.integer(0, panels - 1);
    block.panel_end = r.integer(block.panel_begin + 1, panels);
    block.column.offset = offset.data();
    block.exact = true;
    block.program = &none;
    block.result = DType::i32;
    block.dst = d.data();
    e.run(block);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t n = 0; n < columns; ++n) {
        auto want = static_cast<uint32_t>(offset[static_cast<size_t>(n)]);
        for (int64_t at = 0; at < k; ++at) {
          const std::byte* const p = list[static_cast<size_t>(row * segments + at / (k / segments))];
          const int64_t in_piece = at % (k / segments);
          const int32_t x = e.per_step == 4 ? static_cast<uint8_t>(p[in_piece]) : reinterpret_cast<const int16_t*>(p)[in_piece];
          want += static_cast<uint32_t>(x * number(&w[static_cast<size_t>(n * k + at)], DType::i8));
        }
        if (n / kIntColumns < block.panel_begin || n / kIntColumns >= block.panel_end) want = 77;
        ASSERT_EQ(y[static_cast<size_t>(row * columns + n)], static_cast<int32_t>(want))
            << "case " << i << ": " << rows << " rows of " << segments << " times " << each << " steps, row " << row << " column " << n;
      }
  }
}

TEST_P(IntTiles, DepthwiseSumsAreExact) {
  const IntEngine& e = *GetParam().engine;
  if (GetParam().pack_depthwise == nullptr) GTEST_SKIP() << "this engine knows no taps";
  Random r(2);
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const int64_t taps = r.integer(1, 26), channels = r.integer(1, 75), steps = e.steps(taps), listed = steps * e.per_step;
    const int64_t panels = IntEngine::panels(channels);
    const DType ta = r.flag() ? DType::i8 : DType::u8, tw = e.per_step == 4 ? DType::i8 : r.flag() ? DType::i8 : DType::u8;
    const std::vector<std::byte> a = drawn(r, listed * IntEngine::padded(channels)), w = drawn(r, taps * channels);
    std::vector<std::byte> packed(static_cast<size_t>(panels * steps * kIntColumns * kIntStepBytes));
    std::vector<int32_t> sums(static_cast<size_t>(IntEngine::padded(channels))), offset(sums.size()), y(static_cast<size_t>(channels));
    GetParam().pack_depthwise({tw, w.data(), taps, channels, nullptr, packed.data(), sums.data()});
    std::vector<const std::byte*> list;
    for (int64_t t = 0; t < listed; ++t) list.push_back(a.data() + t * IntEngine::padded(channels));
    std::byte* d[1] = {reinterpret_cast<std::byte*>(y.data())};
    const EpilogueProgram none;
    IntBlock block;
    block.rows = 1;
    block.steps = steps;
    block.from = IntSource::of_taps(list.data(), ta);
    block.panels = packed.data();
    block.columns = channels;
    block.panel_end = panels;
    block.column.offset = offset.data();
    block.exact = true;
    block.program = &none;
    block.result = DType::i32;
    block.dst = d;
    e.run(block);
    for (int64_t n = 0; n < channels; ++n) {
      int32_t want = 0;
      for (int64_t t = 0; t < taps; ++t)
        want += (number(list[static_cast<size_t>(t)] + n, ta) + (ta == DType::i8 ? e.a_shift : 0)) *
                number(&w[static_cast<size_t>(n * taps + t)], tw);
      ASSERT_EQ(y[static_cast<size_t>(n)], want) << "case " << i << " channel " << n;
    }
  }
}

std::vector<Engine> engines() {
  const testing::PlainEngine &pairs = testing::plain_pairs, &bytes = testing::plain_bytes;
  std::vector<Engine> list{{"pairs_in_plain", Isa::portable, &pairs.engine, pairs.pack_depthwise},
                           {"bytes_in_plain", Isa::portable, &bytes.engine, bytes.pack_depthwise}};
  Isa usable = cpu().usable;
  if constexpr (is_built_for(Processor::x86)) usable = usable | testing::emulate_instructions();
  for (const auto& engine : parts_of_sets<IntEngine>()) {
    PackIntDepthwise::Function* pack = nullptr;
    for (const auto& packs : parts_of_sets<PackIntDepthwise>())
      if (packs.isa == engine.isa) pack = packs.part;
    if (usable.includes(engine.isa)) list.push_back({engine.name, engine.isa, engine.part, pack});
  }
  return list;
}
INSTANTIATE_TEST_SUITE_P(Engines, IntTiles, ::testing::ValuesIn(engines()), [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace anydim
