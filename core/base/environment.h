// SPDX-License-Identifier: Apache-2.0
// Reading what users set in the environment: one way to take it apart, and one line on standard error that names the variable,
// the value found, what was expected and what is used instead. docs/environment.md lists the variables; each reader reads its
// own when it starts, none is read again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace anydim {

// The value of a variable; null if it is not set or empty, which is the same everywhere but where a reader says otherwise.
const char* environment(const char* name) noexcept;

// A whole decimal number within [least, most]; `otherwise` if the variable is not set, or is malformed, which is reported.
int64_t environment_number(const char* name, int64_t otherwise, int64_t least = 0,
                           int64_t most = std::numeric_limits<int64_t>::max()) noexcept;

// The index of one of these words; `otherwise` if the variable is not set, or is none of them, which is reported. Without a word
// that stands for `otherwise` (-1, say), the line says that the variable is ignored.
int environment_word(const char* name, std::span<const char* const> words, int otherwise) noexcept;

// For values that turn out to be of no use: a file that cannot be opened, say.
void complain_of_environment(const char* name, const char* value, const char* why) noexcept;

}  // namespace anydim
