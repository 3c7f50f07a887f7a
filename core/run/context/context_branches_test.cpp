// SPDX-License-Identifier: Apache-2.0
// Branches: what they give is what node after node gives, whichever is taken, at any data and shape.
#include "core/base/testing/random.h"
#include "core/graph/testing/control_flow.h"
#include "core/graph/testing/stages.h"

namespace anydim {
namespace {

using namespace testing;

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
    const auto context = context_with(graph, set, 2, "how many rows there are is found by the branch");
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

// y = sum(x) > 0 ? the first rows of exp(k copies of x) : those of tanh(k copies of x), with a k for each.
Graph of_copies(int then, int otherwise) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4});
  const auto body = [&](int copies, UnaryFunction f) {
    return [x, copies, f](Border& border, std::vector<ValueId>* results) {
      Nodes n{border.inner()};
      const ValueId inside = border.value(x);
      const ValueId all = n.unary(f, n.concat(std::vector<ValueId>(static_cast<size_t>(copies), inside), 0));
      const ValueId sums = n.binary(BinaryFunction::add, all, n.sum_along(all, 0, true));
      results->push_back(n.slice(sums, 0, 0, border.inner().value(inside).type.dims[0]));
      return Status();
    };
  };
  auto made = add_branch(b.graph, positive(b.graph, x), body(then, UnaryFunction::exp), body(otherwise, UnaryFunction::tanh), {"if", "If"});
  EXPECT_TRUE(made.ok()) << made.status().message();
  b.output(b.relu((*made)[0]), "y");
  return finished(b);
}

TEST(ControlFlow, TheBodiesOfABranchTakeAsMuchMemoryAsTheLargerOne) {
  const Bounds bounds{{{{0, 500}, {4, 4}}}};
  const auto bytes = [&](int then, int otherwise) {
    int64_t n = 0;
    const Status s = bytes_needed(*compiled(of_copies(then, otherwise)), bounds, 1, &n);
    EXPECT_TRUE(s.ok()) << s.message();
    return n;
  };
  const int64_t little = bytes(2, 2), much = bytes(9, 9);
  EXPECT_GT(much, little + 6 * 500 * 16);
  EXPECT_EQ(bytes(2, 9), much);
  EXPECT_EQ(bytes(9, 2), much);
  const Graph graph = of_copies(2, 9);
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compiled(graph), options);
  EXPECT_GE(context->arena_bytes(), much);
  EXPECT_LT(context->arena_bytes(), much + 4096) << "whole pages";
  std::mt19937_64 random(testing::run_seed());
  for (int i = 0; i < 40; ++i) {
    Inputs in;
    in.add({static_cast<int64_t>(random() % 501), 4}, random);
    expect_as_reference(graph, *context, in.views);
  }
  EXPECT_EQ(context->growth_events(), 0);
}

}  // namespace
}  // namespace anydim
