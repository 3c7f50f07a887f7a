// SPDX-License-Identifier: Apache-2.0
// Programs split over the host, any engine and the test engine: the host's bits, sizes that a device computes, memory by engine, what explain
// says. ANYDIM_CONFORMANCE_GRAPHS: how many graphs are drawn.
#include <thread>

#include "core/dispatch/primitive/registry.h"
#include "core/engines/testing/conformance.h"
#include "core/graph/node_types.h"
#include "core/graph/testing/drawn_graph.h"
#include "core/graph/testing/on_engines.h"
#include "core/graph/testing/stages.h"
#include "core/run/context/explain.h"

namespace anydim::conformance {
namespace {

using namespace ::anydim::testing;

class EngineContexts : public EngineConformance {
 protected:
  void SetUp() override {
    EngineConformance::SetUp();
    if (engine_ != nullptr && !is_device()) GTEST_SKIP() << "the host's engine has a part in all programs";
  }
  int graphs() const {
    const char* const text = std::getenv("ANYDIM_CONFORMANCE_GRAPHS");
    return text != nullptr ? std::atoi(text) : compiles() ? 6 : 100;
  }
  bool has_kernel(const Graph& graph, const Node& node) const {
    const Kernel* kernel = nullptr;
    return choose_kernel(*engine_, types_of(graph, node).problem(node), {}, &kernel).ok();
  }
  // Each node on any of them, and what the engine has no kernel for on the other.
  CompileOptions partition(const std::vector<EnginePtr>& devices, std::mt19937_64& random) const {
    CompileOptions options = on_devices(devices);
    const uint64_t stays = 1 + random() % 6;
    options.choose_engine = [this, &random, stays, last = int32_t{1}, count = devices.size() + 1](const Graph& graph,
                                                                                                  const Node& node) mutable {
      if (random() % stays == 0) last = static_cast<int32_t>(random() % count);
      if (last != 1 || has_kernel(graph, node)) return last;
      return static_cast<int32_t>(count) - 1 == 1 ? 0 : 2;
    };
    return options;
  }
  int steps_there(const Program& program) const {
    int n = 0;
    for (const Program::Step& s : program.steps) n += s.transfer() == nullptr && program.engines[static_cast<size_t>(s.engine)] == engine_;
    return n;
  }

