// SPDX-License-Identifier: Apache-2.0
// What the last run did, node by node, as data: Context::explain. Printing it is the C API's and the program's business.
#include "core/dispatch/tuning/cost.h"
#include "core/dispatch/primitive/registry.h"
#include "core/run/context/context.h"
#include "core/run/context/context_use.h"
#include "core/run/context/device_context.h"

namespace anydim {

Status Context::explain(RunReport* out) {
  const ContextUse use(busy_);
  ANYDIM_TRY(use.status());
  if (!ran_) return invalid("nothing has been run in this context; explain describes the last run");

  *out = {};
  out->engine = program_->engine()->kind();
  out->instruction_set = program_->engine()->identity().instruction_set;
  out->arena_bytes = arena_bytes();
  out->used_bytes = used_bytes_;
  out->weight_bytes = program_->weight_bytes;
  out->growth_events = growth_events();
  out->pages = pages();
  out->page_costs = PageCosts::instance().figures();
  out->bind_nanoseconds = bind_nanoseconds_;
  out->policy = policy_name(policy_.policy);
  out->policy_source = policy_source_name(policy_.source);
  explain_nodes(0, out);
  return {};
}

NodeReport::Operand Context::explain_operand(const TensorView& view, int32_t tensor, bool weights) const {
  const Program& p = *program_;
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
    o.place = formatted("{}+{}", p.engines[static_cast<size_t>(buffer.engine)]->kind(), devices_->offset_of(tensor, slots_));
    return o;
  }
  using Kind = Program::Buffer::Kind;
  if (buffer.kind == Kind::result) {
    o.place = "result of " + p.steps[static_cast<size_t>(buffer.index)].name;
    return o;
  }
  const bool outside = buffer.kind == Kind::input || (buffer.kind == Kind::output && output_direct_[static_cast<size_t>(buffer.index)]);
  o.place = outside ? formatted("{} {}", buffer.kind == Kind::input ? "input" : "output", buffer.index)
                    : formatted("arena+{}", static_cast<std::byte*>(view.data) - arena_.data());
  return o;
}

NodeReport Context::explain_step(size_t i, int depth) const {
  const Program& p = *program_;
  const Program::Step& step = p.steps[i];
  NodeReport r;
  r.name = step.name;
  r.onnx_type = step.type;
  r.depth = depth;
  r.ran = ran_;
  r.engine = p.engines[static_cast<size_t>(step.engine)]->kind();
  const Primitive* const primitive = p.primitive(step);
  if (primitive != nullptr) {
    r.op = describe(primitive->op());
    r.kernel = primitive->kernel().name();
    r.tier = tier_name(steps_[i].plan.specialised ? Tier::specialised : Tier::reusable);
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
      to->push_back(explain_operand(view, step.operands[next++], weights));
      r.bytes += view.count() * dtype_size(view.dtype);
    }
  };
  list(steps_[i].args.in, &r.inputs);
  list(steps_[i].args.out, &r.outputs);
  list(steps_[i].args.post_in, &r.post_inputs);
  r.scratch = steps_[i].plan.scratch;
  r.nanoseconds = nanoseconds_[i];
  if (primitive != nullptr)
    for (const Candidate& c : primitive->candidates())
      r.candidates.push_back({c.kernel->name(), c.because ? c.because : "",
                              c.able && ran_ ? expected_nanoseconds(primitive->engine(), *c.kernel, primitive->op(), steps_[i].args) : -1});
  return r;
}

std::vector<StageReport> Context::explain_stages(int depth, std::span<const int32_t> first_nodes) const {
  const Program& p = *program_;
  std::vector<StageReport> stages;
  for (size_t s = 0; s < p.stages.size() && ran_; ++s) {
    const Program::Stage& stage = p.stages[s];
    StageReport r{depth, first_nodes[static_cast<size_t>(stage.first)], first_nodes[static_cast<size_t>(stage.last)], {}};
    for (size_t k = 0; k < stage.reads.size(); ++k) {
      const Program::SizeRead& read = stage.reads[k];
      r.reads.push_back(
          {p.dims.text(read.symbol), p.tensor(read.tensor).name, read.element, stages_[s].sizes[k], value_of(read.most, slots_)});
    }
    stages.push_back(std::move(r));
  }
  return stages;
}

void Context::explain_nodes(int depth, RunReport* out) {
  const Program& p = *program_;
  out->views += p.views;
  const size_t stages_before = out->stages.size();
  std::vector<int32_t> first_nodes;  // by step: bodies follow theirs
  for (size_t i = 0; i < steps_.size(); ++i) {
    first_nodes.push_back(static_cast<int32_t>(out->nodes.size()));
    out->nodes.push_back(explain_step(i, depth));
    const Program::Step& step = p.steps[i];
    if (step.control() == nullptr) continue;
    for (const auto& body : controls_[static_cast<size_t>(step.control()->control)]->bodies()) body->explain_nodes(depth + 1, out);
  }
  first_nodes.push_back(static_cast<int32_t>(out->nodes.size()));
  const std::vector<StageReport> stages = explain_stages(depth, first_nodes);
  out->stages.insert(out->stages.begin() + static_cast<ptrdiff_t>(stages_before), stages.begin(), stages.end());
}

}  // namespace anydim
