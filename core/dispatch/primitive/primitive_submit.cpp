// SPDX-License-Identifier: Apache-2.0
// A primitive given to a stream: the checks of execute() over places instead of pointers; see primitive.h.
#include "core/dispatch/primitive/checked_call.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/kernels/device_kernel.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

// Tensors as views at the addresses of their memory, so that places are compared and aligned as pointers are.
Status place_views(const Engine& engine, std::span<const PlacedTensor> tensors, const char* what, std::span<TensorView> views,
                   std::span<BufferRef> places) {
  if (tensors.size() > views.size())
    return invalid("{} {} tensors were given; at most {} are supported", tensors.size(), what, views.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorView& view = views[i] = tensors[i].view;
    const BufferRef& place = places[i] = tensors[i].place;
    view.data = nullptr;
    if (place.memory == nullptr) continue;
    if (!same_device(*place.memory->engine(), engine))
      return invalid("{} {} lies in memory of engine {}; the primitive is of engine {}", what, i, place.memory->engine()->kind(),
                     engine.kind());
    int64_t lowest = 0;
    const int64_t size = dtype_size(view.dtype), span = element_span(view.dims, view.strides, &lowest);
    const int64_t begin = saturating_add(place.offset, saturating_mul(lowest, size));
    const int64_t end = saturating_add(begin, saturating_mul(span, size));
    if (span > 0 && (begin < 0 || end > place.memory->bytes()))
      return invalid("{} {} takes the bytes {} to {} of its memory, which has {}", what, i, begin, end, place.memory->bytes());
    view.data = reinterpret_cast<void*>(place.memory->address() + static_cast<uintptr_t>(place.offset));
  }
  return {};
}

Status check_scratch(const Engine& engine, const BufferRef& scratch, int64_t size, int64_t needed, const char* kernel) {
  if (needed > size) return invalid("scratch has {} bytes; kernel {} needs {} for these dims", size, kernel, needed);
  if (needed == 0) return {};
  if (scratch.memory == nullptr) return invalid("scratch has no memory");
  if (!same_device(*scratch.memory->engine(), engine))
    return invalid("scratch lies in memory of engine {}; the primitive is of engine {}", scratch.memory->engine()->kind(), engine.kind());
  if (scratch.offset < 0 || size > scratch.memory->bytes() - scratch.offset)
    return invalid("scratch takes {} bytes at {} of its memory, which has {}", size, scratch.offset, scratch.memory->bytes());
  if (const auto alignment = static_cast<uintptr_t>(engine.base_alignment());
      (scratch.memory->address() + static_cast<uintptr_t>(scratch.offset)) % alignment != 0)
    return invalid("scratch is not aligned to {} bytes", alignment);
  return {};
}

// The executable that a device's plan was chosen with, if it is still there.
ExecutablePtr executable_of(const PrimitiveCore& core, const Plan& plan) {
  if (!plan.specialised || core.host_kernel() != nullptr) return nullptr;
  return core.call_executables().find(DeviceKernel::choice_of(plan).value[0]);
}

// Constants that a device reads as they are lie in its memory.
void place_kept(const PinnedWeights& weights_in_use, std::span<BufferRef> in) {
  if (weights_in_use.values() == nullptr) return;
  const std::vector<MemoryPtr>& kept = weights_in_use.values()->kept;
  for (size_t i = 0; i < kept.size() && i < in.size(); ++i)
    if (weights_in_use.views()[i].dtype != DType::none) in[i] = {kept[i].get(), 0};
}

}  // namespace

Status Primitive::submit(Stream& stream, std::span<const PlacedTensor> in, std::span<const PlacedTensor> post_in,
                         std::span<const PlacedTensor> out, BufferRef scratch, int64_t scratch_size) const {
  if (!same_device(*stream.engine(), engine()))
    return invalid("the stream is of engine {}; the primitive is of engine {}", stream.engine()->kind(), engine().kind());
  if (out.empty()) return invalid("no output was given; {} expects {}", op().name(), this->out().size());
  TensorView in_views[kMaxInputs], post_views[kMaxPostTensors], out_views[kMaxOutputs];
  BufferRef in_places[kMaxInputs], post_places[kMaxPostTensors], out_places[kMaxOutputs];
  ANYDIM_TRY(place_views(engine(), in, "input", in_views, in_places));
  ANYDIM_TRY(place_views(engine(), post_in, "post-op tensor", post_views, post_places));
  ANYDIM_TRY(place_views(engine(), out, "output", out_views, out_places));
  const std::span<const TensorView> operands(post_views, post_in.size()), outputs(out_views, out.size());
  const PinnedWeights weights(weights_.get());  // until the stream has them
  CheckedCall call;
  ANYDIM_TRY(check({in_views, in.size()}, operands, outputs, true, weights, &call));
  // From the places of what was given to those of all operands, the last first.
  const OperandSet weights_in_use = this->constant_operands();
  for (size_t o = call.in_count, next = in.size(); o-- > 0;) in_places[o] = weights_in_use.has(o) ? BufferRef{} : in_places[--next];
  place_kept(weights, {in_places, call.in_count});
  if (!engine().is_host()) {  // nobody follows an address there
    for (size_t i = 0; i < call.in_count; ++i) call.in[i].data = nullptr;
    for (TensorView& v : post_views) v.data = nullptr;
    for (TensorView& v : out_views) v.data = nullptr;
  }
  Args args = call.args(outputs, operands, stream.parallel());
  fill_in(&args, weights.packed());
  Plan plan;
  this->plan(args, &plan);
  ANYDIM_TRY(check_scratch(engine(), scratch, scratch_size, plan.scratch, kernel().name()));
  const ExecutablePtr specialised = executable_of(*core_, plan);
  if (core_->policy().policy == ReusePolicy::reusable_first && !engine().is_host()) request_tuning(args);
  return stream.submit({.kernel = kernel(),
                        .plan = plan,
                        .args = args,
                        .in = {in_places, call.in_count},
                        .out = {out_places, out.size()},
                        .post_in = {post_places, post_in.size()},
                        .weights = weights.values(),
                        .scratch = scratch,
                        .executable = core_->executable().get(),
                        .keep = shared_from_this(),
                        .specialised = specialised.get()});
}

Status Primitive::launch(Stream& stream, const Plan& plan, const Args& args, std::span<BufferRef> in, std::span<const BufferRef> out,
                         std::span<const BufferRef> post_in, BufferRef scratch) const {
  const PinnedWeights weights(weights_.get());  // until the stream has them
  place_kept(weights, in);
  Args current = args;  // bound before an update, maybe
  current.weights = weights.packed();
  const ExecutablePtr specialised = executable_of(*core_, plan);
  return stream.submit({.kernel = kernel(),
                        .plan = plan,
                        .args = current,
                        .in = in,
                        .out = out,
                        .post_in = post_in,
                        .weights = weights.values(),
                        .scratch = scratch,
                        .executable = core_->executable().get(),
                        .keep = shared_from_this(),
                        .specialised = specialised.get()});
}

}  // namespace anydim
