// SPDX-License-Identifier: Apache-2.0
// Reductions: every instruction set against the reference, bit for bit, over random shapes, axes, layouts and special
// values; the reference against sums in long double; arg_reduce and cumsum against their references, and these by hand.
#include "core/kernels/reduce/reduce.h"

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/cumsum.h"
#include "core/ops/operators/reduce.h"

namespace anydim::testing {
namespace {

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's
constexpr Layout kLayouts[] = {Layout::row_major,   Layout::channels_last,        Layout::permuted,
                               Layout::padded_rows, Layout::padded_channels_last, Layout::reversed};

void expect_all_equal(KernelRun& run) {
  run.threads = 1;
  Outcome want = run_kernel(*kReduceReference, run);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  int others = 0;
  for (const HostKernel* k : runnable(reduce_kernels())) {
    if (k == kReduceReference || k->key().op != OpKind::reduce || std::string(k->name()).starts_with("reduce.integers")) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      Outcome got = run_kernel(*k, run);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_EQ(got.refusal, nullptr) << got.refusal;
      EXPECT_TRUE(same_bits(want.out[0], got.out[0]))
          << k->name() << " threads " << threads << " " << describe(*run.op) << " of " << to_string(run.in[0].view().dims);
      ++others;
    }
  }
  EXPECT_GT(others, 0);
  static Random r(14);
  EXPECT_GT(expect_half_equals_reference(*kReduceReference, run, r), 0);
}

TEST(Reduce, KernelsHaveTheReferencesBitsForEveryKindAxesAndLayout) {
  Random r(11);
  for (int i = 0; i < 500; ++i) {
    Dims d;
    std::vector<int64_t> axes;
    const auto rank = static_cast<int>(r.integer(1, 5));
    for (int a = 0; a < rank; ++a) {
      d.push_back(r.chance(0.04) ? 0 : r.chance(0.15) ? 1 : r.integer(1, rank <= 2 ? 700 : rank == 3 ? 50 : 13));
      if (r.chance(0.4)) axes.push_back(r.chance(0.5) ? a : a - rank);
    }
    OperatorPtr op = *Reduce::make(static_cast<ReduceKind>(i % 10), axes, r.chance(0.5));
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, d, drawn(kLayouts, r), &r).fill(r, r.chance(0.3) ? 0.03 : 0.0));
    run.out_layouts = {drawn(kLayouts, r)};
    expect_all_equal(run);
    if (HasFatalFailure()) return;
  }
}

TEST(Reduce, ShortRowsHaveTheReferencesBitsForEveryKind) {
  Random r(19);
  for (int i = 0; i < 200; ++i) {
    OperatorPtr op = *Reduce::make(static_cast<ReduceKind>(i % 10), std::vector<int64_t>{-1}, r.chance(0.5));
    KernelRun run;
    run.op = op.get();
    const Dims d{r.integer(1, 3), r.integer(1, 100), r.integer(1, 36)};
    run.in.push_back(OwnedTensor(DType::f32, d, drawn(kLayouts, r), &r).fill(r, r.chance(0.3) ? 0.05 : 0.0));
    run.out_layouts = {drawn(kLayouts, r)};
    expect_all_equal(run);
    if (HasFatalFailure()) return;
  }
}

// Planes of channels-first data alone and over a batch, whose lines end inside of blocks; few columns of many rows.
TEST(Reduce, PlanesAndFewColumnsHaveTheReferencesBitsForEveryKind) {
  Random r(20);
  for (int i = 0; i < 160; ++i) {
    const bool planes = r.chance(0.7), batch = r.flag();
    OperatorPtr op =
        *Reduce::make(static_cast<ReduceKind>(i % 10),
                      planes ? batch ? std::vector<int64_t>{0, 2, 3} : std::vector<int64_t>{2, 3} : std::vector<int64_t>{0}, r.flag());
    KernelRun run;
    run.op = op.get();
    const Dims d =
        planes ? Dims{r.integer(1, 4), r.integer(1, 40), r.integer(1, 12), r.integer(1, 60)} : Dims{r.integer(900, 4000), r.integer(1, 9)};
    run.in.push_back(
        OwnedTensor(DType::f32, d, r.chance(0.7) ? Layout::row_major : drawn(kLayouts, r), &r).fill(r, r.chance(0.3) ? 0.03 : 0.0));
    run.out_layouts = {drawn(kLayouts, r)};
    expect_all_equal(run);
    if (HasFatalFailure()) return;
  }
}

