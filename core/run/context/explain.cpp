// SPDX-License-Identifier: Apache-2.0
// The report of a run, from the parts of its context; see explain.h.
#include "core/run/context/explain.h"

#include <algorithm>

#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/tuning/cost.h"
#include "core/program/edge_copies.h"
#include "core/program/moved_views.h"
#include "core/tensor/memory_order.h"

namespace anydim {

namespace {

NodeReport::Operand explain_operand(const Context& c, const TensorView& view, int32_t tensor, bool weights) {
  const Program& p = c.program();
  NodeReport::Operand o;
  if (tensor == Program::kNoTensor) return o;
  o.name = p.tensor(tensor).name;
  o.dtype = view.dtype;
  o.dims = view.dims;
  o.strides = view.strides;
  const int32_t b = p.tensor(tensor).buffer;
  if (weights || b < 0) {
    o.place = weights ? "weights" : "constant";
    return o;
  }
  const Program::Buffer& buffer = p.buffer(b);
  if (buffer.engine != 0) {
    o.place = formatted("{}+{}", p.engines[static_cast<size_t>(buffer.engine)]->kind(),
                        c.devices()->offset_of(tensor, c.binding().slots.values()));
    return o;
  }
  using Kind = Program::Buffer::Kind;
  if (buffer.kind == Kind::result) {
    o.place = "result of " + p.steps[static_cast<size_t>(buffer.index)].name;
    return o;
  }
  if (const Program::EdgeCopy* const gone = c.binding().left_out_at(b); gone != nullptr) {
    o.place = formatted("{} {}", gone->output ? "output" : "input", gone->edge);
    return o;
  }
  const bool outside =
      buffer.kind == Kind::input || (buffer.kind == Kind::output && c.caller().is_direct(static_cast<size_t>(buffer.index)));
  o.place = outside ? formatted("{} {}", buffer.kind == Kind::input ? "input" : "output", buffer.index)
                    : formatted("arena+{}", static_cast<std::byte*>(view.data) - c.binding().arena.data());
  return o;
}

// A copy into another order. One in the same order is no change of layout: a part of a concat.
bool changes_order_only(const Primitive& primitive, const Args& args) {
  const Perm* const axes = moved_axes(primitive);
  if (axes == nullptr) return false;
  TensorView from = args.out[0];
  for (int i = 0; i < from.rank(); ++i) from.strides[i] = args.in[0].strides[(*axes)[i]];
  return !(order_in_memory(from) == order_in_memory(args.out[0]));
}

// Does an input lie in another order than its part of the result?
bool orders_differ(const Args& args) {
  return std::any_of(args.in.begin(), args.in.end(), [&](const TensorView& in) {
    TensorView part = in;
    part.strides = args.out[0].strides;
    return in.count() > 0 && !(order_in_memory(in) == order_in_memory(part));
  });
}

NodeReport explain_step(const Context& c, size_t i, int depth) {
  const Program& p = c.program();
  const BoundStep& bound = c.binding().steps()[i];
  const Program::Step& step = p.steps[i];
  NodeReport r;
  r.name = step.name;
  r.onnx_type = step.type;
  r.depth = depth;
  r.ran = c.ran();
  r.engine = p.engines[static_cast<size_t>(step.engine)]->kind();
  const Primitive* const primitive = p.primitive(step);
  if (primitive != nullptr) {
    r.op = describe(primitive->op());
    r.kernel = primitive->kernel().name();
    r.tier = tier_name(bound.plan.specialised ? Tier::specialised : Tier::reusable);
    r.post_ops = describe(primitive->attributes().post_ops);
    Problem requested = primitive->problem();
    requested.mode = step.math;
    r.math = math_name(primitive->attributes().mode);
    r.math_requested = math_name(step.math);
    r.math_because = why_math(primitive->engine(), requested, primitive->attributes().mode);
  } else if (step.transfer() != nullptr) {
    r.op = "transfer";
  } else {
    r.op = r.kernel = name_of(p.controls[static_cast<size_t>(step.control()->control)].kind);
    r.tier = tier_name(Tier::reusable);
  }
  size_t next = 0;
  const auto list = [&](std::span<const TensorView> views, std::vector<NodeReport::Operand>* to) {
    for (const TensorView& view : views) {
      const bool weights = to == &r.inputs && p.is_packed(step, next);
      to->push_back(explain_operand(c, view, step.operands[next++], weights));
      r.bytes += view.count() * dtype_size(view.dtype);
    }
  };
  list(bound.args.in, &r.inputs);
  list(bound.args.out, &r.outputs);
  list(bound.args.post_in, &r.post_inputs);
  r.left_out = c.binding().leaves_out(i);
  if (r.left_out) r.bytes = 0;
  if (primitive != nullptr && changes_order_only(*primitive, bound.args)) r.layout_bytes = r.bytes;
  // What joins and changes the order in one pass would have been copied for the order alone.
  if (primitive != nullptr && r.layout_bytes == 0 && joins_only(*primitive, step.type))
    (orders_differ(bound.args) ? r.layout_bytes : r.concat_bytes) = r.bytes;
  r.scratch = bound.plan.scratch;
  r.nanoseconds = c.runner().nanoseconds(i);
  if (primitive != nullptr)
    for (const Candidate& candidate : primitive->candidates())
      r.candidates.push_back(
          {candidate.kernel->name(), candidate.because ? candidate.because : "",
           candidate.able && c.ran() ? expected_nanoseconds(primitive->engine(), *candidate.kernel, primitive->op(), bound.args) : -1});
  return r;
}

// `first_nodes`: of each step, and one more than the last.
std::vector<StageReport> explain_stages(const Context& c, int depth, std::span<const int32_t> first_nodes) {
  const Program& p = c.program();
  const ShapeSlots& slots = c.binding().slots;
  std::vector<StageReport> stages;
  for (size_t s = 0; s < p.stages.size() && c.ran(); ++s) {
    const Program::Stage& stage = p.stages[s];
    StageReport r{depth, first_nodes[static_cast<size_t>(stage.first)], first_nodes[static_cast<size_t>(stage.last)], {}};
    for (size_t k = 0; k < stage.reads.size(); ++k) {
      const Program::SizeRead& read = stage.reads[k];
      r.reads.push_back(
          {p.dims.text(read.symbol), p.tensor(read.tensor).name, read.element, slots.size(s, k), value_of(read.most, slots.values())});
    }
    stages.push_back(std::move(r));
  }
  return stages;
}

void explain_nodes(Context& c, int depth, RunReport* out) {
  const Program& p = c.program();
  out->views += p.views;
  const size_t stages_before = out->stages.size();
  std::vector<int32_t> first_nodes;  // by step: bodies follow theirs
  for (size_t i = 0; i < p.steps.size(); ++i) {
    first_nodes.push_back(static_cast<int32_t>(out->nodes.size()));
    out->nodes.push_back(explain_step(c, i, depth));
    if (c.ran()) out->layout_bytes += out->nodes.back().layout_bytes;
    if (c.ran()) out->concat_bytes += out->nodes.back().concat_bytes;
    const Program::Step& step = p.steps[i];
    if (step.control() == nullptr) continue;
    for (const auto& body : c.controls()[static_cast<size_t>(step.control()->control)]->bodies()) explain_nodes(*body, depth + 1, out);
  }
  first_nodes.push_back(static_cast<int32_t>(out->nodes.size()));
  const std::vector<StageReport> stages = explain_stages(c, depth, first_nodes);
  out->stages.insert(out->stages.begin() + static_cast<ptrdiff_t>(stages_before), stages.begin(), stages.end());
}

void explain_groups(const Context& c, std::span<NodeReport> nodes) {
  const GroupRunner* const groups = c.binding().groups();
  if (groups == nullptr) return;
  int number = 0;
  std::vector<size_t> node_of;  // by step: those of bodies stand between them
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].depth == 0) node_of.push_back(i);
  for (size_t g = 0; g < groups->size(); ++g) {
    if (!groups->is_chosen(g)) continue;
    for (int32_t step = groups->group(g).first; step <= groups->group(g).last; ++step)
      nodes[node_of[static_cast<size_t>(step)]].group = number;
    ++number;
  }
}

}  // namespace

Status explain(Context& context, RunReport* out) {
  const ContextUse use = context.use();
  ANYDIM_TRY(use.status());
  if (!context.ran()) return invalid("nothing has been run in this context; explain describes the last run");

  context.restore_slots();
  const Program& p = context.program();
  *out = {};
  out->engine = p.engine()->kind();
  out->instruction_set = p.engine()->identity().instruction_set;
  out->arena_bytes = context.arena_bytes();
  out->used_bytes = context.used_bytes();
  out->weight_bytes = p.weight_bytes;
  out->growth_events = context.growth_events();
  out->pages = context.pages();
  out->page_costs = PageCosts::instance().figures();
  out->bind_nanoseconds = context.bind_nanoseconds();
  out->policy = policy_name(context.policy().policy);
  out->policy_source = policy_source_name(context.policy().source);
  out->layout_bytes = context.copied_output_bytes();
  out->gathered_bytes = context.gathered_bytes();
  explain_nodes(context, 0, out);
  explain_groups(context, out->nodes);
  return {};
}

}  // namespace anydim
