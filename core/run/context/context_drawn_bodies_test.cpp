// SPDX-License-Identifier: Apache-2.0
// Drawn programs of branches and loops of all kinds, which are in one another: what they give is what node after node gives, also when
// they were saved and read.
#include "core/base/testing/random.h"
#include "core/graph/testing/control_flow.h"
#include "core/graph/testing/stages.h"
#include "core/graph/testing/graph_text.h"

namespace anydim {
namespace {

using namespace testing;

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
    parts.has_condition = parts.slices.empty() && chance(2);
    if (parts.slices.empty() && chance(3)) parts.condition = positive(g, pick(there));
    for (int k = static_cast<int>(random_() % 3); k >= 0; --k) parts.initial.push_back(pick(there));
    parts.stacks.resize(random_() % 2);
    for (Control::Stack& s : parts.stacks) {
      s.axis = parts.has_condition ? 0 : static_cast<int32_t>(random_() % 3);
      s.reverse = !parts.has_condition && chance(2);
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
      if (parts.has_condition) results->push_back(positive(border.inner(), pick(inside)));
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
      const ProgramPtr made = compiled(graph, options);
      ASSERT_NE(made, nullptr) << print_graph(graph);
      stages += static_cast<int>(made->stages.size());
      controls += static_cast<int>(made->controls.size());
      for (const ProgramPtr& program : {made, through_a_file(made)}) {
        ASSERT_NE(program, nullptr) << print_graph(graph);
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
  }
  EXPECT_GT(controls, 60);
  EXPECT_GT(stages, 150);
}

}  // namespace
}  // namespace anydim
