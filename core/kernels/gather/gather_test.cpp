// SPDX-License-Identifier: Apache-2.0
// Movers by indices and makers of patterns: by hand, against definitions on random problems, and on bad indices.
#include "core/kernels/gather/gather.h"

#include <limits>
#include <numeric>

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/eye_like.h"
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/one_hot.h"
#include "core/ops/range.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/scatter_nd.h"
#include "core/ops/shape_tensor.h"
#include "core/ops/topk.h"
#include "core/ops/trilu.h"

namespace anydim::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows,
                               Layout::padded_channels_last};
Layout any_layout(Random& r) { return kLayouts[r.integer(0, 4)]; }

template <class T> OwnedTensor of(DType t, const Dims& d, const std::vector<T>& v, Layout layout = Layout::row_major, Random* r = nullptr) {
  OwnedTensor x(t, d, layout, r);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
template <class T> std::vector<T> values(const OwnedTensor& x) {
  std::vector<T> v;
  x.each([&](int64_t, std::byte* p) {
    T y;
    std::memcpy(&y, p, sizeof(T));
    v.push_back(y);
  });
  return v;
}

// Runs every kernel for the operator; all must agree; returns the last outcome.
Outcome run_all(const OperatorPtr& op, std::vector<OwnedTensor> in, Random* r = nullptr) {
  testing::Run run{op.get()};
  run.in = std::move(in);
  for (Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  Outcome last;
  bool first = true;
  for (const HostKernel* k : gather_kernels()) {
    if (k->key().op != op->kind() || !cpu().usable.includes(k->key().isa)) continue;
    run.threads = r ? static_cast<int>(r->integer(1, 2)) : 1;
    if (r) run.out_layouts = {any_layout(*r), any_layout(*r)};
    Outcome o = run_kernel(*k, run, r);
    EXPECT_EQ(o.refusal, nullptr) << k->name();
    if (!first) {
      EXPECT_EQ(last.status.code(), o.status.code()) << k->name();
      EXPECT_EQ(last.status.message(), o.status.message()) << k->name();
      for (size_t i = 0; o.status.ok() && i < o.out.size(); ++i) EXPECT_TRUE(same_bits(last.out[i], o.out[i])) << k->name();
    }
    last = std::move(o);
    first = false;
  }
  EXPECT_FALSE(first) << "no kernel for " << op->name();
  return last;
}

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
constexpr DType kAllTypes[] = {DType::f32, DType::f32, DType::f64, DType::f16, DType::bf16,    DType::i8,  DType::u8,
                               DType::i16, DType::u16, DType::i32, DType::u32, DType::boolean, DType::i64, DType::u64};
constexpr ScatterReduction kReductions[] = {ScatterReduction::none, ScatterReduction::add, ScatterReduction::mul, ScatterReduction::min,
                                            ScatterReduction::max};

struct Draw {
  Random& r;
  bool large = r.chance(0.06);
  bool bad = r.chance(0.08);
  DType type = kAllTypes[r.integer(0, 13)];

  int64_t dim(int rank) const {
    constexpr int64_t kSmall[] = {0, 60, 20, 9, 6, 4, 3, 2, 2}, kLarge[] = {0, 40000, 220, 38, 15, 9, 6, 5, 4};
    return r.chance(0.02) ? 0 : r.chance(0.15) ? 1 : r.integer(large ? kLarge[rank] / 2 : 1, large ? kLarge[rank] : kSmall[rank]);
  }
  Dims dims(int rank) const {
    Dims d;
    for (int i = 0; i < rank; ++i) d.push_back(dim(rank));
    return d;
  }
  // So many picks that what is moved, `each` elements at each of them, stays below 60,000 elements.
  Dims picks(int rank, int64_t each) const {
    Dims d = dims(rank);
    for (int64_t& v : d)
      while (v > 1 && element_count(d) > 60000 / std::max(each, int64_t{1})) v = (v + 1) / 2;
    return d;
  }
  OwnedTensor tensor(const Dims& d) const { return std::move(OwnedTensor(type, d, any_layout(r), &r).fill(r, 0.1)); }
  // bound(position) is the size of the axis that the index at a logical position looks up.
  template <class F> OwnedTensor indices(const Dims& d, F&& bound) const {
    const bool wide = r.chance(0.5);
    OwnedTensor t(wide ? DType::i64 : DType::i32, d, any_layout(r), &r);
    const int64_t worst = bad && element_count(d) > 0 ? r.integer(0, element_count(d) - 1) : -1;
    t.each([&](int64_t i, std::byte* p) {
      const int64_t n = bound(i);
      int64_t v = n > 0 ? r.integer(-n, n - 1) : 0;
      if (worst >= 0 && i >= worst && (i == worst || r.chance(0.1))) {
        v = r.chance(0.5) ? n : -n - 1;
        if (r.chance(0.3)) v = v > 0 ? (wide ? INT64_MAX : INT32_MAX) : (wide ? INT64_MIN : INT32_MIN);
      }
      std::memcpy(p, &v, wide ? 8 : 4);
    });
    return t;
  }
};

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

OwnedTensor widened(const OwnedTensor& half) {
  OwnedTensor wide = half.with_dtype(DType::f32);
  const bool f16 = half.view().dtype == DType::f16;
  std::vector<float> numbers;
  half.each([&](int64_t, std::byte* p) {
    uint16_t bits;
    std::memcpy(&bits, p, 2);
    numbers.push_back(f16 ? stored::f16_to_f32(bits) : stored::bf16_to_f32(bits));
  });
  wide.each([&](int64_t i, std::byte* p) { std::memcpy(p, &numbers[static_cast<size_t>(i)], 4); });
  return wide;
}

// Kernels that combine or compare 16-bit floats do what the f32 reference does with the same numbers, and round once.
void expect_rounded_once(const OperatorPtr& op, const std::vector<OwnedTensor>& in, Random& r) {
  const DType half = in[0].view().dtype;
  std::vector<OwnedTensor> wide;
  for (const OwnedTensor& t : in) wide.push_back(t.view().dtype == half ? widened(t) : t);
  const Outcome want = run_all(op, wide, &r);
  testing::Run run{op.get()};
  run.in = in;
  for (Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  int compared = 0;
  for (const HostKernel* k : runnable(half_kernels())) {
    if (k->key().op != op->kind()) continue;
    run.threads = static_cast<int>(r.integer(1, 2));
    run.out_layouts = {any_layout(r), any_layout(r)};
    const Outcome got = run_kernel(*k, run, &r);
    ASSERT_EQ(got.refusal, nullptr) << k->name() << ": " << got.refusal;
    EXPECT_EQ(want.status.message(), got.status.message()) << k->name();
    ++compared;
    if (!want.status.ok() || !got.status.ok()) continue;
    EXPECT_TRUE(same_bits(as_half(want.out[0], half, r, 0), got.out[0])) << k->name() << " " << dtype_name(half) << " " << describe(*op);
    for (size_t i = 1; i < got.out.size(); ++i) EXPECT_TRUE(same_bits(want.out[i], got.out[i])) << k->name();
  }
  EXPECT_GT(compared, 0) << op->name();
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

TEST(TopK, OrdersByValueThenIndexWithNaNAbove) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const OwnedTensor x = of<float>(DType::f32, {6}, {1, 3, nan, 3, -2, 0});
  TopK::Attributes a;
  a.k = 4;
  const Outcome large = run_all(*TopK::make(a), {x});
  EXPECT_EQ(values<int64_t>(large.out[1]), (std::vector<int64_t>{2, 1, 3, 0}));
  a.largest = false;
  const Outcome small = run_all(*TopK::make(a), {x});
  EXPECT_EQ(values<int64_t>(small.out[1]), (std::vector<int64_t>{4, 5, 0, 1}));
  EXPECT_EQ(values<float>(small.out[0]), (std::vector<float>{-2, 0, 1, 3}));
}

TEST(TopK, AnyAxisLayoutAndThreadsAgreeWithASort) {
  Random r(43);
  for (int n = 0; n < 30; ++n) {
    const int rank = static_cast<int>(r.integer(1, 3));
    Dims d;
    for (int i = 0; i < rank; ++i) d.push_back(r.integer(1, n < 25 ? 12 : 40));
    TopK::Attributes a;
    a.axis = static_cast<int>(r.integer(0, rank - 1));
    a.k = r.integer(0, d[a.axis]);
    a.largest = r.chance(0.5);
    const OwnedTensor x = std::move(OwnedTensor(DType::i32, d, any_layout(r), &r).fill(r));
    const Outcome o = run_all(*TopK::make(a), {x}, &r);
    ASSERT_TRUE(o.status.ok());
    // Line by line against std::stable_sort.
    const auto all = values<int32_t>(x), got = values<int32_t>(o.out[0]);
    int64_t inner = 1, outer = 1;
    for (int i = a.axis + 1; i < rank; ++i) inner *= d[i];
    for (int i = 0; i < a.axis; ++i) outer *= d[i];
    const int64_t size = d[a.axis], k = a.k.number();
    for (int64_t q = 0; q < outer; ++q)
      for (int64_t p = 0; p < inner; ++p) {
        std::vector<int32_t> line;
        for (int64_t i = 0; i < size; ++i) line.push_back(all[static_cast<size_t>((q * size + i) * inner + p)]);
        std::stable_sort(line.begin(), line.end(), [&](int32_t u, int32_t v) { return a.largest ? u > v : u < v; });
        for (int64_t i = 0; i < k; ++i) ASSERT_EQ(got[static_cast<size_t>((q * k + i) * inner + p)], line[static_cast<size_t>(i)]);
      }
  }
}

// Long lines: few of many, all of many, with ties, both zeros, infinities and NaNs.
template <class T> void expect_long_lines_sorted(DType dtype) {
  Random r(47);
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
  for (int turn = 0; turn < 40; ++turn) {
    const int64_t n = r.integer(200, 3000), k = r.chance(0.3) ? n : r.integer(1, r.chance(0.5) ? 20 : n);
    OwnedTensor x(dtype, {2, n});
    T* const data = x.view().as<T>();
    const int64_t spread = r.chance(0.5) ? 5 : 100;
    const bool special = std::is_floating_point_v<T> && r.chance(0.5);
    for (int64_t i = 0; i < 2 * n; ++i) {
      const int64_t v = r.integer(std::is_signed_v<T> ? -spread : 0, spread);
      data[i] = static_cast<T>(v);
      if constexpr (std::is_floating_point_v<T>)
        if (special && r.chance(0.2)) data[i] = static_cast<T>(v % 4 == 0 ? -0.0 : v % 4 == 1 ? kInf : v % 4 == 2 ? -kInf : kNaN);
      if (r.chance(0.1)) data[i] = r.chance(0.5) ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
    TopK::Attributes a;
    a.axis = 1;
    a.k = k;
    a.largest = r.chance(0.5);
    const Outcome o = run_all(*TopK::make(a), {x}, &r);
    ASSERT_TRUE(o.status.ok());
    const auto got = values<int64_t>(o.out[1]);
    for (int64_t line = 0; line < 2; ++line) {
      const T* const from = data + line * n;
      std::vector<int64_t> order(static_cast<size_t>(n));
      std::iota(order.begin(), order.end(), int64_t{0});
      const auto less = [](T u, T v) { return v != v ? u == u : u < v; };
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t u, int64_t v) { return a.largest ? less(from[v], from[u]) : less(from[u], from[v]); });
      for (int64_t i = 0; i < k; ++i)
        ASSERT_EQ(got[static_cast<size_t>(line * k + i)], order[static_cast<size_t>(i)]) << "n " << n << ", k " << k << ", place " << i;
    }
  }
}
TEST(TopK, LongLinesOfEveryDtypeAgreeWithAStableSort) {
  expect_long_lines_sorted<float>(DType::f32);
  expect_long_lines_sorted<double>(DType::f64);
  expect_long_lines_sorted<int8_t>(DType::i8);
  expect_long_lines_sorted<uint8_t>(DType::u8);
  expect_long_lines_sorted<int16_t>(DType::i16);
  expect_long_lines_sorted<uint16_t>(DType::u16);
  expect_long_lines_sorted<int32_t>(DType::i32);
  expect_long_lines_sorted<uint32_t>(DType::u32);
  expect_long_lines_sorted<int64_t>(DType::i64);
  expect_long_lines_sorted<uint64_t>(DType::u64);
}

TEST(TopK, Of16BitFloatsIsThatOfTheirNumbers) {
  Random r(44);
  for (int n = 0; n < 200 && !HasFailure(); ++n) {
    Draw draw{r};
    draw.type = r.chance(0.5) ? DType::f16 : DType::bf16;
    const int rank = static_cast<int>(r.integer(1, 4));
    const OwnedTensor x = draw.tensor(draw.dims(rank));
    TopK::Attributes a;
    a.axis = static_cast<int>(r.integer(0, rank - 1));
    a.k = r.integer(0, x.view().dims[a.axis]);
    a.largest = r.chance(0.5);
    expect_rounded_once(*TopK::make(a), {x}, r);
  }
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
