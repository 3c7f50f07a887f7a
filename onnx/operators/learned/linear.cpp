// SPDX-License-Identifier: Apache-2.0
// Linear models and support vector machines as products. Sums over support vectors are made in binary64: distances to them are
// differences of large numbers, and coefficients of thousands leave nothing of a binary32 sum.
#include <algorithm>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/couple_pairs.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/reduce.h"
#include "onnx/operators/learned/learned.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

// Fails the node where `count` numbers are not as many for each of the outputs.
bool whole_rows(NodeImport& n, size_t count, int64_t outputs, const char* what) {
  const auto all = static_cast<int64_t>(count);
  if (all == 0 || outputs <= 0 || all % outputs != 0) n.wrong("{} {} for {} outputs; expected a multiple", all, what, outputs);
  return n.ok();
}

// x [rows, features] times coefficients [outputs, features], in x's dtype.
ValueId products(NodeImport& n, ValueId x, std::span<const float> coefficients, int64_t outputs, const char* what) {
  if (!n.ok()) return kNoValue;
  if (!whole_rows(n, coefficients.size(), outputs, what)) return kNoValue;
  const Dims dims{outputs, static_cast<int64_t>(coefficients.size()) / outputs};
  n.require_equal(n.dims(x)[1], dims[1], formatted("the features, as many as {} of an output,", what));
  ValueId w = n.constant(DType::f32, dims, coefficients.data());
  if (n.dtype(x) == DType::f64) w = n.constant(DType::f64, dims, std::vector<double>(coefficients.begin(), coefficients.end()).data());
  return n.add(Matmul::make({false, true, 1.f, 1.f}), {x, w});
}

// The same of f64.
ValueId wide_products(NodeImport& n, ValueId x, std::span<const double> coefficients, int64_t outputs, const char* what) {
  if (!n.ok()) return kNoValue;
  const Dims dims{outputs, static_cast<int64_t>(coefficients.size()) / outputs};
  n.require_equal(n.dims(x)[1], dims[1], formatted("the features, as many as {} of an output,", what));
  return n.add(Matmul::make({false, true, 1.f, 1.f}), {x, n.constant(DType::f64, dims, coefficients.data())});
}

void linear_regressor(NodeImport& n) {
  const Transform how = transform_of(n);
  const int64_t targets = n.integer("targets", 1);
  const std::vector<float> intercepts = n.reals("intercepts");
  if (n.ok() && !intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets)
    n.wrong("{} intercepts for {} targets; expected as many, or none", intercepts.size(), targets);
  ValueId y = products(n, feature_rows(n), n.reals("coefficients"), targets, "coefficients");
  if (!intercepts.empty()) y = n.binary(B::add, y, row_constant(n, intercepts));
  // One score has no class beside it.
  if (n.ok() && targets == 1 && how != Transform::none && how != Transform::probit)
    return n.unsupported("post_transform is {}, and there is one target; expected NONE or PROBIT", n.text("post_transform", ""));
  n.out(0, transformed(n, y, how));
}

void linear_classifier(NodeImport& n) {
  const Transform how = transform_of(n);
  const Labels labels = labels_of(n, "classlabels_ints", "classlabels_strings");
  const std::vector<float> intercepts = n.reals("intercepts");
  // Two classes may share one score.
  const int64_t scores = intercepts.empty() ? labels.count() : static_cast<int64_t>(intercepts.size());
  if (n.ok() && scores != labels.count() && !(scores == 1 && labels.count() == 2))
    n.wrong("{} intercepts for {} classes; expected as many", scores, labels.count());
  ValueId y = products(n, feature_rows(n), n.reals("coefficients"), scores, "coefficients");
  if (!intercepts.empty()) y = n.binary(B::add, y, row_constant(n, intercepts));
  if (n.ok() && labels.count() < 2) return n.unsupported("it has one class; expected two or more");
  if (!n.ok()) return;
  if (scores == 1) {
    give_labels(n, labels, holds(n, n.binary(B::less, n.scalar(DType::f32, 0), y)));
    return n.out(1, two_columns(n, y, how, false));
  }
  give_labels(n, labels, largest(n, y));
  n.out(1, transformed(n, y, how));
}

