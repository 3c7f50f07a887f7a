// SPDX-License-Identifier: Apache-2.0
// Automata over strings: StringMatch, and StringSplit with CountStringPieces, which cut by automata, by whitespace, into characters.
#include <algorithm>

#include "core/base/text/letter_case.h"
#include "core/kernels/strings/read.h"
#include "core/kernels/strings/strings.h"
#include "core/ops/operators/count_string_pieces.h"
#include "core/ops/operators/string_match.h"
#include "core/ops/operators/string_split.h"

namespace anydim {
namespace {

constexpr int64_t kMostAutomata = 64;  // they are cut by these one after the other, each inside the one before

bool is_word(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

class Automata {
 public:
  Automata() = default;
  Automata(const TensorView& classes, const TensorView& transitions) noexcept
      : classes_(classes.as<const uint8_t>()),
        transitions_(transitions.as<const int32_t>()),
        class_steps_{classes.strides[0], classes.strides[1]},
        steps_{transitions.strides[0], transitions.strides[1]},
        count_(classes.dims[0]),
        states_(transitions.dims[0]),
        end_(transitions.dims[1] - 1) {}
  int64_t count() const noexcept { return count_; }
  bool valid() const noexcept { return count_ >= 1 && count_ <= kMostAutomata && end_ >= 0 && states_ >= 4 * count_; }

  // Of each byte, one bit for each automaton that may have a match beginning there: most bytes have none.
  void find_beginnings(uint64_t (&of)[256]) const noexcept {
    for (int64_t byte = 0; byte < 256; ++byte) {
      of[byte] = 0;
      for (int64_t k = 0; k < count_; ++k) {
        const int64_t column = classes_[k * class_steps_[0] + byte * class_steps_[1]];
        bool begins = column >= end_;  // it is no automaton, as match() will say
        for (int64_t state = 4 * k; !begins && state < 4 * k + 4; ++state) {
          const int32_t entry = transitions_[state * steps_[0] + column * steps_[1]];
          begins = (entry & 1) != 0 || entry >> 1 >= 0;
        }
        of[byte] |= static_cast<uint64_t>(begins) << k;
      }
    }
  }

  // Where the longest match of automaton k that begins at `begin` ends; -1 if there is none, -2 if the automaton is none.
  int64_t match(int64_t k, std::string_view text, int64_t begin, bool whole, int64_t* steps) const noexcept {
    int64_t state = 4 * k, best = -1, i = begin;
    if (begin > 0) {
      const char before = text[static_cast<size_t>(begin - 1)];
      state += is_word(before) ? 1 : before == '\n' ? 2 : 3;
    }
    const auto size = static_cast<int64_t>(text.size());
    for (;; ++i) {
      int64_t column = end_;
      if (i < size) {
        const auto byte = static_cast<unsigned char>(text[static_cast<size_t>(i)]);
        column = classes_[k * class_steps_[0] + byte * class_steps_[1]];
        if (column >= end_) return -2;
      }
      const int32_t entry = transitions_[state * steps_[0] + column * steps_[1]];
      if ((entry & 1) != 0 && (!whole || i == size)) best = i;
      if (i == size) break;
      state = entry >> 1;
      if (state < 0) break;
      if (state >= states_) return -2;
    }
    *steps += i - begin + 1;
    return best;
  }

 private:
  const uint8_t* classes_ = nullptr;
  const int32_t* transitions_ = nullptr;
  int64_t class_steps_[2] = {}, steps_[2] = {};
  int64_t count_ = 0, states_ = 0, end_ = -1;
};

// Cuts strings; the pieces go to a function.
class Cutter {
 public:
  Cutter(const Args& args, StringRule rule, int64_t most_splits, int64_t min_characters) noexcept
      : rule_(rule), most_splits_(most_splits), min_characters_(min_characters) {
    if (!uses_automata()) return;
    automata_ = Automata(args.in[StringSplit::kClasses], args.in[StringSplit::kTransitions]);
    if (automata_.valid()) automata_.find_beginnings(beginnings_);
  }
  bool valid() const noexcept { return !uses_automata() || automata_.valid(); }

  // f(offset, length) of each piece of a valid text.
  template <class F> StringFault cut(std::string_view text, F&& f) const noexcept {
    switch (rule_) {
      case StringRule::whitespace: return cut_whitespace(text, f), StringFault::none;
      case StringRule::characters:
        for (size_t i = 0; i < text.size();) {
          const size_t length = utf8_character(text.substr(i));
          f(static_cast<int64_t>(i), static_cast<int64_t>(length));
          i += length;
        }
        return StringFault::none;
      default: {
        // Linear for all but strange expressions; those end with a status and not after days.
        int64_t steps = -(int64_t{1} << 22) - 1024 * static_cast<int64_t>(text.size());
        return cut_by(0, text, 0, f, &steps);
      }
    }
  }

 private:
  bool uses_automata() const noexcept { return rule_ == StringRule::separators || rule_ == StringRule::tokens; }

  // From `at` on, the first character that a match may begin at; the end of the text if there is none.
  int64_t next_beginning(int64_t k, std::string_view text, int64_t at) const noexcept {
    const auto size = static_cast<int64_t>(text.size());
    while (at < size) {
      const auto byte = static_cast<unsigned char>(text[static_cast<size_t>(at)]);
      if ((beginnings_[byte] >> k & 1) != 0) break;
      at += byte < 0x80 ? 1 : static_cast<int64_t>(utf8_character(text.substr(static_cast<size_t>(at))));
    }
    return at;
  }

  bool is_long(std::string_view piece) const noexcept {
    int64_t characters = 0;
    for (const char c : piece)
      if ((c & 0xC0) != 0x80 && ++characters >= min_characters_) return true;
    return characters >= min_characters_;
  }

  // Whitespace as Python's str.split() has it.
  static bool is_space(uint32_t c) noexcept {
    if (c > 0x20 && c < 0x80) return false;
    return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
           c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
  }
  template <class F> void cut_whitespace(std::string_view text, F& f) const noexcept {
    const size_t size = text.size();
    // Behind characters that are spaces, or are none.
    const auto behind = [&](size_t i, bool spaces) {
      while (i < size) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
          if (is_space(byte) != spaces) break;
          ++i;
          continue;
        }
        const size_t length = utf8_character(text.substr(i));
        if (is_space(utf8_decoded(text.data() + i, length)) != spaces) break;
        i += length;
      }
      return i;
    };
    size_t at = behind(0, true);
    for (int64_t splits = 0; at < size; ++splits) {
      const size_t end = splits == most_splits_ ? size : behind(at, false);
      f(static_cast<int64_t>(at), static_cast<int64_t>(end - at));
      at = behind(end, true);
    }
  }

