// SPDX-License-Identifier: Apache-2.0
// The emulator of core/kernels/testing/emulated_instructions.h: what the engines' tests rest on, held against plain loops, and VPDPBUSD
// against its form with EVEX where the CPU has that. On a CPU that has an instruction this tests the CPU.
#include "core/kernels/testing/emulated_instructions.h"

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/testing/random.h"
#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/tiles/bf16.h"

namespace anydim {
namespace {

using testing::Random;

struct Vectors {
  alignas(64) uint8_t acc[64], a[64], w[64], y[64];
};
Vectors drawn_vectors(Random& r) {
  Vectors v;
  for (int i = 0; i < 64; ++i) {
    v.acc[i] = static_cast<uint8_t>(r.integer(0, 255));
    // Ends, often: products of them are the largest.
    v.a[i] = static_cast<uint8_t>(r.flag() ? r.integer(0, 255) : 255);
    v.w[i] = static_cast<uint8_t>(r.flag() ? r.integer(0, 255) : r.flag() ? 127 : 128);
    v.y[i] = 0x5a;
  }
  for (int i = 3; i < 64; i += 4)
    if (r.flag()) v.acc[i] = r.flag() ? 0x7f : 0x80;
  return v;
}
// What 64 bytes of a zmm register are after the instruction.
void wanted_vectors(const Vectors& v, int bytes, bool words, bool saturates, uint8_t (&y)[64]) {
  std::memset(y, 0, sizeof y);
  for (int i = 0; i < bytes; i += 4) {
    int32_t acc = 0;
    std::memcpy(&acc, v.acc + i, 4);
    int64_t sum = acc;
    for (int j = 0; j < 4; j += words ? 2 : 1) {
      if (words)
        sum += int64_t{static_cast<int16_t>(v.a[i + j] | v.a[i + j + 1] << 8)} * static_cast<int16_t>(v.w[i + j] | v.w[i + j + 1] << 8);
      else sum += v.a[i + j] * static_cast<int8_t>(v.w[i + j]);
    }
    if (saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    const auto low = static_cast<uint32_t>(static_cast<uint64_t>(sum));
    std::memcpy(y + i, &low, 4);
  }
}

// Each form loads registers, executes and stores the ymm register that it wrote; `zmm` the whole, on CPUs that have it.
#define ANYDIM_FORM(name, move, sum, left, right, instruction)                                                                       \
  void name(Vectors* v) {                                                                                                            \
    asm volatile(move " %0, %%" sum "\n" move " %1, %%" left "\n" move " %2, %%" right "\n" instruction "\n" move " %%" sum ", %3\n" \
                 : "+m"(v->acc), "+m"(v->a), "+m"(v->w), "=m"(v->y)                                                                  \
                 : "r"(v->w), "r"(int64_t{-16}), "r"(v->w - 0x300)                                                                   \
                 : "xmm0", "xmm1", "xmm2", "xmm7", "xmm8", "xmm9", "xmm13", "xmm14", "xmm15", "memory");                             \
  }
#define ANYDIM_YMM(name, sum, left, right, instruction) ANYDIM_FORM(name, "vmovdqu", sum, left, right, instruction)
ANYDIM_YMM(low_registers, "ymm0", "ymm1", "ymm2", "%{vex%} vpdpbusd %%ymm2, %%ymm1, %%ymm0")
ANYDIM_YMM(high_registers, "ymm13", "ymm9", "ymm15", "%{vex%} vpdpbusd %%ymm15, %%ymm9, %%ymm13")
ANYDIM_YMM(mixed_registers, "ymm7", "ymm8", "ymm14", "%{vex%} vpdpbusd %%ymm14, %%ymm8, %%ymm7")
ANYDIM_YMM(from_memory, "ymm13", "ymm1", "ymm2", "%{vex%} vpdpbusd (%4), %%ymm1, %%ymm13")
ANYDIM_YMM(from_short_distance, "ymm13", "ymm1", "ymm2", "%{vex%} vpdpbusd 64(%4,%5,4), %%ymm1, %%ymm13")
ANYDIM_YMM(from_far, "ymm0", "ymm9", "ymm2", "%{vex%} vpdpbusd 0x300(%6), %%ymm9, %%ymm0")
ANYDIM_YMM(from_far_indexed, "ymm0", "ymm9", "ymm2", "%{vex%} vpdpbusd 0x310(%6,%5), %%ymm9, %%ymm0")
ANYDIM_YMM(saturating, "ymm8", "ymm1", "ymm14", "%{vex%} vpdpbusds %%ymm14, %%ymm1, %%ymm8")
ANYDIM_YMM(of_words, "ymm8", "ymm1", "ymm14", "%{vex%} vpdpwssd %%ymm14, %%ymm1, %%ymm8")
ANYDIM_YMM(of_words_saturating, "ymm8", "ymm1", "ymm14", "%{vex%} vpdpwssds %%ymm14, %%ymm1, %%ymm8")
ANYDIM_YMM(half_a_register, "ymm9", "ymm1", "ymm14", "%{vex%} vpdpbusd %%xmm14, %%xmm1, %%xmm9")
ANYDIM_YMM(with_evex, "ymm0", "ymm1", "ymm2", "%{evex%} vpdpbusd %%ymm2, %%ymm1, %%ymm0")
ANYDIM_FORM(above_ymm, "vmovdqu64", "zmm9", "zmm1", "zmm14", "%{vex%} vpdpbusd %%ymm14, %%ymm1, %%ymm9")
#undef ANYDIM_YMM
#undef ANYDIM_FORM

TEST(EmulatedInstructions, ProductsOfVectorsAreThoseOfPlainLoops) {
  const Isa there = cpu().hardware | testing::emulate_instructions();
  if (!there.includes(Isa::avx2_vnni)) GTEST_SKIP() << "this CPU has no AVX2";
  struct Form {
    const char* name;
    void (*execute)(Vectors*);
    int bytes, stored;
    bool words, saturates;
    Isa needs;
  };
  const Form forms[] = {{"low registers", low_registers, 32, 32, false, false, Isa::avx2},
                        {"high registers", high_registers, 32, 32, false, false, Isa::avx2},
                        {"mixed registers", mixed_registers, 32, 32, false, false, Isa::avx2},
                        {"from memory", from_memory, 32, 32, false, false, Isa::avx2},
                        {"from a short distance", from_short_distance, 32, 32, false, false, Isa::avx2},
                        {"from far", from_far, 32, 32, false, false, Isa::avx2},
                        {"from far, indexed", from_far_indexed, 32, 32, false, false, Isa::avx2},
                        {"saturating", saturating, 32, 32, false, true, Isa::avx2},
                        {"words", of_words, 32, 32, true, false, Isa::avx2},
                        {"words, saturating", of_words_saturating, 32, 32, true, true, Isa::avx2},
                        {"half a register", half_a_register, 16, 32, false, false, Isa::avx2},
                        {"EVEX", with_evex, 32, 32, false, false, Isa::avx512_vnni},
                        {"above ymm", above_ymm, 32, 64, false, false, Isa::avx512}};
  Random r(5);
  for (const Form& form : forms) {
    if (!cpu().hardware.includes(form.needs)) continue;
    for (int i = 0; i < 50; ++i) {
      Vectors v = drawn_vectors(r);
      uint8_t want[64];
      wanted_vectors(v, form.bytes, form.words, form.saturates, want);
      form.execute(&v);
      ASSERT_EQ(std::memcmp(v.y, want, static_cast<size_t>(form.stored)), 0) << form.name;
    }
  }
}

struct alignas(64) Shapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};
};

// m rows of k times n columns: tile 1 is the left side, 2 the right side, 0 the sums.
struct Product {
  int m, k, n;
  std::vector<uint8_t> a, w;
  std::vector<int32_t> y;
  int64_t a_apart, w_apart, y_apart;  // bytes; more than the rows have
};
template <int kKind> void tiles_execute(const Product& p, const Shapes& shapes, int32_t* to) {
  asm volatile("ldtilecfg %0" ::"m"(shapes));
  asm volatile("tileloadd (%0,%1,1), %%tmm0" ::"r"(to), "r"(p.y_apart) : "memory");
  asm volatile("tileloadd (%0,%1,1), %%tmm1" ::"r"(p.a.data()), "r"(p.a_apart) : "memory");
  asm volatile("tileloaddt1 8(%0,%1,2), %%tmm2" ::"r"(p.w.data() - 8), "r"(p.w_apart / 2) : "memory");
  if constexpr (kKind == 0) asm volatile("tdpbuud %tmm2, %tmm1, %tmm0");
  if constexpr (kKind == 1) asm volatile("tdpbusd %tmm2, %tmm1, %tmm0");
  if constexpr (kKind == 2) asm volatile("tdpbsud %tmm2, %tmm1, %tmm0");
  if constexpr (kKind == 3) asm volatile("tdpbssd %tmm2, %tmm1, %tmm0");
  asm volatile("tilestored %%tmm0, (%0,%1,1)" ::"r"(to), "r"(p.y_apart) : "memory");
  asm volatile("tilerelease");
}

TEST(EmulatedInstructions, ProductsOfTilesAreThoseOfPlainLoops) {
  if (!(cpu().hardware | testing::emulate_instructions()).includes(Isa::amx)) GTEST_SKIP() << "AMX is emulated beside AVX-512 VNNI";
  Random r(6);
  for (int i = 0; i < 100; ++i) {
    Product p;
    p.m = static_cast<int>(r.integer(1, 16)), p.k = static_cast<int>(4 * r.integer(1, 16)), p.n = static_cast<int>(r.integer(1, 16));
    p.a_apart = p.k + r.integer(0, 9), p.w_apart = 4 * p.n + 2 * r.integer(0, 9), p.y_apart = 4 * p.n + 4 * r.integer(0, 3);
    for (int64_t at = 0; at < p.m * p.a_apart; ++at) p.a.push_back(static_cast<uint8_t>(r.integer(0, 255)));
    for (int64_t at = 0; at < p.k / 4 * p.w_apart; ++at) p.w.push_back(static_cast<uint8_t>(r.integer(0, 255)));
    for (int64_t at = 0; at < p.m * p.y_apart / 4; ++at) p.y.push_back(static_cast<int32_t>(r.integer(INT32_MIN, INT32_MAX)));
    const int kind = static_cast<int>(r.integer(0, 3));
    std::vector<int32_t> want = p.y, y = p.y;
    for (int m = 0; m < p.m; ++m)
      for (int n = 0; n < p.n; ++n) {
        auto& sum = want[static_cast<size_t>(m * p.y_apart / 4 + n)];
        for (int k = 0; k < p.k; ++k) {
          const uint8_t a = p.a[static_cast<size_t>(m * p.a_apart + k)], w = p.w[static_cast<size_t>(k / 4 * p.w_apart + 4 * n + k % 4)];
          const int32_t x = (kind & 2) != 0 ? static_cast<int8_t>(a) : a, z = (kind & 1) != 0 ? static_cast<int8_t>(w) : w;
          sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(x * z));
        }
      }
    Shapes shapes;
    shapes.bytes[0] = static_cast<uint16_t>(4 * p.n), shapes.rows[0] = static_cast<uint8_t>(p.m);
    shapes.bytes[1] = static_cast<uint16_t>(p.k), shapes.rows[1] = static_cast<uint8_t>(p.m);
    shapes.bytes[2] = static_cast<uint16_t>(4 * p.n), shapes.rows[2] = static_cast<uint8_t>(p.k / 4);
    if (kind == 0) tiles_execute<0>(p, shapes, y.data());
    else if (kind == 1) tiles_execute<1>(p, shapes, y.data());
    else if (kind == 2) tiles_execute<2>(p, shapes, y.data());
    else tiles_execute<3>(p, shapes, y.data());
    ASSERT_EQ(y, want) << "case " << i << " kind " << kind << ": " << p.m << " by " << p.k << " by " << p.n;
  }
}

