// SPDX-License-Identifier: Apache-2.0
// Packing weights while their bytes in the model file pass by for the last time; see constant_packer.h.
#include "core/graph/constant_packer.h"

#include <algorithm>

namespace anydim {

namespace {

// The elements of a constant on their way into a packed form: its digest is taken as they pass, now, since they are dropped
// afterwards, and the memory of those that have passed goes.
class LastReading {
 public:
  // `tensors`: the weights, and the bias or nothing.
  LastReading(const ConstantTensor& weights, std::span<const TensorView> tensors)
      : weights_(weights), tensors_(tensors), digest_(tensors) {}

  Packing packing(Parallel parallel) { return {parallel, left_ > 0 ? &read : nullptr, &done, this}; }

  // Of all of it, read by whomever.
  WeightsSource source() {
    constexpr int64_t kPart = 4 << 20;
    while (left_ > 0) {
      const std::byte* at = weights_.address() + weights_.bytes() - left_;
      const int64_t count = std::min(left_, kPart);
      read(this, at, count);
      weights_.let_go(at, count);
    }
    if (!complete_)
      for (const TensorView& t : tensors_.subspan(1)) digest_.append(t.data, t.count() * dtype_size(t.dtype));
    complete_ = true;
    return digest_.source();
  }

 private:
  static void read(void* self, const std::byte* begin, int64_t bytes) {
    auto* me = static_cast<LastReading*>(self);
    me->digest_.append(begin, bytes);
    me->left_ -= bytes;
  }
  static void done(void* self, const std::byte* begin, int64_t bytes) { static_cast<LastReading*>(self)->weights_.let_go(begin, bytes); }

  const ConstantTensor& weights_;
  std::span<const TensorView> tensors_;
  SourceDigest digest_;
  int64_t left_ = weights_.bytes();  // bytes that the digest has not seen
  bool complete_ = false;
};

}  // namespace

void ConstantPacker::drop_unused() {
  for (ValueId v = 0; v < graph_.value_count(); ++v)
    if (graph_.value(v).constant && graph_.uses(v) == 0) graph_.value(v).constant.reset();
}

Status ConstantPacker::weights_for(const Node& n, WeightsPtr* out) {
  if (!has_trait(n.op->kind(), Trait::packs_weights)) return {};
  const auto constant = [&](size_t i) -> const ConstantTensor* {
    return i < n.inputs.size() && n.inputs[i] != kNoValue ? graph_.value(n.inputs[i]).constant.get() : nullptr;
  };
  if (!constant(1) || constant(0)) return {};
  const bool has_bias = n.inputs.size() > 2 && n.inputs[2] != kNoValue;
  if (n.inputs.size() > 3 || (has_bias && !constant(2))) return {};
  // Two constants may be one range of a file: dims and dtype tell them apart.
  std::string form = formatted("{} {}", n.engine, describe(*n.op));
  for (size_t i = 1; i <= (has_bias ? 2 : 1); ++i)
    form += formatted(" {}[{}]", dtype_name(constant(i)->dtype()), to_string(constant(i)->dims()));
  WeightsPtr& known = held_.packed_[{constant(1)->address(), has_bias ? constant(2)->address() : nullptr, std::move(form)}];
  if (!known) ANYDIM_TRY(pack(n, has_bias, &known));
  *out = known;
  return {};
}

Status ConstantPacker::pack(const Node& n, bool has_bias, WeightsPtr* out) {
  const ConstantTensor& weights = *graph_.value(n.inputs[1]).constant;
  std::vector<TensorView> tensors{weights.view_of_address()};
  if (has_bias) tensors.push_back(graph_.value(n.inputs[2]).constant->view());
  LastReading reading(weights, tensors);
  if (options_.packed)
    ANYDIM_TRY(
        options_.packed->find(program_.engines[static_cast<size_t>(n.engine)], n.op, tensors, reading.source(), n.post_ops, n.mode, out));
  if (*out) {
    ++program_.packed_counts.mapped;
    program_.packed_counts.mapped_bytes += (*out)->bytes();
  } else {
    ANYDIM_TRY(Weights::create(program_.engines[static_cast<size_t>(n.engine)], n.op, tensors, n.post_ops, n.mode, {},
                               reading.packing(options_.parallel), out));
  }
  ++program_.packed_counts.weights;
  program_.weight_bytes += (*out)->bytes();
  program_.packed.push_back({out->get(), reading.source()});
  return {};
}

void ConstantPacker::drop_packed(const Program::Step& step, std::span<const ValueId> operands) {
  for (size_t k = 0; k < operands.size(); ++k) {
    const ValueId v = operands[k];
    if (v == kNoValue || !step.is_packed(k)) continue;
    if (--unpacked_uses_.try_emplace(v, graph_.uses(v)).first->second == 0) graph_.value(v).constant.reset();
  }
}

void ConstantPacker::keep(std::span<const Program::Step> steps, std::span<const std::vector<ValueId>> operands) {
  std::vector<bool> read(static_cast<size_t>(graph_.value_count()), false);
  for (size_t i = 0; i < steps.size(); ++i)
    for (size_t k = 0; k < operands[i].size(); ++k)
      if (operands[i][k] != kNoValue && !steps[i].is_packed(k)) read[static_cast<size_t>(operands[i][k])] = true;
  for (ValueId v = 0; v < graph_.value_count(); ++v) {
    ConstantPtr& c = graph_.value(v).constant;
    if (!c) continue;
    if (read[static_cast<size_t>(v)]) {
      // The same elements under other names or dims are held once.
      const auto [known, first] = held_.kept_.try_emplace({c->address(), c->bytes()});
      if (first) {
        known->second = ConstantTensor::kept(c, options_.parallel);
        program_.weight_bytes += c->bytes();
      }
      c = c->dims() == known->second->dims() ? known->second : ConstantTensor::reshaped(*known->second, c->dims());
    } else {
      c.reset();
    }
  }
}

}  // namespace anydim
