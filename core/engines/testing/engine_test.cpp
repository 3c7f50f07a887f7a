// SPDX-License-Identifier: Apache-2.0
// That the test engine is as hostile as it says: memory that the host cannot reach, a queue that runs late, failures at any call.
#include "core/engines/testing/engine.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/base/testing/emulated.h"
#include "core/engines/cpu/engine.h"

namespace anydim::testing {
namespace {

using EnginePointer = std::shared_ptr<const TestEngine>;

MemoryPtr allocated(const Engine& engine, int64_t bytes) {
  MemoryPtr m;
  const Status s = engine.allocate(bytes, &m);
  EXPECT_TRUE(s.ok()) << s.message();
  return m;
}

StreamPtr stream_of(const Engine& engine) {
  StreamPtr stream;
  EXPECT_TRUE(engine.create_stream(0, &stream).ok());
  return stream;
}

TEST(TestEngineMemory, FaultsWhereTheHostReadsItUnlessItIsMapped) {
  if (emulated()) GTEST_SKIP() << "the emulator starts no program of the other processor";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const EnginePointer engine = TestEngine::create();
  const MemoryPtr m = allocated(*engine, 100);
  const auto* address = reinterpret_cast<const volatile char*>(m->address());
  EXPECT_DEATH((void)*address, "");
  std::byte* mapped = nullptr;
  ASSERT_TRUE(m->map(10, 20, &mapped).ok());
  mapped[0] = std::byte{7};
  ASSERT_TRUE(m->unmap(10, 20).ok());
  EXPECT_DEATH((void)*reinterpret_cast<const volatile char*>(mapped), "");
  ASSERT_TRUE(m->map(10, 20, &mapped).ok());
  EXPECT_EQ(mapped[0], std::byte{7});
  ASSERT_TRUE(m->unmap(10, 20).ok());
  EXPECT_EQ(m->map(90, 20, &mapped).code(), Code::invalid_argument);
}

TEST(TestEngineMemory, HasALargestAllocationAndTakesNoneOfTheHosts) {
  TestEngine::Options small;
  small.largest_allocation = 4096;
  const EnginePointer engine = TestEngine::create(small);
  MemoryPtr m;
  const Status s = engine->allocate(4097, &m);
  EXPECT_EQ(s.code(), Code::out_of_memory);
  EXPECT_EQ(s.message(), "4097 bytes were asked for; the largest allocation of the test device is 4096");
  EXPECT_TRUE(engine->allocate(4096, &m).ok());
  char of_host[16];
  EXPECT_EQ(engine->import(of_host, 16, nullptr, &m).code(), Code::unimplemented);
}

TEST(TestEngineStream, DoesNothingBeforeAThreadWaits) {
  const EnginePointer engine = TestEngine::create();
  const MemoryPtr m = allocated(*engine, 8);
  const StreamPtr stream = stream_of(*engine);
  int64_t from = 42, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  ASSERT_TRUE(stream->copy({m.get()}, {&source}, 8).ok());
  ASSERT_TRUE(stream->copy({&target}, {m.get()}, 8).ok());
  EXPECT_EQ(to, 0);
  from = 43;  // read when it runs, not when it was given
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(to, 43);
}

TEST(TestEngineStream, KeepsTheBytesOfMemoryThatWasReleased) {
  const EnginePointer engine = TestEngine::create();
  const StreamPtr stream = stream_of(*engine);
  int64_t from = 5, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  {
    const MemoryPtr m = allocated(*engine, 8);
    ASSERT_TRUE(stream->copy({m.get()}, {&source}, 8).ok());
    ASSERT_TRUE(stream->copy({&target}, {m.get()}, 8).ok());
  }
  EXPECT_EQ(engine->blocks(), 1);
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(to, 5);
  EXPECT_EQ(engine->blocks(), 0);
}

TEST(TestEngineStream, WaitsForAnotherOnesEvent) {
  const EnginePointer engine = TestEngine::create();
  const StreamPtr first = stream_of(*engine), second = stream_of(*engine);
  const MemoryPtr m = allocated(*engine, 8);
  int64_t from = 9, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  EventPtr written;
  ASSERT_TRUE(first->copy({m.get()}, {&source}, 8).ok());
  ASSERT_TRUE(first->record(&written).ok());
  ASSERT_TRUE(second->wait_for(written).ok());
  ASSERT_TRUE(second->copy({&target}, {m.get()}, 8).ok());
  ASSERT_TRUE(second->wait().ok());
  EXPECT_EQ(to, 9);
  EXPECT_TRUE(written->wait().ok());
}

TEST(TestEngineFailures, OfWorkComeLateOnceAndDropWhatStandsBehind) {
  const EnginePointer engine = TestEngine::create();
  const StreamPtr stream = stream_of(*engine);
  const MemoryPtr m = allocated(*engine, 8);
  int64_t from = 1, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  engine->fail(0, Failure::deferred);
  ASSERT_TRUE(stream->copy({m.get()}, {&source}, 8).ok());
  EventPtr event;
  ASSERT_TRUE(stream->record(&event).ok());
  ASSERT_TRUE(stream->copy({&target}, {m.get()}, 8).ok());
  EXPECT_EQ(event->wait().code(), Code::out_of_memory);
  EXPECT_EQ(stream->wait().code(), Code::out_of_memory);
  EXPECT_EQ(to, 0);
  EXPECT_TRUE(stream->wait().ok()) << "told once";
  ASSERT_TRUE(stream->copy({m.get()}, {&source}, 8).ok());
  ASSERT_TRUE(stream->copy({&target}, {m.get()}, 8).ok());
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(to, 1);
}

TEST(TestEngineFailures, OfALostDeviceAreThoseOfEveryCall) {
  const EnginePointer engine = TestEngine::create();
  const StreamPtr stream = stream_of(*engine);
  const MemoryPtr m = allocated(*engine, 8);
  int64_t to = 0;
  HostMemory target(&to, 8);
  ASSERT_TRUE(stream->copy({&target}, {m.get()}, 8).ok());
  engine->fail(0, Failure::lost);
  MemoryPtr none;
  std::byte* mapped = nullptr;
  EventPtr event;
  EXPECT_EQ(stream->copy({&target}, {m.get()}, 8).code(), Code::device_lost);
  EXPECT_EQ(engine->allocate(8, &none).code(), Code::device_lost);
  EXPECT_EQ(m->map(0, 8, &mapped).code(), Code::device_lost);
  EXPECT_EQ(stream->record(&event).code(), Code::device_lost);
  EXPECT_EQ(stream->wait().code(), Code::device_lost) << "what was queued is lost";
  EXPECT_EQ(stream->wait().code(), Code::device_lost);
  EXPECT_EQ(to, 0);
}

TEST(TestEngineKernels, AreOneReferenceKernelAtLeastForEveryOperator) {
  const EnginePointer engine = TestEngine::create();
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k)
    EXPECT_FALSE(engine->kernels().of(static_cast<OpKind>(k)).empty()) << op_name(static_cast<OpKind>(k));
}

TEST(CpuStream, HasDoneEverythingWhenItsCallsReturn) {
  const StreamPtr stream = stream_of(*cpu_engine());
  const MemoryPtr m = allocated(*cpu_engine(), 8);
  int64_t from = 3, to = 0;
  MemoryPtr source, target;
  ASSERT_TRUE(cpu_engine()->import(&from, 8, nullptr, &source).ok());
  ASSERT_TRUE(cpu_engine()->import(&to, 8, nullptr, &target).ok());
  ASSERT_TRUE(stream->copy({m.get()}, {source.get()}, 8).ok());
  ASSERT_TRUE(stream->copy({target.get()}, {m.get()}, 8).ok());
  EXPECT_EQ(to, 3);
  EXPECT_EQ(source->address(), reinterpret_cast<uintptr_t>(&from));
  const MemoryPtr foreign = allocated(*TestEngine::create(), 8);
  const Status s = stream->copy({m.get()}, {foreign.get()}, 8);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("from engine testing to engine cpu"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace anydim::testing
