// SPDX-License-Identifier: Apache-2.0
// What a page of memory costs to get, small or huge, as this process measured it lately; and the rule that follows.
//
// Huge pages are cheap where the system has blocks of 2 MiB at hand: 0.1 to 0.3 ms, where the same bytes in small pages take 0.7 ms.
// They are expensive where the host of a virtual machine takes free memory back in large blocks (free page reporting, proactive
// reclaim): 5 to 7 ms for each. Which it is changes while a process runs, so each huge page is timed when it is allocated, and one that
// took longer than small pages would have is the last one for a while (docs/decisions/040-pages-are-earned.md).
//
// All of it is an estimate: threads read and write it without a lock, and no result depends on it.
#pragma once

#include <atomic>
#include <cstdint>

namespace anydim {

constexpr int64_t kHugePage = int64_t{2} << 20;

class PageCosts {
 public:
  // The process's.
  static PageCosts& instance() noexcept;
  // For one that begins without measurements, on a system that takes free memory back in blocks or not, or has no huge pages at all.
  enum class System : uint8_t { plain, reclaims, no_huge_pages };
  explicit PageCosts(System system) noexcept { begin(system); }

  // Whether `bytes` more may be got in huge pages, as far as whole ones fit. Where they were expensive, only now and then, for a large
  // request: it pays little for finding out.
  bool huge(int64_t bytes) const noexcept;
  // The same for memory that is allocated while something loads, when an attempt keeps no run waiting: made if none was made before.
  bool huge_at_load(int64_t bytes) const noexcept;
  // Bytes of the last, incomplete huge page below which small pages are cheaper.
  int64_t small_end() const noexcept;

  void noted_small(int64_t bytes, int64_t nanoseconds) noexcept;
  // False if small pages would have been cheaper: then huge ones are left for a while.
  bool noted_huge(int64_t nanoseconds) noexcept;

  struct Figures {
    int64_t small_nanoseconds, huge_nanoseconds;  // for a MiB each, on one thread; huge 0: not measured
    bool huge_pages_pay;
    int64_t small_bytes, huge_bytes;  // got by the process, contexts and results together
    int64_t dear_pages;               // huge ones that cost more than small ones
  };
  Figures figures() const noexcept;

 private:
  // A first guess, until something is measured: of virtual machines.
  static constexpr int64_t kSmallGuess = 400'000, kHugeGuess = 100'000;
  // Where huge pages are expensive, bytes in small pages between one attempt and the next, which double each time, and the smallest
  // request that makes one. An attempt takes as long as 10 to 20 MiB in small pages.
  static constexpr int64_t kFirstWait = int64_t{64} << 20, kLongestWait = int64_t{1} << 30, kLeastAttempt = int64_t{32} << 20;
  static constexpr int64_t kLeastAtLoad = int64_t{3} << 20;  // what loads less is done before an attempt would be

  constexpr PageCosts() noexcept = default;
  void begin(System system) noexcept;

  std::atomic<int64_t> small_{kSmallGuess};  // nanoseconds for a MiB
  std::atomic<int64_t> huge_{0};             // the same; 0: not measured
  std::atomic<int64_t> wait_{0};             // 0: huge pages pay; else bytes until the next attempt
  std::atomic<int64_t> waited_{0};           // bytes in small pages since the last attempt
  std::atomic<int64_t> small_bytes_{0}, huge_bytes_{0}, dear_{0};
  std::atomic<bool> never_{false}, begun_{false};
};

// What a request got, and in which time.
struct PageUse {
  int64_t small_bytes = 0, huge_bytes = 0, nanoseconds = 0;
  PageUse& operator+=(const PageUse& more) noexcept {
    small_bytes += more.small_bytes;
    huge_bytes += more.huge_bytes;
    nanoseconds += more.nanoseconds;
    return *this;
  }
};

}  // namespace anydim
