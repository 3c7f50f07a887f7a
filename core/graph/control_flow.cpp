// SPDX-License-Identifier: Apache-2.0
// Dims of what branches and loops give: those that follow from sizes known outside are written with these; others are symbols that a
// run reads when the node has run. A loop's carried value has the dims of its first value, if the body keeps them: that is assumed
// first, and for the axes where it proves wrong the body is written again with dims of its own.
#include "core/graph/control_flow.h"

#include <algorithm>

#include "core/tensor/dim_rebuild.h"

namespace anydim {

Status ControlFlow::infer(DimPool&, std::span<const TensorType>, std::span<TensorType> out) const {
  std::copy(results_.begin(), results_.end(), out.begin());
  return {};
}

OperatorPtr ControlFlow::with_dim_attributes(std::span<const Dim> dims) const {
  return std::make_shared<ControlFlow>(control_, bodies_, std::vector<Dim>(dims.begin(), dims.end()), results_);
}

// --- the border ------------------------------------------------------------------------------------------------------

bool Border::from_data(Dim symbol) const {
  const auto is = [&](const auto& entry) { return entry.symbol == symbol; };
  for (const SizeRead& r : outer_.size_reads())
    if (r.axis < 0 && r.symbol == symbol) return true;
  if (std::any_of(outer_.input_elements().begin(), outer_.input_elements().end(), is)) return true;
  for (const Parameter& p : outer_.parameters())
    if (p.symbol == symbol) return p.data;
  return false;
}

Dim Border::dim(Dim outer) {
  if (outer.is_number()) return outer;
  // A size may be assumed to be an expression of itself (d = 4 * (d // 4), behind a reshape into heads): in there it stays as it is.
  const Dim simple = outer_.dims.simplify(outer);
  if (simple.is_number()) return simple;
  if (std::ranges::find(open_, simple.expr()) == open_.end()) outer = simple;
  if (const auto found = dims_.find(outer.expr()); found != dims_.end()) return found->second;
  const DimExpr e = outer_.dims.expr(outer.expr());
  Dim made;
  if (e.op == DimOp::symbol) {
    DimPromise promise = e.promise;
    promise.hint = -1;
    made = inner_.add_parameter(e.name, promise, from_data(outer));
    sizes_.push_back(outer);
    back_[made.expr()] = outer;
  } else {
    open_.push_back(outer.expr());
    const Dim a = dim(e.a), b = dim(e.b), c = dim(e.c);
    open_.pop_back();
    made = rebuild(inner_.dims, e.op, a, b, c);
  }
  return dims_[outer.expr()] = made;
}

bool Border::outside(Dim inner, Dim* out) {
  if (inner.is_number()) return *out = inner, true;
  if (const auto found = back_.find(inner.expr()); found != back_.end()) return *out = found->second, true;
  const DimExpr e = inner_.dims.expr(inner.expr());
  Dim a, b, c;
  if (e.op == DimOp::symbol || !outside(e.a, &a) || !outside(e.b, &b) || !outside(e.c, &c)) return false;
  const Dim made = rebuild(outer_.dims, e.op, a, b, c);
  back_[inner.expr()] = made;
  *out = made;
  return true;
}

ValueId Border::value(ValueId id) {
  if (id == kNoValue) return kNoValue;
  if (const auto found = values_.find(id); found != values_.end()) return found->second;
  const Value& v = outer_.value(id);
  ValueId made;
  if (v.constant) {
    made = inner_.add_constant(v.name, v.constant);
  } else {
    TensorType type{v.type.dtype, {}};
    const SymDims dims = v.type.dims;
    for (Dim d : dims) type.dims.push_back(dim(d));
    ShapeValues shape_values;
    if (v.shape_values.known) {
      shape_values = {true, v.shape_values.denominator, {}};
      const std::vector<Dim> elements = v.shape_values.elements;
      for (Dim e : elements) shape_values.elements.push_back(dim(e));
    }
    inputs_.push_back(static_cast<int32_t>(inner_.inputs().size()));
    operands_.push_back(id);
    made = inner_.add_captured(v.name, type, std::move(shape_values));
  }
  return values_[id] = made;
}

namespace {

// What a node of control flow is made of, while it is.
class Assembly {
 public:
  Assembly(Graph& outer, const ControlName& name) : outer_(outer), name_(name) {}

  Control control;
  std::vector<ValueId> operands;
  std::vector<TensorType> results;

