// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about weights and primitives: primitives come through the primitive cache, handles become
// views.
#include <algorithm>

#include "anydim/anydim.h"
#include "capi/device_calls.h"
#include "capi/explain.h"
#include "capi/log.h"
#include "capi/objects.h"
#include "capi/views.h"
#include "core/base/memory/result_memory.h"
#include "core/dispatch/primitive/checked_call.h"
#include "core/dispatch/observe/observe.h"
#include "core/dispatch/tuning/primitive_tuning.h"
#include "core/dispatch/tuning/worker.h"
#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/tensor/memory_order.h"
#include "core/tensor/result.h"
#include "core/tensor/views.h"

namespace anydim::capi {

namespace {

AttrValues values_of(const AttrObject* attr) { return attr != nullptr ? attr->values() : AttrValues(); }

// Constants by operand; those between them have no dtype.
Status place_constants(std::span<const TensorView> constants, std::span<const int32_t> operands, std::vector<TensorView>* out) {
  if (constants.empty()) return invalid("no constants were given; expected 1 or more").about("constants");
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto least = static_cast<int32_t>(out->size());
    const int32_t operand = operands.empty() ? static_cast<int32_t>(i + 1) : operands[i];
    if (operand < least || operand >= static_cast<int32_t>(kMaxInputs))
      return invalid("operands[{}] is {}; expected {} to {}, in rising order", i, operand, least, kMaxInputs - 1)
          .about(formatted("operands[{}]", i));
    if (constants[i].dtype == DType::none) return invalid("constants[{}] is no tensor", i).about(formatted("constants[{}]", i));
    out->resize(static_cast<size_t>(operand));
    out->push_back(constants[i]);
  }
  return check_data(constants, "constants");
}

// Descriptors as a primitive's, their dynamic dims as symbols.
struct Described {
  std::vector<const TensorDescriptor*> descriptors;
  DescribedTypes types;
  explicit Described(std::span<DescObject* const> inputs) : descriptors(of(inputs)), types(descriptors) {}

