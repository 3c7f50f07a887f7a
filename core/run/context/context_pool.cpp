// SPDX-License-Identifier: Apache-2.0
// Runs in contexts of a pool, and the memory of their results; see context_pool.h.
#include "core/run/context/context_pool.h"

#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <new>
#include <vector>

#include "core/base/clock.h"
#include "core/base/memory/out_of_memory.h"
#include "core/base/memory/result_memory.h"
#include "core/run/context/explain.h"
#include "core/tensor/memory_order.h"
#include "core/tensor/result.h"

namespace anydim {

namespace {

timespec later(int64_t milliseconds) noexcept {
  constexpr int64_t kYear = INT64_C(366) * 24 * 3600 * 1000;
  const int64_t at = wall_clock() + std::min(milliseconds, kYear) * 1'000'000;
  return {static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
}

}  // namespace

// The outputs of one run: where the caller said, or in memory of ResultMemory, which goes back unless the caller gets it.
class ContextPool::Results final : public OutputPlacer {
 public:
  Results(const Program& program, std::span<TensorView> out, const RunCall& call)
      : program_(program),
        edges_(program.outputs),
        out_(out),
        state_(call.state),
        aliases_(call.aliases),
        more_views_(edges_.size() > kInPlace ? edges_.size() : 0) {
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i].data != nullptr) views()[i] = out[i];
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results() {
    for (size_t i = 0; i < out_.size(); ++i)
      if (is_requested(out_[i]) && views()[i].data != nullptr && !is_alias(i)) ResultMemory::instance().free(views()[i].data);
  }

  Status run(Context& context, std::span<const TensorView> in, const EdgePlaces& places) {
    parallel_ = &context.parallel();
    may_be_aliases_ = &context.aliases();
    in_ = in;
    const bool places_any = state_ != nullptr || std::any_of(out_.begin(), out_.end(), is_requested);
    ANYDIM_TRY(context.run(in, views(), places, places_any ? this : nullptr));
    return state_ == nullptr ? Status() : state_->ran(context, views());
  }
  void hand_over() noexcept {
    for (size_t i = 0; i < aliases_.size(); ++i)
      if (i >= out_.size() || !is_requested(out_[i])) aliases_[i] = -1;  // nobody wants it
    for (size_t i = 0; i < out_.size(); ++i)
      if (is_requested(out_[i])) out_[i] = views()[i];
    out_ = {};
  }

 private:
  static constexpr size_t kInPlace = 8;

  // Those that are asked for, as large as these inputs make them. Those that only the run can determine come after it.
  Status place(std::span<const Dims> dims, std::span<TensorView> out, bool* moved) override {
    if (state_ != nullptr) ANYDIM_TRY(state_->place(dims, out, moved));
    for (size_t i = 0; i < out_.size(); ++i)
      if (is_requested(out_[i]) && !may_be_aliases_->is_asked(i) &&
          std::none_of(dims[i].begin(), dims[i].end(), [](int64_t d) { return d < 0; }))
        ANYDIM_TRY(place_result(i, dims[i], &out[i]));
    return {};
  }
  Status place_found(size_t i, const Dims& dims, TensorView* out) override {
    if (i < out_.size() && is_requested(out_[i])) return place_result(i, dims, out);
    return state_ != nullptr ? state_->place_found(i, dims, out) : Status();
  }
  Status place_result(size_t i, const Dims& dims, TensorView* t) {
    const Program::IoSpec& edge = edges_[i];
    t->dtype = edge.dtype;
    t->dims = dims;
    const Perm order = edge.order.rank == dims.rank ? order_of(i) : Perm();  // row-major where a run leaves axes out
    return anydim::place_result([&] { return formatted("output '{}'", edge.name); }, order, *parallel_, t);
  }
  // That of the output; or as an input comes; or without its last copy, if nobody asked for one and the input that it follows is not
  // row-major.
  Perm order_of(size_t i) const noexcept {
    const int32_t follows = edges_[i].follows;
    if (edges_[i].like >= 0) return order_in_memory(in_[static_cast<size_t>(edges_[i].like)]);
    if (follows >= 0 && !lies_in_rows(in_[static_cast<size_t>(follows)]))
      for (const Program::EdgeCopy& c : program_.edge_copies)
        if (c.output && static_cast<size_t>(c.edge) == i) return c.order;
    return edges_[i].order;
  }
  bool is_alias(size_t i) const noexcept { return i < aliases_.size() && aliases_[i] >= 0; }
  std::span<TensorView> views() noexcept { return {more_views_.empty() ? views_ : more_views_.data(), edges_.size()}; }

  const Program& program_;
  const std::span<const Program::IoSpec> edges_;
  std::span<TensorView> out_;
  RunPlaces* const state_;
  const std::span<int32_t> aliases_;
  const OutputAliases* may_be_aliases_ = nullptr;
  const Parallel* parallel_ = nullptr;
  std::span<const TensorView> in_;
  TensorView views_[kInPlace];
  std::vector<TensorView> more_views_;
};

ContextPool::ContextPool(ProgramPtr program, const ContextOptions& options, int limit, bool profile)
    : program_(std::move(program)),
      bounds_(options.bounds != nullptr ? std::optional<Bounds>(*options.bounds) : std::nullopt),
      options_(options),
      limit_(limit),
      profile_(profile),
      pool_(limit) {
  options_.bounds = bounds();
}

Status ContextPool::make_context(std::unique_ptr<Pooled>* out) {
  const MemorySourceScope memory_of_contexts(memory_);
  auto pooled = std::make_unique<Pooled>();
  ANYDIM_TRY(Context::create(program_, options_, &pooled->context));
  pooled->context->set_profiling(profile_);
  pooled->note();
  *out = std::move(pooled);
  return {};
}

Status ContextPool::use(const Job& job, const RunCall& call) {
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
          status = serve(job, call, pooled);
        } catch (const OutOfMemory& e) {
          memory = false;
          wanted = e.bytes();
        } catch (const std::bad_alloc&) {
          memory = false;
        }
        pooled.context->set_stop({});
        pooled.context->set_aliases({});
        pooled.note();
      },
      [&] {
        std::unique_ptr<Pooled> pooled;
        status = make_context(&pooled);
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

Status ContextPool::serve(const Job& job, const RunCall& call, Pooled& pooled) {
  if (job.results != nullptr) {
    pooled.has_run = false;
    if (job.report != nullptr) pooled.context->set_profiling(true);
    pooled.context->set_aliases(call.aliases);
    pooled.context->note_gathered(call.gathered_bytes);
    Status status = job.results->run(*pooled.context, job.in, call.places);
    pooled.context->set_profiling(profile_);
    if (!status.ok()) return status;
    pooled.has_run = true;
  }
  if (job.report == nullptr) return {};
  if (!pooled.has_run) return error(Code::not_found, "the context has not run yet");
  return anydim::explain(*pooled.context, job.report);
}

Status ContextPool::make_first() { return use({}, {}); }

Status ContextPool::run(std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call) {
  Results results(*program_, out, call);
  ANYDIM_TRY(use({in, &results, nullptr}, call));
  results.hand_over();
  return {};
}

Status ContextPool::explain(std::span<const TensorView> in, RunReport* out) {
  Results results(*program_, {}, {});
  return use({in, in.empty() ? nullptr : &results, out}, {});
}

PoolFigures ContextPool::figures() {
  PoolFigures f;
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
