// SPDX-License-Identifier: Apache-2.0
// For tests of branches and loops only: nodes in any graph, inputs of a run and what node after node makes of them, and a graph in which data decides how often a loop runs, how its values
// grow, and which branch is taken, with sizes that are bounded all the same.
#pragma once

#include "core/graph/control_flow.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"
#include "core/ops/operators/reduce.h"

namespace anydim::testing {

// Nodes in any graph, with failures as test failures.
struct Nodes {
  Graph& graph;
  ValueId add(Result<OperatorPtr> op, std::vector<ValueId> in) {
    EXPECT_TRUE(op.ok()) << op.status().message();
    auto v = graph.add(*op, std::move(in), "n" + std::to_string(graph.node_capacity()));
    EXPECT_TRUE(v.ok()) << v.status().message();
    return v.ok() ? *v : kNoValue;
  }
  ValueId unary(UnaryFunction f, ValueId x) { return add(Unary::make(f, 0, 0), {x}); }
  ValueId binary(BinaryFunction f, ValueId a, ValueId b) { return add(Binary::make(f), {a, b}); }
  ValueId concat(std::vector<ValueId> in, int axis) { return add(Concat::make(axis), std::move(in)); }
  ValueId slice(ValueId x, int axis, Dim start, Dim length) {
    const SymDims& d = graph.value(x).type.dims;
    SymDims starts = SymDims::filled(d.rank, Dim(0)), lengths = d;
    starts[axis] = start;
    lengths[axis] = length;
    return add(Slice::make(starts, RankArray<int64_t>::filled(d.rank, 1), lengths), {x});
  }
  ValueId sum(ValueId x) { return add(Reduce::make(ReduceKind::sum, {}, false), {x}); }
  ValueId sum_along(ValueId x, int64_t axis, bool keep) { return add(Reduce::make(ReduceKind::sum, {&axis, 1}, keep), {x}); }
  ValueId scalar(float v) { return graph.add_constant("s", ConstantTensor::of<float>(DType::f32, {}, std::vector<float>{v})); }
};

// The sum of x is above 0.
inline ValueId positive(Graph& graph, ValueId x) {
  Nodes n{graph};
  return n.binary(BinaryFunction::greater, n.sum(x), n.scalar(0));
}

inline ValueId whole_number(Graph& graph, const std::string& name) { return graph.add_input(name, {DType::i64, {}}); }

inline Graph finished(Builder& b) {
  const Status s = b.graph.verify();
  EXPECT_TRUE(s.ok()) << s.message();
  return std::move(b.graph);
}

// What a run is given: drawn floats and whole numbers, eight at most.
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

// A context over the graph with this set of passes; `why` it has so many stages.
inline std::unique_ptr<Context> context_with(const Graph& graph, PassSet set, size_t stages, const char* why) {
  CompileOptions options;
  options.passes = set;
  const ProgramPtr program = compiled(graph, options);
  EXPECT_EQ(program->stages.size(), stages) << why;
  return context_of(program);
}

inline void expect_as_reference(const Graph& graph, Context& context, std::span<const TensorView> in) {
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

// x [d1]: at most 12 times, as long as sum(h) > 0: h = 0.75 h - 0.0625 relu(x), rows = concat(rows, h); stacked: h.
// Then y = sum(last) > 0 ? rows : the first of x.
inline Graph decided_by_data() {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const int64_t twelve = 12;
  LoopParts parts;
  parts.count = b.graph.add_constant("count", ConstantTensor::copy(DType::i64, {}, &twelve));
  parts.condition = positive(b.graph, x);
  parts.initial = {x, x};
  parts.stacks.resize(1);
  parts.has_condition = true;
  auto loop = add_loop(b.graph, parts,
                       [&](Border& border, std::span<const ValueId> in, std::vector<ValueId>* results) {
                         Nodes n{border.inner()};
                         const ValueId shift =
                             n.binary(BinaryFunction::mul, n.unary(UnaryFunction::relu, border.value(x)), n.scalar(0.0625f));
                         const ValueId h = n.binary(BinaryFunction::sub, n.binary(BinaryFunction::mul, in[0], n.scalar(0.75f)), shift);
                         *results = {positive(border.inner(), h), h, n.concat({in[1], h}, 0), h};
                         return Status();
                       },
                       {"loop", "Loop"});
  EXPECT_TRUE(loop.ok()) << loop.status().message();
  b.output(b.relu((*loop)[2]), "all");
  b.output((*loop)[0], "last");
  auto branch = add_branch(
      b.graph, positive(b.graph, (*loop)[0]),
      [&](Border& border, std::vector<ValueId>* results) {
        results->push_back(Nodes{border.inner()}.unary(UnaryFunction::neg, border.value((*loop)[1])));
        return Status();
      },
      [&](Border& border, std::vector<ValueId>* results) {
        results->push_back(Nodes{border.inner()}.slice(border.value(x), 0, 0, 1));
        return Status();
      },
      {"if", "If"});
  EXPECT_TRUE(branch.ok()) << branch.status().message();
  b.output((*branch)[0], "y");
  EXPECT_TRUE(b.graph.verify().ok());
  return std::move(b.graph);
}

}  // namespace anydim::testing
