// SPDX-License-Identifier: Apache-2.0
// Into how many batches the requests of a group are split that are here at the same time. One batch over all cores reads the weights
// once, but its cores wait for one another after each layer; a batch on each core waits for nothing. Which is faster depends on the model,
// the machine and the number of callers, so it is measured while requests are served, by the rows a second that come out:
//
//   ways: 1 batch at a time, 2, 4, ..., as many as there are contexts; and as many, of one request each
//
// Now and then a neighbour of the way in use is tried for some milliseconds, between two measurements of that one. One with larger batches
// is kept if it was faster than both, twice. One with smaller batches, in which a request waits less, is kept if it was as fast as their mean
// but for some hundredths, twice. The time between trials grows to 20 s, of which less than a hundredth is spent in trials. Results do not
// depend on it: rows have their bits in any batch. No clock is read here, and no lock taken: batch_queue.h has both.
#pragma once

#include <cstdint>

namespace anydim {

class BatchSplit {
 public:
  // `contexts`: most batches at the same time. `way`: the one to begin with, of way(); kMostBatches is a batch per context.
  static constexpr int kMostBatches = -1;
  explicit BatchSplit(int contexts, int way = kMostBatches) noexcept;

  int way() const noexcept { return kept_; }
  // Batches at the same time.
  int batches() const noexcept { return batches_of(now_); }
  // Requests in each of them if there are so many in all; 0: as many as come.
  int64_t requests_each(int64_t requests) const noexcept { return each(now_, requests); }

  // The group has a request again, or none any more: the time between is not counted.
  void resumed(int64_t now) noexcept;
  void idle(int64_t now) noexcept { idle_since_ = now; }
  // A batch of so many requests ended, while there were `crowd` at the same time.
  void ended(int64_t requests, int64_t rows, int64_t crowd, int64_t now) noexcept;

 private:
  enum class Phase { before, trial, after };

  int batches_of(int way) const noexcept;
  int64_t each(int way, int64_t requests) const noexcept;
  void measure_again(int64_t now) noexcept;
  void use(int way, int64_t requests) noexcept;
  // The neighbour to try: another way for so many requests. -1: there is none.
  int neighbour(int64_t requests) noexcept;
  void decide(double rate, int64_t requests, int64_t now) noexcept;

  int contexts_, ways_;       // ways_ - 1 is one request in each batch
  int now_, kept_;            // the way in use, and the one outside of trials
  int trial_ = 0, wins_ = 0;  // the way that was tried last, and how often it was faster
  int direction_ = -1;        // of the next trial
  Phase phase_ = Phase::before;
  double before_ = 0, tried_ = 0;                            // rows per ns
  int64_t crowd_ = 0;                                        // requests at the same time when it was decided last
  int64_t trial_at_ = 0, between_ = 0;                       // when the next trial may begin, and the time from one to the next
  int64_t begun_ = 0, skip_ = 0, idle_since_ = -1;           // the measurement; requests that still end in the way before
  int64_t ends_ = 0, requests_ = 0, rows_ = 0, crowds_ = 0;  // sums over its batches
};

}  // namespace anydim
