// SPDX-License-Identifier: Apache-2.0
// What a device is limited in, and contexts keep to: its largest allocation, the alignment at which buffers begin, the chains of
// post-ops that its kernels take; and that runs create no events.
#include "core/graph/testing/on_engines.h"

namespace anydim {
namespace {

using namespace testing;

Dims limited_dims(std::mt19937_64& random, int64_t channels, int64_t most) {
  const auto n = [&](int64_t limit) { return static_cast<int64_t>(1 + random() % static_cast<uint64_t>(limit)); };
  return {n(2), channels, n(most), n(most)};
}

// Slabs in which the largest tensor has just room.
TEST(ContextLimits, AnArenaLargerThanTheLargestAllocationIsInSlabs) {
  std::mt19937_64 random(testing::run_seed());
  TestEngine::Options small;
  small.largest_allocation = 150000;  // no multiple of the alignment
  const TestEnginePtr device = TestEngine::create(small);
  const ProgramPtr program = compiled(everything(), on_devices({device}));
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 40}, {1, 56}}}};
  int64_t needed = 0;
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &needed, 1).ok());
  EXPECT_GT(needed, small.largest_allocation);
  const auto here = context_of(compiled(everything()));
  for (const bool bounded : {true, false}) {
    ContextOptions how;
    if (bounded) how.bounds = &bounds;
    const auto there = context_of(program, how);
    const int64_t taken = device->allocations();
    for (int i = 0; i < 20; ++i) {
      const Tensor x = any_strides(
          {1 + static_cast<int64_t>(random() % 2), 3, 1 + static_cast<int64_t>(random() % 40), 1 + static_cast<int64_t>(random() % 56)},
          random);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << to_string(x.view.dims);
      EXPECT_LE(there->used_bytes(1), needed);
    }
    if (bounded) {
      EXPECT_EQ(device->allocations(), taken) << "within bounds, in a run";
    }
  }
  const auto largest = context_of(program);
  const Tensor x = any_strides({2, 3, 40, 56}, random);
  ASSERT_EQ(outputs_of(*largest, {&x.view, 1}), outputs_of(*here, {&x.view, 1}));
  EXPECT_GT(largest->arena_bytes(1), small.largest_allocation) << "or nothing was shown";
}

TEST(ContextLimits, BuffersBeginAtMultiplesOfTheEnginesAlignment) {
  std::mt19937_64 random(testing::run_seed());
  const ProgramPtr program = compiled(everything(), on_devices({TestEngine::create()}));
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 33}, {1, 45}}}};
  ArenaPlan plan;
  ASSERT_TRUE(plan_arena(*program, &bounds, 1, &plan, 1).ok());
  std::vector<int64_t> bytes(plan.buffers.size());
  std::vector<BufferPlace> places(bytes.size());
  for (int i = 0; i < 20; ++i) {
    for (int64_t& b : bytes) b = static_cast<int64_t>(random() % 5000);
    plan.plan.place(bytes, places);
    for (const BufferPlace& p : places) EXPECT_EQ(p.offset % TestEngine::kAlignment, 0);
  }
}

// A chain that a device refuses is cut, and the rest of it stays on the device, too.
TEST(ContextLimits, ChainsAreAsLongAsADeviceTakesThem) {
  std::mt19937_64 random(testing::run_seed());
  for (const int longest : {0, 1, 2, 12}) {
    TestEngine::Options options;
    options.longest_chain = longest;
    const TestEnginePtr device = TestEngine::create(options);
    Builder b;
    const ValueId x = b.input("x", {-1, 3, -2, -3});
    b.output(b.relu(b.times(b.relu(b.conv(x, 4, 3)), b.constant({1}))));
    const ProgramPtr program = compiled(b.graph, on_devices({device})), plain = compiled(b.graph);
    int kernels = 0;
    for (const Program::Step& s : program->steps) {
      EXPECT_EQ(s.engine, 1) << s.label;
      if (s.transfer() != nullptr) continue;
      ++kernels;
      EXPECT_LE(program->primitive(s)->attributes().post_ops.count, longest) << s.label;
    }
    EXPECT_EQ(count_transfers(*program), 2);
    EXPECT_EQ(kernels, longest == 0 ? 4 : longest == 1 ? 2 : longest == 2 ? 2 : 1);
    const auto here = context_of(plain), there = context_of(program);
    const Tensor t = any_strides(limited_dims(random, 3, 24), random);
    ASSERT_EQ(outputs_of(*there, {&t.view, 1}), outputs_of(*here, {&t.view, 1}));
  }
}

TEST(ContextLimits, RunsCreateNoEventsAfterTheFirst) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const ProgramPtr program = compiled(everything(), on_devices({device}));
  const auto there = context_of(program);
  const Tensor x({2, 3, 17, 23}, random), y({1, 3, 9, 8}, random);
  (void)outputs_of(*there, {&x.view, 1});
  const int64_t created = device->events_created();
  EXPECT_GT(created, 0);
  for (int i = 0; i < 5; ++i) (void)outputs_of(*there, {i % 2 ? &x.view : &y.view, 1});
  EXPECT_EQ(device->events_created(), created);
}

}  // namespace
}  // namespace anydim
