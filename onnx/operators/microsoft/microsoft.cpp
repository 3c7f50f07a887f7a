// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that are a few of Anydim's: activations with their bias, normalisations with a residual, products, embeddings.
// They are what ONNX Runtime's optimiser and its model builder write.
#include "core/ops/operators/gather.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/reduce.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/quantized_nodes.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

// The inputs from `first` on that are there have the dtype of input 0, a float.
void require_floats(NodeImport& n, std::initializer_list<size_t> inputs) {
  if (n.ok() && !dtype_is_float(n.dtype(n.in(0)))) n.wrong("input 0 has dtype {}; expected a float", dtype_name(n.dtype(n.in(0))));
  for (const size_t i : inputs)
    if (n.ok() && n.has(i) && n.dtype(n.in(i)) != n.dtype(n.in(0)))
      n.wrong("input {} has dtype {}; expected that of input 0, {}", i, dtype_name(n.dtype(n.in(i))), dtype_name(n.dtype(n.in(0))));
}

// A vector along the last axis of x.
void require_vector(NodeImport& n, size_t i, const SymDims& x, const char* what) {
  if (!n.ok() || !n.has(i)) return;
  if (n.rank(n.in(i)) != 1) return n.wrong("{} has rank {}; expected 1", what, n.rank(n.in(i)));
  n.require_equal(n.dims(n.in(i))[0], x[x.rank - 1], formatted("the length of {}", what));
}

// --- activations ---------------------------------------------------------------------------------------------------

template <UnaryFunction F> void biased(NodeImport& n) {
  require_floats(n, {1});
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  if (n.rank(x) < 1) return n.wrong("input 0 is a scalar; expected rank 1 or more");
  require_vector(n, 1, n.dims(x), "bias");
  const ValueId wide = n.widened(x);
  n.out(0, n.cast(n.unary(F, n.has(1) ? n.binary(B::add, wide, n.widened(n.in(1))) : wide), n.dtype(x)));
}
void bias_gelu(NodeImport& n) {
  n.in(1);  // not optional here
  biased<U::gelu_erf>(n);
}
void gelu(NodeImport& n) { n.out(0, n.unary(U::gelu_erf, n.in(0))); }
void quick_gelu(NodeImport& n) { n.out(0, n.unary(U::quick_gelu, n.in(0), n.real("alpha", 1.702f))); }

// [batch, positions, channels] + [channels] + a tensor of x's dims
void bias_add(NodeImport& n) {
  const ValueId x = n.in(0), bias = n.in(1), skip = n.in(2);
  require_floats(n, {1, 2});
  if (n.ok() && n.rank(x) != 3) n.wrong("input 0 has rank {}; expected 3", n.rank(x));
  require_vector(n, 1, n.dims(x), "bias");
  if (n.ok() && n.rank(skip) != 3) n.wrong("skip has rank {}; expected 3", n.rank(skip));
  for (int i = 0; i < 3 && n.ok(); ++i) n.require_equal(n.dims(skip)[i], n.dims(x)[i], formatted("dim {} of skip", i));
  if (!n.ok()) return;
  const ValueId sum = n.binary(B::add, n.binary(B::add, n.widened(x), n.widened(bias)), n.widened(skip));
  n.out(0, n.cast(sum, n.dtype(x)));
}

// The first half of the channels times gelu of the second half.
void bias_split_gelu(NodeImport& n) {
  const ValueId x = n.in(0), bias = n.in(1);
  require_floats(n, {1});
  if (n.ok() && n.rank(x) != 3) n.wrong("input 0 has rank {}; expected 3", n.rank(x));
  require_vector(n, 1, n.dims(x), "bias");
  if (!n.ok()) return;
  const Dim channels = n.dims(x)[2], half = n.pool().floor_div(channels, 2);
  n.require_equal(n.pool().mul(half, 2), channels, "twice the half of the channels");
  const ValueId sum = n.binary(B::add, n.widened(x), n.widened(bias));
  const ValueId y = n.binary(B::mul, n.slice(sum, 2, 0, half), n.unary(U::gelu_erf, n.slice(sum, 2, half, half)));
  n.out(0, n.cast(y, n.dtype(x)));
}