  std::string label() const { return formatted("{} ({})", name_.name, name_.onnx_type); }
  int32_t operand(ValueId v) {
    operands.push_back(v);
    return static_cast<int32_t>(operands.size()) - 1;
  }
  void add_body(const std::shared_ptr<Graph>& graph, const Border& border, std::vector<BodyInput> inputs) {
    Body body;
    inputs.resize(graph->inputs().size());
    for (size_t i = 0; i < border.operands().size(); ++i)
      inputs[static_cast<size_t>(border.inputs()[i])] = {BodyInput::From::operand, operand(border.operands()[i])};
    body.inputs = std::move(inputs);
    for (Dim size : border.sizes()) {
      body.parameters.push_back(static_cast<int32_t>(sizes_.size()));
      sizes_.push_back(size);
    }
    control.bodies.push_back(std::move(body));
    bodies_.push_back(graph);
  }
  // A dim of the next result that the node finds.
  Dim find(int axis) {
    const Dim symbol = outer_.dims.symbol(formatted("{}:{}.{}", name_.name, results.size(), axis));
    run_time_dims_.push_back({results.size(), axis, symbol});
    return symbol;
  }
  Result<std::vector<ValueId>> finish() {
    control.sized_by_step.assign(results.size(), 0);
    for (const RunTimeDim& l : run_time_dims_) control.sized_by_step[l.result] = 1;
    auto made = outer_.add_node(std::make_shared<ControlFlow>(control, bodies_, sizes_, results), operands, name_.name, name_.onnx_type);
    if (!made.ok()) return made.take_status();
    for (const RunTimeDim& l : run_time_dims_) outer_.read_dim((*made)[l.result], l.axis, l.symbol);
    return made;
  }

 private:
  struct RunTimeDim {
    size_t result;
    int axis;
    Dim symbol;
  };
  Graph& outer_;
  const ControlName& name_;
  std::vector<std::shared_ptr<Graph>> bodies_;
  std::vector<Dim> sizes_;
  std::vector<RunTimeDim> run_time_dims_;
};

void name_outputs(Graph& body, const std::vector<ValueId>& results, size_t first) {
  for (size_t i = 0; i < results.size(); ++i)
    body.add_output(results[i], i < first ? std::string("condition") : formatted("result {}", i - first));
}

// The single element of a small tensor, if it is known.
bool single_content(const Value& v, Dim* out) {
  if (!v.shape_values.known || v.shape_values.denominator != 1 || v.shape_values.elements.size() != 1) return false;
  *out = v.shape_values.elements[0];
  return true;
}

}  // namespace

// --- branches --------------------------------------------------------------------------------------------------------

Result<std::vector<ValueId>> add_branch(Graph& outer, ValueId condition, const WriteBranch& taken, const WriteBranch& otherwise,
                                        const ControlName& name, bool* ranks_differ) {
  Assembly node(outer, name);
  node.control.kind = Control::Kind::branch;
  node.operand(condition);
  if (outer.value(condition).type.dtype != DType::boolean)
    return error(Code::invalid_model, "{}: its condition is {}; expected bool", node.label(),
                 dtype_name(outer.value(condition).type.dtype));
  std::vector<ValueId> results[2];
  std::shared_ptr<Graph> graphs[2] = {std::make_shared<Graph>(), std::make_shared<Graph>()};
  Border borders[2] = {{outer, *graphs[0]}, {outer, *graphs[1]}};
  for (int b = 0; b < 2; ++b) {
    ANYDIM_TRY((b == 0 ? taken : otherwise)(borders[b], &results[b]));
    name_outputs(*graphs[b], results[b], 0);
  }
  if (results[0].size() != results[1].size())
    return error(Code::invalid_model, "{}: its branches give {} and {} values", node.label(), results[0].size(), results[1].size());
  // Before anything is written into the graph around: whoever asks may try again.
  for (size_t i = 0; i < results[0].size(); ++i) {
    const int a = graphs[0]->value(results[0][i]).type.dims.rank, b = graphs[1]->value(results[1][i]).type.dims.rank;
    if (a == b) continue;
    if (ranks_differ != nullptr) *ranks_differ = true;
    return unimplemented("{}: output {} has rank {} in one branch and {} in the other; one rank is expected", node.label(), i, a, b);
  }
  Dim which;
  const bool known = single_content(outer.value(condition), &which);
  for (size_t i = 0; i < results[0].size(); ++i) {
    const TensorType a = graphs[0]->value(results[0][i]).type, b = graphs[1]->value(results[1][i]).type;
    if (a.dtype != b.dtype)
      return error(Code::invalid_model, "{}: output {} is {} in one branch and {} in the other", node.label(), i, dtype_name(a.dtype),
                   dtype_name(b.dtype));
    TensorType type{a.dtype, {}};
    for (int d = 0; d < a.dims.rank; ++d) {
      Dim x, y;
      if (!borders[0].outside(a.dims[d], &x) || !borders[1].outside(b.dims[d], &y)) type.dims.push_back(node.find(d));
      else if (outer.dims.provably_equal(x, y)) type.dims.push_back(x);
      else type.dims.push_back(known ? outer.dims.select(which, x, y) : node.find(d));
    }
    node.results.push_back(type);
  }
  for (int b = 0; b < 2; ++b) node.add_body(graphs[b], borders[b], {});
  return node.finish();
}

// --- loops -----------------------------------------------------------------------------------------------------------

namespace {

class LoopAssembly {
 public:
  LoopAssembly(Graph& outer, const LoopParts& parts, const WriteBody& write, const ControlName& name)
      : outer_(outer), parts_(parts), write_(write), node_(outer, name), varies_(parts.initial.size()), kept_(parts.initial.size()) {}

