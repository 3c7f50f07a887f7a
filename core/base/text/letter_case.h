// SPDX-License-Identifier: Apache-2.0
// Lower and upper case of characters, where one character becomes one, independent of language and locale: the tables are in the
// library, so that every machine gives the same bytes. Not for what makes two characters of one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anydim {

uint32_t lower_case(uint32_t character) noexcept;
uint32_t upper_case(uint32_t character) noexcept;

// The character that some valid UTF-8 of `length` bytes (utf8_character()) stands for, and the way back: the bytes that were written.
uint32_t utf8_decoded(const char* s, size_t length) noexcept;
size_t utf8_encoded(uint32_t character, char* to) noexcept;  // at most 4

}  // namespace anydim
