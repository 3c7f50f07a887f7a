// SPDX-License-Identifier: Apache-2.0
// Compiling a graph; see compile.h. Until its last step the program speaks of the graph's values by their ids.
#include "core/graph/compile.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/dispatch/counters.h"
#include "core/dispatch/registry.h"
#include "core/graph/constant_packer.h"
#include "core/graph/control_flow.h"
#include "core/graph/device_constants.h"
#include "core/graph/node_types.h"
#include "core/graph/passes/elision.h"
#include "core/graph/passes/in_place.h"
#include "core/graph/plan/lifetimes.h"
#include "core/graph/possible.h"
#include "core/ops/transpose.h"
#include "core/program/reference_values.h"
#include "core/program/transfers.h"

namespace anydim {

namespace {

// A kernel's wishes are asked before primitives exist: layouts come first, and copies that they need become nodes.
struct KernelChoice {
  const Kernel* kernel = nullptr;
  NodeTypes types;
};

// What a graph and the bodies in it share, and where in them one is: "loop_2/", or nothing.
struct CompileScope {
  ConstantPacker::SharedConstants& shared;
  std::string path;
  bool is_body = false;
};

Status compile_within(Graph graph, const CompileOptions& options, const CompileScope& scope, ProgramPtr* out);

class Compiler {
 public:
  Compiler(Graph graph, const CompileOptions& options, const CompileScope& scope)
      : graph_(std::move(graph)), options_(options), passes_(options.passes), scope_(scope) {}

  Status run() {
    if (graph_.outputs().empty()) return error(Code::invalid_model, "the graph has no outputs");
    set_modes(graph_, scope_.path, options_.layer_modes, options_.mode);
    ANYDIM_TRY(resolve_passes());
    ANYDIM_TRY(
        run_passes(graph_, {.set = passes_, .phase = PassOptions::Phase::neutral, .is_body = scope_.is_body, .engines = options_.devices}));
    ANYDIM_TRY(place_nodes());
    ANYDIM_TRY(
        run_passes(graph_, {.set = passes_, .phase = PassOptions::Phase::engines, .is_body = scope_.is_body, .engines = program_.engines}));
    ANYDIM_TRY(choose_layouts());
    if (passes_ != PassSet::none) {
      ANYDIM_TRY(elide(graph_, &storage_));
      order_by_stages();
      work_in_place(graph_, &storage_);
    } else {
      place_apart(graph_, &storage_);
      order_by_stages();
    }
    ANYDIM_TRY(make_steps());
    ANYDIM_TRY(make_output_copies());
    DeviceConstants device_constants;
    ANYDIM_TRY(copy_to_devices(graph_, program_, operands_, &device_constants));
    constants_.keep(program_.steps, operands_);
    write_edges();
    write_buffers();
    write_tensors();
    for (const auto& [v, memory] : device_constants)
      program_.tensors[static_cast<size_t>(tensor_of_[static_cast<size_t>(v)])].device_constant = memory;
    write_stages();
    write_input_elements();
    for (const Parameter& p : graph_.parameters()) program_.parameters.push_back(p.symbol);
    program_.views = static_cast<int32_t>(graph_.order().size() - program_.steps.size());
    program_.reuse = options_.reuse;
    program_.metadata = std::move(graph_.metadata);
    program_.dims = std::move(graph_.dims);
    if (!program_.host_only()) {
      keep_results(&program_);
      keep_sources(&program_);
    }
    write_code();
    return {};
  }

  Program& program() { return program_; }

 private:
  Status resolve_passes();
  Status place_nodes();
  void drop_idle_engines();
  Status choose_layouts();
  void order_by_stages();
  Status make_steps();
  Status make_step(const Node& node, Program::Step* step, std::vector<ValueId>* operands);
  Status make_control(const Node& node, Program::Step* step, std::vector<ValueId>* operands);
  Status compile_body(const Node& node, size_t body, Control* control);
  Status make_copy(const TensorType& type, PrimitivePtr* copy);
  Status make_output_copies();
  Status make_transfer(const Node& node, Program::Step* step, std::vector<ValueId>* operands);
  int32_t add_primitive(PrimitivePtr p) {
    program_.primitives.push_back(std::move(p));
    return static_cast<int32_t>(program_.primitives.size()) - 1;
  }
  const Engine& engine_of(const Node& n) const { return *program_.engines[static_cast<size_t>(n.engine)]; }
  void write_edges();
  void write_buffers();
  void write_tensors();
  void write_stages();
  void write_input_elements();
  void write_code();
  std::string in_path(const std::string& label) const { return scope_.path + label; }