// --- support vectors -------------------------------------------------------------------------------------------------

enum class KernelType : uint8_t { linear, poly, rbf, sigmoid };
struct Kernel {
  KernelType type = KernelType::linear;
  float gamma = 0, coef0 = 0, degree = 0;
};
Kernel kernel_of(NodeImport& n) {
  Kernel k;
  k.type = static_cast<KernelType>(n.choice("kernel_type", "LINEAR", {"LINEAR", "POLY", "RBF", "SIGMOID"}));
  const std::vector<float> parameters = n.reals("kernel_params");
  if (n.ok() && parameters.size() != 3 && !(parameters.empty() && k.type == KernelType::linear))
    n.wrong("kernel_params has {} values; expected 3", parameters.size());
  if (parameters.size() == 3) k.gamma = parameters[0], k.coef0 = parameters[1], k.degree = parameters[2];
  return k;
}

// x [rows, features] of f64 and each support vector: [rows, vectors] of f64; functions are of binary32.
constexpr const char* kVectorNumbers = "numbers of support vectors";
ValueId kernel_values(NodeImport& n, ValueId x, std::span<const float> vectors, int64_t count, const Kernel& k) {
  if (k.type == KernelType::rbf) {
    const ValueId dot = products(n, x, vectors, count, kVectorNumbers);
    if (!n.ok()) return kNoValue;
    const int64_t last[] = {1};
    std::vector<double> squares(static_cast<size_t>(count), 0.0);
    const size_t features = vectors.size() / static_cast<size_t>(count);
    for (size_t i = 0; i < vectors.size(); ++i) squares[i / features] += static_cast<double>(vectors[i]) * vectors[i];
    const ValueId own = n.add(Reduce::make(ReduceKind::sum, last, true), {n.unary(U::square, x)});
    const ValueId theirs = n.constant(DType::f64, {1, count}, squares.data());
    const ValueId apart = n.binary(B::sub, n.binary(B::add, own, theirs), n.binary(B::add, dot, dot));
    const ValueId distance = n.cast(n.binary(B::max, apart, n.scalar(DType::f64, 0)), DType::f32);
    return n.cast(n.unary(U::exp, n.binary(B::mul, distance, n.scalar(DType::f32, -k.gamma))), DType::f64);
  }
  // gamma goes into the vectors.
  if (!n.ok() || !whole_rows(n, vectors.size(), count, kVectorNumbers)) return kNoValue;
  std::vector<double> scaled(vectors.begin(), vectors.end());
  for (double& v : scaled) v *= static_cast<double>(k.gamma);
  const ValueId dot =
      n.cast(n.binary(B::add, wide_products(n, x, scaled, count, kVectorNumbers), n.scalar(DType::f64, k.coef0)), DType::f32);
  const bool sigmoid = k.type == KernelType::sigmoid;
  return n.cast(sigmoid ? n.unary(U::tanh, dot) : n.binary(B::pow, dot, n.scalar(DType::f32, k.degree)), DType::f64);
}

