// SPDX-License-Identifier: Apache-2.0
// Normalisations. Batch normalisation becomes a scale and a shift per channel (docs/numerics.md, section 3), which
// folding computes once where the statistics are constant; the others use layer normalisation or are written out.
#include <algorithm>

#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reduce.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

// A vector of C values, one for each channel.
void require_per_channel(NodeImport& n, ValueId v, Dim channels, const char* what) {
  if (n.ok() && n.rank(v) != 1) n.wrong("{} has rank {}; expected 1", what, n.rank(v));
  if (n.ok()) n.require_equal(n.dims(v)[0], channels, formatted("the size of {}", what));
}

// One value for each element of an example, whose dims are those of `dims` behind the first.
void require_per_element(NodeImport& n, ValueId v, const SymDims& dims, const char* what) {
  if (n.ok() && n.rank(v) != dims.rank - 1) n.wrong("{} has rank {}; expected {}, for spatial is 0", what, n.rank(v), dims.rank - 1);
  for (int i = 1; i < dims.rank && n.ok(); ++i) n.require_equal(n.dims(v)[i - 1], dims[i], formatted("dim {} of {}", i - 1, what));
}

// A value per channel as [C, 1, ...]: it then broadcasts along axis 1 of an input of this rank.
ValueId per_channel(NodeImport& n, ValueId v, int rank) {
  if (!n.ok()) return kNoValue;
  SymDims d{n.dims(v)[0]};
  while (d.rank < rank - 1) d.push_back(1);
  return n.reshape(v, d);
}

ValueId mean(NodeImport& n, ValueId x, std::span<const int64_t> axes) { return n.add(Reduce::make(ReduceKind::mean, axes, true), {x}); }
ValueId scalar_like(NodeImport& n, ValueId x, double v) { return n.scalar(n.dtype(x), v); }

void batch_normalization(NodeImport& n) {
  const ValueId source = n.in(0);
  const int rank = n.rank(source);
  const DType t = n.dtype(source);
  if (n.ok() && rank < 1) n.wrong("input 0 is a scalar; expected rank 1 or more");
  // One value for each element of an example instead of one for each channel.
  const bool by_element = n.opset() < 9 && n.integer("spatial", 1) == 0;
  const ValueId gamma = n.in(1), beta = n.in(2), mean_input = n.in(3), variance_input = n.in(4);
  const float epsilon = n.real("epsilon", 1e-5f);
  const bool more_outputs = n.wants(1) || n.wants(2) || n.wants(3) || n.wants(4);
  // From opset 7 to 13 it is the outputs that say so, before that they and is_test.
  const bool training = n.opset() >= 14 ? n.integer("training_mode", 0) != 0 : more_outputs;
  if (n.opset() < 7 && training == (n.integer("is_test", 0) != 0))
    n.unsupported("is_test is {} and the outputs are those of {}, which engines read in two ways; expected one or the other",
                  training ? 1 : 0, training ? "training" : "a test");
  if (!training && more_outputs) n.unsupported("training_mode is 0, and more than one output is read; expected output 0 only");
  if (!n.ok()) return;
  // ONNX: a single axis is N, and there is one channel.
  const Dim channels = rank == 1 ? Dim(1) : n.dims(source)[1];
  const auto check = [&](ValueId v, const char* what) {
    if (by_element) require_per_element(n, v, n.dims(source), what);
    else require_per_channel(n, v, channels, what);
  };
  check(gamma, "scale");
  check(beta, "B");
  check(mean_input, "the mean");
  check(variance_input, "the variance");
  if (!n.ok()) return;
  const auto placed = [&](ValueId v) { return by_element ? v : per_channel(n, v, rank); };
  // Scale and shift have the widest type that is given, and are never rounded to 16 bits.
  DType precise = NodeImport::computed_type(t);
  for (const ValueId v : {gamma, beta, mean_input, variance_input})
    if (n.dtype(v) == DType::f64) precise = DType::f64;
  const auto exact = [&](ValueId v) { return n.cast(v, precise); };
  const ValueId x = n.widened(source);
  ValueId m = exact(mean_input), v = exact(variance_input);
  if (training) {
    std::vector<int64_t> axes{0};
    for (int i = 2; i < rank && !by_element; ++i) axes.push_back(i);
    SymDims averages{channels};  // one channel or C of them
    if (by_element) averages = {};
    for (int i = 1; i < rank && by_element; ++i) averages.push_back(n.dims(x)[i]);
    const auto apart = [&](ValueId of_axes) { return exact(n.reshape(of_axes, averages)); };
    const ValueId average = mean(n, x, axes), d = n.binary(B::sub, x, average);
    m = apart(average);
    v = apart(mean(n, n.unary(U::square, d), axes));
    const double momentum = n.real("momentum", 0.9f);
    const auto blend = [&](ValueId old, ValueId now) {
      const ValueId y = n.binary(B::add, n.binary(B::mul, exact(old), n.scalar(precise, momentum)),
                                 n.binary(B::mul, now, n.scalar(precise, 1.0 - momentum)));
      return n.cast(y, n.dtype(old));
    };
    if (n.wants(1)) n.out(1, blend(mean_input, m));
    if (n.wants(2)) n.out(2, blend(variance_input, v));
    // What opsets before 14 save for a gradient: the batch's mean, and something that is the variance in ONNX's text and one over
    // the deviation in ONNX Runtime. A model that uses the latter is refused.
    if (n.wants(3)) n.out(3, n.cast(m, n.dtype(mean_input)));
  }
  // s = gamma / sqrt(variance + epsilon), b = beta - mean * s, y = x * s + b
  const ValueId deviation = n.unary(U::sqrt, n.binary(B::add, v, n.scalar(precise, epsilon)));
  const ValueId s = n.binary(B::div, exact(gamma), deviation);
  const ValueId b = n.binary(B::sub, exact(beta), n.binary(B::mul, m, s));
  const ValueId scaled = n.binary(B::mul, x, placed(n.cast(s, n.dtype(x))));
  n.out(0, n.cast(n.binary(B::add, scaled, placed(n.cast(b, n.dtype(x)))), t));
}

