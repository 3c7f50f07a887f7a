// SPDX-License-Identifier: Apache-2.0
// A model for any number of threads; see session.h.
#include "core/run/session/session.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <new>
#include <vector>

#include "core/base/clock.h"
#include "core/base/memory/out_of_memory.h"
#include "core/base/memory/result_memory.h"
#include "core/run/context/requested_outputs.h"
#include "core/tensor/result.h"

namespace anydim {

namespace {

timespec later(int64_t milliseconds) noexcept {
  constexpr int64_t kYear = INT64_C(366) * 24 * 3600 * 1000;
  const int64_t at = wall_clock() + std::min(milliseconds, kYear) * 1'000'000;
  return {static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
}

// The outputs of one run: where the caller said, or in memory of ResultMemory, which goes back unless the caller gets it.
class Results {
 public:
  explicit Results(std::span<TensorView> out, size_t count) : out_(out), count_(count) {
    if (count > kInPlace) {
      more_views_.resize(count);
      more_dims_.resize(count);
    }
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i].data != nullptr) views()[i] = out[i];
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results() {
    for (size_t i = 0; i < out_.size(); ++i)
      if (void* const data = is_requested(out_[i]) ? views()[i].data : nullptr) ResultMemory::instance().free(data);
  }

  // Memory for those that are asked for, as large as these inputs make them. Those that only the run can determine come after it.
  Status take(Context& context, std::span<const TensorView> in, const EdgePlaces& places, RunPlaces* state) {
    if (state == nullptr && std::none_of(out_.begin(), out_.end(), is_requested)) return {};
    const std::span<Dims> dims(count_ > kInPlace ? more_dims_.data() : dims_, count_);
    ANYDIM_TRY(context.output_dims(in, dims, places));
    if (state != nullptr) ANYDIM_TRY(state->place(dims, views(), context.parallel()));
    const std::span<const Program::IoSpec> edges = context.program().outputs;
    for (size_t i = 0; i < out_.size(); ++i)
      if (is_requested(out_[i]) && std::none_of(dims[i].begin(), dims[i].end(), [](int64_t d) { return d < 0; }))
        ANYDIM_TRY(take(edges[i], dims[i], context.parallel(), &views()[i]));
    return {};
  }
  Status run(Context& context, std::span<const TensorView> in, const EdgePlaces& places, RunPlaces* state) {
    const std::span<TensorView> all = views();
    const auto deferred = [&](size_t i) { return i < out_.size() && is_requested(out_[i]) && all[i].data == nullptr; };
    bool any = false;
    for (size_t i = 0; i < all.size(); ++i) any = any || deferred(i);
    if (!any) {
      ANYDIM_TRY(context.run(in, all, places));
      return state == nullptr ? Status() : state->ran(context, all);
    }
    // What the context placed is its own.
    if (count_ > kInPlace) more_found_.resize(count_);
    const std::span<TensorView> found(count_ > kInPlace ? more_found_.data() : found_, count_);
    std::copy(all.begin(), all.end(), found.begin());
    ANYDIM_TRY(context.run(in, found, places));
    const std::span<const Program::IoSpec> edges = context.program().outputs;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!deferred(i)) continue;
      ANYDIM_TRY(take(edges[i], found[i].dims, context.parallel(), &all[i]));
      ANYDIM_TRY(context.copy_output(i, all[i]));
    }
    return state == nullptr ? Status() : state->ran(context, found);
  }
  std::span<TensorView> views() noexcept { return {count_ > kInPlace ? more_views_.data() : views_, count_}; }
  void hand_over() noexcept {
    for (size_t i = 0; i < out_.size(); ++i)
      if (is_requested(out_[i])) out_[i] = views()[i];
    out_ = {};
  }

 private:
  static constexpr size_t kInPlace = 8;
  static Status take(const Program::IoSpec& edge, const Dims& dims, const Parallel& parallel, TensorView* t) {
    t->dtype = edge.dtype;
    t->dims = dims;
    const Perm order = edge.order.rank == dims.rank ? edge.order : Perm();  // row-major where a run leaves axes out
    return place_result([&] { return formatted("output '{}'", edge.name); }, order, parallel, t);
  }

  std::span<TensorView> out_;
  size_t count_;
  TensorView views_[kInPlace], found_[kInPlace];
  Dims dims_[kInPlace];
  std::vector<TensorView> more_views_, more_found_;
  std::vector<Dims> more_dims_;
};

}  // namespace

Status Session::create(ProgramPtr program, const ContextOptions& options, int limit, bool profile, std::unique_ptr<Session>* out) {
  std::unique_ptr<Session> s(new Session(limit));
  s->program_ = std::move(program);
  s->options_ = options;
  s->profile_ = profile;
  if (options.bounds != nullptr) s->options_.bounds = &s->bounds_.emplace(*options.bounds);
  ANYDIM_TRY(s->use([](Pooled&) { return Status(); }, {}));
  *out = std::move(s);
  return {};
}

