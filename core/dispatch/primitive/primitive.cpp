// SPDX-License-Identifier: Apache-2.0
// Making primitives; see primitive.h. They are executed in primitive_execute.cpp, on streams in primitive_submit.cpp.
#include "core/dispatch/primitive/primitive.h"

#include "core/dispatch/primitive/checked_call.h"
#include "core/dispatch/observe/counters.h"
#include "core/dispatch/observe/observe.h"
#include "core/dispatch/tuning/plan_records.h"

namespace anydim {

namespace {

Problem problem_of(const Operator& op, const PrimitiveDescriptors& d, const PrimitiveAttributes& attributes) {
  return {&op, d.in, d.out, &attributes.post_ops, d.post_in, attributes.mode, d.constant, attributes.quantization.get()};
}

// Scales are f32, zero points of their operand's dtype.
void describe_factors(const Quantization& q, PrimitiveDescriptors* d, std::span<TensorType> tensors) {
  Quantization::Tensor all[Quantization::kMostTensors];
  for (int i = 0, n = q.tensors(all); i < n; ++i) {
    const auto& [factors, operand, is_scale] = all[i];
    const TensorType& of = operand == Quantization::kResult ? d->out[0] : d->in[static_cast<size_t>(operand)];
    TensorType& t = tensors[static_cast<size_t>(i)] = {is_scale ? DType::f32 : of.dtype, {}};
    if (factors->axis >= 0) t.dims.push_back(factors->axis < of.dims.rank ? of.dims[factors->axis] : Dim(0));
  }
}

// Fills in the descriptors: inputs as described, those of the weights, and outputs by the shape rule.
Status describe_tensors(const Operator& op, const PrimitiveInputs& inputs, const PrimitiveAttributes& attributes, const Weights* weights,
                        PrimitiveDescriptors* d) {
  const PostOps& post_ops = attributes.post_ops;
  const Quantization* const q = attributes.quantization.get();
  if (inputs.pool) d->pool = *inputs.pool;
  d->constant = inputs.constant;
  if (weights) {
    if (!same_operator(weights->op(), op))
      return invalid("the weights were packed for '{}'; the primitive is '{}'", describe(weights->op()), describe(op));
    const OperandSet fixed_operands = weights->fixed_operands();
    const size_t count = inputs.in.size() + fixed_operands.count();
    if (weights->operands().end() > count)
      return invalid("{} inputs were described; the weights hold input {}, so {} expects {} or more", inputs.in.size(),
                     weights->operands().end() - 1, op.name(), weights->operands().end() - fixed_operands.count());
    auto next = inputs.in.begin();
    for (size_t i = 0; i < count; ++i) {
      if (weights->holds(i)) d->constant.add(i);
      d->in.push_back(fixed_operands.has(i) ? weights->type(i) : *next++);
    }
  } else {
    d->in.assign(inputs.in.begin(), inputs.in.end());
  }
  if (d->in.size() > kMaxInputs) return unimplemented("{} inputs; at most {} are supported", d->in.size(), kMaxInputs);
  d->out.resize(static_cast<size_t>(op.output_count()));
  if (d->out.size() > kMaxOutputs) return unimplemented("{} outputs; at most {} are supported", d->out.size(), kMaxOutputs);
  if (q != nullptr) {
    DType result = DType::none;
    ANYDIM_TRY(q->check(op, d->in, &result));
    std::vector<TensorType> real = d->in;
    for (TensorType& t : real) t.dtype = real_dtype(t.dtype);
    ANYDIM_TRY(op.infer(d->pool, real, d->out));
    d->out[0].dtype = result;
  } else {
    ANYDIM_TRY(check_narrow(op, d->in));
    ANYDIM_TRY(op.infer(d->pool, d->in, d->out));
  }
  d->post_in.assign(inputs.post_in.begin(), inputs.post_in.end());
  const auto chain = static_cast<size_t>(post_ops.operands()), operands = static_cast<size_t>(attributes.operands());
  if (d->post_in.empty()) {
    d->post_in.resize(chain, TensorType{q != nullptr ? DType::f32 : d->out[0].dtype, {}});
    d->post_in.resize(operands);
  }
  if (d->post_in.size() != operands)
    return invalid("{} post-op tensors were described; the chain '{}' takes {}", d->post_in.size(), describe(post_ops), operands);
  if (q != nullptr) describe_factors(*q, d, std::span(d->post_in).subspan(chain));
  if (d->pool.size() > kMaxSlots)
    return unimplemented("{} dim expressions in one primitive; at most {} are supported", d->pool.size(), kMaxSlots);
  return {};
}

// The attributes' limit on scratch with the largest dims that the descriptors allow.
struct LargestDims {
  std::vector<Dims> in, out;
  ScratchLimit limit;
  LargestDims(const PrimitiveDescriptors& d, const PrimitiveAttributes& a) : in(largest(d.in, d.pool)), out(largest(d.out, d.pool)) {
    limit = {a.scratch_limit, in, out, a.scratch_threads};
  }