// The type that statistics are computed and given in; float32 unless said otherwise.
DType stash_type(NodeImport& n) {
  const int64_t type = n.integer("stash_type", kFloat);
  Result<DType> stash = dtype_of(type < 0 || type > INT32_MAX ? -1 : static_cast<int32_t>(type));
  if (!stash.ok()) n.fail(stash.take_status());
  else if (!dtype_is_float(*stash)) n.wrong("stash_type is {}; expected a float", dtype_name(*stash));
  return stash.ok() ? *stash : DType::f32;
}

// Layer normalisation wants scale and bias in the full dims of the normalised axes; ONNX lets them broadcast.
ValueId to_axes(NodeImport& n, ValueId v, const SymDims& dims, int axis) {
  SymDims full;
  for (int i = axis; i < dims.rank; ++i) full.push_back(dims[i]);
  if (n.rank(v) > full.rank) {
    SymDims tail;
    for (int i = n.rank(v) - full.rank; i < n.rank(v); ++i) tail.push_back(n.dims(v)[i]);
    v = n.reshape(v, tail);  // leading dims of 1, else the number of elements is wrong
  }
  return n.expand(v, full);
}

void layer_normalization(NodeImport& n) {
  const ValueId x = n.in(0), scale = n.in(1);
  const SymDims dims = n.dims(x);
  const int axis = n.axis(n.integer("axis", -1), dims.rank);
  const float epsilon = n.real("epsilon", 1e-5f);
  const DType stash = stash_type(n);
  if (n.ok() && dtype_size(stash) > dtype_size(NodeImport::computed_type(n.dtype(x))))
    n.unsupported("stash_type is {} and the input {}; expected a type that is no wider", dtype_name(stash), dtype_name(n.dtype(x)));
  if (!n.ok()) return;
  std::vector<ValueId> inputs{x, to_axes(n, scale, dims, axis)};
  if (n.has(2)) inputs.push_back(to_axes(n, n.in(2), dims, axis));
  n.out(0, n.add(LayerNorm::make(axis, epsilon), inputs));
  if (!n.wants(1) && !n.wants(2)) return;
  // The statistics: computed in the input's precision, given in the stash type.
  std::vector<int64_t> axes;
  for (int i = axis; i < dims.rank; ++i) axes.push_back(i);
  const ValueId wide = n.widened(x);
  const ValueId m = mean(n, wide, axes);
  n.out(1, n.cast(m, stash));
  if (!n.wants(2)) return;
  const ValueId variance = mean(n, n.unary(U::square, n.binary(B::sub, wide, m)), axes);
  n.out(2, n.cast(n.unary(U::reciprocal, n.unary(U::sqrt, n.binary(B::add, variance, scalar_like(n, wide, epsilon)))), stash));
}

