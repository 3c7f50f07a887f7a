// SPDX-License-Identifier: Apache-2.0
// Compiling a graph: passes, layouts, views, primitives with packed weights, and the arena's layout; see model.h.
#include "core/graph/model.h"

#include <malloc.h>

#include <algorithm>

#include "core/dispatch/registry.h"
#include "core/graph/node_types.h"
#include "core/graph/passes/in_place.h"
#include "core/graph/plan/reference_values.h"
#include "core/ops/transpose.h"

namespace anydim {

namespace {

// A kernel's wishes are asked before primitives exist: layouts come first, and copies that they need become nodes.
struct KernelChoice {
  const Kernel* kernel = nullptr;
  NodeTypes types;
};

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

Status Model::compile(Graph graph, const ModelOptions& options, std::shared_ptr<const Model>* out) {
  if (graph.outputs().empty()) return error(Code::invalid_model, "the graph has no outputs");
  auto model = std::make_shared<Model>();
  model->graph_ = std::move(graph);
  model->reuse_ = options.reuse;
  const bool rewrites = options.passes != PassSet::none;
  ANYDIM_TRY(run_passes(model->graph_, {options.passes, {}}));
  ANYDIM_TRY(model->choose_layouts(options));
  if (rewrites) {
    ANYDIM_TRY(elide(model->graph_, &model->storage_));
    work_in_place(model->graph_, &model->storage_);
  } else {
    place_apart(model->graph_, &model->storage_);
  }
  ANYDIM_TRY(model->make_primitives(options));
  ANYDIM_TRY(model->make_output_copies());
  model->keep_constants(options);
  model->describe_edges(options);
  model->lifetimes_ = lifetimes_of(model->graph_, model->storage_);
  model->program_ = SlotProgram(model->graph_.dims, model->dims_of_runs());
#ifdef __GLIBC__
  malloc_trim(0);  // what the passes freed, 5 MB of a 10 MB model, goes back to the system
#endif
  *out = std::move(model);
  return {};
}

std::vector<Dim> Model::dims_of_runs() const {
  std::vector<Dim> all;
  const auto add = [&](const SymDims& dims) { all.insert(all.end(), dims.begin(), dims.end()); };
  const auto add_value = [&](ValueId v) {
    if (v == kNoValue) return;
    const Placement& p = storage_.values[static_cast<size_t>(v)];
    add(graph_.value(v).type.dims);
    add(p.view.strides);
    all.push_back(p.view.offset);
  };
  for (const EdgeInfo& e : inputs_) add(e.dims);
  for (const EdgeInfo& e : outputs_) add(e.dims);
  for (const GraphOutput& o : graph_.outputs()) add_value(o.value);
  for (const ModelNode& n : nodes_) {
    std::for_each(n.operands.begin(), n.operands.end(), add_value);
    all.insert(all.end(), n.dim_attributes.begin(), n.dim_attributes.end());
  }
  for (const StorageBuffer& b : storage_.buffers) all.push_back(b.elements);
  for (const Guard& g : graph_.guards) all.push_back(g.condition);
  return all;
}

Status Model::choose_layouts(const ModelOptions& options) {
  std::map<NodeId, KernelChoice> choices;
  for (NodeId id : graph_.order()) {
    Node& n = graph_.node(id);
    if (n.mode == MathMode::strict) n.mode = options.mode;
    KernelChoice& c = choices[id];
    c.types = types_of(graph_, n);
    if (Status s = choose_kernel(c.types.problem(n), {}, &c.kernel); !s.ok()) return std::move(s).at(Graph::label(n));
  }
  const std::vector<int64_t> reference = reference_values(graph_.dims);
  LayoutWishes wishes;
  wishes.preferred = [&](const Node& n, bool output, int index) -> Perm {
    if (options.passes == PassSet::none) return {};
    const auto it = choices.find(n.id);
    return it == choices.end() ? Perm{} : it->second.kernel->preferred_order(it->second.types.problem(n), output, index);
  };
  wishes.inputs = options.input_layouts;
  wishes.outputs = options.output_layouts;
  wishes.reference = reference;
  return propagate_layouts(graph_, wishes);
}

Status Model::weights_for(const Node& n, const ModelOptions& options, WeightsPtr* out) {
  const OpKind kind = n.op->kind();
  if (kind != OpKind::convolution && kind != OpKind::conv_transpose && kind != OpKind::matmul) return {};
  const auto constant = [&](size_t i) -> const ConstantTensor* {
    return i < n.inputs.size() && n.inputs[i] != kNoValue ? graph_.value(n.inputs[i]).constant.get() : nullptr;
  };
  if (!constant(1) || constant(0)) return {};
  const bool has_bias = n.inputs.size() > 2 && n.inputs[2] != kNoValue;
  if (n.inputs.size() > 3 || (has_bias && !constant(2))) return {};
  // Two constants may be one range of a file: dims and dtype tell them apart.
  std::string form = describe(*n.op);
  for (size_t i = 1; i <= (has_bias ? 2 : 1); ++i)
    form += formatted(" {}[{}]", dtype_name(constant(i)->dtype()), to_string(constant(i)->dims()));
  WeightsPtr& known = packed_[{constant(1)->address(), has_bias ? constant(2)->address() : nullptr, std::move(form)}];
  if (!known) ANYDIM_TRY(pack(n, has_bias, options, &known));
  *out = known;
  return {};
}

Status Model::pack(const Node& n, bool has_bias, const ModelOptions& options, WeightsPtr* out) {
  const ConstantTensor& weights = *graph_.value(n.inputs[1]).constant;
  std::vector<TensorView> tensors{weights.view_of_address()};
  if (has_bias) tensors.push_back(graph_.value(n.inputs[2]).constant->view());
  LastReading reading(weights, tensors);
  if (options.packed) ANYDIM_TRY(options.packed->find(n.op, tensors, reading.source(), n.post_ops, n.mode, out));
  if (*out) {
    ++packed_counts_.mapped;
    packed_counts_.mapped_bytes += (*out)->bytes();
  } else {
    ANYDIM_TRY(Weights::create(n.op, tensors, n.post_ops, n.mode, {}, reading.packing(options.parallel), out));
  }
  ++packed_counts_.weights;
  weight_bytes_ += (*out)->bytes();
  saved_.push_back({out->get(), reading.source()});
  return {};
}

Status Model::make_node(const Node& n, const ModelOptions& options, ModelNode* out) {
  out->id = n.id;
  out->label = Graph::label(n);
  WeightsPtr weights;
  ANYDIM_TRY(weights_for(n, options, &weights));
  LocalTypes local = localise(graph_, n);
  PrimitiveAttributes attributes;
  attributes.post_ops = n.post_ops;
  attributes.mode = n.mode;
  attributes.reuse = options.reuse;
  std::vector<TensorType> in = local.in;
  if (weights) in.resize(1);
  ANYDIM_TRY(Primitive::create(local.op, {&local.pool, in, local.post_in}, attributes, weights, &out->primitive));
  out->inputs = static_cast<int32_t>(out->primitive->in().size());
  out->operands = n.inputs;
  out->operands.resize(static_cast<size_t>(out->inputs), kNoValue);
  out->outputs = static_cast<int32_t>(n.outputs.size());
  out->operands.insert(out->operands.end(), n.outputs.begin(), n.outputs.end());
  out->post = static_cast<int32_t>(n.post_inputs.size());
  out->operands.insert(out->operands.end(), n.post_inputs.begin(), n.post_inputs.end());
  out->dim_attributes.assign(n.op->dim_attributes().begin(), n.op->dim_attributes().end());
  return {};
}

Status Model::make_primitives(const ModelOptions& options) {
  const Parallel::Hot hot(options.parallel);
  drop_unused_constants();
  for (NodeId id : graph_.order()) {
    if (!storage_.executes[id]) continue;
    ModelNode node;
    if (Status s = make_node(graph_.node(id), options, &node); !s.ok()) return std::move(s).at(Graph::label(graph_.node(id)));
    drop_packed_constants(node);
    nodes_.push_back(std::move(node));
  }
  unpacked_uses_.clear();
  return {};
}

Status Model::make_output_copies() {
  for (const GraphOutput& o : graph_.outputs()) {
    const TensorType& type = graph_.value(o.value).type;
    auto op = Transpose::make(row_major(type.dims.rank));
    if (!op.ok()) return op.take_status();
    DimPool pool;
    TensorType local{type.dtype, {}};
    for (int i = 0; i < type.dims.rank; ++i) local.dims.push_back(pool.symbol(formatted("d{}", i)));
    PrimitivePtr copy;
    ANYDIM_TRY(Primitive::create(*op, {&pool, {&local, 1}, {}}, {}, nullptr, &copy));
    output_copies_.push_back(std::move(copy));
  }
  return {};
}

namespace {

// Of a node's operands: those in its packed weights, which a run does not read.
bool is_packed(const ModelNode& n, size_t operand) {
  return n.primitive->weights() && operand > 0 && operand < static_cast<size_t>(n.inputs);
}

}  // namespace

void Model::drop_unused_constants() {
  for (ValueId v = 0; v < graph_.value_count(); ++v)
    if (graph_.value(v).constant && graph_.uses(v) == 0) graph_.value(v).constant.reset();
}

void Model::drop_packed_constants(const ModelNode& n) {
  for (size_t k = 0; k < n.operands.size(); ++k) {
    if (n.operands[k] == kNoValue || !is_packed(n, k)) continue;
    const ValueId v = n.operands[k];
    if (--unpacked_uses_.try_emplace(v, graph_.uses(v)).first->second == 0) graph_.value(v).constant.reset();
  }
}

// The model file's bytes are not needed any more: what kernels read as it is gets a copy, packed weights have theirs.
void Model::keep_constants(const ModelOptions& options) {
  std::vector<bool> read(static_cast<size_t>(graph_.value_count()), false);
  for (const ModelNode& n : nodes_)
    for (size_t k = 0; k < n.operands.size(); ++k)
      if (n.operands[k] != kNoValue && !is_packed(n, k)) read[static_cast<size_t>(n.operands[k])] = true;
  std::map<std::pair<const std::byte*, int64_t>, ConstantPtr> kept;
  for (ValueId v = 0; v < graph_.value_count(); ++v) {
    ConstantPtr& c = graph_.value(v).constant;
    if (!c) continue;
    if (read[static_cast<size_t>(v)]) {
      // The same elements under other names or dims are held once.
      const auto [known, first] = kept.try_emplace({c->address(), c->bytes()});
      if (first) {
        known->second = ConstantTensor::kept(c, options.parallel);
        weight_bytes_ += c->bytes();
      }
      c = c->dims() == known->second->dims() ? known->second : ConstantTensor::reshaped(*known->second, c->dims());
    } else {
      c.reset();
    }
  }
}

void Model::describe_edges(const ModelOptions&) {
  const auto describe_edge = [&](const std::string& name, ValueId v) {
    const Value& value = graph_.value(v);
    EdgeInfo e{name, value.type.dtype, value.type.dims, {}, value.order};
    for (Dim d : e.dims) e.dim_text.push_back(graph_.dims.text(d));
    return e;
  };
  for (ValueId v : graph_.inputs()) inputs_.push_back(describe_edge(graph_.value(v).name, v));
  for (const GraphOutput& o : graph_.outputs()) outputs_.push_back(describe_edge(o.name, o.value));
}

// --- bounds --------------------------------------------------------------------------------------------------------

Status Model::check_bounds(const Bounds& bounds) const {
  if (bounds.size() != inputs_.size()) return invalid("bounds for {} inputs; the model has {}", bounds.size(), inputs_.size());
  for (size_t i = 0; i < bounds.size(); ++i) {
    const EdgeInfo& in = inputs_[i];
    const auto& b = bounds[i].dims;
    if (b.rank != in.dims.rank) return invalid("bounds of input '{}' have {} dims; the model expects {}", in.name, b.rank, in.dims.rank);
    for (int d = 0; d < b.rank; ++d) {
      if (b[d].min < 0 || b[d].min > b[d].max)
        return invalid("bounds of input '{}' dim {} are {}..{}; expected 0 <= min <= max", in.name, d, b[d].min, b[d].max);
      const Interval own = graph_.dims.interval(in.dims[d]);
      if (b[d].max < own.min || b[d].min > own.max)
        return error(Code::out_of_bounds, "bounds of input '{}' dim {} are {}..{}; the model allows {}..{}", in.name, d, b[d].min, b[d].max,
                     own.min, own.max);
    }
  }
  return {};
}

Status Model::plan_arena(const Bounds* bounds, int threads, ArenaPlan* out) const {
  for (size_t b = 0; b < storage_.buffers.size(); ++b)
    if (storage_.buffers[b].kind != BufferKind::input && lifetimes_.buffers[b].last >= lifetimes_.buffers[b].first)
      out->buffers.push_back(static_cast<int32_t>(b));
  std::vector<BufferLifetime> lifetimes;
  for (int32_t b : out->buffers) lifetimes.push_back(lifetimes_.buffers[static_cast<size_t>(b)]);
  std::vector<int64_t> bytes;

  // Largest dims at the bounds, or at the guess.
  DimPool pool;
  std::vector<int64_t> reference;
  if (bounds) {
    ANYDIM_TRY(check_bounds(*bounds));
    pool = graph_.dims;
    for (size_t i = 0; i < bounds->size(); ++i)
      for (int d = 0; d < inputs_[i].dims.rank; ++d) {
        const Dim dim = inputs_[i].dims[d];
        if (dim.is_number() || pool.expr(dim.expr()).op != DimOp::symbol) continue;
        DimPromise p = pool.expr(dim.expr()).promise;
        p.min = std::max(p.min, (*bounds)[i].dims[d].min);
        p.max = std::min(p.max, (*bounds)[i].dims[d].max);
        if (p.min > p.max)
          return invalid("bounds of input '{}' dim {} leave nothing for '{}'", inputs_[i].name, d,
                         inputs_[i].dim_text[static_cast<size_t>(d)]);
        pool.set_promise(dim.expr(), p);
      }
  } else {
    reference = reference_values(graph_.dims);
  }
  const auto largest = [&](Dim d) -> int64_t {
    return std::max<int64_t>(0, d.is_number() ? d.number() : bounds ? pool.interval(d).max : value_of(d, reference));
  };
  for (int32_t b : out->buffers) {
    const StorageBuffer& buffer = storage_.buffers[static_cast<size_t>(b)];
    const int64_t n = saturating_mul(largest(buffer.elements), dtype_size(buffer.dtype));
    if (bounds && n >= kMaxSize) {
      std::string name;
      for (ValueId v = 0; v < graph_.value_count() && name.empty(); ++v)
        if (storage_.values[static_cast<size_t>(v)].buffer == b) name = graph_.value(v).name;
      return error(Code::out_of_bounds, "the dims {} of '{}' have no bound within the given ones", graph_.dims.text(buffer.elements), name);
    }
    bytes.push_back(n);
  }
  constexpr int64_t kLittleScratch = 64 << 10;
  const size_t shared = bytes.size();
  const auto steps = static_cast<int32_t>(nodes_.size());
  lifetimes.push_back({0, std::max(steps - 1, 0)});
  bytes.push_back(0);
  std::vector<Dims> in, results;
  for (int32_t step = 0; step < steps; ++step) {
    const ModelNode& n = nodes_[static_cast<size_t>(step)];
    in.clear();
    results.clear();
    for (size_t k = 0; k < static_cast<size_t>(n.inputs + n.outputs); ++k) {
      Dims d;
      if (n.operands[k] != kNoValue)
        for (Dim s : graph_.value(n.operands[k]).type.dims) d.push_back(largest(s));
      (k < static_cast<size_t>(n.inputs) ? in : results).push_back(d);
    }
    const int64_t scratch = std::max<int64_t>(0, n.primitive->scratch_bound(in, results, threads));
    if (scratch <= kLittleScratch) {
      bytes[shared] = std::max(bytes[shared], scratch);
      out->scratch.push_back(0);
      continue;
    }
    out->scratch.push_back(static_cast<int32_t>(bytes.size() - shared));
    lifetimes.push_back({step, step});
    bytes.push_back(scratch);
  }
  out->plan = MemoryPlan(lifetimes, bytes);
  std::vector<BufferPlace> places(bytes.size());
  out->bytes = out->plan.place(bytes, places);
  return {};
}

Status Model::bytes_needed(const Bounds& bounds, int threads, int64_t* bytes) const {
  ArenaPlan plan;
  ANYDIM_TRY(plan_arena(&bounds, threads, &plan));
  *bytes = plan.bytes;
  return {};
}

}  // namespace anydim
