// SPDX-License-Identifier: Apache-2.0
// Attributes of a primitive that are not the operator's own: post-ops and math mode. (Scales and zero points are in
// quantization.h; reuse policy and scratchpad mode are dispatch's.) Post-ops are data: every kernel interprets any chain in its
// epilogue.
#pragma once

#include <cstdint>
#include <string>

#include "core/ops/scalar_functions.h"

namespace anydim {

// How far arithmetic may be from docs/numerics.md's strict order: each mode allows what those before it do. Said of a primitive, of
// a layer or of a model; the nearest that is not inherit counts, and strict where none is.
enum class MathMode : int32_t { inherit = 0, strict = 1, fast = 2, reduced = 3 };
constexpr MathMode nearest(MathMode own, MathMode around) noexcept { return own != MathMode::inherit ? own : around; }
const char* math_name(MathMode mode) noexcept;

// One step applied to each output element y, in chain order, after bias.
struct PostOp {
  enum class Kind : uint8_t {
    unary,            // y = function(y; alpha, beta)
    binary,           // y = function(y, t) with t an extra input, broadcast to the output by NumPy's rule
    binary_reversed,  // y = function(t, y)
  };
  Kind kind = Kind::unary;
  UnaryFunction unary = UnaryFunction::identity;
  BinaryFunction binary = BinaryFunction::add;
  float alpha = 0.f, beta = 0.f;
  bool takes_tensor() const noexcept { return kind != Kind::unary; }
  friend bool operator==(const PostOp&, const PostOp&) = default;
};

constexpr int kMaxPostOps = 12;

// A chain in place: copied freely, no allocation.
struct PostOps {
  int32_t count = 0;
  PostOp steps[kMaxPostOps];

  bool append(const PostOp& p) noexcept {
    if (count >= kMaxPostOps) return false;
    steps[count++] = p;
    return true;
  }
  int operands() const noexcept {
    int n = 0;
    for (int i = 0; i < count; ++i) n += steps[i].takes_tensor();
    return n;
  }
  const PostOp* begin() const noexcept { return steps; }
  const PostOp* end() const noexcept { return steps + count; }
  friend bool operator==(const PostOps& a, const PostOps& b) noexcept {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i)
      if (!(a.steps[i] == b.steps[i])) return false;
    return true;
  }
};

std::string describe(const PostOps& post_ops);  // "add(t) hard_swish clip(0,6)"

}  // namespace anydim
