// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about sequences that come in chunks.
#include <charconv>
#include <mutex>

#include "anydim/anydim.h"
#include "capi/model_objects.h"
#include "capi/views.h"

namespace anydim::capi {

Status read_streaming(const anydim_model_options_t& options, StreamingOptions* out) {
  if (options.streaming == nullptr) {
    if (options.streaming_chunk == 0) return {};
    return invalid("options.streaming_chunk is {}; expected 0 without options.streaming", options.streaming_chunk)
        .about("options.streaming_chunk");
  }
  if (options.streaming_chunk < 0 || options.streaming_chunk > kMaxSize)
    return invalid("options.streaming_chunk is {}; expected 0 (any number) or more", options.streaming_chunk)
        .about("options.streaming_chunk");
  out->most_chunk = options.streaming_chunk;
  const auto wrong = [&] {
    return invalid("options.streaming is '{}'; expected inputs with their axes, as in \"audio=2;mask=1\"", options.streaming)
        .about("options.streaming");
  };
  std::string_view rest = options.streaming;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const size_t sign = one.find_last_of('=');
    if (sign == std::string_view::npos || sign == 0) return wrong();
    StreamedAxis axis{std::string(one.substr(0, sign)), 0};
    const auto [end, failed] = std::from_chars(one.data() + sign + 1, one.data() + one.size(), axis.axis);
    if (failed != std::errc() || end != one.data() + one.size()) return wrong();
    for (const StreamedAxis& other : out->axes)
      if (other.input == axis.input) return invalid("options.streaming names input '{}' twice", axis.input).about("options.streaming");
    out->axes.push_back(std::move(axis));
  }
  return out->axes.empty() ? wrong() : Status();
}

namespace body {

Status streaming_create(SessionObject& session, std::unique_ptr<StreamingObject>* out) {
  const StreamingProgramPtr& program = session.model.streaming;
  if (program == nullptr) return invalid("the session's model was loaded without options.streaming").about("session");
  auto s = std::make_unique<StreamingObject>();
  {
    const std::lock_guard lock(session.mutex);
    if (session.streaming == nullptr) {
      const SessionObject::Options& o = session.options;
      ContextOptions context = o.context;
      context.bounds = o.bounds ? &*o.bounds : nullptr;
      const MemorySourceScope memory(session.engine->memory());
      std::unique_ptr<StreamingSession> made;
      ANYDIM_TRY(StreamingSession::create(program, context, o.limit, o.profile, &made));
      session.streaming = std::move(made);
    }
    s->context = std::make_unique<StreamingContext>(session.streaming);
  }
  s->engine = session.engine;
  s->threads = session.options.context.parallel.threads();
  *out = std::move(s);
  return {};
}

Status streaming_push(StreamingObject& streaming, std::span<const TensorView> inputs, int32_t last, std::span<TensorView> outputs,
                      const anydim_run_options_t& options) {
  Pin<CancellationObject> cancellation;
  RunCall call;
  ANYDIM_TRY(read_run_options(options, &cancellation, &call));
  ANYDIM_TRY(refuse_edges(options));
  return streaming.context->push(inputs, last != 0, outputs, call);
}

Status streaming_reset(StreamingObject& streaming) { return streaming.context->reset(); }

Status streaming_query(StreamingObject& streaming, anydim_streaming_info_t* info) {
  const StreamingFigures f = streaming.context->figures();
  const StreamingPlan& plan = streaming.context->session().plan();
  info->first_after = plan.first_after > INT32_MAX ? -1 : static_cast<int32_t>(plan.first_after);
  info->received = f.received;
  info->chunks = f.runs;
  info->bytes = f.bytes;
  info->most_chunk = plan.most_chunk;
  return {};
}

Status streaming_get_axis(StreamingObject& streaming, int32_t output, int32_t* axis) {
  const auto& outputs = streaming.context->session().plan().outputs;
  if (output < 0 || static_cast<size_t>(output) >= outputs.size())
    return error(Code::not_found, "output is {}; the model has {}", output, outputs.size()).about("output");
  *axis = outputs[static_cast<size_t>(output)].axis;
  return {};
}

Status streaming_get_bytes_needed(StreamingObject& streaming, int64_t* bytes) {
  return streaming.context->session().bytes_needed(streaming.threads, bytes);
}

}  // namespace body
}  // namespace anydim::capi
