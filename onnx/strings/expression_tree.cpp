// SPDX-License-Identifier: Apache-2.0
// Sets of characters, and the parser of expressions; see expression_tree.h.
#include "onnx/strings/expression_tree.h"

#include <algorithm>
#include <string>

#include "core/base/text/letter_case.h"
#include "core/base/text/utf8.h"

namespace anydim::onnx {
namespace {

#include "onnx/strings/generated/unicode_categories.inl.h"

constexpr int kMostRepeats = 1000;  // as RE2 has it
constexpr int kDeepestGroup = 200;

// --- sets of characters ------------------------------------------------------------------------------------------------

void unite(CharacterSet* set) {
  std::sort(set->begin(), set->end(), [](const CharacterRange& a, const CharacterRange& b) { return a.first < b.first; });
  CharacterSet out;
  for (const CharacterRange& r : *set) {
    if (!out.empty() && r.first <= out.back().last + 1) out.back().last = std::max(out.back().last, r.last);
    else out.push_back(r);
  }
  *set = std::move(out);
}
CharacterSet all_but(CharacterSet set) {
  unite(&set);
  CharacterSet out;
  uint32_t next = 0;
  for (const CharacterRange& r : set) {
    if (r.first > next) out.push_back({next, r.first - 1});
    next = r.last + 1;
  }
  if (next <= kLastCharacter) out.push_back({next, kLastCharacter});
  return out;
}
void append(CharacterSet* to, const CharacterSet& from) { to->insert(to->end(), from.begin(), from.end()); }

// With the other case of each character.
void fold(CharacterSet* set) {
  static constexpr uint32_t kLastWithCase = 0x1E943;
  CharacterSet more;
  for (const CharacterRange& r : *set)
    for (uint32_t c = r.first; c <= std::min(r.last, kLastWithCase); ++c) {
      const uint32_t lower = lower_case(c), upper = upper_case(c);
      for (const uint32_t other : {lower, upper, upper_case(lower), lower_case(upper)})
        if (other != c) more.push_back({other, other});
    }
  // Characters whose cases are not the ones of the others: the long s, the sign of Kelvin, and such.
  unite(set);
  append(set, more);
  unite(set);
  const auto has = [&](uint32_t c) {
    return std::any_of(set->begin(), set->end(), [c](const CharacterRange& r) { return r.first <= c && c <= r.last; });
  };
  CharacterSet last;
  for (const uint32_t c : {0x17Fu, 0x212Au, 0x2126u, 0x212Bu, 0x1E9Eu})
    if (!has(c) && (has(lower_case(c)) || has(upper_case(c)))) last.push_back({c, c});
  append(set, last);
  unite(set);
}

CharacterSet perl_class(char c) {
  switch (c) {
    case 'd': return {{'0', '9'}};
    case 's': return {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    default: return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  }
}

// Characters whose category begins with this name; false if there is none.
bool category_set(std::string_view name, CharacterSet* set) {
  constexpr size_t kCount = std::size(kCategoryStarts);
  bool known = false;
  for (size_t i = 0; i < kCount; ++i) {
    const std::string_view category = kCategoryNames[kCategoryStarts[i] & 31];
    if (name.empty() || category.substr(0, name.size()) != name) continue;
    known = true;
    const uint32_t end = i + 1 < kCount ? kCategoryStarts[i + 1] >> 5 : kLastCharacter + 1;
    set->push_back({kCategoryStarts[i] >> 5, end - 1});
  }
  return known;
}

struct NamedClass {
  std::string_view name;
  CharacterRange ranges[4];
  int count;
};
constexpr NamedClass kNamedClasses[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"ascii", {{0, 127}}, 1},
    {"blank", {{'\t', '\t'}, {' ', ' '}}, 2},
    {"cntrl", {{0, 31}, {127, 127}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{'\t', '\r'}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};

// --- the parser --------------------------------------------------------------------------------------------------------

TreePtr tree_of(Tree::Kind kind) {
  auto t = std::make_unique<Tree>();
  t->kind = kind;
  return t;
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : all_(text), rest_(text) {}

  Result<TreePtr> parse() {
    if (!valid_utf8(all_)) return wrong("it is not valid UTF-8");
    Result<TreePtr> tree = choice(0);
    if (tree.ok() && !rest_.empty()) return wrong("a ) without a (");
    return tree;
  }

 private:
  struct Flags {
    bool fold = false, lines = false, dot_all = false;
  };

  Status wrong(std::string_view why) const {
    return error(Code::invalid_model, "the regular expression '{}' is not in RE2's syntax: {}", shown(all_), why);
  }
  Status unsupported(std::string_view what) const {
    return unimplemented("the regular expression '{}' has {}, which is not supported", shown(all_), what);
  }
  bool take(std::string_view s) {
    if (rest_.substr(0, s.size()) != s) return false;
    rest_.remove_prefix(s.size());
    return true;
  }
  uint32_t take_character() {
    const size_t length = utf8_character(rest_);
    const uint32_t c = utf8_decoded(rest_.data(), length);
    rest_.remove_prefix(length);
    return c;
  }
  TreePtr literal(uint32_t c) const {
    TreePtr t = tree_of(Tree::Kind::set);
    t->set = {{c, c}};
    if (flags_.fold) fold(&t->set);
    return t;
  }
  static TreePtr assertion(int which) {
    TreePtr t = tree_of(Tree::Kind::assertion);
    t->assertion = which;
    return t;
  }

  Result<TreePtr> choice(int depth) {
    if (depth > kDeepestGroup) return unsupported("groups in groups, too deep");
    TreePtr all = tree_of(Tree::Kind::choice);
    do {
      Result<TreePtr> one = sequence(depth);
      if (!one.ok()) return one;
      all->parts.push_back(*std::move(one));
    } while (take("|"));
    if (all->parts.size() == 1) return TreePtr(std::move(all->parts[0]));
    return TreePtr(std::move(all));
  }

  Result<TreePtr> sequence(int depth) {
    TreePtr all = tree_of(Tree::Kind::sequence);
    bool repeated = true;  // there is nothing that could be
    while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
      int least = 0, most = 0;
      Status status;
      if (take_repeat(&least, &most, &status)) {
        if (!status.ok()) return status;
        if (repeated) return wrong(all->parts.empty() ? "a repetition of nothing" : "a repetition of a repetition");
        TreePtr r = tree_of(Tree::Kind::repeat);
        r->least = least;
        r->most = most;
        r->parts.push_back(std::move(all->parts.back()));
        all->parts.back() = std::move(r);
        repeated = true;
        continue;
      }
      if (take("\\Q")) {
        while (!rest_.empty() && !take("\\E")) all->parts.push_back(literal(take_character()));
        repeated = all->parts.empty();
        continue;
      }
      Result<TreePtr> one = atom(depth);
      if (!one.ok()) return one;
      if (*one != nullptr) all->parts.push_back(*std::move(one));
      repeated = all->parts.empty();  // flags leave nothing, and what is before them is repeated
    }
    return TreePtr(std::move(all));
  }

  bool take_repeat(int* least, int* most, Status* status) {
    const std::string_view before = rest_;
    if (take("*")) *least = 0, *most = -1;
    else if (take("+")) *least = 1, *most = -1;
    else if (take("?")) *least = 0, *most = 1;
    else if (take("{")) {
      const auto number = [&](int* out) {
        size_t digits = 0;
        int64_t n = 0;
        while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9')
          n = std::min<int64_t>(n * 10 + (rest_[digits++] - '0'), 1 << 20);
        rest_.remove_prefix(digits);
        *out = static_cast<int>(n);
        return digits > 0;
      };
      bool good = number(least);
      *most = *least;
      if (good && take(",") && !number(most)) *most = -1;
      if (!good || !take("}")) {
        rest_ = before;  // a brace like any character
        return false;
      }
      if (*least > kMostRepeats || *most > kMostRepeats || (*most >= 0 && *most < *least)) *status = wrong("a repetition with bad numbers");
    } else {
      return false;
    }
    take("?");  // the longest match is asked for all the same
    return true;
  }

  Result<TreePtr> atom(int depth) {
    if (take("(")) return group(depth);
    if (take("[")) {
      TreePtr t = tree_of(Tree::Kind::set);
      ANYDIM_TRY(bracket(&t->set));
      return TreePtr(std::move(t));
    }
    if (take(".")) {
      TreePtr t = tree_of(Tree::Kind::set);
      t->set = flags_.dot_all ? all_but({}) : all_but({{'\n', '\n'}});
      return TreePtr(std::move(t));
    }
    if (take("^")) return assertion(flags_.lines ? begin_line : begin_text);
    if (take("$")) return assertion(flags_.lines ? end_line : end_text);
    if (rest_[0] != '\\') return literal(take_character());
    if (take("\\b")) return assertion(word_boundary);
    if (take("\\B")) return assertion(no_word_boundary);
    if (take("\\A")) return assertion(begin_text);
    if (take("\\z")) return assertion(end_text);
    if (take("\\C")) return unsupported("\\C, a single byte");
    TreePtr t = tree_of(Tree::Kind::set);
    bool one = false;
    ANYDIM_TRY(escape(&t->set, &one));
    return TreePtr(std::move(t));
  }

  Result<TreePtr> group(int depth) {
    const Flags before = flags_;
    if (take("?P<") || (rest_.substr(0, 3) != "?<=" && rest_.substr(0, 3) != "?<!" && take("?<"))) {
      const size_t end = rest_.find('>');
      if (end == std::string_view::npos || end == 0) return wrong("a group's name without an end");
      for (const char c : rest_.substr(0, end))
        if (c != '_' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
          return wrong("a bad name of a group");
      rest_.remove_prefix(end + 1);
    } else if (take("?")) {
      bool on = true, any = false;
      for (;; any = true) {
        if (rest_.empty()) return wrong("a group without an end");
        const char c = rest_[0];
        if (std::string_view("imsU-:)").find(c) == std::string_view::npos) return wrong("an unknown kind of group");
        rest_.remove_prefix(1);
        if (c == '-') {
          if (!on) return wrong("an unknown kind of group");
          on = false;
          any = false;
        } else if (c == 'i') flags_.fold = on;
        else if (c == 'm') flags_.lines = on;
        else if (c == 's') flags_.dot_all = on;
        else if (c == ':') break;
        else if (c == ')') {
          if (!any) return wrong("an unknown kind of group");
          return TreePtr();
        }
      }
    }
    Result<TreePtr> inner = choice(depth + 1);
    if (!inner.ok()) return inner;
    flags_ = before;
    if (!take(")")) return wrong("a ( without a )");
    return inner;
  }

  // One character after a backslash, or a class of them.
  Status escape(CharacterSet* set, bool* one) {
    rest_.remove_prefix(1);
    if (rest_.empty()) return wrong("a \\ at the end");
    *one = false;
    const char c = rest_[0];
    const auto give = [&](uint32_t character) -> Status {
      if (character > kLastCharacter) return wrong("a character above U+10FFFF");
      CharacterSet single{{character, character}};
      if (flags_.fold) fold(&single);
      append(set, single);
      *one = single.size() == 1;
      last_ = character;
      *one = true;
      return {};
    };
    const auto hexadecimal = [](char h) {
      return h >= '0' && h <= '9' ? h - '0' : h >= 'a' && h <= 'f' ? h - 'a' + 10 : h >= 'A' && h <= 'F' ? h - 'A' + 10 : -1;
    };
    if (std::string_view("dswDSW").find(c) != std::string_view::npos) {
      rest_.remove_prefix(1);
      const bool negated = c < 'a';
      CharacterSet named = perl_class(static_cast<char>(negated ? c + 32 : c));
      if (flags_.fold) fold(&named);
      append(set, negated ? all_but(named) : named);
      return {};
    }
    if (c == 'p' || c == 'P') {
      rest_.remove_prefix(1);
      bool negated = c == 'P';
      std::string_view name;
      if (take("{")) {
        const size_t end = rest_.find('}');
        if (end == std::string_view::npos) return wrong("\\p{ without an end");
        name = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        if (!name.empty() && name[0] == '^') negated = !negated, name.remove_prefix(1);
      } else {
        if (rest_.empty()) return wrong("\\p without a name");
        name = rest_.substr(0, utf8_character(rest_));
        rest_.remove_prefix(name.size());
      }
      CharacterSet named;
      if (name == "Any") named = all_but({});
      else if (!category_set(name, &named)) return unsupported(formatted("\\p{{{}}}: categories are known, scripts are not", shown(name)));
      if (flags_.fold) fold(&named);
      append(set, negated ? all_but(named) : named);
      return {};
    }
    if (c == 'x') {
      rest_.remove_prefix(1);
      uint32_t value = 0;
      if (take("{")) {
        size_t digits = 0;
        for (; digits < rest_.size() && hexadecimal(rest_[digits]) >= 0; ++digits)
          value = std::min(value * 16 + static_cast<uint32_t>(hexadecimal(rest_[digits])), 0x1000000u);
        rest_.remove_prefix(digits);
        if (digits == 0 || !take("}")) return wrong("a bad \\x");
      } else {
        if (rest_.size() < 2 || hexadecimal(rest_[0]) < 0 || hexadecimal(rest_[1]) < 0) return wrong("a bad \\x");
        value = static_cast<uint32_t>(hexadecimal(rest_[0]) * 16 + hexadecimal(rest_[1]));
        rest_.remove_prefix(2);
      }
      return give(value);
    }
    if (c >= '0' && c <= '7' && (c == '0' || (rest_.size() > 1 && rest_[1] >= '0' && rest_[1] <= '7'))) {
      uint32_t value = 0;
      for (int i = 0; i < 3 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
        value = value * 8 + static_cast<uint32_t>(rest_[0] - '0');
        rest_.remove_prefix(1);
      }
      return give(value);
    }
    constexpr std::string_view kNames = "aftnrv", kNamed = "\a\f\t\n\r\v";
    if (const size_t at = kNames.find(c); at != std::string_view::npos) {
      rest_.remove_prefix(1);
      return give(static_cast<unsigned char>(kNamed[at]));
    }
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    if (plain) return wrong(formatted("\\{}", shown(rest_.substr(0, utf8_character(rest_)))));
    return give(take_character());
  }

  Status bracket(CharacterSet* set) {
    const bool negated = take("^");
    for (bool first = true; first || !take("]"); first = false) {
      if (rest_.empty()) return wrong("a [ without a ]");
      if (rest_.substr(0, 2) == "[:") {
        const size_t end = rest_.find(":]");
        if (end != std::string_view::npos) {
          std::string_view name = rest_.substr(2, end - 2);
          const bool other = !name.empty() && name[0] == '^';
          if (other) name.remove_prefix(1);
          const auto* found =
              std::find_if(std::begin(kNamedClasses), std::end(kNamedClasses), [&](const NamedClass& c) { return c.name == name; });
          if (found == std::end(kNamedClasses)) return wrong("an unknown class [:...:]");
          rest_.remove_prefix(end + 2);
          CharacterSet named(found->ranges, found->ranges + found->count);
          if (flags_.fold) fold(&named);
          append(set, other ? all_but(named) : named);
          continue;
        }
      }
      uint32_t low = 0;
      const auto take_one = [&](uint32_t* out, bool* is_class) -> Status {
        *is_class = false;
        if (rest_.empty()) return wrong("a [ without a ]");
        if (rest_[0] != '\\') return *out = take_character(), Status();
        CharacterSet escaped;
        bool one = false;
        ANYDIM_TRY(escape(&escaped, &one));
        *out = last_;
        *is_class = !one;
        if (!one) append(set, escaped);
        return {};
      };
      bool is_class = false;
      ANYDIM_TRY(take_one(&low, &is_class));
      if (is_class) continue;
      uint32_t high = low;
      if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        ANYDIM_TRY(take_one(&high, &is_class));
        if (is_class || high < low) return wrong("a bad range in [...]");
      }
      CharacterSet range{{low, high}};
      if (flags_.fold) fold(&range);
      append(set, range);
    }
    if (negated) *set = all_but(*set);
    unite(set);
    return {};
  }

  std::string_view all_, rest_;
  Flags flags_;
  uint32_t last_ = 0;
};

}  // namespace

Result<TreePtr> parse_expression(std::string_view text) { return ExpressionParser(text).parse(); }

}  // namespace anydim::onnx
