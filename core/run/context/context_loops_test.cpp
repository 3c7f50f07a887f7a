// SPDX-License-Identifier: Apache-2.0
// Loops: what they give is what node after node gives, at any trip count, data and shape; within bounds they stay within the memory
// that bounds promise; and what goes wrong in a body says where.
#include "core/base/testing/random.h"
#include "core/graph/testing/control_flow.h"
#include "core/graph/testing/stages.h"

namespace anydim {
namespace {

using namespace testing;

// for i < count: h = relu(h + x) * w; stacked: sum(h), h
Graph counted_loop() {
  Builder b;
  const ValueId count = whole_number(b.graph, "count");
  const ValueId x = b.input("x", {-1, 4});
  LoopParts parts;
  parts.count = count;
  parts.iteration_rank = 0;
  parts.initial = {x};
  parts.stacks.resize(2);
  const ValueId w = b.constant({4});
  auto made = add_loop(b.graph, parts,
                       [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         Nodes n{border.inner()};
                         const ValueId h =
                             n.binary(BinaryFunction::mul,
                                      n.unary(UnaryFunction::relu, n.binary(BinaryFunction::add, in[1], border.value(x))), border.value(w));
                         *results = {h, n.sum(h), h};
                         return Status();
                       },
                       {"loop_1", "Loop"});
  EXPECT_TRUE(made.ok()) << made.status().message();
  b.output((*made)[0], "last");
  b.output((*made)[1], "sums");
  b.output(b.relu((*made)[2]), "all");
  return finished(b);
}

TEST(ControlFlow, ACountedLoopCarriesAndStacks) {
  const Graph graph = counted_loop();
  for (const PassSet set : {PassSet::all, PassSet::none}) {
    const auto context = context_with(graph, set, 1, "the count is an input, so that all sizes are known");
    std::mt19937_64 random(testing::run_seed());
    for (int i = 0; i < 40; ++i) {
      Inputs in;
      in.add(static_cast<int64_t>(random() % 6));
      in.add({static_cast<int64_t>(random() % 5), 4}, random);
      expect_as_reference(graph, *context, in.views);
    }
    Inputs negative;
    negative.add(-3);
    negative.add({2, 4}, random);
    std::vector<TensorView> out(3);
    ASSERT_TRUE(context->run(negative.views, out).ok());
    EXPECT_EQ(to_string(out[2].dims), to_string(Dims{0, 2, 4})) << "a negative count is none";
    EXPECT_TRUE(same_bits(out[0], negative.views[1]));
  }
}

// while sum(h) > 0: h = h * a - x; stacked: h
Graph asking_loop(bool counted) {
  Builder b;
  const ValueId x = b.input("x", {-1});
  LoopParts parts;
  if (counted) parts.count = whole_number(b.graph, "count");
  parts.condition = positive(b.graph, x);
  parts.initial = {x};
  parts.stacks.resize(1);
  parts.has_condition = true;
  auto made = add_loop(b.graph, parts,
                       [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         Nodes n{border.inner()};
                         const ValueId shift = n.unary(UnaryFunction::relu, border.value(x));
                         const ValueId h = n.binary(BinaryFunction::sub, n.binary(BinaryFunction::mul, in[0], n.scalar(0.75f)),
                                                    n.binary(BinaryFunction::mul, shift, n.scalar(0.0625f)));
                         *results = {positive(border.inner(), h), h, h};
                         return Status();
                       },
                       {"while_1", "Loop"});
  EXPECT_TRUE(made.ok()) << made.status().message();
  b.output((*made)[0], "last");
  b.output(b.unary(UnaryFunction::neg, (*made)[1]), "all");
  b.output((*made)[1], "raw");
  return finished(b);
}

TEST(ControlFlow, ALoopGoesOnAsLongAsItsBodySays) {
  const Graph graph = asking_loop(false);
  const ProgramPtr program = compiled(graph);
  EXPECT_EQ(program->stages.size(), 2u);
  const auto context = context_of(program);
  std::mt19937_64 random(testing::run_seed());
  int longest = 0;
  for (int i = 0; i < 60; ++i) {
    Inputs in;
    in.add({static_cast<int64_t>(1 + random() % 40)}, random);
    expect_as_reference(graph, *context, in.views);
    std::vector<TensorView> out(3);
    ASSERT_TRUE(context->run(in.views, out).ok());
    longest = std::max(longest, static_cast<int>(out[1].dims[0]));
  }
  EXPECT_GT(longest, 2);
}

TEST(ControlFlow, WithinBoundsALoopThatAsksTakesTheMemoryOfItsCount) {
  const Graph graph = asking_loop(true);
  const ProgramPtr program = compiled(graph);
  Bounds bounds{{{{0, 40}}}, {{}}};
  int64_t bytes = 0;
  Status s = bytes_needed(*program, bounds, 1, &bytes);
  EXPECT_EQ(s.code(), Code::out_of_bounds) << "a count that data tells has no bound";
  EXPECT_NE(s.message().find("while_1 (Loop)"), std::string::npos) << s.message();
}

// for i < 8 (or while): rows = concat(rows, x), which is cut from the left at 20 rows if `cut`.
Graph growing_loop(bool has_condition, bool shrinks = false) {
  Builder b;
  const ValueId x = b.input("x", {-1, 2});
  LoopParts parts;
  const int64_t eight = 8;
  if (!has_condition) parts.count = b.graph.add_constant("count", ConstantTensor::copy(DType::i64, {}, &eight));
  parts.has_condition = has_condition;
  parts.initial = {x};
  parts.stacks.resize(1);
  auto made = add_loop(
      b.graph, parts,
      [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
        Nodes n{border.inner()};
        const SymDims d = border.inner().value(in[0]).type.dims;
        const ValueId rows = shrinks ? n.slice(in[0], 0, 0, border.inner().dims.floor_div(d[0], 2)) : n.concat({in[0], border.value(x)}, 0);
        const ValueId total = n.sum(rows);
        if (has_condition) results->push_back(positive(border.inner(), rows));
        results->push_back(rows);
        results->push_back(total);
        return Status();
      },
      {"grow_1", "Loop"});
  EXPECT_TRUE(made.ok()) << made.status().message();
  b.output((*made)[0], "rows");
  b.output((*made)[1], "totals");
  b.output(b.relu((*made)[0]), "after");
  return finished(b);
}

TEST(ControlFlow, CarriedValuesMayChangeTheirDims) {
  for (const bool shrinks : {false, true}) {
    const Graph graph = growing_loop(false, shrinks);
    for (const PassSet set : {PassSet::all, PassSet::none}) {
      CompileOptions options;
      options.passes = set;
      const auto context = context_of(compiled(graph, options));
      std::mt19937_64 random(testing::run_seed());
      for (int64_t n : {1, 3, 0, 300, 5}) {
        Inputs in;
        in.add({n, 2}, random);
        expect_as_reference(graph, *context, in.views);
      }
    }
  }
}

TEST(ControlFlow, WhatGrowsByABoundedStepInABoundedCountIsBounded) {
  for (const bool shrinks : {false, true}) {
    const Graph graph = growing_loop(false, shrinks);
    const ProgramPtr program = compiled(graph);
    const Bounds bounds{{{{0, 30}, {2, 2}}}};
    int64_t bytes = 0;
    const Status s = bytes_needed(*program, bounds, 1, &bytes);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_GE(bytes, (shrinks ? 30 : 9 * 30) * 2 * 4);
    ContextOptions options;
    options.bounds = &bounds;
    const auto context = context_of(program, options);
    EXPECT_GE(context->arena_bytes(), bytes);
    const int64_t arena = context->arena_bytes();
    std::mt19937_64 random(testing::run_seed());
    for (int i = 0; i < 20; ++i) {
      Inputs in;
      in.add({static_cast<int64_t>(random() % 31), 2}, random);
      expect_as_reference(graph, *context, in.views);
    }
    Inputs most;
    most.add({30, 2}, random);
    expect_as_reference(graph, *context, most.views);
    EXPECT_EQ(context->arena_bytes(), arena);
    EXPECT_EQ(context->growth_events(), 0);
  }
}

TEST(ControlFlow, WhatGrowsWithoutBoundIsRefusedWithinBounds) {
  const ProgramPtr program = compiled(growing_loop(true));
  const Bounds bounds{{{{0, 30}, {2, 2}}}};
  int64_t bytes = 0;
  const Status s = bytes_needed(*program, bounds, 1, &bytes);
  EXPECT_EQ(s.code(), Code::out_of_bounds);
  EXPECT_NE(s.message().find("nothing bounds how often it runs or how it grows"), std::string::npos) << s.message();
}

// for i < length of z: rows = concat(x, x); stacked along `axis`: the rows before, whose number the body does not know.
Graph stack_of_unknown_rows(int axis, const Dims& declared) {
  Builder b;
  const ValueId z = b.input("z", {-3}), x = b.input("x", {-1, -2});
  LoopParts parts;
  parts.count = *b.graph.add_shape_values(DType::i64, {}, {b.dims(z)[0]}, "count");
  parts.initial = {x};
  parts.stacks = {{axis, false, declared}};
  auto made = add_loop(b.graph, parts,
                       [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         Nodes n{border.inner()};
                         *results = {n.concat({border.value(x), border.value(x)}, 0), n.unary(UnaryFunction::neg, in[0])};
                         return Status();
                       },
                       {"loop", "Loop"});
  EXPECT_TRUE(made.ok()) << made.status().message();
  b.output((*made)[1], "all");
  b.output(Nodes{b.graph}.sum_along((*made)[1], axis, false), "sums");
  return finished(b);
}

TEST(ControlFlow, AnEmptyStackHasTheDimsThatTheBodyDeclaresWhereOnlyAnIterationFindsThem) {
  std::mt19937_64 random(testing::run_seed());
  const struct {
    int axis;
    Dims declared, empty;
  } cases[] = {
      {0, {}, {0, 0, 2}},      {0, {7, 2}, {0, 7, 2}},    {1, {7, 2}, {7, 0, 2}},
      {2, {7, -1}, {7, 2, 0}}, {0, {-1, -1}, {0, 0, 2}},  {0, {7, 5}, {0, 7, 2}},  // known is what the values have
      {0, {7}, {0, 0, 2}},     {0, {7, 2, 1}, {0, 0, 2}},                          // another rank says nothing
  };
  for (const auto& c : cases) {
    const Graph graph = stack_of_unknown_rows(c.axis, c.declared);
    for (const PassSet set : {PassSet::all, PassSet::none})
      for (const bool bounded : {false, true}) {
        CompileOptions options;
        options.passes = set;
        const Bounds bounds{{{{0, 1}}}, {{{0, 3}, {0, 2}}}};
        ContextOptions how;
        if (bounded) how.bounds = &bounds;
        const auto context = context_of(compiled(graph, options), how);
        for (const int64_t count : {0, 1, 0}) {
          Inputs in;
          in.add({count}, random);
          in.add({static_cast<int64_t>(1 + random() % 3), 2}, random);
          expect_as_reference(graph, *context, in.views);
          if (count > 0) continue;
          std::vector<TensorView> out(2);
          ASSERT_TRUE(context->run(in.views, out).ok());
          Dims sums = c.empty;
          sums.erase(c.axis);
          EXPECT_EQ(to_string(out[0].dims), to_string(c.empty)) << "axis " << c.axis << ", declared " << to_string(c.declared);
          EXPECT_EQ(to_string(out[1].dims), to_string(sums));
        }
        if (bounded) {
          EXPECT_EQ(context->growth_events(), 0);
        }
      }
  }
}

TEST(ControlFlow, AnErrorInABodyNamesTheNodeByItsPathAndLeavesOutputsAlone) {
  Builder b;
  const ValueId count = whole_number(b.graph, "count");
  const ValueId x = b.input("x", {-1}), z = b.input("z", {-2});
  LoopParts parts;
  parts.count = count;
  parts.initial = {x};
  auto made = add_loop(b.graph, parts,
                       [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         Nodes n{border.inner()};
                         const ValueId joined = n.concat({n.add(Reshape::make({1, border.inner().value(in[0]).type.dims[0]}), {in[0]}),
                                                          n.add(Reshape::make({1, border.dim(b.dims(z)[0])}), {border.value(z)})},
                                                         0);
                         results->push_back(n.sum_along(joined, 0, false));
                         return Status();
                       },
                       {"loop_3", "Loop"});
  ASSERT_TRUE(made.ok()) << made.status().message();
  b.output((*made)[0]);
  const auto context = context_of(compiled(finished(b)));
  Inputs in;
  std::mt19937_64 random(1);
  in.add(2);
  in.add({3}, random);
  in.add({4}, random);
  std::vector<float> kept(3, 7.f);
  TensorView out{kept.data(), DType::f32, {3}, {1}};
  const Status s = context->run(in.views, {&out, 1});
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("loop_3/n"), std::string::npos) << s.message();
  EXPECT_EQ(s.node().substr(0, 8), "loop_3/n") << s.node();
  EXPECT_EQ(kept, std::vector<float>(3, 7.f));
}

TEST(ControlFlow, ALoopWithoutEndIsCancelled) {
  Builder b;
  const ValueId x = b.input("x", {-1});
  LoopParts parts;
  parts.initial = {x};
  auto made = add_loop(b.graph, parts,
                       [&](Border&, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         results->push_back(in[0]);
                         return Status();
                       },
                       {"forever", "Loop"});
  ASSERT_TRUE(made.ok()) << made.status().message();
  b.output((*made)[0]);
  const auto context = context_of(compiled(finished(b)));
  int32_t stop = 1;
  context->set_stop(Stop(&stop));
  Inputs in;
  std::mt19937_64 random(1);
  in.add({3}, random);
  TensorView out;
  EXPECT_EQ(context->run(in.views, {&out, 1}).code(), Code::cancelled);
}

}  // namespace
}  // namespace anydim
