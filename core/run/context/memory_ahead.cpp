// SPDX-License-Identifier: Apache-2.0
// Memory for shapes to come, of contexts without bounds; see memory_ahead.h.
#include "core/run/context/memory_ahead.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace anydim {
namespace {

// 0 if the system does not report.
int64_t resident_bytes() noexcept {
  char text[128];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return 0;
  text[n] = '\0';
  char* end = nullptr;
  std::strtoll(text, &end, 10);  // the first number is the address space
  return std::strtoll(end, nullptr, 10) * sysconf(_SC_PAGESIZE);
}

}  // namespace

int64_t MemoryAhead::grant(int64_t wanted) noexcept {
  if (wanted <= kAlways) return wanted;
  const int64_t all = all_.load(std::memory_order_relaxed);
  const int64_t most = std::min((resident_bytes() - all) / kShare - all, kMost);
  const int64_t bytes = std::max(std::min(wanted, most), kAlways);
  counted_ = bytes - kAlways;
  all_.fetch_add(counted_, std::memory_order_relaxed);
  return bytes;
}

}  // namespace anydim
