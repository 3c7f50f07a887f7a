// SPDX-License-Identifier: Apache-2.0
// Executing primitives with checks; see primitive.h. A graph skips the checks and calls plan() and run() itself.
#include "core/dispatch/primitive/checked_call.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/engines/cpu/engine.h"
#include "core/tensor/memory.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

TensorType type_of(const TensorView& t) {
  TensorType type;
  type.dtype = t.dtype;
  for (int64_t d : t.dims) type.dims.push_back(d);
  return type;
}

bool same_view(const TensorView& a, const TensorView& b) {
  return a.data == b.data && a.dtype == b.dtype && a.dims == b.dims && a.strides == b.strides;
}

// As the functions that execute name it.
std::string argument(const char* list, size_t index) { return formatted("{}[{}]", list, index); }

Status check_addresses(const TensorView& t, const char* what, size_t index) {
  if (t.dims.rank < 0 || t.dims.rank > kMaxRank)
    return invalid("{} {} has rank {}; at most {} is supported", what, index, t.dims.rank, kMaxRank);
  int64_t lowest = 0;
  for (int i = 0; i < t.dims.rank; ++i)
    if (t.dims[i] < 0) return invalid("{} {} dim {} is {}; dims are not negative", what, index, i, t.dims[i]);
  const int64_t span = element_span(t.dims, t.strides, &lowest);
  if (saturating_mul(span, dtype_size(t.dtype)) >= kMaxSize || lowest <= -kMaxSize || span < 0)
    return invalid("{} {} of dims {} is larger than any address space", what, index, to_string(t.dims));
  if (span > 0 && t.data == nullptr) return invalid("{} {} has no data (null) but {} elements", what, index, t.count());
  if (span > 0 && reinterpret_cast<uintptr_t>(t.data) % static_cast<uintptr_t>(dtype_size(t.dtype)) != 0)
    return invalid("{} {} is at an address that is not a multiple of the {} bytes of {}", what, index, dtype_size(t.dtype),
                   dtype_name(t.dtype));
  return {};
}

Status check_memory(const TensorView& t, const char* what, size_t index, const char* list, size_t place) {
  Status s = check_addresses(t, what, index);
  return s.ok() ? std::move(s) : std::move(s).about(argument(list, place));
}

// As many scales and zero points as the axes of this call are long.
Status check_factors(const Quantization& q, const CheckedCall& call, std::span<const TensorView> tensors) {
  const Dims in[] = {call.in[0].dims, call.in[1].dims};
  Dims dims[Quantization::kMostTensors];
  for (size_t i = 0; i < tensors.size(); ++i) dims[i] = tensors[i].dims;
  return q.check_counts(in, call.out[0], {dims, tensors.size()});
}

}  // namespace

