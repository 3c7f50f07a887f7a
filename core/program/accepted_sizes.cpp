// SPDX-License-Identifier: Apache-2.0
// Sizes at which the program's first guards hold; see accepted_sizes.h. Guards on other dims do not count: a caller who gives two wrong
// dims hears of one after the other.
#include "core/program/accepted_sizes.h"

#include <algorithm>

namespace anydim {

namespace {

// Refusing must stay quick, whatever is refused: so many sizes, and fewer where each costs more expressions.
constexpr int64_t kMostSizes = 4096, kFewestSizes = 128, kMostExpressions = 4'000'000;

// Which expressions are made of one symbol, and which of another one.
struct MadeOf {
  std::vector<uint8_t> it, others;
  MadeOf(const DimPool& pool, int32_t symbol) : it(static_cast<size_t>(pool.size())), others(it.size()) {
    for (int32_t i = 0; i < pool.size(); ++i) {
      const DimExpr& e = pool.expr(i);
      const auto at = static_cast<size_t>(i);
      if (e.op == DimOp::symbol) (i == symbol ? it : others)[at] = 1;
      else
        for (const Dim operand : {e.a, e.b, e.c})
          if (!operand.is_number()) {
            it[at] |= it[static_cast<size_t>(operand.expr())];
            others[at] |= others[static_cast<size_t>(operand.expr())];
          }
    }
  }
  bool operator()(Dim d) const { return !d.is_number() && it[static_cast<size_t>(d.expr())] != 0; }
  bool alone(Dim d) const { return others[static_cast<size_t>(d.expr())] == 0; }
};

// What the run's first stage asks of one symbol, the others staying as they are.
class Asked {
 public:
  Asked(const Program& p, std::span<const int64_t> slots, int32_t symbol, std::span<const int32_t> sizes)
      : symbol_(static_cast<size_t>(symbol)), values_(slots.begin(), slots.end()) {
    values_.resize(static_cast<size_t>(p.dims.size()), kBadSlot);
    const MadeOf made_of(p.dims, symbol);
    const auto ask = [&](Dim d, int64_t least, int64_t most) {
      if (!made_of(d)) return;
      alone_ = alone_ && made_of.alone(d);
      roots_.push_back(d);
      limits_.push_back({least, most});
    };
    for (const Program::Guard& g : p.stages[0].guards) ask(g.condition, 1, 1);
    for (const int32_t s : sizes) ask(Dim::expression(s), 0, kMaxSize);
    for (const Program::IoSpec& input : p.inputs)  // where they were not the caller's, the run was refused before
      for (const Dim d : input.dims)
        if (!d.is_number() && p.dims.expr(d.expr()).op != DimOp::symbol) ask(d, value_of(d, slots), value_of(d, slots));
    code_ = SlotProgram(p.dims, roots_);
  }

  bool accepts(int64_t size) {
    values_[symbol_] = size;
    code_.run(values_);
    for (size_t i = 0; i < roots_.size(); ++i)
      if (const int64_t v = value_of(roots_[i], values_); v < limits_[i].min || v > limits_[i].max) return false;
    return true;
  }
  bool alone() const noexcept { return alone_; }

 private:
  size_t symbol_;
  std::vector<int64_t> values_;
  std::vector<Dim> roots_;
  std::vector<Interval> limits_;
  SlotProgram code_;
  bool alone_ = true;  // nothing that is asked is of other symbols, too
};

// Nothing, or the sentence. `name`: "input 'x' dim 2".
std::string about(const Program& p, std::span<const int64_t> slots, int32_t symbol, std::span<const int32_t> sizes,
                  const std::string& name, int64_t least) {
  const DimPromise& promise = p.dims.expr(symbol).promise;
  const int64_t found = slots[static_cast<size_t>(symbol)];
  const int64_t count = std::clamp(kMostExpressions / p.dims.size(), kFewestSizes, kMostSizes);
  const int64_t lowest = std::max(promise.min, least);
  TriedSizes tried;
  tried.found = found;
  tried.first = std::max(lowest, saturating_add(found, -count / 2));
  tried.last = std::min(promise.max, saturating_add(tried.first, count));
  tried.open_below = tried.first > lowest;
  tried.open_above = tried.last < promise.max;
  Asked asked(p, slots, symbol, sizes);
  std::vector<int64_t> accepted;
  for (int64_t size = tried.first; size <= tried.last; ++size)
    if (size % promise.multiple_of == 0 && asked.accepts(size)) accepted.push_back(size);
  tried.accepted = accepted;
  if (accepted.empty()) return {};
  return formatted("{} is {}; {}this model takes {}", name, found, asked.alone() ? "" : "with the other dims as they are, ",
                   sizes_text(tried));
}

}  // namespace

std::string sizes_text(const TriedSizes& t) {
  const std::span<const int64_t> a = t.accepted;
  const size_t n = a.size();
  const int64_t low = a.front(), high = a.back();
  if (high - low + 1 == static_cast<int64_t>(n)) {
    if (high == t.last && t.open_above) return formatted("{} or more", low);
    if (low == t.first && t.open_below) return formatted("{} or less", high);
    return low == high ? std::to_string(low) : formatted("{} to {}", low, high);
  }
  // Networks with skips over strides take all multiples, and some sizes between them.
  for (int64_t step = 2; step <= (t.last - t.first) / 4; ++step) {
    const int64_t all = floor_div(t.last, step) - floor_div(t.first - 1, step);
    const int64_t multiples = std::ranges::count_if(a, [&](int64_t size) { return size % step == 0; });
    if (multiples == all) return formatted("multiples of {}{}", step, all == static_cast<int64_t>(n) ? "" : ", and others");
  }
  const int64_t step = a[1] - low;
  bool even = n > 2 && low % step == 0;
  for (size_t i = 1; i < n && even; ++i) even = a[i] - a[i - 1] == step;
  if (even) return formatted("multiples of {} from {}{}", step, low, high + step > t.last && t.open_above ? "" : formatted(" to {}", high));
  const auto above = std::upper_bound(a.begin(), a.end(), t.found);
  if (above == a.begin() || above == a.end()) return formatted("{}, for example", above == a.end() ? high : low);
  return formatted("{} or {}, for example", above[-1], *above);
}

std::string accepted_sizes(const Program& p, std::span<const int64_t> slots, Dim refused, std::span<const int32_t> sizes) {
  const std::vector<int32_t> symbols = p.dims.symbols(refused);
  const auto concerns = [&](Dim d) { return !d.is_number() && std::binary_search(symbols.begin(), symbols.end(), d.expr()); };
  for (const Program::IoSpec& input : p.inputs)
    for (int i = 0; i < input.dims.rank; ++i)
      if (concerns(input.dims[i]))
        if (std::string text = about(p, slots, input.dims[i].expr(), sizes, formatted("input '{}' dim {}", input.name, i), 1); !text.empty())
          return text;
  for (const Program::InputElement& e : p.input_elements)
    if (concerns(e.symbol))
      if (std::string text = about(p, slots, e.symbol.expr(), sizes,
                                   formatted("element {} of input '{}'", e.element, p.inputs[static_cast<size_t>(e.input)].name), -kMaxSize);
          !text.empty())
        return text;
  return {};
}

}  // namespace anydim
