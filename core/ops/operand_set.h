// SPDX-License-Identifier: Apache-2.0
// Some of an operator's operands: a bit for each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace anydim {

class OperandSet {
 public:
  constexpr OperandSet() = default;
  constexpr OperandSet(std::initializer_list<size_t> operands) {
    for (const size_t i : operands) add(i);
  }
  constexpr void add(size_t operand) noexcept { bits_ |= operand < 64 ? uint64_t{1} << operand : 0; }
  constexpr bool has(size_t operand) const noexcept { return operand < 64 && (bits_ >> operand & 1) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr size_t count() const noexcept { return static_cast<size_t>(std::popcount(bits_)); }
  // 1 + the last one; 0 if there is none.
  constexpr size_t end() const noexcept { return static_cast<size_t>(std::bit_width(bits_)); }
  // The one that `index` others, from 0, stand before among those that are not in the set.
  constexpr size_t absent(size_t index) const noexcept {
    size_t operand = 0;
    for (;; ++operand)
      if (!has(operand) && index-- == 0) return operand;
  }
  constexpr bool includes(OperandSet other) const noexcept { return (other.bits_ & ~bits_) == 0; }
  friend constexpr bool operator==(OperandSet, OperandSet) = default;

 private:
  uint64_t bits_ = 0;
};

}  // namespace anydim
