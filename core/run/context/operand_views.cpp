// SPDX-License-Identifier: Apache-2.0
// Laying out the views. A kernel gets its inputs, its outputs and its post-ops' tensors as three arrays. An array of one may
// lie anywhere, so it is a view that some longer array has anyway: a value has about as many views as it has readers with more
// than one input, and its producer writes through one of their views.
#include "core/run/context/operand_views.h"

#include <algorithm>

namespace anydim {

Status OperandViews::append(const Program& p, int32_t index, std::vector<Number>* numbers) {
  if (index == Program::kNoTensor) {
    views_.push_back({});
    return {};
  }
  const Program::Tensor& tensor = p.tensor(index);
  if (tensor.constant) {
    views_.push_back(tensor.constant->view());
    return {};
  }
  const bool on_device = tensor.device_constant || (tensor.buffer >= 0 && p.buffer(tensor.buffer).engine != 0);
  if (tensor.buffer < 0 && !on_device) return error(Code::internal, "value '{}' has no memory", tensor.name);
  TensorView view;
  view.dtype = tensor.dtype;
  view.dims = Dims::filled(tensor.dims.rank, 0);
  view.strides = view.dims;
  views_.push_back(view);  // prepare() made room: views stay where they are
  TensorView& mine = views_.back();
  const auto set = [&](Dim from, int64_t* to) {
    if (from.is_number()) *to = from.number();
    else numbers->push_back({from.expr(), to});
  };
  for (int a = 0; a < mine.dims.rank; ++a) {
    set(tensor.dims[a], &mine.dims[a]);
    if (!tensor.device_constant) set(tensor.strides[a], &mine.strides[a]);
  }
  if (tensor.device_constant) mine.strides = dense_strides(mine.dims);
  if (on_device) return {};  // a view without data; its stream knows where it lies (device_context.h)
  const StorageBinding own{&mine, tensor.buffer, static_cast<int32_t>(dtype_size(view.dtype)), tensor.offset};
  bindings_.push_back(own);
  const auto may_be = [&](const Program::EdgeCopy& c) { return c.buffer == tensor.buffer; };
  const bool outer =
      p.buffer(tensor.buffer).kind != Program::Buffer::Kind::arena || std::any_of(p.edge_copies.begin(), p.edge_copies.end(), may_be);
  if (outer) outer_bindings_.push_back(own);
  return {};
}

Status OperandViews::prepare(const Program& p) {
  steps_.resize(p.steps.size());
  stages_.resize(p.stages.size());
  std::vector<Number> numbers;
  ANYDIM_TRY(lay_views(p, &numbers));
  for (const Program::Step& s : p.steps)
    for (Dim d : s.dim_attributes)
      if (!d.is_number()) numbers.push_back({d.expr(), nullptr});
  const auto stage_of = [&](int32_t slot) { return p.stage_of(Dim::expression(slot)); };
  std::stable_sort(numbers.begin(), numbers.end(), [&](const Number& a, const Number& b) {
    return std::pair(stage_of(a.slot), a.slot) < std::pair(stage_of(b.slot), b.slot);
  });
  find_sources(p, numbers);
  cut_into_stages(p);
  return {};
}

// Arrays of several, then arrays of one. Weights that are packed show what is known of them.
Status OperandViews::lay_views(const Program& p, std::vector<Number>* numbers) {
  std::vector<int32_t> read;
  for (const Program::Stage& s : p.stages)
    for (const Program::SizeRead& r : s.reads) read.push_back(r.tensor);
  size_t most = p.results.size() + read.size();
  for (const Program::Step& s : p.steps) most += s.operands.size();
  views_.reserve(most);
  std::vector<int32_t> view_of(p.tensors.size(), -1);  // by tensor, where there is one
  const auto lay = [&](std::span<const int32_t> tensors, const Weights* weights, std::span<const TensorView>* mine) -> Status {
    const size_t first = views_.size();
    for (size_t k = 0; k < tensors.size(); ++k) {
      if (weights && weights->holds(k)) {
        views_.push_back(weights->views()[k]);
        continue;
      }
      if (tensors[k] != Program::kNoTensor) view_of[static_cast<size_t>(tensors[k])] = static_cast<int32_t>(views_.size());
      ANYDIM_TRY(append(p, tensors[k], numbers));
    }
    *mine = std::span<const TensorView>(views_).subspan(first);
    return {};
  };
  const auto lay_step = [&](size_t i, bool single) -> Status {
    const Program::Step& s = p.steps[i];
    const std::span<const int32_t> all(s.operands);
    const auto inputs = static_cast<size_t>(s.inputs), outputs = static_cast<size_t>(s.outputs);
    const std::pair<std::span<const int32_t>, std::span<const TensorView>*> arrays[] = {
        {all.first(inputs), &steps_[i].in},
        {all.subspan(inputs, outputs), &steps_[i].out},
        {all.subspan(inputs + outputs), &steps_[i].post_in}};
    for (const auto& [tensors, mine] : arrays) {
      if ((tensors.size() == 1) != single) continue;
      const int32_t there = single && tensors[0] != Program::kNoTensor ? view_of[static_cast<size_t>(tensors[0])] : -1;
      if (there >= 0) *mine = std::span<const TensorView>(views_).subspan(static_cast<size_t>(there), 1);
      else ANYDIM_TRY(lay(tensors, mine == &steps_[i].in && p.primitive(s) ? p.primitive(s)->weights().get() : nullptr, mine));
    }
    return {};
  };
  ANYDIM_TRY(lay(p.results, nullptr, &outputs_));
  std::span<const TensorView> reads;
  ANYDIM_TRY(lay(read, nullptr, &reads));
  for (size_t s = 0; s < stages_.size(); ++s) {
    stages_[s].reads = reads.first(p.stages[s].reads.size());
    reads = reads.subspan(p.stages[s].reads.size());
  }
  for (const bool single : {false, true})
    for (size_t i = 0; i < steps_.size(); ++i) ANYDIM_TRY(lay_step(i, single));
  return {};
}

// The slots that numbers come from, and which of them each step follows.
void OperandViews::find_sources(const Program& p, std::span<const Number> numbers) {
  std::vector<int32_t> source_of(static_cast<size_t>(p.slots()), -1);
  for (const Number& n : numbers) {
    if (sources_.empty() || sources_.back().slot != n.slot) {
      source_of[static_cast<size_t>(n.slot)] = static_cast<int32_t>(sources_.size());
      sources_.push_back({n.slot, 0, 0});
    }
    if (n.number == nullptr) continue;
    ++sources_.back().numbers;
    numbers_.push_back(n.number);
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Program::Step& s = p.steps[i];
    const auto follow = [&](Dim d) {
      if (!d.is_number()) steps_[i].follows |= uint64_t{1} << (source_of[static_cast<size_t>(d.expr())] % 64);
    };
    for (Dim d : s.dim_attributes) follow(d);
    for (size_t k = 0; k < s.operands.size(); ++k) {
      if (s.operands[k] == Program::kNoTensor || p.is_packed(s, k)) continue;
      const Program::Tensor& t = p.tensor(s.operands[k]);
      if (t.constant || t.device_constant) continue;
      for (Dim d : t.dims) follow(d);
      for (Dim d : t.strides) follow(d);
    }
  }
}

void OperandViews::cut_into_stages(const Program& p) {
  const auto stage_of = [&](const StorageBinding& h) { return std::max(p.buffer(h.buffer).stage, p.stage_of(h.offset)); };
  for (std::vector<StorageBinding>* bindings : {&bindings_, &outer_bindings_})
    std::stable_sort(bindings->begin(), bindings->end(),
                     [&](const StorageBinding& a, const StorageBinding& b) { return stage_of(a) < stage_of(b); });
  Stage end;
  for (size_t s = 0; s < stages_.size(); ++s) {
    const auto now = static_cast<int32_t>(s);
    for (; end.sources < sources_.size() && p.stage_of(Dim::expression(sources_[end.sources].slot)) <= now; ++end.sources)
      end.numbers += static_cast<size_t>(sources_[end.sources].numbers);
    while (end.bindings < bindings_.size() && stage_of(bindings_[end.bindings]) <= now) ++end.bindings;
    while (end.outer_bindings < outer_bindings_.size() && stage_of(outer_bindings_[end.outer_bindings]) <= now) ++end.outer_bindings;
    end.reads = stages_[s].reads;
    stages_[s] = end;
  }
}

uint64_t OperandViews::follow(size_t stage, std::span<const int64_t> slots, bool all) noexcept {
  uint64_t changed = all ? ~uint64_t{0} : 0;
  const Stage begin = stage == 0 ? Stage() : stages_[stage - 1];
  int64_t* const* number = numbers_.data() + begin.numbers;
  for (size_t i = begin.sources; i < stages_[stage].sources; ++i) {
    Source& s = sources_[i];
    const int64_t value = slots[static_cast<size_t>(s.slot)];
    int64_t* const* const end = number + s.numbers;
    if (all || value != s.value) {
      s.value = value;
      changed |= uint64_t{1} << (i % 64);
      for (; number != end; ++number) **number = value;
    }
    number = end;
  }
  return changed;
}

void OperandViews::place(size_t stage, std::span<std::byte* const> buffers, std::span<const int64_t> slots, bool all) noexcept {
  const Stage begin = stage == 0 ? Stage() : stages_[stage - 1];
  const std::span<const StorageBinding> bindings =
      all ? std::span<const StorageBinding>(bindings_.data() + begin.bindings, bindings_.data() + stages_[stage].bindings)
          : std::span<const StorageBinding>(outer_bindings_.data() + begin.outer_bindings,
                                            outer_bindings_.data() + stages_[stage].outer_bindings);
  for (const StorageBinding& h : bindings) h.view->data = buffers[static_cast<size_t>(h.buffer)] + value_of(h.offset, slots) * h.element;
}

}  // namespace anydim
