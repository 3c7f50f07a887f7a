// SPDX-License-Identifier: Apache-2.0
// What a program says of its edges, buffers, tensors, stages and sizes, once its steps are made; see compiler.h.
#include <algorithm>

#include "core/graph/compiler.h"
#include "core/graph/plan/lifetimes.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

void Compiler::write_edges() {
  const auto edge = [&](const std::string& name, ValueId v) {
    const Value& value = graph_.value(v);
    Program::IoSpec e{name, value.type.dtype, value.type.dims, {}, value.order, {}};
    for (Dim d : e.dims) e.dim_text.push_back(graph_.dims.text(d));
    return e;
  };
  for (size_t i = 0; i < graph_.inputs().size(); ++i) {
    const ValueId v = graph_.inputs()[i];
    program_.inputs.push_back(edge(graph_.value(v).name, v));
    program_.inputs.back().strides = storage_.input_strides[i];
    program_.inputs.back().dense_strides = storage_.dense_strides[i];
  }
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const GraphOutput& o = graph_.outputs()[i];
    Program::IoSpec& e = program_.outputs.emplace_back(edge(o.name, o.value));
    const CacheEdge& cache = storage_.caches[i];
    e.cache = cache.input;
    e.cache_axis = cache.axis;
    e.room = cache.room;
    e.behind = cache.behind;
    for (size_t step = 0; e.cache >= 0 && step < operands_.size(); ++step) {
      Program::Step& s = program_.steps[step];
      if (s.kernel() == nullptr || operands_[step][static_cast<size_t>(s.inputs)] != o.value) continue;
      e.appended_by = static_cast<int32_t>(step);
      s.overwrites = !e.behind;
    }
    e.follows = o.follows;
    e.like = graph_.value(o.value).like;
    if (o.rank.is(-1)) continue;
    e.rank = o.rank;
    e.optional = e.dims.rank - static_cast<int32_t>(graph_.dims.interval(o.rank).min);
    for (int a = 0; a < e.optional; ++a) e.dim_text[static_cast<size_t>(a)] += " or none";
  }
}

// By output: the order in which it would lie without a last step that only moves its elements.
std::vector<Perm> Compiler::orders_without_copies() const {
  std::vector<Perm> orders;
  for (const GraphOutput& o : graph_.outputs()) {
    const NodeId producer = graph_.value(o.value).producer;
    const auto* const moves = producer == kNoNode ? nullptr : as<Transpose>(*graph_.node(producer).op);
    orders.push_back(moves == nullptr ? Perm() : transposed_order(graph_.value(graph_.node(producer).inputs[0]).order, moves->perm()));
  }
  return orders;
}

void Compiler::write_buffers() {
  const auto kind_of = [](BufferKind kind) {
    switch (kind) {
      case BufferKind::input: return Program::Buffer::Kind::input;
      case BufferKind::output: return Program::Buffer::Kind::output;
      case BufferKind::result: return Program::Buffer::Kind::result;
      case BufferKind::arena: break;
    }
    return Program::Buffer::Kind::arena;
  };
  const Lifetimes lifetimes = lifetimes_of(graph_, storage_);
  const auto stage_at = [&](int32_t step) {
    const auto at = std::find_if(program_.stages.begin(), program_.stages.end(), [&](const Program::Stage& s) { return step < s.last; });
    return static_cast<int32_t>(at - program_.stages.begin());
  };
  for (size_t b = 0; b < storage_.buffers.size(); ++b) {
    const StorageBuffer& buffer = storage_.buffers[b];
    program_.buffers.push_back({kind_of(buffer.kind), buffer.index, 0, buffer.dtype, buffer.elements, lifetimes.buffers[b]});
    if (buffer.kind == BufferKind::result) {
      Program::Buffer& result = program_.buffers.back();
      const Value& value = graph_.value(buffer.index);
      const std::vector<ValueId>& outputs = graph_.node(value.producer).outputs;
      result.index = controls_.at(value.producer);
      result.output = static_cast<int32_t>(std::find(outputs.begin(), outputs.end(), value.id) - outputs.begin());
      for (Dim d : value.type.dims) result.stage = std::max(result.stage, graph_.stage(d));
      continue;
    }
    // An input is there from the beginning, whichever stage has the first step on it: sizes may be read from it before.
    Program::Buffer& made = program_.buffers.back();
    if (made.kind != Program::Buffer::Kind::input && lifetimes.buffers[b].last >= lifetimes.buffers[b].first)
      made.stage = stage_at(lifetimes.buffers[b].first);
  }
  for (ValueId v = 0; v < graph_.value_count(); ++v)
    if (const int32_t buffer = storage_.values[static_cast<size_t>(v)].buffer; buffer >= 0)
      program_.buffers[static_cast<size_t>(buffer)].engine = graph_.engine_of(v);
}

