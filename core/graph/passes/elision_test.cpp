// SPDX-License-Identifier: Apache-2.0
// Which values share memory and which nodes are left to execute, checked by walking every element of every value at
// actual dims: values that are alive together and unrelated must never meet.
#include "core/graph/passes/elision.h"

#include "core/graph/passes/in_place.h"
#include "core/graph/passes/layout.h"
#include "core/program/reference_values.h"
#include "core/graph/testing/builder.h"

namespace anydim {
namespace {

using testing::Builder;

Perm channels_last_kernels(const Node& n, bool, int index) {
  const OpKind k = n.op->kind();
  return (k == OpKind::convolution || k == OpKind::pooling || k == OpKind::resize) && index == 0 ? channels_last(4) : Perm{};
}

class ElisionTest : public ::testing::Test {
 protected:
  void place(std::vector<EdgeLayout> inputs = {}, std::vector<EdgeLayout> outputs = {}) {
    const std::vector<int64_t> reference = reference_values(b.graph.dims);
    LayoutRequests requests{channels_last_kernels, std::move(inputs), std::move(outputs), reference};
    Status s = propagate_layouts(b.graph, requests);
    ASSERT_TRUE(s.ok()) << s.message();
    s = elide(b.graph, &storage);
    ASSERT_TRUE(s.ok()) << s.message();
    s = b.graph.verify();
    ASSERT_TRUE(s.ok()) << s.message();
  }
  int executing(OpKind kind) {
    int n = 0;
    for (NodeId id : b.graph.order()) n += storage.executes[id] && b.graph.node(id).op->kind() == kind;
    return n;
  }
  int32_t buffer(ValueId v) { return storage.values[v].buffer; }
  const SymView& view(ValueId v) { return storage.values[v].view; }
  std::string text(Dim d) { return b.graph.dims.text(d); }