// --- normalisations ------------------------------------------------------------------------------------------------

// input + skip + bias, which is output 3 as well, normalised over the last axis. Statistics are outputs 1 and 2, which ONNX Runtime
// gives for training alone.
template <bool Simplified> void skip_layer_normalization(NodeImport& n) {
  constexpr size_t kBias = Simplified ? 3 : 4;
  const ValueId x = n.in(0), skip = n.in(1), gamma = n.in(2);
  require_floats(n, {1, 2, 3, 4});
  const SymDims d = n.dims(x);
  if (n.ok() && d.rank < 2) n.wrong("input 0 has rank {}; expected 2 or 3", d.rank);
  n.require_fits(skip, d, "skip");
  require_vector(n, 2, d, "gamma");
  if (!Simplified) require_vector(n, 3, d, "beta");
  require_vector(n, kBias, d, "bias");
  if (!n.ok()) return;
  ValueId sum = n.binary(B::add, n.widened(x), n.widened(skip));
  if (n.has(kBias)) sum = n.binary(B::add, sum, n.widened(n.in(kBias)));
  const DType t = n.dtype(x);
  if (n.wants(3)) n.out(3, n.cast(sum, t));
  const float epsilon = n.real("epsilon", 1e-12f);
  if (Simplified) {
    const ValueId y = rms_normalised(n, sum, d.rank - 1, epsilon);
    return n.out(0, n.cast(n.binary(B::mul, y, n.widened(gamma)), t));
  }
  std::vector<ValueId> inputs{sum, n.widened(gamma)};
  if (n.has(3)) inputs.push_back(n.widened(n.in(3)));
  n.out(0, n.cast(n.add(LayerNorm::make(d.rank - 1, epsilon), inputs), t));
}

// The tables and factors of an embedding's normalisation; its inputs are in order, but for what is quantized.
struct Embedding {
  enum Input : size_t { kIds, kSegments, kWords, kPlaces, kSegmentTable, kGamma, kBeta, kMask, kPositions };
  // Of quantized values of 8 bits: scales lie behind the mask, then zero points, in the order of the tables and factors.
  static constexpr size_t kScales = kMask + 1, kZeros = kScales + 5;
  NodeImport& n;
  bool quantized;

  ValueId dequantized(size_t i, ValueId v) const {
    return quantized ? dequantize(n, v, n.in(kScales + i - kWords), n.in(kZeros + i - kWords)) : n.widened(v);
  }
  ValueId rows(size_t table, ValueId indices) const { return dequantized(table, n.add(Gather::make(0), {n.in(table), indices})); }
};