TEST(Reduce, BlocksAreCutAtTheSamePlacesByEveryKernel) {
  Random r(12);
  struct Case {
    Dims dims;
    std::vector<int64_t> axes;
    Layout layout;
  };
  for (const Case& c : {Case{{2, 9001}, {1}, Layout::row_major}, Case{{3, 4096}, {1}, Layout::row_major},
                        Case{{9001, 5}, {0}, Layout::row_major}, Case{{2, 70, 37, 41}, {2, 3}, Layout::channels_last},
                        Case{{2, 70, 37, 41}, {2, 3}, Layout::row_major}, Case{{1, 40, 23, 23}, {0, 2, 3}, Layout::channels_last},
                        Case{{4, 6, 5000}, {2}, Layout::channels_last}, Case{{30000}, {0}, Layout::row_major},
                        Case{{130, 131}, {}, Layout::row_major}, Case{{2, 40, 9, 11}, {1, 2, 3}, Layout::channels_last},
                        Case{{1, 16, 64}, {1, 2}, Layout::channels_last}, Case{{3, 21, 1, 65}, {1, 2, 3}, Layout::channels_last},
                        Case{{2, 35, 200}, {1, 2}, Layout::channels_last}, Case{{1, 33, 2111}, {0, 1, 2}, Layout::channels_last}})
    for (ReduceKind kind : {ReduceKind::sum, ReduceKind::mean, ReduceKind::log_sum_exp, ReduceKind::l2, ReduceKind::max}) {
      OperatorPtr op = *Reduce::make(kind, c.axes, true);
      KernelRun run;
      run.op = op.get();
      run.in.push_back(OwnedTensor(DType::f32, c.dims, c.layout, &r).fill(r));
      expect_all_equal(run);
      if (HasFatalFailure()) return;
    }
}

TEST(Reduce, PlanesOfAnySizeAreReducedWithTheirChannelsInTheReferencesOrder) {
  Random r(15);
  for (int i = 0; i < 60 && !HasFatalFailure(); ++i) {
    const OperatorPtr op = *Reduce::make(static_cast<ReduceKind>(r.integer(0, 9)), std::vector<int64_t>{1, 2}, r.chance(0.5));
    KernelRun run;
    run.op = op.get();
    const Dims dims{r.integer(1, 3), r.integer(1, 70), r.chance(0.3) ? 64 * r.integer(1, 4) : r.integer(50, 400)};
    run.in.push_back(OwnedTensor(DType::f32, dims, Layout::channels_last, &r).fill(r, r.chance(0.2) ? 0.001 : 0));
    run.threads = r.chance(0.5) ? 1 : 2;
    expect_all_equal(run);
  }
}

TEST(Reduce, TheLargestAndTheLeastAreThoseOfTheReferenceInAnyOrderOfMemory) {
  Random r(16);
  for (int i = 0; i < 80 && !HasFatalFailure(); ++i) {
    const bool large = i % 8 == 0;  // parts for several threads
    std::vector<int64_t> axes;
    if (!large)
      for (int64_t a = 0; a < 4; ++a)
        if (r.chance(0.6)) axes.push_back(a);
    const OperatorPtr op = *Reduce::make(r.chance(0.5) ? ReduceKind::max : ReduceKind::min, axes, r.chance(0.5));
    KernelRun run;
    run.op = op.get();
    const Dims dims = large ? Dims{2, r.integer(20, 40), r.integer(40, 60), 50}
                            : Dims{r.integer(1, 3), r.integer(1, 40), r.integer(1, 20), r.integer(1, 20)};
    run.in.push_back(OwnedTensor(DType::f32, dims, kLayouts[r.integer(0, large ? 1 : 4)], &r).fill(r, r.chance(0.3) ? 0.0005 : 0));
    expect_all_equal(run);
  }
}

