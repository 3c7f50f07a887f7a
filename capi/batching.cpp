// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about dynamic batching (core/run/batching/batch_queue.h).
#include "anydim/anydim.h"
#include "capi/model_objects.h"
#include "capi/shim_support.h"
#include "capi/views.h"

namespace anydim::capi::body {
namespace {

// What is called when a submitted request has ended, on a thread of the queue's.
struct Completion {
  anydim_done_callback_t done;
  void* user;

  static void complete(void* it, Status status, std::span<const TensorView> outputs) {
    const std::unique_ptr<Completion> completion(static_cast<Completion*>(it));
    if (!status.ok()) return completion->done(completion->user, report("anydim_session_submit", status), nullptr, 0);
    constexpr size_t kInPlace = 8;
    anydim_view_t in_place[kInPlace];
    std::unique_ptr<anydim_view_t[]> more;
    if (outputs.size() > kInPlace) more.reset(new (std::nothrow) anydim_view_t[outputs.size()]);
    anydim_view_t* const views = outputs.size() > kInPlace ? more.get() : in_place;
    if (views == nullptr) return completion->done(completion->user, report("anydim_session_submit", std::bad_alloc()), nullptr, 0);
    for (size_t i = 0; i < outputs.size(); ++i) {
      views[i] = {};
      if (outputs[i].data != nullptr) write_view(outputs[i], &views[i]);
    }
    completion->done(completion->user, ANYDIM_STATUS_OK, views, static_cast<int32_t>(outputs.size()));
  }
};

}  // namespace

Status session_start_batching(SessionObject& session, const anydim_batching_options_t& options) {
  constexpr int64_t kHour = INT64_C(3'600'000'000);
  if (options.wait_us < 0 || options.wait_us > kHour)
    return invalid("wait_us is {}; expected 0 to {}", options.wait_us, kHour).about("options.wait_us");
  return session.session->start_batches({options.rows, options.wait_us * 1000, options.waiting});
}

Status session_stop_batching(SessionObject& session, int32_t cancel) {
  session.session->stop_batches(cancel != 0);
  return {};
}

Status session_query_batching(SessionObject& session, anydim_batching_info_t* info) {
  const BatchFigures f = session.session->batch_figures();
  info->started = f.open ? 1 : 0;
  info->waiting = f.waiting;
  info->running = f.running;
  info->requests = f.requests;
  info->rows = f.rows;
  info->batches = f.batches;
  info->largest_batch = f.largest_batch;
  info->failed = f.failed;
  info->cancelled = f.cancelled;
  info->late = f.late;
  info->refused = f.refused;
  info->p50_ns = f.p50_ns;
  info->p99_ns = f.p99_ns;
  info->rows_per_second = f.rows_per_second;
  return {};
}

Status session_submit(SessionObject& session, std::span<const TensorView> inputs, std::span<TensorView> outputs,
                      const anydim_run_options_t& options, anydim_done_callback_t done, void* user) {
  if (done == nullptr) return invalid("done is null; expected a function").about("done");
  ANYDIM_TRY(refuse_edges(options));
  Pin<CancellationObject> cancellation;
  ANYDIM_TRY(cancellation.acquire(options.cancellation, "options.cancellation", true));
  RunCall call;
  call.timeout_ms = options.timeout_ms;
  BatchQueue::Later later;
  if (cancellation.get() != nullptr) later.stop = cancellation.get()->flag;
  call.stop = later.stop.get();
  auto completion = std::make_unique<Completion>(Completion{done, user});
  later.done = Completion::complete;
  later.user = completion.get();
  ANYDIM_TRY(session.session->submit(inputs, outputs, call, std::move(later)));
  static_cast<void>(completion.release());  // complete() frees it, and may have done so
  return {};
}

}  // namespace anydim::capi::body
