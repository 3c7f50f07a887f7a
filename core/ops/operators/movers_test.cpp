// SPDX-License-Identifier: Apache-2.0
// Shape rules of the spatial and data-moving operators: with numbers, with symbols, and on input that breaks them.
#include <gtest/gtest.h>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_nd.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/scatter_nd.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/topk.h"
#include "core/ops/operators/transpose.h"

namespace anydim {
namespace {

// Infers the first output; its dims as text, or the message of the failure.
std::string inferred(const Result<OperatorPtr>& op, DimPool& pool, std::vector<TensorType> in) {
  if (!op.ok()) return op.status().message();
  std::vector<TensorType> out(static_cast<size_t>((*op)->output_count()));
  const Status s = (*op)->infer(pool, in, out);
  return s.ok() ? pool.text(out[0].dims) : s.message();
}
TensorType f32_of(SymDims d) { return {DType::f32, d}; }
TensorType i64(SymDims d) { return {DType::i64, d}; }
::testing::AssertionResult names(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* p : parts)
    if (text.find(p) == std::string::npos) return ::testing::AssertionFailure() << "'" << text << "' does not say '" << p << "'";
  return ::testing::AssertionSuccess();
}

TEST(MoverShapes, ReshapeResolvesZeroAndMinusOne) {
  DimPool pool;
  const Dim n = pool.symbol("n"), w = pool.symbol("w");
  SymDims to;
  const Dim target[3] = {0, 120, -1};
  ASSERT_TRUE(Reshape::resolve(pool, {n, 120, 1, w}, target, false, &to).ok());
  EXPECT_EQ(pool.text(to), pool.text(SymDims{n, 120, w}));
  const Dim halves[2] = {-1, 2};
  ASSERT_TRUE(Reshape::resolve(pool, {12, 7}, halves, false, &to).ok());
  EXPECT_EQ(to[0].number(), 42);
  const Dim two_open[2] = {-1, -1}, uneven[2] = {-1, 5}, copied[3] = {0, 0, 0}, below[1] = {-3};
  EXPECT_TRUE(names(Reshape::resolve(pool, {4}, two_open, false, &to).message(), {"-1", "one at most"}));
  EXPECT_TRUE(names(Reshape::resolve(pool, {4, 4}, uneven, false, &to).message(), {"16", "5"}));
  EXPECT_TRUE(names(Reshape::resolve(pool, {4, 4}, copied, false, &to).message(), {"dim 2", "rank 2"}));
  EXPECT_TRUE(names(Reshape::resolve(pool, {4}, below, false, &to).message(), {"-3"}));
  const Dim empty[2] = {0, 3};
  ASSERT_TRUE(Reshape::resolve(pool, {4, 0}, empty, true, &to).ok());
  EXPECT_EQ(to[0].number(), 0);
  EXPECT_TRUE(names(inferred(Reshape::make({5, 5}), pool, {f32_of({4, 6})}), {"24", "25"}));
}

TEST(MoverShapes, SliceOfADynamicAxisKeepsTheExpressionPlain) {
  DimPool pool;
  const Dim w = pool.symbol("w");
  Dim first, length;
  ASSERT_TRUE(Slice::normalise(pool, w, 0, INT64_MAX, 1, &first, &length).ok());
  EXPECT_TRUE(first.is(0));
  EXPECT_EQ(length, w);
  ASSERT_TRUE(Slice::normalise(pool, w, -1, INT64_MIN, -1, &first, &length).ok());
  EXPECT_TRUE(pool.provably_equal(length, w)) << pool.text(length);
  EXPECT_TRUE(names(inferred(Slice::make({2}, {1}, {5}), pool, {f32_of({6})}), {"axis 0", "5 elements", "6"}));
  EXPECT_EQ(inferred(Slice::make({5}, {-2}, {3}), pool, {f32_of({6})}), "[3]");
  EXPECT_TRUE(names(inferred(Slice::make({0}, {0}, {1}), pool, {f32_of({6})}), {"step"}));
}

TEST(MoverShapes, ConcatAddsDimsAndComparesTheOthers) {
  DimPool pool;
  const Dim h = pool.symbol("h");
  EXPECT_EQ(inferred(Concat::make(1), pool, {f32_of({2, 3, h}), f32_of({2, 4, h})}), pool.text(SymDims{2, 7, h}));
  EXPECT_TRUE(names(inferred(Concat::make(1), pool, {f32_of({2, 3, 8}), f32_of({2, 4, 9})}), {"input 1", "dim 2", "9", "8"}));
  EXPECT_TRUE(names(inferred(Concat::make(0), pool, {f32_of({2}), i64({2})}), {"i64", "f32"}));
  EXPECT_TRUE(names(inferred(Concat::make(2), pool, {f32_of({2})}), {"rank 1", "axis is 2"}));
}

TEST(MoverShapes, PadTileExpandTranspose) {
  DimPool pool;
  const Dim w = pool.symbol("w");
  EXPECT_EQ(inferred(Pad::make(Pad::Mode::constant, {1, 0}, {2, -3}), pool, {f32_of({4, 9})}), "[7, 6]");
  EXPECT_TRUE(names(inferred(Pad::make(Pad::Mode::constant, {-5}, {0}), pool, {f32_of({4})}), {"axis 0", "-1"}));
  EXPECT_TRUE(names(inferred(Pad::make(Pad::Mode::edge, {1}, {0}), pool, {f32_of({0})}), {"dim 0"}));
  EXPECT_EQ(inferred(Tile::make({2, 3}), pool, {f32_of({4, 5})}), "[8, 15]");
  EXPECT_TRUE(names(inferred(Tile::make({INT64_C(1) << 40, 1}), pool, {f32_of({INT64_C(1) << 40, 1})}), {"overflows"}));
  EXPECT_EQ(inferred(Expand::make({3, 1}), pool, {f32_of({1, w})}), pool.text(SymDims{3, w}));
  EXPECT_FALSE(inferred(Expand::make({3}), pool, {f32_of({2})}).starts_with("["));
  EXPECT_EQ(inferred(Transpose::make({2, 0, 1}), pool, {f32_of({1, 2, w})}), pool.text(SymDims{w, 1, 2}));
  EXPECT_TRUE(names(inferred(Transpose::make({0, 0}), pool, {f32_of({1, 2})}), {"perm[1]", "0"}));
  EXPECT_TRUE(names(inferred(DepthToSpace::make(2, DepthToSpace::Order::depth_first), pool, {f32_of({1, 6, 2, 2})}), {"dim 1", "6", "4"}));
}

TEST(MoverShapes, GatherScatterAndOneHot) {
  DimPool pool;
  const Dim n = pool.symbol("n");
  EXPECT_EQ(inferred(Gather::make(1), pool, {f32_of({4, 5, 6}), i64({2, n})}), pool.text(SymDims{4, 2, n, 6}));
  EXPECT_EQ(inferred(GatherNd::make(0), pool, {f32_of({4, 5, 6}), i64({n, 2})}), pool.text(SymDims{n, 6}));
  EXPECT_TRUE(names(inferred(GatherNd::make(0), pool, {f32_of({4}), i64({3, 2})}), {"last dim is 2", "1 to 1"}));
  EXPECT_TRUE(names(inferred(ScatterNd::make(), pool, {f32_of({4, 5}), i64({3, 1}), f32_of({3, 6})}), {"input 2", "6", "5"}));
  EXPECT_EQ(inferred(OneHot::make(1, 7), pool, {i64({n, 3}), f32_of({2})}), pool.text(SymDims{n, 7, 3}));
  EXPECT_TRUE(names(inferred(Gather::make(0), pool, {f32_of({4}), f32_of({2})}), {"input 1", "f32", "i64"}));
  TopK::Attributes a;
  a.k = 9;
  EXPECT_TRUE(names(inferred(TopK::make(a), pool, {f32_of({4})}), {"k is 9", "4"}));
}

// A verbose line may claim any dims.
TEST(SensibleIndices, StayWithinTheSmallestAxisThatTheyWalkHoweverDeepTheyClaimToBe) {
  const auto op = GatherNd::make(1);
  ASSERT_TRUE(op.ok());
  const auto last = [&](const Dims& data, const Dims& indices) { return (*op)->sensible_values(std::vector<Dims>{data, indices}, 1).high; };
  EXPECT_EQ(last({2, 7, 5, 3}, {2, 4, 2}), 4);
  EXPECT_EQ(last({2, 7, 5, 3}, {2, 4, INT32_MAX}), 2);
  EXPECT_EQ(last({2, 7, 5, 3}, {2, 4, 0}), 0);
  EXPECT_EQ(last({}, {}), 0);
}

TEST(MoverShapes, DimAttributesCanBeReplaced) {
  DimPool pool;
  const Dim n = pool.symbol("n");
  const auto op = *Reshape::make({n, 6});
  const Dim numbers[2] = {4, 6};
  const auto fixed = op->with_dim_attributes(numbers);
  ASSERT_NE(fixed, nullptr);
  EXPECT_EQ(inferred(fixed, pool, {f32_of({24})}), "[4, 6]");
  EXPECT_FALSE(same_operator(*op, *fixed));
  EXPECT_EQ((*Transpose::make({0}))->with_dim_attributes({}), nullptr);
}

TEST(PoolingShape, FollowsTheWindowWithSymbols) {
  DimPool pool;
  const Dim h = pool.symbol("h", {1, 4096, -1, 1});
  Pooling::Attributes a;
  a.window[0] = 3;
  a.window[1] = 2;
  a.strides[0] = 3;
  a.strides[1] = 2;
  EXPECT_EQ(inferred(Pooling::make(a), pool, {f32_of({1, 8, 3, 40})}), "[1, 8, 1, 20]");
  a.auto_pad = AutoPad::same_upper;
  EXPECT_EQ(inferred(Pooling::make(a), pool, {f32_of({1, 8, h, 40})}), pool.text(SymDims{1, 8, pool.ceil_div(h, 3), 20}));
  a.auto_pad = AutoPad::explicit_;
  EXPECT_EQ(inferred(Pooling::make(a), pool, {f32_of({1, 8, 2, 40})}), "[1, 8, 0, 20]");  // the window fits nowhere
  a.global = true;
  EXPECT_EQ(inferred(Pooling::make(a), pool, {f32_of({2, 8, h, 40})}), "[2, 8, 1, 1]");
  a = {};
  a.window[0] = 0;
  EXPECT_TRUE(names(inferred(Pooling::make(a), pool, {}), {"window[0]", "0"}));
  a = {};
  a.kind = Pooling::Kind::average;
  a.indices = true;
  EXPECT_TRUE(names(inferred(Pooling::make(a), pool, {}), {"indices"}));
}

}  // namespace
}  // namespace anydim
