// SPDX-License-Identifier: Apache-2.0
// Choosing the order of buffers: a few greedy placements at the reference sizes, of which the lowest peak wins; its
// offsets order every pair that lives at the same time. Then the order is reduced to the edges that matter.
#include "core/program/memory_plan.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace anydim {
namespace {

int64_t aligned(int64_t bytes) noexcept {
  return bytes >= kMaxSize - kBufferAlignment ? kMaxSize : (bytes + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
}

// Which buffers live at the same time as one of them. Listed once where they are few, as in a chain of thousands of nodes; where they are
// many, a list would be as long as the square of their number, and whoever asks looks at all buffers.
class Neighbours {
 public:
  explicit Neighbours(std::span<const BufferLifetime> lifetimes) {
    std::vector<int32_t> by_birth(lifetimes.size()), living;
    std::iota(by_birth.begin(), by_birth.end(), 0);
    std::stable_sort(by_birth.begin(), by_birth.end(), [&](int32_t a, int32_t b) { return lifetimes[a].first < lifetimes[b].first; });
    lists_.resize(lifetimes.size());
    size_t pairs = 0;
    for (const int32_t i : by_birth) {
      std::erase_if(living, [&](int32_t j) { return lifetimes[j].last < lifetimes[i].first; });
      pairs += living.size();
      if (pairs > kFew * lifetimes.size()) {
        lists_.clear();
        return;
      }
      for (const int32_t j : living) {
        lists_[static_cast<size_t>(i)].push_back(j);
        lists_[static_cast<size_t>(j)].push_back(i);
      }
      living.push_back(i);
    }
  }
  bool listed() const noexcept { return !lists_.empty(); }
  std::span<const int32_t> of(int32_t i) const noexcept { return lists_[static_cast<size_t>(i)]; }

 private:
  static constexpr size_t kFew = 32;
  std::vector<std::vector<int32_t>> lists_;
};

// Places buffers in `sequence`, each into the smallest gap between already placed neighbours in time that holds it,
// else above them. Returns the peak.
int64_t place_greedily(std::span<const BufferLifetime> lifetimes, const Neighbours& neighbours, std::span<const int64_t> bytes,
                       std::span<const int32_t> sequence, std::span<int64_t> offsets) {
  std::vector<int32_t> placed, near;                      // by offset, equal ones as they were placed
  std::vector<int32_t> turn(sequence.size(), INT32_MAX);  // when a buffer was placed
  int64_t peak = 0;
  int32_t turns = 0;
  const auto below = [&](int32_t a, int32_t b) { return std::pair(offsets[a], turn[a]) < std::pair(offsets[b], turn[b]); };
  for (int32_t i : sequence) {
    int64_t end_below = 0, best_gap = INT64_MAX, best = -1;
    if (neighbours.listed()) {
      near.clear();
      for (int32_t j : neighbours.of(i))
        if (turn[j] < INT32_MAX) near.push_back(j);
      std::sort(near.begin(), near.end(), below);
    }
    for (int32_t j : neighbours.listed() ? near : placed) {
      if (!lifetimes[i].overlaps(lifetimes[j])) continue;
      const int64_t gap = offsets[j] - end_below;
      if (gap >= bytes[i] && gap < best_gap) {
        best_gap = gap;
        best = end_below;
      }
      end_below = std::max(end_below, saturating_add(offsets[j], bytes[j]));
    }
    offsets[i] = best >= 0 ? best : end_below;
    peak = std::max(peak, saturating_add(offsets[i], bytes[i]));
    turn[i] = turns++;
    if (!neighbours.listed()) placed.insert(std::upper_bound(placed.begin(), placed.end(), i, below), i);
  }
  return peak;
}

class BitRows {
 public:
  explicit BitRows(size_t n) : words_((n + 63) / 64), bits_(n * words_, 0) {}
  bool test(size_t row, size_t column) const { return bits_[row * words_ + column / 64] >> (column % 64) & 1; }
  void set(size_t row, size_t column) { bits_[row * words_ + column / 64] |= uint64_t{1} << (column % 64); }
  void merge(size_t row, size_t other) {
    for (size_t w = 0; w < words_; ++w) bits_[row * words_ + w] |= bits_[other * words_ + w];
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace

MemoryPlan::MemoryPlan(std::span<const BufferLifetime> lifetimes, std::span<const int64_t> reference_bytes, std::span<const int32_t> stages,
                       const MemoryLimits& limits)
    : limits_(limits) {
  const size_t n = lifetimes.size();
  std::vector<int64_t> bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = aligned(reference_bytes[i]);

  // Large buffers first is the best single rule (facts: 1.05-1.09 of the lower bound); large-and-long first and birth
  // order win on some graphs.
  std::vector<int32_t> sequence(n);
  std::vector<int64_t> offsets(n, 0), best_offsets(n, 0);
  int64_t best_peak = INT64_MAX;
  const auto span_of = [&](int32_t i) { return static_cast<double>(lifetimes[i].last - lifetimes[i].first + 1); };
  // What lives all through the run shares its bytes with nobody wherever it lies. Lowest, it has the same address at every
  // shape, so the scratch that all nodes share is in the caches at a shape's first call, too.
  int32_t begin = INT32_MAX, end = 0;
  for (const BufferLifetime& l : lifetimes) begin = std::min(begin, l.first), end = std::max(end, l.last);
  const auto passing = [&](int32_t i) { return lifetimes[i].first > begin || lifetimes[i].last < end; };
  const Neighbours neighbours(lifetimes);
  for (int rule = 0; rule < 3; ++rule) {
    std::iota(sequence.begin(), sequence.end(), 0);
    std::stable_sort(sequence.begin(), sequence.end(), [&](int32_t a, int32_t b) {
      if (passing(a) != passing(b)) return passing(b);
      switch (rule) {
        case 0: return bytes[a] > bytes[b];
        case 1: return static_cast<double>(bytes[a]) * span_of(a) > static_cast<double>(bytes[b]) * span_of(b);
        default: return lifetimes[a].first < lifetimes[b].first;
      }
    });
    const int64_t peak = place_greedily(lifetimes, neighbours, bytes, sequence, offsets);
    if (peak < best_peak) {
      best_peak = peak;
      best_offsets = offsets;
    }
  }

  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  const auto stage_of = [&](int32_t i) { return stages.empty() ? 0 : stages[static_cast<size_t>(i)]; };
  std::stable_sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
    return std::pair(stage_of(a), best_offsets[static_cast<size_t>(a)]) < std::pair(stage_of(b), best_offsets[static_cast<size_t>(b)]);
  });
  for (size_t k = 0; k < n; ++k) {
    const auto stage = static_cast<size_t>(stage_of(order_[k]));
    ends_.resize(std::max(ends_.size(), stage + 1), k);
    ends_[stage] = k + 1;
  }

  // Nearest predecessors first: one that is already reached through a nearer one adds nothing.
  BitRows reached(n);
  starts_.reserve(n + 1);
  std::vector<size_t> position(n), earlier;
  for (size_t k = 0; k < n; ++k) position[static_cast<size_t>(order_[k])] = k;
  for (size_t k = 0; k < n; ++k) {
    starts_.push_back(static_cast<int32_t>(below_.size()));
    const auto take = [&](size_t j) {
      if (!lifetimes[order_[k]].overlaps(lifetimes[order_[j]]) || reached.test(k, j)) return;
      below_.push_back(order_[j]);
      reached.merge(k, j);
      reached.set(k, j);
    };
    if (!neighbours.listed()) {
      for (size_t j = k; j-- > 0;) take(j);
      continue;
    }
    earlier.clear();
    for (const int32_t i : neighbours.of(order_[k]))
      if (position[static_cast<size_t>(i)] < k) earlier.push_back(position[static_cast<size_t>(i)]);
    std::sort(earlier.begin(), earlier.end(), std::greater<>());
    for (const size_t j : earlier) take(j);
  }
  starts_.push_back(static_cast<int32_t>(below_.size()));
}

template <class Add>
int64_t MemoryPlan::place_with(size_t begin, size_t end, std::span<const int64_t> bytes, std::span<BufferPlace> places,
                               Add add) const noexcept {
  const int32_t* below = below_.data() + starts_[begin];
  int64_t total = 0;
  for (size_t k = begin; k < end; ++k) {
    const auto i = static_cast<size_t>(order_[k]);
    int64_t offset = 0;
    for (const int32_t* last = below_.data() + starts_[k + 1]; below < last; ++below)
      offset = std::max(offset, places[static_cast<size_t>(*below)].end);
    places[i] = add(offset, bytes[i]);
    total = std::max(total, places[i].end);
  }
  return total;
}

int64_t MemoryPlan::place(size_t begin, size_t end, std::span<const int64_t> bytes, std::span<BufferPlace> places) const noexcept {
  if (begin == end) return 0;
  // Sizes of this world cannot overflow a sum of as many as there are; absurd ones take the slow way.
  constexpr uint64_t kPlain = uint64_t{1} << 44;
  uint64_t all = 0;
  for (const int64_t b : bytes) all |= static_cast<uint64_t>(b);
  if (!limits_.usual())
    return place_with(begin, end, bytes, places, [this](int64_t offset, int64_t size) {
      const int64_t whole = size >= kMaxSize - limits_.alignment ? kMaxSize : round_up(size, limits_.alignment);
      if (whole > limits_.slab - offset % limits_.slab) offset = round_up(offset, limits_.slab);
      return BufferPlace{offset, saturating_add(offset, whole)};
    });
  if (all < kPlain && order_.size() < (size_t{1} << 16))
    return place_with(begin, end, bytes, places, [](int64_t offset, int64_t size) {
      return BufferPlace{offset, offset + ((size + kBufferAlignment - 1) & ~(kBufferAlignment - 1))};
    });
  return place_with(begin, end, bytes, places, [](int64_t offset, int64_t size) {
    return BufferPlace{offset, saturating_add(offset, aligned(size))};
  });
}

int64_t live_lower_bound(std::span<const BufferLifetime> lifetimes, std::span<const int64_t> bytes) {
  int32_t steps = 0;
  for (const BufferLifetime& l : lifetimes) steps = std::max(steps, l.last + 1);
  std::vector<int64_t> change(static_cast<size_t>(steps) + 1, 0);
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    change[lifetimes[i].first] += aligned(bytes[i]);
    change[lifetimes[i].last + 1] -= aligned(bytes[i]);
  }
  int64_t live = 0, peak = 0;
  for (int64_t c : change) peak = std::max(peak, live += c);
  return peak;
}

}  // namespace anydim
