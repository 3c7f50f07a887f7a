// SPDX-License-Identifier: Apache-2.0
// UTF-8 by the table of the Unicode standard (3-7, well-formed byte sequences).
#include "onnx/text.h"

#include "core/base/format.h"

namespace anydim::onnx {

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
    const size_t length = utf8_character(s);
    if (length == 0) return false;
    s.remove_prefix(length);
  }
  return true;
}

std::string shown(std::string_view s) {
  constexpr size_t kLongest = 120;
  std::string text;
  while (!s.empty()) {
    const size_t length = utf8_character(s);
    const auto c = static_cast<unsigned char>(s.front());
    const std::string next = length == 0 || c < 0x20 || c == 0x7f ? formatted("\\x{:02x}", c) : std::string(s.substr(0, length));
    if (text.size() + next.size() > kLongest) return text + "...";
    text += next;
    s.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace anydim::onnx
