// SPDX-License-Identifier: Apache-2.0
// For tests of branches and loops only: a graph in which data decides how often a loop runs, how its values grow, and which branch is
// taken, with sizes that are bounded all the same.
#pragma once

#include "core/graph/control_flow.h"
#include "core/graph/testing/contexts.h"
#include "core/ops/reduce.h"

namespace anydim::testing {

// Whether the sum of x is above 0.
inline ValueId sum_is_positive(Graph& graph, ValueId x) {
  const auto add = [&](Result<OperatorPtr> op, std::vector<ValueId> in) {
    auto v = graph.add(*op, std::move(in), "n" + std::to_string(graph.node_capacity()));
    EXPECT_TRUE(v.ok()) << v.status().message();
    return *v;
  };
  const ValueId zero = graph.add_constant("zero", ConstantTensor::of<float>(DType::f32, {}, std::vector<float>{0}));
  return add(Binary::make(BinaryFunction::greater), {add(Reduce::make(ReduceKind::sum, {}, false), {x}), zero});
}

// x [d1]: at most 12 times, as long as sum(h) > 0: h = 0.75 h - 0.0625 relu(x), rows = concat(rows, h); stacked: h.
// Then y = sum(last) > 0 ? rows : the first of x.
inline Graph decided_by_data() {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const int64_t twelve = 12;
  LoopParts parts;
  parts.count = b.graph.add_constant("count", ConstantTensor::copy(DType::i64, {}, &twelve));
  parts.condition = sum_is_positive(b.graph, x);
  parts.initial = {x, x};
  parts.stacks.resize(1);
  parts.asks = true;
  const auto add = [](Graph& g, Result<OperatorPtr> op, std::vector<ValueId> in) {
    auto v = g.add(*op, std::move(in), "n" + std::to_string(g.node_capacity()));
    EXPECT_TRUE(v.ok()) << v.status().message();
    return *v;
  };
  auto loop = add_loop(b.graph, parts,
                       [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         Graph& g = border.inner();
                         const auto scaled = [&](ValueId v, float by) {
                           const ValueId s = g.add_constant("scale", ConstantTensor::of<float>(DType::f32, {}, std::vector<float>{by}));
                           return add(g, Binary::make(BinaryFunction::mul), {v, s});
                         };
                         const ValueId shift = scaled(add(g, Unary::make(UnaryFunction::relu, 0, 0), {border.value(x)}), 0.0625f);
                         const ValueId h = add(g, Binary::make(BinaryFunction::sub), {scaled(in[0], 0.75f), shift});
                         *results = {sum_is_positive(g, h), h, add(g, Concat::make(0), {in[1], h}), h};
                         return Status();
                       },
                       {"loop", "Loop"});
  EXPECT_TRUE(loop.ok()) << loop.status().message();
  b.output(b.relu((*loop)[2]), "all");
  b.output((*loop)[0], "last");
  auto branch = add_branch(
      b.graph, sum_is_positive(b.graph, (*loop)[0]),
      [&](Border& border, std::vector<ValueId>* results) {
        results->push_back(add(border.inner(), Unary::make(UnaryFunction::neg, 0, 0), {border.value((*loop)[1])}));
        return Status();
      },
      [&](Border& border, std::vector<ValueId>* results) {
        results->push_back(add(border.inner(), Slice::make({Dim(0)}, {1}, {Dim(1)}), {border.value(x)}));
        return Status();
      },
      {"if", "If"});
  EXPECT_TRUE(branch.ok()) << branch.status().message();
  b.output((*branch)[0], "y");
  EXPECT_TRUE(b.graph.verify().ok());
  return std::move(b.graph);
}

}  // namespace anydim::testing
