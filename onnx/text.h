// SPDX-License-Identifier: Apache-2.0
// Text out of a model file: whether it is UTF-8, and how a message may quote it.
#pragma once

#include <string>
#include <string_view>

namespace anydim::onnx {

// Bytes of the character that `s` begins with; 0 if it begins with none (overlong forms, surrogates and what lies above
// U+10FFFF are none).
size_t utf8_character(std::string_view s) noexcept;

bool valid_utf8(std::string_view s) noexcept;

// A string from a file as a message may show it: valid UTF-8 whatever it was, bytes that are no text and control
// characters as \xNN, cut to a readable length.
std::string shown(std::string_view s);

}  // namespace anydim::onnx
