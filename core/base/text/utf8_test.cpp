// SPDX-License-Identifier: Apache-2.0
// What is text, and what messages show of what is none.
#include "core/base/text/utf8.h"

#include <gtest/gtest.h>

namespace anydim {
namespace {

TEST(Text, WhatIsTextStaysAndWhatIsNotIsEscaped) {
  EXPECT_EQ(shown("conv_1/\xc3\xa9"), "conv_1/\xc3\xa9");
  EXPECT_EQ(shown("a\tb\x7f"), "a\\x09b\\x7f");
  EXPECT_EQ(shown("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(shown(std::string_view("\0", 1)), "\\x00");
}

TEST(Text, LongTextIsCutBetweenCharacters) {
  for (size_t before = 110; before < 130; ++before) {
    const std::string text = std::string(before, 'x') + "\xf0\x9f\x98\x80" + std::string(100, '\xff');
    const std::string s = shown(text);
    EXPECT_TRUE(valid_utf8(s)) << s;
    EXPECT_LE(s.size(), 123u);
    EXPECT_TRUE(s.ends_with("...")) << s;
  }
}

TEST(Text, EveryShortSequenceIsUtf8OrNotAsTheStandardSays) {
  // Decoded, checked and encoded again.
  const auto encode = [](uint32_t c) {
    std::string s;
    const auto put = [&](uint32_t b) { s += static_cast<char>(b); };
    if (c < 0x80) put(c);
    else if (c < 0x800) put(0xC0 | c >> 6), put(0x80 | (c & 63));
    else if (c < 0x10000) put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    else put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    return s;
  };
  for (uint32_t c = 0; c < 0x120000; ++c) {
    const bool is_character = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
    ASSERT_EQ(valid_utf8(encode(c)), is_character) << c;
  }
  for (int a = 0x80; a < 0x100; ++a)
    for (int b = 0; b < 0x100; ++b) {
      const std::string s{static_cast<char>(a), static_cast<char>(b)};
      ASSERT_EQ(valid_utf8(s), a >= 0xC2 && a <= 0xDF && b >= 0x80 && b < 0xC0) << a << " " << b;
    }
}

}  // namespace
}  // namespace anydim
