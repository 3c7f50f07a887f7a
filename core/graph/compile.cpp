// SPDX-License-Identifier: Apache-2.0
// Compiling a graph; see compile.h. Until its last step the program speaks of the graph's values by their ids.
#include "core/graph/compile.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "core/dispatch/observe/counters.h"
#include "core/dispatch/primitive/registry.h"
#include "core/graph/compiler.h"
#include "core/graph/constant_budget.h"
#include "core/graph/control_flow.h"
#include "core/graph/device_constants.h"
#include "core/graph/passes/elision.h"
#include "core/graph/passes/follow_inputs.h"
#include "core/graph/passes/in_place.h"
#include "core/graph/possible.h"
#include "core/ops/operators/transpose.h"
#include "core/program/edge_copies.h"
#include "core/program/reference_values.h"
#include "core/program/transfers.h"

namespace anydim {

Status Compiler::run() {
  if (graph_.outputs().empty()) return error(Code::invalid_model, "the graph has no outputs");
  set_modes(graph_, scope_.path, options_.layer_modes, options_.mode);
  ANYDIM_TRY(resolve_passes());
  graph_.drop_dead();  // constants that only the importer read
  ANYDIM_TRY(
      run_passes(graph_, {.set = passes_, .phase = PassOptions::Phase::neutral, .is_body = scope_.is_body, .engines = options_.devices}));
  graph_.drop_dead();
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
  if (passes_ != PassSet::none && !scope_.is_body) find_edge_copies(&program_, orders_without_copies());
  for (const Parameter& p : graph_.parameters()) program_.parameters.push_back(p.symbol);
  program_.views = static_cast<int32_t>(graph_.order().size() - program_.steps.size());
  program_.reuse = options_.reuse;
  program_.metadata = std::move(graph_.metadata);
  program_.dims = std::move(graph_.dims);
  if (!program_.host_only()) {
    keep_results(&program_);
    keep_sources(&program_);
  }
  write_code(&program_);
  return {};
}

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

// Once for a node, and in the mode that it comes down to.
Status Compiler::choose_kernel(const NodeTypes& types, Node* n) {
  if (n->kernel != nullptr) return {};
  KernelChoice choice;
  ANYDIM_TRY(choose_prepared(engine_of(*n), types.problem(*n), {}, &choice));
  n->kernel = choice.kernel;
  n->executable = std::move(choice.executable);
  n->prepare_nanoseconds = choice.nanoseconds;
  n->requested = std::exchange(n->mode, n->kernel->key().mode);
  return {};
}

// Layouts come first and follow the kernels' preferences; copies that they need become nodes.
Status Compiler::choose_layouts() {
  const auto has_kernel = [](const Node& n) { return n.op->kind() != kControlFlow && !n.transfer; };
  const auto on_device = [&](NodeId id) { return graph_.node(id).engine != 0 && has_kernel(graph_.node(id)); };
  count(Counter::kernels_to_prepare, std::count_if(graph_.order().begin(), graph_.order().end(), on_device));
  std::vector<NodeTypes> types(static_cast<size_t>(graph_.node_capacity()));
  for (NodeId id : graph_.order()) {
    Node& n = graph_.node(id);
    if (!has_kernel(n)) continue;
    types[static_cast<size_t>(id)] = types_of(graph_, n);
    if (Status s = choose_kernel(types[static_cast<size_t>(id)], &n); !s.ok())
      return std::move(s).at(in_path(Graph::label(n))).in_node(in_path(n.name));
    if (n.engine != 0) count(Counter::kernels_prepared);
  }
  const std::vector<int64_t> reference = reference_values(graph_.dims);
  LayoutRequests requests;
  requests.preferred = [&](const Node& n, bool output, int index) -> Perm {
    if (passes_ == PassSet::none || n.kernel == nullptr) return {};
    return n.kernel->preferred_order(types[static_cast<size_t>(n.id)].problem(n), output, index);
  };
  requests.inputs = options_.input_layouts;
  requests.outputs = options_.output_layouts;
  // Axes that a run may leave out come first in memory.
  for (size_t i = 0; i < std::min(requests.outputs.size(), graph_.outputs().size()); ++i)
    if (!graph_.outputs()[i].rank.is(-1)) requests.outputs[i] = {};
  requests.reference = reference;
  ANYDIM_TRY(propagate_layouts(graph_, requests));
  // A program that is written out knows no strides of a run.
  if (passes_ != PassSet::none && program_.host_only() && !scope_.is_body && !options_.unpacked) follow_inputs(graph_, requests);
  return {};
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
    Node& n = graph_.node(id);
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

Status Compiler::make_step(Node& n, Program::Step* step, std::vector<ValueId>* operands) {
  step->engine = n.engine;
  step->name = in_path(n.name);
  step->type = n.onnx_type;
  step->label = in_path(Graph::label(n));
  const NodeTypes types = types_of(graph_, n);
  ANYDIM_TRY(choose_kernel(types, &n));  // a copy that layouts need has none yet
  step->math = n.requested;
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
                               attributes, weights, &primitive, {n.kernel, std::move(n.executable), n.prepare_nanoseconds}));
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
  graph.constant_budget = graph_.constant_budget;
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

Status compile_within(Graph graph, const CompileOptions& options, const CompileScope& scope, ProgramPtr* out) {
  Compiler compiler(std::move(graph), options, scope);
  ANYDIM_TRY(compiler.run());
  *out = std::make_shared<const Program>(std::move(compiler.program()));
  return {};
}

Status compile(Graph graph, const CompileOptions& options, ProgramPtr* out) {
  ANYDIM_TRY(check_layers(graph, options.layer_modes));
  budget_of(graph);  // before bodies get theirs
  {
    ConstantPacker::SharedConstants shared;
    ANYDIM_TRY(compile_within(std::move(graph), options, {shared, {}}, out));
  }
  give_back_freed_memory();
  return {};
}

void give_back_freed_memory() noexcept {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace anydim
