// SPDX-License-Identifier: Apache-2.0
// Sizes at which the program's first guards hold; see accepted_sizes.h. Guards on other dims do not count: a caller who gives two wrong
// dims hears of one after the other.
#include "core/program/accepted_sizes.h"

#include <algorithm>

namespace anydim {

namespace {

// Refusing must stay quick, whatever is refused: so many sizes, and fewer where each costs more expressions.
constexpr int64_t kMostSizes = 4096, kFewestSizes = 128, kMostExpressions = 4'000'000;

// What the run's first stage asks of one symbol, the others staying as they are.
class SizeQuestion {
 public:
  SizeQuestion(const Program& p, std::span<const int64_t> slots, int32_t symbol, std::span<const int32_t> sizes)
      : symbol_(static_cast<size_t>(symbol)), values_(slots.begin(), slots.end()), made_of_(static_cast<size_t>(p.dims.size())) {
    values_.resize(made_of_.size(), kBadSlot);
    for (int32_t i = 0; i < p.dims.size(); ++i) {
      const DimExpr& e = p.dims.expr(i);
      uint8_t& parts = made_of_[static_cast<size_t>(i)];
      if (e.op == DimOp::symbol) parts = i == symbol ? kIt : kOthers;
      else
        for (const Dim operand : {e.a, e.b, e.c})
          if (!operand.is_number()) parts |= made_of_[static_cast<size_t>(operand.expr())];
    }
    for (const Program::Guard& g : p.stages[0].guards) ask(g.condition);
    conditions_ = roots_.size();
    for (const int32_t s : sizes) ask(Dim::expression(s));
    code_ = SlotProgram(p.dims, roots_);
  }

  bool accepts(int64_t size) {
    values_[symbol_] = size;
    code_.run(values_);
    for (size_t i = 0; i < roots_.size(); ++i)
      if (const int64_t v = value_of(roots_[i], values_); i < conditions_ ? v != 1 : v < 0) return false;
    return true;
  }
  bool of_others() const noexcept { return (parts_ & kOthers) != 0; }

 private:
  static constexpr uint8_t kIt = 1, kOthers = 2;  // symbols that an expression is made of
  void ask(Dim d) {
    if (d.is_number() || (made_of_[static_cast<size_t>(d.expr())] & kIt) == 0) return;
    parts_ |= made_of_[static_cast<size_t>(d.expr())];
    roots_.push_back(d);
  }

  size_t symbol_;
  std::vector<int64_t> values_;
  std::vector<uint8_t> made_of_;  // by expression
  uint8_t parts_ = 0;             // of all that is asked
  std::vector<Dim> roots_;
  size_t conditions_ = 0;  // roots that must be 1; of the others none may be negative
  SlotProgram code_;
};

// The sentence, which begins with a name such as "input 'x' dim 2", or nothing.
std::string sizes_instead_of(const Program& p, std::span<const int64_t> slots, int32_t symbol, std::span<const int32_t> sizes,
                             int64_t least, const std::string& name) {
  const DimPromise& promise = p.dims.expr(symbol).promise;
  const int64_t found = slots[static_cast<size_t>(symbol)], lowest = std::max(promise.min, least);
  const int64_t count = std::clamp(kMostExpressions / p.dims.size(), kFewestSizes, kMostSizes);
  const int64_t first = std::max(lowest, saturating_add(found, -count / 2));
  const int64_t last = std::min(promise.max, saturating_add(first, count));
  SizeQuestion question(p, slots, symbol, sizes);
  std::vector<int64_t> accepted;
  for (int64_t size = first; size <= last; ++size)
    if (size % promise.multiple_of == 0 && question.accepts(size)) accepted.push_back(size);
  if (accepted.empty()) return {};
  return formatted("{} is {}; {}this model takes {}", name, found, question.of_others() ? "with the other dims as they are, " : "",
                   sizes_text({accepted, first, last, found, first > lowest, last < promise.max}));
}

}  // namespace

std::string sizes_text(const TriedSizes& t) {
  const std::span<const int64_t> a = t.accepted;
  const int64_t low = a.front(), high = a.back();
  if (high - low + 1 == std::ssize(a)) {
    if (high == t.last && t.open_above) return formatted("{} or more", low);
    if (low == t.first && t.open_below) return formatted("{} or less", high);
    return low == high ? formatted("{}", low) : formatted("{} to {}", low, high);
  }
  // Networks with skips over strides take all multiples, and some sizes between them.
  const int64_t end = t.open_above && t.last - high < high - low ? t.last : high;
  for (int64_t step = 2; step <= (end - low) / 2; ++step) {
    const int64_t begin = ceil_div(low, step), last = floor_div(end, step);
    const int64_t multiples = std::count_if(a.begin(), a.end(), [&](int64_t size) { return size % step == 0; });
    if (last - begin < 2 || multiples != last - begin + 1) continue;
    const char* const rest = multiples == std::ssize(a) ? "" : ", and others";
    if (end == t.last && t.open_above) return formatted("multiples of {} from {}{}", step, begin * step, rest);
    return formatted("multiples of {} from {} to {}{}", step, begin * step, last * step, rest);
  }
  const auto above = std::upper_bound(a.begin(), a.end(), t.found);
  return formatted("{}, for example", above == a.end() ? high : *above);
}

std::string accepted_sizes(const Program& p, std::span<const int64_t> slots, Dim refused, std::span<const int32_t> sizes) {
  const std::vector<int32_t> symbols = p.dims.symbols(refused);
  std::string text;
  const auto found = [&](Dim d, int64_t least, const char* what, int64_t index, size_t input) {
    if (!d.is_number() && std::find(symbols.begin(), symbols.end(), d.expr()) != symbols.end())
      text = sizes_instead_of(p, slots, d.expr(), sizes, least, formatted("input '{}' {} {}", p.inputs[input].name, what, index));
    return !text.empty();
  };
  for (size_t i = 0; i < p.inputs.size(); ++i)
    for (int d = 0; d < p.inputs[i].dims.rank; ++d)
      if (found(p.inputs[i].dims[d], 1, "dim", d, i)) return text + "; ";
  for (const Program::InputElement& e : p.input_elements)
    if (found(e.symbol, -kMaxSize, "element", e.element, static_cast<size_t>(e.input))) return text + "; ";
  return text;
}

}  // namespace anydim
