// SPDX-License-Identifier: Apache-2.0
// What a queue of batches did: counters since it began, and times of the last requests, in memory that does not grow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace anydim {

struct BatchFigures {
  bool open = false;
  int64_t waiting = 0, running = 0;                                // requests that wait, batches that run
  int64_t requests = 0, rows = 0, batches = 0, largest_batch = 0;  // that ended; runs alone are batches of their rows
  int64_t failed = 0, cancelled = 0, late = 0, refused = 0;        // requests
  int64_t p50_ns = 0, p99_ns = 0;                                  // from the call to its end, of the last kRecent requests
  int64_t rows_per_second = 0;                                     // of the same, up to now
};

class BatchRecord {
 public:
  static constexpr size_t kRecent = 4096;

  void request(int64_t begun, int64_t ended, int64_t rows) {
    const Recent recent{begun, ended, rows};
    if (recent_.size() < kRecent) recent_.push_back(recent);
    else recent_[next_] = recent;
    next_ = (next_ + 1) % kRecent;
    ++total.requests;
    total.rows += rows;
  }
  void batch(int64_t rows) noexcept {
    ++total.batches;
    total.largest_batch = std::max(total.largest_batch, rows);
  }

  BatchFigures figures(int64_t now) const {
    BatchFigures f = total;
    if (recent_.empty()) return f;
    std::vector<int64_t> times;
    int64_t rows = 0, first = recent_[0].begun;
    for (const Recent& r : recent_) {
      times.push_back(r.ended - r.begun);
      rows += r.rows;
      first = std::min(first, r.begun);
    }
    const auto at = [&](double part) {
      const auto place = times.begin() + static_cast<int64_t>(part * static_cast<double>(times.size() - 1) + 0.5);
      std::nth_element(times.begin(), place, times.end());
      return *place;
    };
    f.p50_ns = at(0.5);
    f.p99_ns = at(0.99);
    f.rows_per_second = static_cast<int64_t>(static_cast<double>(rows) * 1e9 / static_cast<double>(std::max<int64_t>(now - first, 1)));
    return f;
  }

  BatchFigures total;  // its times are not filled in

 private:
  struct Recent {
    int64_t begun, ended, rows;
  };
  std::vector<Recent> recent_;
  size_t next_ = 0;
};

}  // namespace anydim