// Values that steps read or write, or that sizes are read from, in the order of their ids.
void Compiler::write_tensors() {
  std::vector<int32_t>& tensor_of = tensor_of_;
  tensor_of.assign(static_cast<size_t>(graph_.value_count()), Program::kNoTensor);
  for (const std::vector<ValueId>& step : operands_)
    for (ValueId v : step)
      if (v != kNoValue) tensor_of[static_cast<size_t>(v)] = 0;
  for (const GraphOutput& o : graph_.outputs()) tensor_of[static_cast<size_t>(o.value)] = 0;
  for (const SizeRead& r : graph_.size_reads()) tensor_of[static_cast<size_t>(r.value)] = 0;
  for (ValueId v = 0; v < graph_.value_count(); ++v) {
    int32_t& tensor = tensor_of[static_cast<size_t>(v)];
    if (tensor == Program::kNoTensor) continue;
    tensor = static_cast<int32_t>(program_.tensors.size());
    Value& value = graph_.value(v);
    const Placement& place = storage_.values[static_cast<size_t>(v)];
    program_.tensors.push_back(
        {std::move(value.name), value.type.dtype, value.type.dims, place.buffer, place.view.offset, place.view.strides, value.constant});
  }
  for (size_t i = 0; i < operands_.size(); ++i)
    for (ValueId v : operands_[i])
      program_.steps[i].operands.push_back(v == kNoValue ? Program::kNoTensor : tensor_of[static_cast<size_t>(v)]);
  for (const GraphOutput& o : graph_.outputs()) program_.results.push_back(tensor_of[static_cast<size_t>(o.value)]);
}

// make_steps() has found where each ends, but for those without steps.
void Compiler::write_stages() {
  std::vector<Program::Stage>& stages = program_.stages;
  const auto stage_of = [&](Dim d) -> Program::Stage& {
    const auto stage = static_cast<size_t>(graph_.stage(d));
    stages.resize(std::max(stages.size(), stage + 1));
    return stages[stage];
  };
  for (Guard& g : graph_.guards) stage_of(g.condition).guards.push_back({g.condition, in_path(g.node), std::move(g.message), g.allowed});
  for (const SizeRead& r : graph_.size_reads()) {
    Program::SizeRead read{tensor_of_[static_cast<size_t>(r.value)], r.element, r.symbol, r.most, r.axis};
    if (r.axis >= 0) {
      const NodeId producer = graph_.value(r.value).producer;
      const std::vector<ValueId>& outputs = graph_.node(producer).outputs;
      read.step = controls_.at(producer);
      read.output = static_cast<int32_t>(std::find(outputs.begin(), outputs.end(), r.value) - outputs.begin());
    }
    stage_of(r.symbol).reads.push_back(read);
  }
  for (const Program::IoSpec& e : program_.outputs) {
    for (Dim d : e.dims) stage_of(d);
    stage_of(e.rank);
  }
  stages.resize(std::max<size_t>(stages.size(), 1));
  for (int32_t i = 0; stages.size() > 1 && i < graph_.dims.size(); ++i) program_.slot_stages.push_back(graph_.stage(Dim::expression(i)));
  for (size_t s = 1; s < stages.size(); ++s) {
    stages[s].first = stages[s - 1].last;
    stages[s].last = std::max(stages[s].last, stages[s].first);
    for (const Program::SizeRead& r : stages[s].reads) {
      const Program::Tensor& t = program_.tensor(r.tensor);
      if (t.buffer < 0) continue;
      BufferLifetime& life = program_.buffers[static_cast<size_t>(t.buffer)].lifetime;
      life.last = std::max(life.last, stages[s].first - 1);
    }
  }
}

// Those that no size of a run is made of may change without binding anything again.
void Compiler::write_input_elements() {
  if (graph_.input_elements().empty()) return;
  std::vector<bool> wanted(static_cast<size_t>(graph_.dims.size()), false);
  const auto want = [&](Dim d) {
    if (!d.is_number()) wanted[static_cast<size_t>(d.expr())] = true;
  };
  for (Dim d : dims_of_runs(program_)) want(d);
  for (size_t i = wanted.size(); i-- > 0;) {
    if (!wanted[i]) continue;
    const DimExpr& e = graph_.dims.expr(static_cast<int32_t>(i));
    want(e.a), want(e.b), want(e.c);
  }
  for (const InputElement& e : graph_.input_elements())
    if (wanted[static_cast<size_t>(e.symbol.expr())]) program_.input_elements.push_back({e.input, e.element, e.symbol});
}

}  // namespace anydim
