// SPDX-License-Identifier: Apache-2.0
// Branches and loops: what they give is what node after node gives, at any trip count, data and shape; within bounds they stay within
// the memory that bounds promise; and what goes wrong in a body says where.
#include "core/base/testing/random.h"
#include "core/graph/testing/control_flow.h"
#include "core/graph/testing/reference_run.h"
#include "core/graph/testing/stages.h"
#include "core/graph/text.h"

namespace anydim {
namespace {

using namespace testing;

ValueId whole_number(Graph& graph, const std::string& name) { return graph.add_input(name, {DType::i64, {}}); }

Graph finished(Builder& b) {
  const Status s = b.graph.verify();
  EXPECT_TRUE(s.ok()) << s.message();
  return std::move(b.graph);
}

struct Inputs {
  std::vector<std::vector<float>> memory;
  std::vector<int64_t> whole = std::vector<int64_t>(8, 0);
  std::vector<TensorView> views;
  void add(const Dims& dims, std::mt19937_64& random) {
    std::normal_distribution<float> normal;
    memory.emplace_back(static_cast<size_t>(element_count(dims)) + 1);
    for (float& v : memory.back()) v = normal(random);
    views.push_back({memory.back().data(), DType::f32, dims, dense_strides(dims)});
  }
  void add(int64_t number) {
    whole[views.size()] = number;
    views.push_back({&whole[views.size()], DType::i64, {}, {}});
  }
};

void expect_as_reference(const Graph& graph, Context& context, std::span<const TensorView> in) {
  std::vector<TensorView> out(graph.outputs().size());
  const Status status = context.run(in, out);
  ASSERT_TRUE(status.ok()) << status.message();
  const std::vector<HostTensor> want = reference_run(graph, in);
  ASSERT_EQ(want.size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(to_string(out[i].dims), to_string(want[i].view.dims)) << "output " << i;
    ASSERT_TRUE(same_bits(out[i], want[i].view)) << "output " << i;
  }
}

// y = sum(x) > 0 ? relu(x) + z : x * x, of one size; and rows that are as many as the branch says.
Graph branches() {
  Builder b;
  const ValueId x = b.input("x", {-1, 3}), z = b.input("z", {-1, 3});
  const ValueId doubled = b.plus(x, x);
  const auto condition = positive(b.graph, x);
  auto made = add_branch(
      b.graph, condition,
      [&](Border& border, std::vector<ValueId>* results) {
        Nodes n{border.inner()};
        const ValueId inside = border.value(x);
        results->push_back(n.binary(BinaryFunction::add, n.unary(UnaryFunction::relu, inside), border.value(z)));
        results->push_back(n.concat({inside, border.value(doubled)}, 0));
        return Status();
      },
      [&](Border& border, std::vector<ValueId>* results) {
        Nodes n{border.inner()};
        results->push_back(n.binary(BinaryFunction::mul, border.value(x), border.value(x)));
        results->push_back(n.slice(border.value(z), 0, 0, 1));
        return Status();
      },
      {"if_1", "If"});
  EXPECT_TRUE(made.ok()) << made.status().message();
  b.output(b.relu((*made)[0]), "same");
  b.output((*made)[1], "rows");
  b.output(b.plus(b.unary(UnaryFunction::neg, (*made)[1]), b.constant({3})), "after");
  return finished(b);
}

TEST(ControlFlow, ABranchRunsOneOfItsBodies) {
  const Graph graph = branches();
  for (const PassSet set : {PassSet::all, PassSet::none}) {
    CompileOptions options;
    options.passes = set;
    const ProgramPtr program = compiled(graph, options);
    EXPECT_EQ(program->stages.size(), 2u) << "how many rows there are is found by the branch";
    const auto context = context_of(program);
    std::mt19937_64 random(testing::run_seed());
    for (int i = 0; i < 40; ++i) {
      Inputs in;
      const auto n = static_cast<int64_t>(1 + random() % 9);
      in.add({n, 3}, random);
      in.add({n, 3}, random);
      expect_as_reference(graph, *context, in.views);
    }
  }
}

TEST(ControlFlow, ABranchWhoseBodiesGiveOneSizeNeedsNoNewStage) {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const auto both = [&](UnaryFunction f) {
    return [x, f](Border& border, std::vector<ValueId>* results) {
      results->push_back(Nodes{border.inner()}.unary(f, border.value(x)));
      return Status();
    };
  };
  auto made = add_branch(b.graph, positive(b.graph, x), both(UnaryFunction::relu), both(UnaryFunction::neg), {"if", "If"});
  ASSERT_TRUE(made.ok()) << made.status().message();
  b.output(b.relu((*made)[0]));
  const Graph graph = finished(b);
  const ProgramPtr program = compiled(graph);
  EXPECT_EQ(program->stages.size(), 1u);
  const auto context = context_of(program);
  std::mt19937_64 random(testing::run_seed());
  for (int64_t n : {3, 7, 7, 0, 2}) {
    Inputs in;
    in.add({n}, random);
    expect_as_reference(graph, *context, in.views);
  }
}

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
    CompileOptions options;
    options.passes = set;
    const ProgramPtr program = compiled(graph, options);
    EXPECT_EQ(program->stages.size(), 1u) << "the count is an input, so that all sizes are known";
    const auto context = context_of(program);
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
  parts.asks = true;
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
Graph growing_loop(bool asks, bool shrinks = false) {
  Builder b;
  const ValueId x = b.input("x", {-1, 2});
  LoopParts parts;
  const int64_t eight = 8;
  if (!asks) parts.count = b.graph.add_constant("count", ConstantTensor::copy(DType::i64, {}, &eight));
  parts.asks = asks;
  parts.initial = {x};
  parts.stacks.resize(1);
  auto made = add_loop(
      b.graph, parts,
      [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
        Nodes n{border.inner()};
        const SymDims d = border.inner().value(in[0]).type.dims;
        const ValueId rows = shrinks ? n.slice(in[0], 0, 0, border.inner().dims.floor_div(d[0], 2)) : n.concat({in[0], border.value(x)}, 0);
        const ValueId total = n.sum(rows);
        if (asks) results->push_back(positive(border.inner(), rows));
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
  context->set_stop_flag(&stop);
  Inputs in;
  std::mt19937_64 random(1);
  in.add({3}, random);
  TensorView out;
  EXPECT_EQ(context->run(in.views, {&out, 1}).code(), Code::cancelled);
}

// --- drawn programs --------------------------------------------------------------------------------------------------

// Matrices [rows, 4] of any number of rows, made by element-wise operators, concats, branches and loops of all kinds, which are in
// one another.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  Graph graph() {
    Builder b;
    const ValueId count = whole_number(b.graph, "count");
    std::vector<ValueId> values{b.input("x", {-1, 4}), b.input("z", {-1, 4}), b.input("u", {-2, 4})};
    grow(b.graph, {}, &values, {count}, 8, 0);
    for (size_t i = values.size() - 4; i < values.size(); ++i) b.output(values[i], "y" + std::to_string(i));
    return finished(b);
  }

 private:
  template <class T> T pick(const std::vector<T>& list) { return list[random_() % list.size()]; }
  bool chance(int of) { return random_() % static_cast<uint64_t>(of) == 0; }

  // Values that a body of this depth may take from those around it.
  void grow(Graph& g, const std::vector<std::pair<Border*, std::vector<ValueId>>>& around, std::vector<ValueId>* values,
            const std::vector<ValueId>& counts, int nodes, int depth) {
    Nodes n{g};
    for (int i = 0; i < nodes; ++i) {
      if (!around.empty() && chance(3)) values->push_back(around.back().first->value(pick(around.back().second)));
      const ValueId a = pick(*values), b = pick(*values);
      switch (random_() % (depth < 2 ? 9 : 6)) {
        case 0: values->push_back(n.unary(UnaryFunction::relu, a)); break;
        case 1: values->push_back(n.unary(UnaryFunction::neg, a)); break;
        case 2: values->push_back(n.binary(BinaryFunction::add, a, a)); break;
        case 3:
          if (g.value(a).type.dims[0] == g.value(b).type.dims[0]) values->push_back(n.binary(BinaryFunction::add, a, b));
          break;
        case 4: values->push_back(n.binary(BinaryFunction::mul, a, n.scalar(0.5f))); break;
        case 5:
          if (concats_ < 3) ++concats_, values->push_back(n.concat({a, b}, 0));
          break;
        case 6: branch(g, values, depth); break;
        default: loop(g, values, counts, depth); break;
      }
    }
  }

  void branch(Graph& g, std::vector<ValueId>* values, int depth) {
    const std::vector<ValueId> there = *values;
    const auto write = [&](Border& border, std::vector<ValueId>* results) {
      std::vector<ValueId> inside{border.value(pick(there))};
      grow(border.inner(), {{&border, there}}, &inside, {}, 3, depth + 1);
      *results = {inside.back(), pick(inside)};
      return Status();
    };
    auto made = add_branch(g, positive(g, pick(there)), write, write, {"if_" + std::to_string(g.node_capacity()), "If"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    values->insert(values->end(), made->begin(), made->end());
  }

  void loop(Graph& g, std::vector<ValueId>* values, const std::vector<ValueId>& counts, int depth) {
    const std::vector<ValueId> there = *values;
    LoopParts parts;
    const int64_t three = 3;
    if (chance(3)) {
      parts.slices.push_back({pick(there), 1, chance(2)});
    } else if (chance(2) && !counts.empty()) {
      parts.count = counts[0];
    } else {
      parts.count = g.add_constant("three", ConstantTensor::copy(DType::i64, {}, &three));
    }
    parts.asks = parts.slices.empty() && chance(2);
    if (parts.slices.empty() && chance(3)) parts.condition = positive(g, pick(there));
    for (int k = static_cast<int>(random_() % 3); k >= 0; --k) parts.initial.push_back(pick(there));
    parts.stacks.resize(random_() % 2);
    for (Control::Stack& s : parts.stacks) {
      s.axis = parts.asks ? 0 : static_cast<int32_t>(random_() % 3);
      s.reverse = !parts.asks && chance(2);
    }
    // A body is written several times, and the same each time.
    const uint64_t seed = random_();
    const int concats = concats_;
    const auto write = [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
      const std::mt19937_64 before = random_;
      random_.seed(seed);
      concats_ = std::max(concats, 2);
      std::vector<ValueId> inside(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(parts.initial.size()));
      Nodes n{border.inner()};
      if (!parts.slices.empty()) {
        const SymDims rows = border.inner().value(in.back()).type.dims;
        inside.push_back(n.add(Transpose::make(Perm{1, 0}),
                               {n.concat({n.add(Reshape::make({1, rows[0]}), {in.back()}), n.add(Reshape::make({1, rows[0]}), {in.back()}),
                                          n.add(Reshape::make({1, rows[0]}), {in.back()}), n.add(Reshape::make({1, rows[0]}), {in.back()})},
                                         0)}));
      }
      grow(border.inner(), {{&border, there}}, &inside, {}, 3, depth + 1);
      if (parts.asks) results->push_back(positive(border.inner(), pick(inside)));
      for (size_t k = 0; k < parts.initial.size(); ++k) results->push_back(pick(inside));
      // What is stacked keeps its dims: a row of sums.
      for (size_t s = 0; s < parts.stacks.size(); ++s) results->push_back(n.sum_along(pick(inside), 0, true));
      random_ = before;
      return Status();
    };
    auto made = add_loop(g, parts, write, {"loop_" + std::to_string(g.node_capacity()), "Loop"});
    ASSERT_TRUE(made.ok()) << made.status().message();
    for (size_t k = 0; k < parts.initial.size(); ++k) values->push_back((*made)[k]);
    Nodes n{g};
    for (size_t s = 0; s < parts.stacks.size(); ++s) {
      const ValueId stack = (*made)[parts.initial.size() + s];
      values->push_back(n.sum_along(stack, parts.stacks[s].axis == 0 ? 1 : 0, false));
      const SymDims d = g.value(values->back()).type.dims;
      if (!(d[1].is(4))) values->back() = n.add(Transpose::make(Perm{1, 0}), {values->back()});
      if (!g.value(values->back()).type.dims[1].is(4)) values->pop_back();
    }
  }

  std::mt19937_64 random_;
  int concats_ = 0;
};

TEST(ControlFlow, DrawnProgramsGiveWhatNodeAfterNodeGives) {
  std::mt19937_64 random(testing::run_seed());
  int stages = 0, controls = 0;
  for (int i = 0; i < 60; ++i) {
    const uint64_t seed = random();
    SCOPED_TRACE(formatted("program {}", seed));
    const Graph graph = Draw(seed).graph();
    if (::testing::Test::HasFatalFailure()) return;
    for (const PassSet set : {PassSet::all, PassSet::none}) {
      CompileOptions options;
      options.passes = set;
      const ProgramPtr program = compiled(graph, options);
      ASSERT_NE(program, nullptr) << print_graph(graph);
      stages += static_cast<int>(program->stages.size());
      controls += static_cast<int>(program->controls.size());
      const auto context = context_of(program);
      for (int k = 0; k < 4; ++k) {
        Inputs in;
        in.add(static_cast<int64_t>(random() % 4));
        const auto n = static_cast<int64_t>(random() % 6);
        in.add({n, 4}, random);
        in.add({n, 4}, random);
        in.add({static_cast<int64_t>(random() % 6), 4}, random);
        expect_as_reference(graph, *context, in.views);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << print_graph(graph);
      }
    }
  }
  EXPECT_GT(controls, 60);
  EXPECT_GT(stages, 150);
}

}  // namespace
}  // namespace anydim
