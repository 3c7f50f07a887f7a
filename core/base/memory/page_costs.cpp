// SPDX-License-Identifier: Apache-2.0
// What pages cost, small and huge, as measured; see page_costs.h.
#include "core/base/memory/page_costs.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace anydim {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// The first bytes of a small file of the system's; empty if it cannot be read.
std::string_view text_of(const char* path, char (&buffer)[128]) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t n = read(file, buffer, sizeof buffer - 1);
  close(file);
  return {buffer, n > 0 ? static_cast<size_t>(n) : 0};
}

PageCosts::System system() noexcept {
  char buffer[128];
#ifdef PR_GET_THP_DISABLE
  if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0) return PageCosts::System::no_huge_pages;
#endif
  const std::string_view mode = text_of("/sys/kernel/mm/transparent_hugepage/enabled", buffer);
  if (mode.empty() || mode.find("[never]") != mode.npos) return PageCosts::System::no_huge_pages;
  // The order of the smallest block that is reported to the host; a number that is no order where nobody listens.
  const std::string_view order = text_of("/sys/module/page_reporting/parameters/page_reporting_order", buffer);
  if (!order.empty() && order[0] >= '0' && order[0] <= '9') {
    buffer[order.size()] = '\0';
    constexpr long kLargestOrder = 20;
    if (std::strtol(buffer, nullptr, 10) <= kLargestOrder) return PageCosts::System::reclaims;
  }
  return PageCosts::System::plain;
}

}  // namespace

PageCosts& PageCosts::instance() noexcept {
  // Begun by every thread that comes before one has finished: they all find the same, and a fork in the middle of it leaves the child
  // nothing to wait for.
  static constinit PageCosts costs;
  if (!costs.begun_.load(std::memory_order_acquire)) {
    costs.begin(system());
    costs.begun_.store(true, std::memory_order_release);
  }
  return costs;
}

void PageCosts::begin(System system) noexcept {
  never_.store(system == System::no_huge_pages, std::memory_order_relaxed);
  if (system == System::reclaims) wait_.store(kFirstWait, std::memory_order_relaxed);
}

bool PageCosts::huge(int64_t bytes) const noexcept {
  if (never_) return false;
  const int64_t wait = wait_.load(std::memory_order_relaxed);
  return wait == 0 || (bytes >= kLeastAttempt && waited_.load(std::memory_order_relaxed) >= wait);
}

bool PageCosts::huge_at_load(int64_t bytes) const noexcept {
  return huge(bytes) || (!never_ && huge_.load(std::memory_order_relaxed) == 0 && bytes >= kLeastAtLoad);
}

int64_t PageCosts::small_end() const noexcept {
  const int64_t huge = huge_.load(std::memory_order_relaxed);
  const int64_t small = std::max<int64_t>(small_.load(std::memory_order_relaxed), 1);
  return std::min(kHugePage, kHugePage * (huge == 0 ? kHugeGuess : huge) / small);
}

void PageCosts::noted_small(int64_t bytes, int64_t nanoseconds) noexcept {
  small_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  waited_.fetch_add(bytes, std::memory_order_relaxed);
  constexpr int64_t kTelling = 32 << 10;  // less of it measures the call
  if (bytes < kTelling) return;
  // A mean over the last ones. One at which the thread was interrupted counts no more than twice the mean.
  const int64_t before = small_.load(std::memory_order_relaxed);
  const int64_t now = std::clamp(nanoseconds * kMiB / bytes, before / 2, before * 2);
  small_.store(std::max<int64_t>(before + (now - before) / 8, 1), std::memory_order_relaxed);
}

bool PageCosts::noted_huge(int64_t nanoseconds) noexcept {
  huge_bytes_.fetch_add(kHugePage, std::memory_order_relaxed);
  huge_.store(std::max<int64_t>(nanoseconds * kMiB / kHugePage, 1), std::memory_order_relaxed);
  // A quarter less at least: where the system gives small pages instead, it takes as long as they do.
  const bool cheap = nanoseconds < small_.load(std::memory_order_relaxed) * (kHugePage / kMiB) * 3 / 4;
  const int64_t wait = wait_.load(std::memory_order_relaxed);
  if (cheap) {
    if (wait != 0) wait_.store(0, std::memory_order_relaxed);
    return true;
  }
  dear_.fetch_add(1, std::memory_order_relaxed);
  // Of several threads that meet expensive pages at the same time the first one says so.
  if (wait == 0 || waited_.load(std::memory_order_relaxed) > 0)
    wait_.store(wait == 0 ? kFirstWait : std::min(2 * wait, kLongestWait), std::memory_order_relaxed);
  waited_.store(0, std::memory_order_relaxed);
  return false;
}

PageCosts::Figures PageCosts::figures() const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return {small_.load(kRelaxed),       huge_.load(kRelaxed),       !never_ && wait_.load(kRelaxed) == 0,
          small_bytes_.load(kRelaxed), huge_bytes_.load(kRelaxed), dear_.load(kRelaxed)};
}

}  // namespace anydim
