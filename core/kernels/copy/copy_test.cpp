// SPDX-License-Identifier: Apache-2.0
// The movers: every kernel against the reference on random problems, and the reference against examples by hand.
#include "core/kernels/copy/copy.h"

#include <algorithm>

#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/transpose.h"

namespace anydim::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::row_major,   Layout::channels_last,        Layout::permuted,
                               Layout::padded_rows, Layout::padded_channels_last, Layout::reversed};
constexpr DType kTypes[] = {DType::f32, DType::f32, DType::i64, DType::f16, DType::u8, DType::i32, DType::boolean};

Layout any_layout(Random& r) { return drawn(kLayouts, r); }
DType any_type(Random& r) { return kTypes[r.integer(0, 6)]; }
Dims any_dims(Random& r, int rank, int64_t most) {
  Dims d;
  for (int i = 0; i < rank; ++i) d.push_back(r.chance(0.03) ? 0 : r.chance(0.15) ? 1 : r.integer(1, most));
  return d;
}
SymDims symbols(const Dims& d) {
  SymDims s;
  for (int64_t v : d) s.push_back(v);
  return s;
}

const HostKernel* reference_of(OpKind op) {
  for (const HostKernel* k : copy_kernels())
    if (k->key().op == op && std::string(k->name()).ends_with("reference")) return k;
  return nullptr;
}

// Runs every kernel for the operator on `r` and compares with the reference.
void compare(testing::Run& r, Random& random, const std::string& what) {
  r.dim_attributes.clear();
  for (Dim d : r.op->dim_attributes()) r.dim_attributes.push_back(d.number());
  r.threads = 1;
  const Outcome truth = run_kernel(*reference_of(r.op->kind()), r, &random);
  ASSERT_TRUE(truth.status.ok()) << what << ": " << truth.status.message();
  for (const HostKernel* k : runnable(copy_kernels())) {
    if (k->key().op != r.op->kind()) continue;
    r.threads = static_cast<int>(random.integer(1, 2));
    r.out_layouts = {any_layout(random)};
    const Outcome o = run_kernel(*k, r, &random);
    ASSERT_TRUE(o.status.ok()) << k->name() << " " << what << ": " << o.status.message();
    ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << what << " " << to_string(r.in[0].view().dims);
  }
}

OwnedTensor tensor(Random& r, DType t, const Dims& d) { return std::move(OwnedTensor(t, d, any_layout(r), &r).fill(r, 0.1)); }

TEST(Movers, TransposeEqualsTheReferenceInAnyLayout) {
  Random r(1);
  for (int n = 0; n < 150; ++n) {
    const int rank = static_cast<int>(r.integer(0, 5));
    Perm perm;
    for (int i = 0; i < rank; ++i) perm.push_back(i);
    for (int i = rank - 1; i > 0; --i) std::swap(perm[i], perm[static_cast<int>(r.integer(0, i))]);
    const auto op = *Transpose::make(perm);
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), any_dims(r, rank, rank > 3 ? 19 : 60))};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, LargeLayoutChangesAreCutOverThreads) {
  Random r(2);
  const auto op = *Transpose::make({0, 1, 2, 3});
  for (const Dims& d : {Dims{1, 3, 101, 170}, Dims{2, 40, 17, 38}, Dims{1, 257, 1, 203}, Dims{3, 1, 130, 131}})
    for (Layout in : {Layout::row_major, Layout::channels_last})
      for (Layout out : {Layout::row_major, Layout::channels_last})
        for (const HostKernel* k : runnable(copy_kernels())) {
          if (k->key().op != OpKind::transpose) continue;
          testing::Run run{op.get()};
          run.in = {std::move(OwnedTensor(DType::f32, d, in, &r).fill(r))};
          run.out_layouts = {out};
          run.threads = 2;
          const Outcome o = run_kernel(*k, run, &r);
          ASSERT_TRUE(o.status.ok());
          ASSERT_TRUE(same_bits(run.in[0], o.out[0])) << k->name() << to_string(d);
        }
}

