// SPDX-License-Identifier: Apache-2.0
// Which steps need which others, by the bytes that they touch; see step_groups.h. Two values of one buffer may be parts of a concat, or
// memory that one concat provides to another one until its own parts are written: numbers alone say both.
#include "core/program/step_groups.h"

#include <algorithm>

namespace anydim {
namespace {

// Where a tensor's elements lie in its buffer, in elements.
struct Extent {
  RankArray<int64_t> strides, lasts;  // of axes with more than one element at addresses of their own
  int64_t offset = 0, size = 0, element = 0;
  bool empty = false;

  int64_t end() const noexcept { return saturating_add(offset, size); }  // the last one's place
};

Extent extent_of(const Program::Tensor& t, std::span<const int64_t> values) noexcept {
  Extent e;
  e.offset = value_of(t.offset, values);
  e.element = dtype_size(t.dtype);
  for (int a = 0; a < t.dims.rank; ++a) {
    const int64_t last = value_of(t.dims[a], values) - 1, stride = value_of(t.strides[a], values);
    if (last < 0) e.empty = true;
    if (last <= 0 || stride == 0) continue;
    if (stride < 0) e.offset -= saturating_mul(last, -stride);
    e.strides.push_back(std::abs(stride));
    e.lasts.push_back(last);
    e.size = saturating_add(e.size, saturating_mul(last, std::abs(stride)));
  }
  return e;
}

// The places of its elements, modulo `period`: from `first` to `last`; false if they pass the end of a period.
bool within_period(const Extent& e, int64_t period, int64_t* first, int64_t* last) noexcept {
  int64_t inner = 0;
  for (int a = 0; a < e.strides.rank; ++a)
    if (e.strides[a] % period != 0) inner = saturating_add(inner, saturating_mul(e.lasts[a], e.strides[a]));
  *first = e.offset % period;
  *last = saturating_add(*first, inner);
  return e.offset >= 0 && *last < period;
}

bool differ_within_period(const Extent& a, const Extent& b, int64_t period) noexcept {
  int64_t first[2], last[2];
  return within_period(a, period, &first[0], &last[0]) && within_period(b, period, &first[1], &last[1]) &&
         (last[0] < first[1] || last[1] < first[0]);
}

// What steps read and write, and which of them need which others. Of each step the nearest 64 before it are looked at; bit k of a mask
// is the step k + 1 before.
class Needs {
 public:
  Needs(const Program& p, std::span<const int64_t> values) : p_(p), values_(values), touched_(p.steps.size()), needs_(p.steps.size()) {
    for (size_t i = 0; i < p.steps.size(); ++i) read_operands(i);
    ancestors_ = needs_;
  }

  // Fills in what the step needs, where it and all steps from `begin` on can be in a group.
  void find(int32_t begin, int32_t step) {
    uint64_t needs = 0, through = 0;
    for (int32_t k = 0; k < 64 && step - 1 - k >= begin; ++k) {
      const int32_t other = step - 1 - k;
      if (!conflict(step, other)) continue;
      needs |= uint64_t{1} << k;
      if (k < 63) through |= ancestors_[static_cast<size_t>(other)] << (k + 1);
    }
    needs_[static_cast<size_t>(step)] = needs & ~through;  // directly
    ancestors_[static_cast<size_t>(step)] = needs | through;
  }
  bool needs(int32_t step, int32_t other) const noexcept { return bit(needs_, step, other); }
  // Whether one of them comes before the other in any order.
  bool ordered(int32_t step, int32_t earlier) const noexcept { return bit(ancestors_, step, earlier); }

  // Pairs of tensors in one buffer of these two steps, of which one is written.
  template <class Pair> void each_pair(int32_t a, int32_t b, const Pair& pair) const {
    for (const Touch& x : touched_[static_cast<size_t>(a)])
      for (const Touch& y : touched_[static_cast<size_t>(b)])
        if (x.buffer == y.buffer && (x.written || y.written)) pair(x.tensor, y.tensor);
  }

 private:
  struct Touch {
    int32_t buffer, tensor;
    bool written;
  };
  void read_operands(size_t step) {
    const Program::Step& s = p_.steps[step];
    for (size_t k = 0; k < s.operands.size(); ++k) {
      const int32_t t = s.operands[k];
      if (t == Program::kNoTensor || p_.tensor(t).buffer < 0 || p_.is_packed(s, k)) continue;
      const auto inputs = static_cast<size_t>(s.inputs);
      touched_[step].push_back({p_.tensor(t).buffer, t, k >= inputs && k < inputs + static_cast<size_t>(s.outputs)});
    }
  }
  bool conflict(int32_t a, int32_t b) const {
    bool found = false;
    each_pair(a, b, [&](int32_t x, int32_t y) { found = found || !are_apart(p_, x, y, values_); });
    return found;
  }
  static bool bit(const std::vector<uint64_t>& masks, int32_t step, int32_t earlier) noexcept {
    const int32_t k = step - 1 - earlier;
    return k >= 0 && k < 64 && (masks[static_cast<size_t>(step)] >> k & 1) != 0;
  }