TEST(Reduce, AnEmptyReductionGivesTheNeutralElement) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::pair<ReduceKind, float> cases[] = {{ReduceKind::sum, 0.f}, {ReduceKind::sum_square, 0.f}, {ReduceKind::l1, 0.f},
                                                {ReduceKind::l2, 0.f},  {ReduceKind::prod, 1.f},       {ReduceKind::max, -inf},
                                                {ReduceKind::min, inf}, {ReduceKind::log_sum, -inf},   {ReduceKind::log_sum_exp, -inf}};
  for (const auto& [kind, value] : cases) {
    OperatorPtr op = *Reduce::make(kind, std::vector<int64_t>{1}, false);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, Dims{3, 0, 2}));
    Outcome o = run_kernel(*kReduceReference, run);
    EXPECT_EQ(o.out.at(0).get<float>(0), value) << word_of(kind);
    expect_all_equal(run);
  }
  OperatorPtr op = *Reduce::make(ReduceKind::mean, std::vector<int64_t>{1}, false);
  KernelRun run;
  run.op = op.get();
  run.in.push_back(OwnedTensor(DType::f32, Dims{3, 0}));
  EXPECT_TRUE(std::isnan(run_kernel(*kReduceReference, run).out.at(0).get<float>(0)));
}

TEST(Reduce, TheReferenceIsCloseToExactSums) {
  Random r(13);
  OperatorPtr op = *Reduce::make(ReduceKind::sum, std::vector<int64_t>{1}, false);
  KernelRun run;
  run.op = op.get();
  run.in.push_back(OwnedTensor(DType::f32, Dims{1, 20000}).fill(r));
  Outcome o = run_kernel(*kReduceReference, run);
  long double exact = 0;
  run.in[0].each([&](int64_t, std::byte* p) {
    float x;
    std::memcpy(&x, p, 4);
    exact += x;
  });
  EXPECT_NEAR(o.out.at(0).get<float>(0), static_cast<double>(exact), 1e-3);
}

TEST(Reduce, IntegersSumModuloTheirWidthAndMeansDoNotWrap) {
  OwnedTensor x(DType::i8, Dims{4});
  x.each([](int64_t i, std::byte* p) { *p = std::byte(i < 3 ? 100 : 3); });
  const auto value = [&](ReduceKind kind) {
    OperatorPtr op = *Reduce::make(kind, {}, false);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(x);
    return static_cast<int>(run_kernel(*kReduceReference, run).out.at(0).get<int8_t>(0));
  };
  EXPECT_EQ(value(ReduceKind::sum), 303 - 256);
  EXPECT_EQ(value(ReduceKind::mean), 75);
  EXPECT_EQ(value(ReduceKind::max), 100);
  EXPECT_EQ(value(ReduceKind::min), 3);
}

// Of the kernels of integers one that refuses nothing that ONNX has.
void expect_integers_equal(KernelRun& run, Random& r) {
  run.threads = 1;
  const Outcome want = run_kernel(*kReduceReference, run);
  int others = 0;
  for (const HostKernel* k : runnable(reduce_kernels())) {
    if (!std::string(k->name()).starts_with("reduce.integers")) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      run.out_layouts = {drawn(kLayouts, r)};
      const Outcome got = run_kernel(*k, run);
      ASSERT_EQ(got.refusal, nullptr) << got.refusal;
      EXPECT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << " threads " << threads << " " << describe(*run.op) << " of "
                                                      << dtype_name(run.in[0].view().dtype) << " " << to_string(run.in[0].view().dims);
      ++others;
    }
  }
  EXPECT_GT(others, 0);
}

