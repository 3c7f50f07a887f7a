// SPDX-License-Identifier: Apache-2.0
// Rows, labels and scores of ai.onnx.ml, as ONNX Runtime has them where ONNX leaves something open.
#include "onnx/operators/learned/learned.h"

#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {

using B = BinaryFunction;
using U = UnaryFunction;

ValueId feature_rows(NodeImport& n, bool wide) {
  const ValueId x = n.in(0);
  if (!n.ok()) return kNoValue;
  const SymDims d = n.dims(x);
  if (d.rank < 1 || d.rank > 2) {
    n.wrong("input 0 has rank {}; expected 1 or 2", d.rank);
    return kNoValue;
  }
  const ValueId rows = d.rank == 1 ? n.reshape(x, {1, d[0]}) : x;
  return n.cast(rows, wide && n.dtype(x) == DType::f64 ? DType::f64 : DType::f32);
}

Transform transform_of(NodeImport& n) {
  return static_cast<Transform>(n.choice("post_transform", "NONE", {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}));
}

namespace {

// sqrt(2) times the inverse error function of 2 p - 1, by Winitzki's formula with a = 0.147.
ValueId probit(NodeImport& n, ValueId p) {
  const DType t = n.dtype(p);
  const ValueId x = n.unary(U::affine, p, 2.f, -1.f);
  const ValueId sign = n.where(n.binary(B::less, x, n.scalar(t, 0)), n.scalar(t, -1), n.scalar(t, 1));
  const ValueId one = n.scalar(t, 1);
  const ValueId log = n.unary(U::log, n.binary(B::mul, n.binary(B::sub, one, x), n.binary(B::add, one, x)));
  const ValueId a = n.binary(B::add, n.binary(B::mul, log, n.scalar(t, 0.5)), n.scalar(t, 2.f / (3.14159f * 0.147f)));
  const ValueId b = n.binary(B::mul, log, n.scalar(t, 1.f / 0.147f));
  const ValueId root = n.unary(U::sqrt, n.binary(B::sub, n.unary(U::square, a), b));
  const ValueId y = n.binary(B::mul, sign, n.unary(U::sqrt, n.binary(B::sub, root, a)));
  return n.binary(B::mul, y, n.scalar(t, 1.41421356f));
}

// Softmax over the scores that are not 0; those stay next to 0.
ValueId softmax_zero(NodeImport& n, ValueId x) {
  constexpr int64_t kLast[] = {-1};
  const DType t = n.dtype(x);
  const ValueId most = n.add(Reduce::make(ReduceKind::max, kLast, true), {x});
  const ValueId counts = n.binary(B::less, n.scalar(t, 0.0000001f), n.unary(U::abs, x));
  const ValueId power = n.unary(U::exp, n.binary(B::sub, x, most));
  const ValueId sum = n.add(Reduce::make(ReduceKind::sum, kLast, true), {n.where(counts, power, n.scalar(t, 0))});
  const ValueId rest = n.binary(B::mul, x, n.unary(U::exp, n.unary(U::neg, most)));
  return n.binary(B::div, n.where(counts, power, rest), sum);
}

}  // namespace

ValueId transformed(NodeImport& n, ValueId scores, Transform how) {
  switch (how) {
    case Transform::softmax: return n.add(Softmax::make(1, false), {scores});
    case Transform::logistic: return n.unary(U::sigmoid, scores);
    case Transform::softmax_zero: return softmax_zero(n, scores);
    case Transform::probit: return probit(n, scores);
    default: return scores;
  }
}

ValueId two_columns(NodeImport& n, ValueId score, Transform how, bool signed_scores) {
  if (how == Transform::probit) n.unsupported("post_transform is PROBIT, and two classes have one score; expected another one");
  ValueId first = kNoValue, second = score;
  if (how == Transform::logistic) {
    first = n.unary(U::sigmoid, n.unary(U::neg, score));
    second = n.unary(U::sigmoid, score);
  } else if (signed_scores) {
    first = n.unary(U::neg, score);
  } else {
    first = n.binary(B::sub, n.scalar(n.dtype(score), 1), score);
  }
  return n.add(Concat::make(1), {first, second});
}

Labels labels_of(NodeImport& n, std::string_view integers, std::string_view strings) {
  Labels labels{n.integers(integers), n.strings(strings)};
  if (n.ok() && labels.integers.empty() == labels.strings.empty())
    n.wrong("it has {} {} and {} {}; expected one of the two", labels.integers.size(), integers, labels.strings.size(), strings);
  return labels;
}

void give_labels(NodeImport& n, const Labels& labels, ValueId index) {
  if (!n.ok() || !n.wants(0)) return;
  if (!labels.are_strings()) {
    const ValueId table = n.constant(DType::i64, {labels.count()}, labels.integers.data());
    return n.out(0, looked_up(n, table, index));
  }
  const ValueId table = n.numbered_strings(labels.strings);
  n.out_strings(0, looked_up(n, table, index), true);
}

ValueId largest(NodeImport& n, ValueId scores) { return n.add(ArgReduce::make(ArgReduceKind::max, 1, false, false), {scores}); }

ValueId holds(NodeImport& n, ValueId condition) {
  if (!n.ok()) return kNoValue;
  return n.cast(n.reshape(condition, {n.dims(condition)[0]}), DType::i64);
}

ValueId row_constant(NodeImport& n, std::span<const float> values, DType as) {
  const Dims dims{1, static_cast<int64_t>(values.size())};
  if (as != DType::f64) return n.constant(DType::f32, dims, values.data());
  const std::vector<double> wide(values.begin(), values.end());
  return n.constant(DType::f64, dims, wide.data());
}

ValueId looked_up(NodeImport& n, ValueId table, ValueId index) { return n.add(Gather::make(0), {table, index}); }

}  // namespace anydim::onnx
