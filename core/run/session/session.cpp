// SPDX-License-Identifier: Apache-2.0
// Which way a call goes; see session.h.
#include "core/run/session/session.h"

#include <mutex>

#include "core/run/context/requested_outputs.h"

namespace anydim {

Status Session::create(ProgramPtr program, const ContextOptions& options, int limit, bool profile, std::unique_ptr<Session>* out) {
  std::unique_ptr<Session> s(new Session(std::move(program), options, limit, profile));
  ANYDIM_TRY(s->pool_.make_first());
  *out = std::move(s);
  return {};
}

Status Session::check_call(std::span<const TensorView> out, const RunCall& call) const {
  ANYDIM_TRY(check_requested_outputs(program(), out));
  if (call.stop != nullptr && __atomic_load_n(call.stop, __ATOMIC_RELAXED) != 0)
    return error(Code::cancelled, "the run was cancelled before it began");
  return {};
}

Status Session::run(std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call) {
  ANYDIM_TRY(check_call(out, call));
  BatchQueue* const queue = queue_.load(std::memory_order_acquire);
  return queue != nullptr ? queue->run(in, out, call) : pool_.run(in, out, call);
}

Status Session::start_batches(const BatchOptions& options) {
  const std::lock_guard lock(batching_);
  if (batches_) return batches_->restart(options);
  ANYDIM_TRY(BatchQueue::create(pool_, options, &batches_));
  queue_.store(batches_.get(), std::memory_order_release);
  return {};
}

void Session::stop_batches(bool cancel) {
  if (BatchQueue* const queue = queue_.load(std::memory_order_acquire)) queue->stop(cancel);
}

Status Session::submit(std::span<const TensorView> in, std::span<const TensorView> out, const RunCall& call, BatchQueue::Later later) {
  ANYDIM_TRY(check_call(out, call));
  BatchQueue* const queue = queue_.load(std::memory_order_acquire);
  if (queue == nullptr) return error(Code::closed, "the session's batching was not started");
  return queue->submit(in, out, call, std::move(later));
}

BatchFigures Session::batch_figures() {
  BatchQueue* const queue = queue_.load(std::memory_order_acquire);
  return queue != nullptr ? queue->figures() : BatchFigures();
}

}  // namespace anydim
