// SPDX-License-Identifier: Apache-2.0
// The test engine's own sums and products, from the text of docs/numerics.md; see arithmetic.h.
#include "core/engines/testing/arithmetic.h"

#include <bit>
#include <cmath>

#include "core/ops/operators/binary.h"
#include "core/ops/operators/matmul.h"

namespace anydim::testing {

namespace {

// The element at a place of the result, by NumPy's rule of broadcasting.
float at(const TensorView& t, const Dims& place) {
  int64_t offset = 0;
  for (int i = 0; i < t.dims.rank; ++i)
    if (t.dims[i] != 1) offset += place[place.rank - t.dims.rank + i] * t.strides[i];
  return t.as<const float>()[offset];
}

float& at_exactly(const TensorView& t, const Dims& place) {
  int64_t offset = 0;
  for (int i = 0; i < t.dims.rank; ++i) offset += place[i] * t.strides[i];
  return t.as<float>()[offset];
}

float product(const Matmul::Attributes& how, const Args& args, int64_t row, int64_t column) {
  const TensorView &a = args.in[0], &b = args.in[1];
  const int64_t steps = how.transpose_a ? a.dims[0] : a.dims[1];
  float total = 0.f, block = 0.f;
  for (int64_t k = 0; k < steps; ++k) {
    block = std::fmaf(at_exactly(a, how.transpose_a ? Dims{k, row} : Dims{row, k}),
                      at_exactly(b, how.transpose_b ? Dims{column, k} : Dims{k, column}), block);
    if ((k + 1) % 128 != 0 && k + 1 < steps) continue;
    total = k < 128 ? block : total + block;
    block = 0.f;
  }
  return total;
}

}  // namespace

const char* own_arithmetic_refuses(const Problem& p) noexcept {
  if (p.post_ops->count > 0) return "its own arithmetic has no post-ops";
  if (p.in.size() != 2 || p.in[0].dtype != DType::f32 || p.in[1].dtype != DType::f32) return "its own arithmetic is of two f32 tensors";
  if (const auto* b = as<Binary>(*p.op))
    return b->get().function == BinaryFunction::add || b->get().function == BinaryFunction::mul
               ? nullptr
               : "its own arithmetic has sums and products only";
  const auto* m = as<Matmul>(*p.op);
  if (m == nullptr) return "another operator";
  return p.in[0].dims.rank == 2 && p.in[1].dims.rank == 2 && m->get().alpha == 1.f ? nullptr : "its own arithmetic is of two matrices";
}

void own_arithmetic(const Args& args, bool wrong) noexcept {
  const TensorView& out = args.out[0];
  Dims place = Dims::filled(out.dims.rank, 0);
  for (int64_t i = 0, count = out.count(); i < count; ++i) {
    float& y = at_exactly(out, place);
    if (const auto* m = as<Matmul>(*args.op)) {
      y = product(m->get(), args, place[0], place[1]);
    } else {
      const float a = at(args.in[0], place), b = at(args.in[1], place);
      y = static_cast<const Binary&>(*args.op).get().function == BinaryFunction::add ? a + b : a * b;
    }
    if (wrong && i == 0) y = std::bit_cast<float>(std::bit_cast<uint32_t>(y) ^ 1u);
    for (int a = place.rank - 1; a >= 0 && ++place[a] == out.dims[a]; --a) place[a] = 0;
  }
}

}  // namespace anydim::testing