 private:
  static constexpr int64_t kNoLargest = INT64_C(1) << 31;  // stands for a dim without a largest value
  static std::vector<Dims> largest(const std::vector<TensorType>& types, const DimPool& pool) {
    std::vector<Dims> all(types.size());
    for (size_t i = 0; i < types.size(); ++i)
      for (Dim dim : types[i].dims) all[i].push_back(std::min(dim.is_number() ? dim.number() : pool.interval(dim).max, kNoLargest));
    return all;
  }
};

// All that can be wrong about a primitive to be, in this order: its tensors, its kernel unless that is chosen, its weights' form.
Status describe_and_choose(const Engine& engine, const Operator& op, const PrimitiveInputs& inputs, const PrimitiveAttributes& attributes,
                           const Weights* weights, PrimitiveDescriptors* descriptors, KernelChoice* choice) {
  if (weights && !same_device(weights->engine(), engine))
    return invalid("the weights are of engine {}; the primitive is made for engine {}", weights->engine().kind(), engine.kind());
  ANYDIM_TRY(describe_tensors(op, inputs, attributes, weights, descriptors));
  Problem problem = problem_of(op, *descriptors, attributes);
  if (choice->kernel == nullptr && attributes.scratch_limit < 0) {
    ANYDIM_TRY(choose_prepared(engine, problem, attributes.kernel, choice));
  } else if (choice->kernel == nullptr) {
    const LargestDims largest(*descriptors, attributes);
    ANYDIM_TRY(choose_prepared(engine, problem, attributes.kernel, choice, &largest.limit));
  }
  const Kernel& kernel = *choice->kernel;
  problem.mode = kernel.key().mode;  // the one that was resolved: kernels of others refuse
  if (!weights || weights->fits(kernel, problem)) return {};
  const std::string reads = form_name(kernel.packed_form(problem), problem);
  const auto form_text = [](const std::string& form) { return form.empty() ? "(not packed)" : form; };
  return invalid("kernel {} reads weights packed as '{}'; these are packed as '{}'", kernel.name(), form_text(reads),
                 form_text(weights->format()));
}

}  // namespace

void Primitive::plan_from(const Tiers& tiers, const Args& args, Plan* plan) const noexcept {
  TierEntry entry;
  if (!tiers.find(args, &entry)) return kernel().plan(args, plan);
  Args with = args;
  with.choice = &entry.choice;
  kernel().plan(with, plan);
  plan->specialised = !(entry.choice == PlanChoice{});
}

Problem Primitive::problem() const noexcept { return problem_of(op(), *descriptors_, attributes()); }

std::vector<Candidate> Primitive::candidates() const {
  if (attributes().scratch_limit < 0) return list_candidates(engine(), problem());
  const LargestDims largest(*descriptors_, attributes());
  return list_candidates(engine(), problem(), &largest.limit);
}

Status Primitive::create(const EnginePtr& engine, OperatorPtr op, const PrimitiveInputs& inputs, const PrimitiveAttributes& requested,
                         WeightsPtr weights, std::shared_ptr<const Primitive>* out, KernelChoice choice) {
  // With what was done for it before: compiling its programs, say.
  const int64_t begin = observe::wants(observe::kCreations) ? observe::now() - choice.nanoseconds : -1;
  auto descriptors = std::make_shared<PrimitiveDescriptors>();
  ANYDIM_TRY(describe_and_choose(*engine, *op, inputs, requested, weights.get(), descriptors.get(), &choice));
  PrimitiveAttributes attributes = requested;
  attributes.mode = choice.kernel->key().mode;
  auto core =
      std::make_shared<const PrimitiveCore>(engine, std::move(op), std::move(attributes), *choice.kernel, std::move(choice.executable));
  count(Counter::primitives_created);
  load_recorded_plans(*core);
  *out = std::make_shared<const Primitive>(std::move(core), std::move(descriptors), std::move(weights));
  if (begin >= 0) observe::created(**out, "created", begin, observe::now());
  return {};
}

Status Primitive::create_over(PrimitiveCorePtr core, const PrimitiveInputs& inputs, WeightsPtr weights,
                              std::shared_ptr<const Primitive>* out) {
  auto descriptors = std::make_shared<PrimitiveDescriptors>();
  KernelChoice choice;  // its executable is of the same programs as the core's, if the kernel is the same: they know no dims
  ANYDIM_TRY(describe_and_choose(*core->engine(), *core->op(), inputs, core->attributes(), weights.get(), descriptors.get(), &choice));
  if (choice.kernel != &core->kernel()) return {};
  count(Counter::primitives_created);
  *out = std::make_shared<const Primitive>(std::move(core), std::move(descriptors), std::move(weights));
  return {};
}

}  // namespace anydim