  template <class F> StringFault cut_by(int64_t k, std::string_view text, int64_t offset, F& f, int64_t* steps) const noexcept {
    const auto size = static_cast<int64_t>(text.size());
    const bool tokens = rule_ == StringRule::tokens;
    // A piece goes to the next automaton, or is given.
    const auto give = [&](int64_t begin, int64_t end) {
      const std::string_view piece = text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      if (!is_long(piece)) return StringFault::none;
      if (!tokens && k + 1 < automata_.count()) return cut_by(k + 1, piece, offset + begin, f, steps);
      f(offset + begin, end - begin);
      return StringFault::none;
    };
    int64_t begin = 0, splits = 0;
    while (tokens || splits != most_splits_) {
      int64_t first = begin, end = -1;
      for (;;) {
        first = next_beginning(k, text, first);
        end = automata_.match(k, text, first, false, steps);
        if (end == -2) return StringFault::bad_automaton;
        if (*steps > 0) return StringFault::too_slow;
        if (end >= 0 || first >= size) break;
        first += static_cast<int64_t>(utf8_character(text.substr(static_cast<size_t>(first))));
      }
      if (end < 0) break;
      const StringFault fault = tokens ? give(first, end) : give(begin, first);
      if (fault != StringFault::none) return fault;
      ++splits;
      if (first == end && first == size) return StringFault::none;
      // A match of nothing takes the character behind it.
      begin = end > first ? end : first + static_cast<int64_t>(utf8_character(text.substr(static_cast<size_t>(first))));
    }
    return tokens ? StringFault::none : give(begin, size);
  }

