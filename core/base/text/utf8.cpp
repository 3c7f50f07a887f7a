// SPDX-License-Identifier: Apache-2.0
// UTF-8 by the table of the Unicode standard (3-7, well-formed byte sequences).
#include "core/base/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace anydim {

size_t utf8_character(std::string_view s) noexcept {
  if (s.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char c = byte(0);
  if (c < 0x80) return 1;
  const size_t length = c >= 0xC2 && c <= 0xDF ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
  if (length == 0 || s.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char d = byte(1);
  if ((c == 0xE0 && d < 0xA0) || (c == 0xED && d > 0x9F) || (c == 0xF0 && d < 0x90) || (c == 0xF4 && d > 0x8F)) return 0;
  return length;
}

bool valid_utf8(std::string_view s) noexcept {
  while (!s.empty()) {
    uint64_t some;
    while (s.size() >= sizeof some) {  // most text is ASCII
      std::memcpy(&some, s.data(), sizeof some);
      if ((some & UINT64_C(0x8080808080808080)) != 0) break;
      s.remove_prefix(sizeof some);
    }
    if (s.empty()) break;
    const size_t length = utf8_character(s);
    if (length == 0) return false;
    s.remove_prefix(length);
  }
  return true;
}

ShownCharacter::ShownCharacter(std::string_view text, bool lines) noexcept : length_(utf8_character(text)) {
  const auto c = static_cast<unsigned char>(text.front());
  const bool control = (c < 0x20 && !(lines && (c == '\n' || c == '\t'))) || c == 0x7F;
  if (length_ != 0 && !control) {
    shown_ = text.substr(0, length_);
    return;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  escaped_[0] = '\\';
  escaped_[1] = 'x';
  escaped_[2] = kDigits[c >> 4];
  escaped_[3] = kDigits[c & 15];
  shown_ = {escaped_, sizeof escaped_};
  length_ = 1;
}

std::string shown(std::string_view s) {
  constexpr size_t kLongest = 120;
  // Nearly all are short and plain.
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (s.size() <= kLongest && std::all_of(s.begin(), s.end(), is_plain)) return std::string(s);
  std::string text;
  while (!s.empty()) {
    const ShownCharacter next(s, false);
    if (text.size() + next.text().size() > kLongest) return text + "...";
    text += next.text();
    s.remove_prefix(next.length());
  }
  return text;
}

}  // namespace anydim
