// SPDX-License-Identifier: Apache-2.0
// What a queue of batches is made of: requests, batches, groups, threads that wait. For batch_queue.cpp, which keeps them, and
// batch_run.cpp, which runs them.
#pragma once

#include <algorithm>
#include <ctime>
#include <utility>

#include "core/base/clock.h"
#include "core/run/batching/batch_queue.h"
#include "core/run/batching/batch_split.h"
#include "core/run/context/context_pool.h"
#include "core/tensor/result.h"

namespace anydim {

constexpr int64_t kNever = INT64_MAX;

inline timespec time_of(int64_t ns) noexcept { return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)}; }

inline bool is_set(const int32_t* stop) noexcept { return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

inline bool wants(std::span<const TensorView> out, size_t i) noexcept {
  return i < out.size() && (out[i].data != nullptr || is_requested(out[i]));
}

inline Status no_memory() { return error(Code::out_of_memory, "there is no memory for a batch"); }
inline Status was_cancelled() { return error(Code::cancelled, "the request was cancelled before its batch began"); }

// One call, on the stack of the thread that waits or, if it was submitted, on the heap. All but `served` under the lock, until it is
// delivered.
struct BatchQueue::Request {
  enum class State : uint8_t { filling, waiting, running, delivered };
  std::atomic<uint32_t> served{0};
  uint32_t bit = 0;  // with which its thread waits
  State state = State::filling;
  int64_t rows = 0, begun = 0, until = kNever;
  const int32_t* stop = nullptr;
  Batch* batch = nullptr;  // null when it is delivered: it did not run
  size_t place = 0;        // in the batch
  Status status;
  std::vector<TensorView> out;  // of one that was submitted
  Later later;
  bool submitted() const noexcept { return later.done != nullptr; }
};

// Requests that run together. Memory is kept from batch to batch.
struct BatchQueue::Batch {
  struct Place {
    Request* request = nullptr;  // null: it left
    int64_t first = 0, rows = 0;
    uint64_t wanted = 0;  // outputs that are asked for; the 64th and later ones always are
    Status status;
    std::vector<TensorView> results;  // of one that ran by itself
    bool wants(size_t output) const noexcept { return output >= 64 || (wanted >> output & 1) != 0; }
  };
  Group* group = nullptr;
  size_t lane = 0;   // of the group
  uint32_t bit = 0;  // with which its threads wait
  std::vector<Place> places;
  int64_t room = 0;  // rows
  int64_t rows = 0, filling = 0, live = 0, opened = 0;
  bool closed = false;                        // takes no further request
  bool full = false;                          // because none has room
  bool borrowed = false;                      // `in` is memory of the one caller, who stays until it has run
  int32_t stop = 0;                           // set to 1 to stop a run on borrowed memory, when its caller is interrupted
  std::vector<Staging> memory;                // by input
  std::vector<TensorView> in;                 // there, with as many rows as there is room for; or borrowed
  std::vector<TensorView> out;                // of all rows
  std::vector<ResultMemory::Shared*> blocks;  // where these lie
  std::atomic<int64_t> holders{0};            // who has yet to take results
};

// Requests that can join: what they have in common, and how many came together last.
struct BatchQueue::Group {
  Group(const BatchSplit& s, int most_batches) : open(static_cast<size_t>(most_batches), nullptr), busy(open.size(), 0), split(s) {}
  bool nothing_open() const noexcept {
    return std::all_of(open.begin(), open.end(), [](const Batch* batch) { return batch == nullptr; });
  }
  // Requests at the same time, as far as is known.
  int64_t crowd() const noexcept { return std::max(expected, inside); }
  // When a batch has ended. Where several run at the same time, callers of one are on their way back when another ends: what counts is the
  // most that were here during the last ends.
  void expect() noexcept {
    if (split.batches() == 1) {
      expected = most = inside;
    } else {
      most = std::max(most, inside);
      expected = std::max(most, most_before);
      if (++ends < 32 * split.batches()) return;
    }
    most_before = std::exchange(most, 0);
    ends = 0;
  }
  // When a batch has waited for as long as it may: whoever has not come is not expected.
  void expect_no_other() noexcept {
    if (inside >= expected) return;
    expected = most = most_before = inside;
    ends = 0;
  }
  std::string key;
  std::vector<Batch*> open;  // by lane, of which there are as many as batches at the same time
  std::vector<int> busy;     // batches that run, by lane
  int64_t expected = 1, inside = 0;
  int64_t most = 0, most_before = 0, ends = 0;
  int64_t freed = 0;  // since when a batch could run
  int running = 0;    // batches
  BatchSplit split;
  uint64_t used = 0;
};

// A thread of the queue's that waits until a time, or until it is woken.
struct BatchQueue::Sleeper {
  Completion woken;
  int64_t until = kNever;
  Sleeper* next = nullptr;
};

}  // namespace anydim
