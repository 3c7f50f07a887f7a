// SPDX-License-Identifier: Apache-2.0
// An expression becomes a program for sets of places in it (Thompson), whose sets become the states of an automaton. Assertions (\b, ^, $)
// are settled when the next byte is known: a state knows what stands before it, and an entry of the table is for one byte behind it.
// Which alternative comes first does not matter to what is asked of automata: whether all of a text matches, and the longest match.
#include "onnx/strings/expression.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/base/text/letter_case.h"
#include "core/base/text/utf8.h"
#include "onnx/strings/expression_tree.h"

namespace anydim::onnx {
namespace {

constexpr size_t kLongestProgram = 30'000;
constexpr size_t kMostStates = 20'000;
constexpr size_t kMostEntries = 1'000'000;  // 4 MB

// --- programs --------------------------------------------------------------------------------------------------------------

struct Step {
  enum class Kind : uint8_t { bytes, split, assertion, accept };
  Kind kind = Kind::accept;
  uint8_t low = 0, high = 0;
  int assertion = 0;
  int next = -1, other = -1;
};

class ProgramWriter {
 public:
  std::vector<Step> steps;
  bool full() const noexcept { return steps.size() > kLongestProgram; }

  // Where a program begins that matches the tree and then goes on at `next`.
  int write(const Tree& t, int next) {
    if (full()) return next;
    switch (t.kind) {
      case Tree::Kind::set: return write_set(t.set, next);
      case Tree::Kind::assertion: return add({Step::Kind::assertion, 0, 0, t.assertion, next, -1});
      case Tree::Kind::sequence:
        for (size_t i = t.parts.size(); i-- > 0;) next = write(*t.parts[i], next);
        return next;
      case Tree::Kind::choice: {
        int begin = -1;
        for (size_t i = t.parts.size(); i-- > 0;) {
          const int one = write(*t.parts[i], next);
          begin = begin < 0 ? one : split(one, begin);
        }
        return begin;
      }
      case Tree::Kind::repeat: break;
    }
    const Tree& part = *t.parts[0];
    if (t.most < 0) {
      const int loop = split(-1, next);
      steps[static_cast<size_t>(loop)].next = write(part, loop);
      next = loop;
    } else {
      const int end = next;
      for (int i = t.least; i < t.most && !full(); ++i) next = split(write(part, next), end);
    }
    for (int i = 0; i < t.least && !full(); ++i) next = write(part, next);
    return next;
  }
  int add(const Step& s) {
    steps.push_back(s);
    return static_cast<int>(steps.size()) - 1;
  }

 private:
  int split(int a, int b) { return add({Step::Kind::split, 0, 0, 0, a, b}); }
  int bytes(uint32_t low, uint32_t high, int next) {
    return add({Step::Kind::bytes, static_cast<uint8_t>(low), static_cast<uint8_t>(high), 0, next, -1});
  }

  int write_set(const CharacterSet& set, int next) {
    if (set.empty()) return bytes(1, 0, next);  // nothing
    // Tails of sequences of bytes that go on at `next` are shared.
    tails_.clear();
    int begin = -1;
    for (const CharacterRange& r : set)
      for (uint32_t first = r.first; first <= r.last && !full();) {
        // Ranges of one length.
        const uint32_t end = first <= 0x7F     ? 0x7F
                             : first <= 0x7FF  ? 0x7FF
                             : first <= 0xD7FF ? 0xD7FF
                             : first <= 0xDFFF ? 0xDFFF
                             : first <= 0xFFFF ? 0xFFFF
                                               : kLastCharacter;
        const uint32_t last = std::min(r.last, end);
        if (first < 0xD800 || first > 0xDFFF) write_range(first, last, next, &begin);
        first = last + 1;
      }
    return begin < 0 ? bytes(1, 0, next) : begin;
  }
  // Cut so that bytes behind the first that differs have all their values.
  void write_range(uint32_t first, uint32_t last, int next, int* begin) {
    for (int i = 1; i < 4; ++i) {
      const uint32_t mask = (1u << (6 * i)) - 1;
      if ((first & ~mask) == (last & ~mask)) break;
      if (first > 0x7F && (first & mask) != 0) {
        write_range(first, first | mask, next, begin);
        return write_range((first | mask) + 1, last, next, begin);
      }
      if (first > 0x7F && (last & mask) != mask) {
        write_range(first, (last & ~mask) - 1, next, begin);
        return write_range(last & ~mask, last, next, begin);
      }
    }
    char low[4], high[4];
    const size_t length = utf8_encoded(first, low);
    utf8_encoded(last, high);
    int at = next;
    for (size_t i = length; i-- > 0;) {
      const auto a = static_cast<unsigned char>(low[i]), b = static_cast<unsigned char>(high[i]);
      if (i == 0) {
        at = bytes(a, b, at);
        break;
      }
      const auto [found, added] = tails_.emplace(std::array<int, 3>{a, b, at}, -1);
      if (added) found->second = bytes(a, b, at);
      at = found->second;
    }
    *begin = *begin < 0 ? at : split(at, *begin);
  }