  Result<std::vector<ValueId>> run() {
    node_.control.kind = Control::Kind::loop;
    find_iterations();
    for (bool again = true; again;) {
      again = false;
      graph_ = std::make_shared<Graph>();
      border_ = std::make_unique<Border>(outer_, *graph_);
      results_.clear();
      make_inputs();
      ANYDIM_TRY(write_(*border_, inputs_, &results_));
      if (results_.size() != first() + parts_.initial.size() + parts_.stacks.size())
        return error(Code::internal, "{}: the body gives {} values", node_.label(), results_.size());
      ANYDIM_TRY(compare_carried(&again));
    }
    for (size_t k = kept_.size(); k-- > 0;)
      if (kept_[k] != 0) results_.erase(results_.begin() + static_cast<std::ptrdiff_t>(first() + k));
    ANYDIM_TRY(check_condition());
    name_outputs(*graph_, results_, has_condition_ ? 1 : 0);
    std::vector<ValueId> found;
    if (carried() + parts_.stacks.size() > 0) {
      auto made = assemble();
      if (!made.ok()) return made;
      found = *std::move(made);
    }
    for (size_t k = 0; k < kept_.size(); ++k)
      if (kept_[k] != 0) found.insert(found.begin() + static_cast<std::ptrdiff_t>(k), parts_.initial[k]);
    return found;
  }

 private:
  size_t first() const { return parts_.has_condition ? 1 : 0; }
  size_t carried() const { return kept_.size() - static_cast<size_t>(std::count(kept_.begin(), kept_.end(), 1)); }
  const TensorType& type_in(ValueId v) const { return graph_->value(v).type; }

  // Iterations there are at most, and whether they are exactly that many unless the body says no.
  void find_iterations() {
    most_ = kMaxSize;
    Dim d;
    if (parts_.count != kNoValue) {
      known_ = single_content(outer_.value(parts_.count), &d);
      if (known_) most_ = outer_.dims.max(d, 0);
    } else {
      known_ = !parts_.slices.empty();
      if (known_) most_ = outer_.value(parts_.slices[0].value).type.dims[parts_.slices[0].axis];
    }
    if (parts_.condition == kNoValue) return;
    if (single_content(outer_.value(parts_.condition), &d)) most_ = outer_.dims.select(d, most_, 0);
    else known_ = false;
  }

