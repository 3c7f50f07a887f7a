// SPDX-License-Identifier: Apache-2.0
// MatMul and Gemm.
#include "core/ops/matmul.h"
#include "onnx/operators.h"

namespace anydim::onnx {
namespace {

void matmul(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  n.out(0, n.add(Matmul::make({}), {a, b}));
}

void gemm(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  if (n.ok() && (n.rank(a) != 2 || n.rank(b) != 2)) n.wrong("inputs 0 and 1 have ranks {} and {}; expected 2", n.rank(a), n.rank(b));
  Matmul::Attributes at;
  at.transpose_a = n.integer("transA", 0) != 0;
  at.transpose_b = n.integer("transB", 0) != 0;
  at.alpha = n.real("alpha", 1.f);
  at.beta = n.real("beta", 1.f);
  std::vector<ValueId> inputs{a, b};
  // beta 0 leaves C out, whatever it holds.
  if (n.has(2) && at.beta != 0.f) inputs.push_back(n.in(2));
  n.out(0, n.add(Matmul::make(at), inputs));
}

constexpr Importer kTable[] = {
    {"Gemm", 1, gemm},
    {"MatMul", 1, matmul},
};

}  // namespace

std::span<const Importer> matmul_importers() { return kTable; }

}  // namespace anydim::onnx
