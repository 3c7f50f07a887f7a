// SPDX-License-Identifier: Apache-2.0
// Packing weights while their bytes in the model file pass by for the last time; see constant_packer.h.
#include "core/graph/constant_packer.h"

#include <algorithm>

#include "core/ops/operators/convolution.h"

namespace anydim {

namespace {

// The elements of constants on their way into a packed form: their digest is taken as they pass, now, since they are dropped
// afterwards, and the memory of those that have passed goes.
class LastReading {
 public:
  // `first` is the first of the tensors.
  LastReading(const ConstantTensor& first, std::span<const TensorView> tensors) : first_(first), tensors_(tensors), digest_(tensors) {}

  Packing packing(Parallel parallel) { return {parallel, left_ > 0 ? &read : nullptr, &done, this}; }

  // Of all of it, read by whomever.
  WeightsSource source() {
    constexpr int64_t kPart = 4 << 20;
    while (left_ > 0) {
      const std::byte* at = first_.address() + first_.bytes() - left_;
      const int64_t count = std::min(left_, kPart);
      read(this, at, count);
      first_.discard(at, count);
    }
    bool others = false;
    for (const TensorView& t : tensors_) {
      if (others && !complete_) digest_.append(t.data, t.count() * dtype_size(t.dtype));
      others = others || t.dtype != DType::none;
    }
    complete_ = true;
    return digest_.source();
  }

 private:
  static void read(void* self, const std::byte* begin, int64_t bytes) {
    auto* me = static_cast<LastReading*>(self);
    me->digest_.append(begin, bytes);
    me->left_ -= bytes;
  }
  static void done(void* self, const std::byte* begin, int64_t bytes) { static_cast<LastReading*>(self)->first_.discard(begin, bytes); }