TEST(Movers, ReshapeKeepsLogicalOrderInAnyLayout) {
  Random r(3);
  for (int n = 0; n < 150; ++n) {
    // Random factors, grouped in two ways.
    std::vector<int64_t> factors;
    for (int64_t i = r.integer(0, 6); i > 0; --i) factors.push_back(r.chance(0.02) ? 0 : r.integer(1, 7));
    auto grouped = [&] {
      Dims d;
      for (int64_t f : factors) {
        if (d.rank == 0 || r.chance(0.5)) d.push_back(f);
        else d.back() *= f;
      }
      return d;
    };
    const Dims from = grouped();
    if (r.chance(0.4)) std::shuffle(factors.begin(), factors.end(), r.engine());  // most then share no box
    const Dims to = grouped();
    const auto op = *Reshape::make(symbols(to));
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), from)};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
  const auto op = *Reshape::make({Dim(8), Dim(3)});  // no common factor: no box
  testing::Run run{op.get()};
  run.in = {std::move(OwnedTensor(DType::f32, {6, 4}, Layout::padded_rows, &r).fill(r))};
  compare(run, r, "6x4 as 8x3");
}

TEST(Movers, ExpandRepeatsByNumpysRule) {
  Random r(4);
  for (int n = 0; n < 100; ++n) {
    const Dims to = any_dims(r, static_cast<int>(r.integer(0, 5)), 17);
    Dims from;
    for (int i = static_cast<int>(r.integer(0, to.rank)); i < to.rank; ++i) from.push_back(r.chance(0.5) ? 1 : to[i]);
    const auto op = *Expand::make(symbols(to));
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), from)};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, SliceTakesAnyStartStepAndLength) {
  Random r(5);
  for (int n = 0; n < 150; ++n) {
    const int rank = static_cast<int>(r.integer(1, 5));
    const Dims d = any_dims(r, rank, 20);
    DimPool pool;
    SymDims starts, lengths;
    RankArray<int64_t> steps;
    for (int i = 0; i < rank; ++i) {
      steps.push_back(r.chance(0.3) ? -r.integer(1, 3) : r.integer(1, 3));
      Dim first, length;
      ASSERT_TRUE(Slice::normalise(pool, d[i], r.integer(-25, 25), r.integer(-25, 25), steps[i], &first, &length).ok());
      starts.push_back(first);
      lengths.push_back(length);
    }
    const auto op = *Slice::make(starts, steps, lengths);
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), d)};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, OnnxSliceBoundsAreNormalisedAsNumpyDoes) {
  DimPool pool;
  Dim first, length;
  auto check = [&](int64_t dim, int64_t start, int64_t end, int64_t step, int64_t f, int64_t n) {
    ASSERT_TRUE(Slice::normalise(pool, dim, start, end, step, &first, &length).ok());
    EXPECT_EQ(length.number(), n) << dim << "[" << start << ":" << end << ":" << step << "]";
    if (n == 0) return;  // an empty slice begins anywhere
    EXPECT_EQ(first.number(), f) << dim << "[" << start << ":" << end << ":" << step << "]";
  };
  check(10, 2, 7, 2, 2, 3);
  check(10, -3, INT64_MAX, 1, 7, 3);
  check(10, INT64_MAX, INT64_MIN, -1, 9, 10);
  check(10, -1, -11, -3, 9, 4);
  check(10, 8, 3, 1, 0, 0);
  check(10, 100, 200, 1, 0, 0);
  check(0, 0, 5, 1, 0, 0);
  check(5, 4, -100, -1, 4, 5);
  check(10, INT64_MIN, INT64_MAX, 3, 0, 4);
  check(10, INT64_MAX, INT64_MIN, INT64_MIN, 9, 1);
  check(10, 0, INT64_MAX, INT64_MAX, 0, 1);
  check(10, INT64_MIN, INT64_MIN, INT64_MAX, 0, 0);
  EXPECT_FALSE(Slice::normalise(pool, 5, 0, 5, 0, &first, &length).ok());
}

