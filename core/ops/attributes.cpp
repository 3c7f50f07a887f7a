// SPDX-License-Identifier: Apache-2.0
// Text of post-op chains and math modes, for logs, keys and `explain`.
#include "core/ops/attributes.h"

#include "core/base/status.h"

namespace anydim {

const char* math_name(MathMode mode) noexcept {
  constexpr const char* kNames[] = {"inherit", "strict", "fast", "reduced"};
  return kNames[static_cast<int>(mode)];
}

std::string describe(const PostOps& post_ops) {
  std::string text;
  for (const PostOp& p : post_ops) {
    if (!text.empty()) text += ' ';
    if (p.kind == PostOp::Kind::binary) text += formatted("{}(t)", function_name(p.binary));
    else if (p.kind == PostOp::Kind::binary_reversed) text += formatted("{}(t,y)", function_name(p.binary));
    else if (const int n = parameter_count(p.unary); n == 2) text += formatted("{}({},{})", function_name(p.unary), p.alpha, p.beta);
    else if (n == 1) text += formatted("{}({})", function_name(p.unary), p.alpha);
    else text += function_name(p.unary);
  }
  return text;
}

}  // namespace anydim
