// SPDX-License-Identifier: Apache-2.0
// Case by binary search in runs of characters.
#include "core/base/text/letter_case.h"

#include <algorithm>
#include <iterator>

namespace anydim {
namespace {

struct CaseRun {
  uint32_t first, last;
  int32_t step, add;
};
#include "core/base/text/generated/letter_case_tables.inl.h"

template <size_t N> uint32_t changed(const CaseRun (&runs)[N], uint32_t c) noexcept {
  const CaseRun* run = std::partition_point(std::begin(runs), std::end(runs), [c](const CaseRun& r) { return r.last < c; });
  if (run == std::end(runs) || c < run->first || (c - run->first) % static_cast<uint32_t>(run->step) != 0) return c;
  return c + static_cast<uint32_t>(run->add);
}

}  // namespace

uint32_t lower_case(uint32_t c) noexcept {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  return changed(kToLower, c);
}
uint32_t upper_case(uint32_t c) noexcept {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  return changed(kToUpper, c);
}

uint32_t utf8_decoded(const char* s, size_t length) noexcept {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(s[i])); };
  switch (length) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

size_t utf8_encoded(uint32_t c, char* to) noexcept {
  const size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = length; i-- > 1; c >>= 6) to[i] = static_cast<char>(0x80 | (c & 0x3F));
  constexpr uint32_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  to[0] = static_cast<char>(kLead[length] | c);
  return length;
}

}  // namespace anydim
