// SPDX-License-Identifier: Apache-2.0
// Which memory orders values get, and where copies are put, with kernels' preferences played by the test: convolution and
// pooling want channels last, the rest takes anything.
#include "core/graph/passes/layout.h"

#include "core/program/reference_values.h"
#include "core/graph/testing/builder.h"

namespace anydim {
namespace {

using testing::Builder;

Perm channels_last_and_outputs(const Node& n, bool output, int index) {
  const OpKind k = n.op->kind();
  const bool wants = (k == OpKind::convolution || k == OpKind::pooling || k == OpKind::resize) && index == 0;
  (void)output;
  return wants ? channels_last(4) : Perm{};
}

class LayoutTest : public ::testing::Test {
 protected:
  void propagate(std::vector<EdgeLayout> inputs = {}, std::vector<EdgeLayout> outputs = {}) {
    reference_ = reference_values(b.graph.dims);
    LayoutRequests requests;
    requests.preferred = channels_last_and_outputs;
    requests.inputs = std::move(inputs);
    requests.outputs = std::move(outputs);
    requests.reference = reference_;
    const Status s = propagate_layouts(b.graph, requests);
    ASSERT_TRUE(s.ok()) << s.message();
    const Status sound = b.graph.verify();
    ASSERT_TRUE(sound.ok()) << sound.message();
  }
  const Perm& order(ValueId v) { return b.graph.value(v).order; }
  int copies() {
    int n = 0;
    for (NodeId id : b.graph.order()) n += is_layout_copy(b.graph.node(id));
    return n;
  }
  Builder b;
  std::vector<int64_t> reference_;
};

TEST_F(LayoutTest, KeepsChannelsLastBetweenConvolutionsAndCopiesAtTheEdgesOnly) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId c1 = b.conv(x, 16, 3), r = b.relu(c1), c2 = b.conv(r, 16, 1), sum = b.plus(c2, r), c3 = b.conv(sum, 4, 1);
  b.output(c3);
  propagate();
  for (ValueId v : {c1, r, c2, sum, c3}) EXPECT_EQ(order(v), channels_last(4));
  EXPECT_EQ(copies(), 2);  // into the first convolution, out of the last
}

TEST_F(LayoutTest, HonoursTheOrdersAskedForAtTheEdges) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  b.output(b.conv(x, 4, 3));
  propagate({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(copies(), 0);
}

TEST_F(LayoutTest, AFreeEdgeTakesTheOrderOfTheAdjacentNode) {
  const ValueId x = b.input("x", {-1, 8, -2, -3}), flat = b.input("flat", {-1, 8});
  const ValueId map = b.conv(x, 4, 3), rows = b.relu(flat);
  b.output(map, "map");
  b.output(rows, "rows");
  propagate({EdgeLayout::Rule::fastest, EdgeLayout::Rule::fastest}, {EdgeLayout::Rule::fastest, EdgeLayout::Rule::fastest});
  EXPECT_EQ(order(x), channels_last(4));
  EXPECT_EQ(order(map), channels_last(4));
  EXPECT_EQ(order(flat), row_major(2));
  EXPECT_EQ(copies(), 0);
}

TEST_F(LayoutTest, AFreeInputGoesWithTheLargerOfItsConsumers) {
  // A matmul over the innermost axis of all of x against a convolution of a narrow slice of it.
  const ValueId x = b.input("x", {-1, 64, -2, 32});
  b.output(b.matmul(x, b.constant({32, 32})), "rows");
  b.output(b.conv(b.slice(x, 1, 0, 1), 2, 1), "map");
  propagate({EdgeLayout::Rule::fastest});
  EXPECT_EQ(order(x), row_major(4));
}

TEST_F(LayoutTest, ASoftmaxBesideAFewChannelsHasItsAxisInnermost) {
  const auto weights_of = [&](int64_t channels) {
    const ValueId x = b.input("x" + std::to_string(channels), {-1, 196, 196, channels});
    const ValueId turned = b.transpose(b.relu(x), {0, 3, 1, 2}), weights = b.softmax(turned, 3);
    b.output(b.transpose(weights, {0, 2, 3, 1}));
    return weights;
  };
  const ValueId few = weights_of(4), many = weights_of(64);
  propagate();
  EXPECT_EQ(order(few), row_major(4));
  EXPECT_EQ(order(many), channels_last(4));
}

TEST_F(LayoutTest, AnOutputFollowsTheInputWithMostAxesOfMoreThanOneElement) {
  const Perm swapped{0, 1, 3, 2};
  const ValueId small = b.input("small", {1, 8, 1, 1}), x = b.input("x", {-1, 8, -2, -3});
  b.output(b.plus(x, small), "sum");
  b.output(b.reshape(b.global_average(x), {b.dims(x)[0], 8}), "mean");
  propagate({channels_last(4), swapped}, {EdgeLayout::Rule::follow, EdgeLayout::Rule::follow});
  EXPECT_EQ(order(b.graph.outputs()[0].value), swapped);
  EXPECT_EQ(order(b.graph.outputs()[1].value), row_major(2));
  EXPECT_EQ(b.graph.outputs()[0].follows, 1);
  EXPECT_EQ(copies(), 1);  // for the pooling, which wants channels last
}

TEST_F(LayoutTest, AnOutputFollowsTheOrderThatAFreeInputTook) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  b.output(b.conv(x, 4, 3));
  propagate({EdgeLayout::Rule::fastest}, {EdgeLayout::Rule::follow});
  EXPECT_EQ(order(b.graph.outputs()[0].value), channels_last(4));
  EXPECT_EQ(copies(), 0);
}

TEST_F(LayoutTest, RowsInRowsOut) {
  const ValueId x = b.input("x", {-1, 8, -2, -3}), other = b.input("other", {-1, 8, -2, -3});
  b.output(b.conv(x, 4, 3));
  b.output(b.conv(other, 4, 3));
  propagate({EdgeLayout(), channels_last(4)}, {EdgeLayout::Rule::follow, EdgeLayout::Rule::follow});
  EXPECT_EQ(order(b.graph.outputs()[0].value), row_major(4));
  EXPECT_EQ(order(b.graph.outputs()[1].value), channels_last(4));  // each follows its own
  EXPECT_EQ(copies(), 2);
}

TEST_F(LayoutTest, AnOutputThatNoInputReachesIsRowMajor) {
  b.input("x", {-1, 8, -2, -3});
  b.output(b.relu(b.constant({2, 3})));
  propagate({channels_last(4)}, {EdgeLayout::Rule::follow});
  EXPECT_EQ(order(b.graph.outputs()[0].value), row_major(2));
  EXPECT_EQ(b.graph.outputs()[0].follows, -1);
}

TEST_F(LayoutTest, OneCopyServesEveryConsumer) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  b.output(b.plus(b.conv(x, 4, 3), b.conv(x, 4, 1)));
  propagate({}, {channels_last(4)});
  EXPECT_EQ(copies(), 1);
}