// [N, G, everything else] normalised over the last axis.
ValueId normalised_groups(NodeImport& n, ValueId x, Dim groups, float epsilon) {
  const SymDims dims = n.dims(x);
  const Dim channels_each = groups == dims[1] ? Dim(1) : n.pool().floor_div(dims[1], groups);
  const Dim rest = n.pool().mul(channels_each, n.product(dims, 2, dims.rank));
  return n.add(LayerNorm::make(2, epsilon), {n.reshape(x, {dims[0], groups, rest})});
}

void instance_normalization(NodeImport& n) {
  const ValueId x = n.in(0), scale = n.in(1), bias = n.in(2);
  const SymDims dims = n.dims(x);
  if (n.ok() && dims.rank < 3) n.wrong("input 0 has rank {}; expected 3 or more", dims.rank);
  if (!n.ok()) return;
  require_per_channel(n, scale, dims[1], "scale");
  require_per_channel(n, bias, dims[1], "B");
  if (!n.ok()) return;
  const ValueId y = n.add(LayerNorm::make(2, n.real("epsilon", 1e-5f)), {n.widened(x)});
  const ValueId scaled = n.binary(B::mul, y, per_channel(n, n.widened(scale), dims.rank));
  n.out(0, n.cast(n.binary(B::add, scaled, per_channel(n, n.widened(bias), dims.rank)), n.dtype(x)));
}

// Scale and bias are per group before opset 21 and per channel since.
void group_normalization(NodeImport& n) {
  const ValueId x = n.in(0), scale = n.in(1), bias = n.in(2);
  const SymDims dims = n.dims(x);
  const int64_t groups = n.integer("num_groups");
  if (n.ok() && dims.rank < 2) n.wrong("input 0 has rank {}; expected 2 or more", dims.rank);
  if (n.ok() && (groups < 1 || (dims[1].is_number() && dims[1].number() % groups != 0)))
    n.wrong("num_groups is {}; expected a divisor of the channels, {}", groups, n.pool().text(dims[1]));
  if (!n.ok()) return;
  const bool by_group = n.opset() < 21;
  require_per_channel(n, scale, by_group ? Dim(groups) : dims[1], "scale");
  require_per_channel(n, bias, by_group ? Dim(groups) : dims[1], "bias");
  if (!n.ok()) return;
  ValueId y = normalised_groups(n, n.widened(x), groups, n.real("epsilon", 1e-5f));
  if (!by_group) y = n.reshape(y, dims);
  const int rank = by_group ? 3 : dims.rank;
  y = n.binary(B::mul, y, per_channel(n, n.widened(scale), rank));
  y = n.binary(B::add, y, per_channel(n, n.widened(bias), rank));
  n.out(0, n.cast(n.reshape(y, dims), n.dtype(x)));
}

// x / sqrt(mean(x * x) + epsilon) * scale; the quotient is computed in the wider one of the input's type and the stash
// type, and in float32 at least.
void rms_normalization(NodeImport& n) {
  const ValueId x = n.in(0), scale = n.in(1);
  const int axis = n.axis(n.integer("axis", -1), n.rank(x));
  const DType stash = stash_type(n);
  n.require_fits(scale, n.dims(x), "scale");
  if (!n.ok()) return;
  const ValueId wide = n.cast(x, stash == DType::f64 ? stash : NodeImport::computed_type(n.dtype(x)));
  const ValueId factor = n.widened(scale);
  ValueId inverse = kNoValue;
  const ValueId y = n.cast(rms_normalised(n, wide, axis, n.real("epsilon", 1e-5f), n.wants(1) ? &inverse : nullptr), n.dtype(factor));
  n.out(0, n.cast(n.binary(B::mul, y, factor), n.dtype(scale)));
  if (inverse != kNoValue) n.out(1, n.cast(inverse, stash));  // of SimplifiedLayerNormalization
}

