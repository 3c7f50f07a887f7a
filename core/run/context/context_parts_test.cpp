// SPDX-License-Identifier: Apache-2.0
// The parts of a context by themselves: tensors of a caller, the slots of a shape, its memory, and who places outputs.
#include "core/graph/testing/contexts.h"
#include "core/base/memory/result_memory.h"
#include "core/run/context/caller_tensors.h"
#include "core/run/context/context_pool.h"
#include "core/run/context/host_arena.h"
#include "core/tensor/memory_order.h"
#include "core/run/context/shape_slots.h"

namespace anydim {
namespace {

using namespace testing;

// y [d1, 8] = relu(x [d1, 4] * c)
ProgramPtr product() {
  Builder b;
  const ValueId x = b.input("x", {-1, 4});
  b.output(b.relu(b.matmul(x, b.constant({4, 8}))), "y");
  return compiled(b.graph);
}

ShapeSource source_of(const Program& p, const Dims& dims) {
  CallerTensors caller(p, nullptr, false);
  const TensorView x{nullptr, DType::f32, dims, dense_strides(dims)};
  EXPECT_TRUE(caller.set_inputs({&x, 1}, false).ok());
  return caller.source();
}

TEST(MemoryOrder, GapsDirectionsAndAxesOfOneElementDoNotCount) {
  const auto order = [](const Dims& dims, const Strides& strides) { return order_in_memory({nullptr, DType::f32, dims, strides}); };
  EXPECT_EQ(order({2, 3, 4, 5}, {60, 20, 5, 1}), (Perm{0, 1, 2, 3}));
  EXPECT_EQ(order({2, 3, 4, 5}, {60, 1, 15, 3}), (Perm{0, 2, 3, 1}));
  EXPECT_EQ(order({2, 3, 4, 5}, {-600, 2, -150, 30}), (Perm{0, 2, 3, 1}));
  EXPECT_EQ(order({3, 1, 4}, {1, 77, 3}), (Perm{1, 2, 0}));
  EXPECT_EQ(order({3, 1, 4}, {4, 77, 1}), (Perm{0, 1, 2}));
  EXPECT_EQ(order({3, 5, 4}, {4, 0, 1}), (Perm{0, 1, 2})) << "rows that are repeated";
  EXPECT_EQ(order({}, {}), Perm());
  EXPECT_TRUE(lies_in_rows({nullptr, DType::f32, {1, 3, 1, 5}, {1, 5, 900, -1}}));
  EXPECT_FALSE(lies_in_rows({nullptr, DType::f32, {3, 1, 4}, {1, 77, 3}}));
}

TEST(CallerTensors, InputsAreCheckedAgainstTheProgramAndTheBounds) {
  const ProgramPtr p = product();
  const Bounds bounds{{{Interval{1, 3}, Interval{4, 4}}}};
  CallerTensors caller(*p, &bounds, false);
  std::vector<float> memory(64);
  const auto set = [&](const Dims& dims, DType dtype = DType::f32, bool with_data = true) {
    const TensorView x{with_data ? memory.data() : nullptr, dtype, dims, dense_strides(dims)};
    return caller.set_inputs({&x, 1}, true).code();
  };
  EXPECT_EQ(set({3, 4}), Code::ok);
  EXPECT_EQ(set({4, 4}), Code::out_of_bounds);
  EXPECT_EQ(set({3, 5}), Code::invalid_argument);
  EXPECT_EQ(set({3}), Code::invalid_argument);
  EXPECT_EQ(set({3, 4}, DType::i32), Code::invalid_argument);
  EXPECT_EQ(set({3, 4}, DType::f32, false), Code::invalid_argument) << "without data";
  EXPECT_EQ(caller.set_inputs({}, true).code(), Code::invalid_argument);
}

TEST(CallerTensors, StridesOfAxesWithOneElementAreNoPartOfAShape) {
  const ProgramPtr p = product();
  CallerTensors caller(*p, nullptr, false);
  float row[4] = {};
  TensorView x{row, DType::f32, {1, 4}, {4, 1}};
  ASSERT_TRUE(caller.set_inputs({&x, 1}, true).ok());
  const ShapeSource first = caller.source();
  x.strides[0] = 1000;
  ASSERT_TRUE(caller.set_inputs({&x, 1}, true).ok());
  EXPECT_TRUE(caller.source().same_shape(first));
  x.dims[0] = 0;
  ASSERT_TRUE(caller.set_inputs({&x, 1}, true).ok());
  EXPECT_FALSE(caller.source().same_shape(first));
}

TEST(CallerTensors, AnOutputIsWrittenDirectlyWhereItLiesAsTheProgramHasItAndApartFromInputs) {
  const ProgramPtr p = product();
  CallerTensors caller(*p, nullptr, false);
  std::vector<float> in(8), out(64);
  const TensorView x{in.data(), DType::f32, {2, 4}, {4, 1}}, mine{nullptr, DType::f32, {2, 8}, {8, 1}};
  ASSERT_TRUE(caller.set_inputs({&x, 1}, true).ok());
  TensorView y = mine;
  const auto check = [&] { return caller.check_outputs(0, {&y, 1}, {{&mine, 1}, {}}, {}).code(); };
  ASSERT_EQ(check(), Code::ok);
  EXPECT_FALSE(caller.is_direct(0)) << "nobody provides memory";
  y.data = out.data();
  ASSERT_EQ(check(), Code::ok);
  EXPECT_TRUE(caller.is_direct(0));
  y.strides = {16, 1};
  ASSERT_EQ(check(), Code::ok);
  EXPECT_FALSE(caller.is_direct(0)) << "it is copied to other strides";
  y.strides = {4, 1};
  EXPECT_EQ(check(), Code::invalid_argument) << "two elements at one address";
  y.strides = mine.strides;
  y.dims[0] = 3;
  EXPECT_EQ(check(), Code::invalid_argument);
  y = mine;
  y.data = in.data();
  ASSERT_EQ(check(), Code::ok);
  EXPECT_FALSE(caller.is_direct(0)) << "it lies in an input";
}

TEST(ShapeSlots, AreOfOneShapeUntilAnotherOneIsEvaluated) {
  const ProgramPtr p = product();
  const ShapeSource two = source_of(*p, {2, 4}), three = source_of(*p, {3, 4});
  ShapeSlots slots(*p, two, false);
  EXPECT_FALSE(slots.are_of(two)) << "nothing was evaluated";
  ASSERT_TRUE(slots.evaluate(two).ok());
  EXPECT_TRUE(slots.are_of(two));
  const uint64_t version = slots.version();
  ASSERT_TRUE(slots.evaluate(three).ok());
  EXPECT_FALSE(slots.are_of(two));
  EXPECT_NE(slots.version(), version);
  EXPECT_EQ(value_of(p->outputs[0].dims[0], slots.values()), 3);
}

TEST(ShapeSlots, AShapeThatWasAskedForBetweenRunsGivesWayToTheOneOfTheRun) {
  const ProgramPtr p = product();
  const ShapeSource two = source_of(*p, {2, 4}), three = source_of(*p, {3, 4}), five = source_of(*p, {5, 4});
  ShapeSlots slots(*p, two, false);
  ASSERT_TRUE(slots.evaluate(two).ok());
  ASSERT_TRUE(slots.evaluate_between_runs(three).ok());
  ASSERT_TRUE(slots.evaluate_between_runs(five).ok());
  EXPECT_EQ(value_of(p->outputs[0].dims[0], slots.values()), 5);
  slots.restore();
  EXPECT_TRUE(slots.are_of(two));
  EXPECT_EQ(value_of(p->outputs[0].dims[0], slots.values()), 2);
  ASSERT_TRUE(slots.evaluate_between_runs(three).ok());
  slots.keep();
  slots.restore();
  EXPECT_TRUE(slots.are_of(three)) << "a run follows at that shape";
}

TEST(ShapeSlots, OfAShapeThatAGuardRefusesAreNobodys) {
  const ProgramPtr p = compiled(reshape_by_input());
  CallerTensors caller(*p, nullptr, false);
  int64_t wanted[2] = {5, 5};
  const TensorView in[2] = {{nullptr, DType::f32, {4, 6}, {6, 1}}, {wanted, DType::i64, {2}, {1}}};
  ASSERT_TRUE(caller.set_inputs(in, false).ok());
  ShapeSlots slots(*p, caller.source(), false);
  const Status refused = slots.evaluate(caller.source());
  EXPECT_EQ(refused.code(), Code::invalid_argument);
  EXPECT_NE(refused.message().find("4x6"), std::string::npos) << "it names the inputs' dims: " << refused.message();
  EXPECT_FALSE(slots.are_of(caller.source()));
  wanted[0] = 8, wanted[1] = 3;
  ASSERT_TRUE(caller.set_inputs(in, false).ok());
  EXPECT_TRUE(slots.evaluate(caller.source()).ok());
}

TEST(HostArena, GrowsWithTheShapeAndNotWithinBounds) {
  const ProgramPtr p = compiled(everything());
  const auto place = [&](HostArena* arena, int64_t size) {
    CallerTensors caller(*p, nullptr, false);
    const Dims dims{1, 3, size, size};
    const TensorView x{nullptr, DType::f32, dims, dense_strides(dims)};
    EXPECT_TRUE(caller.set_inputs({&x, 1}, false).ok());
    ShapeSlots slots(*p, caller.source(), false);
    EXPECT_TRUE(slots.evaluate(caller.source()).ok());
    EXPECT_TRUE(arena->size_stage(0, slots.values()).ok());
    EXPECT_TRUE(arena->place_stage(0, false, nullptr).ok());
    return arena->used_bytes();
  };
  ArenaPlan plan;
  ASSERT_TRUE(plan_arena(*p, nullptr, 1, &plan).ok());
  HostArena free(*p, std::move(plan), false, Parallel{1});
  const int64_t small = place(&free, 32), large = place(&free, 64);
  EXPECT_LT(small, large);
  EXPECT_GE(free.bytes(), large);
  EXPECT_EQ(place(&free, 32), small);
  EXPECT_EQ(free.growth_events, 2);

  const Bounds bounds{{{Interval{1, 1}, Interval{3, 3}, Interval{32, 64}, Interval{32, 64}}}};
  ASSERT_TRUE(plan_arena(*p, &bounds, 1, &plan).ok());
  HostArena bounded(*p, std::move(plan), true, Parallel{1});
  ASSERT_TRUE(bounded.allocate(nullptr, 0).ok());
  EXPECT_EQ(place(&bounded, 64), large);
  EXPECT_EQ(bounded.growth_events, 0);
}

TEST(ContextRuns, SlotsOfTheLastRunAreExplainedAlthoughOtherDimsWereAskedFor) {
  const auto context = context_of(product());
  std::mt19937_64 random(3);
  const Tensor two({2, 4}, random), nine({9, 4}, random);
  TensorView y;
  ASSERT_TRUE(context->run({&two.view, 1}, {&y, 1}).ok());
  Dims dims[1];
  ASSERT_TRUE(context->output_dims({&nine.view, 1}, dims).ok());
  EXPECT_EQ(dims[0], (Dims{9, 8}));
  RunReport report;
  ASSERT_TRUE(explain(*context, &report).ok());
  EXPECT_EQ(report.nodes.back().outputs[0].dims, (Dims{2, 8}));
  ASSERT_TRUE(context->run({&two.view, 1}, {&y, 1}).ok());
  EXPECT_EQ(y.dims, (Dims{2, 8}));
}

// Places an output in memory of its own, and moves the input once.
class Placed final : public OutputPlacer {
 public:
  Placed(TensorView* input, std::span<float> memory) : input_(input), memory_(memory) {}
  int calls = 0;

