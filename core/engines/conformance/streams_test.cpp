// SPDX-License-Identifier: Apache-2.0
// Streams of any engine: copies, their order, events, what is kept until work is done, what is refused.
#include <cstring>
#include <numeric>

#include "core/engines/testing/conformance.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"

namespace anydim::conformance {
namespace {

using EngineStreams = EngineConformance;

std::vector<int32_t> counted(size_t n) {
  std::vector<int32_t> all(n);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

TEST_P(EngineStreams, CopyThereBackAndWithinOverlapsToo) {
  const MemoryPtr memory = allocated(4096);
  const StreamPtr order = stream();
  std::vector<int32_t> there = counted(1024), back(1024);
  HostMemory from(there.data(), 4096), to(back.data(), 4096);
  ASSERT_TRUE(order->copy({memory.get()}, {&from}, 4096).ok());
  ASSERT_TRUE(order->copy({memory.get(), 400}, {memory.get(), 0}, 2000).ok());
  ASSERT_TRUE(order->copy({memory.get(), 2000}, {memory.get(), 2400}, 1200).ok());
  ASSERT_TRUE(order->copy({&to}, {memory.get()}, 4096).ok());
  ASSERT_TRUE(order->wait().ok());
  std::memmove(there.data() + 100, there.data(), 2000);
  std::memmove(there.data() + 500, there.data() + 600, 1200);
  EXPECT_EQ(there, back);
}

TEST_P(EngineStreams, CopyBetweenTwoMemoriesAnyBytesAtAnyOffset) {
  const MemoryPtr one = allocated(300), other = allocated(300);
  const StreamPtr order = stream();
  std::vector<uint8_t> there(300), back(300);
  for (size_t i = 0; i < 300; ++i) there[i] = static_cast<uint8_t>(i * 7);
  HostMemory from(there.data(), 300), to(back.data(), 300);
  ASSERT_TRUE(order->copy({one.get()}, {&from}, 300).ok());
  ASSERT_TRUE(order->copy({other.get()}, {&from}, 300).ok());
  for (const int64_t bytes : {0, 1, 3, 17}) ASSERT_TRUE(order->copy({other.get(), 5 * bytes}, {one.get(), 11 + bytes}, bytes).ok());
  ASSERT_TRUE(order->copy({&to}, {other.get()}, 300).ok());
  ASSERT_TRUE(order->wait().ok());
  std::vector<uint8_t> expected = there;
  for (const size_t bytes : {0, 1, 3, 17}) std::memcpy(expected.data() + 5 * bytes, there.data() + 11 + bytes, bytes);
  EXPECT_EQ(back, expected);
}

TEST_P(EngineStreams, RefuseCopiesOutsideOfAMemory) {
  const MemoryPtr memory = allocated(100);
  const StreamPtr order = stream();
  std::vector<uint8_t> bytes(200);
  HostMemory host(bytes.data(), 200);
  const int64_t wrong[][2] = {{1, 100}, {-1, 10}, {0, -1}, {101, 0}, {INT64_MAX, 8}};
  for (const auto& [offset, size] : wrong) {
    EXPECT_EQ(order->copy({memory.get(), offset}, {&host}, size).code(), Code::invalid_argument) << size << " bytes to " << offset;
    EXPECT_EQ(order->copy({&host}, {memory.get(), offset}, size).code(), Code::invalid_argument) << size << " bytes from " << offset;
  }
  EXPECT_TRUE(order->wait().ok()) << "what was refused was not begun";
}

TEST_P(EngineStreams, RefuseMemoryOfAnotherDevice) {
  const std::shared_ptr<const testing::TestEngine> other = testing::TestEngine::create();
  MemoryPtr foreign;
  ASSERT_TRUE(other->allocate(8, &foreign).ok());
  const MemoryPtr memory = allocated(8);
  const StreamPtr order = stream();
  for (const auto& [to, from] : {std::pair(memory.get(), foreign.get()), std::pair(foreign.get(), memory.get())}) {
    const Status s = order->copy({to}, {from}, 8);
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find("engine testing"), std::string::npos) << s.message();
  }
}

TEST_P(EngineStreams, DoOneAfterTheOther) {
  const MemoryPtr memory = allocated(4);
  const StreamPtr order = stream();
  std::vector<int32_t> values = counted(200), seen(200);
  HostMemory from(values.data(), 800), to(seen.data(), 800);
  for (int64_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(order->copy({memory.get()}, {&from, 4 * i}, 4).ok());
    ASSERT_TRUE(order->copy({&to, 4 * i}, {memory.get()}, 4).ok());
  }
  ASSERT_TRUE(order->wait().ok());
  EXPECT_EQ(seen, values);
}

TEST_P(EngineStreams, KeepMemoryUntilTheirWorkIsDone) {
  const StreamPtr order = stream();
  int64_t from = 5, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  {
    const MemoryPtr memory = allocated(8);
    ASSERT_TRUE(order->copy({memory.get()}, {&source}, 8).ok());
    ASSERT_TRUE(order->copy({&target}, {memory.get()}, 8).ok());
  }
  ASSERT_TRUE(order->wait().ok());
  EXPECT_EQ(to, 5);
}

TEST_P(EngineStreams, DoWhatTheyWereGivenBeforeTheyGo) {
  int64_t from = 6, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  const MemoryPtr memory = allocated(8);
  ASSERT_TRUE(stream()->copy({memory.get()}, {&source}, 8).ok());
  const StreamPtr later = stream();
  ASSERT_TRUE(later->copy({&target}, {memory.get()}, 8).ok());
  ASSERT_TRUE(later->wait().ok());
  EXPECT_EQ(to, 6);
}

TEST_P(EngineStreams, WaitForEventsOfOthers) {
  const StreamPtr first = stream(), second = stream();
  const MemoryPtr memory = allocated(8);
  int64_t from = 0, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  for (int64_t i = 1; i < 20; ++i) {
    from = i;
    EventPtr written;
    ASSERT_TRUE(first->copy({memory.get()}, {&source}, 8).ok());
    ASSERT_TRUE(first->record(&written).ok());
    ASSERT_TRUE(second->wait_for(written).ok());
    ASSERT_TRUE(second->copy({&target}, {memory.get()}, 8).ok());
    ASSERT_TRUE(second->wait().ok());
    ASSERT_EQ(to, i);
    EXPECT_TRUE(written->wait().ok());
  }
}

TEST_P(EngineStreams, RecordAnEventAgainIfItIsNotShared) {
  const StreamPtr order = stream();
  EventPtr event;
  ASSERT_TRUE(order->record(&event).ok());
  ASSERT_NE(event, nullptr);
  const Event* const first = event.get();
  ASSERT_TRUE(event->wait().ok());
  ASSERT_TRUE(order->record(&event).ok());
  EXPECT_EQ(event.get(), first);
  const EventPtr held = event;
  ASSERT_TRUE(order->record(&event).ok());
  EXPECT_NE(event, held);
  EXPECT_TRUE(order->wait().ok());
  EXPECT_TRUE(held->wait().ok());
  EXPECT_TRUE(event->wait().ok());
}

TEST_P(EngineStreams, MeasureTimesThatGoForwardOrSayThatTheyDoNot) {
  const StreamPtr order = stream();
  const MemoryPtr memory = allocated(1 << 16);
  std::vector<uint8_t> bytes(1 << 16);
  HostMemory host(bytes.data(), 1 << 16);
  EventPtr before, after;
  ASSERT_TRUE(order->record(&before).ok());
  ASSERT_TRUE(order->copy({memory.get()}, {&host}, 1 << 16).ok());
  ASSERT_TRUE(order->record(&after).ok());
  ASSERT_TRUE(order->wait().ok());
  ASSERT_TRUE(before->wait().ok() && after->wait().ok());
  int64_t begun = 0, done = 0;
  const Status s = before->time(&begun);
  if (s.code() == Code::unimplemented) return;
  ASSERT_TRUE(s.ok() && after->time(&done).ok());
  EXPECT_LE(begun, done);
}

TEST_P(EngineStreams, KeepTheirEngine) {
  const StreamPtr order = stream();
  const MemoryPtr memory = allocated(8);
  engine_.reset();
  int64_t from = 4, to = 0;
  HostMemory source(&from, 8), target(&to, 8);
  ASSERT_TRUE(order->copy({memory.get()}, {&source}, 8).ok());
  ASSERT_TRUE(order->copy({&target}, {memory.get()}, 8).ok());
  ASSERT_TRUE(order->wait().ok());
  EXPECT_EQ(to, 4);
}

ANYDIM_FOR_EVERY_ENGINE(EngineStreams);

}  // namespace
}  // namespace anydim::conformance