// (x - mean) / (standard deviation + 1e-9)
void mean_variance_normalization(NodeImport& n) {
  const ValueId source = n.in(0), x = n.widened(source);
  std::vector<int64_t> axes = n.integers("axes");
  axes = axes.empty() ? std::vector<int64_t>{0, 2, 3} : NodeImport::distinct_axes(axes, n.rank(x));
  const ValueId d = n.binary(B::sub, x, mean(n, x, axes));
  const ValueId deviation = n.unary(U::sqrt, mean(n, n.unary(U::square, d), axes));
  n.out(0, n.cast(n.binary(B::div, d, n.binary(B::add, deviation, scalar_like(n, x, 1e-9))), n.dtype(source)));
}

// x over its norm along one axis; where the norm is 0 the result is 0.
void lp_normalization(NodeImport& n) {
  const ValueId source = n.in(0), x = n.widened(source);
  const int64_t p = n.integer("p", 2), axis = n.integer("axis", -1);
  if (n.ok() && p != 1 && p != 2) n.wrong("p is {}; expected 1 or 2", p);
  const ValueId norm = n.add(Reduce::make(p == 1 ? ReduceKind::l1 : ReduceKind::l2, std::span(&axis, 1), true), {x});
  const ValueId zero = scalar_like(n, x, 0.0);
  const ValueId is_zero = n.binary(B::equal, norm, zero);
  n.out(0, n.cast(n.where(is_zero, zero, n.binary(B::div, x, norm)), n.dtype(source)));
}

// x / (bias + alpha / size * sum of squares over `size` neighbouring channels)^beta. The average over a window along
// the channels, padding counted, is that sum over size.
void lrn(NodeImport& n) {
  const ValueId source = n.in(0), x = n.widened(source);
  const SymDims dims = n.dims(x);
  const int64_t size = n.integer("size");
  if (n.ok() && (dims.rank < 3 || size < 1)) n.wrong("input 0 has rank {} and size is {}", dims.rank, size);
  if (!n.ok()) return;
  // Positions in the place of the pool's channels, channels in the place of its plane: positions lie side by side in vectors.
  const Dim positions = n.product(dims, 2, dims.rank);
  const ValueId square = n.transpose(n.reshape(n.unary(U::square, x), {dims[0], dims[1], positions, 1}), {0, 2, 1, 3});
  Pooling::Attributes a;
  a.kind = Pooling::Kind::average;
  a.spatial = 2;
  a.window[0] = size;
  a.pads_begin[0] = (size - 1) / 2;
  a.pads_end[0] = size / 2;
  a.count_include_pad = true;
  const ValueId average = n.reshape(n.transpose(n.add(Pooling::make(a), {square}), {0, 2, 1, 3}), dims);
  const ValueId sum =
      n.binary(B::add, n.binary(B::mul, average, scalar_like(n, x, n.real("alpha", 1e-4f))), scalar_like(n, x, n.real("bias", 1.f)));
  n.out(0, n.cast(n.binary(B::div, x, n.binary(B::pow, sum, scalar_like(n, x, n.real("beta", 0.75f)))), n.dtype(source)));
}

constexpr Importer kNormalizationOperators[] = {
    {"BatchNormalization", 1, batch_normalization},
    {"GroupNormalization", 18, group_normalization},
    {"InstanceNormalization", 1, instance_normalization},
    {"LRN", 1, lrn},
    {"LayerNormalization", 1, layer_normalization},
    {"LpNormalization", 1, lp_normalization},
    {"MeanVarianceNormalization", 9, mean_variance_normalization},
    {"RMSNormalization", 23, rms_normalization},
    {"SimplifiedLayerNormalization", 1, rms_normalization},
};

}  // namespace

ValueId rms_normalised(NodeImport& n, ValueId x, int axis, float epsilon, ValueId* inverse) {
  std::vector<int64_t> axes;
  for (int i = axis; i < n.rank(x); ++i) axes.push_back(i);
  const ValueId square = n.binary(B::add, mean(n, n.unary(U::square, x), axes), scalar_like(n, x, epsilon));
  const ValueId root = n.unary(U::sqrt, square);
  if (inverse != nullptr) *inverse = n.unary(U::reciprocal, root);
  return n.binary(B::div, x, root);
}

std::span<const Importer> normalization_importers() { return kNormalizationOperators; }

}  // namespace anydim::onnx