  std::map<std::array<int, 3>, int> tails_;
};

// --- automata --------------------------------------------------------------------------------------------------------------

enum Before : int { nothing, word, line, other_before };  // what stands before a state's place
constexpr int kEnd = 256;

bool is_word_byte(int c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

class AutomatonMaker {
 public:
  AutomatonMaker(const std::vector<Step>& steps, int begin) : steps_(steps), seen_(steps.size(), 0) {
    for (const Step& s : steps_) asserts_ = asserts_ || s.kind == Step::Kind::assertion;
    begin_ = closed({begin}, -1, 0);
  }

  Result<Automaton> make(std::string_view text) {
    make_classes();
    for (int before = nothing; before <= other_before; ++before) add({before, begin_}, true);
    for (size_t i = 0; i < states_.size(); ++i) {
      if (states_.size() > kMostStates || states_.size() * static_cast<size_t>(result_.columns) > kMostEntries)
        return unimplemented("the regular expression '{}' needs too many states", shown(text));
      const State state = states_[i];
      for (int64_t column = 0; column + 1 < result_.columns; ++column)
        result_.transitions.push_back(entry(state, members_[static_cast<size_t>(column)]));
      result_.transitions.push_back(entry(state, kEnd));
    }
    return std::move(result_);
  }

 private:
  using State = std::pair<int, std::vector<int>>;

  void make_classes() {
    bool borders[257] = {true};
    const auto mark = [&](int low, int high) { borders[low] = true, borders[high + 1] = true; };
    for (const Step& s : steps_)
      if (s.kind == Step::Kind::bytes && s.low <= s.high) mark(s.low, s.high);
    if (asserts_) mark('0', '9'), mark('A', 'Z'), mark('a', 'z'), mark('_', '_'), mark('\n', '\n');
    int cls = -1;
    for (int c = 0; c < 256; ++c) {
      if (borders[c]) {
        ++cls;
        members_.push_back(c);
      }
      result_.classes[static_cast<size_t>(c)] = static_cast<uint8_t>(cls);
    }
    result_.columns = cls + 2;
  }

  // All steps that are reached without a byte. Assertions hold between `before` and the byte `next`, or stay (before < 0).
  std::vector<int> closed(std::vector<int> from, int before, int next) {
    ++round_;
    std::vector<int> out;
    while (!from.empty()) {
      const int i = from.back();
      from.pop_back();
      if (i < 0 || seen_[static_cast<size_t>(i)] == round_) continue;
      seen_[static_cast<size_t>(i)] = round_;
      const Step& s = steps_[static_cast<size_t>(i)];
      if (s.kind == Step::Kind::split) {
        from.push_back(s.other);
        from.push_back(s.next);
      } else if (s.kind == Step::Kind::assertion && before >= 0) {
        if (holds(s.assertion, before, next)) from.push_back(s.next);
      } else {
        out.push_back(i);
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  static bool holds(int assertion, int before, int next) {
    const bool boundary = (before == word) != (next != kEnd && is_word_byte(next));
    switch (assertion) {
      case begin_text: return before == nothing;
      case end_text: return next == kEnd;
      case begin_line: return before == nothing || before == line;
      case end_line: return next == kEnd || next == '\n';
      case word_boundary: return boundary;
      default: return !boundary;
    }
  }

  int32_t entry(const State& state, int next) {
    const std::vector<int> settled = asserts_ ? closed(state.second, state.first, next) : state.second;
    bool accepts = false;
    std::vector<int> after;
    for (const int i : settled) {
      const Step& s = steps_[static_cast<size_t>(i)];
      accepts = accepts || s.kind == Step::Kind::accept;
      if (s.kind == Step::Kind::bytes && next != kEnd && s.low <= next && next <= s.high) after.push_back(s.next);
    }
    const int32_t accept = accepts ? 1 : 0;
    if (after.empty()) return -2 + accept;
    const int before = !asserts_ ? other_before : is_word_byte(next) ? word : next == '\n' ? line : other_before;
    return 2 * add({before, closed(std::move(after), -1, 0)}, false) + accept;
  }

  int32_t add(State state, bool begins) {
    if (begins) {  // the first rows, whether there are equal ones or not
      numbers_.emplace(state, static_cast<int32_t>(states_.size()));
      states_.push_back(std::move(state));
      return static_cast<int32_t>(states_.size()) - 1;
    }
    const auto [found, added] = numbers_.emplace(state, static_cast<int32_t>(states_.size()));
    if (added) states_.push_back(std::move(state));
    return found->second;
  }

  const std::vector<Step>& steps_;
  std::vector<uint32_t> seen_;
  uint32_t round_ = 0;
  bool asserts_ = false;
  std::vector<int> begin_;
  std::vector<int> members_;  // of each class its first byte
  std::vector<State> states_;
  std::map<State, int32_t> numbers_;
  Automaton result_;
};

}  // namespace

Result<Automaton> automaton_of(std::string_view expression) {
  Result<TreePtr> tree = parse_expression(expression);
  if (!tree.ok()) return tree.take_status();
  ProgramWriter program;
  const int accept = program.add({});
  const int begin = program.write(**tree, accept);
  if (program.full()) return unimplemented("the regular expression '{}' is too large", shown(expression));
  return AutomatonMaker(program.steps, begin).make(expression);
}

Result<Automaton> automaton_of_text(std::string_view text) {
  ProgramWriter program;
  int at = program.add({});
  for (size_t i = text.size(); i-- > 0;) {
    const auto byte = static_cast<uint8_t>(text[i]);
    at = program.add({Step::Kind::bytes, byte, byte, 0, at, -1});
  }
  if (program.full()) return unimplemented("the text '{}' is too long", shown(text));
  return AutomatonMaker(program.steps, at).make(text);
}

}  // namespace anydim::onnx
