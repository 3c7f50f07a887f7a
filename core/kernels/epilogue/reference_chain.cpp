// SPDX-License-Identifier: Apache-2.0
// Post-op chains of reference kernels; see reference_chain.h.
#include "core/kernels/epilogue/reference_chain.h"

#include <cmath>
#include <type_traits>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/simd/half.h"

namespace anydim {

namespace {

float reference_unary(const PostOp& p, float y) { return f32_function(p.unary, y, p.alpha, p.beta); }
double reference_unary(const PostOp& p, double y) { return f64_function(p.unary, y, p.alpha, p.beta); }
float reference_binary(BinaryFunction f, float a, float b) { return f32_function(f, a, b); }
double reference_binary(BinaryFunction f, double a, double b) { return f64_function(f, a, b); }

// An element of a post-op's tensor. Beside f32 results it may be of a 16-bit float.
template <class T> T operand_element(const TensorView& t, int64_t offset) {
  if constexpr (std::is_same_v<T, float>) {
    if (t.dtype == DType::f16) return t.as<const StoredF16>()[offset];
    if (t.dtype == DType::bf16) return t.as<const StoredBF16>()[offset];
  }
  return t.as<const T>()[offset];
}

template <class T> T apply_chain(const PostOps& chain, std::span<const TensorView> tensors, const Dims& out, const Dims& at, T y) {
  size_t next = 0;
  for (const PostOp& p : chain) {
    if (!p.takes_tensor()) {
      y = reference_unary(p, y);
      continue;
    }
    const TensorView& t = tensors[next++];
    int64_t offset = 0;
    const int shift = out.rank - t.dims.rank;
    for (int i = 0; i < t.dims.rank; ++i)
      if (t.dims[i] != 1) offset += at[i + shift] * t.strides[i];
    const T x = operand_element<T>(t, offset);
    y = p.kind == PostOp::Kind::binary ? reference_binary(p.binary, y, x) : reference_binary(p.binary, x, y);
  }
  return y;
}

}  // namespace

float reference_chain(const PostOps& chain, std::span<const TensorView> tensors, const Dims& out, const Dims& at, float y) noexcept {
  return apply_chain(chain, tensors, out, at, y);
}
double reference_chain(const PostOps& chain, std::span<const TensorView> tensors, const Dims& out, const Dims& at, double y) noexcept {
  return apply_chain(chain, tensors, out, at, y);
}

}  // namespace anydim
