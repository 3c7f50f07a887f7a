// SPDX-License-Identifier: Apache-2.0
// Reads what the entries of a kernel's source take: the part of a preprocessor that these texts need (definitions with arguments and ##,
// conditions of names, numbers, ==, >, && and defined), and parameters of int, long, float and pointers. See wrapped_source.h.
#include <cctype>
#include <map>

#include "core/engines/opencl/wrapped_source.h"

namespace anydim::opencl {

namespace {

struct Macro {
  std::vector<std::string> parameters;
  bool is_function = false;
  std::string body;
};

bool is_name_start(char c) noexcept { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(char c) noexcept { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
std::string_view trimmed(std::string_view s) noexcept {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())) != 0) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())) != 0) s.remove_suffix(1);
  return s;
}
size_t end_of_name(std::string_view s, size_t at) noexcept {
  while (at < s.size() && is_name(s[at])) ++at;
  return at;
}
// The pieces between commas outside of parentheses, and the end behind the closing one; `at` is behind the opening one.
bool split(std::string_view s, size_t at, std::vector<std::string>* out, size_t* end) {
  int depth = 1;
  std::string piece;
  for (; at < s.size(); ++at) {
    const char c = s[at];
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) {
      out->emplace_back(trimmed(piece));
      *end = at + 1;
      return true;
    }
    if (c == ',' && depth == 1) {
      out->emplace_back(trimmed(piece));
      piece.clear();
    } else {
      piece += c;
    }
  }
  return false;
}

class HeadReader {
 public:
  explicit HeadReader(const std::string& text) : text_(text) {}

  // Each entry's head as a compiler sees it, from `kernel` to the closing parenthesis.
  bool heads(std::vector<std::string>* out) {
    std::string line, head;
    bool in_head = false;
    for (size_t at = 0; at < text_.size();) {
      line.clear();
      for (bool more = true; more && at < text_.size();) {
        const size_t end = std::min(text_.find('\n', at), text_.size());
        std::string_view part(text_.data() + at, end - at);
        at = end + 1;
        more = !part.empty() && part.back() == '\\';
        if (more) part.remove_suffix(1);
        line += part;
      }
      if (const size_t comment = line.find("//"); comment != std::string::npos) line.resize(comment);
      const std::string_view trim = trimmed(line);
      if (!trim.empty() && trim[0] == '#') {
        if (!directive(trimmed(trim.substr(1)))) return false;
        continue;
      }
      if (!active()) continue;
      if (!in_head && line.starts_with("ENTRY(")) {
        in_head = true;
        head.clear();
      }
      if (!in_head) continue;
      const size_t brace = line.find('{');
      head += line.substr(0, brace) + " ";
      if (brace == std::string::npos) continue;
      in_head = false;
      std::string expanded;
      if (!expand(head, &expanded)) return false;
      out->push_back(std::move(expanded));
    }
    return !in_head && conditions_.empty();
  }

 private:
  bool active() const noexcept {
    for (const Condition& c : conditions_)
      if (!c.now) return false;
    return true;
  }

