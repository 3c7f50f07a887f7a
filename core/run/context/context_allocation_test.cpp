// SPDX-License-Identifier: Apache-2.0
// A run allocates nothing at a new shape: never within bounds, and without them only to grow. Counted in operator new and
// in the heap itself.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "core/base/memory/result_memory.h"
#include "core/graph/testing/control_flow.h"
#include "core/graph/testing/stages.h"
#include "core/graph/testing/graph_text.h"
#include "core/run/session/session.h"

namespace {
std::atomic<int64_t> allocations{0};

// Bytes that malloc has allocated. Where the C library has no mallinfo2 (musl, glibc before 2.33) operator new alone proves.
size_t heap_in_use() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}
}  // namespace
// Sanitizers have operators of their own; the counts are then 0 and only the ordinary build proves them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
#endif

namespace anydim {
namespace {

using namespace testing;

TEST(ContextAllocation, AllocatesNothingAtANewShapeWithinItsBounds) {
  const Graph graph = everything();
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 48}}}};
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compiled(graph), options);
  const int64_t arena = context->arena_bytes();
  std::mt19937_64 random(5);
  std::vector<Tensor> inputs;
  for (int i = 0; i < 100; ++i)
    inputs.emplace_back(
        Dims{static_cast<int64_t>(1 + random() % 2), 3, static_cast<int64_t>(1 + random() % 32), static_cast<int64_t>(1 + random() % 48)},
        random);
  TensorView out[2] = {};
  const int64_t before = allocations;
  const auto heap = heap_in_use();
  bool ok = true;
  for (Tensor& x : inputs) {
    out[0] = out[1] = {};
    ok = context->run({&x.view, 1}, out).ok() && ok;
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(heap_in_use(), heap);
  EXPECT_TRUE(ok);
  EXPECT_EQ(context->arena_bytes(), arena);
  EXPECT_EQ(context->growth_events(), 0);
}

TEST(ContextAllocation, StepsSideBySideAllocateNothingAtANewShapeWithinItsBounds) {
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 48}}}};
  ContextOptions options;
  options.bounds = &bounds;
  options.parallel = Parallel(2);
  options.side_by_side = SideBySide::everywhere;
  const auto context = context_of(compiled(everything()), options);
  std::mt19937_64 random(5);
  std::vector<Tensor> inputs;
  for (int i = 0; i < 40; ++i)
    inputs.emplace_back(
        Dims{static_cast<int64_t>(1 + random() % 2), 3, static_cast<int64_t>(1 + random() % 32), static_cast<int64_t>(1 + random() % 48)},
        random);
  TensorView out[2] = {};
  bool ok = context->run({&inputs[0].view, 1}, out).ok();
  const int64_t before = allocations;
  bool any = false;
  for (Tensor& x : inputs) {
    out[0] = out[1] = {};
    ok = context->run({&x.view, 1}, out).ok() && ok;
    any = any || context->binding().groups()->any();
  }
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(ok && any);
  EXPECT_EQ(context->growth_events(), 0);
}

TEST(ContextAllocation, AllocatesNothingAtDataDependentSizesWithinItsBounds) {
  const Bounds bounds{{{{0, 50}}}};
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compiled(two_counts()), options);
  std::mt19937_64 random(5);
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 100; ++i) inputs.push_back(drawn(static_cast<int64_t>(1 + random() % 50), random));
  TensorView out[3] = {};
  const int64_t before = allocations;
  const auto heap = heap_in_use();
  bool ok = true;
  for (std::vector<float>& x : inputs) {
    const TensorView in{x.data(), DType::f32, {static_cast<int64_t>(x.size())}, {1}};
    out[0] = out[1] = out[2] = {};
    ok = context->run({&in, 1}, out).ok() && ok;
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(heap_in_use(), heap);
  EXPECT_TRUE(ok);
  EXPECT_EQ(context->growth_events(), 0);
}

