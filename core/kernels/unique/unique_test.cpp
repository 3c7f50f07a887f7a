// SPDX-License-Identifier: Apache-2.0
// Unique: groups by hand, and against a definition that compares every two slices, in any layout.
#include "core/kernels/unique/unique.h"

#include "core/kernels/testing/harness.h"
#include "core/ops/operators/unique.h"

namespace anydim::testing {
namespace {

template <class T> OwnedTensor of(DType t, const Dims& d, const std::vector<T>& v) {
  OwnedTensor x(t, d);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
using Numbers = std::vector<int64_t>;
Numbers values(const OwnedTensor& x) {
  Numbers v;
  x.each([&](int64_t, std::byte* p) {
    int64_t y;
    std::memcpy(&y, p, sizeof y);
    v.push_back(y);
  });
  return v;
}

struct Groups {
  Numbers first, inverse, counts;
  int64_t count;
  friend bool operator==(const Groups&, const Groups&) = default;
};

Groups groups_of(const Unique::Attributes& a, const OwnedTensor& x, Random* r = nullptr) {
  const OperatorPtr op = *Unique::make(a);
  testing::Run run{op.get()};
  run.in = {x};
  if (r) run.out_layouts = {Layout::padded_rows, Layout::row_major, Layout::padded_rows};
  std::vector<Groups> found;
  for (const HostKernel* k : unique_kernels()) {
    const Outcome o = run_kernel(*k, run, r);
    EXPECT_EQ(o.refusal, nullptr);
    EXPECT_TRUE(o.status.ok()) << o.status.message();
    found.push_back({values(o.out[0]), values(o.out[1]), values(o.out[2]), values(o.out[3])[0]});
    EXPECT_EQ(found.back(), found.front()) << k->name();
  }
  return found.front();
}

TEST(Unique, NumbersComeInOrderOrAsTheyAreMet) {
  const auto x = of<float>(DType::f32, {6}, {2, 1, 1, 3, 4, 3});
  EXPECT_EQ(groups_of({0, true}, x), (Groups{{1, 0, 3, 4, 0, 0}, {1, 0, 0, 2, 3, 2}, {2, 1, 2, 1, 0, 0}, 4}));
  EXPECT_EQ(groups_of({0, false}, x), (Groups{{0, 1, 3, 4, 0, 0}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1, 0, 0}, 4}));
}

TEST(Unique, NanIsOneValueAboveAllNumbersAndZerosAreOne) {
  const auto x = of<float>(DType::f32, {7}, {NAN, 1, -NAN, -0.f, 0.f, INFINITY, -1});
  EXPECT_EQ(groups_of({0, true}, x), (Groups{{6, 3, 1, 5, 0, 0, 0}, {4, 2, 4, 1, 1, 3, 0}, {1, 2, 1, 1, 2, 0, 0}, 5}));
  const auto h = of<uint16_t>(DType::f16, {5}, {0x7e00, 0x8000, 0, 0xfe01, 0x3c00});
  EXPECT_EQ(groups_of({0, true}, h), (Groups{{1, 4, 0, 0, 0}, {2, 0, 0, 2, 1}, {2, 1, 2, 0, 0}, 3}));
}

TEST(Unique, SlicesAreComparedElementByElement) {
  const auto x = of<int32_t>(DType::i32, {4, 2}, {1, 5, 0, 9, 1, 5, 1, -2});
  EXPECT_EQ(groups_of({0, true}, x), (Groups{{1, 3, 0, 0}, {2, 0, 2, 1}, {1, 1, 2, 0}, 3}));
  EXPECT_EQ(groups_of({1, true}, x), (Groups{{0, 1}, {0, 1}, {1, 1}, 2}));
}

TEST(Unique, NoSliceHasNoGroupAndSlicesOfNothingAreEqual) {
  EXPECT_EQ(groups_of({0, true}, OwnedTensor(DType::f32, {0, 3})), (Groups{{}, {}, {}, 0}));
  EXPECT_EQ(groups_of({1, false}, OwnedTensor(DType::f32, {0, 3})), (Groups{{0, 0, 0}, {0, 0, 0}, {3, 0, 0}, 1}));
}

TEST(Unique, TheAxisLiesWithinTheRank) {
  DimPool pool;
  TensorType y[4];
  const TensorType x{DType::boolean, {3, pool.symbol("n")}};
  ASSERT_TRUE((*Unique::make({1, true}))->infer(pool, {&x, 1}, y).ok());
  EXPECT_EQ(pool.text(y[2].dims), "[n]");
  EXPECT_EQ(pool.text(y[3].dims), "[]");
  EXPECT_NE((*Unique::make({2, true}))->infer(pool, {&x, 1}, y).message().find("x has rank 2; the axis is 2"), std::string::npos);
}

// Slice a against slice b, from the words of the contract.
int compared(const std::vector<float>& x, const Dims& d, int axis, int64_t a, int64_t b) {
  int64_t inner = 1;
  for (int i = axis + 1; i < d.rank; ++i) inner *= d[i];
  const int64_t outer = d[axis] == 0 ? 0 : element_count(d) / d[axis] / inner;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const float u = x[static_cast<size_t>((o * d[axis] + a) * inner + i)], v = x[static_cast<size_t>((o * d[axis] + b) * inner + i)];
      if (u < v || (!std::isnan(u) && std::isnan(v))) return -1;
      if (v < u || (std::isnan(u) && !std::isnan(v))) return 1;
    }
  return 0;
}

TEST(Unique, DrawnTensorsGiveWhatTheDefinitionSays) {
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows, Layout::reversed};
  constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16, DType::i32, DType::i64};
  Random r(72);
  for (int n = 0; n < 300; ++n) {
    Dims d;
    for (int64_t rank = r.integer(1, 4); rank > 0; --rank) d.push_back(r.integer(1, rank == 1 ? 40 : 4));
    const int axis = static_cast<int>(r.integer(0, d.rank - 1));
    const DType t = kTypes[r.integer(0, 8)];
    const bool nan = dtype_is_float(t) && r.chance(0.4);
    OwnedTensor x(t, d, drawn(kLayouts, r), &r);
    std::vector<float> numbers;
    x.each([&](int64_t, std::byte* p) {
      const int64_t small = r.integer(0, 2);
      const float v = nan && r.chance(0.2) ? NAN : static_cast<float>(small);
      numbers.push_back(v);
      switch (t) {
        case DType::f32: std::memcpy(p, &v, 4); break;
        case DType::f64: {
          const double wide = v;
          std::memcpy(p, &wide, 8);
          break;
        }
        case DType::f16:
        case DType::bf16: {
          const uint16_t h = t == DType::f16 ? f32_to_f16(v) : f32_to_bf16(v);
          std::memcpy(p, &h, 2);
          break;
        }
        default: std::memcpy(p, &small, static_cast<size_t>(dtype_size(t)));
      }
    });
    const bool sorted = r.flag();
    Groups want;
    std::vector<int64_t> heads;  // of groups, as they are met
    for (int64_t i = 0; i < d[axis]; ++i)
      if (std::none_of(heads.begin(), heads.end(), [&](int64_t h) { return compared(numbers, d, axis, h, i) == 0; })) heads.push_back(i);
    if (sorted) std::sort(heads.begin(), heads.end(), [&](int64_t a, int64_t b) { return compared(numbers, d, axis, a, b) < 0; });
    want.count = static_cast<int64_t>(heads.size());
    want.first = heads;
    want.first.resize(static_cast<size_t>(d[axis]));
    want.counts.resize(static_cast<size_t>(d[axis]));
    for (int64_t i = 0; i < d[axis]; ++i)
      for (size_t g = 0; g < heads.size(); ++g)
        if (compared(numbers, d, axis, heads[g], i) == 0) {
          want.inverse.push_back(static_cast<int64_t>(g));
          ++want.counts[g];
        }
    ASSERT_EQ(groups_of({axis, sorted}, x, &r), want) << dtype_name(t) << " " << to_string(d) << " axis " << axis;
  }
}

