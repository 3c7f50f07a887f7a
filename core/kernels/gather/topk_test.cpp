// SPDX-License-Identifier: Apache-2.0
// TopK: by hand, and against stable sorts over lines of every length and dtype.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/kernels/gather/gather_run.h"
#include "core/ops/operators/topk.h"

namespace anydim::testing {
namespace {

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

// The best few of lines that lie side by side go in lanes: every dtype, axis and layout, lanes that are no whole number of vectors.
TEST(TopK, LinesSideBySideAgreeWithTheReference) {
  Random r(48);
  constexpr DType kTypes[] = {DType::f32, DType::f32, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32, DType::f64};
  for (int turn = 0; turn < 150 && !HasFailure(); ++turn) {
    Dims d;
    const int rank = static_cast<int>(r.integer(2, 4));
    for (int i = 0; i < rank; ++i) d.push_back(r.integer(1, r.chance(0.3) ? 140 : 24));
    while (element_count(d) > 100000) d[static_cast<int>(r.integer(0, rank - 1))] = r.integer(1, 9);
    TopK::Attributes a;
    a.axis = static_cast<int>(r.integer(0, rank - 1));
    a.k = r.integer(0, std::min<int64_t>(d[a.axis], 9));
    a.largest = r.chance(0.5);
    OwnedTensor x = std::move(OwnedTensor(kTypes[r.integer(0, 8)], d, any_layout(r), &r).fill(r));
    if (x.view().dtype == DType::f32)
      x.each([&](int64_t, std::byte* p) {
        constexpr float kValues[] = {0.f,
                                     -0.f,
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::quiet_NaN(),
                                     1.f,
                                     -1.f};
        if (r.chance(0.5)) std::memcpy(p, &kValues[r.integer(0, 6)], sizeof(float));
      });
    run_all(*TopK::make(a), {x}, &r);
  }
}

// A block of fewer than 16 lines whose last one lies as far from the first as the sixteenth of lines side by side: 2 lines 15 apart, 4 lines
// 5 apart, 6 lines 3 apart, 16 lines side by side.
TEST(TopK, SpareLanesAreNotTakenForNeighbours) {
  Random r(49);
  for (const auto& [lines, apart] : {std::array<int64_t, 2>{18, 15}, {20, 5}, {22, 3}, {16, 1}, {18, 1}}) {
    TopK::Attributes a;
    a.axis = 0;
    a.k = 3;
    for (const DType type : {DType::f32, DType::i16}) {
      const OwnedTensor x = std::move(OwnedTensor(type, {20, lines, apart}).fill(r));
      for (a.largest = false;; a.largest = true) {
        run_all(*TopK::make(a), {x});
        if (a.largest) break;
      }
    }
  }
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

}  // namespace
}  // namespace anydim::testing