 private:
  static std::vector<const TensorDescriptor*> of(std::span<DescObject* const> inputs) {
    std::vector<const TensorDescriptor*> all;
    for (const DescObject* d : inputs) all.push_back(&d->descriptor);
    return all;
  }
};

WeightsUse use_of(const PrimitiveAttributes& a, const Described& inputs) {
  return {&inputs.types.pool, inputs.types.in, a.post_ops, a.mode, a.kernel, a.quantization.get()};
}

// A descriptor's layout is a promise about each tensor that comes.
Status check_layouts(const PrimitiveObject& p, std::span<const TensorView> in) {
  for (size_t i = 0; i < in.size() && i < p.layouts.size(); ++i) {
    if (p.layouts[i] == ANYDIM_LAYOUT_ROW_MAJOR && !is_row_major(in[i]))
      return invalid("the strides of input {} are not row-major, which its descriptor promises", i).about(formatted("inputs[{}]", i));
    if (p.layouts[i] == ANYDIM_LAYOUT_CHANNELS_LAST && !is_dense_in(in[i], channels_last(in[i].rank())))
      return invalid("the strides of input {} are not channels last, which its descriptor promises", i).about(formatted("inputs[{}]", i));
  }
  return {};
}

// Numbers all, or the execution failed.
std::vector<int64_t> attributes_of(const Operator& op) {
  std::vector<int64_t> numbers;
  for (const Dim& d : op.dim_attributes()) numbers.push_back(d.number());
  return numbers;
}

// The inputs of an execution: the operator's, then those of post-ops.
struct SplitInputs {
  std::span<const TensorView> in, post;
};
Status split(const PrimitiveObject& p, std::span<const TensorView> all, SplitInputs* out) {
  const auto own = static_cast<size_t>(p.inputs), post = static_cast<size_t>(p.primitive->attributes().operands());
  if (all.size() != own + post)
    return invalid("{} inputs were given; expected {} of the operator and {} of its post-ops", all.size(), own, post).about("inputs");
  *out = {all.first(own), all.subspan(own)};
  return check_layouts(p, out->in);
}

[[gnu::noinline]] Status execute_observed(const Primitive& p, const SplitInputs& all, std::span<const TensorView> out, void* scratch,
                                          int64_t scratch_bytes, const Parallel& parallel) {
  const int64_t begin = observe::now();
  ANYDIM_TRY(p.execute(all.in, all.post, out, scratch, scratch_bytes, parallel));
  const int64_t end = observe::now();
  const std::vector<int64_t> attributes = attributes_of(p.op());
  observe::executed({&p, {}, all.in, all.post, out, attributes, parallel.threads(), begin, end, -1, p.tier()});
  return {};
}

// On the host's engine, in scratch memory of the caller or of the stream.
Status execute(PrimitiveObject& p, StreamObject& stream, std::span<const TensorView> inputs, std::span<const TensorView> outputs,
               void* scratch, int64_t scratch_bytes, bool callers) {
  SplitInputs all;
  ANYDIM_TRY(split(p, inputs, &all));
  ANYDIM_TRY(check_data(inputs, "inputs"));
  ANYDIM_TRY(check_data(outputs, "outputs"));
  if (!callers) {
    int64_t needed = 0;
    ANYDIM_TRY(p.primitive->scratch_bytes(all.in, outputs, all.post, stream.parallel.threads(), &needed));
    ANYDIM_TRY(stream.scratch.grow(needed, stream.parallel));
    scratch = stream.scratch.data();
    scratch_bytes = stream.scratch.size();
  }
  const FloatingPointScope floating_point;
  if (observe::wants(observe::kExecutions)) [[unlikely]]
    return execute_observed(*p.primitive, all, outputs, scratch, scratch_bytes, stream.parallel);
  return p.primitive->execute(all.in, all.post, outputs, scratch, scratch_bytes, stream.parallel);
}

// That a call on the host's engine is given nothing of another.
Status check_host(const PrimitiveObject& p, const StreamObject& stream, std::span<const TensorView> in,
                  std::span<const BufferRef> in_places, std::span<const TensorView> out, std::span<const BufferRef> out_places) {
  if (!stream.engine->is_host())
    return invalid("stream is of engine {}; the primitive is of engine {}", stream.engine->kind(), p.engine->kind()).about("stream");
  if (!in_places.empty()) ANYDIM_TRY(check_engine(*p.engine, "inputs", in, in_places));
  return out_places.empty() ? Status() : check_engine(*p.engine, "outputs", out, out_places);
}

// Of the inputs of these dims' rank the one with most axes of several elements, then the largest: its order; row-major if there is none.
Perm followed_order(std::span<const TensorView> inputs, int rank) noexcept {
  const TensorView* reference = nullptr;
  std::pair<int64_t, int64_t> most{-1, -1};
  for (const TensorView& t : inputs) {
    if (t.rank() != rank) continue;
    int64_t axes = 0, elements = 1;
    for (int i = 0; i < rank; ++i)
      if (t.dims[i] > 1 && t.strides[i] != 0) ++axes, elements = saturating_mul(elements, t.dims[i]);
    if (std::pair(axes, elements) > most) most = {axes, elements}, reference = &t;
  }
  return reference == nullptr ? Perm() : order_in_memory(*reference);
}

// In which order a result is placed whose view names this layout. A view that a call wrote says strided: rows, as at first.
Status order_of_result(const Primitive& p, int index, anydim_layout_t layout, std::span<const TensorView> inputs, const Dims& dims,
                       Perm* order) {
  if (layout < ANYDIM_LAYOUT_ROW_MAJOR || layout > ANYDIM_LAYOUT_FOLLOW)
    return invalid("outputs[{}].layout is {}; expected {}..{}", index, layout, ANYDIM_LAYOUT_ROW_MAJOR, ANYDIM_LAYOUT_FOLLOW);
  if (layout == ANYDIM_LAYOUT_CHANNELS_LAST && dims.rank < 3)
    return invalid("outputs[{}].layout is channels last, which needs rank 3 or more; rank is {}", index, dims.rank);
  if (layout == ANYDIM_LAYOUT_CHANNELS_LAST) *order = channels_last(dims.rank);
  if (layout == ANYDIM_LAYOUT_ANY) *order = p.preferred_order(true, index);
  if (layout == ANYDIM_LAYOUT_FOLLOW || (layout == ANYDIM_LAYOUT_ANY && order->rank != dims.rank))
    *order = followed_order(inputs, dims.rank);
  return {};
}

// Outputs that the library places: memory of ResultMemory, which goes back unless the caller gets it.
class Placed {
 public:
  explicit Placed(std::span<TensorView> out) noexcept : out_(out) {}
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() {
    for (size_t i = 0; i < out_.size(); ++i)
      if ((placed_ >> i & 1) != 0) ResultMemory::instance().free(std::exchange(out_[i].data, nullptr));
  }
  Status place(const PrimitiveObject& p, std::span<const TensorView> inputs, std::span<const anydim_layout_t> layouts,
               const Parallel& parallel) {
    const auto kinds = p.primitive->out();
    if (out_.size() != kinds.size() || std::none_of(out_.begin(), out_.end(), is_requested)) return {};
    SplitInputs all;
    ANYDIM_TRY(split(p, inputs, &all));
    Dims dims[8];
    ANYDIM_TRY(p.primitive->output_dims(all.in, {dims, kinds.size()}));
    for (size_t i = 0; i < out_.size(); ++i) {
      TensorView& t = out_[i];
      if (!is_requested(t)) continue;
      if (t.dtype != kinds[i].dtype)
        return invalid("outputs[{}] is asked for as {}; the operator gives {}", i, dtype_name(t.dtype), dtype_name(kinds[i].dtype))
            .about(formatted("outputs[{}]", i));
      t.dims = dims[i];
      const MemorySourceScope source(p.engine->memory());
      Perm order;
      ANYDIM_TRY(order_of_result(*p.primitive, static_cast<int>(i), layouts[i], inputs, t.dims, &order).about(formatted("outputs[{}]", i)));
      ANYDIM_TRY(place_result([&] { return formatted("outputs[{}]", i); }, order, parallel, &t));
      placed_ |= 1u << i;
    }
    return {};
  }
  void hand_over() noexcept { placed_ = 0; }