TEST(EmulatedInstructions, ShapesAreReadBackAndTilesBecomeZeros) {
  if (!(cpu().hardware | testing::emulate_instructions()).includes(Isa::amx)) GTEST_SKIP() << "AMX is emulated beside AVX-512 VNNI";
  Shapes shapes, back, none;
  shapes.bytes[6] = 12, shapes.rows[6] = 3;
  none.palette = 0;
  int32_t y[16 * 3];
  for (int32_t& v : y) v = 7;
  const int64_t apart = 64;
  asm volatile("ldtilecfg %0" ::"m"(shapes));
  asm volatile("sttilecfg %0" : "=m"(back));
  EXPECT_EQ(std::memcmp(&shapes, &back, sizeof back), 0);
  asm volatile("tileloadd (%0,%1,1), %%tmm6\n tilezero %%tmm6\n tilestored %%tmm6, (%0,%1,1)" ::"r"(y), "r"(apart) : "memory");
  for (int i = 0; i < 48; ++i) EXPECT_EQ(y[i], i % 16 < 3 ? 0 : 7) << i;
  asm volatile("tilerelease");
  asm volatile("sttilecfg %0" : "=m"(back));
  EXPECT_EQ(std::memcmp(&none, &back, sizeof back), 0);
}

// An engine leaves no state of tiles behind, which threads would save at each switch; and it uses tiles.
TEST(EmulatedInstructions, TheAmxEngineReleasesItsTiles) {
  if (!(cpu().hardware | testing::emulate_instructions()).includes(Isa::amx)) GTEST_SKIP() << "AMX is emulated beside AVX-512 VNNI";
  constexpr int64_t kSteps = 20, kRows = 40;
  alignas(64) static std::byte panel[kSteps * kIntColumns * kIntStepBytes], a[kRows * kSteps * kIntStepBytes];
  static int32_t offset[kIntColumns], y[kRows * kIntColumns];
  const std::byte* rows[kRows];
  std::byte* dst[kRows];
  for (int64_t i = 0; i < kRows; ++i) rows[i] = a + i * kSteps * kIntStepBytes, dst[i] = reinterpret_cast<std::byte*>(y + i * kIntColumns);
  const EpilogueProgram none;
  IntBlock b;
  b.rows = kRows;
  b.from = IntSource::of_rows(rows);
  b.steps = kSteps;
  b.panels = panel;
  b.columns = kIntColumns;
  b.panel_end = 1;
  b.column.offset = offset;
  b.exact = true;
  b.program = &none;
  b.result = DType::i32;
  b.dst = dst;
  const int64_t before = testing::emulated_instructions();
  IntEngine::amx.run(b);
  if (!cpu().hardware.includes(Isa::amx)) {
    EXPECT_GT(testing::emulated_instructions() - before, 32) << "two parts of 8 loads and products in two steps each";
  }
  Shapes shapes, none_left;
  none_left.palette = 0;
  asm volatile("sttilecfg %0" : "=m"(shapes));
  EXPECT_EQ(std::memcmp(&shapes, &none_left, sizeof shapes), 0);
}