// Sums over support vectors of coefficients [outputs, vectors] times kernel values. Those of a linear kernel are one product: the
// coefficients times the vectors, in binary64, are made here.
ValueId sums_of_values(NodeImport& n, ValueId x, std::span<const float> vectors, int64_t count, const Kernel& k,
                       std::span<const float> coefficients, int64_t outputs) {
  if (k.type != KernelType::linear) return products(n, kernel_values(n, x, vectors, count, k), coefficients, outputs, "coefficients");
  if (!n.ok() || !whole_rows(n, vectors.size(), count, kVectorNumbers) || !whole_rows(n, coefficients.size(), outputs, "coefficients"))
    return kNoValue;
  if (static_cast<int64_t>(coefficients.size()) != outputs * count) {
    n.wrong("{} coefficients; expected {} for each of {} support vectors", coefficients.size(), outputs, count);
    return kNoValue;
  }
  const size_t each = static_cast<size_t>(count), features = vectors.size() / each;
  std::vector<double> w(static_cast<size_t>(outputs) * features, 0.0);
  for (size_t i = 0; i < coefficients.size(); ++i)
    for (size_t f = 0; f < features; ++f)
      w[i / each * features + f] += static_cast<double>(coefficients[i]) * static_cast<double>(vectors[i % each * features + f]);
  return wide_products(n, x, w, outputs, kVectorNumbers);
}

ValueId wide_rows(NodeImport& n) { return n.cast(feature_rows(n), DType::f64); }

void svm_regressor(NodeImport& n) {
  const Kernel k = kernel_of(n);
  const int64_t vectors = n.integer("n_supports", 0);
  const std::vector<float> rho = n.reals("rho"), coefficients = n.reals("coefficients");
  if (n.ok() && transform_of(n) != Transform::none) n.unsupported("post_transform is {}; expected NONE", n.text("post_transform", ""));
  if (n.ok() && rho.size() != 1) n.wrong("rho has {} values; expected 1", rho.size());
  if (n.ok() && vectors < 0) n.wrong("n_supports is {}", vectors);
  const ValueId x = wide_rows(n);
  ValueId y = vectors > 0 ? sums_of_values(n, x, n.reals("support_vectors"), vectors, k, coefficients, 1)
                          : products(n, x, coefficients, 1, "coefficients");
  if (!n.ok()) return;
  y = n.cast(n.binary(B::add, y, n.scalar(DType::f64, rho[0])), DType::f32);
  if (n.integer("one_class", 0) != 0)
    y = n.where(n.binary(B::less, n.scalar(DType::f32, 0), y), n.scalar(DType::f32, 1), n.scalar(DType::f32, -1));
  n.out(0, y);
}

// Coefficients alone: a score for each class.
void linear_svm(NodeImport& n, const Labels& labels, const std::vector<float>& coefficients, float rho, Transform how) {
  ValueId y = products(n, wide_rows(n), coefficients, labels.count(), "coefficients");
  if (!n.ok()) return;
  y = n.cast(n.binary(B::add, y, n.scalar(DType::f64, rho)), DType::f32);
  ValueId index = largest(n, y);
  if (labels.count() == 2) {
    const int64_t last[] = {1};
    const ValueId most = n.add(Reduce::make(ReduceKind::max, last, true), {y});
    const bool positive = std::all_of(coefficients.begin(), coefficients.end(), [](float c) { return c >= 0; });
    const ValueId is_second = positive ? n.unary(U::logical_not, n.binary(B::less, most, n.scalar(DType::f32, 0.5)))
                                       : n.binary(B::less, n.scalar(DType::f32, 0), most);
    index = n.binary(B::max, index, holds(n, is_second));
  }
  give_labels(n, labels, index);
  n.out(1, transformed(n, y, how));
}