 private:
  std::span<TensorView> out_;
  uint32_t placed_ = 0;
};

Status make_primitive(EngineObject& engine, const OperatorPtr& op, AttrValues values, std::span<DescObject* const> inputs,
                      const WeightsPtr& weights, std::unique_ptr<PrimitiveObject>* out) {
  auto p = std::make_unique<PrimitiveObject>();
  PrimitiveAttributes& a = values.attributes;
  if (a.scratch_limit >= 0) a.scratch_threads = engine.engine->threads();
  const TensorDescriptor* in_place[16];
  std::vector<const TensorDescriptor*> more(inputs.size() > std::size(in_place) ? inputs.size() : 0);
  const TensorDescriptor** described = more.empty() ? in_place : more.data();
  for (size_t i = 0; i < inputs.size(); ++i) described[i] = &inputs[i]->descriptor;
  const MemorySourceScope memory(engine.engine->memory());
  Preparation prepare;
  prepare.threads = engine.engine->threads();
  prepare.run = [&engine](const Primitive& made) -> Status {
    if (made.core()->policy().policy != ReusePolicy::specialised) return {};
    return specialise_primitive(made, engine.engine->parallel());
  };
  ANYDIM_TRY(
      PrimitiveCache::process().create(engine.engine, op, {described, inputs.size()}, a, weights, &p->primitive, &p->creation, prepare));
  if (p->creation.turned_dynamic)
    log_line(ANYDIM_LOG_INFO, "primitive cache: shapes of '{}' keep changing; its dims count as dynamic from now on", describe(*op));
  if (p->primitive->core()->policy().policy == ReusePolicy::reusable_first) Worker::instance().start();
  p->engine = engine.engine;
  p->inputs = static_cast<int>(inputs.size());
  if (std::any_of(inputs.begin(), inputs.end(), [](const DescObject* d) { return d->layout != ANYDIM_LAYOUT_STRIDED; }))
    for (const DescObject* d : inputs) p->layouts.push_back(d->layout);
  p->scratchpad = values.scratchpad;
  p->math = a.mode;
  *out = std::move(p);
  return {};
}

}  // namespace