  void make_inputs() {
    inputs_.clear();
    body_inputs_.clear();
    const auto name = [&](const char* fallback, size_t i) {
      const size_t at = inputs_.size();
      return at < parts_.names.size() && !parts_.names[at].empty() ? parts_.names[at] : formatted("{} {}", fallback, i);
    };
    if (parts_.iteration_rank >= 0) {
      TensorType type{DType::i64, SymDims::filled(parts_.iteration_rank, Dim(1))};
      inputs_.push_back(graph_->add_input(name("iteration", 0), type));
      body_inputs_.push_back({BodyInput::From::iteration, 0});
      const ShapeValues& known = graph_->value(inputs_[0]).shape_values;
      DimPromise promise;
      promise.max = std::max<int64_t>(outer_.dims.interval(most_).max - 1, 0);
      if (known.known) graph_->dims.set_promise(known.elements[0].expr(), promise);
    }
    int32_t next = 0;
    for (size_t k = 0; k < parts_.initial.size(); ++k) {
      if (kept_[k] != 0) {
        inputs_.push_back(kNoValue);
        continue;
      }
      const TensorType outside = outer_.value(parts_.initial[k]).type;
      TensorType type{outside.dtype, {}};
      const std::string label = name("carried", k);
      for (int a = 0; a < outside.dims.rank; ++a)
        type.dims.push_back(varies_[k] >> a & 1 ? graph_->dims.symbol(formatted("{}.{}", label, a)) : border_->dim(outside.dims[a]));
      inputs_.push_back(graph_->add_input(label, type));
      body_inputs_.push_back({BodyInput::From::carried, next++});
    }
    for (size_t s = 0; s < parts_.slices.size(); ++s) {
      const LoopParts::Slice& slice = parts_.slices[s];
      const TensorType whole = outer_.value(slice.value).type;
      TensorType type{whole.dtype, {}};
      for (int a = 0; a < whole.dims.rank; ++a)
        if (a != slice.axis) type.dims.push_back(border_->dim(whole.dims[a]));
      inputs_.push_back(graph_->add_input(name("slice", s), type));
      body_inputs_.push_back({BodyInput::From::slice, static_cast<int32_t>(s)});
    }
    for (size_t k = 0; k < kept_.size(); ++k)
      if (kept_[k] != 0) inputs_[k + (parts_.iteration_rank >= 0 ? 1 : 0)] = border_->value(parts_.initial[k]);
  }

  Status compare_carried(bool* again) {
    for (size_t k = 0; k < parts_.initial.size(); ++k) {
      const ValueId in = inputs_[k + (parts_.iteration_rank >= 0 ? 1 : 0)], out = results_[first() + k];
      if (kept_[k] != 0) continue;
      if (in == out) {
        kept_[k] = 1;
        *again = true;
        continue;
      }
      const TensorType before = type_in(in), after = type_in(out);
      if (before.dtype != after.dtype)
        return error(Code::invalid_model, "{}: carried value {} is {} and becomes {}", node_.label(), k, dtype_name(before.dtype),
                     dtype_name(after.dtype));
      if (before.dims.rank != after.dims.rank)
        return unimplemented("{}: carried value {} has rank {} and gets rank {}; one rank is expected", node_.label(), k, before.dims.rank,
                             after.dims.rank);
      for (int a = 0; a < before.dims.rank; ++a) {
        if ((varies_[k] >> a & 1) != 0 || graph_->dims.provably_equal(before.dims[a], after.dims[a])) continue;
        varies_[k] |= uint32_t{1} << a;
        *again = true;
      }
    }
    return {};
  }

  // A body that always says yes is not asked.
  Status check_condition() {
    has_condition_ = parts_.has_condition;
    if (!has_condition_) return {};
    const Value& c = graph_->value(results_[0]);
    if (c.type.dtype != DType::boolean)
      return error(Code::invalid_model, "{}: the body's condition is {}; expected bool", node_.label(), dtype_name(c.type.dtype));
    for (Dim d : c.type.dims)
      if (!d.is(1))
        return error(Code::invalid_model, "{}: the body's condition has dims {}; expected one element", node_.label(),
                     graph_->dims.text(c.type.dims));
    if (Dim d; single_content(c, &d) && d.is_number() && d.number() != 0) {
      has_condition_ = false;
      results_.erase(results_.begin());
    }
    return {};
  }

  Result<std::vector<ValueId>> assemble() {
    Control& c = node_.control;
    c.has_condition = has_condition_;
    c.most_iterations = most_;
    if (parts_.count != kNoValue) c.count = node_.operand(parts_.count);
    if (parts_.condition != kNoValue) c.condition = node_.operand(parts_.condition);
    for (size_t k = 0; k < parts_.initial.size(); ++k) {
      if (kept_[k] != 0) continue;
      c.initial.push_back(node_.operand(parts_.initial[k]));
      TensorType type = outer_.value(parts_.initial[k]).type;
      for (int a = 0; a < type.dims.rank; ++a)
        if (varies_[k] >> a & 1) type.dims[a] = node_.find(a);
      node_.results.push_back(type);
    }
    for (const LoopParts::Slice& s : parts_.slices) c.slices.push_back({node_.operand(s.value), s.axis, s.reverse});
    c.stacks = parts_.stacks;
    for (size_t s = 0; s < parts_.stacks.size(); ++s) {
      const TensorType element = type_in(results_[(has_condition_ ? 1 : 0) + carried() + s]);
      if (element.dims.rank == kMaxRank)
        return unimplemented("{}: what it stacks has rank {}; at most {} is supported", node_.label(), kMaxRank, kMaxRank - 1);
      int axis = 0;
      if (Status bad = normalise_axis(parts_.stacks[s].axis, element.dims.rank + 1, "the axis of what it stacks", &axis); !bad.ok())
        return error(Code::invalid_model, "{}: {}", node_.label(), bad.message());
      c.stacks[s].axis = axis;
      if (c.stacks[s].declared.rank != element.dims.rank) c.stacks[s].declared = {};
      TensorType type{element.dtype, {}};
      for (int a = 0, from = 0; a <= element.dims.rank; ++a) {
        if (Dim d; a == axis) type.dims.push_back(known_ && !has_condition_ ? most_ : node_.find(a));
        else type.dims.push_back(border_->outside(element.dims[from++], &d) ? d : node_.find(a));
      }
      node_.results.push_back(type);
    }
    node_.add_body(graph_, *border_, body_inputs_);
    return node_.finish();
  }

