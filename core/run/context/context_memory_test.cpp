// SPDX-License-Identifier: Apache-2.0
// Memory is bounded: bytes_needed holds for every shape within the bounds, a buffer of that size is enough, and what nothing
// bounds is refused by name.
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"
#include "core/run/context/memory_ahead.h"

namespace anydim {
namespace {

using namespace testing;

TEST(ContextMemory, NoInteriorShapeNeedsMoreThanBytesNeeded) {
  const ProgramPtr program = compiled(everything());
  std::mt19937_64 random(23);
  for (int threads : {1, 2}) {
    const Bounds bounds{{{{1, 3}, {3, 3}, {1, 40}, {1, 40}}}};
    int64_t most = 0;
    ASSERT_TRUE(bytes_needed(*program, bounds, threads, &most).ok());
    ContextOptions options;
    options.bounds = &bounds;
    options.parallel = Parallel(threads);
    const auto context = context_of(program, options);
    for (int i = 0; i < 500; ++i) {
      Tensor x(
          {static_cast<int64_t>(1 + random() % 3), 3, static_cast<int64_t>(1 + random() % 40), static_cast<int64_t>(1 + random() % 40)},
          random);
      TensorView out[2] = {};
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << s.message();
      if (i % 50 == 0) {
        RunReport report;
        ASSERT_TRUE(explain(*context, &report).ok());
        ASSERT_LE(report.used_bytes, most);
        ASSERT_LE(report.arena_bytes, most + 4096);
      }
    }
  }
}

TEST(ContextMemory, RunsInTheCallersBuffer) {
  const Graph graph = everything();
  const ProgramPtr program = compiled(graph);
  const Bounds bounds{{{{1, 1}, {3, 3}, {8, 16}, {8, 16}}}};
  int64_t bytes = 0;
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &bytes).ok());
  std::vector<char> memory(static_cast<size_t>(bytes) + 128, 42);
  char* buffer = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  ContextOptions options;
  options.bounds = &bounds;
  options.buffer = buffer;
  options.buffer_size = bytes;
  const auto context = context_of(program, options);
  std::mt19937_64 random(1);
  Tensor x({1, 3, 16, 16}, random);
  TensorView out[2] = {};
  ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
  EXPECT_TRUE(same_bits(out[0], reference_run(graph, {&x.view, 1})[0].view));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(buffer[bytes + i], 42);
  options.buffer_size = bytes - 1;
  std::unique_ptr<Context> small;
  const Status s = Context::create(program, options, &small);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find(std::to_string(bytes)), std::string::npos) << s.message();
}

// What a context gets before its first shape, on threads of the process and on those of a host.
TEST(ContextMemory, OnAHostsThreadsAContextGetsNoMoreAheadThanItsConstantsHave) {
  struct InTurns : HostLoop {
    void run(int64_t parts, Part part, void* context) const override {
      for (int64_t i = 0; i < parts; ++i) part(context, i);
    }
  } const loop;
  const ProgramPtr program = compiled(everything());
  int64_t constants = 0;
  for (const Program::Tensor& t : program->tensors) constants += t.constant ? t.constant->bytes() : 0;
  for (const PrimitivePtr& p : program->primitives) constants += p->weights() ? p->weights()->bytes() : 0;
  ASSERT_LT(constants, MemoryAhead::kAlways) << "the model has grown";
  const std::vector<char> resident(size_t{100} << 20, 1);  // a tenth of which the process's own contexts may have
  std::mt19937_64 random(24);
  int64_t ahead[2];
  for (const bool host : {false, true}) {
    ContextOptions options;
    options.parallel = Parallel(2, host ? &loop : nullptr);
    const auto context = context_of(program, options);
    Tensor x({1, 3, 1, 1}, random);
    TensorView out[2] = {};
    ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
    RunReport report;
    ASSERT_TRUE(explain(*context, &report).ok());
    ahead[host] = report.pages.small_bytes + report.pages.huge_bytes;
  }
  EXPECT_GT(ahead[0], 2 * MemoryAhead::kAlways);
  EXPECT_LE(ahead[1], 2 * MemoryAhead::kAlways);
  EXPECT_EQ(resident.back(), 1);
}

TEST(ContextMemory, SizesThatNothingBoundsAreRefusedWithBoundsAndNamed) {
  const ProgramPtr program = compiled(reshape_by_input());
  const Bounds bounds{{{{1, 4}, {1, 6}}}, {{{2, 2}}}};
  int64_t bytes = 0;
  const Status s = bytes_needed(*program, bounds, 1, &bytes);
  // The product of the input's elements is known to equal that of x only if a guard says so; either answer is a bound.
  if (s.ok()) {
    EXPECT_LT(bytes, 1 << 20);
  } else {
    EXPECT_EQ(s.code(), Code::out_of_bounds);
    EXPECT_NE(s.message().find("no bound"), std::string::npos) << s.message();
  }
  const Bounds wrong[] = {{}, {{{{1, 4}}}, {{{2, 2}}}}, {{{{4, 1}, {1, 6}}}, {{{2, 2}}}}, {{{{1, 4}, {1, 6}}}, {{{3, 3}}}}};
  for (const Bounds& w : wrong) EXPECT_FALSE(bytes_needed(*program, w, 1, &bytes).ok());
}

}  // namespace
}  // namespace anydim
