// SPDX-License-Identifier: Apache-2.0
// Folding of scales and shifts into weights: w * s and bias * s + b, computed in binary64, rounded once.
#include "core/graph/passes/folding.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <span>

#include "core/graph/constant_budget.h"
#include "core/graph/passes/compressed_weights.h"
#include "core/graph/passes/match.h"
#include "core/kernels/kernel.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

constexpr double kCancelled = 0x1p20;

// Weights as [before][channels][after] per group; where output channel o's weights lie.
struct Channels {
  int64_t count = 0;  // output channels
  int axis = 0;       // of the output
  int64_t group = 1;  // transposed convolution: weights [C][O / group]...; channel o of group g is column o - g * (O / group)
  enum class Form { rows, grouped_columns, columns } form = Form::rows;
};

bool channels_of(const Node& n, const Dims& w, const SymDims& y, Channels* c) {
  if (as<Convolution>(*n.op)) {
    *c = {w[0], 1, 1, Channels::Form::rows};
  } else if (const auto* t = as<ConvTranspose>(*n.op)) {
    *c = {w[1] * t->get().group, 1, t->get().group, Channels::Form::grouped_columns};
  } else if (const auto* m = as<Matmul>(*n.op)) {
    if (w.rank != 2 || y.rank < 1 || m->get().alpha != 1.f || m->get().beta != 1.f) return false;
    *c = {m->get().transpose_b ? w[0] : w[1], y.rank - 1, 1, m->get().transpose_b ? Channels::Form::rows : Channels::Form::columns};
  } else {
    return false;
  }
  return true;
}

// Calls f(output channel, weight element, how many from there belong to it) over all weights, in order.
template <class F> void for_each_run(const Channels& c, const Dims& w, F&& f) {
  const int64_t cells = c.form == Channels::Form::rows ? 1 : w[1], run = element_count(w) / w[0] / cells;
  for (int64_t row = 0, at = 0; row < w[0]; ++row) {
    const int64_t first = c.form == Channels::Form::rows ? row : c.form == Channels::Form::columns ? 0 : row / (w[0] / c.group) * cells;
    for (int64_t cell = 0; cell < cells; ++cell, at += run) f(first + cell, at, run);
  }
}

// The bias as one value per channel, or nothing. False if it is there in another form.
bool read_bias(const Graph& g, const Node& n, int64_t channels, std::vector<double>* out) {
  out->clear();
  if (n.inputs.size() < 3 || n.inputs[2] == kNoValue) return true;
  const ConstantTensor* c = g.value(n.inputs[2]).constant.get();
  if (!c || c->dtype() != DType::f32) return false;
  const Dims& d = c->dims();
  if (c->count() != channels && c->count() != 1) return false;
  if (c->count() == channels && (d.rank == 0 || d[d.rank - 1] != channels)) return false;
  for (int64_t i = 0; i < channels; ++i) out->push_back(c->as<float>()[static_cast<size_t>(c->count() == 1 ? 0 : i)]);
  return true;
}

// Weights of ordinary size stay above the smallest normal number in each channel that is not scaled by 0.
bool keeps_digits(const Channels& channels, const ConstantTensor& w, const float* scaled) {
  std::vector<float> before(static_cast<size_t>(channels.count), 0), after = before;
  const auto* from = reinterpret_cast<const float*>(w.address());
  for_each_run(channels, w.dims(), [&](int64_t channel, int64_t at, int64_t count) {
    const auto c = static_cast<size_t>(channel);
    for (int64_t i = at; i < at + count; ++i) {
      before[c] = std::max(before[c], std::abs(read_unaligned(from + i)));
      after[c] = std::max(after[c], std::abs(scaled[i]));
    }
  });
  for (size_t c = 0; c < before.size(); ++c)
    if (before[c] >= 1e-30f && after[c] < FLT_MIN) return false;
  return true;
}

bool all_finite(std::span<const float> v) {
  return std::all_of(v.begin(), v.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

Result<ValueId> fold_into(Graph& g, const Node& n, const ScaleShift& by) {
  if (n.inputs.size() < 2 || n.outputs.size() != 1 || n.inputs[1] == kNoValue) return kNoValue;
  const ConstantTensor* w = g.value(n.inputs[1]).constant.get();
  if (!w || w->dtype() != DType::f32 || w->count() == 0 || (w->dequantized_from() && by.has_scale)) return kNoValue;
  // Weights of a matmul that may be read as 16-bit floats stay them.
  if (by.has_scale && as<Matmul>(*n.op) && w->made_of() && w->count() >= kLeastCompressed) return kNoValue;
  Channels channels;
  std::vector<double> bias;
  if (!channels_of(n, w->dims(), g.value(n.outputs[0]).type.dims, &channels) || (by.axis >= 0 && by.axis != channels.axis) ||
      !read_bias(g, n, channels.count, &bias))
    return kNoValue;
  const auto at = [](const std::vector<double>& v, int64_t i) { return v[v.size() == 1 ? 0 : static_cast<size_t>(i)]; };
  if ((by.scale.size() != 1 && static_cast<int64_t>(by.scale.size()) != channels.count) ||
      (by.shift.size() != 1 && static_cast<int64_t>(by.shift.size()) != channels.count))
    return kNoValue;

  std::vector<ValueId> inputs{n.inputs[0], n.inputs[1]};
  if (by.has_scale) {
    if (!budget_of(g).take(w->bytes())) return kNoValue;
    const ConstantPtr scaled = ConstantTensor::written<float>(DType::f32, w->dims(), [&](float* to) {
      const auto* from = reinterpret_cast<const float*>(w->address());
      for_each_run(channels, w->dims(), [&](int64_t channel, int64_t begin, int64_t count) {
        const double scale = at(by.scale, channel);
        for (int64_t i = begin; i < begin + count; ++i) to[i] = static_cast<float>(read_unaligned(from + i) * scale);
      });
    });
    w->discard(w->address(), w->bytes());  // most likely nobody else reads it
    // Only a factor that small can do it; a scale of 0 is what the model says.
    const bool tiny = std::any_of(by.scale.begin(), by.scale.end(), [](double s) { return s != 0 && std::abs(s) < 1e-6; });
    if (!all_finite(scaled->as<float>()) || (tiny && !keeps_digits(channels, *w, scaled->as<float>().data()))) {
      budget_of(g).give_back(w->bytes());
      return kNoValue;
    }
    inputs[1] = g.add_constant(g.value(n.inputs[1]).name, scaled);
    g.value(inputs[1]).made = scaled->bytes();
  }
  if (by.has_shift || !bias.empty()) {
    std::vector<float> shifted;
    for (int64_t i = 0; i < channels.count; ++i) {
      const double b = bias.empty() ? 0.0 : bias[static_cast<size_t>(i)];
      const double shift = std::fma(b, at(by.scale, i), at(by.shift, i));
      // A bias that is taken away to its last digits: what is left is the rounding (a sum with 2^23 rounds to integers).
      if (std::abs(b * at(by.scale, i)) > kCancelled * std::max(std::abs(shift), 1.0)) return kNoValue;
      shifted.push_back(static_cast<float>(shift));
    }
    if (!all_finite(shifted)) return kNoValue;
    inputs.push_back(f32_constant(g, n.name + ".bias", {channels.count}, shifted));
  }
  return insert(g, n, n.op, std::move(inputs));
}

}  // namespace anydim