  const ConstantTensor& first_;
  std::span<const TensorView> tensors_;  // by operand
  SourceDigest digest_;
  int64_t left_ = first_.bytes();  // bytes that the digest has not seen
  bool complete_ = false;
};

// Padding may follow from the dims of a run (auto_pad), so no packed form of a convolution depends on it. The chunks of a stream differ from
// the whole in it.
std::string describe_without_padding(const Convolution& op) {
  Convolution::Attributes at = op.get();
  at.auto_pad = AutoPad::explicit_;
  std::fill(std::begin(at.pads_begin), std::end(at.pads_begin), 0);
  std::fill(std::begin(at.pads_end), std::end(at.pads_end), 0);
  return describe(Convolution(std::move(at)));
}

// Weights of an operator that reads the pieces of another's.
WeightsPtr same_pieces(const EnginePtr& engine, const WeightsPtr& from, WeightsProblem problem, const Kernel& kernel) {
  WeightsValues values;
  values.packed.form = from->packed()->form;
  std::copy(std::begin(from->packed()->pieces), std::end(from->packed()->pieces), std::begin(values.packed.pieces));
  values.views.assign(from->views().begin(), from->views().end());
  values.file = from;
  return std::make_shared<const Weights>(engine, std::move(problem), kernel, std::move(values));
}

}  // namespace

bool ConstantPacker::Packed::current() const {
  return weights && std::none_of(memory.begin(), memory.end(), [](const auto& memory_part) { return memory_part.expired(); });
}

void ConstantPacker::drop_unused() {
  for (ValueId v = 0; v < graph_.value_count(); ++v)
    if (graph_.value(v).constant && graph_.uses(v) == 0) graph_.value(v).constant.reset();
}

Status ConstantPacker::weights_for(const Node& n, const Problem& problem, WeightsPtr* out) {
  if (problem.constant.empty() || options_.unpacked) return {};
  for (const Dim d : n.op->dim_attributes())
    if (!d.is_number()) return {};  // a form depends on the operator's attributes
  const EnginePtr& engine = program_.engines[static_cast<size_t>(n.engine)];
  const PackedForm form = n.kernel->packed_form(problem);
  if (form.format == nullptr) return {};
  WeightsKey key{{}, formatted("{} {}", n.engine, form_name(form, problem))};
  std::vector<std::weak_ptr<const void>> memory;
  // Two constants may be one range of a file: dims and dtype distinguish them.
  for (size_t i = 0; i < problem.in.size(); ++i) {
    if (!form.operands.has(i)) continue;
    const ConstantTensor& c = *graph_.value(n.inputs[i]).constant;
    ConstantTensor::Origin origin = c.origin();
    key.constants.push_back(origin.address);
    if (origin.memory) memory.emplace_back(origin.memory);
    key.form += formatted(" {}:{}[{}]", i, dtype_name(c.dtype()), to_string(c.dims()));
  }
  Packed* alike = nullptr;
  if (const auto* conv = as<Convolution>(*n.op); conv != nullptr && engine->is_host())
    alike = &shared_.packed_[{key.constants, formatted("{} {} of any padding", key.form, describe_without_padding(*conv))}];
  key.form += formatted(" {}", describe(*n.op));
  Packed& known = shared_.packed_[std::move(key)];
  Problem packed = problem;
  packed.constant = form.operands;
  if (!known.current()) {
    known = {nullptr, std::move(memory)};
    if (alike != nullptr && alike->current()) known.weights = same_pieces(engine, alike->weights, WeightsProblem(n.op, packed), *n.kernel);
    else ANYDIM_TRY(pack(engine, n, packed, *n.kernel, &known.weights));
    if (alike != nullptr && !alike->current()) *alike = known;
  }
  *out = known.weights;
  return {};
}

Status ConstantPacker::pack(const EnginePtr& engine, const Node& n, const Problem& problem, const Kernel& kernel, WeightsPtr* out) {
  std::vector<TensorView> tensors(problem.constant.end());
  const ConstantTensor* first = nullptr;
  for (size_t i = tensors.size(); i-- > 0;) {
    if (!problem.constant.has(i)) continue;
    first = graph_.value(n.inputs[i]).constant.get();
    tensors[i] = first->view_of_address();
  }
  LastReading reading(*first, tensors);
  const WeightsProblem kept(n.op, problem);
  if (options_.packed) ANYDIM_TRY(options_.packed->find(engine, kept, kernel, reading.source(), out));
  if (*out) {
    ++program_.packed_counts.mapped;
    program_.packed_counts.mapped_bytes += (*out)->bytes();
  } else {
    ANYDIM_TRY(Weights::create(engine, kept, kernel, tensors, reading.packing(options_.parallel), out));
  }
  ++program_.packed_counts.weights;
  program_.weight_bytes += (*out)->bytes();
  program_.packed.push_back({out->get(), reading.source()});
  return {};
}

void ConstantPacker::drop_packed(const Program::Step& step, std::span<const ValueId> operands) {
  for (size_t k = 0; k < operands.size(); ++k) {
    const ValueId v = operands[k];
    if (v == kNoValue || !program_.is_packed(step, k)) continue;
    if (--unpacked_uses_.try_emplace(v, graph_.uses(v)).first->second == 0) graph_.value(v).constant.reset();
  }
}

void ConstantPacker::keep(std::span<const Program::Step> steps, std::span<const std::vector<ValueId>> operands) {
  std::vector<bool> read(static_cast<size_t>(graph_.value_count()), false);
  for (size_t i = 0; i < steps.size(); ++i)
    for (size_t k = 0; k < operands[i].size(); ++k)
      if (operands[i][k] != kNoValue && !program_.is_packed(steps[i], k)) read[static_cast<size_t>(operands[i][k])] = true;
  for (const SizeRead& r : graph_.size_reads()) read[static_cast<size_t>(r.value)] = true;
  for (ValueId v = 0; v < graph_.value_count(); ++v) {
    ConstantPtr& c = graph_.value(v).constant;
    if (!c) continue;
    if (read[static_cast<size_t>(v)]) {
      // The same elements under other names or dims are held once.
      const auto [known, first] = shared_.kept_.try_emplace({c->address(), c->bytes()});
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
