// SPDX-License-Identifier: Apache-2.0
// Losses, and the optimisers of ai.onnx.preview.training, written out.
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

ValueId reduced(NodeImport& n, ReduceKind kind, ValueId x) {
  std::vector<int64_t> axes;
  for (int i = 0; i < n.rank(x); ++i) axes.push_back(i);
  return n.add(Reduce::make(kind, axes, false), {x});
}

// The loss of log probabilities x at the targets. Where a target is ignored, loss and weight are 0.
ValueId loss_at(NodeImport& n, ValueId x, ValueId target) {
  const int reduction = n.choice("reduction", "mean", {"none", "sum", "mean"});
  const bool ignores = n.has_attribute("ignore_index");
  if (n.ok() && (n.rank(x) < 2 || n.rank(target) != n.rank(x) - 1))
    n.wrong("the input has rank {} and the target {}; expected 2 or more, and one less", n.rank(x), n.rank(target));
  if (!n.ok()) return kNoValue;
  const SymDims dims = n.dims(target);
  for (int i = 0; i < dims.rank; ++i) n.require_equal(dims[i], n.dims(x)[i == 0 ? 0 : i + 1], "a dim of the target");
  const DType t = n.dtype(x);
  const ValueId zero = n.scalar(t, 0);
  ValueId ignored = kNoValue;
  if (ignores) {
    const auto index = static_cast<double>(n.integer("ignore_index", 0));
    ignored = n.binary(B::equal, target, n.scalar(n.dtype(target), index));
    target = n.where(ignored, n.scalar(n.dtype(target), 0), target);
  }
  SymDims with_class{dims[0], 1};
  for (int i = 1; i < dims.rank; ++i) with_class.push_back(dims[i]);
  const ValueId picked = n.add(GatherElements::make(1), {x, n.reshape(target, with_class)});
  ValueId loss = n.unary(U::neg, n.reshape(picked, dims));
  ValueId weight = kNoValue;
  if (n.has(2)) weight = n.add(Gather::make(0), {n.widened(n.in(2)), target});
  if (ignores) {
    weight = n.where(ignored, zero, weight == kNoValue ? n.scalar(t, 1) : weight);
    loss = n.where(ignored, zero, loss);
  }
  if (weight != kNoValue) loss = n.binary(B::mul, loss, weight);
  if (reduction == 0) return loss;
  if (reduction == 1) return reduced(n, ReduceKind::sum, loss);
  if (weight == kNoValue) return reduced(n, ReduceKind::mean, loss);
  return n.binary(B::div, reduced(n, ReduceKind::sum, loss), reduced(n, ReduceKind::sum, weight));
}

void negative_log_likelihood_loss(NodeImport& n) {
  const ValueId x = n.in(0);
  n.out(0, n.cast(loss_at(n, n.widened(x), n.in(1)), n.dtype(x)));
}

void softmax_cross_entropy_loss(NodeImport& n) {
  const ValueId x = n.in(0);
  if (n.ok() && n.rank(x) < 2) n.wrong("input 0 has rank {}; expected 2 or more", n.rank(x));
  if (!n.ok()) return;
  const ValueId logs = n.add(Softmax::make(1, true), {n.widened(x)});
  n.out(0, n.cast(loss_at(n, logs, n.in(1)), n.dtype(x)));
  n.out(1, n.cast(logs, n.dtype(x)));
}

// --- optimisers ----------------------------------------------------------------------------------------------------

// Inputs are the rate R, the count T of updates, then for each tensor X, G and so many states, all X first.
struct Step {
  NodeImport& n;
  size_t states;
  ValueId rate = n.in(0), count = n.in(1);
  size_t tensors = n.input_count() > 2 ? (n.input_count() - 2) / (2 + states) : 0;

  ValueId input(size_t which, size_t tensor) const { return n.in(2 + which * tensors + tensor); }
  ValueId number(ValueId like, double v) const { return n.scalar(n.dtype(like), v); }
  ValueId times(ValueId x, double v) const { return n.binary(B::mul, x, number(x, v)); }
  // norm_coefficient * X + G
  ValueId gradient(size_t tensor) const {
    return n.binary(B::add, times(input(0, tensor), static_cast<double>(n.real("norm_coefficient", 0.f))), input(1, tensor));
  }
  ValueId rate_as(ValueId like) const { return n.cast(n.reshape(rate, {}), n.dtype(like)); }
  ValueId count_as(ValueId like) const { return n.cast(n.reshape(count, {}), n.dtype(like)); }
  ValueId is_first() const { return n.binary(B::equal, n.reshape(count, {}), n.scalar(n.dtype(count), 0)); }
  bool ready() const {
    if (n.ok() && (tensors == 0 || 2 + tensors * (2 + states) != n.input_count()))
      n.wrong("{} inputs; expected 2 and {} for each tensor", n.input_count(), 2 + states);
    return n.ok();
  }
};