  Builder b;
  Storage storage;
};

TEST_F(ElisionTest, ConvolutionsWriteIntoTheConcatThatJoinsThem) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId a = b.conv(x, 16, 1), c = b.conv(x, 24, 1), joined = b.concat({a, c}, 1);
  b.output(b.conv(joined, 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(executing(OpKind::concat), 0);
  EXPECT_EQ(executing(OpKind::transpose), 0);
  EXPECT_EQ(buffer(a), buffer(joined));
  EXPECT_EQ(buffer(c), buffer(joined));
  EXPECT_TRUE(view(c).offset.is(16));
  EXPECT_TRUE(view(c).strides[1].is(1));
  EXPECT_TRUE(view(c).strides[3].is(40));
}

TEST_F(ElisionTest, LayersThatReadAllBeforeThemShareTheMemoryOfTheLastConcat) {
  // DenseNet: each layer joins what all layers before it made.
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  std::vector<ValueId> made{b.conv(x, 16, 1)}, joined;
  for (int layer = 0; layer < 4; ++layer) {
    ValueId in = made[0];
    if (made.size() > 1) joined.push_back(in = b.concat(made, 1));
    made.push_back(b.conv(b.relu(in), 8, 3));
  }
  joined.push_back(b.concat(made, 1));
  b.output(b.conv(joined.back(), 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(executing(OpKind::concat) + executing(OpKind::transpose), 0);
  for (ValueId v : made) EXPECT_EQ(buffer(v), buffer(joined.back()));
  for (ValueId v : joined) EXPECT_EQ(buffer(v), buffer(joined.back()));
  EXPECT_TRUE(view(made[3]).offset.is(32));
  EXPECT_TRUE(view(joined[0]).strides[3].is(48));
}

// U-Net++: a layer joins the layers of its row and one from the next row, which lies where later layers of the row will be.
TEST_F(ElisionTest, AConcatsMemoryHoldsWhatAnotherReadsUntilItsOwnPartsAreWritten) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  std::vector<ValueId> row{b.conv(x, 16, 1)}, others, joined;
  for (int layer = 0; layer < 3; ++layer) {
    std::vector<ValueId> in = row;
    in.push_back(others.emplace_back(b.conv(row.back(), 24, 1)));
    joined.push_back(b.concat(in, 1));
    row.push_back(b.conv(b.conv(joined.back(), 16, 3), 16, 3));
  }
  b.output(b.conv(row.back(), 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(executing(OpKind::concat) + executing(OpKind::transpose), 0);
  for (ValueId v : joined) EXPECT_EQ(buffer(v), buffer(row[0]));
  for (ValueId v : others) EXPECT_EQ(buffer(v), buffer(row[0]));
  EXPECT_TRUE(view(others[0]).offset.is(16));
  EXPECT_TRUE(view(row[1]).offset.is(16));
  EXPECT_TRUE(view(joined[0]).strides[3].is(72));
}

TEST_F(ElisionTest, AConcatHoldsThatInFrontOfWhatItSharesToo) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId a = b.conv(x, 16, 1), u = b.conv(a, 8, 1), first = b.concat({u, a}, 1);
  const ValueId c = b.conv(b.conv(first, 16, 3), 16, 3), whole = b.concat({c, a}, 1);
  b.output(b.conv(whole, 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(executing(OpKind::concat) + executing(OpKind::transpose), 0);
  EXPECT_TRUE(view(first).offset.is(8));
  EXPECT_TRUE(view(u).offset.is(8));
  EXPECT_TRUE(view(a).offset.is(16));
}

TEST_F(ElisionTest, NothingLiesThereThatIsReadWhenOrAfterItsPlaceIsWritten) {
  for (const bool later : {false, true}) {
    b = Builder();
    storage = {};
    const ValueId x = b.input("x", {-1, 8, -2, -3});
    const ValueId a = b.conv(x, 16, 1), u = b.conv(a, 8, 1), first = b.concat({a, u}, 1);
    const ValueId c = later ? b.conv(b.conv(first, 16, 3), 16, 3) : b.conv(first, 16, 3), whole = b.concat({a, c}, 1);
    const ValueId y = b.conv(whole, 8, 1);
    b.output(later ? b.plus(y, u) : y);
    place({channels_last(4)}, {channels_last(4)});
    EXPECT_NE(buffer(first), buffer(whole));
    EXPECT_NE(buffer(u), buffer(whole));
    EXPECT_EQ(buffer(a), buffer(whole));
  }
}

TEST_F(ElisionTest, AConcatReadsAnotherOfAdjacentInputsWhereverTheyStand) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId a = b.conv(x, 16, 1), c = b.conv(x, 24, 1), d = b.conv(x, 32, 1);
  const ValueId other = b.concat({c, a}, 1), inner = b.concat({a, c}, 1), outer = b.concat({d, a, c}, 1);
  b.output(b.conv(inner, 4, 1));
  b.output(b.conv(outer, 4, 1));
  b.output(b.conv(other, 4, 1));
  place({channels_last(4)}, {channels_last(4), channels_last(4), channels_last(4)});
  EXPECT_EQ(buffer(inner), buffer(outer));
  EXPECT_TRUE(view(c).offset.is(48));
  EXPECT_NE(buffer(other), buffer(outer));
  EXPECT_TRUE(storage.executes[b.graph.value(other).producer]);
}

TEST_F(ElisionTest, AConcatThatIsAnOutputKeepsItsMemory) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId a = b.conv(x, 16, 1), c = b.conv(x, 24, 1), d = b.conv(x, 32, 1);
  const ValueId inner = b.concat({a, c}, 1), outer = b.concat({a, c, d}, 1);
  b.output(inner);
  b.output(b.conv(outer, 4, 1));
  place({channels_last(4)}, {channels_last(4), channels_last(4)});
  EXPECT_NE(buffer(inner), buffer(outer));
  EXPECT_EQ(buffer(a), buffer(outer));
}

TEST_F(ElisionTest, AStackOfSingleElementsIsInterleavedByACopy) {
  const ValueId x = b.input("x", {-1, 8, 1});
  const ValueId y = b.relu(x), z = b.unary(UnaryFunction::abs, x), w = b.unary(UnaryFunction::neg, x);
  const ValueId two = b.concat({y, z}, 2), three = b.concat({y, z, w}, 2), outer = b.concat({y, w}, 1);
  for (ValueId v : {two, three, outer}) b.output(v);
  place();
  EXPECT_NE(buffer(z), buffer(two));
  EXPECT_TRUE(storage.executes[b.graph.value(two).producer]);
}

TEST_F(ElisionTest, SplitAndConcatOfTheSameChannelsShareOneBuffer) {
  // YOLO's C2f: split a convolution's output, work on one half, join all.
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId whole = b.conv(x, 32, 1), first = b.slice(whole, 1, 0, 16), second = b.slice(whole, 1, 16, 16);
  const ValueId worked = b.plus(second, b.conv(second, 16, 3)), joined = b.concat({first, second, worked}, 1);
  b.output(b.conv(joined, 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(executing(OpKind::concat) + executing(OpKind::slice) + executing(OpKind::transpose), 0);
  EXPECT_EQ(buffer(whole), buffer(joined));
  EXPECT_EQ(buffer(worked), buffer(joined));
  EXPECT_TRUE(view(second).offset.is(16));
  EXPECT_TRUE(view(worked).offset.is(32));
}

TEST_F(ElisionTest, ConcatInputsThatCannotBeWrittenInPlaceAreCopiedAlone) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId a = b.conv(x, 16, 1), joined = b.concat({x, a, a}, 1);
  b.output(b.conv(joined, 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(executing(OpKind::concat), 0);
  EXPECT_EQ(executing(OpKind::transpose), 2);  // the input and the second use of a
  EXPECT_EQ(buffer(a), buffer(joined));
}

TEST_F(ElisionTest, AConcatOfForeignMemoryStaysAConcat) {
  const ValueId x = b.input("x", {-1, 8, -2}), z = b.input("z", {-1, 4, -2});
  b.output(b.relu(b.concat({x, z}, 1)));
  place();
  EXPECT_EQ(executing(OpKind::concat), 1);
  EXPECT_EQ(executing(OpKind::transpose), 0);
}

TEST_F(ElisionTest, WritesThroughReshapesIntoAConcatOfScales) {
  // Two scales N C H W -> N C (H W) -> joined along positions, as in a detection head.
  const ValueId x = b.input("x", {-1, 8, -2, -3}), z = b.input("z", {-1, 8, -4, -5});
  std::vector<ValueId> flat;
  std::vector<ValueId> heads;
  for (ValueId in : {x, z}) {
    const ValueId boxes = b.conv(in, 64, 1), scores = b.conv(in, 18, 1), both = b.concat({boxes, scores}, 1);
    heads.push_back(scores);
    const Dim area = b.graph.dims.mul(b.dims(both)[2], b.dims(both)[3]);
    flat.push_back(b.reshape(both, {b.dims(both)[0], 82, area}));
  }
  const ValueId joined = b.concat(flat, 2);
  b.output(b.unary(UnaryFunction::sigmoid, b.slice(joined, 1, 64, 18)));
  place({channels_last(4), channels_last(4)}, {Perm{0, 2, 1}});
  EXPECT_EQ(executing(OpKind::concat) + executing(OpKind::reshape) + executing(OpKind::transpose) + executing(OpKind::slice), 0);
  EXPECT_EQ(buffer(heads[0]), buffer(joined));
  EXPECT_EQ(buffer(heads[1]), buffer(joined));
  EXPECT_TRUE(view(heads[1]).strides[3].is(82));
}

TEST_F(ElisionTest, AGraphOutputIsWrittenThroughItsReshape) {
  const ValueId x = b.input("x", {-1, -2, 8});
  const ValueId y = b.relu(x), r = b.reshape(y, {b.graph.dims.mul(b.dims(x)[0], b.dims(x)[1]), 8});
  b.output(r);
  place();
  EXPECT_EQ(executing(OpKind::reshape), 0);
  EXPECT_EQ(storage.buffers[buffer(y)].kind, BufferKind::output);
}

TEST_F(ElisionTest, AReshapeThatMixesAxesCopies) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId c = b.conv(x, 16, 1);
  b.output(b.reshape(c, {b.dims(c)[0], 4, b.graph.dims.mul(b.graph.dims.mul(Dim(4), b.dims(c)[2]), b.dims(c)[3])}));
  place({channels_last(4)});
  EXPECT_EQ(executing(OpKind::reshape), 1);
}

TEST_F(ElisionTest, AttentionHeadsAreViews) {
  // N T 360 -> N T 3 8 15 -> 3 N 8 T 15 -> one of three -> N 8 T 15.
  const ValueId x = b.input("x", {-1, -2, 120});
  const ValueId m = b.matmul(x, b.constant({120, 360}));
  const Dim n = b.dims(x)[0], t = b.dims(x)[1];
  const ValueId heads = b.transpose(b.reshape(m, {n, t, 3, 8, 15}), {2, 0, 3, 1, 4});
  const ValueId q = b.reshape(b.slice(heads, 0, 0, 1), {n, 8, t, 15});
  const ValueId k = b.transpose(b.reshape(b.slice(heads, 0, 1, 1), {n, 8, t, 15}), {0, 1, 3, 2});
  const ValueId v = b.reshape(b.slice(heads, 0, 2, 1), {n, 8, t, 15});
  const ValueId y = b.matmul(b.softmax(b.matmul(q, k), 3), v);
  b.output(b.matmul(b.reshape(b.transpose(y, {0, 2, 1, 3}), {n, t, 120}), b.constant({120, 7})));
  place();
  EXPECT_EQ(executing(OpKind::transpose) + executing(OpKind::reshape) + executing(OpKind::slice), 0);
  EXPECT_EQ(buffer(q), buffer(m));
  EXPECT_TRUE(view(v).offset.is(240));
  EXPECT_TRUE(view(k).strides[3].is(360));
}

TEST_F(ElisionTest, ElementWiseNodesWorkInPlaceOnTheLastUse) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId c = b.conv(x, 16, 1), e = b.unary(UnaryFunction::exp, c), s = b.plus(e, c);
  b.output(b.conv(s, 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  EXPECT_EQ(work_in_place(b.graph, &storage), 1);  // exp keeps c alive for the sum; the sum may overwrite exp
  EXPECT_NE(buffer(e), buffer(c));
  EXPECT_TRUE(buffer(s) == buffer(e) || buffer(s) == buffer(c));
}

TEST_F(ElisionTest, NothingIsOverwrittenThatAViewStillReads) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId c = b.conv(x, 16, 1), half = b.slice(c, 1, 0, 8), e = b.unary(UnaryFunction::exp, c);
  b.output(b.conv(b.concat({b.relu(half), b.conv(e, 8, 1)}, 1), 4, 1));
  place({channels_last(4)}, {channels_last(4)});
  work_in_place(b.graph, &storage);
  EXPECT_NE(buffer(e), buffer(c));
}

TEST_F(ElisionTest, BroadcastAndComparisonsDoNotWorkInPlaceOverSmallerOperands) {
  const ValueId x = b.input("x", {-1, 8, -2, -3});
  const ValueId c = b.conv(x, 16, 1), g = b.global_average(c), s = b.times(g, c), less = b.binary(BinaryFunction::less, s, s);
  b.output(less);
  place({channels_last(4)}, {channels_last(4)});
  work_in_place(b.graph, &storage);
  EXPECT_NE(buffer(s), buffer(g));
  EXPECT_EQ(buffer(s), buffer(c));
  EXPECT_NE(buffer(less), buffer(s));
}

}  // namespace
}  // namespace anydim
