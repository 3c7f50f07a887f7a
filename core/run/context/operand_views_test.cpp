// SPDX-License-Identifier: Apache-2.0
// What views share, which numbers a new shape writes, and which steps it concerns.
#include "core/run/context/operand_views.h"

#include "core/graph/testing/contexts.h"

namespace anydim {
namespace {

using namespace testing;

// Everything that follows from row-major inputs of these dims.
std::vector<int64_t> slots_of(const Program& p, std::initializer_list<Dims> inputs) {
  std::vector<int64_t> slots(static_cast<size_t>(p.slots()), kBadSlot);
  size_t i = 0;
  for (const Dims& dims : inputs) {
    const Strides strides = dense_strides(dims);
    for (int d = 0; d < dims.rank; ++d) {
      slots[static_cast<size_t>(p.inputs[i].strides[d].expr())] = strides[d];
      const Dim dim = p.inputs[i].dims[d];
      if (!dim.is_number()) slots[static_cast<size_t>(dim.expr())] = dims[d];
    }
    ++i;
  }
  p.stages[0].code.run(slots);
  return slots;
}

size_t step_that_is(const Program& p, OpKind kind, const std::string& output_dims) {
  for (size_t i = 0; i < p.steps.size(); ++i) {
    const Program::Step& s = p.steps[i];
    const SymDims& dims = p.tensor(s.operands[static_cast<size_t>(s.inputs)]).dims;
    std::string text;
    for (Dim d : dims) text += (text.empty() ? "" : ",") + p.dims.text(d);
    if (p.primitive(s)->op().kind() == kind && text == output_dims) return i;
  }
  ADD_FAILURE() << "no such step gives " << output_dims;
  return 0;
}

TEST(OperandViews, AProducerWritesThroughTheViewThatItsReaderHas) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  b.output(b.conv(b.conv(x, 8, 3), 4, 3));
  const ProgramPtr program = compiled(b.graph);
  OperandViews views;
  ASSERT_TRUE(views.prepare(*program).ok());
  const size_t last = program->steps.size() - 1;
  ASSERT_GE(last, 1u);
  for (size_t i = 0; i < last; ++i) EXPECT_EQ(views.step(i).out.data(), views.step(i + 1).in.data());
  EXPECT_EQ(views.step(last).out.data(), views.outputs().data());
  const auto outer = [&](std::span<const TensorView> operands) {
    return views.outer(operands, [&](int32_t b) { return program->buffer(b).kind != Program::Buffer::Kind::arena; });
  };
  EXPECT_TRUE(outer(views.step(0).in)) << "the program's input is the caller's";
  EXPECT_FALSE(outer(views.step(0).out));
  EXPECT_TRUE(outer(views.step(last).out));
}

TEST(OperandViews, WritesTheNumbersThatFollowTheShape) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  b.output(b.conv(b.conv(x, 8, 3, 2), 4, 1));
  const ProgramPtr program = compiled(b.graph);
  OperandViews views;
  ASSERT_TRUE(views.prepare(*program).ok());
  for (const Dims& dims : {Dims{1, 4, 16, 20}, Dims{1, 4, 16, 9}, Dims{3, 4, 16, 9}}) {
    views.follow(0, slots_of(*program, {dims}), false);
    EXPECT_EQ(views.step(0).in[0].dims, dims);
    EXPECT_EQ(views.step(0).in[0].strides, dense_strides(dims));
    const Dims half{dims[0], 8, (dims[2] + 1) / 2, (dims[3] + 1) / 2};
    EXPECT_EQ(views.step(0).out[0].dims, half);
    EXPECT_EQ(views.step(1).in[0].strides, dense_strides(half, channels_last(4)));
  }
}

TEST(OperandViews, AChangedDimConcernsTheStepsThatFollowIt) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  const ValueId gate = b.conv(b.global_average(b.conv(x, 8, 3)), 6, 1);
  b.output(gate);
  const ProgramPtr program = compiled(b.graph);
  OperandViews views;
  ASSERT_TRUE(views.prepare(*program).ok());
  const uint64_t stem = views.step(step_that_is(*program, OpKind::convolution, "d1,8,d2,d3")).follows;
  const uint64_t last = views.step(step_that_is(*program, OpKind::convolution, "d1,6,1,1")).follows;
  EXPECT_EQ(views.follow(0, slots_of(*program, {{1, 4, 16, 16}}), true), ~uint64_t{0}) << "all that is new";
  EXPECT_EQ(views.follow(0, slots_of(*program, {{1, 4, 16, 16}}), false), 0u) << "nothing changed";
  const uint64_t width = views.follow(0, slots_of(*program, {{1, 4, 16, 24}}), false);
  EXPECT_NE(width & stem, 0u);
  EXPECT_EQ(width & last, 0u) << "the pooled plane has no width";
  const uint64_t batch = views.follow(0, slots_of(*program, {{2, 4, 16, 24}}), false);
  EXPECT_NE(batch & stem, 0u);
  EXPECT_NE(batch & last, 0u);
}

}  // namespace
}  // namespace anydim
