// SPDX-License-Identifier: Apache-2.0
// The control of the sanitizer runs: bugs planted on purpose, through the library's own pool and packing memory, that
// each sanitizer must report. If one of these passes in silence, the clean runs beside it prove nothing.
//
//   planted address | undefined | thread
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

#include "core/base/memory/aligned_buffer.h"
#include "core/base/threads/threads.h"

namespace {

// Reads past the end of packed weights, beyond even the padding for whole vectors.
int read_past_the_end() {
  auto buffer = anydim::AlignedBuffer::allocate(64);
  volatile const char* bytes = reinterpret_cast<const char*>(buffer->data());
  return bytes[64 + 256 + 64];
}

// Overflows a dim.
int overflow(int argc) {
  volatile int large = INT_MAX;
  return large + argc;
}

// Two workers add to one number without an order. On a busy machine the second comes late: rounds go on until it took
// part often (the mask is relaxed, so it orders nothing).
int race() {
  int sum = 0;
  std::atomic<int> joined{0};
  for (int round = 0; round < 2'000'000 && joined.load(std::memory_order_relaxed) < 500; ++round)
    anydim::Parallel(2).run(64, [&](int64_t i, int worker) {
      sum += static_cast<int>(i);
      if (worker != 0) joined.fetch_add(1, std::memory_order_relaxed);
    });
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int r = 0;
  if (std::strcmp(argv[1], "address") == 0) r = read_past_the_end();
  if (std::strcmp(argv[1], "undefined") == 0) r = overflow(argc);
  if (std::strcmp(argv[1], "thread") == 0) r = race();
  std::printf("nothing was reported (%d)\n", r);
  return 0;
}
