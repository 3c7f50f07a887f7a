// SPDX-License-Identifier: Apache-2.0
// Reads and writes by the standard library's <charconv>, which knows no locale and rounds correctly.
#include "core/base/text/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace anydim {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// A decimal without its blanks and its sign.
struct Decimal {
  std::string_view digits;  // whole part, fraction and exponent
  size_t whole = 0;         // digits before the point
  size_t mantissa = 0;      // bytes before the exponent
  bool negative = false;
};

std::string_view trimmed(std::string_view s) noexcept {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

bool take_sign(std::string_view* s) noexcept {
  const bool negative = !s->empty() && s->front() == '-';
  if (negative || (!s->empty() && s->front() == '+')) s->remove_prefix(1);
  return negative;
}

bool read_decimal(std::string_view s, Decimal* d) noexcept {
  d->negative = take_sign(&s);
  d->digits = s;
  const auto behind_digits = [&](size_t i) {
    while (i < s.size() && is_digit(s[i])) ++i;
    return i;
  };
  d->whole = behind_digits(0);
  size_t i = d->whole, digits = d->whole;
  if (i < s.size() && s[i] == '.') {
    const size_t end = behind_digits(i + 1);
    digits += end - i - 1;
    i = end;
  }
  d->mantissa = i;
  if (digits == 0) return false;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    const size_t end = behind_digits(i);
    if (end == i) return false;
    i = end;
  }
  return i == s.size();
}

bool is_word(std::string_view s, std::string_view lower) noexcept {
  return s.size() == lower.size() && std::equal(s.begin(), s.end(), lower.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

// Of a decimal that has no value of the type: whether it is beyond the largest, and not below the smallest.
bool is_large(const Decimal& d) noexcept {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t exponent = 0;
  if (d.mantissa < d.digits.size()) {
    std::string_view s = d.digits.substr(d.mantissa + 1);
    const bool negative = take_sign(&s);
    for (const char c : s) exponent = std::min(kMost, 10 * exponent + (c - '0'));
    if (negative) exponent = -exponent;
  }
  int64_t place = static_cast<int64_t>(d.whole);  // of the first digit that is not 0, from the point
  for (size_t i = 0; i < d.mantissa; ++i) {
    const char c = d.digits[i];
    if (c == '.') continue;
    if (c != '0') break;
    --place;
  }
  return place + exponent > 0;
}

template <class T> NumberFault parse_real(std::string_view text, T* out) noexcept {
  const std::string_view s = trimmed(text);
  std::string_view word = s;
  const bool negative = take_sign(&word);
  if (is_word(word, "nan")) return *out = std::numeric_limits<T>::quiet_NaN(), NumberFault::none;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (is_word(word, "inf") || is_word(word, "infinity")) return *out = negative ? -kInfinity : kInfinity, NumberFault::none;
  Decimal d;
  if (!read_decimal(s, &d)) return NumberFault::no_number;
  T value = 0;
  const auto [end, failure] = std::from_chars(d.digits.data(), d.digits.data() + d.digits.size(), value);
  if (failure == std::errc::result_out_of_range) value = is_large(d) ? kInfinity : T{0};
  *out = d.negative ? -value : value;
  return NumberFault::none;
}

// The whole part's magnitude.
NumberFault parse_whole(std::string_view text, uint64_t* magnitude, bool* negative) noexcept {
  Decimal d;
  if (!read_decimal(trimmed(text), &d) || d.mantissa != d.digits.size() || d.whole == 0) return NumberFault::no_number;
  *negative = d.negative;
  const auto [end, failure] = std::from_chars(d.digits.data(), d.digits.data() + d.whole, *magnitude);
  return failure == std::errc::result_out_of_range ? NumberFault::out_of_range : NumberFault::none;
}

template <class T> size_t format_real(T value, char* out) noexcept {
  const auto word = [&](std::string_view s) { return std::memcpy(out, s.data(), s.size()), s.size(); };
  if (std::isnan(value)) return word("NaN");
  if (std::isinf(value)) return word(value < 0 ? "-INF" : "INF");
  return static_cast<size_t>(std::to_chars(out, out + kLongestRealText, value, std::chars_format::general, 8).ptr - out);
}

}  // namespace

NumberFault read_number(std::string_view text, float* out) noexcept { return parse_real(text, out); }
NumberFault read_number(std::string_view text, double* out) noexcept { return parse_real(text, out); }

NumberFault read_number(std::string_view text, int64_t* out) noexcept {
  uint64_t magnitude = 0;
  bool negative = false;
  if (const NumberFault fault = parse_whole(text, &magnitude, &negative); fault != NumberFault::none) return fault;
  if (magnitude > static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0)) return NumberFault::out_of_range;
  *out = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return NumberFault::none;
}

NumberFault read_number(std::string_view text, uint64_t* out) noexcept {
  bool negative = false;
  if (const NumberFault fault = parse_whole(text, out, &negative); fault != NumberFault::none) return fault;
  return negative && *out != 0 ? NumberFault::out_of_range : NumberFault::none;
}

size_t write_number(float value, char* out) noexcept { return format_real(value, out); }
size_t write_number(double value, char* out) noexcept { return format_real(value, out); }
size_t write_number(int64_t value, char* out) noexcept {
  return static_cast<size_t>(std::to_chars(out, out + kLongestIntegerText, value).ptr - out);
}
size_t write_number(uint64_t value, char* out) noexcept {
  return static_cast<size_t>(std::to_chars(out, out + kLongestIntegerText, value).ptr - out);
}

}  // namespace anydim