TEST_F(LayoutTest, ChannelsLastWithOneChannelIsRowMajor) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  b.output(b.conv(x, 1, 3));
  propagate({channels_last(4)});
  EXPECT_EQ(copies(), 0);
}

TEST_F(LayoutTest, ReshapeAndTransposeOfAnImageToASequenceCostNothing) {
  // N C 1 W -> N C W -> N W C, as before the recogniser's head.
  const ValueId x = b.input("x", {-1, 8, 1, -3});
  const ValueId c = b.conv(x, 120, 1);
  const ValueId flat = b.reshape(c, {b.dims(c)[0], 120, b.dims(c)[3]}), sequence = b.transpose(flat, {0, 2, 1});
  b.output(b.softmax(b.matmul(sequence, b.constant({120, 30})), 2));
  propagate({channels_last(4)});
  EXPECT_EQ(order(flat), (Perm{0, 2, 1}));
  EXPECT_EQ(order(sequence), (Perm{0, 1, 2}));
  EXPECT_EQ(copies(), 0);
}

TEST_F(LayoutTest, AMatmulWritesTheOrderThatTheTransposeAfterItWants) {
  // Attention: N H T D -> transpose N T H D -> reshape N T (H D).
  const ValueId q = b.input("q", {-1, 8, -2, 15}), k = b.input("k", {-1, 8, 15, -2}), v = b.input("v", {-1, 8, -2, 15});
  const ValueId heads = b.matmul(b.softmax(b.matmul(q, k), 3), v);
  const ValueId joined = b.reshape(b.transpose(heads, {0, 2, 1, 3}), {b.dims(q)[0], b.dims(q)[2], 120});
  b.output(b.matmul(joined, b.constant({120, 120})));
  propagate();
  EXPECT_EQ(order(heads), (Perm{0, 2, 1, 3}));
  EXPECT_EQ(copies(), 0);
}

TEST_F(LayoutTest, AnInputThatIsAnOutputAndAValueThatIsTwoOutputsAreCopied) {
  const ValueId x = b.input("x", {-1, 8});
  const ValueId y = b.relu(x);
  b.output(x, "a");
  b.output(y, "b");
  b.output(y, "c");
  propagate();
  EXPECT_EQ(copies(), 2);
  EXPECT_NE(b.graph.outputs()[0].value, x);
  EXPECT_NE(b.graph.outputs()[1].value, b.graph.outputs()[2].value);
}

}  // namespace
}  // namespace anydim
