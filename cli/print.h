// SPDX-License-Identifier: Apache-2.0
// Text out of values and onto the terminal, by fmt's format strings; fmt itself is compiled once, in print.cpp.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace anydim_cli {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments);
void print_arguments(std::FILE* file, fmt::string_view text, fmt::format_args arguments);
void flush_output();

// What somebody gave (a word, a path, a line), as a message may quote it: valid UTF-8, bytes that are none and control characters
// escaped, cut after about `most` bytes.
std::string shown(std::string_view text, size_t most = 200);

template <class... A> std::string formatted(fmt::format_string<A...> text, A&&... args) {
  return format_arguments(text, fmt::make_format_args(args...));
}
// Throw Failure if it cannot be written; what is still in memory is written by flush_output(), at the end of every command.
template <class... A> void print(std::FILE* file, fmt::format_string<A...> text, A&&... args) {
  print_arguments(file, text, fmt::make_format_args(args...));
}
template <class... A> void print(fmt::format_string<A...> text, A&&... args) {
  print_arguments(stdout, text, fmt::make_format_args(args...));
}

// The elements as text: joined(dims, rank, "x") is "1x3x48x320".
template <class T> std::string joined(const T* values, int count, const char* separator) {
  std::string text;
  for (int i = 0; i < count; ++i) text += formatted("{}{}", i > 0 ? separator : "", values[i]);
  return text;
}

}  // namespace anydim_cli