TEST(Reduce, IntegersHaveTheReferencesBitsForEveryKindDtypeAxesAndLayout) {
  constexpr DType kSums[] = {DType::i32, DType::u32, DType::i64, DType::u64};
  constexpr DType kExtremes[] = {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64, DType::boolean};
  constexpr ReduceKind kKinds[] = {ReduceKind::sum,  ReduceKind::mean, ReduceKind::sum_square, ReduceKind::l1,  ReduceKind::l2,
                                   ReduceKind::prod, ReduceKind::max,  ReduceKind::min,        ReduceKind::max, ReduceKind::min};
  Random r(21);
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    Dims d;
    std::vector<int64_t> axes;
    const auto rank = static_cast<int>(r.integer(1, 5));
    for (int a = 0; a < rank; ++a) {
      d.push_back(r.chance(0.03) ? 0 : r.chance(0.15) ? 1 : r.integer(1, rank <= 2 ? 900 : rank == 3 ? 60 : 14));
      if (r.chance(0.5)) axes.push_back(r.chance(0.5) ? a : a - rank);
    }
    const ReduceKind kind = kKinds[i % 10];
    const bool extremes = kind == ReduceKind::max || kind == ReduceKind::min;
    const OperatorPtr op = *Reduce::make(kind, axes, r.chance(0.5));
    KernelRun run;
    run.op = op.get();
    OwnedTensor x(extremes ? kExtremes[r.integer(0, 6)] : kSums[r.integer(0, 3)], d, drawn(kLayouts, r), &r);
    // Any bits, the largest and the least numbers among them; of products mostly odd ones, which do not become 0.
    const auto size = static_cast<size_t>(dtype_size(x.view().dtype));
    const bool odd = kind == ReduceKind::prod, narrow = r.chance(0.2);
    x.each([&](int64_t, std::byte* p) {
      uint64_t v = static_cast<uint64_t>(r.integer(INT64_MIN, INT64_MAX));
      if (narrow) v = static_cast<uint64_t>(r.integer(-3, 3));
      if (r.chance(0.02)) v = uint64_t{1} << (size * 8 - 1);
      if (r.chance(0.02)) v = (uint64_t{1} << (size * 8 - 1)) - 1;
      if (odd) v |= 1;
      std::memcpy(p, &v, size);
    });
    run.in.push_back(x);
    expect_integers_equal(run, r);
  }
}

// Means of sums on both sides of 2^30, 2^31 and 2^52, where another way of dividing begins, and just at multiples of the count.
TEST(Reduce, MeansOfLargeAndSmallIntegersAreCutTowardZero) {
  Random r(22);
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const Dims d{r.integer(1, 60), r.integer(1, r.flag() ? 9 : 40)};
    OwnedTensor x(DType::i64, d, drawn(kLayouts, r), &r);
    const int bits = static_cast<int>(r.integer(1, 55));
    x.each([&](int64_t at, std::byte* p) {
      const int64_t row = at / d[1], whole = r.integer(-3, 3) * d[1] + r.integer(-1, 1);
      int64_t v = at % d[1] == 0 ? (r.flag() ? 1 : -1) * (int64_t{1} << bits) / d[1] * d[1] + whole : 0;
      if (row % 3 == 0) v = r.integer(-(int64_t{1} << bits), int64_t{1} << bits);
      std::memcpy(p, &v, sizeof v);
    });
    const int64_t axes[] = {1};
    const OperatorPtr op = *Reduce::make(ReduceKind::mean, axes, false);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(x);
    expect_integers_equal(run, r);
  }
}

TEST(Reduce, TheLengthOfIntegersWhoseSquaresWrapBelowZeroIsZero) {
  OwnedTensor x(DType::i32, Dims{2});
  const int32_t v[] = {40000, 30000};  // 2,500,000,000 is below 0 modulo 2^32
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[i], 4); });
  const OperatorPtr op = *Reduce::make(ReduceKind::l2, {}, false);
  KernelRun run;
  run.op = op.get();
  run.in.push_back(x);
  EXPECT_EQ(run_kernel(*kReduceReference, run).out.at(0).get<int32_t>(0), 0);
  Random r(22);
  expect_integers_equal(run, r);
}

