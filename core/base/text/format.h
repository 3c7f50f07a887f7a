// SPDX-License-Identifier: Apache-2.0
// Text out of values, by fmt's format strings, which are checked when they are compiled. What does the work is compiled once, in
// format.cpp: with fmt's headers alone every file that words a message compiles it again (record_file.cpp: 5.6 s instead of 2.0).
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace anydim {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments);

// formatted("dim {} is {}; expected at least {}", axis, found, 1)
template <class... A> std::string formatted(fmt::format_string<A...> text, A&&... args) {
  return format_arguments(text, fmt::make_format_args(args...));
}

// The elements as text: joined(dims, ",") is "1,3,48,320".
template <class Range> std::string joined(const Range& range, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& element : range) {
    if (!first) text += separator;
    first = false;
    text += formatted("{}", element);
  }
  return text;
}

}  // namespace anydim
