// SPDX-License-Identifier: Apache-2.0
// Calls, batches that have begun, and what each request gets of them; see batch_queue.h.
#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "core/base/memory/out_of_memory.h"
#include "core/run/batching/batch_queue.h"
#include "core/run/batching/batch_state.h"
#include "core/run/context/copy_elements.h"

namespace anydim {

// -- calls --

Status BatchQueue::run(std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call) {
  for (;;) {
    const int64_t rows = call.places.empty() ? rows_of(pool_.program(), edges_, in) : -1;
    Request me;
    me.rows = rows;
    me.begun = wall_clock();
    me.stop = call.stop;
    if (call.timeout_ms >= 0) me.until = me.begun + saturating_mul(std::min<int64_t>(call.timeout_ms, INT32_MAX), 1'000'000);
    uint32_t forks = 0;
    Batch* mine = nullptr;
    {
      std::unique_lock lock(lock_);
      reset_after_fork();
      forks = forks_;
      if (!open_ || rows < 1 || rows > options_.rows) {
        lock.unlock();
        return pool_.run(in, out, call);
      }
      Group& group = find_group(in);
      if (may_run_alone(group)) {
        entered(group, me.begun);
        ++group.running;
        ++running_;
        lock.unlock();
        return run_alone(&group, in, out, call, me.begun, rows, forks);
      }
      if (waiting_ >= options_.waiting) {
        ++record_.total.refused;
        return error(Code::queue_full, "the queue is full: {} requests wait", waiting_);
      }
      need_thread();
      ANYDIM_TRY(reserve_place(group, in, out, &me));
      Batch& batch = *me.batch;
      fill_place(batch, batch.places[me.place].first, rows, in, &lock);
      me.state = Request::State::waiting;
      if (!open_ && !draining_) {
        leave(&me);
        ++record_.total.cancelled;
        return error(Code::cancelled, "the session's batching was stopped");
      }
      int64_t at = kNever;
      const int64_t now = wall_clock();
      const Batch* const next = next_batch(now, &at);
      const bool another_has_room = next != nullptr && running_ + 1 < batches_;
      if (next == &batch || (another_has_room && ready(batch, now, &at))) begin(mine = &batch);
      wake_if_due();
    }
    if (mine != nullptr) run_batch(mine);
    bool again = false;
    Status status = wait(me, call, forks, &again);
    if (again) continue;
    if (me.batch == nullptr || me.state != Request::State::delivered) return status;
    if (status.ok()) status = collect(*me.batch, me.place, out);
    release(me.batch);
    return status;
  }
}

// Copies rows to their place. Others may come and copy theirs meanwhile, unless that takes less time than to let them.
void BatchQueue::fill_place(Batch& batch, int64_t first, int64_t rows, std::span<const TensorView> in, std::unique_lock<ForkLock>* lock) {
  constexpr int64_t kFew = 4096;  // bytes
  int64_t bytes = 0;
  for (const TensorView& t : in) bytes = saturating_add(bytes, saturating_mul(t.count(), dtype_size(t.dtype)));
  if (batch.borrowed) bytes = 0;
  if (bytes > kFew) lock->unlock();
  for (size_t i = 0; i < in.size() && !batch.borrowed; ++i)
    if (const int axis = edges_.inputs[i]; axis != RowEdges::kShared) copy_elements(in[i], row_slice(batch.in[i], axis, first, rows));
  if (bytes > kFew) lock->lock();
  --batch.filling;
}

Status BatchQueue::submit(std::span<const TensorView> in, std::span<const TensorView> out, const RunCall& call, Later later) {
  const int64_t rows = call.places.empty() ? rows_of(pool_.program(), edges_, in) : -1;
  if (rows < 0) return invalid("the inputs are no rows for a batch: dtypes, ranks and equal numbers of rows are needed").about("inputs");
  auto request = std::make_unique<Request>();
  request->rows = rows;
  request->begun = wall_clock();
  request->later = std::move(later);
  request->stop = request->later.stop.get();
  request->out.assign(out.begin(), out.end());
  if (call.timeout_ms >= 0) request->until = request->begun + saturating_mul(std::min<int64_t>(call.timeout_ms, INT32_MAX), 1'000'000);
  std::unique_lock lock(lock_);
  reset_after_fork();
  if (!open_) return error(Code::closed, "the session's batching was stopped");
  if (waiting_ >= options_.waiting) {
    ++record_.total.refused;
    return error(Code::queue_full, "the queue is full: {} requests wait", waiting_);
  }
  Group& group = find_group(in);
  need_thread();
  ANYDIM_TRY(reserve_place(group, in, out, request.get()));
  Request* const mine = request.release();  // the queue's: freed once it was reported
  const int64_t until = mine->until;
  if (mine->until != kNever) ++timed_;
  Batch& batch = *mine->batch;
  fill_place(batch, batch.places[mine->place].first, rows, in, &lock);
  mine->state = Request::State::waiting;
  if (!open_ && !draining_) {
    leave(mine);
    ++record_.total.cancelled;
    delete mine;
    return error(Code::closed, "the session's batching was stopped");
  }
  wake_if_due();
  bool watched = until == kNever;
  for (const Sleeper* s = sleepers_; s != nullptr; s = s->next) watched = watched || s->until <= until;
  if (!watched) wake_one();
  return {};
}

Status BatchQueue::run_alone(Group* group, std::span<const TensorView> in, std::span<TensorView> out, const RunCall& call, int64_t begun,
                             int64_t rows, uint32_t forks) {
  struct Finish {
    BatchQueue* queue;
    Group* group;
    Request request;
    uint32_t forks;
    Status* status;
    ~Finish() {
      const std::lock_guard lock(queue->lock_);
      queue->reset_after_fork();
      if (forks != queue->forks_) return;  // forked within the run: nobody here knows of it
      const int64_t now = wall_clock();
      queue->ended(*group, 1, request.rows, now);
      if (status->ok()) queue->record_.batch(request.rows);
      queue->note(request, *status, now);
      queue->wake_if_due();
    }
  };
  Status status = error(Code::out_of_memory, "there is no memory for the run");  // until it has ended otherwise
  {
    Finish finish{this, group, {}, forks, &status};
    finish.request.begun = begun;
    finish.request.rows = rows;
    status = pool_.run(in, out, call);
  }
  return status;
}

// Until it is delivered, its time is over or a signal ends it. `again`: this is the child of a fork, in which nobody knows of it.
Status BatchQueue::wait(Request& request, const RunCall& call, uint32_t forks, bool* again) {
  timespec time{};
  const timespec* until = nullptr;
  bool stopped = false;  // by a signal
  if (request.until != kNever) {
    time = time_of(request.until);
    until = &time;
  }
  while (const int why = served_.wait(request.served, request.bit, until)) {
    if (why != ETIMEDOUT) {
      if (call.interrupted == nullptr) continue;
      const bool ends = call.interrupted(call.user) != 0;
      if (forks != forks_so_far()) {
        *again = !ends;
        request.batch = nullptr;
        return error(Code::cancelled, "a signal ended the call");
      }
      if (!ends) continue;
    }
    const std::lock_guard lock(lock_);
    if (request.state == Request::State::delivered) continue;  // in a moment it is served
    if (request.state == Request::State::waiting) {
      leave(&request);
    } else if (why == ETIMEDOUT) {
      until = nullptr;  // it runs, and that is not ended
      continue;
    } else if (request.batch->borrowed) {
      __atomic_store_n(&request.batch->stop, 1, __ATOMIC_RELAXED);  // it runs on the caller's memory: its end is waited for
      stopped = true;
      continue;
    } else {
      request.batch->places[request.place].request = nullptr;
      request.batch = nullptr;
    }
    Status status = why == ETIMEDOUT ? error(Code::timed_out, "the batch of the request did not begin in {} ms", call.timeout_ms)
                                     : error(Code::cancelled, "a signal ended the call");
    note(request, status, request.begun);
    return status;
  }
  if (stopped && request.status.code() == Code::cancelled) return error(Code::cancelled, "a signal ended the call");
  return std::move(request.status);
}

// -- batches that have begun --

Status BatchQueue::run_one(std::span<const TensorView> in, std::span<TensorView> out, const int32_t* stop) noexcept try {
  RunCall call;
  call.stop = stop;
  return pool_.run(in, out, call);
} catch (const OutOfMemory&) {
  return no_memory();
} catch (const std::bad_alloc&) {
  return no_memory();
}

// Moves rows down over those of requests that left or are not run.
void BatchQueue::close_gaps(Batch& batch) noexcept {
  int64_t next = 0;
  for (Batch::Place& place : batch.places) {
    if (!place.status.ok()) continue;
    for (size_t i = 0; place.first != next && i < batch.in.size(); ++i)
      if (const int axis = edges_.inputs[i]; axis != RowEdges::kShared)
        for (int64_t row = 0; row < place.rows; ++row)
          copy_elements(row_slice(batch.in[i], axis, place.first + row, 1), row_slice(batch.in[i], axis, next + row, 1));
    place.first = next;
    next += place.rows;
  }
  batch.rows = next;
}

void BatchQueue::run_joined(Batch& batch) noexcept {
  const size_t outputs = edges_.outputs.size();
  const std::span<const Program::IoSpec> edges = pool_.program().outputs;
  Status status;
  try {
    batch.out.assign(outputs, {});
    batch.blocks.assign(outputs, nullptr);
    for (const Batch::Place& place : batch.places)
      for (size_t i = 0; i < outputs; ++i)
        if (place.status.ok() && place.wants(i)) batch.out[i].dtype = edges[i].dtype;
    std::vector<TensorView> in = batch.in;
    for (size_t i = 0; i < in.size(); ++i)
      if (const int axis = edges_.inputs[i]; axis != RowEdges::kShared) in[i].dims[axis] = batch.rows;
    status = run_one(in, batch.out, nullptr);
  } catch (const std::bad_alloc&) {
    status = no_memory();
  }
  if (!status.ok()) return run_one_by_one(batch);  // which of them is at fault shows so
  // All of them hold what any of them asked for, so that taking and leaving need no second count.
  for (size_t i = 0; i < outputs; ++i) {
    if (batch.out[i].data == nullptr) continue;
    batch.blocks[i] = ResultMemory::share(batch.out[i].data, static_cast<int64_t>(batch.places.size()));
    if (batch.blocks[i] != nullptr) continue;
    ResultMemory::instance().free(std::exchange(batch.out[i].data, nullptr));
    for (Batch::Place& place : batch.places)
      if (place.status.ok()) place.status = no_memory();
  }
}

void BatchQueue::run_one_by_one(Batch& batch) noexcept {
  batch.blocks.assign(batch.blocks.size(), nullptr);
  for (Batch::Place& place : batch.places) {
    if (!place.status.ok()) continue;
    try {
      std::vector<TensorView> in = batch.in;
      for (size_t i = 0; i < in.size(); ++i)
        if (const int axis = edges_.inputs[i]; axis != RowEdges::kShared) in[i] = row_slice(in[i], axis, place.first, place.rows);
      place.results.assign(edges_.outputs.size(), {});
      for (size_t i = 0; i < place.results.size(); ++i)
        if (place.wants(i)) place.results[i].dtype = pool_.program().outputs[i].dtype;
      place.status = run_one(in, place.results, batch.borrowed ? &batch.stop : nullptr);
    } catch (const std::bad_alloc&) {
      place.status = no_memory();
    }
    if (!place.status.ok()) place.results.clear();
  }
}

void BatchQueue::run_batch(Batch* batch) noexcept {
  close_gaps(*batch);
  const auto runs =
      static_cast<int64_t>(std::count_if(batch->places.begin(), batch->places.end(), [](const Batch::Place& p) { return p.status.ok(); }));
  if (runs == 1) run_one_by_one(*batch);
  else if (runs > 1) run_joined(*batch);

  // Requests are delivered under the lock, so that none leaves any more, and reported without it.
  std::vector<Batch::Place>& places = batch->places;
  batch->holders.store(static_cast<int64_t>(places.size()) + 1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(lock_);
    const int64_t now = wall_clock();
    Group& group = *batch->group;
    for (Batch::Place& place : places) {
      if (place.request == nullptr) continue;  // it left meanwhile
      place.request->state = Request::State::delivered;
      note(*place.request, place.status, now);
      if (place.request->submitted()) ++telling_;
    }
    if (runs > 0) record_.batch(batch->rows);
    --group.busy[batch->lane];
    ended(group, static_cast<int64_t>(places.size()), batch->rows, now);
    wake_if_due();
  }
  bool waited_for = false;
  for (size_t i = 0; i < places.size(); ++i) {
    Batch::Place& place = places[i];
    Request* const request = place.request;
    Status status = std::move(place.status);
    if (request == nullptr) {
      drop(*batch, i);
      release(batch);
    } else if (request->submitted()) {
      if (status.ok()) status = collect(*batch, i, request->out);
      else drop(*batch, i);
      release(batch);
      request->batch = nullptr;
      notify(request, std::move(status));
    } else {
      if (!status.ok()) drop(*batch, i);
      request->status = std::move(status);
      Completions::set(&request->served);  // the last touch
      waited_for = true;
    }
  }
  if (waited_for) served_.wake(batch->bit);
  release(batch);
}

// What a request asked for of its batch's results. Small ones are copied, larger ones stay where they are. On failure `out` is untouched,
// and the request's share is released in any case.
Status BatchQueue::collect(Batch& batch, size_t number, std::span<TensorView> out) noexcept {
  Batch::Place& place = batch.places[number];
  const std::span<const Program::IoSpec> edges = pool_.program().outputs;
  ResultMemory& memory = ResultMemory::instance();
  Status status;
  constexpr size_t kInPlace = 8;
  TensorView in_place[kInPlace];
  std::vector<TensorView> more;
  try {
    if (edges.size() > kInPlace) more.resize(edges.size());
  } catch (const std::bad_alloc&) {
    drop(batch, number);
    return no_memory();
  }
  TensorView* const made = edges.size() > kInPlace ? more.data() : in_place;
  for (size_t i = 0; i < edges.size(); ++i) {
    const bool own = !place.results.empty();
    ResultMemory::Shared* const block = own ? nullptr : batch.blocks[i];
    TensorView part = own ? place.results[i] : batch.out[i];
    if (part.data == nullptr) continue;
    if (!own) part = row_slice(part, edges_.outputs[i], place.first, place.rows);
    bool keeps = false;
    if (status.ok() && wants(out, i) && out[i].data != nullptr) {
      if (out[i].dims == part.dims && out[i].dtype == part.dtype) copy_elements(part, out[i]);
      else
        status = invalid("output '{}' has dims {} and dtype {}; the run gives {} of {}", edges[i].name, to_string(out[i].dims),
                         dtype_name(out[i].dtype), to_string(part.dims), dtype_name(part.dtype))
                     .about(formatted("outputs[{}]", i));
    } else if (status.ok() && wants(out, i)) {
      const bool dense = own || rows_are_outermost(batch.out[i], edges_.outputs[i]);
      if (own) {
        keeps = true;
        made[i] = part;
      } else if (dense && part.count() * dtype_size(part.dtype) >= ResultMemory::kLeast) {
        keeps = memory.add_part(block, part.data);
        if (keeps) made[i] = part;
        else status = no_memory();
      } else {
        const MemorySourceScope scope(pool_.memory_source());
        made[i] = part;
        made[i].data = nullptr;
        const Perm order = edges[i].order.rank == part.dims.rank ? edges[i].order : Perm();
        status = place_result([&] { return formatted("output '{}'", edges[i].name); }, order, Parallel{1}, &made[i]);
        if (status.ok()) copy_elements(part, made[i]);
      }
    }
    if (keeps) continue;
    if (own) memory.free(part.data);
    else memory.release(block);
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (made[i].data == nullptr) continue;
    if (status.ok()) out[i] = made[i];
    else memory.free(made[i].data);
  }
  place.results.clear();
  return status;
}

// The share of a request that takes nothing.
void BatchQueue::drop(Batch& batch, size_t number) noexcept {
  Batch::Place& place = batch.places[number];
  if (!place.results.empty()) {
    for (const TensorView& result : place.results)
      if (result.data != nullptr) ResultMemory::instance().free(result.data);
    place.results.clear();
    return;
  }
  for (ResultMemory::Shared* const block : batch.blocks)
    if (block != nullptr) ResultMemory::instance().release(block);
}

void BatchQueue::release(Batch* batch) noexcept {
  if (batch->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(lock_);
  recycle(batch);
}

void BatchQueue::notify(Request* request, Status status) noexcept {
  const bool ok = status.ok();
  request->later.done(request->later.user, std::move(status),
                      ok ? std::span<const TensorView>(request->out) : std::span<const TensorView>());
  delete request;
  const std::lock_guard lock(lock_);
  if (--telling_ == 0) {
    quiet_.fetch_add(1, std::memory_order_release);
    quiet_.notify_all();
  }
}

}  // namespace anydim
