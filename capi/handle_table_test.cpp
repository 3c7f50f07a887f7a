// SPDX-License-Identifier: Apache-2.0
// The handle table by itself, on one thread and on eight: small enough for a quick run under each sanitizer. What the API's
// functions make of handles, and what a fork does to calls, is tests/capi's subject.
#include "capi/handles.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "capi/log.h"

namespace anydim::capi {

// Reports whether it is whole, and counts its end. Its contents are no atomics: only the table orders who writes and who reads
// them, which is what ThreadSanitizer checks.
struct TensorObject : Object {
  TensorObject(int64_t n, std::atomic<int64_t>& f) : number(n), complement(~n), freed(f) {}
  ~TensorObject() override {
    complement = number;
    freed.fetch_add(1, std::memory_order_relaxed);
  }
  bool whole() const { return complement == ~number; }

  int64_t number, complement;
  std::atomic<int64_t>& freed;
};

// Of a type that has one user at a time.
struct StreamObject : Object {
  int64_t calls = 0;
};

// Of a device: its end in another process than its own is seen.
struct MemoryObject : Object {
  explicit MemoryObject(bool device) : device_(device) {}
  ~MemoryObject() override {
    if (getpid() != process_) _exit(9);
  }
  bool on_device() const noexcept override { return device_; }

 private:
  const bool device_;
  const pid_t process_ = getpid();
};

namespace {

constexpr int kThreads = 8;

class HandleTable : public testing::Test {
 protected:
  HandleTable() {
    log_redirect([](void* user, anydim_log_level_t, const char*) { ++*static_cast<std::atomic<int64_t>*>(user); }, &warnings, nullptr);
    log_to_level(ANYDIM_LOG_WARNING);
  }
  ~HandleTable() override {
    log_redirect(nullptr, nullptr, nullptr);
    EXPECT_EQ(table::live(), 0) << "the test left handles";
  }

  uint64_t tensor(int64_t number) {
    uint64_t value = 0;
    const Status s = table::insert(std::make_unique<TensorObject>(number, freed), HandleType::tensor, &value);
    EXPECT_TRUE(s.ok()) << s.message();
    return value;
  }
  static void destroy(uint64_t value) { table::remove(value, HandleType::tensor, "anydim_tensor_destroy"); }
  static anydim_tensor_t handle(uint64_t value) { return reinterpret_cast<anydim_tensor_t>(value); }
  static Status look_up(uint64_t value) {
    Pin<TensorObject> pin;
    Status s = pin.acquire(handle(value), "the tensor", false);
    EXPECT_TRUE(!s.ok() || pin.get()->whole()) << "an object was freed under its user";
    return s;
  }

  static void together(const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
    for (std::thread& t : threads) t.join();
  }

