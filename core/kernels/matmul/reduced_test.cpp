// SPDX-License-Identifier: Apache-2.0
// Math mode reduced: every kernel of matmul equals the loops of docs/numerics.md bit for bit, at sizes around blocks, panels and tiles, with
// denormals, infinities and NaN, and its sums are near those of mode strict.
#include <cmath>

#include "core/kernels/matmul/matmul.h"
#include "core/kernels/testing/golden.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/kernels/testing/harness.h"
#include "core/kernels/tiles/bf16.h"
#include "core/kernels/tiles/reduced_probe.h"
#include "core/ops/operators/matmul.h"

namespace anydim::testing {
namespace {

// For the tests *_emulated: before anything asks for kernels.
const bool emulates = [] {
  if constexpr (is_built_for(Processor::x86)) return emulate_if_asked();
  return false;
}();

struct Drawn {
  OperatorPtr op;
  Run run;
  std::string text;
};

Drawn draw(Random& r, int64_t most_m, int64_t most_n, int64_t most_k) {
  Drawn c;
  Matmul::Attributes at;
  at.transpose_a = r.chance(0.2);
  at.transpose_b = r.chance(0.5);
  if (r.chance(0.2)) at.alpha = 0.5f + r.normal();
  const int64_t m = r.integer(1, most_m), n = r.integer(kLeastReducedColumns, most_n), k = r.integer(kLeastReducedK, most_k);
  Dims a, b;
  if (r.chance(0.3)) a.push_back(r.integer(1, 3));
  if (a.rank > 0 && r.chance(0.5)) b.push_back(r.chance(0.5) ? 1 : a[0]);
  a.push_back(at.transpose_a ? k : m);
  a.push_back(at.transpose_a ? m : k);
  b.push_back(at.transpose_b ? n : k);
  b.push_back(at.transpose_b ? k : n);
  c.op = *Matmul::make(at);
  Run& run = c.run;
  run.op = c.op.get();
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::row_major, Layout::permuted, Layout::padded_rows, Layout::reversed};
  run.in.emplace_back(DType::f32, a, drawn(kLayouts, r), &r);
  run.in.emplace_back(DType::f32, b, drawn(kLayouts, r), &r);
  if (r.chance(0.5)) run.in.emplace_back(DType::f32, Dims{n});
  const double specials = r.chance(0.3) ? 0.02 : 0;
  for (OwnedTensor& t : run.in) t.fill(r, specials);
  if (r.chance(0.5)) {
    PostOp p;
    p.unary = r.chance(0.5) ? UnaryFunction::relu : UnaryFunction::silu;
    run.post_ops.append(p);
  }
  run.out_layouts = {drawn(kLayouts, r)};
  run.constant_weights = true;
  run.constant_bias = r.chance(0.5);
  run.threads = r.chance(0.5) ? 1 : 2;
  run.odd_plan = r.chance(0.5);
  c.text = formatted("a {} b {} inputs {} threads {}", to_string(a), to_string(b), run.in.size(), run.threads);
  return c;
}

void expect_equal_to_reference(Random& r, Drawn& c) {
  Outcome want = run_kernel(gemm_reduced_reference(), c.run, &r);
  ASSERT_EQ(want.refusal, nullptr) << want.refusal << "; " << c.text;
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  for (const HostKernel* k : runnable(gemm_reduced_kernels())) {
    Outcome got = run_kernel(*k, c.run, &r);
    ASSERT_EQ(got.refusal, nullptr) << k->name() << "; " << c.text;
    ASSERT_TRUE(got.status.ok()) << k->name() << ": " << got.status.message() << "; " << c.text;
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << "; " << c.text;
  }
}

TEST(ReducedMatmul, EqualsTheReferenceOnRandomShapes) {
  Random r(101);
  for (int i = 0; i < 250 && !HasFailure(); ++i) {
    Drawn c = draw(r, 30, 80, 150);
    expect_equal_to_reference(r, c);
  }
}

TEST(ReducedMatmul, EqualsTheReferenceWhereRowsAndBlocksAreMany) {
  Random r(102);
  for (int i = 0; i < 12 && !HasFailure(); ++i) {
    Drawn c = draw(r, 270, 100, 900);
    expect_equal_to_reference(r, c);
  }
}

// Sums of numbers around 2^-126, where results are flushed or not by the size that they have before they are.
TEST(ReducedMatmul, FlushesTheSameDenormalsEverywhere) {
  Random r(103);
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    Drawn c = draw(r, 12, 40, 100);
    c.run.in.resize(2);
    for (OwnedTensor& t : c.run.in) {
      const int low = &t == &c.run.in[0] ? -100 : -26;
      t.each([&](int64_t, std::byte* p) {
        const float v = std::ldexp(static_cast<float>(r.integer(-3, 3)) / 2 + (r.chance(0.5) ? 1.f / 128 : 0.f),
                                   low - static_cast<int>(r.integer(0, 4)));
        std::memcpy(p, &v, sizeof v);
      });
    }
    expect_equal_to_reference(r, c);
  }
}