TEST(ContextAllocation, AMaskAndWhatItKeepsAllocateNothingAtANewShapeWithinBounds) {
  const Bounds bounds{{{{0, 200000}}}};
  ContextOptions options;
  options.bounds = &bounds;
  options.parallel = Parallel(2);
  const auto context = context_of(compiled(kept_by_a_mask()), options);
  const int64_t arena = context->arena_bytes();
  std::mt19937_64 random(5);
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 60; ++i) inputs.push_back(drawn(static_cast<int64_t>(1 + random() % (i % 9 == 0 ? 200000 : 5000)), random));
  TensorView out[2] = {};
  const int64_t before = allocations;
  const auto heap = heap_in_use();
  bool ok = true;
  for (std::vector<float>& x : inputs) {
    const TensorView in{x.data(), DType::f32, {static_cast<int64_t>(x.size())}, {1}};
    out[0] = out[1] = {};
    ok = context->run({&in, 1}, out).ok() && out[0].dims[0] == count_above(x, 0) && ok;
    for (int64_t i = 0, k = 0; i < static_cast<int64_t>(x.size()) && ok; ++i) {
      const float v = x[static_cast<size_t>(i)];
      if (!(v > 0)) continue;
      ok = out[0].as<float>()[k * out[0].strides[0]] == v + v && out[1].as<int64_t>()[k * out[1].strides[0]] == i;
      ++k;
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(heap_in_use(), heap);
  EXPECT_TRUE(ok);
  EXPECT_EQ(context->arena_bytes(), arena);
  EXPECT_EQ(context->growth_events(), 0);
}

TEST(ContextAllocation, AllocatesNothingInBranchesAndLoopsThatDataDecides) {
  const Bounds bounds{{{{1, 50}}}};
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compiled(decided_by_data()), options);
  const int64_t arena = context->arena_bytes();
  std::mt19937_64 random(5);
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 1000; ++i) inputs.push_back(drawn(static_cast<int64_t>(1 + random() % 50), random));
  TensorView out[3] = {};
  const int64_t before = allocations;
  const auto heap = heap_in_use();
  bool ok = true;
  int64_t iterations = 0;
  for (std::vector<float>& x : inputs) {
    const TensorView in{x.data(), DType::f32, {static_cast<int64_t>(x.size())}, {1}};
    out[0] = out[1] = out[2] = {};
    ok = context->run({&in, 1}, out).ok() && ok;
    iterations += out[0].dims[0];
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(heap_in_use(), heap);
  EXPECT_TRUE(ok);
  EXPECT_GT(iterations, 1000);
  EXPECT_EQ(context->arena_bytes(), arena);
  EXPECT_EQ(context->growth_events(), 0);
}

// Small results are the C library's blocks, which operator new does not count: what is left is what a run makes for itself.
TEST(ContextAllocation, ASessionThatPlacesResultsAllocatesNothingBesideThem) {
  const Bounds bounds{{{{0, 50}}}};
  ContextOptions options;
  options.bounds = &bounds;
  Graph graph = two_counts();
  graph.add_output(graph.outputs()[1].value, "a name that is too long to lie in a string without an allocation");
  std::unique_ptr<Session> session;
  ASSERT_TRUE(Session::create(compiled(graph), options, 1, false, &session).ok());
  std::mt19937_64 random(5);
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(drawn(static_cast<int64_t>(1 + random() % 50), random));
  TensorView out[4] = {};
  int64_t before = 0;
  bool ok = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i == 1) before = allocations;
    const TensorView in{inputs[i].data(), DType::f32, {static_cast<int64_t>(inputs[i].size())}, {1}};
    for (TensorView& t : out) {
      t = {};
      t.dtype = DType::f32;
    }
    ok = session->run({&in, 1}, out, {}).ok() && ok;
    for (const TensorView& t : out) ResultMemory::instance().free(t.data);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(ok);
}

TEST(ContextAllocation, WithoutBoundsGrowsByWhatAShapeNeedsAndThenAllocatesNothing) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the shadow of ThreadSanitizer counts as resident, of which contexts may hold a part ahead";
#endif
  const auto context = context_of(compiled(everything()));
  EXPECT_EQ(context->growth_events(), 0);
  std::mt19937_64 random(5);
  const auto run = [&](int64_t side) {
    Tensor x({1, 3, side, side}, random);
    TensorView out[2] = {};
    const int64_t before = allocations;
    EXPECT_TRUE(context->run({&x.view, 1}, out).ok());
    return allocations - before;
  };
  run(32);
  const int64_t events = context->growth_events();
  run(256);
  EXPECT_EQ(context->growth_events(), events + 1);
  EXPECT_GE(context->arena_bytes(), context->used_bytes());
  EXPECT_LT(context->arena_bytes() - context->used_bytes(), 2 << 20);
  EXPECT_EQ(run(255), 0);
  EXPECT_EQ(run(5), 0);
  EXPECT_EQ(context->growth_events(), events + 1);
}

TEST(ContextAllocation, AModelOfFixedDimsIsBoundAndHasItsMemoryBeforeItsFirstRun) {
  Graph graph;
  ASSERT_TRUE(parse_graph("input x: f32[1, 64, 80, 80]\nconst k: f32[64, 64, 3, 3] = 0.5\n"
                          "y = convolution(x, k) pads_begin=1,1 pads_end=1,1\nz = convolution(y, k)\noutput z\n",
                          &graph)
                  .ok());
  const auto context = context_of(compiled(graph));
  const int64_t arena = context->arena_bytes();
  EXPECT_GT(arena, 64 * 80 * 80 * 4);
  std::mt19937_64 random(5);
  Tensor x({1, 64, 80, 80}, random);
  TensorView out[1] = {};
  const int64_t before = allocations;
  ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(context->arena_bytes(), arena);
  EXPECT_EQ(context->growth_events(), 0);
}

}  // namespace
}  // namespace anydim