void embed(const Embedding& e) {
  using E = Embedding;
  NodeImport& n = e.n;
  const ValueId ids = n.in(E::kIds), words = n.in(E::kWords);
  if (n.ok() && n.rank(ids) != 2) n.wrong("input_ids has rank {}; expected 2", n.rank(ids));
  for (const size_t i : {E::kWords, E::kPlaces, E::kSegmentTable})
    if (n.ok() && n.has(i) && n.rank(n.in(i)) != 2) n.wrong("input {} has rank {}; expected 2", i, n.rank(n.in(i)));
  if (n.ok() && n.has(E::kSegments) != n.has(E::kSegmentTable))
    n.wrong("one of segment_ids and segment_embedding is absent; expected both or none");
  if (!n.ok()) return;
  const SymDims d = n.dims(ids);
  for (const size_t i : {E::kSegments, E::kMask})
    if (n.has(i)) n.require_fits(n.in(i), d, i == E::kMask ? "mask" : "segment_ids");
  // [batch or 1, sequence]
  ValueId positions = kNoValue;
  if (!e.quantized && n.has(E::kPositions)) positions = n.in(E::kPositions);
  else positions = n.reshape(n.add(Range::make(DType::i64, 0, 1, d[1]), {}), {1, d[1]});
  n.require_fits(positions, d, "position_ids");
  ValueId sum = n.binary(B::add, e.rows(E::kWords, ids), e.rows(E::kPlaces, positions));
  if (n.has(E::kSegments)) sum = n.binary(B::add, sum, e.rows(E::kSegmentTable, n.in(E::kSegments)));
  const DType t = e.quantized ? DType::f32 : n.dtype(words);
  if (n.wants(2)) n.out(2, n.cast(sum, t));
  const ValueId gamma = e.dequantized(E::kGamma, n.in(E::kGamma)), beta = e.dequantized(E::kBeta, n.in(E::kBeta));
  n.out(0, n.cast(n.add(LayerNorm::make(2, n.real("epsilon", 1e-12f)), {sum, gamma, beta}), t));
  if (!n.wants(1)) return;
  // How many positions of an example the mask has.
  const ValueId one = n.scalar(DType::i32, 1.0);
  const ValueId seen =
      n.has(E::kMask) ? n.cast(n.binary(B::equal, n.in(E::kMask), one), DType::i32) : n.expand(n.scalar(DType::i32, 0.0), d);
  const int64_t last[] = {1};
  n.out(1, n.add(Reduce::make(ReduceKind::sum, last, false), {seen}));
}

void embed_layer_normalization(NodeImport& n) { embed({n, false}); }
void quantized_embed_layer_normalization(NodeImport& n) {
  for (size_t i = Embedding::kWords; i <= Embedding::kBeta; ++i) {
    if (i == Embedding::kSegmentTable && !n.has(i)) continue;
    require_dtype(n, i, {DType::i8, DType::u8});
    require_dtype(n, Embedding::kScales + i - Embedding::kWords, {DType::f32});
  }
  embed({n, true});
}

// --- products ------------------------------------------------------------------------------------------------------

// transBatch moves the first axis before the last one: the axes between are the batch.
void fused_matmul(NodeImport& n) {
  require_floats(n, {1});
  const auto operand = [&](size_t i, const char* batch) {
    const ValueId x = n.in(i);
    const int rank = n.rank(x);
    if (n.integer(batch, 0) == 0 || !n.ok()) return x;
    if (rank < 2) n.wrong("{} is 1 and input {} has rank {}; expected 2 or more", batch, i, rank);
    Perm perm;
    for (int a = 1; a < rank - 1; ++a) perm.push_back(a);
    perm.push_back(0);
    perm.push_back(rank - 1);
    return n.transpose(x, perm);
  };
  const ValueId a = operand(0, "transBatchA"), b = operand(1, "transBatchB");
  Matmul::Attributes at;
  // Transposing is nothing for a vector.
  at.transpose_a = n.integer("transA", 0) != 0 && n.rank(a) > 1;
  at.transpose_b = n.integer("transB", 0) != 0 && n.rank(b) > 1;
  at.alpha = n.real("alpha", 1.f);
  n.out(0, n.add(Matmul::make(at), {a, b}));
}

constexpr Importer kMicrosoftOperators[] = {
    {"BiasAdd", 1, bias_add},
    {"BiasGelu", 1, bias_gelu},
    {"BiasSplitGelu", 1, bias_split_gelu},
    {"EmbedLayerNormalization", 1, embed_layer_normalization},
    {"QEmbedLayerNormalization", 1, quantized_embed_layer_normalization},
    {"FastGelu", 1, biased<U::gelu_tanh>},
    {"FusedMatMul", 1, fused_matmul},
    {"Gelu", 1, gelu},
    {"QuickGelu", 1, quick_gelu},
    {"SkipLayerNormalization", 1, skip_layer_normalization<false>},
    {"SkipSimplifiedLayerNormalization", 1, skip_layer_normalization<true>},
    {"Tokenizer", 1, import_tokenizer},
};

}  // namespace

std::span<const Importer> microsoft_importers() { return kMicrosoftOperators; }

}  // namespace anydim::onnx
