// SPDX-License-Identifier: Apache-2.0
// Regular expressions as automata: what they match, and what is no expression.
#include "onnx/strings/expression.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

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
      {"ab(?i)*", "abbb", true},  // flags leave nothing that could be repeated
      {"ab(?i)*", "aab", false},
      {"a*(?i)+b", "aaB", true},
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

// Where matches end: of a text, and of the places (bit i: before byte i) where they begin, the places where they end. Sets of places
// take a step for each part of an expression; std::regex tries the ways one by one, which took half an hour for one of these.
using Ends = std::function<uint32_t(std::string_view text, uint32_t begins)>;

struct Drawn {
  std::string expression;
  Ends ends;
};

Drawn one_of(std::string expression, std::string_view bytes, bool others = false) {
  return {std::move(expression), [bytes, others](std::string_view text, uint32_t begins) {
            uint32_t ends = 0;
            for (size_t i = 0; i < text.size(); ++i) {
              const bool listed = bytes.find(text[i]) != std::string_view::npos;
              if ((begins >> i & 1) != 0 && listed != others) ends |= 2u << i;
            }
            return ends;
          }};
}

Drawn word_boundary() {
  return {"\\b", [](std::string_view text, uint32_t begins) {
            const auto word = [&](size_t i) { return i < text.size() && text[i] != ' '; };
            uint32_t ends = 0;
            for (size_t i = 0; i <= text.size(); ++i) {
              if (word(i) != (i > 0 && word(i - 1))) ends |= begins & 1u << i;
            }
            return ends;
          }};
}

Drawn either(const Drawn& a, const Drawn& b) {
  return {"(" + a.expression + "|" + b.expression + ")",
          [a = a.ends, b = b.ends](std::string_view text, uint32_t begins) { return a(text, begins) | b(text, begins); }};
}

Drawn repeated(const Drawn& x, std::string_view suffix, int least, int most) {
  return {x.expression + std::string(suffix), [x = x.ends, least, most](std::string_view text, uint32_t begins) {
            uint32_t ends = least == 0 ? begins : 0;
            for (int n = 1; n <= most; ++n) {
              begins = x(text, begins);
              if (n >= least) ends |= begins;
            }
            return ends;
          }};
}

Drawn drawn_expression(anydim::testing::Random& r, int depth) {
  Drawn all{"", [](std::string_view, uint32_t begins) { return begins; }};
  for (int64_t parts = r.integer(1, 3); parts > 0; --parts) {
    Drawn part;
    bool repeatable = true;
    switch (r.integer(0, depth > 0 ? 6 : 4)) {
      case 0: part = one_of("a", "a"); break;
      case 1: part = one_of("b", "b"); break;
      case 2: part = one_of("[^a]", "a", true); break;
      case 3: part = one_of("[bc]", "bc"); break;
      case 4:
        part = word_boundary();
        repeatable = false;
        break;
      case 5: part = either(drawn_expression(r, depth - 1), drawn_expression(r, depth - 1)); break;
      default: part = drawn_expression(r, depth - 1); part.expression = "(" + part.expression + ")";
    }
    constexpr int kMany = 16;  // more repetitions than a text has bytes reach no further place
    switch (repeatable ? r.integer(0, 5) : 0) {
      case 2: part = repeated(part, "*", 0, kMany); break;
      case 3: part = repeated(part, "+", 1, kMany); break;
      case 4: part = repeated(part, "?", 0, 1); break;
      case 5: part = repeated(part, "{1,2}", 1, 2); break;
      default: break;
    }
    all = {all.expression + part.expression,
           [first = all.ends, then = part.ends](std::string_view text, uint32_t begins) { return then(text, first(text, begins)); }};
  }
  return all;
}

TEST(Expression, DrawnOnesMatchWhatSetsOfPlacesMatch) {
  anydim::testing::Random r(1105);
  int found = 0;
  for (int n = 0; n < 400; ++n) {
    const Drawn drawn = drawn_expression(r, 2);
    for (int k = 0; k < 20; ++k) {
      std::string text;
      for (int64_t i = r.integer(0, 6); i > 0; --i) text += "abc "[r.integer(0, 3)];
      const bool expected = (drawn.ends(text, 1) >> text.size() & 1) != 0;
      found += expected ? 1 : 0;
      ASSERT_EQ(matches(drawn.expression, text), expected) << drawn.expression << " on '" << text << "', draw " << n;
    }
  }
  EXPECT_GT(found, 100);  // of 8,000: both answers are drawn
}

}  // namespace
}  // namespace anydim::onnx