  std::mt19937_64 random_{run_seed()};
};

TEST_P(EngineContexts, RunAWholeProgramWithTheHostsBits) {
  const ProgramPtr program = compiled(everything(), on_devices({engine_}));
  ASSERT_TRUE(program);
  EXPECT_GT(steps_there(*program), 0);
  EXPECT_GT(count_transfers(*program), 0);
  const auto here = context_of(compiled(everything())), there = context_of(program);
  for (int i = 0; i < 12; ++i) {
    const auto n = [&](int64_t limit) { return static_cast<int64_t>(1 + random_() % static_cast<uint64_t>(limit)); };
    const Tensor x = any_strides({n(2), 3, n(24), n(24)}, random_);
    ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << to_string(x.view.dims);
  }
}

TEST_P(EngineContexts, RunAnyPartitionOfDrawnGraphsWithTheHostsBits) {
  const std::vector<EnginePtr> devices{engine_, TestEngine::create()};
  int there_in_all = 0;
  for (int g = 0; g < graphs(); ++g) {
    const Graph graph = random_graph(random_);
    CompileOptions options = partition(devices, random_), plain;
    if (random_() % 4 == 0) options.passes = plain.passes = PassSet::none;
    if (random_() % 2) options.input_layouts = {EdgeLayout(channels_last(4))};
    if (random_() % 2) options.output_layouts = {EdgeLayout::Rule::follow};
    const ProgramPtr program = compiled(graph, options);
    ASSERT_TRUE(program) << "graph " << g;
    there_in_all += steps_there(*program);
    const Bounds bounds{{{{0, 2}, {4, 4}, {1, 9}, {1, 9}}}};
    ContextOptions how;
    if (random_() % 2) how.bounds = &bounds;
    how.parallel = Parallel(1 + static_cast<int>(random_() % 2));
    const auto here = context_of(compiled(graph, plain)), there = context_of(program, how);
    for (int i = 0; i < 3; ++i) {
      const auto n = [&](int64_t limit) { return static_cast<int64_t>(1 + random_() % static_cast<uint64_t>(limit)); };
      const Tensor x = any_strides({static_cast<int64_t>(random_() % 3), 4, n(9), n(9)}, random_);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << "graph " << g << " at " << to_string(x.view.dims);
    }
  }
  EXPECT_GT(there_in_all, graphs());
}

TEST_P(EngineContexts, ReadSizesThatADeviceComputesBetweenStages) {
  for (int g = 0; g < (compiles() ? 6 : 40); ++g) {
    const auto here = context_of(compiled(two_counts()));
    const auto there = context_of(compiled(two_counts(), partition({engine_, TestEngine::create()}, random_)));
    for (int i = 0; i < 6; ++i) {
      std::vector<float> x = drawn(1 + static_cast<int64_t>(random_() % 70), random_);
      const TensorView in{x.data(), DType::f32, {static_cast<int64_t>(x.size())}, {1}};
      ASSERT_EQ(outputs_of(*there, {&in, 1}), outputs_of(*here, {&in, 1})) << "partition " << g;
    }
  }
}

TEST_P(EngineContexts, AskForMemoryByEngineWithinTheirBounds) {
  const ProgramPtr program = compiled(everything(), on_devices({engine_}));
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 48}}}};
  int64_t host = 0, there = 0;
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &host).ok());
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &there, 1).ok());
  EXPECT_GT(there, 0);
  ContextOptions how;
  how.bounds = &bounds;
  const auto context = context_of(program, how);
  for (int i = 0; i < 10; ++i) {
    const auto n = [&](int64_t limit) { return static_cast<int64_t>(1 + random_() % static_cast<uint64_t>(limit)); };
    const Tensor x = any_strides({n(2), 3, n(32), n(48)}, random_);
    (void)outputs_of(*context, {&x.view, 1});
    EXPECT_LE(context->used_bytes(1), there);
    EXPECT_LE(context->used_bytes(0), host);
    EXPECT_EQ(context->arena_bytes(1), there) << "nothing grows within bounds";
  }
}

TEST_P(EngineContexts, ReportStepsAndTransfersByEngine) {
  Builder b(3);
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  b.output(b.softmax(b.conv(x, 8, 3), 1));
  CompileOptions options = on_devices({engine_});
  options.choose_engine = [&](const Graph& graph, const Node& n) { return n.op->kind() == OpKind::convolution && has_kernel(graph, n); };
  const auto context = context_of(compiled(b.graph, options));
  if (context->program().engines.size() < 2) GTEST_SKIP() << "it has no kernel for a convolution";
  context->set_profiling(true);
  const Tensor in({1, 4, 6, 7}, random_);
  (void)outputs_of(*context, {&in.view, 1});
  RunReport report;
  ASSERT_TRUE(explain(*context, &report).ok());
  std::vector<std::string> seen;
  const std::string name = kind().name();
  for (const NodeReport& n : report.nodes) {
    const std::string op = n.op.substr(0, n.op.find(' '));
    if (op != "transpose") seen.push_back(n.engine + " " + op);  // some engines prefer channels last
    if (op == "transfer" && seen.size() == 1) {
      EXPECT_EQ(n.outputs[0].place.substr(0, name.size() + 1), name + "+");
    }
    EXPECT_EQ(n.kernel.empty(), op == "transfer") << n.name;
    EXPECT_GE(n.nanoseconds, 0) << n.name;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{name + " transfer", name + " convolution", name + " transfer", "cpu softmax"}));
}

TEST_P(EngineContexts, RunOnSeveralThreadsAtOnce) {
  const ProgramPtr program = compiled(everything(), on_devices({engine_}));
  const Tensor x({1, 3, 9, 11}, random_);
  const Outputs right = outputs_of(*context_of(compiled(everything())), {&x.view, 1});
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto context = context_of(program);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(outputs_of(*context, {&x.view, 1}), right);
    });
}

ANYDIM_FOR_EVERY_ENGINE(EngineContexts);

}  // namespace
}  // namespace anydim::conformance