Status Primitive::check(std::span<const TensorView> in, std::span<const TensorView> post_in, std::span<const TensorView> out,
                        bool with_data, const PinnedWeights& weights, CheckedCall* call) const {
  const std::span<const TensorType> described_in = descriptors_->in, described_out = descriptors_->out;
  const size_t expected = this->run_time_count();
  if (in.size() != expected) return invalid("{} inputs were given; {} expects {}", in.size(), op().name(), expected).about("inputs");
  const OperandSet constants = this->constant_operands();
  int64_t slots[kMaxSlots];
  bool bound[kMaxSlots] = {};
  size_t next = 0;
  for (size_t operand = 0; operand < described_in.size(); ++operand) {
    if (constants.has(operand)) {
      call->in[call->in_count++] = weights.views()[operand];
      continue;
    }
    const size_t i = next++;  // of those that are given
    const TensorType& want = described_in[operand];
    const TensorView& t = in[i];
    if (want.dtype == DType::none) {
      if (t.dtype != DType::none)
        return invalid("input {} was left out of the descriptors; it must be absent", i).about(argument("inputs", i));
      call->in[call->in_count++] = t;
      continue;
    }
    if (t.dtype != want.dtype)
      return invalid("input {} has dtype {}; its descriptor says {}", i, dtype_name(t.dtype), dtype_name(want.dtype))
          .about(argument("inputs", i));
    if (t.dims.rank != want.dims.rank)
      return invalid("input {} has rank {}; its descriptor says {}", i, t.dims.rank, want.dims.rank).about(argument("inputs", i));
    for (int d = 0; d < t.dims.rank; ++d) {
      const Dim w = want.dims[d];
      if (w.is_number()) {
        if (t.dims[d] != w.number())
          return error(Code::out_of_bounds, "input {} dim {} is {}; its descriptor says {}", i, d, t.dims[d], w.number())
              .about(argument("inputs", i));
        continue;
      }
      const DimExpr& e = pool().expr(w.expr());
      if (e.op != DimOp::symbol) continue;  // made from symbols: compared below, through the shape rule
      const int64_t v = t.dims[d];
      if (v < e.promise.min)
        return error(Code::out_of_bounds, "input {} dim {} is {}; its descriptor promises at least {}", i, d, v, e.promise.min)
            .about(argument("inputs", i));
      if (v > e.promise.max)
        return error(Code::out_of_bounds, "input {} dim {} is {}; its descriptor promises at most {}", i, d, v, e.promise.max)
            .about(argument("inputs", i));
      if (e.promise.multiple_of > 1 && v % e.promise.multiple_of != 0)
        return error(Code::out_of_bounds, "input {} dim {} is {}; its descriptor promises a multiple of {}", i, d, v, e.promise.multiple_of)
            .about(argument("inputs", i));
      if (bound[w.expr()] && slots[w.expr()] != v)
        return error(Code::out_of_bounds, "input {} dim {} is {}; the same symbol was {} before", i, d, v, slots[w.expr()])
            .about(argument("inputs", i));
      slots[w.expr()] = v;
      bound[w.expr()] = true;
    }
    if (with_data) ANYDIM_TRY(check_memory(t, "input", i, "inputs", i));
    call->in[call->in_count++] = t;
  }
  // The shape rule on numbers gives the output dims and repeats every check of the operator on actual values.
  TensorType types[kMaxInputs], results[kMaxOutputs];
  const Quantization* const q = attributes().quantization.get();
  for (size_t o = 0; o < call->in_count; ++o) {
    types[o] = type_of(call->in[o]);
    if (q != nullptr) types[o].dtype = real_dtype(types[o].dtype);
  }
  DimPool none;
  call->out_count = described_out.size();
  for (const Dim& a : op().dim_attributes()) {
    if (!a.is_number()) return unimplemented("operator {} with a symbolic attribute runs in a graph only", op().name());
    call->attributes[call->attribute_count++] = a.number();
  }
  ANYDIM_TRY(op().infer(none, {types, call->in_count}, {results, described_out.size()}));
  for (size_t o = 0; o < described_out.size(); ++o)
    for (const Dim& d : results[o].dims) call->out[o].push_back(d.number());
  if (out.empty()) return {};

  if (out.size() != described_out.size())
    return invalid("{} outputs were given; {} expects {}", out.size(), op().name(), described_out.size()).about("outputs");
  const auto operands = static_cast<size_t>(attributes().operands()), chain = static_cast<size_t>(attributes().post_ops.operands());
  if (post_in.size() != operands)
    return invalid("{} post-op tensors were given; {} has {}", post_in.size(),
                   q != nullptr ? "with scales and zero points the primitive" : "the chain", operands)
        .about("inputs");
  for (size_t i = 0; i < operands; ++i) {
    if (const DType want = descriptors_->post_in[i].dtype; post_in[i].dtype != want)
      return invalid("post-op tensor {} has dtype {}; expected {}", i, dtype_name(post_in[i].dtype), dtype_name(want))
          .about(argument("inputs", in.size() + i));
    if (i < chain && !broadcasts_into(post_in[i].dims, call->out[0]))
      return invalid("post-op tensor {} of dims {} does not broadcast to the output's {}", i, to_string(post_in[i].dims),
                     to_string(call->out[0]))
          .about(argument("inputs", in.size() + i));
    if (with_data) ANYDIM_TRY(check_memory(post_in[i], "post-op tensor", i, "inputs", in.size() + i));
  }
  if (q != nullptr) ANYDIM_TRY(check_factors(*q, *call, post_in.subspan(chain)));
  for (size_t o = 0; o < out.size(); ++o) {
    if (out[o].dtype != described_out[o].dtype)
      return invalid("output {} has dtype {}; expected {}", o, dtype_name(out[o].dtype), dtype_name(described_out[o].dtype))
          .about(argument("outputs", o));
    if (!(out[o].dims == call->out[o]))
      return invalid("output {} has dims {}; {} gives {}", o, to_string(out[o].dims), op().name(), to_string(call->out[o]))
          .about(argument("outputs", o));
    if (!with_data) continue;
    ANYDIM_TRY(check_memory(out[o], "output", o, "outputs", o));
    if (may_repeat_elements(out[o]))
      return invalid("output {} has strides that put two of its elements at one address, or whose axes interleave", o)
          .about(argument("outputs", o));
    const AddressRange mine = address_range(out[o]);
    for (size_t i = 0; i < in.size(); ++i)
      if (overlap(mine, address_range(in[i])) && !(has_trait(op().kind(), Trait::elementwise) && same_view(out[o], in[i])))
        return invalid("output {} overlaps input {} in memory", o, i).about(argument("outputs", o));
    for (size_t i = 0; i < operands; ++i)
      if (overlap(mine, address_range(post_in[i])) && !same_view(out[o], post_in[i]))
        return invalid("output {} overlaps post-op tensor {} in memory", o, i).about(argument("outputs", o));
    for (size_t other = 0; other < o; ++other)
      if (overlap(mine, address_range(out[other])))
        return invalid("output {} overlaps output {} in memory", o, other).about(argument("outputs", o));
  }
  return {};
}

