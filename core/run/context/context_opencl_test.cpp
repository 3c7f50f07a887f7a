// SPDX-License-Identifier: Apache-2.0
// Drawn graphs in drawn partitions over the host, the test engine and the first OpenCL device: the host's bits. Without a device the test is
// skipped and says so. ANYDIM_OPENCL_GRAPHS: how many (tests/opencl asks for more).
#include <cstdlib>

#include "core/dispatch/primitive/registry.h"
#include "core/engines/opencl/engine.h"
#include "core/engines/opencl/testing/driver.h"
#include "core/graph/node_types.h"
#include "core/graph/testing/drawn_graph.h"
#include "core/graph/testing/on_engines.h"

namespace anydim {
namespace {

using namespace testing;

TEST(ContextOpencl, AnyPartitionOfDrawnGraphsGivesTheHostsBits) {
  if (!opencl::driver_that_aborts().empty()) GTEST_SKIP() << opencl::driver_that_aborts();
  std::shared_ptr<const opencl::OpenclEngine> opencl;
  const char* const flushed = std::getenv("ANYDIM_OPENCL_FLUSHED");
  opencl::OpenclEngine::Options engine_options;
  engine_options.flushed_denormals = flushed != nullptr;
  const Status made = opencl::OpenclEngine::create(engine_options, &opencl);
  if (made.code() == Code::not_found) GTEST_SKIP() << "no OpenCL platform: " << made.message();
  ASSERT_TRUE(made.ok()) << made.message();
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr other = TestEngine::create();
  const std::vector<EnginePtr> devices{opencl, other};
  const char* const text = std::getenv("ANYDIM_OPENCL_GRAPHS");
  const int graphs = text != nullptr ? std::atoi(text) : 6;
  int steps_there = 0;
  for (int g = 0; g < graphs; ++g) {
    const Graph graph = random_graph(random);
    CompileOptions options = on_devices(devices), plain;
    const uint64_t stays = 1 + random() % 6;
    // As on_any(), and what the device has no kernel for goes to the other one.
    options.choose_engine = [&, last = int32_t{1}](const Graph& whole, const Node& node) mutable {
      if (random() % stays == 0) last = static_cast<int32_t>(random() % 3);
      const Kernel* kernel = nullptr;
      return last != 1 || choose_kernel(*opencl, types_of(whole, node).problem(node), {}, &kernel).ok() ? last : 2;
    };
    if (random() % 4 == 0) options.passes = plain.passes = PassSet::none;
    const ProgramPtr program = compiled(graph, options);
    ASSERT_TRUE(program) << "graph " << g;
    for (const Program::Step& s : program->steps) steps_there += s.engine == 1 && s.transfer() == nullptr;
    const auto here = context_of(compiled(graph, plain)), there = context_of(program);
    for (int i = 0; i < 3; ++i) {
      const auto n = [&](int64_t limit) { return static_cast<int64_t>(1 + random() % static_cast<uint64_t>(limit)); };
      const Tensor x = any_strides({static_cast<int64_t>(random() % 3), 4, n(9), n(9)}, random);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << "graph " << g << " at " << to_string(x.view.dims);
    }
  }
  // The device did some of it. (Engines of a program that have no node are left out, so that step numbers shift; then the others ran.)
  EXPECT_GT(steps_there, graphs);
}

}  // namespace
}  // namespace anydim
