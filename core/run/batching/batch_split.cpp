// SPDX-License-Identifier: Apache-2.0
// Chooses into how many batches the waiting requests are split; see batch_split.h.
#include "core/run/batching/batch_split.h"

#include <algorithm>

namespace anydim {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kFirst = 200 * kMillisecond, kLongest = 20'000 * kMillisecond;  // from trial to trial
constexpr int64_t kTrialShare = 128;                                              // of that, a trial
constexpr int64_t kShortest = 20 * kMillisecond;                                  // measurement
constexpr int64_t kRounds = 4;                                                    // in a measurement, of the requests that are here
constexpr double kFaster = 1.06;                                                  // what a trial of larger batches must gain: less is noise
constexpr double kAsFast = 0.95;  // what one of smaller batches may lose: answers come sooner
constexpr int kWins = 2;          // one after the other
constexpr double kCrowd = 1.5;    // requests at the same time, below which there is nothing to split

}  // namespace

BatchSplit::BatchSplit(int contexts, int way) noexcept : contexts_(std::max(contexts, 1)), ways_(2) {
  for (int batches = 1; batches < contexts_; batches *= 2) ++ways_;
  kept_ = now_ = way >= 0 && way < ways_ ? way : ways_ - 2;
}

int BatchSplit::batches_of(int way) const noexcept { return way >= ways_ - 2 ? contexts_ : std::min(1 << way, contexts_); }

int64_t BatchSplit::each(int way, int64_t requests) const noexcept {
  if (way == ways_ - 1) return 1;
  const int64_t batches = batches_of(way);
  return batches == 1 ? 0 : (requests + batches - 1) / batches;
}

void BatchSplit::resumed(int64_t now) noexcept {
  if (idle_since_ >= 0) begun_ += now - idle_since_;
  idle_since_ = -1;
}

void BatchSplit::measure_again(int64_t now) noexcept {
  begun_ = now;
  ends_ = requests_ = rows_ = crowds_ = 0;
}

void BatchSplit::use(int way, int64_t requests) noexcept {
  now_ = way;
  skip_ = requests;
}

int BatchSplit::neighbour(int64_t requests) noexcept {
  const auto same = [&](int way) {
    const auto size = [&](int of) { return each(of, requests) == 0 ? requests : each(of, requests); };
    const auto batches = [&](int of) { return std::min<int64_t>(batches_of(of), requests); };
    return size(way) == size(kept_) && batches(way) == batches(kept_);
  };
  for (int turn = 0; turn < 2; ++turn, direction_ = -direction_)
    for (int way = kept_ + direction_; way >= 0 && way < ways_; way += direction_)
      if (!same(way)) return way;
  return -1;
}

void BatchSplit::ended(int64_t requests, int64_t rows, int64_t crowd, int64_t now) noexcept {
  if (skip_ > 0) {
    skip_ -= requests;
    if (skip_ <= 0) measure_again(now);
    return;
  }
  if (between_ == 0) {  // the first
    between_ = kFirst;
    trial_at_ = now;
    measure_again(now);
    return;
  }
  ++ends_;
  requests_ += requests;
  rows_ += rows;
  crowds_ += crowd;
  if (now - begun_ < std::max(kShortest, between_ / kTrialShare) || requests_ < kRounds * crowd) return;
  const double usual = static_cast<double>(crowds_) / static_cast<double>(ends_);
  const double rate = static_cast<double>(rows_) / static_cast<double>(now - begun_);
  measure_again(now);
  if (usual >= kCrowd) return decide(rate, static_cast<int64_t>(usual + 0.5), now);
  if (phase_ != Phase::before) use(kept_, crowd);
  phase_ = Phase::before;
}

void BatchSplit::decide(double rate, int64_t requests, int64_t now) noexcept {
  switch (phase_) {
    case Phase::before: {
      if (requests >= 2 * crowd_ || 2 * requests <= crowd_) {  // what held then says little
        crowd_ = requests;
        between_ = kFirst;
        trial_at_ = now;
      }
      if (now < trial_at_) return;
      trial_ = neighbour(requests);
      if (trial_ < 0) {
        trial_at_ = now + between_;
        return;
      }
      before_ = rate;
      use(trial_, requests);
      phase_ = Phase::trial;
      return;
    }
    case Phase::trial:
      tried_ = rate;
      use(kept_, requests);
      phase_ = Phase::after;
      return;
    case Phase::after:
      phase_ = Phase::before;
      // Larger batches must beat both measurements; smaller ones may lose a little to their mean.
      if (tried_ <= (trial_ > kept_ ? kAsFast * (before_ + rate) / 2 : kFaster * std::max(before_, rate))) {
        wins_ = 0;
        direction_ = -direction_;
        between_ = std::min(4 * between_, kLongest);
        trial_at_ = now + between_;
      } else if (++wins_ == kWins) {
        wins_ = 0;
        kept_ = trial_;
        use(kept_, requests);
        between_ = kFirst;
        trial_at_ = now + between_;
      }
      return;
  }
}

}  // namespace anydim