TEST(Reduce, AnAxisGivenTwiceOrOutOfRangeIsRefusedByName) {
  DimPool pool;
  const TensorType in{DType::f32, {Dim(2), Dim(3)}};
  TensorType out;
  const Status twice = (*Reduce::make(ReduceKind::sum, std::vector<int64_t>{1, -1}, true))->infer(pool, {&in, 1}, {&out, 1});
  EXPECT_NE(twice.message().find("twice"), std::string::npos);
  const Status far = (*Reduce::make(ReduceKind::sum, std::vector<int64_t>{2}, true))->infer(pool, {&in, 1}, {&out, 1});
  EXPECT_NE(far.message().find("-2..1"), std::string::npos) << far.message();
}

TEST(ArgReduce, FindsTheFirstOrLastExtremeAndPrefersNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> v = {1, 5, 5, -2, -2, 0};
  const auto index = [](const std::vector<float>& values, bool max, bool last) {
    OwnedTensor x(DType::f32, Dims{2, static_cast<int64_t>(values.size())}, Layout::padded_rows);
    x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &values[static_cast<size_t>(i) % values.size()], 4); });
    OperatorPtr op = *ArgReduce::make(max ? ArgReduceKind::max : ArgReduceKind::min, -1, true, last);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(x);
    return run_kernel(*kArgReduceReference, run).out.at(0).get<int64_t>(1);
  };
  EXPECT_EQ(index(v, true, false), 1);
  EXPECT_EQ(index(v, true, true), 2);
  EXPECT_EQ(index(v, false, false), 3);
  EXPECT_EQ(index(v, false, true), 4);
  EXPECT_EQ(index({1, nan, 7, nan}, true, false), 1);
  EXPECT_EQ(index({1, nan, 7, nan}, false, true), 3);
}

constexpr DType kAllTypes[] = {DType::f32, DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,  DType::u8,
                               DType::i16, DType::u16, DType::i32, DType::u32, DType::i64,  DType::u64, DType::boolean};

// Every kernel for the operator against its reference, on 1 and 2 threads.
void expect_all_like(const HostKernel* reference, KernelRun& run, Random& r) {
  run.threads = 1;
  const Outcome want = run_kernel(*reference, run, &r);
  int others = 0;
  auto kernels = runnable(run.op->kind() == OpKind::arg_reduce ? arg_reduce_kernels() : reduce_kernels());
  for (const HostKernel* k : runnable(half_kernels()))
    if (run.op->kind() == OpKind::arg_reduce) kernels.push_back(k);
  for (const HostKernel* k : kernels) {
    if (k == reference || k->key().op != run.op->kind()) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      run.out_layouts = {drawn(kLayouts, r)};
      const Outcome got = run_kernel(*k, run, &r);
      ++others;
      if (got.refusal) continue;
      EXPECT_EQ(want.status.code(), got.status.code()) << k->name();
      EXPECT_EQ(want.status.message(), got.status.message()) << k->name();
      EXPECT_TRUE(!want.status.ok() || same_bits(want.out[0], got.out[0]))
          << k->name() << " threads " << threads << " " << describe(*run.op) << " of " << dtype_name(run.in[0].view().dtype) << " "
          << to_string(run.in[0].view().dims);
    }
  }
  EXPECT_GT(others, 0);
}

Dims any_dims(Random& r) {
  Dims d;
  const auto rank = static_cast<int>(r.integer(1, 4));
  for (int a = 0; a < rank; ++a) {
    constexpr int64_t kMost[] = {0, 5000, 150, 40, 13};
    d.push_back(r.chance(0.03) ? 0 : r.chance(0.15) ? 1 : r.integer(1, r.chance(0.05) && rank == 2 ? 3000 : kMost[rank]));
  }
  return d;
}

