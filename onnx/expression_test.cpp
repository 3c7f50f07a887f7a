// SPDX-License-Identifier: Apache-2.0
// Regular expressions as automata: what they match, and what is no expression.
#include "onnx/expression.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "core/base/testing/random.h"

namespace anydim::onnx {
namespace {

bool matches(std::string_view expression, std::string_view text) {
  const Result<Automaton> a = automaton_of(expression);
  EXPECT_TRUE(a.ok()) << expression << ": " << (a.ok() ? "" : a.status().message());
  if (!a.ok()) return false;
  const auto at = [&](int64_t state, int64_t column) { return a->transitions[static_cast<size_t>(state * a->columns + column)]; };
  int64_t state = 0;
  for (const char c : text) {
    state = at(state, a->classes[static_cast<unsigned char>(c)]) >> 1;
    if (state < 0) return false;
  }
  return (at(state, a->columns - 1) & 1) != 0;
}

TEST(Expression, MatchesWhatRe2Matches) {
  struct Case {
    const char *expression, *text;
    bool match;
  };
  constexpr Case kCases[] = {
      {"", "", true},
      {"", "a", false},
      {"a*", "aaa", true},
      {"a+b?", "aa", true},
      {"(ab|c)+", "abcab", true},
      {"(ab|c)+", "aba", false},
      {"a{2,3}", "a", false},
      {"a{2,3}", "aaa", true},
      {"a{2,3}", "aaaa", false},
      {"a{2}", "aa", true},
      {"a{2,}", "aaaaa", true},
      {"a{,2}", "a{,2}", true},
      {".", "\n", false},
      {"(?s).", "\n", true},
      {".", "é", true},
      {"..", "é", false},
      {"[^a]", "\n", true},
      {"[^a]", "😀", true},
      {"[a-cé-ü]+", "abüé", true},
      {"[]a]+", "]a", true},
      {"[a-]+", "-a", true},
      {"[[:alpha:]_]+", "ab_", true},
      {"[[:^digit:]]", "5", false},
      {"\\d+\\s\\w", "12 _", true},
      {"\\D\\S\\W", "ab-", true},
      {"[\\d.]+", "1.5", true},
      {"\\x41\\x{e9}\\101", "AéA", true},
      {"\\Qa.b\\E+", "a.bb", true},
      {"\\.\\*", ".*", true},
      {"^a$", "a", true},
      {"a^b", "ab", false},
      {"(?m)a\n^b", "a\nb", true},
      {"a\n^b", "a\nb", false},
      {"\\ba\\b", "a", true},
      {"a\\bb", "ab", false},
      {"a\\Bb", "ab", true},
      {"a\\b b", "a b", true},
      {"\\Aa\\z", "a", true},
      {"(?i)aÉk", "AéK", true},
      {"(?i)k", "\u212a", true},
      {"(?i)[a-z]+", "ABz", true},
      {"(?i:a)b", "Ab", true},
      {"(?i:a)b", "AB", false},
      {"(?P<x>a)(?<y>b)(?:c)", "abc", true},
      {"a*?b+?", "aab", true},
      {"(a|ab)(c|bcd)", "abcd", true},
      {"\\pL+", "aéЖ", true},
      {"\\p{Lu}", "É", true},
      {"\\p{Lu}", "é", false},
      {"\\P{L}", "1", true},
      {"\\p{^L}", "1", true},
      {"[\\p{Nd}a]+", "1a٣", true},
      {"(a*)*b", "aaab", true},
      {"(|a)+", "aa", true},
      {"x{0}", "", true},
      {"[^\\x00-\\x{10FFFF}]", "a", false},
      {"\\a\\t\\n", "\a\t\n", true},
      {"[\\w.]+@[a-z]+\\.(com|org)", "me.you@there.org", true},
      {"(?i-s:a.)", "AB", true},
      {"a|b|", "", true},
  };
  for (const Case& c : kCases) EXPECT_EQ(matches(c.expression, c.text), c.match) << c.expression << " on " << c.text;
}

TEST(Expression, WhatIsNoneIsRefusedWithAReason) {
  for (const char* text :
       {"(",   ")",     "a)",      "(a",    "[a",         "[z-a]",       "*a",   "a**",        "a{3,2}", "a{1001}", "\\",  "\\8",
        "\\y", "(?=a)", "(?<=a)b", "(?x)a", "(?P<a b>c)", "\\x{110000}", "\\xg", "[[:what:]]", "\\p{L",  "(?i",     "\xff"}) {
    const Result<Automaton> a = automaton_of(text);
    ASSERT_FALSE(a.ok()) << text;
    EXPECT_EQ(a.status().code(), Code::invalid_model) << text;
    EXPECT_NE(a.status().message().find("RE2"), std::string::npos) << text;
  }
  for (const char* text : {"\\C", "\\p{Greek}", "(a|b)*a(a|b){30}", "((a{1000}){1000}){1000}"}) {
    const Result<Automaton> a = automaton_of(text);
    ASSERT_FALSE(a.ok()) << text;
    EXPECT_EQ(a.status().code(), Code::unimplemented) << text;
  }
  EXPECT_FALSE(automaton_of(std::string(100'000, '(')).ok());
}

// std::regex's grammar of ECMAScript has these in common.
std::string drawn_expression(anydim::testing::Random& r, int depth) {
  std::string e;
  for (int64_t parts = r.integer(1, 3); parts > 0; --parts) {
    switch (r.integer(0, depth > 0 ? 6 : 3)) {
      case 0: e += "a"; break;
      case 1: e += "b"; break;
      case 2: e += "[^a]"; break;
      case 3: e += "[bc]"; break;
      case 4: e += "(" + drawn_expression(r, depth - 1) + "|" + drawn_expression(r, depth - 1) + ")"; break;
      case 5: e += "(" + drawn_expression(r, depth - 1) + ")"; break;
      default: e += "\\b"; continue;
    }
    constexpr const char* kRepeats[] = {"", "", "*", "+", "?", "{1,2}"};
    e += kRepeats[r.integer(0, 5)];
  }
  return e;
}

TEST(Expression, DrawnOnesMatchWhatTheStandardLibraryMatches) {
  anydim::testing::Random r(1105);
  for (int n = 0; n < 400; ++n) {
    const std::string expression = drawn_expression(r, 2);
    const std::regex theirs(expression, std::regex::ECMAScript);
    for (int k = 0; k < 20; ++k) {
      std::string text;
      for (int64_t i = r.integer(0, 6); i > 0; --i) text += "abc "[r.integer(0, 3)];
      ASSERT_EQ(matches(expression, text), std::regex_match(text, theirs)) << expression << " on '" << text << "', draw " << n;
    }
  }
}

}  // namespace
}  // namespace anydim::onnx
