// SPDX-License-Identifier: Apache-2.0
// Regular expressions in RE2's syntax as automata over bytes of UTF-8, made when a model is loaded: string_match and string_split read
// them as tables. Not all of the syntax: names of scripts (\p{Greek}) and \C are refused.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace anydim::onnx {

struct Automaton {
  std::array<uint8_t, 256> classes{};
  int64_t columns = 0;               // classes and the end
  std::vector<int32_t> transitions;  // [states, columns]; docs/operators.md, string_match
  int64_t states() const noexcept { return static_cast<int64_t>(transitions.size()) / columns; }
};

// invalid_model for what is no expression, unimplemented for what is not supported or needs too many states.
Result<Automaton> automaton_of(std::string_view expression);
// Of an expression that matches just this text.
Result<Automaton> automaton_of_text(std::string_view text);

}  // namespace anydim::onnx
