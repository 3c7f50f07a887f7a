// SPDX-License-Identifier: Apache-2.0
// Post-op chains as an epilogue applies them: to a strip of vectors held on the stack. Include it INSIDE the anonymous
// namespace after functions.inl.h.

// At most this many vectors in a strip.
constexpr int kStripVectors = 8;

// Applies the steps to `n` vectors that hold elements column .. column + n * width - 1 of a row. `last` is how many
// lanes of the last vector are real (1..width); operands are not read past them.
template <class V> inline void apply_chain(const ChainStep* steps, int count, int64_t column, V* strip, int n, int last = V::kWidth) {
  for (int s = 0; s < count; ++s) {
    const ChainStep& step = steps[s];
    if (step.op.kind == PostOp::Kind::unary) {
      apply(step.op.unary, step.op.alpha, step.op.beta, strip, n);
      continue;
    }
    V operand[kStripVectors];
    if (step.stride == 0) {
      for (int i = 0; i < n; ++i) operand[i] = V::set(*step.operand);
    } else {
      const float* p = step.operand + column * step.stride;
      for (int i = 0; i < n; ++i, p += V::kWidth * step.stride) {
        const int lanes = i + 1 < n ? V::kWidth : last;
        operand[i] = step.stride != 1     ? V::load_strided(p, step.stride, lanes)
                     : lanes == V::kWidth ? V::load(p)
                                          : V::load_partial(p, lanes);
      }
    }
    if (step.op.kind == PostOp::Kind::binary) {
      apply(step.op.binary, strip, operand, n);
    } else {
      apply(step.op.binary, operand, strip, n);
      for (int i = 0; i < n; ++i) strip[i] = operand[i];
    }
  }
}
