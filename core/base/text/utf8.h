// SPDX-License-Identifier: Apache-2.0
// The one place that knows UTF-8: whether text from outside (a model file, a path, a line) is text, and how a message, JSON or
// the terminal shows it all the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace anydim {

// Bytes of the character that `s` begins with; 0 if it begins with none (overlong forms, surrogates and what lies above
// U+10FFFF are none).
size_t utf8_character(std::string_view s) noexcept;

bool valid_utf8(std::string_view s) noexcept;

// The first character of some text as a message shows it: itself, or \xNN for a byte that is no text or a control character.
// Lines and tabs stay where `lines` says so.
class ShownCharacter {
 public:
  ShownCharacter(std::string_view text, bool lines) noexcept;
  std::string_view text() const noexcept { return shown_; }
  size_t length() const noexcept { return length_; }  // bytes of the text that it stands for

 private:
  std::string_view shown_;
  size_t length_;
  char escaped_[4];
};

// Text as a message may quote it: valid UTF-8 whatever it was, in one line, cut to a readable length.
std::string shown(std::string_view s);

}  // namespace anydim