  Graph graph_;
  const CompileOptions& options_;
  PassSet passes_;
  Storage storage_;
  Program program_;
  const CompileScope& scope_;
  ConstantPacker constants_{graph_, options_, program_, scope_.shared};
  std::vector<std::vector<ValueId>> operands_;  // by step
  std::vector<int32_t> stages_;                 // by node
  std::vector<int32_t> tensor_of_;              // by value
  std::map<NodeId, int32_t> controls_;          // the steps of branches and loops
};

// A model that no dims can satisfy is refused. A body that none can satisfy may never be run: it stays as it is written, and a run that
// comes to it ends at its guards.
Status Compiler::resolve_passes() {
  Status s = check_possible(graph_);
  if (s.ok() || !scope_.is_body) return s;
  passes_ = PassSet::none;
  return {};
}

Status Compiler::place_nodes() {
  program_.engines = {options_.engine};
  program_.engines.insert(program_.engines.end(), options_.devices.begin(), options_.devices.end());
  for (size_t e = 0; e < program_.engines.size(); ++e)
    if (program_.engines[e]->is_host() != (e == 0))
      return e == 0 ? invalid("engine {} cannot be the host's; expected one whose memory is the process's", program_.engines[e]->kind())
                    : invalid("device {} is of engine {}, which is the host's; it is there without being named", e - 1,
                              program_.engines[e]->kind());
  if (program_.host_only()) return {};
  ANYDIM_TRY(partition(graph_, {program_.engines, options_.smallest_island, options_.choose_engine, options_.devices_behind_host}));
  drop_idle_engines();
  return {};
}

// Engines without a node: a program does not know them.
void Compiler::drop_idle_engines() {
  std::vector<int32_t> now(program_.engines.size(), 0);  // by engine: its new number, where it has a node
  for (NodeId id : graph_.order()) now[static_cast<size_t>(graph_.node(id).engine)] = 1;
  std::vector<EnginePtr> used{program_.engines.front()};
  now[0] = 0;
  for (size_t e = 1; e < now.size(); ++e) {
    if (now[e] == 0) continue;
    now[e] = static_cast<int32_t>(used.size());
    used.push_back(program_.engines[e]);
  }
  for (NodeId id : graph_.order()) {
    Node& n = graph_.node(id);
    n.engine = now[static_cast<size_t>(n.engine)];
  }
  program_.engines = std::move(used);
}

Status Compiler::choose_layouts() {
  std::map<NodeId, KernelChoice> choices;
  const auto on_device = [&](NodeId id) {
    const Node& n = graph_.node(id);
    return n.engine != 0 && n.op->kind() != kControlFlow && !n.transfer;
  };
  count(Counter::kernels_to_prepare, std::count_if(graph_.order().begin(), graph_.order().end(), on_device));
  for (NodeId id : graph_.order()) {
    Node& n = graph_.node(id);
    if (n.op->kind() == kControlFlow || n.transfer) continue;
    KernelChoice& c = choices[id];
    c.types = types_of(graph_, n);
    ExecutablePtr executable;  // steps get it from the engine again
    if (Status s = choose_prepared(engine_of(n), c.types.problem(n), {}, &c.kernel, &executable); !s.ok())
      return std::move(s).at(in_path(Graph::label(n))).in_node(in_path(n.name));
    if (n.engine != 0) count(Counter::kernels_prepared);
    n.requested = std::exchange(n.mode, c.kernel->key().mode);
  }
  const std::vector<int64_t> reference = reference_values(graph_.dims);
  LayoutWishes wishes;
  wishes.preferred = [&](const Node& n, bool output, int index) -> Perm {
    if (passes_ == PassSet::none) return {};
    const auto it = choices.find(n.id);
    return it == choices.end() ? Perm{} : it->second.kernel->preferred_order(it->second.types.problem(n), output, index);
  };
  wishes.inputs = options_.input_layouts;
  wishes.outputs = options_.output_layouts;
  // Axes that a run may leave out come first in memory.
  for (size_t i = 0; i < std::min(wishes.outputs.size(), graph_.outputs().size()); ++i)
    if (!graph_.outputs()[i].rank.is(-1)) wishes.outputs[i] = {};
  wishes.reference = reference;
  return propagate_layouts(graph_, wishes);
}

// What a stage begins with is there when all of the stage before has run. An operand is never of a later stage than its reader, so
// the order stays topological.
void Compiler::order_by_stages() {
  stages_ = graph_.stages();
  if (graph_.size_reads().empty()) return;
  // A copy into a concat's memory waits for that, although its own size is known before.
  for (NodeId id : graph_.order())
    for (ValueId v : graph_.node(id).outputs) {
      const int32_t buffer = v == kNoValue ? -1 : storage_.values[static_cast<size_t>(v)].buffer;
      int32_t& stage = stages_[static_cast<size_t>(id)];
      if (buffer >= 0 && storage_.buffers[static_cast<size_t>(buffer)].kind != BufferKind::result)
        stage = std::max(stage, graph_.stage(storage_.buffers[static_cast<size_t>(buffer)].elements));
    }
  std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeId a, NodeId b) { return stages_[static_cast<size_t>(a)] < stages_[static_cast<size_t>(b)]; });
  graph_.set_order(std::move(order));
}