  std::atomic<int64_t> freed{0}, warnings{0};
};

TEST_F(HandleTable, AHandleNamesItsObjectUntilItIsDestroyed) {
  const uint64_t value = tensor(7);
  {
    Pin<TensorObject> pin;
    ASSERT_TRUE(pin.acquire(handle(value), "x", false).ok());
    EXPECT_EQ(pin.get()->number, 7);
  }
  EXPECT_EQ(table::live(), 1);
  destroy(value);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(warnings, 0);
  const Status s = look_up(value);
  EXPECT_EQ(s.code(), Code::invalid_handle);
  EXPECT_NE(s.message().find("that was destroyed"), std::string::npos) << s.message();
  destroy(value);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(warnings, 1) << "a second destroy is logged and does nothing";
}

TEST_F(HandleTable, AnObjectThatIsDestroyedWhileInUseLivesAsLongAsItsUser) {
  const uint64_t value = tensor(1);
  {
    Pin<TensorObject> first, second;
    ASSERT_TRUE(first.acquire(handle(value), "x", false).ok());
    destroy(value);
    EXPECT_EQ(freed, 0);
    EXPECT_TRUE(first.get()->whole());
    const Status s = second.acquire(handle(value), "x", false);
    EXPECT_EQ(s.code(), Code::closed) << s.message();
    EXPECT_EQ(freed, 0) << "a refused lookup freed the object";
  }
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(look_up(value).code(), Code::invalid_handle);
}

TEST_F(HandleTable, AStaleHandleStaysStaleWhenItsSlotIsUsedAgain) {
  constexpr uint64_t kSlot = (uint64_t{1} << 24) - 1;
  const uint64_t stale = tensor(0);
  destroy(stale);
  bool used_again = false;
  std::vector<uint64_t> later;
  // Free slots are taken first in, first out, and earlier tests may have left many.
  for (int i = 0; i < 4000 || (!used_again && i < 200'000); ++i) {
    later.push_back(tensor(i));
    ASSERT_NE(later.back(), stale);
    used_again = used_again || (later.back() & kSlot) == (stale & kSlot);
    ASSERT_EQ(look_up(stale).code(), Code::invalid_handle);
    destroy(stale);
    ASSERT_TRUE(look_up(later.back()).ok()) << "a stale handle destroyed another object";
    if (i % 2 != 0) destroy(later[later.size() - 2]);
  }
  EXPECT_TRUE(used_again) << "the test is about nothing";
  for (size_t i = 0; i < later.size(); ++i)
    if (i % 2 != 0 || i + 1 == later.size()) destroy(later[i]);
  EXPECT_EQ(freed, 1 + static_cast<int64_t>(later.size()));
}

TEST_F(HandleTable, AHandleWithAnotherBitIsRefused) {
  const uint64_t value = tensor(0);
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t other = value ^ uint64_t { 1 } << bit;
    EXPECT_EQ(look_up(other).code(), Code::invalid_handle) << "bit " << bit;
    destroy(other);
    EXPECT_TRUE(look_up(value).ok()) << "bit " << bit;
  }
  EXPECT_EQ(warnings, 64);
  for (const uint64_t wild : {uint64_t{1}, ~uint64_t{0}, reinterpret_cast<uint64_t>(&value)})
    EXPECT_EQ(look_up(wild).code(), Code::invalid_handle);
  Pin<StreamObject> pin;
  const Status s = pin.acquire(reinterpret_cast<anydim_stream_t>(value), "stream", false);
  EXPECT_NE(s.message().find("is a tensor handle; expected a stream handle"), std::string::npos) << s.message();
  destroy(value);
}

TEST_F(HandleTable, AnArrayWithAStaleEntryNamesItAndKeepsNone) {
  for (const int count : {2, 16, 17, 40}) {
    std::vector<uint64_t> values;
    std::vector<anydim_tensor_t> handles;
    for (int i = 0; i < count; ++i) handles.push_back(handle(values.emplace_back(tensor(i))));
    handles[0] = nullptr;
    const int64_t before = freed;
    {
      PinArray<TensorObject> pins;
      ASSERT_TRUE(pins.acquire(handles.data(), count, "inputs", true).ok());
      EXPECT_EQ(pins.span()[0], nullptr);
      EXPECT_EQ(pins.span().back()->number, count - 1);
      for (const uint64_t value : values) destroy(value);
      EXPECT_EQ(freed, before + 1) << "objects in use were freed";
    }
    EXPECT_EQ(freed, before + count);

    for (int i = 0; i < count; ++i) handles[i] = handle(values[i] = tensor(i));
    destroy(values.back());
    PinArray<TensorObject> pins;
    const Status s = pins.acquire(handles.data(), count, "inputs", false);
    EXPECT_EQ(s.code(), Code::invalid_handle);
    EXPECT_NE(s.message().find(formatted("entry {} of {}", count - 1, count)), std::string::npos) << s.message();
    values.pop_back();
    for (const uint64_t value : values) destroy(value);
  }
}

TEST_F(HandleTable, EveryThreadsHandlesAreItsOwn) {
  constexpr int kEach = 1500;  // twelve chunks of slots are made meanwhile
  std::vector<std::vector<uint64_t>> made(kThreads);
  together([&](int me) {
    for (int i = 0; i < kEach; ++i) made[me].push_back(tensor(me * kEach + i));
  });
  std::vector<uint64_t> all;
  for (const std::vector<uint64_t>& some : made) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "two objects have one handle";
  together([&](int me) {
    const std::vector<uint64_t>& others = made[(me + 1) % kThreads];
    for (int i = 0; i < kEach; ++i) {
      Pin<TensorObject> pin;
      ASSERT_TRUE(pin.acquire(handle(others[i]), "x", false).ok());
      ASSERT_EQ(pin.get()->number, (me + 1) % kThreads * kEach + i);
    }
  });
  together([&](int me) {
    for (const uint64_t value : made[me]) destroy(value);
  });
  EXPECT_EQ(freed, kThreads * kEach);
}

TEST_F(HandleTable, OfThreadsThatDestroyOneHandleExactlyOneDoes) {
  constexpr int kRounds = 300;
  uint64_t value = 0;
  std::barrier round(kThreads);
  together([&](int me) {
    for (int i = 0; i < kRounds; ++i) {
      if (me == 0) value = tensor(i);
      round.arrive_and_wait();
      destroy(value);
      round.arrive_and_wait();
    }
  });
  EXPECT_EQ(freed, kRounds);
  EXPECT_EQ(warnings, kRounds * (kThreads - 1));
}

TEST_F(HandleTable, LookupsRacingWithDestructionAndReuseFindAWholeObjectOrAreRefused) {
  constexpr int kRounds = 3000, kLookups = 2000, kMakers = 2, kDestroyers = 2;
  // Handles go from thread to thread without an order: what makes an object's contents visible is the table.
  std::atomic<uint64_t> shared[4] = {};
  std::atomic<int> makers{kMakers};
  std::atomic<int64_t> made{0}, found{0}, refused{0}, wrong{0};
  const auto lookups = [&] { return found.load(std::memory_order_relaxed) + refused.load(std::memory_order_relaxed); };
  together([&](int me) {
    if (me < kMakers) {
      // Until the others have started and done their part, too.
      int i = 0;
      for (; i < kRounds || (lookups() < kLookups && wrong == 0); ++i)
        destroy(shared[i % 4].exchange(tensor(i), std::memory_order_relaxed));
      made += i;
      makers.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    for (int i = me; makers.load(std::memory_order_relaxed) > 0; ++i) {
      const uint64_t value = shared[i % 4].load(std::memory_order_relaxed);
      if (value == 0) continue;
      if (me < kMakers + kDestroyers) {
        destroy(value);
        std::this_thread::yield();
        continue;
      }
      const Code code = look_up(value).code();
      (code == Code::ok                                       ? found
       : code == Code::invalid_handle || code == Code::closed ? refused
                                                              : wrong)
          .fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (const std::atomic<uint64_t>& value : shared) destroy(value);
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(found + refused, kLookups);
  EXPECT_EQ(freed, made);
}

TEST_F(HandleTable, AnObjectOfOneUserHasOneAtATime) {
  uint64_t value = 0;
  auto stream = std::make_unique<StreamObject>();
  const StreamObject& object = *stream;
  ASSERT_TRUE(table::insert(std::move(stream), HandleType::stream, &value).ok());
  const auto taken = reinterpret_cast<anydim_stream_t>(value);
  {
    Pin<StreamObject> first, second;
    ASSERT_TRUE(first.acquire(taken, "stream", false).ok());
    EXPECT_EQ(second.acquire(taken, "stream", false).code(), Code::busy);
  }
  std::atomic<int64_t> calls{0}, wrong{0};
  together([&](int) {
    for (int i = 0; i < 2000; ++i) {
      Pin<StreamObject> pin;
      const Code code = pin.acquire(taken, "stream", false).code();
      if (code == Code::ok) {
        ++pin.get()->calls;
        calls.fetch_add(1, std::memory_order_relaxed);
      } else if (code != Code::busy) {
        wrong.fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(object.calls, calls);
  table::remove(value, HandleType::stream, "anydim_stream_destroy");
}

// What `child` gives in a process of its own; -1: that process did not end by itself.
int exit_code_of(const std::function<int()>& child) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(60);
    _exit(child());
  }
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(HandleTable, AForkedChildMayNotUseWhatADeviceHoldsAndDestroyingItThereDoesNothing) {
  uint64_t on_device = 0;
  ASSERT_TRUE(table::insert(std::make_unique<MemoryObject>(true), HandleType::memory, &on_device).ok());
  Object* object = nullptr;
  ASSERT_TRUE(table::acquire(on_device, HandleType::memory, "memory", &object).ok());
  table::release(on_device);
  EXPECT_EQ(exit_code_of([&] {
              int wrong = 0;
              const Status s = table::acquire(on_device, HandleType::memory, "memory", &object);
              if (s.code() != Code::forked) wrong |= 1;
              if (s.message().find("device of the parent process") == std::string::npos) wrong |= 2;
              table::remove(on_device, HandleType::memory, "anydim_memory_destroy");
              if (table::acquire(on_device, HandleType::memory, "memory", &object).code() != Code::invalid_handle) wrong |= 4;
              // One that the child makes serves it, and is the parent's in a child of its own.
              uint64_t own = 0;
              if (!table::insert(std::make_unique<MemoryObject>(true), HandleType::memory, &own).ok()) wrong |= 8;
              if (!table::acquire(own, HandleType::memory, "memory", &object).ok()) wrong |= 16;
              else table::release(own);
              if (exit_code_of([&] { return table::acquire(own, HandleType::memory, "memory", &object).code() == Code::forked; }) != 1)
                wrong |= 32;
              table::remove(own, HandleType::memory, "anydim_memory_destroy");
              return wrong;
            }),
            0);
  table::remove(on_device, HandleType::memory, "anydim_memory_destroy");
}

TEST_F(HandleTable, WhatOneThreadUsesWhileAnotherForksIsForkedInTheChildAndNotBusy) {
  uint64_t value = 0;
  ASSERT_TRUE(table::insert(std::make_unique<StreamObject>(), HandleType::stream, &value).ok());
  const auto stream = reinterpret_cast<anydim_stream_t>(value);
  const auto look = [stream] {
    Pin<StreamObject> pin;
    return pin.acquire(stream, "stream", false).code();
  };
  EXPECT_EQ(exit_code_of([&] { return static_cast<int>(look()); }), 0) << "nobody uses it";
  std::atomic<int> step{0};
  std::thread user([&] {
    Pin<StreamObject> pin;
    EXPECT_TRUE(pin.acquire(stream, "stream", false).ok());
    step = 1;
    while (step == 1) std::this_thread::yield();
  });
  while (step == 0) std::this_thread::yield();
  EXPECT_EQ(look(), Code::busy);
  EXPECT_EQ(exit_code_of([&] {
              const Code code = look();
              table::remove(value, HandleType::stream, "anydim_stream_destroy");
              return static_cast<int>(code);
            }),
            static_cast<int>(Code::forked));
  step = 2;
  user.join();
  EXPECT_EQ(look(), Code::ok);
  table::remove(value, HandleType::stream, "anydim_stream_destroy");
}

}  // namespace
}  // namespace anydim::capi