// What a CPU refuses is not done.
TEST(EmulatedInstructionsDeathTest, ShapesThatDoNotFitEndTheProgram) {
  if (!(cpu().hardware | testing::emulate_instructions()).includes(Isa::amx)) GTEST_SKIP() << "AMX is emulated beside AVX-512 VNNI";
  const auto multiplied = [](int k, int right_rows) {
    Shapes shapes;
    shapes.bytes[0] = 64, shapes.rows[0] = 4;
    shapes.bytes[1] = static_cast<uint16_t>(k), shapes.rows[1] = 4;
    shapes.bytes[2] = 64, shapes.rows[2] = static_cast<uint8_t>(right_rows);
    asm volatile("ldtilecfg %0" ::"m"(shapes));
    asm volatile("tdpbusd %tmm2, %tmm1, %tmm0");
    std::_Exit(0);
  };
  const auto by_a_signal = [](int status) { return WIFSIGNALED(status); };
  EXPECT_EXIT(multiplied(64, 16), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(multiplied(64, 15), by_a_signal, "");
  EXPECT_EXIT(asm volatile("tilezero %tmm1"), by_a_signal, "");
}

// Sums of bf16 whose chains, flushing and order count: numbers of very different sizes.
TEST(EmulatedInstructions, ProductsOfTilesOfBf16AreThoseOfPlainLoops) {
  if (!(cpu().hardware | testing::emulate_instructions()).includes(Isa::amx)) GTEST_SKIP() << "AMX is emulated beside AVX-512 VNNI";
  Random r(7);
  for (int i = 0; i < 50; ++i) {
    const int m = static_cast<int>(r.integer(1, 16)), words = static_cast<int>(r.integer(1, 16)), n = static_cast<int>(r.integer(1, 16));
    const bool tiny = r.flag();
    const auto number = [&] {
      return bf16_bits(
          std::ldexp(static_cast<float>(r.integer(-255, 255)) / 128.f, static_cast<int>(tiny ? r.integer(-66, -62) : r.integer(-9, 9))));
    };
    std::vector<uint16_t> a(static_cast<size_t>(m * 2 * words)), w(static_cast<size_t>(words * 2 * n));
    std::vector<float> y(static_cast<size_t>(m * n)), want;
    for (uint16_t& x : a) x = number();
    for (uint16_t& x : w) x = number();
    for (float& x : y) x = as_bf16(static_cast<float>(r.integer(-3, 3)) * (tiny ? 0x1p-126f : 1.f));
    want = y;
    const auto value = [](uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); };
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        float chain[2] = {};
        for (int k = 0; k < 2 * words; ++k)
          chain[k % 2] = flushed_fma(value(a[static_cast<size_t>(row * 2 * words + k)]),
                                     value(w[static_cast<size_t>((k / 2 * n + column) * 2 + k % 2)]), chain[k % 2]);
        float& sum = want[static_cast<size_t>(row * n + column)];
        sum = flushed_sum(sum, flushed_sum(chain[0], chain[1]));
      }
    Shapes shapes;
    const auto set = [&](int tile, int rows, int bytes) {
      shapes.rows[tile] = static_cast<uint8_t>(rows);
      shapes.bytes[tile] = static_cast<uint16_t>(bytes);
    };
    set(0, m, 4 * n);
    set(1, m, 4 * words);
    set(2, words, 4 * n);
    asm volatile("ldtilecfg %0" ::"m"(shapes));
    asm volatile("tileloadd (%0,%1,1), %%tmm0" ::"r"(y.data()), "r"(int64_t{4} * n) : "memory");
    asm volatile("tileloadd (%0,%1,1), %%tmm1" ::"r"(a.data()), "r"(int64_t{4} * words) : "memory");
    asm volatile("tileloadd (%0,%1,1), %%tmm2" ::"r"(w.data()), "r"(int64_t{4} * n) : "memory");
    asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
    asm volatile("tilestored %%tmm0, (%0,%1,1)" ::"r"(y.data()), "r"(int64_t{4} * n) : "memory");
    asm volatile("tilerelease");
    ASSERT_EQ(std::memcmp(y.data(), want.data(), 4 * y.size()), 0);
  }
}

}  // namespace
}  // namespace anydim