namespace body {

Status weights_create(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs,
                      std::span<const TensorView> constants, std::span<const int32_t> operands, std::unique_ptr<WeightsObject>* out) {
  std::vector<TensorView> tensors;
  ANYDIM_TRY(place_constants(constants, operands, &tensors));
  const PrimitiveAttributes a = values_of(attr).attributes;
  const Described described(inputs);
  auto w = std::make_unique<WeightsObject>();
  const FloatingPointScope floating_point;
  ANYDIM_TRY(Weights::create(engine.engine, op, tensors, use_of(a, described), &w->weights));
  w->engine = engine.engine;
  *out = std::move(w);
  return {};
}

Status weights_get_bytes(WeightsObject& weights, int64_t* bytes) {
  *bytes = weights.weights->bytes();
  return {};
}

Status weights_update(WeightsObject& weights, std::span<const TensorView> constants) {
  ANYDIM_TRY(check_data(constants, "constants"));
  const FloatingPointScope floating_point;
  return weights.weights->update(constants);
}

Status weights_get_version(WeightsObject& weights, int64_t* version) {
  *version = weights.weights->version();
  return {};
}

Status weights_save(WeightsObject& weights, std::string_view path, const anydim_save_options_t& options) {
  if (path.empty()) return invalid("path is empty").about("path");
  return save_weights(*weights.weights, std::string(path), options.sync != 0);
}

Status weights_load(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs,
                    std::string_view path, std::unique_ptr<WeightsObject>* out) {
  if (path.empty()) return invalid("path is empty").about("path");
  const PrimitiveAttributes a = values_of(attr).attributes;
  const Described described(inputs);
  auto w = std::make_unique<WeightsObject>();
  ANYDIM_TRY(load_weights(engine.engine, op, use_of(a, described), std::string(path), &w->weights));
  w->engine = engine.engine;
  *out = std::move(w);
  return {};
}

Status primitive_create(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs,
                        WeightsObject* weights, std::unique_ptr<PrimitiveObject>* out) {
  return make_primitive(engine, op, values_of(attr), inputs, weights != nullptr ? weights->weights : nullptr, out);
}

Status primitive_create_with_constants(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs,
                                       std::span<const TensorView> constants, std::span<const int32_t> operands,
                                       std::unique_ptr<PrimitiveObject>* out) {
  const AttrValues values = values_of(attr);
  std::vector<TensorView> tensors;
  ANYDIM_TRY(place_constants(constants, operands, &tensors));
  const Described described(inputs);
  WeightsPtr weights;
  const FloatingPointScope floating_point;
  ANYDIM_TRY(Weights::create(engine.engine, op, tensors, use_of(values.attributes, described), &weights));
  return make_primitive(engine, op, values, inputs, weights, out);
}

Status primitive_acquire_weights(PrimitiveObject& primitive, std::unique_ptr<WeightsObject>* out) {
  if (primitive.primitive->weights() == nullptr) return error(Code::not_found, "the primitive has no constant inputs");
  auto w = std::make_unique<WeightsObject>();
  w->engine = primitive.engine;
  w->weights = primitive.primitive->weights();
  *out = std::move(w);
  return {};
}

Status primitive_execute(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, OutputViews outputs) {
  if (primitive.scratchpad == ANYDIM_SCRATCHPAD_CALLER)
    return invalid("the primitive's scratchpad mode is caller; expected anydim_primitive_execute_in with scratch memory")
        .about("primitive");
  if (!primitive.engine->is_host()) {
    SplitInputs all;
    ANYDIM_TRY(split(primitive, inputs.views, &all));
    return submit(*primitive.primitive, stream, all.in.size(), inputs, outputs);
  }
  ANYDIM_TRY(check_host(primitive, stream, inputs.views, inputs.places, outputs.views, outputs.places));
  Placed placed(outputs.views);
  ANYDIM_TRY(placed.place(primitive, inputs.views, outputs.layouts, stream.parallel));
  ANYDIM_TRY(execute(primitive, stream, inputs.views, outputs.views, nullptr, 0, false));
  placed.hand_over();
  return {};
}

Status primitive_execute_in(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, InputViews outputs, void* scratch,
                            int64_t scratch_bytes) {
  if (!primitive.engine->is_host())
    return unimplemented("the primitive is of engine {}, which cannot use the host's scratch memory; expected anydim_primitive_execute",
                         primitive.engine->kind())
        .about("primitive");
  ANYDIM_TRY(check_host(primitive, stream, inputs.views, inputs.places, outputs.views, outputs.places));
  if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0) return invalid("scratch is not aligned to 64 bytes").about("scratch");
  if (scratch_bytes < 0) return invalid("scratch_bytes is {}; expected 0 or more", scratch_bytes).about("scratch_bytes");
  return execute(primitive, stream, inputs.views, outputs.views, scratch, scratch != nullptr ? scratch_bytes : 0, true);
}

