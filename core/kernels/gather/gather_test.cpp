// SPDX-License-Identifier: Apache-2.0
// Movers by indices and makers of patterns: by hand, against definitions on random problems, and on bad indices. TopK has a file of
// its own.
#include "core/kernels/gather/gather.h"

#include <cmath>
#include <limits>

#include "core/kernels/gather/combine.h"
#include "core/kernels/gather/gather_run.h"
#include "core/ops/operators/eye_like.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/gather_nd.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/scatter_elements.h"
#include "core/ops/operators/scatter_nd.h"
#include "core/ops/operators/shape_tensor.h"
#include "core/ops/operators/trilu.h"

namespace anydim::testing {
namespace {

TEST(Gather, PicksSlicesInAnyLayout) {
  Random r(41);
  for (int n = 0; n < 80; ++n) {
    const int rank = static_cast<int>(r.integer(1, 4)), axis = static_cast<int>(r.integer(0, rank - 1));
    Dims d, picks;
    for (int i = 0; i < rank; ++i) d.push_back(r.integer(1, 9));
    for (int64_t i = r.integer(0, 2); i > 0; --i) picks.push_back(r.integer(0, 5));
    std::vector<int64_t> index;
    for (int64_t i = 0; i < element_count(picks); ++i) index.push_back(r.integer(-d[axis], d[axis] - 1));
    const DType t = r.chance(0.5) ? DType::f32 : DType::u8;
    const OwnedTensor data = std::move(OwnedTensor(t, d, any_layout(r), &r).fill(r));
    const Outcome o = run_all(*Gather::make(axis), {data, of(DType::i64, picks, index)}, &r);
    ASSERT_TRUE(o.status.ok()) << o.status.message();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Gather, LargeTablesAreReadOnTwoThreads) {
  Random r(42);
  std::vector<int32_t> index;
  for (int i = 0; i < 700; ++i) index.push_back(static_cast<int32_t>(r.integer(-50, 49)));
  const OwnedTensor table = std::move(OwnedTensor(DType::f32, {50, 96}).fill(r));
  const Outcome o = run_all(*Gather::make(0), {table, of(DType::i32, {700}, index)}, &r);
  const auto y = values<float>(o.out[0]), x = values<float>(table);
  for (size_t i = 0; i < 700; ++i) ASSERT_EQ(y[i * 96 + 5], x[static_cast<size_t>(index[i] < 0 ? index[i] + 50 : index[i]) * 96 + 5]);
}

TEST(Gather, ABadIndexIsNamedWithItsPlace) {
  const OwnedTensor data(DType::f32, {3, 4});
  const Outcome o = run_all(*Gather::make(1), {data, of<int64_t>(DType::i64, {2, 2}, {0, -4, 4, 1})});
  EXPECT_EQ(o.status.code(), Code::invalid_data);
  for (const char* part : {"index 4", "[1, 0]", "axis 1", "-4..3"})
    EXPECT_NE(o.status.message().find(part), std::string::npos) << o.status.message();
  EXPECT_EQ(run_all(*GatherElements::make(0), {data, of<int64_t>(DType::i64, {1, 2}, {0, -4})}).status.code(), Code::invalid_data);
  EXPECT_EQ(run_all(*GatherNd::make(0), {data, of<int64_t>(DType::i64, {1, 2}, {2, 9})}).status.code(), Code::invalid_data);
  EXPECT_EQ(run_all(*ScatterNd::make(), {data, of<int64_t>(DType::i64, {1, 2}, {-4, 0}), OwnedTensor(DType::f32, {1})}).status.code(),
            Code::invalid_data);
  EXPECT_EQ(run_all(*ScatterElements::make(1), {data, of<int64_t>(DType::i64, {1, 1}, {4}), OwnedTensor(DType::f32, {1, 1})}).status.code(),
            Code::invalid_data);
}

// Drawn problems: every size of element, layouts of all tensors, axes of 0 and 1, now and then an index out of range, and
// some problems large enough for two threads.
constexpr ScatterReduction kReductions[] = {ScatterReduction::none, ScatterReduction::add, ScatterReduction::mul, ScatterReduction::min,
                                            ScatterReduction::max};

TEST(ByIndex, GatherIsItsReferenceForAnySlicesAndLayouts) {
  Random r(51);
  for (int n = 0; n < 300 && !HasFailure(); ++n) {
    const Draw draw{r};
    const int rank = static_cast<int>(r.integer(1, 4)), axis = static_cast<int>(r.integer(0, rank - 1));
    const OwnedTensor data = draw.tensor(draw.dims(rank));
    const int64_t bound = data.view().dims[axis];
    const Dims picks = draw.picks(static_cast<int>(r.integer(0, 3)), data.view().count() / std::max(bound, int64_t{1}));
    run_all(*Gather::make(axis), {data, draw.indices(picks, [&](int64_t) { return bound; })}, &r);
  }
}

// Now and then the indices are expanded: they repeat along some axes, without being there more than once.
OwnedTensor repeated(OwnedTensor t, Random& r) {
  if (r.chance(0.5)) return t;
  for (int i = 0; i < t.view().rank(); ++i)
    if (r.chance(0.5)) t.view().strides[i] = 0;
  return t;
}

TEST(ByIndex, GatherElementsIsItsReference) {
  Random r(52);
  for (int n = 0; n < 300 && !HasFailure(); ++n) {
    const Draw draw{r};
    const int rank = static_cast<int>(r.integer(1, 5)), axis = static_cast<int>(r.integer(0, rank - 1));
    const OwnedTensor data = draw.tensor(draw.dims(rank));
    Dims picks = data.view().dims;
    for (int i = 0; i < rank; ++i) picks[i] = i == axis ? draw.dim(rank) : r.chance(0.7) ? picks[i] : r.integer(0, picks[i]);
    const int64_t bound = data.view().dims[axis];
    run_all(*GatherElements::make(axis), {data, repeated(draw.indices(picks, [&](int64_t) { return bound; }), r)}, &r);
  }
}

TEST(ByIndex, GatherNdIsItsReference) {
  Random r(53);
  for (int n = 0; n < 300 && !HasFailure(); ++n) {
    const Draw draw{r};
    const int rank = static_cast<int>(r.integer(1, 4)), batch = static_cast<int>(r.integer(0, std::min(rank - 1, 2)));
    const int width = static_cast<int>(r.integer(1, rank - batch));
    const OwnedTensor data = draw.tensor(draw.dims(rank));
    int64_t each = 1;
    for (int i = 0; i < rank; ++i) each *= i < batch || i >= batch + width ? data.view().dims[i] : 1;
    Dims picks;
    for (int i = 0; i < batch; ++i) picks.push_back(data.view().dims[i]);
    for (int64_t d : draw.picks(static_cast<int>(r.integer(0, 2)), each)) picks.push_back(d);
    picks.push_back(width);
    run_all(*GatherNd::make(batch),
            {data, draw.indices(picks, [&](int64_t i) { return data.view().dims[batch + static_cast<int>(i % width)]; })}, &r);
  }
}

// All kernels, whichever of them the dtype has.
void run_scatter(const OperatorPtr& op, ScatterReduction reduction, const std::vector<OwnedTensor>& in, Random& r) {
  if (reduction == ScatterReduction::none || !dtype_is_half(in[0].view().dtype)) run_all(op, in, &r);
  else expect_rounded_once(op, in, r);
}

TEST(ByIndex, ScatterElementsIsItsReferenceForEveryReduction) {
  Random r(54);
  for (int n = 0; n < 400 && !HasFailure(); ++n) {
    const Draw draw{r};
    const ScatterReduction reduction = kReductions[n % 5];
    if (reduction != ScatterReduction::none && draw.type == DType::boolean) continue;
    const int rank = static_cast<int>(r.integer(1, 5)), axis = static_cast<int>(r.integer(0, rank - 1));
    const OwnedTensor data = draw.tensor(draw.dims(rank));
    Dims picks = data.view().dims;
    for (int i = 0; i < rank; ++i) picks[i] = i == axis ? draw.dim(rank) : r.chance(0.7) ? picks[i] : r.integer(0, picks[i]);
    const int64_t bound = data.view().dims[axis];
    const OwnedTensor indices = repeated(draw.indices(picks, [&](int64_t) { return bound; }), r);
    run_scatter(*ScatterElements::make(axis, reduction), reduction, {data, indices, draw.tensor(picks)}, r);
  }
}

TEST(ByIndex, ScatterNdIsItsReferenceForEveryReduction) {
  Random r(55);
  for (int n = 0; n < 400 && !HasFailure(); ++n) {
    const Draw draw{r};
    const ScatterReduction reduction = kReductions[n % 5];
    if (reduction != ScatterReduction::none && draw.type == DType::boolean) continue;
    const int rank = static_cast<int>(r.integer(1, 4)), width = static_cast<int>(r.integer(1, rank));
    const OwnedTensor data = draw.tensor(draw.dims(rank));
    int64_t each = 1;
    for (int i = width; i < rank; ++i) each *= data.view().dims[i];
    Dims picks = draw.picks(static_cast<int>(r.integer(0, 2)), each), updates = picks;
    picks.push_back(width);
    for (int i = width; i < rank; ++i) updates.push_back(data.view().dims[i]);
    const OwnedTensor indices = draw.indices(picks, [&](int64_t i) { return data.view().dims[static_cast<int>(i % width)]; });
    run_scatter(*ScatterNd::make(reduction), reduction, {data, indices, draw.tensor(updates)}, r);
  }
}

TEST(ByIndex, AScalarIndexSharesOneLargeSliceAmongThreads) {
  Random r(56);
  for (const Layout layout : kLayouts) {
    const OwnedTensor data = std::move(OwnedTensor(DType::f32, {3, 70, 40, 20}, layout, &r).fill(r));
    for (int axis = 0; axis < 4; ++axis) run_all(*Gather::make(axis), {data, of<int64_t>(DType::i64, {}, {-1})}, &r);
  }
}

TEST(Patterns, OneHotIsItsReferenceForAnyIndexType) {
  Random r(57);
  for (int n = 0; n < 400 && !HasFailure(); ++n) {
    Draw draw{r};
    const int rank = static_cast<int>(r.integer(0, 3)), axis = static_cast<int>(r.integer(0, rank));
    const int64_t depth = r.chance(0.05) ? 0 : r.integer(1, draw.large ? 60 : 12);
    const OwnedTensor values = draw.tensor({2});
    DType t = kAllTypes[r.integer(0, 13)];
    if (t == DType::f16 || t == DType::bf16) t = DType::f32;
    OwnedTensor indices(t, draw.dims(rank), any_layout(r), &r);
    indices.fill(r, 0.1);  // numbers of 0 to 100, of floats most between -2 and 2
    if (t == DType::i64)
      indices.each([&](int64_t, std::byte* p) {
        const int64_t v = r.chance(0.02) ? INT64_MIN : r.integer(-depth - 2, depth + 2);
        std::memcpy(p, &v, 8);
      });
    run_all(*OneHot::make(axis, depth), {indices, values}, &r);
  }
}

TEST(Patterns, TrianglesAreTheirReferenceInAnyLayout) {
  Random r(58);
  for (int n = 0; n < 400 && !HasFailure(); ++n) {
    const Draw draw{r};
    const OwnedTensor x = draw.tensor(draw.dims(static_cast<int>(r.integer(2, 5))));
    const int64_t k = r.chance(0.05) ? INT64_MIN : r.chance(0.05) ? INT64_MAX : r.integer(-12, 12);
    run_all(*Trilu::make(r.chance(0.5), k), {x}, &r);
  }
}

TEST(Patterns, DiagonalsAndRangesAreTheirReference) {
  Random r(59);
  for (int n = 0; n < 300 && !HasFailure(); ++n) {
    const Draw draw{r};
    const int64_t k = r.chance(0.05) ? INT64_MIN : r.chance(0.05) ? INT64_MAX : r.integer(-12, 12);
    run_all(*EyeLike::make(draw.type, k), {draw.tensor(draw.dims(2))}, &r);
    const int64_t count = r.integer(0, 300), near = r.integer(-1000, 1000), start = r.chance(0.2) ? INT64_MAX - 1000 - near : near;
    DType t = draw.type;
    if (t == DType::f16 || t == DType::bf16 || t == DType::boolean) t = DType::i64;
    run_all(*Range::make(t, start, r.integer(-9, 9), count), {}, &r);
    if (t == DType::f32 || t == DType::f64) run_all(*Range::make_real(t, r.normal(), 40, 0.125 + 0.1 * std::abs(r.normal())), {}, &r);
  }
}

TEST(GatherElements, TakesOneElementPerIndex) {
  // ONNX's example gather_elements_0.
  const Outcome o =
      run_all(*GatherElements::make(1), {of<float>(DType::f32, {2, 2}, {1, 2, 3, 4}), of<int32_t>(DType::i32, {2, 2}, {0, 0, 1, -2})});
  EXPECT_EQ(values<float>(o.out[0]), (std::vector<float>{1, 1, 4, 3}));
}

TEST(GatherNd, FollowsOnnxsExamples) {
  const OwnedTensor data = of<int32_t>(DType::i32, {2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(values<int32_t>(run_all(*GatherNd::make(0), {data, of<int64_t>(DType::i64, {2, 1, 2}, {0, 1, 1, 0})}).out[0]),
            (std::vector<int32_t>{2, 3, 4, 5}));
  EXPECT_EQ(values<int32_t>(run_all(*GatherNd::make(1), {data, of<int64_t>(DType::i64, {2, 1}, {1, 0})}).out[0]),
            (std::vector<int32_t>{2, 3, 4, 5}));
}

TEST(Scatter, StoresAndCombinesInLogicalOrder) {
  const OwnedTensor data = of<float>(DType::f32, {1, 5}, {1, 2, 3, 4, 5});
  const OwnedTensor index = of<int64_t>(DType::i64, {1, 3}, {1, 3, -4}), updates = of<float>(DType::f32, {1, 3}, {1.5f, 2.5f, -7});
  auto result = [&](ScatterReduction r) { return values<float>(run_all(*ScatterElements::make(1, r), {data, index, updates}).out[0]); };
  EXPECT_EQ(result(ScatterReduction::none), (std::vector<float>{1, -7, 3, 2.5f, 5}));
  EXPECT_EQ(result(ScatterReduction::add), (std::vector<float>{1, -3.5f, 3, 6.5f, 5}));
  EXPECT_EQ(result(ScatterReduction::mul), (std::vector<float>{1, -21, 3, 10, 5}));
  EXPECT_EQ(result(ScatterReduction::max), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(result(ScatterReduction::min), (std::vector<float>{1, -7, 3, 2.5f, 5}));
  const Outcome nd = run_all(*ScatterNd::make(), {of<int32_t>(DType::i32, {4, 2}, {0, 0, 1, 1, 2, 2, 3, 3}),
                                                  of<int64_t>(DType::i64, {2, 1}, {3, 1}), of<int32_t>(DType::i32, {2, 2}, {8, 9, 6, 7})});
  EXPECT_EQ(values<int32_t>(nd.out[0]), (std::vector<int32_t>{0, 0, 6, 7, 2, 2, 8, 9}));
}

// docs/numerics.md, section 4.
template <class T> T greater(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class T> void expect_extremes() {
  using L = std::numeric_limits<T>;
  const T some[] = {L::quiet_NaN(), L::infinity(), -L::infinity(), T(0), -T(0), T(1), -T(1), L::denorm_min(), -L::denorm_min(), L::max()};
  for (const T a : some)
    for (const T b : some) {
      const T max = combine(ScatterReduction::max, a, b), min = combine(ScatterReduction::min, a, b);
      const T want = greater(a, b), least = -greater(-a, -b);
      ASSERT_TRUE(std::isnan(want) ? std::isnan(max) : max == want && std::signbit(max) == std::signbit(want)) << a << " and " << b;
      ASSERT_TRUE(std::isnan(least) ? std::isnan(min) : min == least && std::signbit(min) == std::signbit(least)) << a << " and " << b;
    }
}

TEST(Scatter, TheGreaterAndTheLessAreThoseOfElementWiseFunctions) {
  expect_extremes<float>();
  expect_extremes<double>();
}

TEST(Patterns, RangeAndShapeTensor) {
  EXPECT_EQ(values<int64_t>(run_all(*Range::make(DType::i64, 10, -3, 4), {}).out[0]), (std::vector<int64_t>{10, 7, 4, 1}));
  EXPECT_EQ(values<float>(run_all(*Range::make(DType::f32, 0, 1, 3), {}).out[0]), (std::vector<float>{0, 1, 2}));
  const auto real = values<float>(run_all(*Range::make_real(DType::f32, 1, 5, 0.75), {}).out[0]);
  EXPECT_EQ(real, (std::vector<float>{1, 1.75f, 2.5f, 3.25f, 4, 4.75f}));
  EXPECT_TRUE(values<float>(run_all(*Range::make_real(DType::f32, 5, 1, 1), {}).out[0]).empty());
  DimPool pool;
  EXPECT_EQ((*Range::count_for(pool, 0, 10, 3)).number(), 4);
  EXPECT_EQ((*Range::count_for(pool, 10, 0, -4)).number(), 3);
  EXPECT_EQ((*Range::count_for(pool, 3, 1, 1)).number(), 0);
  EXPECT_EQ(values<int64_t>(run_all(*ShapeTensor::make({2, 3, 5}, false), {}).out[0]), (std::vector<int64_t>{2, 3, 5}));
  EXPECT_EQ(values<float>(run_all(*ShapeTensor::make({7}, true, DType::f32), {}).out[0]), (std::vector<float>{7}));
}

TEST(Patterns, OneHotTriangleAndDiagonal) {
  const Outcome hot = run_all(*OneHot::make(1, 3), {of<int64_t>(DType::i64, {4}, {0, -1, 3, 1}), of<float>(DType::f32, {2}, {0.5f, 2})});
  EXPECT_EQ(values<float>(hot.out[0]), (std::vector<float>{2, .5f, .5f, .5f, .5f, 2, .5f, .5f, .5f, .5f, 2, .5f}));
  // Beyond the largest signed number is no index from the end.
  const Outcome large =
      run_all(*OneHot::make(1, 2), {of<uint64_t>(DType::u64, {2}, {UINT64_MAX, 1}), of<float>(DType::f32, {2}, {0.5f, 2})});
  EXPECT_EQ(values<float>(large.out[0]), (std::vector<float>{.5f, .5f, .5f, 2}));
  const OwnedTensor x = of<int32_t>(DType::i32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values<int32_t>(run_all(*Trilu::make(true, 1), {x}).out[0]), (std::vector<int32_t>{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(values<int32_t>(run_all(*Trilu::make(false, -1), {x}).out[0]), (std::vector<int32_t>{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(values<float>(run_all(*EyeLike::make(DType::f32, 1), {x}).out[0]), (std::vector<float>{0, 1, 0, 0, 0, 1}));
}

TEST(Scatter, Of16BitFloatsRoundsWhatMeetsOnce) {
  // 2048 + 1 + 1 in float16: each sum alone would be rounded back to 2048.
  const OwnedTensor data = of<uint16_t>(DType::f16, {2}, {0x6800, 0x3c00}), updates = of<uint16_t>(DType::f16, {2}, {0x3c00, 0x3c00});
  testing::Run run{nullptr};
  const OperatorPtr op = *ScatterElements::make(0, ScatterReduction::add);
  run.op = op.get();
  run.in = {data, of<int64_t>(DType::i64, {2}, {0, 0}), updates};
  int ran = 0;
  for (const HostKernel* k : runnable(half_kernels())) {
    if (k->key().op != op->kind()) continue;
    EXPECT_EQ(values<uint16_t>(run_kernel(*k, run).out.at(0)), (std::vector<uint16_t>{0x6801, 0x3c00})) << k->name();
    ++ran;
  }
  EXPECT_GT(ran, 0);
}

}  // namespace
}  // namespace anydim::testing
