// SPDX-License-Identifier: Apache-2.0
// Numbers as text and back, whatever the locale: how Cast reads and writes strings (docs/numerics.md, section 13). Nothing is
// allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anydim {

enum class NumberFault : uint8_t { none, no_number, out_of_range };

// Plain (-1.5) and scientific (1e-5) decimals, infinities (inf, infinity) and nan in any case, with blanks around them. Rounded to the
// nearest; beyond the largest lies infinity.
NumberFault read_number(std::string_view text, float* out) noexcept;
NumberFault read_number(std::string_view text, double* out) noexcept;
// Decimals without an exponent, of which a fraction is cut off.
NumberFault read_number(std::string_view text, int64_t* out) noexcept;
NumberFault read_number(std::string_view text, uint64_t* out) noexcept;

// Eight significant digits, without zeros at the end ("%.8g"); INF, -INF, NaN. The number of bytes written, at most the longest.
constexpr size_t kLongestRealText = 15, kLongestIntegerText = 20;
size_t write_number(float value, char* out) noexcept;
size_t write_number(double value, char* out) noexcept;
size_t write_number(int64_t value, char* out) noexcept;
size_t write_number(uint64_t value, char* out) noexcept;

}  // namespace anydim
