// SPDX-License-Identifier: Apache-2.0
// Keys as text that a person can read and that are equal only if what they are made of is: "plan;kernel=gemm;revision=2;...".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anydim {

// "name=value" parts in a fixed order, joined by ';'. Bytes that would make two texts alike are written as %xx.
class KeyText {
 public:
  explicit KeyText(std::string_view kind) : text_(kind) {}
  KeyText& add(std::string_view name, std::string_view value);
  KeyText& add(std::string_view name, int64_t value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace anydim