  const Program& p_;
  const std::span<const int64_t> values_;
  std::vector<std::vector<Touch>> touched_;
  std::vector<uint64_t> needs_, ancestors_;
};

// Steps of the host that overwrite nothing of the caller's, and whose copies at the edges are no others.
std::vector<bool> steps_for_groups(const Program& p) {
  std::vector<bool> can(p.steps.size(), false), caches(p.buffers.size(), false);
  const auto bar = [&](int32_t tensor) {
    if (const int32_t b = p.tensor(tensor).buffer; b >= 0) caches[static_cast<size_t>(b)] = true;
  };
  // An output that is an input with something appended may lie in the memory of that input.
  for (size_t i = 0; i < p.outputs.size(); ++i) {
    if (p.outputs[i].cache < 0) continue;
    bar(p.results[i]);
    for (size_t b = 0; b < p.buffers.size(); ++b)
      if (p.buffers[b].kind == Program::Buffer::Kind::input && p.buffers[b].index == p.outputs[i].cache) caches[b] = true;
  }
  for (size_t i = 0; i < p.steps.size(); ++i) {
    const Program::Step& s = p.steps[i];
    const auto cached = [&](int32_t t) {
      return t != Program::kNoTensor && p.tensor(t).buffer >= 0 && caches[static_cast<size_t>(p.tensor(t).buffer)];
    };
    can[i] = s.kernel() != nullptr && s.engine == 0 && !s.overwrites && std::none_of(s.operands.begin(), s.operands.end(), cached);
  }
  for (const Program::EdgeCopy& c : p.edge_copies) can[static_cast<size_t>(c.step)] = false;
  return can;
}

void cut_into_segments(const Needs& needs, StepGroup* g) {
  const int32_t count = g->last - g->first + 1;
  std::vector<int32_t> readers(static_cast<size_t>(count), 0), segment_of(static_cast<size_t>(count), -1);
  for (int32_t i = g->first; i <= g->last; ++i)
    for (int32_t j = g->first; j < i; ++j) readers[static_cast<size_t>(j - g->first)] += needs.needs(i, j) ? 1 : 0;
  for (int32_t i = g->first; i <= g->last; ++i) {
    std::vector<int32_t> after;
    int32_t direct = 0, before = -1;
    for (int32_t j = g->first; j < i; ++j) {
      if (!needs.needs(i, j)) continue;
      ++direct;
      before = j - g->first;
      const int32_t segment = segment_of[static_cast<size_t>(before)];
      if (std::find(after.begin(), after.end(), segment) == after.end()) after.push_back(segment);
    }
    int32_t& mine = segment_of[static_cast<size_t>(i - g->first)];
    if (direct == 1 && readers[static_cast<size_t>(before)] == 1) {
      mine = segment_of[static_cast<size_t>(before)];
    } else {
      mine = static_cast<int32_t>(g->segments.size());
      g->segments.push_back({{}, std::move(after)});
    }
    g->segments[static_cast<size_t>(mine)].steps.push_back(i);
  }
}

StepGroup make_group(const Needs& needs, int32_t first, int32_t last) {
  StepGroup g;
  g.first = first;
  g.last = last;
  cut_into_segments(needs, &g);
  for (int32_t i = first; i <= last; ++i)
    for (int32_t j = first; j < i; ++j)
      if (!needs.ordered(i, j)) needs.each_pair(i, j, [&](int32_t x, int32_t y) { g.apart.emplace_back(x, y); });
  std::sort(g.apart.begin(), g.apart.end());
  g.apart.erase(std::unique(g.apart.begin(), g.apart.end()), g.apart.end());
  return g;
}

}  // namespace

bool are_apart(const Program& p, int32_t a, int32_t b, std::span<const int64_t> values) noexcept {
  const Extent x = extent_of(p.tensor(a), values), y = extent_of(p.tensor(b), values);
  if (x.empty || y.empty) return true;
  if (x.element != y.element) return false;
  if (x.end() < y.offset || y.end() < x.offset) return true;
  // Parts along an axis that is not the outermost in memory: between them lie whole rows of both.
  for (const Extent* e : {&x, &y})
    for (const int64_t period : e->strides)
      if (differ_within_period(x, y, period)) return true;
  return false;
}

std::vector<StepGroup> find_groups(const Program& p, std::span<const int64_t> values) {
  std::vector<StepGroup> groups;
  if (!p.host_only() || p.stages.size() != 1) return groups;
  constexpr int32_t kReach = 24;  // a step is not moved before one that stands further ahead
  const std::vector<bool> can = steps_for_groups(p);
  Needs needs(p, values);
  const auto steps = static_cast<int32_t>(p.steps.size());
  std::vector<int32_t> reach(p.steps.size());  // the earliest step with which one can run side by side; itself: none
  for (int32_t step = 0, begin = 0; step < steps; ++step) {
    int32_t& earliest = reach[static_cast<size_t>(step)] = step;
    if (!can[static_cast<size_t>(step)]) {
      begin = step + 1;
      continue;
    }
    needs.find(begin, step);
    for (int32_t other = std::max(begin, step - kReach); other < step && earliest == step; ++other)
      if (!needs.ordered(step, other)) earliest = other;
  }
  // A group ends where no step can pass.
  for (int32_t last = steps - 1; last > 0; --last) {
    int32_t first = reach[static_cast<size_t>(last)];
    for (int32_t step = last - 1; step > first; --step) first = std::min(first, reach[static_cast<size_t>(step)]);
    if (first == last) continue;
    for (int32_t end = last; end >= first; end -= StepGroup::kMostSteps)
      groups.push_back(make_group(needs, std::max(first, end - StepGroup::kMostSteps + 1), end));
    last = first;
  }
  std::reverse(groups.begin(), groups.end());
  std::erase_if(groups, [](const StepGroup& g) { return g.segments.size() < 2; });
  return groups;
}

}  // namespace anydim