TEST(Movers, ConcatJoinsInputsOfAnyLayout) {
  Random r(6);
  for (int n = 0; n < 100; ++n) {
    const int rank = static_cast<int>(r.integer(1, 5)), axis = static_cast<int>(r.integer(0, rank - 1));
    const Dims d = any_dims(r, rank, 14);
    const DType t = any_type(r);
    const auto op = *Concat::make(axis);
    testing::Run run{op.get()};
    for (int64_t i = r.integer(1, 5); i > 0; --i) {
      Dims part = d;
      part[axis] = r.integer(0, 20);
      run.in.push_back(tensor(r, t, part));
    }
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, ConcatOfSingleElementsInterleavesThemInAnyOrderOfTheOtherAxes) {
  Random r(19);
  for (int n = 0; n < 150; ++n) {
    const int rank = static_cast<int>(r.integer(1, 4)), axis = r.chance(0.7) ? rank - 1 : static_cast<int>(r.integer(0, rank - 1));
    Dims d = any_dims(r, rank, r.chance(0.1) ? 70 : 14);
    d[axis] = 1;
    const DType t = r.chance(0.7) ? DType::f32 : any_type(r);
    const Layout layout = r.chance(0.6) ? Layout::row_major : r.chance(0.5) ? Layout::permuted : Layout::padded_rows;
    const auto op = *Concat::make(axis);
    testing::Run run{op.get()};
    for (int64_t i = r.integer(1, 5); i > 0; --i) {
      run.in.emplace_back(t, d, layout, &r);
      run.in.back().fill(r, 0.1);
    }
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, PadFillsReflectsRepeatsAndCrops) {
  Random r(7);
  for (int n = 0; n < 250; ++n) {
    const int rank = static_cast<int>(r.integer(1, 4));
    Dims d = any_dims(r, rank, 12);
    const auto mode = static_cast<Pad::Mode>(r.integer(0, 3));
    SymDims before, after;
    const double crops = r.chance(0.5) ? 0.1 : 0.5;
    for (int i = 0; i < rank; ++i) {
      if (mode != Pad::Mode::constant && d[i] == 0) d[i] = 3;
      auto count = [&] { return r.chance(0.4) ? 0 : r.chance(crops) ? r.integer(-d[i] / 2, 0) : r.integer(0, 15); };
      before.push_back(count());
      after.push_back(count());
    }
    const auto op = *Pad::make(mode, before, after);
    const DType t = any_type(r);
    testing::Run run{op.get()};
    run.in = {tensor(r, t, d)};
    if (r.chance(0.5)) run.in.push_back(tensor(r, t, {}));
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, TileAndDepthToSpaceEqualTheReference) {
  Random r(8);
  for (int n = 0; n < 80; ++n) {
    const Dims d = any_dims(r, static_cast<int>(r.integer(0, 5)), 7);
    SymDims repeats;
    for (int i = 0; i < d.rank; ++i) repeats.push_back(r.integer(0, 4));
    const auto op = *Tile::make(repeats);
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), d)};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
  for (int n = 0; n < 80; ++n) {
    const int64_t b = r.integer(1, 4);
    const bool inverse = r.chance(0.4);
    const auto order = inverse || r.chance(0.5) ? DepthToSpace::Order::depth_first : DepthToSpace::Order::column_first;
    const auto op = *DepthToSpace::make(b, order, inverse);
    Dims d = any_dims(r, 4, 7);
    if (inverse) {
      d[2] *= b;
      d[3] *= b;
    } else {
      d[1] *= b * b;
    }
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), d)};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

// What is repeated outermost is made once and copied as a block, in front of which other axes stand or not.
TEST(Movers, LargeTilesEqualTheReference) {
  Random r(81);
  for (int n = 0; n < 40; ++n) {
    const Dims d{r.integer(1, 3), r.integer(1, 12), r.integer(100, 400)};
    SymDims repeats;
    for (const int most : {n % 2 == 0 ? 1 : 4, 6, 3}) repeats.push_back(r.integer(1, most));
    const auto op = *Tile::make(repeats);
    testing::Run run{op.get()};
    run.in = {tensor(r, any_type(r), d)};
    compare(run, r, describe(*op));
    if (HasFatalFailure()) return;
  }
}

