// SPDX-License-Identifier: Apache-2.0
// Executions of primitives on devices: over places, by a stream; see device_calls.h.
#include "capi/device_calls.h"

#include <algorithm>

#include "core/dispatch/primitive/checked_call.h"

namespace anydim::capi {

namespace {

void place(std::span<const TensorView> views, std::span<const BufferRef> places, size_t first, std::span<PlacedTensor> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    const BufferRef* there = device_place(places, first + i);
    to[i] = {views[first + i], there != nullptr ? *there : BufferRef{}};
  }
}

Status too_many(size_t count, const char* what, size_t most) {
  return unimplemented("{} {} were given; at most {} are supported on this engine", count, what, most).about(what);
}

}  // namespace

Status check_engine(const Engine& engine, const char* what, std::span<const TensorView> views, std::span<const BufferRef> places) {
  for (size_t i = 0; i < views.size(); ++i) {
    const BufferRef* there = device_place(places, i);
    const char* const kind = there != nullptr ? there->memory->engine()->kind() : "cpu";
    if (there != nullptr ? same_device(*there->memory->engine(), engine) : engine.is_host()) continue;
    if (there == nullptr && views[i].data == nullptr && views[i].dtype == DType::none) continue;
    if (there == nullptr && views[i].data == nullptr)
      return invalid("{}[{}].memory is null; tensors of engine {} lie in its memory", what, i, engine.kind())
          .about(formatted("{}[{}]", what, i));
    return invalid("{}[{}] lies in memory of engine {}; the primitive is of engine {}", what, i, kind, engine.kind())
        .about(formatted("{}[{}]", what, i));
  }
  return {};
}

Status submit(const Primitive& primitive, StreamObject& stream, size_t own, const InputViews& inputs, const OutputViews& outputs) {
  const Engine& engine = primitive.engine();
  if (!same_device(*stream.engine, engine))
    return invalid("stream is of engine {}; the primitive is of engine {}", stream.engine->kind(), engine.kind()).about("stream");
  ANYDIM_TRY(check_engine(engine, "inputs", inputs.views, inputs.places));
  ANYDIM_TRY(check_engine(engine, "outputs", outputs.views, outputs.places));
  const size_t post = inputs.views.size() - own;
  if (own > kMaxInputs) return too_many(own, "inputs", kMaxInputs);
  if (outputs.views.size() > kMaxOutputs) return too_many(outputs.views.size(), "outputs", kMaxOutputs);
  int64_t needed = 0;
  ANYDIM_TRY(primitive.scratch_bytes(inputs.views.first(own), outputs.views, inputs.views.subspan(own), stream.stream->parallel().threads(),
                                     &needed));
  // What the stream was given before keeps the memory that it uses.
  if (needed > 0 && (stream.device_scratch == nullptr || stream.device_scratch->bytes() < needed))
    ANYDIM_TRY(stream.stream->engine()->allocate(needed, &stream.device_scratch));
  PlacedTensor in[kMaxInputs], post_in[kMaxPostTensors], out[kMaxOutputs];
  place(inputs.views, inputs.places, 0, {in, own});
  place(inputs.views, inputs.places, own, {post_in, post});
  place(outputs.views, outputs.places, 0, {out, outputs.views.size()});
  return primitive.submit(*stream.stream, {in, own}, {post_in, post}, {out, outputs.views.size()}, {stream.device_scratch.get(), 0},
                          stream.device_scratch != nullptr ? stream.device_scratch->bytes() : 0);
}

}  // namespace anydim::capi