// Sums that are flushed, biases and alphas of either sign, zeros among them.
TEST(ReducedMatmul, HaveTheSameSignsOfZeros) {
  Random r(108);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    Drawn c = draw(r, 12, 40, 100);
    c.run.post_ops = {};
    for (size_t t = 0; t < c.run.in.size(); ++t)
      c.run.in[t].each([&](int64_t, std::byte* p) {
        const float sign = r.chance(0.5) ? -1.f : 1.f;
        const float v = sign * (t > 1 ? 0.f : r.chance(0.95) ? 0.f : t == 0 ? 0x1p-100f : 0x1p-27f);
        std::memcpy(p, &v, sizeof v);
      });
    expect_equal_to_reference(r, c);
  }
}

TEST(ReducedMatmul, AreRightToThePrecisionOfBf16) {
  Random r(104);
  for (int i = 0; i < 20; ++i) {
    Drawn c = draw(r, 20, 40, 200);
    c.run.in.resize(2);
    c.run.post_ops = {};
    for (OwnedTensor& t : c.run.in) t.fill(r, 0);
    Outcome exact = run_kernel(gemm_reference(), c.run, &r), got = run_kernel(gemm_reduced_reference(), c.run, &r);
    ASSERT_TRUE(exact.status.ok() && got.status.ok());
    double error = 0, size = 0;
    got.out[0].each([&](int64_t e, const std::byte*) {
      const double want = exact.out[0].get<float>(e), have = got.out[0].get<float>(e);
      error += (want - have) * (want - have);
      size += want * want;
    });
    EXPECT_LT(std::sqrt(error / size), 0.005) << c.text;
    EXPECT_GT(std::sqrt(error / size), 0.0005) << "it computes in more bits than its operands have; " << c.text;
  }
}

TEST(ReducedMatmul, HaveTheGoldenBits) {
  Random r(106);
  const auto digest = [&](const HostKernel& kernel, int64_t m, int64_t k, int64_t n) {
    anydim::testing::Run run;
    const OperatorPtr op = *Matmul::make({});
    run.op = op.get();
    run.in.emplace_back(DType::f32, Dims{m, k});
    run.in.emplace_back(DType::f32, Dims{k, n});
    fill_by_formula(run.in[0], 1);
    fill_by_formula(run.in[1], 2);
    run.out_layouts = {Layout::row_major};
    run.constant_weights = true;
    return digest_of(run_kernel(kernel, run, &r).out[0]);
  };
  for (const HostKernel* k : runnable(gemm_reduced_kernels())) {
    EXPECT_EQ(digest(*k, 7, 64, 32), 1593806397719486219u) << k->name();
    EXPECT_EQ(digest(*k, 13, 301, 77), 6187903868938547533u) << k->name();
  }
}

TEST(ReducedMatmul, HaveAKernelForAmxWhereItIsEmulated) {
  if (!emulates) GTEST_SKIP() << "ANYDIM_TEST_EMULATE is not set";
  if constexpr (is_built_for(Processor::x86)) {
    EXPECT_TRUE(has_reduced_bits(ReducedTileEngine::amx));
    const std::string best = runnable(gemm_reduced_kernels())[0]->name();
    EXPECT_EQ(best, "gemm.bf16.amx");
    const int64_t before = emulated_instructions();
    Random r(107);
    Drawn c = draw(r, 20, 50, 100);
    expect_equal_to_reference(r, c);
    EXPECT_GT(emulated_instructions(), before);
  }
}

TEST(ReducedMatmul, AreRefusedWhereTheRightSideIsSmallOrNoConstant) {
  Random r(105);
  Drawn c = draw(r, 5, 40, 100);
  c.run.constant_weights = false;
  for (const HostKernel* k : gemm_reduced_kernels()) EXPECT_NE(run_kernel(*k, c.run, &r).refusal, nullptr) << k->name();
}

TEST(Bf16, RoundsToNearestEvenAndFlushesDenormals) {
  EXPECT_EQ(as_bf16(1.f), 1.f);
  EXPECT_EQ(as_bf16(1.f + 0x1p-8f), 1.f) << "a tie goes to even";
  EXPECT_EQ(as_bf16(1.f + 0x1p-7f + 0x1p-8f), 1.f + 0x1p-6f);
  EXPECT_EQ(as_bf16(3.4e38f), INFINITY);
  EXPECT_TRUE(std::isnan(as_bf16(std::bit_cast<float>(0x7f800001u)))) << "a NaN whose bits are all low stays one";
  EXPECT_EQ(std::bit_cast<uint32_t>(as_bf16(-0x1.fffffcp-127f)), 0x80000000u) << "denormals do not round up to normal numbers";
  EXPECT_EQ(as_bf16(0x1p-126f), 0x1p-126f);
  EXPECT_EQ(std::bit_cast<uint32_t>(flushed_sum(0x1p-126f, -0x1.8p-126f)), 0x80000000u);
  EXPECT_EQ(flushed_fma(0x1p-100f, 0x1p-26f, 0.f), 0x1p-126f);
  EXPECT_EQ(flushed_fma(0x1p-100f, 0x1.fcp-27f, 0.f), 0.f);
}

}  // namespace
}  // namespace anydim::testing