TEST(Movers, ReferenceDepthToSpaceFollowsOnnxsExample) {
  // ONNX's documentation: channels 0..7 of a 2x1 plane, block 2; DCR takes channel = (row * 2 + column) * depth + c.
  OwnedTensor x(DType::i32, {1, 8, 1, 2});
  x.each([](int64_t i, std::byte* p) {
    const auto v = static_cast<int32_t>(i);
    std::memcpy(p, &v, 4);
  });
  for (auto [order, expected] :
       {std::pair{DepthToSpace::Order::depth_first, std::vector<int32_t>{0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15}},
        std::pair{DepthToSpace::Order::column_first, std::vector<int32_t>{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}}}) {
    const auto op = *DepthToSpace::make(2, order);
    testing::Run run{op.get()};
    run.in = {x};
    const Outcome o = run_kernel(*reference_of(OpKind::depth_to_space), run);
    ASSERT_TRUE(o.status.ok());
    for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(o.out[0].get<int32_t>(i), expected[static_cast<size_t>(i)]) << i;
  }
}

TEST(Movers, RefusePostOps) {
  const auto op = *Transpose::make({0});
  testing::Run run{op.get()};
  run.in = {OwnedTensor(DType::f32, {4})};
  run.post_ops.append({.unary = UnaryFunction::relu});
  for (const HostKernel* k : copy_kernels()) {
    if (k->key().op != OpKind::transpose) continue;
    EXPECT_NE(run_kernel(*k, run).refusal, nullptr) << k->name();
  }
}

TEST(Movers, BitCastCopiesInAnyLayout) {
  Random r(31);
  constexpr std::pair<DType, DType> kPairs[] = {
      {DType::f32, DType::u32}, {DType::i64, DType::f64}, {DType::u16, DType::f16}, {DType::i8, DType::u8}};
  for (int n = 0; n < 40; ++n) {
    const auto& [from, to] = kPairs[r.integer(0, 3)];
    const auto op = *BitCast::make(to);
    testing::Run run{op.get()};
    run.in = {tensor(r, from, any_dims(r, static_cast<int>(r.integer(0, 4)), 12))};
    run.threads = 1;
    const Outcome truth = run_kernel(*kBitCastReference, run, &r);
    run.out_layouts = {any_layout(r)};
    const Outcome o = run_kernel(*kBitCastCopy, run, &r);
    ASSERT_EQ(o.refusal, nullptr);
    ASSERT_TRUE(same_bits(truth.out[0], o.out[0]));
  }
}

// Whole squares, those that overlap, lines of a power of two of bytes apart, which go by way of a buffer.
TEST(Movers, TransposesOfSmallElementsEqualTheReference) {
  Random r(32);
  const auto op = *Transpose::make({1, 0});
  for (const DType t : {DType::u8, DType::f16})
    for (const Dims& d : {Dims{2048, 16}, Dims{2048, 17}, Dims{4096, 70}, Dims{1024, 64}, Dims{1030, 33}, Dims{16, 2048}, Dims{100, 99},
                          Dims{15, 80}, Dims{3, 100}, Dims{100, 3}, Dims{3, 16}, Dims{16, 3}, Dims{3, 7}, Dims{1000, 3}}) {
      testing::Run run{op.get()};
      run.in = {std::move(OwnedTensor(t, d, Layout::row_major, &r).fill(r))};
      run.threads = 1;
      const Outcome truth = run_kernel(*reference_of(OpKind::transpose), run, &r);
      for (const HostKernel* k : runnable(copy_kernels())) {
        if (k->key().op != OpKind::transpose) continue;
        run.threads = static_cast<int>(r.integer(1, 2));
        ASSERT_TRUE(same_bits(truth.out[0], run_kernel(*k, run, &r).out[0])) << k->name() << to_string(d);
      }
    }
}

}  // namespace
}  // namespace anydim::testing
