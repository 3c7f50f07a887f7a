// SPDX-License-Identifier: Apache-2.0
// Laying out the views. A kernel gets its inputs, its outputs and its post-ops' tensors as three arrays. An array of one may
// lie anywhere, so it is a view that some longer array has anyway: a value has about as many views as it has readers with more
// than one input, and its producer writes through one of theirs.
#include "core/graph/operand_views.h"

#include <algorithm>

namespace anydim {

Status OperandViews::append(const Model& model, ValueId v, std::vector<Number>* numbers) {
  TensorView view;
  if (v == kNoValue) {
    views_.push_back(view);
    return {};
  }
  const Value& value = model.graph().value(v);
  if (value.constant) {
    views_.push_back(value.constant->view());
    return {};
  }
  const Placement& p = model.storage().values[static_cast<size_t>(v)];
  if (p.buffer < 0) return error(Code::internal, "value '{}' has no memory", value.name);
  view.dtype = value.type.dtype;
  view.dims = Dims::filled(value.type.dims.rank, 0);
  view.strides = view.dims;
  views_.push_back(view);  // prepare() made room: views stay where they are
  TensorView& mine = views_.back();
  const auto set = [&](Dim from, int64_t* to) {
    if (from.is_number()) *to = from.number();
    else numbers->push_back({from.expr(), to});
  };
  for (int a = 0; a < mine.dims.rank; ++a) {
    set(value.type.dims[a], &mine.dims[a]);
    set(p.view.strides[a], &mine.strides[a]);
  }
  const Home home{&mine, p.buffer, static_cast<int32_t>(dtype_size(view.dtype)), p.view.offset};
  homes_.push_back(home);
  if (model.storage().buffers[static_cast<size_t>(p.buffer)].kind != BufferKind::arena) outer_homes_.push_back(home);
  return {};
}

Status OperandViews::prepare(const Model& model) {
  const auto nodes = model.nodes();
  nodes_.resize(nodes.size());
  std::vector<ValueId> results;
  for (const GraphOutput& o : model.graph().outputs()) results.push_back(o.value);
  size_t most = results.size();
  for (const ModelNode& n : nodes) most += n.operands.size();
  views_.reserve(most);

  std::vector<Number> numbers;
  std::vector<int32_t> view_of(static_cast<size_t>(model.graph().value_count()), -1);  // by value, where there is one
  // Arrays of several, then arrays of one. Weights that are packed show what is known of them.
  const auto lay = [&](std::span<const ValueId> values, const Weights* weights, std::span<const TensorView>* mine) -> Status {
    const size_t first = views_.size();
    for (size_t k = 0; k < values.size(); ++k) {
      if (weights && k > 0) {
        views_.push_back(k - 1 < weights->views().size() ? weights->views()[k - 1] : TensorView());
        continue;
      }
      if (values[k] != kNoValue) view_of[static_cast<size_t>(values[k])] = static_cast<int32_t>(views_.size());
      ANYDIM_TRY(append(model, values[k], &numbers));
    }
    *mine = std::span<const TensorView>(views_).subspan(first);
    return {};
  };
  const auto lay_all = [&](bool single) -> Status {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const ModelNode& n = nodes[i];
      const std::span<const ValueId> all(n.operands);
      const auto inputs = static_cast<size_t>(n.inputs), outputs = static_cast<size_t>(n.outputs);
      const std::pair<std::span<const ValueId>, std::span<const TensorView>*> arrays[] = {
          {all.first(inputs), &nodes_[i].in},
          {all.subspan(inputs, outputs), &nodes_[i].out},
          {all.subspan(inputs + outputs), &nodes_[i].post_in}};
      for (const auto& [values, mine] : arrays) {
        if ((values.size() == 1) != single) continue;
        const int32_t there = single && values[0] != kNoValue ? view_of[static_cast<size_t>(values[0])] : -1;
        if (there >= 0) *mine = std::span<const TensorView>(views_).subspan(static_cast<size_t>(there), 1);
        else ANYDIM_TRY(lay(values, mine == &nodes_[i].in ? n.primitive->weights().get() : nullptr, mine));
      }
    }
    return {};
  };
  ANYDIM_TRY(lay(results, nullptr, &outputs_));
  ANYDIM_TRY(lay_all(false));
  ANYDIM_TRY(lay_all(true));

  for (const ModelNode& n : nodes)
    for (Dim d : n.dim_attributes)
      if (!d.is_number()) numbers.push_back({d.expr(), nullptr});
  std::stable_sort(numbers.begin(), numbers.end(), [](const Number& a, const Number& b) { return a.slot < b.slot; });
  std::vector<int32_t> source_of(static_cast<size_t>(model.program().slots()), -1);
  for (const Number& n : numbers) {
    if (sources_.empty() || sources_.back().slot != n.slot) {
      source_of[static_cast<size_t>(n.slot)] = static_cast<int32_t>(sources_.size());
      sources_.push_back({n.slot, 0, 0});
    }
    if (n.number == nullptr) continue;
    ++sources_.back().numbers;
    numbers_.push_back(n.number);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto meet = [&](Dim d) {
      if (!d.is_number()) nodes_[i].follows |= uint64_t{1} << (source_of[static_cast<size_t>(d.expr())] % 64);
    };
    for (Dim d : nodes[i].dim_attributes) meet(d);
    for (size_t k = 0; k < nodes[i].operands.size(); ++k) {
      const ValueId v = nodes[i].operands[k];
      const bool packed = nodes[i].primitive->weights() && k > 0 && k < static_cast<size_t>(nodes[i].inputs);
      if (v == kNoValue || packed || model.graph().value(v).constant) continue;
      for (Dim d : model.graph().value(v).type.dims) meet(d);
      for (Dim d : model.storage().values[static_cast<size_t>(v)].view.strides) meet(d);
    }
  }
  return {};
}

uint64_t OperandViews::follow(std::span<const int64_t> slots, bool all) noexcept {
  uint64_t changed = all ? ~uint64_t{0} : 0;
  int64_t* const* number = numbers_.data();
  for (size_t i = 0; i < sources_.size(); ++i) {
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

void OperandViews::place(std::span<std::byte* const> buffers, std::span<const int64_t> slots, bool all) noexcept {
  for (const Home& h : all ? homes_ : outer_homes_)
    h.view->data = buffers[static_cast<size_t>(h.buffer)] + value_of(h.offset, slots) * h.element;
}

bool OperandViews::outer(std::span<const TensorView> operands) const noexcept {
  return std::any_of(outer_homes_.begin(), outer_homes_.end(),
                     [&](const Home& h) { return h.view >= operands.data() && h.view < operands.data() + operands.size(); });
}

}  // namespace anydim
