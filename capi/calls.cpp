// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about verbose lines: switching them, reading one back, and making its primitive.
#include <cmath>

#include "anydim/anydim.h"
#include "capi/objects.h"
#include "capi/views.h"
#include "core/dispatch/observe/observe.h"
#include "core/ops/text.h"

namespace anydim::capi {

namespace {

// The descriptor that a tensor of the line had.
TensorType type_of(const TensorText& t, DimPool* pool) {
  TensorType type;
  type.dtype = t.dtype;
  for (int i = 0; i < t.dims.rank; ++i)
    type.dims.push_back(t.dynamic[i] ? pool->symbol(formatted("d{}", pool->size()), t.promises[i]) : Dim(t.dims[i]));
  return type;
}

// Inputs that are left out can only be the last ones in a primitive that a program executes.
Status drop_absent(CallText* call) {
  while (!call->in.empty() && call->in.back().dtype == DType::none) call->in.pop_back();
  for (size_t i = 0; i < call->in.size(); ++i)
    if (call->in[i].dtype == DType::none) return unimplemented("field tensors: in{} is absent and a later input is not", i).about("line");
  for (const auto* list : {&call->post_in, &call->out})
    for (const TensorText& t : *list)
      if (t.dtype == DType::none) return invalid("field tensors: only inputs may be absent").about("line");
  return {};
}

}  // namespace

namespace body {

Status verbose_set(int32_t level) {
  if (level < 0 || level > 2) return invalid("level is {}; expected 0, 1 or 2", level).about("level");
  observe::set_verbose(level);
  return {};
}

Status call_parse(std::string_view line, std::unique_ptr<CallObject>* out) {
  auto c = std::make_unique<CallObject>();
  ANYDIM_TRY(parse_call(line, &c->call).about("line"));
  ANYDIM_TRY(drop_absent(&c->call));
  ANYDIM_TRY(parse_operator(c->call.op, &c->op).about("line"));
  c->post_ops = describe(c->call.post_ops);
  std::vector<Dims> in, results;
  for (const TensorText& t : c->call.in) in.push_back(t.dims);
  for (const TensorText& t : c->call.out) results.push_back(t.dims);
  c->work = c->op->work(in, results);
  for (size_t i = 0; i < in.size(); ++i)
    c->tensors.push_back({c->call.in[i].weights ? ANYDIM_CALL_WEIGHTS : ANYDIM_CALL_INPUT, static_cast<int32_t>(i), &c->call.in[i],
                          c->op->sensible_values(in, i)});
  for (size_t i = 0; i < c->call.post_in.size(); ++i)
    c->tensors.push_back({ANYDIM_CALL_POST_OP, static_cast<int32_t>(i), &c->call.post_in[i], {}});
  for (size_t i = 0; i < results.size(); ++i) c->tensors.push_back({ANYDIM_CALL_OUTPUT, static_cast<int32_t>(i), &c->call.out[i], {}});
  *out = std::move(c);
  return {};
}

Status call_query(CallObject& call, anydim_call_info_t* info) {
  const CallText& c = call.call;
  info->tensors = static_cast<int32_t>(call.tensors.size());
  info->name = string_of(c.name);
  info->op = string_of(c.op);
  info->post_ops = string_of(call.post_ops);
  info->kernel = string_of(c.kernel);
  info->tier = string_of(c.tier);
  info->time_ns = static_cast<int64_t>(std::fmin(c.microseconds * 1e3, 9e18));
  info->flops = call.work.flops < 0 ? -1 : static_cast<int64_t>(std::fmin(call.work.flops, 9e18));
  info->threads = c.threads;
  return {};
}

Status call_get_tensor(CallObject& call, int32_t index, anydim_call_tensor_t* info) {
  if (index < 0 || static_cast<size_t>(index) >= call.tensors.size())
    return error(Code::not_found, "index is {}; the call has {} tensors", index, call.tensors.size()).about("index");
  const CallObject::Tensor& t = call.tensors[static_cast<size_t>(index)];
  info->role = t.role;
  info->dtype = static_cast<anydim_dtype_t>(t.text->dtype);
  info->index = t.index;
  info->dims = dims_of(t.text->dims);
  info->strides = dims_of(t.text->strides);
  info->low = t.values.low;
  info->high = t.values.high;
  return {};
}

Status call_create_primitive(CallObject& call, EngineObject& engine, std::string_view kernel, std::span<const TensorView> weights,
                             std::unique_ptr<PrimitiveObject>* out) {
  const CallText& c = call.call;
  if (c.engine != engine.engine->kind())
    return invalid("field engine: the line is of engine {}; the engine given is {}", c.engine, engine.engine->kind()).about("engine");
  PrimitiveAttributes attributes;
  attributes.post_ops = c.post_ops;
  attributes.mode = c.mode;
  attributes.quantization = c.quantization;
  // A reusable plan that was logged is run again as such, whatever is on record by now.
  attributes.reuse = c.tier == tier_name(Tier::reusable) ? ReusePolicy::reusable : c.reuse;
  attributes.kernel = kernel;
  ANYDIM_TRY(check_data(weights, "weights"));
  DimPool pool;
  std::vector<TensorType> in, post_in;
  std::vector<TensorView> constants(c.in.size());  // by operand
  size_t next = 0;
  for (size_t i = 0; i < c.in.size(); ++i) {
    const TensorText& t = c.in[i];
    if (!t.weights) {
      in.push_back(type_of(t, &pool));
      continue;
    }
    if (next >= weights.size())
      return invalid("{} tensors of weights were given; the line has w{} too", weights.size(), i).about("weights");
    const TensorView& weight = weights[next];
    if (weight.dtype != t.dtype || !(weight.dims == t.dims))
      return invalid("weights {} are {} {}; the line's w{} is {} {}", next, dtype_name(weight.dtype), to_string(weight.dims), i,
                     dtype_name(t.dtype), to_string(t.dims))
          .about(formatted("weights[{}]", next));
    constants[i] = weight;
    ++next;
  }
  if (next != weights.size()) return invalid("{} tensors of weights were given; the line has {}", weights.size(), next).about("weights");
  for (const TensorText& t : c.post_in) post_in.push_back(type_of(t, &pool));
  auto p = std::make_unique<PrimitiveObject>();
  WeightsPtr packed;
  const FloatingPointScope floating_point;
  if (next > 0)
    ANYDIM_TRY(Weights::create(engine.engine, call.op, constants, {&pool, in, c.post_ops, c.mode, kernel, c.quantization.get()}, &packed));
  ANYDIM_TRY(Primitive::create(engine.engine, call.op, {&pool, in, post_in}, attributes, packed, &p->primitive));
  p->engine = engine.engine;
  p->inputs = static_cast<int>(in.size());
  p->math = c.mode;
  p->layouts.resize(in.size(), ANYDIM_LAYOUT_STRIDED);
  *out = std::move(p);
  return {};
}

}  // namespace body
}  // namespace anydim::capi