  Graph& outer_;
  const LoopParts& parts_;
  const WriteBody& write_;
  Assembly node_;
  std::vector<uint32_t> varies_;  // by carried value: axes, as bits
  // By carried value: 1 if the body gives it back as it came. Then it is not carried, but read where it lies, as other values from
  // around the body are: what is a constant there, weights that exporters carry along, is one inside.
  std::vector<uint8_t> kept_;
  Dim most_;
  bool known_ = false, has_condition_ = false;
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<Border> border_;
  std::vector<ValueId> inputs_, results_;
  std::vector<BodyInput> body_inputs_;
};

}  // namespace

Result<std::vector<ValueId>> add_loop(Graph& outer, const LoopParts& parts, const WriteBody& body, const ControlName& name) {
  return LoopAssembly(outer, parts, body, name).run();
}

// --- operators of the host program's -----------------------------------------------------------------------------------

namespace {

// Dims that are not numbers, as the host program sees them: each a number below kUnknownDim.
class UnknownDims {
 public:
  explicit UnknownDims(DimPool& pool) : pool_(pool) {}
  int64_t number(Dim d) {
    const Dim simple = pool_.simplify(d);
    if (simple.is_number()) return simple.number();
    size_t i = 0;
    while (i < dims_.size() && !pool_.provably_equal(dims_[i], simple)) ++i;
    if (i == dims_.size()) dims_.push_back(simple);
    return kUnknownDim - 1 - static_cast<int64_t>(i);
  }
  const Dim* find(int64_t number) const {
    const int64_t i = kUnknownDim - 1 - number;
    return i >= 0 && i < static_cast<int64_t>(dims_.size()) ? &dims_[static_cast<size_t>(i)] : nullptr;
  }

 private:
  DimPool& pool_;
  std::vector<Dim> dims_;
};

}  // namespace

Result<std::vector<ValueId>> add_host_node(Graph& graph, std::shared_ptr<const HostNode> host, std::span<const ValueId> inputs,
                                           size_t outputs, const ControlName& name) {
  Assembly node(graph, name);
  node.control.kind = Control::Kind::host;
  UnknownDims unknown(graph.dims);
  std::vector<TensorView> in(inputs.size()), out(outputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    node.control.host_inputs.push_back(inputs[i] == kNoValue ? -1 : node.operand(inputs[i]));
    if (inputs[i] == kNoValue) continue;
    const TensorType type = graph.value(inputs[i]).type;
    in[i].dtype = type.dtype;
    for (const Dim d : type.dims) in[i].dims.push_back(unknown.number(d));
    if (const ConstantPtr& constant = graph.value(inputs[i]).constant) in[i].data = const_cast<void*>(constant->data());
  }
  ANYDIM_TRY(host->infer(in, out).at(node.label()));
  for (size_t i = 0; i < outputs; ++i) {
    TensorType type{out[i].dtype, {}};
    for (int a = 0; a < out[i].rank(); ++a) {
      const int64_t d = out[i].dims[a];
      const Dim* const known = unknown.find(d);
      if (d < kUnknownDim && known == nullptr)
        return error(Code::invalid_argument, "{}: its rule of shapes gives {} as dim {} of output {}, which stands for no dim of an input",
                     node.label(), d, a, i);
      type.dims.push_back(d >= 0 ? Dim(d) : known != nullptr ? *known : node.find(a));
    }
    node.results.push_back(type);
  }
  node.control.host = std::move(host);
  return node.finish();
}

}  // namespace anydim
