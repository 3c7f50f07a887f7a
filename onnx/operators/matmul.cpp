// SPDX-License-Identifier: Apache-2.0
// MatMul and Gemm.
#include "core/ops/operators/matmul.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

void matmul(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  n.out(0, n.add(Matmul::make({}), {a, b}));
}

void gemm(NodeImport& n) { n.out(0, import_gemm(n)); }

constexpr Importer kMatmulOperators[] = {
    {"Gemm", 1, gemm},
    {"MatMul", 1, matmul},
};

}  // namespace

ValueId import_gemm(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  if (n.ok() && (n.rank(a) != 2 || n.rank(b) != 2)) n.wrong("inputs 0 and 1 have ranks {} and {}; expected 2", n.rank(a), n.rank(b));
  Matmul::Attributes at;
  at.transpose_a = n.integer("transA", 0) != 0;
  at.transpose_b = n.integer("transB", 0) != 0;
  at.alpha = n.real("alpha", 1.f);
  at.beta = n.real("beta", 1.f);
  std::vector<ValueId> inputs{a, b};
  // Before opset 7 C has the dims of the product unless it may broadcast.
  if (n.ok() && n.proto().op_type == "Gemm" && n.opset() < 7 && n.has(2) && n.integer("broadcast", 0) == 0) {
    const SymDims c = n.dims(n.in(2));
    if (c.rank != 2) {
      n.wrong("input 2 has dims {}; expected those of the product, for broadcast is 0", n.pool().text(c));
      return kNoValue;
    }
    n.require_equal(c[0], n.dims(a)[at.transpose_a ? 1 : 0], "dim 0 of input 2");
    n.require_equal(c[1], n.dims(b)[at.transpose_b ? 0 : 1], "dim 1 of input 2");
  }
  // beta 0 leaves C out, whatever it holds.
  if (n.has(2) && at.beta != 0.f) inputs.push_back(n.in(2));
  return n.add(Matmul::make(at), inputs);
}

std::span<const Importer> matmul_importers() { return kMatmulOperators; }

}  // namespace anydim::onnx