  StringRule rule_;
  int64_t most_splits_, min_characters_;
  Automata automata_;
  uint64_t beginnings_[256] = {};
};

class MatchKernel final : public StringKernel {
 public:
  constexpr MatchKernel() noexcept : StringKernel("string_match.reference", OpKind::string_match, StringMatch::kHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView &x = args.in[StringMatch::kX], &out = args.out[0];
    const StringReader strings(x, args.in[StringMatch::kHeap], &scratch);
    const Automata automata(args.in[StringMatch::kClasses], args.in[StringMatch::kTransitions]);
    if (!automata.valid()) return fault_status(StringFault::bad_automaton, "string_match");
    const StringPlaces from(x), to(out);
    const StringFault fault = each_string(args.parallel, x.count(), [&](int64_t i) {
      std::string_view text;
      if (const StringFault f = strings.read_text(from[i], &text); f != StringFault::none) return f;
      int64_t steps = 0;
      const int64_t end = automata.match(0, text, 0, true, &steps);
      out.as<uint8_t>()[to[i]] = static_cast<uint8_t>(end >= 0);
      return end == -2 ? StringFault::bad_automaton : StringFault::none;
    });
    return fault_status(fault, "string_match");
  }
};

class CountKernel final : public StringKernel {
 public:
  constexpr CountKernel() noexcept : StringKernel("count_string_pieces.reference", OpKind::count_string_pieces, CountStringPieces::kHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const auto& at = as<CountStringPieces>(*args.op)->get();
    const TensorView &x = args.in[CountStringPieces::kX], &out = args.out[0];
    const StringReader strings(x, args.in[CountStringPieces::kHeap], &scratch);
    const Cutter cutter(args, at.rule, at.most_splits, at.min_characters);
    if (!cutter.valid()) return fault_status(StringFault::bad_automaton, "count_string_pieces");
    const StringPlaces from(x), to(out);
    std::atomic<int64_t> most{0};
    const StringFault fault = each_string(args.parallel, x.count(), [&](int64_t i) {
      std::string_view text;
      if (const StringFault f = strings.read_text(from[i], &text); f != StringFault::none) return f;
      int64_t count = 0;
      const StringFault f = cutter.cut(text, [&](int64_t, int64_t) { ++count; });
      out.as<int64_t>()[to[i]] = count;
      int64_t before = most.load(std::memory_order_relaxed);
      while (before < count && !most.compare_exchange_weak(before, count, std::memory_order_relaxed)) {
      }
      return f;
    });
    *args.out[1].as<int64_t>() = most.load(std::memory_order_relaxed);
    return fault_status(fault, "count_string_pieces");
  }
};

class SplitKernel final : public StringKernel {
 public:
  constexpr SplitKernel() noexcept : StringKernel("string_split.reference", OpKind::string_split, StringSplit::kHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const auto& at = as<StringSplit>(*args.op)->get();
    const TensorView &x = args.in[StringSplit::kX], &out = args.out[0];
    const StringReader strings(x, args.in[StringSplit::kHeap], &scratch);
    const Cutter cutter(args, at.rule, at.most_splits, at.min_characters);
    if (!cutter.valid()) return fault_status(StringFault::bad_automaton, "string_split");
    const int last = out.dims.rank - 1;
    const int64_t most = out.dims[last], step = out.strides[last];
    if (most == 0) return {};
    TensorView rows = out;
    rows.dims.erase(last);
    rows.strides.erase(last);
    const StringPlaces from(x), to(rows);
    const StringFault fault = each_string(args.parallel, x.count(), [&](int64_t i) {
      std::string_view text;
      if (const StringFault f = strings.read_text(from[i], &text); f != StringFault::none) return f;
      const int64_t first = string_offset(x.as<const int64_t>()[from[i]]);
      int64_t* const pieces = out.as<int64_t>() + to[i];
      int64_t count = 0;
      const StringFault f = cutter.cut(text, [&](int64_t offset, int64_t length) {
        if (count < most) pieces[count++ * step] = string_view_of(first + offset, length);
      });
      for (; count < most; ++count) pieces[count * step] = 0;
      return f;
    });
    return fault_status(fault, "string_split");
  }
};

const MatchKernel match_kernel;
const CountKernel count_kernel;
const SplitKernel split_kernel;

}  // namespace

constinit const HostKernel* const kStringMatch = &match_kernel;
constinit const HostKernel* const kCountStringPieces = &count_kernel;
constinit const HostKernel* const kStringSplit = &split_kernel;

}  // namespace anydim