 private:
  Status place(std::span<const Dims> dims, std::span<TensorView> out, bool* moved) override {
    ++calls;
    out[0] = {memory_.data(), DType::f32, dims[0], dense_strides(dims[0])};
    if (input_ == nullptr) return {};
    copy_.assign(input_->as<float>(), input_->as<float>() + input_->count());
    std::fill_n(input_->as<float>(), input_->count(), 1e30f);
    input_->data = copy_.data();
    *moved = true;
    return {};
  }
  Status place_found(size_t, const Dims&, TensorView*) override { return {}; }

  TensorView* input_;
  std::span<float> memory_;
  std::vector<float> copy_;
};

TEST(ContextRuns, APlacerGetsTheDimsOnceAndMayMoveTheInputs) {
  const auto here = context_of(product()), context = context_of(product());
  std::mt19937_64 random(4);
  for (const int64_t rows : {2, 5, 2}) {
    Tensor x({rows, 4}, random);
    TensorView want;
    ASSERT_TRUE(here->run({&x.view, 1}, {&want, 1}).ok());
    std::vector<float> memory(static_cast<size_t>(8 * rows));
    TensorView in = x.view, out;
    Placed placed(rows == 5 ? &in : nullptr, memory);
    ASSERT_TRUE(context->run({&in, 1}, {&out, 1}, {}, &placed).ok());
    EXPECT_EQ(placed.calls, 1);
    EXPECT_EQ(out.data, memory.data());
    EXPECT_EQ(std::memcmp(memory.data(), want.data, memory.size() * sizeof(float)), 0) << rows;
  }
}

TEST(ContextPool, MakesAsManyContextsAsRunAtOnceAndPlacesWhatIsRequested) {
  ContextPool pool(product(), {}, 2, false);
  ASSERT_TRUE(pool.make_first().ok());
  std::mt19937_64 random(5);
  const Tensor x({3, 4}, random);
  TensorView y;
  y.dtype = DType::f32;
  ASSERT_TRUE(pool.run({&x.view, 1}, {&y, 1}, {}).ok());
  EXPECT_EQ(y.dims, (Dims{3, 8}));
  ASSERT_NE(y.data, nullptr);
  ResultMemory::instance().free(y.data);
  const PoolFigures f = pool.figures();
  EXPECT_EQ(f.contexts, 1);
  EXPECT_EQ(f.limit, 2);
  EXPECT_EQ(f.in_use, 0);
}

}  // namespace
}  // namespace anydim