Status Compiler::make_steps() {
  const Parallel::Hot hot(options_.parallel);
  constants_.drop_unused();
  for (NodeId id : graph_.order()) {
    if (!storage_.executes[id]) continue;
    const Node& n = graph_.node(id);
    Program::Step step;
    std::vector<ValueId> operands;
    if (n.op->kind() == kControlFlow) {
      controls_[id] = static_cast<int32_t>(program_.steps.size());
      ANYDIM_TRY(make_control(n, &step, &operands));
    } else if (Status s = n.transfer ? make_transfer(n, &step, &operands) : make_step(n, &step, &operands); !s.ok()) {
      return std::move(s).at(in_path(Graph::label(n))).in_node(in_path(n.name));
    }
    constants_.drop_packed(step, operands);
    program_.stages.resize(std::max(program_.stages.size(), static_cast<size_t>(stages_[static_cast<size_t>(id)]) + 1));
    program_.stages.back().last = static_cast<int32_t>(program_.steps.size()) + 1;
    program_.steps.push_back(std::move(step));
    operands_.push_back(std::move(operands));
  }
  return {};
}

Status Compiler::make_step(const Node& n, Program::Step* step, std::vector<ValueId>* operands) {
  step->engine = n.engine;
  step->name = in_path(n.name);
  step->type = n.onnx_type;
  step->label = in_path(Graph::label(n));
  step->math = n.requested;
  const NodeTypes types = types_of(graph_, n);
  WeightsPtr weights;
  ANYDIM_TRY(constants_.weights_for(n, types.problem(n), &weights));
  LocalTypes local = localise(graph_, n);
  PrimitiveAttributes attributes;
  attributes.post_ops = n.post_ops;
  attributes.mode = n.mode;
  attributes.quantization = n.quantization;
  attributes.reuse = options_.reuse;
  std::vector<TensorType> in;
  for (size_t i = 0; i < local.in.size(); ++i)
    if (!weights || !weights->holds(i)) in.push_back(local.in[i]);
  PrimitivePtr primitive;
  ANYDIM_TRY(Primitive::create(program_.engines[static_cast<size_t>(n.engine)], local.op, {&local.pool, in, local.post_in, types.constant},
                               attributes, weights, &primitive));
  step->inputs = static_cast<int32_t>(primitive->in().size());
  step->work = Program::Step::RunKernel{add_primitive(std::move(primitive))};
  *operands = n.inputs;
  operands->resize(static_cast<size_t>(step->inputs), kNoValue);
  step->outputs = static_cast<int32_t>(n.outputs.size());
  operands->insert(operands->end(), n.outputs.begin(), n.outputs.end());
  step->post = static_cast<int32_t>(n.post_inputs.size());
  operands->insert(operands->end(), n.post_inputs.begin(), n.post_inputs.end());
  step->dim_attributes.assign(n.op->dim_attributes().begin(), n.op->dim_attributes().end());
  return {};
}

Status Compiler::make_control(const Node& n, Program::Step* step, std::vector<ValueId>* operands) {
  const auto& flow = static_cast<const ControlFlow&>(*n.op);
  step->name = in_path(n.name);
  step->type = n.onnx_type;
  step->label = in_path(Graph::label(n));
  step->work = Program::Step::RunControl{static_cast<int32_t>(program_.controls.size())};
  step->inputs = static_cast<int32_t>(n.inputs.size());
  step->outputs = static_cast<int32_t>(n.outputs.size());
  step->dim_attributes.assign(flow.dim_attributes().begin(), flow.dim_attributes().end());
  *operands = n.inputs;
  operands->insert(operands->end(), n.outputs.begin(), n.outputs.end());
  Control control = flow.control();
  for (size_t b = 0; b < control.bodies.size(); ++b) ANYDIM_TRY(compile_body(n, b, &control));
  program_.controls.push_back(std::move(control));
  return {};
}