  bool directive(std::string_view d) {
    const size_t end = end_of_name(d, 0);
    const std::string_view word = d.substr(0, end), rest = trimmed(d.substr(end));
    if (word == "endif") return !conditions_.empty() && (conditions_.pop_back(), true);
    if (word == "else" || word == "elif") {
      if (conditions_.empty()) return false;
      Condition c = conditions_.back();
      conditions_.pop_back();
      bool holds = true;
      if (word == "elif" && active() && !c.was && !evaluate(rest, &holds)) return false;
      c.now = !c.was && holds;
      c.was |= c.now;
      conditions_.push_back(c);
      return true;
    }
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      bool holds = false;
      if (!active()) holds = false;
      else if (word == "ifdef") holds = macros_.contains(std::string(rest));
      else if (word == "ifndef") holds = !macros_.contains(std::string(rest));
      else if (!evaluate(rest, &holds)) return false;
      conditions_.push_back({holds, holds});
      return true;
    }
    if (!active() || word == "pragma") return true;
    if (word == "undef") return macros_.erase(std::string(rest)), true;
    return word == "define" && define(rest);
  }

  bool define(std::string_view d) {
    const size_t end = end_of_name(d, 0);
    if (end == 0) return false;
    Macro macro;
    size_t body = end;
    if (end < d.size() && d[end] == '(') {
      macro.is_function = true;
      if (!split(d, end + 1, &macro.parameters, &body)) return false;
    }
    macro.body = trimmed(d.substr(body));
    macros_[std::string(d.substr(0, end))] = std::move(macro);
    return true;
  }

  // Terms joined by &&.
  bool evaluate(std::string_view text, bool* out) const {
    *out = true;
    for (;;) {
      const size_t at = text.find("&&");
      bool term = false;
      if (!evaluate_term(trimmed(text.substr(0, at)), &term)) return false;
      *out &= term;
      if (at == std::string_view::npos) return true;
      text.remove_prefix(at + 2);
    }
  }
  bool evaluate_term(std::string_view term, bool* out) const {
    if (term.starts_with("defined(") && term.ends_with(")")) {
      *out = macros_.contains(std::string(trimmed(term.substr(8, term.size() - 9))));
      return true;
    }
    const size_t equal = term.find("=="), greater = term.find('>');
    const size_t at = std::min(equal, greater);
    if (at == std::string_view::npos) return false;
    int64_t left = 0, right = 0;
    if (!value(trimmed(term.substr(0, at)), &left) || !value(trimmed(term.substr(at + (at == equal ? 2 : 1))), &right)) return false;
    *out = at == equal ? left == right : left > right;
    return true;
  }
  bool value(std::string_view text, int64_t* out) const {
    for (int depth = 0; depth < 8; ++depth) {
      const auto found = macros_.find(std::string(text));
      if (found == macros_.end()) break;
      text = found->second.body;
    }
    if (text.empty() || text.size() > 9) return false;
    *out = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return false;
      *out = 10 * *out + (c - '0');
    }
    return true;
  }

  // What a replacement gives is read again together with what follows it. No macro of these texts comes back to itself.
  bool expand(std::string text, std::string* out) {
    out->clear();
    for (size_t at = 0; at < text.size();) {
      if (!is_name_start(text[at])) {
        *out += text[at++];
        continue;
      }
      const size_t end = end_of_name(text, at);
      const std::string name = text.substr(at, end - at);
      const auto found = macros_.find(name);
      size_t behind = end;
      std::vector<std::string> arguments;
      if (found != macros_.end() && found->second.is_function) {
        while (behind < text.size() && std::isspace(static_cast<unsigned char>(text[behind])) != 0) ++behind;
        if (behind >= text.size() || text[behind] != '(') {
          *out += name;
          at = end;
          continue;
        }
        if (!split(text, behind + 1, &arguments, &behind)) return false;
        if (arguments.size() == 1 && arguments[0].empty() && found->second.parameters.size() != 1) arguments.clear();
      }
      if (found == macros_.end()) {
        *out += name;
        at = end;
        continue;
      }
      if (--left_ < 0) return false;
      std::string replaced;
      if (!replace(found->second, arguments, &replaced)) return false;
      text = replaced + text.substr(behind);
      at = 0;
    }
    return true;
  }

  bool replace(const Macro& macro, const std::vector<std::string>& arguments, std::string* out) {
    if (macro.is_function && arguments.size() != macro.parameters.size()) return false;
    for (size_t at = 0; at < macro.body.size();) {
      const char c = macro.body[at];
      if (c == '#') {
        if (at + 1 >= macro.body.size() || macro.body[at + 1] != '#') return false;
        while (!out->empty() && out->back() == ' ') out->pop_back();
        at += 2;
        while (at < macro.body.size() && macro.body[at] == ' ') ++at;
        continue;
      }
      if (!is_name_start(c)) {
        *out += c;
        ++at;
        continue;
      }
      const size_t end = end_of_name(macro.body, at);
      const std::string name = macro.body.substr(at, end - at);
      size_t which = 0;
      while (which < macro.parameters.size() && macro.parameters[which] != name) ++which;
      const std::string_view before = trimmed(std::string_view(macro.body).substr(0, at));
      const std::string_view after = trimmed(std::string_view(macro.body).substr(end));
      if (which == macro.parameters.size()) {
        *out += name;
      } else if (before.ends_with("##") || after.starts_with("##")) {
        *out += arguments[which];
      } else {
        std::string expanded;
        if (!expand(arguments[which], &expanded)) return false;
        *out += expanded;
      }
      at = end;
    }
    return true;
  }

  struct Condition {
    bool now, was;  // holds; one of the branches did
  };
  const std::string& text_;
  std::map<std::string, Macro> macros_;
  std::vector<Condition> conditions_;
  int left_ = 20000;  // replacements
};

bool has_word(std::string_view text, std::string_view word) noexcept {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end]))) return true;
  }
  return false;
}

bool facts_in(std::string_view head, EntryFacts* out) {
  constexpr std::string_view kSize = "reqd_work_group_size(";
  const size_t size = head.find(kSize), name = head.find(" void ");
  if (size == std::string_view::npos || name == std::string_view::npos) return false;
  std::vector<std::string> numbers, parameters;
  size_t end = 0;
  if (!split(head, size + kSize.size(), &numbers, &end) || numbers.size() != 3) return false;
  for (size_t a = 0; a < 3; ++a) {
    if (numbers[a].empty() || numbers[a].size() > 5 || numbers[a].find_first_not_of("0123456789") != std::string::npos) return false;
    out->local[a] = std::stoll(numbers[a]);
  }
  const size_t first = name + 6, open = end_of_name(head, first);
  out->name = head.substr(first, open - first);
  if (open >= head.size() || head[open] != '(' || !split(head, open + 1, &parameters, &end)) return false;
  for (const std::string& p : parameters) {
    if (p.find('*') != std::string::npos) {
      if (has_word(p, "local")) return false;
      out->arguments.push_back(ArgumentType::memory);
    } else if (has_word(p, "long")) {
      out->arguments.push_back(ArgumentType::i64);
    } else if (has_word(p, "int")) {
      out->arguments.push_back(ArgumentType::i32);
    } else if (has_word(p, "float")) {
      out->arguments.push_back(ArgumentType::f32);
    } else {
      return false;
    }
  }
  return !out->arguments.empty() && out->arguments[0] == ArgumentType::i32;
}

}  // namespace

bool entries_in(const DeviceSource& source, std::vector<EntryFacts>* out) {
  out->clear();
  if (!source.wrappable) return false;
  std::vector<std::string> heads;
  if (!HeadReader(source.text).heads(&heads)) return false;
  for (const std::string& name : source.entries) {
    bool found = false;
    for (const std::string& head : heads) {
      EntryFacts facts;
      if (!facts_in(head, &facts)) return false;
      if (facts.name != name) continue;
      out->push_back(std::move(facts));
      found = true;
      break;
    }
    if (!found) return false;
  }
  return true;
}

}  // namespace anydim::opencl