Status primitive_get_output_dims(PrimitiveObject& primitive, InputViews inputs, int32_t index, anydim_dims_t* dims) {
  SplitInputs all;
  ANYDIM_TRY(split(primitive, inputs.views, &all));
  Dims out[8];
  const auto count = static_cast<int32_t>(primitive.primitive->out().size());
  if (index < 0 || index >= count) return error(Code::not_found, "index is {}; the operator has {} outputs", index, count).about("index");
  ANYDIM_TRY(primitive.primitive->output_dims(all.in, {out, static_cast<size_t>(count)}));
  *dims = dims_of(out[index]);
  return {};
}

Status primitive_get_output_dtype(PrimitiveObject& primitive, int32_t index, anydim_dtype_t* dtype) {
  const auto outputs = primitive.primitive->out();
  if (index < 0 || static_cast<size_t>(index) >= outputs.size())
    return error(Code::not_found, "index is {}; the operator has {} outputs", index, outputs.size()).about("index");
  *dtype = static_cast<anydim_dtype_t>(outputs[static_cast<size_t>(index)].dtype);
  return {};
}

Status primitive_get_scratch_bytes(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, InputViews outputs,
                                   int64_t* bytes) {
  SplitInputs all;
  ANYDIM_TRY(split(primitive, inputs.views, &all));
  return primitive.primitive->scratch_bytes(all.in, outputs.views, all.post, stream.parallel.threads(), bytes);
}

Status primitive_get_order(PrimitiveObject& primitive, int32_t output, int32_t index, anydim_dims_t* order) {
  const auto count = static_cast<int32_t>(output != 0 ? primitive.primitive->out().size() : primitive.primitive->in().size());
  if (index < 0 || index >= count)
    return error(Code::not_found, "index is {}; the operator has {} {}", index, count, output != 0 ? "outputs" : "inputs").about("index");
  *order = dims_of(primitive.primitive->preferred_order(output != 0, index));
  return {};
}

Status primitive_get_kernel(PrimitiveObject& primitive, anydim_string_t* name, uint64_t* identity) {
  const Kernel& kernel = primitive.primitive->kernel();
  *name = string_of(kernel.name());
  *identity = reinterpret_cast<uintptr_t>(&kernel);
  return {};
}