Status Session::use(Job job, void* it, const SessionCall& call) {
  Status status;
  bool memory = true;  // a thread of the pool's has nobody who would catch
  int64_t wanted = -1;
  timespec until;
  if (call.timeout_ms >= 0) until = later(call.timeout_ms);
  const pthread_t caller = pthread_self();
  std::atomic<int32_t> abandoned{0};  // while a thread of the pool's runs for this one
  const Turn turn = pool_.use(
      [&](Pooled& pooled) noexcept {
        const MemorySourceScope memory_of_results(memory_);
        Stop stop(call.stop, &abandoned);
        if (call.interrupted != nullptr && pthread_equal(pthread_self(), caller)) stop.set_question(call.interrupted, call.user);
        pooled.context->set_stop(stop);
        try {
          status = job(it, pooled);
        } catch (const OutOfMemory& e) {
          memory = false;
          wanted = e.bytes();
        } catch (const std::bad_alloc&) {
          memory = false;
        }
        pooled.context->set_stop({});
        pooled.note();
      },
      [&]() -> std::unique_ptr<Pooled> {
        const MemorySourceScope memory_of_contexts(memory_);
        auto pooled = std::make_unique<Pooled>();
        status = Context::create(program_, options_, &pooled->context);
        if (!status.ok()) return nullptr;
        pooled->context->set_profiling(profile_);
        pooled->note();
        return pooled;
      },
      [&] {
        if (call.interrupted == nullptr || call.interrupted(call.user) == 0) return false;
        abandoned.store(1, std::memory_order_relaxed);
        return true;
      },
      call.timeout_ms >= 0 ? &until : nullptr);
  if (turn == Turn::timed_out)
    return error(Code::timed_out, "no context came free in {} ms; all {} of the session are in use", call.timeout_ms, limit_);
  if (turn == Turn::interrupted) return error(Code::cancelled, "a signal ended the call");
  if (!memory && wanted >= 0) throw OutOfMemory(wanted);
  if (!memory) throw std::bad_alloc();
  return status;
}

Session::~Session() = default;

Status Session::check_call(std::span<const TensorView> out, const SessionCall& call) const {
  ANYDIM_TRY(check_requested_outputs(*program_, out));
  if (call.stop != nullptr && __atomic_load_n(call.stop, __ATOMIC_RELAXED) != 0)
    return error(Code::cancelled, "the run was cancelled before it began");
  return {};
}

Status Session::run(std::span<const TensorView> in, std::span<TensorView> out, const SessionCall& call) {
  ANYDIM_TRY(check_call(out, call));
  if (BatchQueue* const queue = queue_.load(std::memory_order_acquire)) return queue->run(in, out, call);
  return run_directly(in, out, call);
}

Status Session::start_batches(const BatchOptions& options) {
  const std::lock_guard lock(batching_);
  if (batches_) return batches_->restart(options);
  ANYDIM_TRY(BatchQueue::create(*this, bounds_ ? &*bounds_ : nullptr, options, limit_, &batches_));
  queue_.store(batches_.get(), std::memory_order_release);
  return {};
}

void Session::stop_batches(bool cancel) {
  if (BatchQueue* const queue = queue_.load(std::memory_order_acquire)) queue->stop(cancel);
}

Status Session::submit(std::span<const TensorView> in, std::span<const TensorView> out, const SessionCall& call, BatchQueue::Later later) {
  ANYDIM_TRY(check_call(out, call));
  BatchQueue* const queue = queue_.load(std::memory_order_acquire);
  if (queue == nullptr) return error(Code::closed, "the session's batching was not started");
  return queue->submit(in, out, call, std::move(later));
}

BatchFigures Session::batch_figures() {
  BatchQueue* const queue = queue_.load(std::memory_order_acquire);
  return queue != nullptr ? queue->figures() : BatchFigures();
}

Status Session::run_directly(std::span<const TensorView> in, std::span<TensorView> out, const SessionCall& call) {
  const std::span<const Program::IoSpec> edges = program_->outputs;
  Results results(out, edges.size());
  ANYDIM_TRY(use(
      [&](Pooled& pooled) -> Status {
        pooled.has_run = false;
        const FloatingPointScope floating_point;
        ANYDIM_TRY(results.take(*pooled.context, in, call.places, call.state));
        ANYDIM_TRY(results.run(*pooled.context, in, call.places, call.state));
        pooled.has_run = true;
        return {};
      },
      call));
  results.hand_over();
  return {};
}

Status Session::explain(std::span<const TensorView> in, RunReport* out) {
  return use(
      [&](Pooled& pooled) -> Status {
        if (!in.empty()) {
          pooled.has_run = false;
          std::vector<TensorView> outputs(program_->outputs.size());
          const FloatingPointScope floating_point;
          pooled.context->set_profiling(true);
          Status status = pooled.context->run(in, outputs);
          pooled.context->set_profiling(profile_);
          if (!status.ok()) return status;
          pooled.has_run = true;
        }
        if (!pooled.has_run) return error(Code::not_found, "the context has not run yet");
        return pooled.context->explain(out);
      },
      {});
}

SessionFigures Session::figures() {
  SessionFigures f;
  f.contexts = pool_.size();
  f.limit = limit_;
  f.in_use = pool_.in_use();
  f.waiting = pool_.waiting();
  pool_.for_each([&](const Pooled& pooled) {
    f.growths += pooled.growths.load(std::memory_order_relaxed);
    f.arena_bytes += pooled.arena_bytes.load(std::memory_order_relaxed);
  });
  return f;
}

}  // namespace anydim
