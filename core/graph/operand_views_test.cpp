// SPDX-License-Identifier: Apache-2.0
// What views share, which numbers a new shape writes, and which nodes it concerns.
#include "core/graph/operand_views.h"

#include "core/graph/testing/contexts.h"

namespace anydim {
namespace {

using namespace testing;

// Everything that follows from row-major inputs of these dims.
std::vector<int64_t> slots_of(const Model& model, std::initializer_list<Dims> inputs) {
  std::vector<int64_t> slots(static_cast<size_t>(model.program().slots()), kBadSlot);
  size_t i = 0;
  for (const Dims& dims : inputs) {
    const Strides strides = dense_strides(dims);
    for (int d = 0; d < dims.rank; ++d) {
      slots[static_cast<size_t>(model.storage().input_strides[i][d].expr())] = strides[d];
      const Dim dim = model.inputs()[i].dims[d];
      if (!dim.is_number()) slots[static_cast<size_t>(dim.expr())] = dims[d];
    }
    ++i;
  }
  model.program().run(slots);
  return slots;
}

size_t node_that_is(const Model& model, OpKind kind, const std::string& output_dims) {
  for (size_t i = 0; i < model.nodes().size(); ++i) {
    const ModelNode& n = model.nodes()[i];
    const SymDims& dims = model.graph().value(n.operands[static_cast<size_t>(n.inputs)]).type.dims;
    std::string text;
    for (Dim d : dims) text += (text.empty() ? "" : ",") + model.pool().text(d);
    if (n.primitive->op().kind() == kind && text == output_dims) return i;
  }
  ADD_FAILURE() << "no such node gives " << output_dims;
  return 0;
}

TEST(OperandViews, AProducerWritesThroughTheViewThatItsReaderHas) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  b.output(b.conv(b.conv(x, 8, 3), 4, 3));
  const ModelPtr model = compile(b.graph);
  OperandViews views;
  ASSERT_TRUE(views.prepare(*model).ok());
  const size_t last = model->nodes().size() - 1;
  ASSERT_GE(last, 1u);
  for (size_t i = 0; i < last; ++i) EXPECT_EQ(views.node(i).out.data(), views.node(i + 1).in.data());
  EXPECT_EQ(views.node(last).out.data(), views.outputs().data());
  EXPECT_TRUE(views.outer(views.node(0).in)) << "the model's input is the caller's";
  EXPECT_FALSE(views.outer(views.node(0).out));
  EXPECT_TRUE(views.outer(views.node(last).out));
}

TEST(OperandViews, WritesTheNumbersThatFollowTheShape) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  b.output(b.conv(b.conv(x, 8, 3, 2), 4, 1));
  const ModelPtr model = compile(b.graph);
  OperandViews views;
  ASSERT_TRUE(views.prepare(*model).ok());
  for (const Dims& dims : {Dims{1, 4, 16, 20}, Dims{1, 4, 16, 9}, Dims{3, 4, 16, 9}}) {
    views.follow(slots_of(*model, {dims}), false);
    EXPECT_EQ(views.node(0).in[0].dims, dims);
    EXPECT_EQ(views.node(0).in[0].strides, dense_strides(dims));
    const Dims half{dims[0], 8, (dims[2] + 1) / 2, (dims[3] + 1) / 2};
    EXPECT_EQ(views.node(0).out[0].dims, half);
    EXPECT_EQ(views.node(1).in[0].strides, dense_strides(half, channels_last(4)));
  }
}

TEST(OperandViews, AChangedDimConcernsTheNodesThatFollowIt) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  const ValueId gate = b.conv(b.global_average(b.conv(x, 8, 3)), 6, 1);
  b.output(gate);
  const ModelPtr model = compile(b.graph);
  OperandViews views;
  ASSERT_TRUE(views.prepare(*model).ok());
  const uint64_t stem = views.node(node_that_is(*model, OpKind::convolution, "d1,8,d2,d3")).follows;
  const uint64_t last = views.node(node_that_is(*model, OpKind::convolution, "d1,6,1,1")).follows;
  EXPECT_EQ(views.follow(slots_of(*model, {{1, 4, 16, 16}}), true), ~uint64_t{0}) << "all that is new";
  EXPECT_EQ(views.follow(slots_of(*model, {{1, 4, 16, 16}}), false), 0u) << "nothing changed";
  const uint64_t width = views.follow(slots_of(*model, {{1, 4, 16, 24}}), false);
  EXPECT_NE(width & stem, 0u);
  EXPECT_EQ(width & last, 0u) << "the pooled plane has no width";
  const uint64_t batch = views.follow(slots_of(*model, {{2, 4, 16, 24}}), false);
  EXPECT_NE(batch & stem, 0u);
  EXPECT_NE(batch & last, 0u);
}

}  // namespace
}  // namespace anydim