Status primitive_get_candidate_count(PrimitiveObject& primitive, int32_t* count) {
  *count = static_cast<int32_t>(primitive.primitive->candidates().size());
  return {};
}

Status primitive_get_candidate(PrimitiveObject& primitive, int32_t index, anydim_candidate_t* info) {
  const auto candidates = primitive.primitive->candidates();
  if (index < 0 || static_cast<size_t>(index) >= candidates.size())
    return error(Code::not_found, "index is {}; {} kernels were considered", index, candidates.size()).about("index");
  const Candidate& c = candidates[static_cast<size_t>(index)];
  // With a kernel forced by name the choice was not the list's.
  info->chosen = c.kernel == &primitive.primitive->kernel();
  info->name = string_of(c.kernel->name());
  info->refusal = info->chosen ? string_of("") : string_of(c.because != nullptr ? c.because : "another kernel was forced by name");
  return {};
}

Status primitive_compare_kernels(PrimitiveObject& primitive, StreamObject& stream, std::span<const TensorView> inputs,
                                 std::span<const TensorView> outputs, int32_t repeats, std::unique_ptr<TextObject>* text) {
  if (repeats < 0 || repeats > 1000) return invalid("repeats is {}; expected 0 to 1000", repeats).about("repeats");
  const Primitive& p = *primitive.primitive;
  if (!primitive.engine->is_host())
    return unimplemented("the primitive is of engine {}; kernels of the cpu engine are compared only", primitive.engine->kind())
        .about("primitive");
  SplitInputs all;
  ANYDIM_TRY(split(primitive, inputs, &all));
  // The checks of an execution, and for a measurement one of the chosen kernel: what it refuses nobody may run.
  int64_t scratch = 0;
  ANYDIM_TRY(p.scratch_bytes(all.in, outputs, all.post, stream.parallel.threads(), &scratch));
  if (repeats > 0) ANYDIM_TRY(execute(primitive, stream, inputs, outputs, nullptr, 0, false));
  std::vector<TensorView> operands(all.in.begin(), all.in.end());
  const PinnedWeights weights(p.weights().get());
  for (size_t i = 0; i < p.in().size(); ++i)
    if (p.constant_operands().has(i)) operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(i), weights.views()[i]);
  const std::vector<int64_t> attributes = attributes_of(p.op());
  Args args;
  args.in = operands;
  args.out = outputs;
  args.post_in = all.post;
  args.dim_attributes = attributes;
  args.parallel = stream.parallel;
  p.fill_in(&args, weights.packed());
  const MemorySourceScope memory(primitive.engine->memory());
  std::vector<Choice> choices;
  ANYDIM_TRY(list_choices(p, args, repeats, &choices));
  return make_text(choices_text(choices), text);
}

Status primitive_format_line(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, InputViews outputs,
                             std::unique_ptr<TextObject>* text) {
  const Primitive& p = *primitive.primitive;
  SplitInputs all;
  ANYDIM_TRY(split(primitive, inputs.views, &all));
  int64_t scratch = 0;
  ANYDIM_TRY(p.scratch_bytes(all.in, outputs.views, all.post, stream.parallel.threads(), &scratch));
  const std::vector<int64_t> attributes = attributes_of(p.op());
  return make_text(write_call(observe::describe_execution(
                       {&p, {}, all.in, all.post, outputs.views, attributes, stream.parallel.threads(), 0, 0, scratch, p.tier()})),
                   text);
}

Status primitive_explain(PrimitiveObject& primitive, InputViews inputs, std::unique_ptr<TextObject>* text) {
  SplitInputs all;
  if (!inputs.views.empty()) ANYDIM_TRY(split(primitive, inputs.views, &all));
  std::string json;
  ANYDIM_TRY(explain_primitive(*primitive.primitive, primitive.math, all.in, &json));
  return make_text(std::move(json), text);
}

}  // namespace body
}  // namespace anydim::capi
