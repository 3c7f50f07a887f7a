// SPDX-License-Identifier: Apache-2.0
// A regular expression in RE2's syntax as a tree; for expression.cpp, which makes an automaton of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace anydim::onnx {

constexpr uint32_t kLastCharacter = 0x10FFFF;

struct CharacterRange {
  uint32_t first, last;
};
using CharacterSet = std::vector<CharacterRange>;

enum Assertion : int { begin_text, end_text, begin_line, end_line, word_boundary, no_word_boundary };

struct Tree;
using TreePtr = std::unique_ptr<Tree>;
struct Tree {
  enum class Kind : uint8_t { set, assertion, sequence, choice, repeat };
  Kind kind = Kind::sequence;
  CharacterSet set;
  int assertion = 0;
  int least = 0, most = 0;  // of a repeat; most -1: any number
  std::vector<TreePtr> parts;
};

// invalid_model for what is no expression, unimplemented for what is not supported.
Result<TreePtr> parse_expression(std::string_view text);

}  // namespace anydim::onnx