void adagrad(NodeImport& n) {
  const Step s{n, 1};
  if (!s.ready()) return;
  const auto decay = static_cast<double>(n.real("decay_factor", 0.f)), epsilon = static_cast<double>(n.real("epsilon", 1e-6f));
  for (size_t i = 0; i < s.tensors && n.ok(); ++i) {
    const ValueId x = s.input(0, i), g = s.gradient(i);
    const ValueId divisor = n.binary(B::add, s.times(s.count_as(x), decay), s.number(x, 1));
    const ValueId rate = n.binary(B::div, s.rate_as(x), divisor);
    const ValueId h = n.binary(B::add, s.input(2, i), n.binary(B::mul, g, g));
    const ValueId root = n.binary(B::add, n.unary(U::sqrt, h), s.number(x, epsilon));
    n.out(i, n.binary(B::sub, x, n.binary(B::div, n.binary(B::mul, rate, g), root)));
    n.out(s.tensors + i, h);
  }
}

void adam(NodeImport& n) {
  const Step s{n, 2};
  if (!s.ready()) return;
  const auto alpha = static_cast<double>(n.real("alpha", 0.9f)), beta = static_cast<double>(n.real("beta", 0.999f));
  const auto epsilon = static_cast<double>(n.real("epsilon", 1e-6f)), after = static_cast<double>(n.real("norm_coefficient_post", 0.f));
  for (size_t i = 0; i < s.tensors && n.ok(); ++i) {
    const ValueId x = s.input(0, i), g = s.gradient(i);
    const ValueId v = n.binary(B::add, s.times(s.input(2, i), alpha), s.times(g, 1 - alpha));
    const ValueId h = n.binary(B::add, s.times(s.input(3, i), beta), s.times(n.binary(B::mul, g, g), 1 - beta));
    // From the second update on the rate is corrected: sqrt(1 - beta^T) / (1 - alpha^T).
    const auto rest = [&](double base) { return n.binary(B::sub, s.number(x, 1), n.binary(B::pow, s.number(x, base), s.count_as(x))); };
    const ValueId corrected = n.binary(B::mul, s.rate_as(x), n.binary(B::div, n.unary(U::sqrt, rest(beta)), rest(alpha)));
    const ValueId rate = n.where(s.is_first(), s.rate_as(x), corrected);
    const ValueId root = n.binary(B::add, n.unary(U::sqrt, h), s.number(x, epsilon));
    const ValueId moved = n.binary(B::sub, x, n.binary(B::div, n.binary(B::mul, rate, v), root));
    n.out(i, s.times(moved, 1 - after));
    n.out(s.tensors + i, v);
    n.out(2 * s.tensors + i, h);
  }
}

void momentum(NodeImport& n) {
  const Step s{n, 1};
  if (!s.ready()) return;
  const bool nesterov = n.choice("mode", "standard", {"standard", "nesterov"}) == 1;
  const auto alpha = static_cast<double>(n.real("alpha", 0.f)), beta = static_cast<double>(n.real("beta", 0.f));
  for (size_t i = 0; i < s.tensors && n.ok(); ++i) {
    const ValueId x = s.input(0, i), g = s.gradient(i);
    const ValueId share = n.where(s.is_first(), s.number(x, 1), s.number(x, beta));
    const ValueId v = n.binary(B::add, s.times(s.input(2, i), alpha), n.binary(B::mul, share, g));
    const ValueId step = nesterov ? n.binary(B::add, g, s.times(v, alpha)) : v;
    n.out(i, n.binary(B::sub, x, n.binary(B::mul, s.rate_as(x), step)));
    n.out(s.tensors + i, v);
  }
}

constexpr Importer kLossOperators[] = {
    {"NegativeLogLikelihoodLoss", 12, negative_log_likelihood_loss},
    {"SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy_loss},
};

constexpr Importer kTraining[] = {
    {"Adagrad", 1, adagrad},
    {"Adam", 1, adam},
    {"Momentum", 1, momentum},
};

}  // namespace

std::span<const Importer> loss_importers() { return kLossOperators; }
std::span<const Importer> training_importers() { return kTraining; }

}  // namespace anydim::onnx
