// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions that set attributes of primitives to come, and what is asked of a model's layers.
#include "anydim/anydim.h"
#include "capi/objects.h"

namespace anydim::capi {

namespace {

// The quantization of attributes is shared by what was made with them: a change makes another one.
Status change_factors(AttrObject& attr, int32_t operand, int32_t axis, bool scale, std::vector<float> values) {
  if (operand < 0 || operand >= Quantization::kOperands)
    return invalid("operand is {}; expected {}..{}", operand, ANYDIM_OPERAND_INPUT_0, ANYDIM_OPERAND_RESULT).about("operand");
  if (axis < -1 || axis >= kMaxRank)
    return invalid("axis is {}; expected -1 (one for the whole tensor) or 0 to {}", axis, kMaxRank - 1).about("axis");
  return attr.change([&](AttrValues* a) -> Status {
    Quantization q = a->attributes.quantization ? *a->attributes.quantization : Quantization();
    using From = Quantization::Factors::From;
    (scale ? q.scale : q.zero_point)[operand] = {values.empty() ? From::operand : From::attribute, axis, std::move(values)};
    a->attributes.quantization = std::make_shared<const Quantization>(std::move(q));
    return {};
  });
}

}  // namespace

namespace body {

Status attr_create(std::unique_ptr<AttrObject>* out) {
  *out = std::make_unique<AttrObject>();
  return {};
}

Status attr_set_reuse(AttrObject& attr, anydim_reuse_t policy) {
  if (policy < ANYDIM_REUSE_INHERIT || policy > ANYDIM_REUSE_REUSABLE_FIRST)
    return invalid("policy is {}; expected {}..{}", policy, ANYDIM_REUSE_INHERIT, ANYDIM_REUSE_REUSABLE_FIRST).about("policy");
  return attr.change([&](AttrValues* a) -> Status {
    a->attributes.reuse = static_cast<ReusePolicy>(policy);
    return {};
  });
}

Status attr_set_math(AttrObject& attr, anydim_math_t mode) {
  if (mode < ANYDIM_MATH_INHERIT || mode > ANYDIM_MATH_REDUCED)
    return invalid("mode is {}; expected {}..{}", mode, ANYDIM_MATH_INHERIT, ANYDIM_MATH_REDUCED).about("mode");
  return attr.change([&](AttrValues* a) -> Status {
    a->attributes.mode = static_cast<MathMode>(mode);
    return {};
  });
}

static Status append(AttrObject& attr, const PostOp& step) {
  return attr.change([&](AttrValues* a) -> Status {
    if (a->attributes.post_ops.append(step)) return {};
    return unimplemented("the chain has {} post-ops already; no more are supported", kMaxPostOps).about("attr");
  });
}

Status attr_append_eltwise(AttrObject& attr, anydim_unary_function_t function, float alpha, float beta) {
  if (function < 0 || function >= static_cast<int32_t>(UnaryFunction::count_))
    return invalid("function is {}; expected 0..{}", function, static_cast<int32_t>(UnaryFunction::count_) - 1).about("function");
  PostOp step;
  step.kind = PostOp::Kind::unary;
  step.unary = static_cast<UnaryFunction>(function);
  step.alpha = alpha;
  step.beta = beta;
  return append(attr, step);
}

Status attr_append_binary(AttrObject& attr, anydim_binary_function_t function, int32_t reversed) {
  if (function < 0 || function >= static_cast<int32_t>(BinaryFunction::count_))
    return invalid("function is {}; expected 0..{}", function, static_cast<int32_t>(BinaryFunction::count_) - 1).about("function");
  PostOp step;
  step.kind = reversed != 0 ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
  step.binary = static_cast<BinaryFunction>(function);
  return append(attr, step);
}

Status attr_set_kernel(AttrObject& attr, std::string_view kernel) {
  if (!kernel.empty()) {
    bool known = false;
    for (const Kernel* k : cpu_kernels().all()) known = known || kernel == k->name();
    if (!known) return error(Code::not_found, "kernel is '{}'; no engine has a kernel of that name", kernel).about("kernel");
  }
  return attr.change([&](AttrValues* a) -> Status {
    a->attributes.kernel = kernel;
    return {};
  });
}

Status attr_set_scratch_limit(AttrObject& attr, int64_t bytes) {
  if (bytes < -1) return invalid("bytes is {}; expected 0 or more, or -1 for no limit", bytes).about("bytes");
  return attr.change([&](AttrValues* a) -> Status {
    a->attributes.scratch_limit = bytes;
    return {};
  });
}

Status attr_set_scratchpad(AttrObject& attr, anydim_scratchpad_t mode) {
  if (mode != ANYDIM_SCRATCHPAD_STREAM && mode != ANYDIM_SCRATCHPAD_CALLER)
    return invalid("mode is {}; expected {} or {}", mode, ANYDIM_SCRATCHPAD_STREAM, ANYDIM_SCRATCHPAD_CALLER).about("mode");
  return attr.change([&](AttrValues* a) -> Status {
    a->scratchpad = mode;
    return {};
  });
}

Status attr_set_dtype(AttrObject& attr, anydim_dtype_t dtype) {
  if (dtype != 0 && dtype_size(static_cast<DType>(dtype)) == 0)
    return invalid("dtype is {}; expected {}..{}, or 0 for the operator's own", dtype, ANYDIM_F32, kLastDType).about("dtype");
  return attr.change([&](AttrValues* a) -> Status {
    Quantization q = a->attributes.quantization ? *a->attributes.quantization : Quantization();
    q.result = static_cast<DType>(dtype);
    const bool any = !(q == Quantization());
    a->attributes.quantization = any ? std::make_shared<const Quantization>(std::move(q)) : nullptr;
    return {};
  });
}

Status attr_set_scales(AttrObject& attr, anydim_operand_t operand, int32_t axis, std::span<const float> values) {
  return change_factors(attr, operand, axis, true, {values.begin(), values.end()});
}

Status attr_set_zero_points(AttrObject& attr, anydim_operand_t operand, int32_t axis, std::span<const int32_t> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < -128 || values[i] > 255)
      return invalid("values[{}] is {}; expected a number of 8 bits", i, values[i]).about(formatted("values[{}]", i));
  return change_factors(attr, operand, axis, false, {values.begin(), values.end()});
}

Status layers_create(std::unique_ptr<LayersObject>* out) {
  *out = std::make_unique<LayersObject>();
  return {};
}

Status layers_set_math(LayersObject& layers, std::string_view layer, anydim_math_t mode) {
  if (layer.empty()) return invalid("layer is empty; expected the name of a node").about("layer");
  if (mode < ANYDIM_MATH_INHERIT || mode > ANYDIM_MATH_REDUCED)
    return invalid("mode is {}; expected {}..{}", mode, ANYDIM_MATH_INHERIT, ANYDIM_MATH_REDUCED).about("mode");
  layers.modes.emplace_back(layer, static_cast<MathMode>(mode));
  return {};
}

}  // namespace body
}  // namespace anydim::capi