// Each class against each other; a pair's vote is for the first of the two if its sum is above 0.
void svm_classifier(NodeImport& n) {
  const Kernel k = kernel_of(n);
  const Transform how = transform_of(n);
  const Labels labels = labels_of(n, "classlabels_ints", "classlabels_strings");
  const std::vector<int64_t> per_class = n.integers("vectors_per_class");
  const std::vector<float> rho = n.reals("rho"), coefficients = n.reals("coefficients"), vectors = n.reals("support_vectors");
  const std::vector<float> a = n.reals("prob_a"), b = n.reals("prob_b");
  const int64_t classes = labels.count(), pairs = classes * (classes - 1) / 2;
  int64_t count = 0;
  for (const int64_t c : per_class) {
    if (c < 0 || c > INT32_MAX) return n.wrong("vectors_per_class has {}", c);
    count += c;
  }
  if (n.ok() && classes < 2) n.unsupported("it has one class; expected two or more");
  if (n.ok() && classes > 1024) n.unsupported("it has {} classes; at most 1024", classes);
  if (n.ok() && rho.empty()) n.wrong("attribute rho has no values");
  if (!n.ok()) return;
  if (count == 0) return linear_svm(n, labels, coefficients, rho[0], how);
  if (static_cast<int64_t>(per_class.size()) != classes)
    return n.wrong("vectors_per_class has {} entries; expected one for each of {} classes", per_class.size(), classes);
  if (static_cast<int64_t>(rho.size()) < pairs) return n.wrong("rho has {} values; expected {}", rho.size(), pairs);
  if (static_cast<int64_t>(coefficients.size()) != (classes - 1) * count)
    return n.wrong("{} coefficients; expected {} for each of {} support vectors", coefficients.size(), classes - 1, count);
  const bool probable = !a.empty();
  if (a.size() != b.size() || (probable && static_cast<int64_t>(a.size()) < pairs))
    return n.wrong("prob_a has {} values and prob_b {}; expected {}", a.size(), b.size(), pairs);

  // [pairs, vectors]: of a pair (i, j) row j - 1 of the coefficients counts for vectors of i, and row i for those of j.
  std::vector<float> w(static_cast<size_t>(pairs * count), 0.f), votes(static_cast<size_t>(pairs * classes), 0.f),
      without(static_cast<size_t>(classes), 0.f);
  std::vector<int64_t> start(1, 0);
  for (const int64_t c : per_class) start.push_back(start.back() + c);
  const auto at = [](int64_t i) { return static_cast<size_t>(i); };
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      for (int64_t v = start[at(i)]; v < start[at(i) + 1]; ++v) w[at(pair * count + v)] = coefficients[at((j - 1) * count + v)];
      for (int64_t v = start[at(j)]; v < start[at(j) + 1]; ++v) w[at(pair * count + v)] = coefficients[at(i * count + v)];
      votes[at(i * pairs + pair)] = 1.f;
      votes[at(j * pairs + pair)] = -1.f;
      without[at(j)] += 1.f;
    }
  const ValueId sums = n.binary(B::add, sums_of_values(n, wide_rows(n), vectors, count, k, w, pairs),
                                row_constant(n, std::span(rho).first(at(pairs)), DType::f64));
  const ValueId first = n.cast(n.binary(B::less, n.scalar(DType::f64, 0), sums), DType::f32);
  const ValueId counted = n.binary(B::add, products(n, first, votes, classes, "votes"), row_constant(n, without));
  give_labels(n, labels, largest(n, counted));
  const ValueId scores = n.cast(sums, DType::f32);
  if (!probable) {
    // Of two classes the one sum makes two columns.
    return n.out(1, pairs == 1 ? two_columns(n, scores, how, how == Transform::none) : transformed(n, scores, how));
  }
  const ValueId slope = row_constant(n, std::span(a).first(at(pairs))), shift = row_constant(n, std::span(b).first(at(pairs)));
  const ValueId each = n.unary(U::sigmoid, n.unary(U::neg, n.binary(B::add, n.binary(B::mul, scores, slope), shift)));
  const ValueId bounded = n.unary(U::clip, each, 1.0e-7f, 1 - 1.0e-7f);
  n.out(1, transformed(n, n.add(CouplePairs::make({classes}), {bounded}), how));
}

constexpr Importer kLinearOperators[] = {
    {"LinearClassifier", 1, linear_classifier},
    {"LinearRegressor", 1, linear_regressor},
    {"SVMClassifier", 1, svm_classifier},
    {"SVMRegressor", 1, svm_regressor},
};

}  // namespace

std::span<const Importer> linear_importers() { return kLinearOperators; }

}  // namespace anydim::onnx