Status Primitive::output_dims(std::span<const TensorView> in, std::span<Dims> out) const {
  const PinnedWeights weights(weights_.get());
  CheckedCall call;
  ANYDIM_TRY(check(in, {}, {}, false, weights, &call));
  if (out.size() != call.out_count) return invalid("room for {} outputs was given; {} has {}", out.size(), op().name(), call.out_count);
  for (size_t i = 0; i < out.size(); ++i) out[i] = call.out[i];
  return {};
}

Status Primitive::scratch_bytes(std::span<const TensorView> in, std::span<const TensorView> out, std::span<const TensorView> post_in,
                                int threads, int64_t* bytes) const {
  const PinnedWeights weights(weights_.get());
  CheckedCall call;
  ANYDIM_TRY(check(in, post_in, out, false, weights, &call));
  Args args = call.args(out, post_in, Parallel(threads));
  fill_in(&args, weights.packed());
  Plan plan;
  this->plan(args, &plan);
  *bytes = plan.scratch;
  return {};
}

Status Primitive::execute(std::span<const TensorView> in, std::span<const TensorView> post_in, std::span<const TensorView> out,
                          void* scratch, int64_t scratch_size, const Parallel& parallel) const {
  if (core_->host_kernel() == nullptr)
    return invalid("the primitive is of engine {}, whose memory has no addresses; expected places and a stream", engine().kind());
  if (out.empty()) return invalid("no output was given; {} expects {}", op().name(), this->out().size());
  const PinnedWeights weights(weights_.get());  // to the end of the call, whatever updates come
  CheckedCall call;
  ANYDIM_TRY(check(in, post_in, out, true, weights, &call));
  Args args = call.args(out, post_in, parallel);
  fill_in(&args, weights.packed());
  Plan plan;
  this->plan(args, &plan);
  if (plan.scratch > scratch_size)
    return invalid("scratch has {} bytes; kernel {} needs {} for these dims", scratch_size, kernel().name(), plan.scratch)
        .about("scratch_bytes");
  if (plan.scratch > 0 && reinterpret_cast<uintptr_t>(scratch) % 64 != 0)
    return invalid("scratch is not aligned to 64 bytes").about("scratch");
  args.scratch = scratch;
  if (core_->policy().policy == ReusePolicy::reusable_first) request_tuning(args);
  const FloatingPointScope floating_point;
  return run(plan, args);
}

Status HostTensor::allocate(DType dtype, const Dims& dims, HostTensor* out) {
  auto buffer = AlignedBuffer::allocate(saturating_mul(element_count(dims), dtype_size(dtype)));
  if (!buffer.ok()) return buffer.take_status();
  out->memory = std::make_shared<AlignedBuffer>(std::move(*buffer));
  out->view.dtype = dtype;
  out->view.dims = dims;
  out->view.strides = dense_strides(dims);
  out->view.data = out->memory->data();
  return {};
}

Status execute_once(const OperatorPtr& op, std::span<const TensorView> in, const PostOps& post_ops, std::span<const TensorView> post_in,
                    std::vector<HostTensor>* out, std::shared_ptr<const Quantization> quantization) {
  std::vector<TensorType> types, post_types;
  for (const TensorView& t : in) types.push_back(type_of(t));
  for (const TensorView& t : post_in) post_types.push_back(type_of(t));
  PrimitiveAttributes attributes;
  attributes.post_ops = post_ops;
  attributes.quantization = std::move(quantization);
  PrimitivePtr primitive;
  ANYDIM_TRY(Primitive::create(cpu_engine(), op, {nullptr, types, post_types}, attributes, nullptr, &primitive));
  std::vector<HostTensor> results(primitive->out().size());
  std::vector<TensorView> views;
  for (size_t i = 0; i < results.size(); ++i) {
    Dims dims;
    for (const Dim& d : primitive->out()[i].dims) dims.push_back(d.number());
    ANYDIM_TRY(HostTensor::allocate(primitive->out()[i].dtype, dims, &results[i]));
    views.push_back(results[i].view);
  }
  int64_t bytes = 0;
  ANYDIM_TRY(primitive->scratch_bytes(in, views, post_in, 1, &bytes));
  auto scratch = AlignedBuffer::allocate(bytes);
  if (!scratch.ok()) return scratch.take_status();
  ANYDIM_TRY(primitive->execute(in, post_in, views, scratch->data(), bytes, Parallel(1)));
  *out = std::move(results);
  return {};
}

}  // namespace anydim