TEST(ArgReduce, KernelsNameThePlaceThatTheReferenceNames) {
  Random r(14);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    const Dims d = any_dims(r);
    OperatorPtr op = *ArgReduce::make(r.chance(0.5) ? ArgReduceKind::max : ArgReduceKind::min, r.integer(-d.rank, d.rank - 1),
                                      r.chance(0.5), r.chance(0.5));
    KernelRun run;
    run.op = op.get();
    // Few values, so that many are equal; or any, NaN and infinities among them; or nothing but the worst ones.
    OwnedTensor x = std::move(OwnedTensor(kAllTypes[r.integer(0, 13)], d, drawn(kLayouts, r), &r).fill(r, 0.02));
    if (x.view().dtype == DType::f32 && r.chance(0.6)) {
      const bool zeros = r.chance(0.3), lowest = r.chance(0.3), nan = r.chance(0.3);
      x.each([&](int64_t, std::byte* p) {
        const float inf = std::numeric_limits<float>::infinity();
        const float v = nan && r.chance(0.01) ? NAN
                        : lowest              ? (r.chance(0.5) ? -inf : inf)
                        : zeros               ? (r.chance(0.5) ? 0.f : -0.f)
                                              : static_cast<float>(r.integer(-3, 3));
        std::memcpy(p, &v, 4);
      });
    }
    run.in.push_back(x);
    expect_all_like(kArgReduceReference, run, r);
  }
}

TEST(ArgReduce, LongLinesAreSearchedInTheRightBlock) {
  Random r(15);
  for (const DType t : {DType::f32, DType::i32, DType::u8, DType::f64})
    for (int i = 0; i < 24 && !HasFailure(); ++i) {
      OperatorPtr op = *ArgReduce::make(i & 1 ? ArgReduceKind::max : ArgReduceKind::min, i & 2 ? 0 : 1, true, i & 4);
      KernelRun run;
      run.op = op.get();
      run.in.push_back(OwnedTensor(t, i & 2 ? Dims{r.integer(2000, 9000), 7} : Dims{7, r.integer(2000, 9000)},
                                   i & 8 ? Layout::padded_rows : Layout::row_major, &r)
                           .fill(r, i & 16 ? 0.002 : 0));
      expect_all_like(kArgReduceReference, run, r);
    }
}

TEST(CumSum, KernelsHaveTheReferencesBits) {
  Random r(16);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    const Dims d = any_dims(r);
    OperatorPtr op = *CumSum::make(CumSum::Attributes{.exclusive = r.chance(0.5), .reverse = r.chance(0.5), .product = r.chance(0.4)});
    KernelRun run;
    run.op = op.get();
    OwnedTensor axis(DType::i64, Dims{});
    const int64_t a = r.integer(-d.rank, d.rank - 1 + (r.chance(0.03) ? 1 : 0));
    std::memcpy(axis.view().data, &a, 8);
    run.in = {std::move(OwnedTensor(kAllTypes[r.integer(0, 13)], d, drawn(kLayouts, r), &r).fill(r, 0.01)), axis};
    expect_all_like(kCumSumReference, run, r);
  }
}

TEST(CumSum, RunsForwardsBackwardsAndExclusively) {
  const auto sums = [](bool exclusive, bool reverse, int64_t axis, Status* status = nullptr) {
    OwnedTensor x(DType::i32, Dims{2, 3}, Layout::padded_rows), a(DType::i64, Dims{});
    x.each([](int64_t i, std::byte* p) {
      const auto v = static_cast<int32_t>(i + 1);
      std::memcpy(p, &v, 4);
    });
    std::memcpy(a.view().data, &axis, 8);
    OperatorPtr op = *CumSum::make(exclusive, reverse);
    KernelRun run;
    run.op = op.get();
    run.in = {x, a};
    Outcome o = run_kernel(*kCumSumReference, run);
    std::vector<int32_t> v;
    for (int64_t i = 0; i < 6; ++i) v.push_back(o.out.at(0).get<int32_t>(i));
    if (status) *status = std::move(o.status);
    return v;
  };
  EXPECT_EQ(sums(false, false, 1), (std::vector<int32_t>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(sums(false, false, 0), (std::vector<int32_t>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(sums(true, false, -1), (std::vector<int32_t>{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(sums(true, true, 1), (std::vector<int32_t>{5, 3, 0, 11, 6, 0}));
  Status bad;
  sums(false, false, 2, &bad);
  EXPECT_EQ(bad.code(), Code::invalid_data);
}

}  // namespace
}  // namespace anydim::testing