// What passes made a constant of since the body was written is one in the body, too.
Status Compiler::compile_body(const Node& n, size_t index, Control* control) {
  Graph graph = static_cast<const ControlFlow&>(*n.op).body(index);
  Body& body = control->bodies[index];
  for (size_t i = body.inputs.size(); i-- > 0;) {
    if (body.inputs[i].from != BodyInput::From::operand) continue;
    const ConstantPtr& constant = graph_.value(n.inputs[static_cast<size_t>(body.inputs[i].index)]).constant;
    if (!constant) continue;
    graph.fix_input(i, constant);
    body.inputs.erase(body.inputs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  CompileOptions options = options_;
  options.input_layouts.clear();
  options.output_layouts.clear();
  options.devices.clear();  // branches and loops are the host's
  options.choose_engine = nullptr;
  ANYDIM_TRY(compile_within(std::move(graph), options, {scope_.shared, in_path(n.name) + "/", true}, &body.program));
  const Program& p = *body.program;
  program_.packed.insert(program_.packed.end(), p.packed.begin(), p.packed.end());
  program_.packed_counts.weights += p.packed_counts.weights;
  program_.packed_counts.mapped += p.packed_counts.mapped;
  program_.packed_counts.mapped_bytes += p.packed_counts.mapped_bytes;
  program_.weight_bytes += p.weight_bytes;
  return {};
}

// Of the host, for any dims and strides.
Status Compiler::make_copy(const TensorType& type, PrimitivePtr* copy) {
  auto op = Transpose::make(row_major(type.dims.rank));
  if (!op.ok()) return op.take_status();
  DimPool pool;
  TensorType local{type.dtype, {}};
  for (int i = 0; i < type.dims.rank; ++i) local.dims.push_back(pool.symbol(formatted("d{}", i)));
  return Primitive::create(options_.engine, *op, {&pool, {&local, 1}, {}}, {}, nullptr, copy);
}

Status Compiler::make_output_copies() {
  for (const GraphOutput& o : graph_.outputs()) ANYDIM_TRY(make_copy(graph_.value(o.value).type, &program_.output_copies.emplace_back()));
  return {};
}

Status Compiler::make_transfer(const Node& n, Program::Step* step, std::vector<ValueId>* operands) {
  const int32_t from = graph_.engine_of(n.inputs[0]);
  const auto kind = [&](int32_t engine) { return program_.engines[static_cast<size_t>(engine)]->kind(); };
  Program::Step::Transfer transfer;
  step->engine = std::max(from, n.engine);
  step->name = graph_.value(n.inputs[0]).name;
  step->type = n.onnx_type;
  step->label = formatted("{} ({} to {})", step->name, kind(from), kind(n.engine));
  if (graph_.value(n.inputs[0]).input >= 0) {
    PrimitivePtr dense;
    ANYDIM_TRY(make_copy(graph_.value(n.inputs[0]).type, &dense));
    transfer.dense = add_primitive(std::move(dense));
  }
  step->work = transfer;
  step->inputs = step->outputs = 1;
  *operands = {n.inputs[0], n.outputs[0]};
  return {};
}

// --- the program's own words -----------------------------------------------------------------------------------------

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
  }
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const GraphOutput& o = graph_.outputs()[i];
    Program::IoSpec& e = program_.outputs.emplace_back(edge(o.name, o.value));
    const CacheEdge& cache = storage_.caches[i];
    e.cache = cache.input;
    e.cache_axis = cache.axis;
    e.room = cache.room;
    e.behind = cache.behind;
    if (o.rank.is(-1)) continue;
    e.rank = o.rank;
    e.optional = e.dims.rank - static_cast<int32_t>(graph_.dims.interval(o.rank).min);
    for (int a = 0; a < e.optional; ++a) e.dim_text[static_cast<size_t>(a)] += " or none";
  }
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
    if (lifetimes.buffers[b].last >= lifetimes.buffers[b].first) program_.buffers.back().stage = stage_at(lifetimes.buffers[b].first);
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

// Those that no size of a run is made of may change without binding anything anew.
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

// The code of a stage begins with what it needs of the stages before, again: a few operations on numbers.
void Compiler::write_code() {
  std::vector<std::vector<Dim>> roots(program_.stages.size());
  for (Dim d : dims_of_runs(program_)) roots[static_cast<size_t>(program_.stage_of(d))].push_back(d);
  for (size_t s = 0; s < roots.size(); ++s) program_.stages[s].code = SlotProgram(program_.dims, roots[s]);
}

Status compile_within(Graph graph, const CompileOptions& options, const CompileScope& scope, ProgramPtr* out) {
  Compiler compiler(std::move(graph), options, scope);
  ANYDIM_TRY(compiler.run());
  *out = std::make_shared<const Program>(std::move(compiler.program()));
  return {};
}

}  // namespace

Status compile(Graph graph, const CompileOptions& options, ProgramPtr* out) {
  ANYDIM_TRY(check_layers(graph, options.layer_modes));
  {
    ConstantPacker::SharedConstants shared;
    ANYDIM_TRY(compile_within(std::move(graph), options, {shared, {}}, out));
  }
#ifdef __GLIBC__
  malloc_trim(0);  // what the passes and the graph freed, 5 MB of a 10 MB model, goes back to the system
#endif
  return {};
}

}  // namespace anydim