TEST(Unique, ManyNumbersOfFewAndOfManyValuesHaveTheReferencesGroups) {
  Random r(33);
  for (const DType t : {DType::f32, DType::f64, DType::i8, DType::i32, DType::u32, DType::i64, DType::u64})
    for (const int64_t most : {int64_t{3}, int64_t{1000}, int64_t{1} << 40}) {
      OwnedTensor x(t, {r.integer(2000, 6000)});
      x.each([&](int64_t, std::byte* p) {
        const int64_t n = r.integer(-most, most);
        const auto f = static_cast<float>(n);
        const auto d = static_cast<double>(n);
        if (t == DType::f32) std::memcpy(p, &f, 4);
        else if (t == DType::f64) std::memcpy(p, &d, 8);
        else std::memcpy(p, &n, static_cast<size_t>(dtype_size(t)));
      });
      for (const bool sorted : {false, true}) groups_of({0, sorted}, x);
    }
}

// Numbers that a table would all put on one place.
TEST(Unique, NumbersThatMeetInTheTableHaveTheReferencesGroups) {
  Random r(34);
  constexpr int64_t kNumbers = 256;  // a table of 512
  std::vector<int64_t> numbers;
  while (numbers.size() < kNumbers) {
    const int64_t v = r.integer(INT64_MIN, INT64_MAX);
    uint64_t mixed = static_cast<uint64_t>(v) ^ static_cast<uint64_t>(v) >> 32;
    mixed *= 0xd6e8feb86659fd93;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15;
    if (mixed >> 55 == 77) numbers.push_back(v);
  }
  for (int64_t i = 0; i < kNumbers; i += 3) numbers[static_cast<size_t>(i)] = numbers[static_cast<size_t>(r.integer(0, i))];
  for (const bool sorted : {false, true}) groups_of({0, sorted}, of<int64_t>(DType::i64, {kNumbers}, numbers));
}

}  // namespace
}  // namespace anydim::testing
