// SPDX-License-Identifier: Apache-2.0
// See batch_queue.h.
#include "core/run/batch_queue.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/own_thread.h"
#include "core/run/session.h"
#include "core/tensor/result.h"

namespace anydim {
namespace {

constexpr int64_t kNever = INT64_MAX;
constexpr size_t kMostGroups = 64;  // that are kept while nothing of them is here

int64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
timespec time_of(int64_t ns) noexcept { return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)}; }

bool is_set(const int32_t* stop) noexcept { return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

bool wants(std::span<const TensorView> out, size_t i) noexcept { return i < out.size() && (out[i].data != nullptr || asks(out[i])); }

Status no_memory() { return error(Code::out_of_memory, "there is no memory for a batch"); }
Status was_cancelled() { return error(Code::cancelled, "the request was cancelled before its batch began"); }

}  // namespace

// One call, on the stack of the thread that waits or, if it was submitted, on the heap. All but `served` under the lock, until it is
// delivered.
struct BatchQueue::Request {
  enum class State : uint8_t { filling, waiting, running, delivered };
  Completion served;
  State state = State::filling;
  int64_t rows = 0, begun = 0, until = kNever;
  const int32_t* stop = nullptr;
  Batch* batch = nullptr;  // null when it is delivered: it did not run
  size_t place = 0;        // in the batch
  Status status;
  std::vector<TensorView> out;  // of one that was submitted
  Later later;
  bool submitted() const noexcept { return later.done != nullptr; }
};

// Requests that run together. Memory is kept from batch to batch.
struct BatchQueue::Batch {
  struct Place {
    Request* request = nullptr;  // null: it left
    int64_t first = 0, rows = 0;
    uint64_t wanted = 0;  // outputs that are asked for; the 64th and later ones always are
    Status status;
    std::vector<TensorView> results;  // of one that ran by itself
    bool wants(size_t output) const noexcept { return output >= 64 || (wanted >> output & 1) != 0; }
  };
  Group* group = nullptr;
  std::vector<Place> places;
  int64_t rows = 0, filling = 0, live = 0, opened = 0;
  bool full = false;
  std::vector<Staging> memory;                // by input
  std::vector<TensorView> in;                 // there, with as many rows as there is room for
  std::vector<TensorView> out;                // of all rows
  std::vector<ResultMemory::Shared*> blocks;  // where these lie
  std::atomic<int64_t> holders{0};            // who has yet to take results
};

// Requests that can join: what they have in common, and how many came together last.
struct BatchQueue::Group {
  std::string key;
  Batch* open = nullptr;
  int64_t expected = 1, inside = 0, ended = 0;
  int running = 0;  // batches
  uint64_t used = 0;
};

// A thread of the queue's that waits until a time, or until it is woken.
struct BatchQueue::Sleeper {
  Completion woken;
  int64_t until = kNever;
  Sleeper* next = nullptr;
};

BatchQueue::BatchQueue(Session& session, int batches) : session_(session), batches_(batches) {}

Status BatchQueue::check(const BatchOptions& options) const {
  if (options.rows < 1) return invalid("rows is {}; expected 1 or more", options.rows).about("options.rows");
  if (options.rows > edges_.most)
    return invalid("rows is {}; the model and the bounds of the session allow {} at most", options.rows, edges_.most).about("options.rows");
  if (options.wait_ns < 0) return invalid("the longest wait is {} ns; expected 0 or more", options.wait_ns).about("options.wait_us");
  if (options.waiting < 1) return invalid("waiting is {}; expected 1 or more", options.waiting).about("options.waiting");
  return {};
}

Status BatchQueue::create(Session& session, const Bounds* bounds, const BatchOptions& options, int batches,
                          std::unique_ptr<BatchQueue>* out) {
  std::unique_ptr<BatchQueue> queue(new BatchQueue(session, batches));
  ANYDIM_TRY(find_row_edges(session.program(), bounds, &queue->edges_));
  ANYDIM_TRY(queue->check(options));
  queue->options_ = options;
  *out = std::move(queue);
  return {};
}

BatchQueue::~BatchQueue() {
  stop(true);
  std::unique_lock lock(lock_);
  ending_ = true;
  while (threads_ != 0) {
    while (sleepers_ != nullptr) wake_one();
    const uint32_t seen = quiet_.load(std::memory_order_acquire);
    lock.unlock();
    quiet_.wait(seen, std::memory_order_acquire);
    lock.lock();
  }
}

// The first call in a child of a fork: what the parent's other threads were doing here is over, and what they left half-way is not touched.
void BatchQueue::settle() noexcept {
  if (forks_ == forks_so_far()) return;
  forks_ = forks_so_far();
  for (const auto& group : groups_) {
    group->open = nullptr;
    group->inside = group->running = 0;
    group->expected = 1;
  }
  full_.clear();
  waiting_ = inside_ = telling_ = timed_ = 0;
  running_ = threads_ = 0;
  sleepers_ = nullptr;
}

BatchQueue::Group& BatchQueue::find_group(std::span<const TensorView> in) {
  key_.clear();
  write_join_key(edges_, in, &key_);
  Group* oldest = nullptr;
  for (const auto& group : groups_) {
    if (group->key == key_) {
      group->used = ++uses_;
      return *group;
    }
    const bool idle = group->inside == 0 && group->running == 0 && group->open == nullptr;
    if (idle && (oldest == nullptr || group->used < oldest->used)) oldest = group.get();
  }
  if (groups_.size() < kMostGroups || oldest == nullptr) {
    groups_.push_back(std::make_unique<Group>());
    oldest = groups_.back().get();
  }
  oldest->key = key_;
  oldest->expected = 1;
  oldest->ended = 0;
  oldest->used = ++uses_;
  return *oldest;
}

bool BatchQueue::may_run_alone(const Group& group) const noexcept {
  return group.open == nullptr && group.running == 0 && group.inside + 1 >= group.expected && running_ < batches_ && full_.empty();
}

// A batch that has room for the request, and its rows in it, which are the caller's to fill.
Status BatchQueue::take_place(Group& group, std::span<const TensorView> in, std::span<const TensorView> out, Request* request) {
  if (Batch* const open = group.open; open != nullptr && open->rows + request->rows > options_.rows) {
    full_.push_back(open);
    open->full = true;
    group.open = nullptr;
  }
  full_.reserve(full_.size() + 1);
  if (group.open == nullptr) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Batch>());
    Batch* const batch = spare_.back().get();
    batch->places.reserve(static_cast<size_t>(std::min<int64_t>(options_.rows, 1024)));
    ANYDIM_TRY(make_room(batch, in));
    spare_.reserve(spare_.size() + 8);  // so that it can come back
    static_cast<void>(spare_.back().release());
    spare_.pop_back();
    batch->group = &group;
    batch->opened = request->begun;
    group.open = batch;
  }
  Batch& batch = *group.open;
  batch.places.emplace_back();
  batch.places.back().request = request;
  batch.places.back().first = batch.rows;
  batch.places.back().rows = request->rows;
  for (size_t i = 0; i < std::min<size_t>(out.size(), 64); ++i)
    if (wants(out, i)) batch.places.back().wanted |= uint64_t{1} << i;
  request->batch = &batch;
  request->place = batch.places.size() - 1;
  batch.rows += request->rows;
  ++batch.filling;
  ++batch.live;
  ++waiting_;
  ++inside_;
  ++group.inside;
  if (batch.rows == options_.rows) {
    full_.push_back(&batch);
    batch.full = true;
    group.open = nullptr;
  }
  return {};
}

Status BatchQueue::make_room(Batch* batch, std::span<const TensorView> in) {
  const MemorySourceScope memory(session_.memory_source());
  const std::span<const Program::Edge> edges = session_.program().inputs;
  batch->memory.resize(in.size());
  batch->in.assign(in.begin(), in.end());
  for (size_t i = 0; i < in.size(); ++i) {
    TensorView& t = batch->in[i];
    if (edges_.inputs[i] != RowEdges::kShared) t.dims[edges_.inputs[i]] = options_.rows;
    t.strides = dense_strides(t.dims, edges[i].order.rank == t.dims.rank ? edges[i].order : Perm());
    const int64_t bytes = saturating_mul(t.count(), dtype_size(t.dtype));
    if (!batch->memory[i].reserve(std::max<int64_t>(bytes, 1)))
      return error(Code::out_of_memory, "input '{}': no memory for {} rows to wait in ({} bytes)", edges[i].name, options_.rows, bytes);
    t.data = batch->memory[i].data();
    if (edges_.inputs[i] == RowEdges::kShared) copy_elements(in[i], t);
  }
  return {};
}

bool BatchQueue::ready(const Batch& batch, int64_t now, int64_t* at) const noexcept {
  if (batch.filling > 0 || batch.live == 0 || running_ >= batches_) return false;
  if (batch.full || draining_) return true;
  const Group& group = *batch.group;
  if (group.running > 0) return false;
  if (group.inside >= group.expected) return true;
  const int64_t due = std::max(batch.opened, group.ended) + options_.wait_ns;
  if (due > now) *at = std::min(*at, due);
  return due <= now;
}

BatchQueue::Batch* BatchQueue::next_batch(int64_t now, int64_t* at) const noexcept {
  for (Batch* const batch : full_)
    if (ready(*batch, now, at)) return batch;
  Batch* best = nullptr;
  for (const auto& group : groups_)
    if (group->open != nullptr && ready(*group->open, now, at) && (best == nullptr || group->open->opened < best->opened)) best = group->open;
  return best;
}

void BatchQueue::detach(Batch* batch) noexcept {
  if (batch->group->open == batch) batch->group->open = nullptr;
  full_.erase(std::remove(full_.begin(), full_.end(), batch), full_.end());
}

void BatchQueue::recycle(Batch* batch) noexcept {
  batch->places.clear();
  batch->rows = batch->filling = batch->live = 0;
  batch->full = false;
  batch->out.clear();
  batch->blocks.clear();
  batch->group = nullptr;
  std::unique_ptr<Batch> mine(batch);
  if (spare_.size() < static_cast<size_t>(batches_) + 1 && spare_.size() < spare_.capacity()) spare_.push_back(std::move(mine));
}

void BatchQueue::begin(Batch* batch) noexcept {
  detach(batch);
  ++batch->group->running;
  ++running_;
  waiting_ -= batch->live;
  std::vector<Batch::Place>& places = batch->places;
  places.erase(std::remove_if(places.begin(), places.end(), [](const Batch::Place& p) { return p.request == nullptr; }), places.end());
  for (size_t i = 0; i < places.size(); ++i) {
    Request& request = *places[i].request;
    request.state = Request::State::running;
    request.place = i;
    if (request.until != kNever && request.submitted()) --timed_;
    if (is_set(request.stop)) places[i].status = was_cancelled();
  }
}

// A request that waits gives up.
void BatchQueue::leave(Request* request) noexcept {
  Batch* const batch = request->batch;
  batch->places[request->place].request = nullptr;
  if (request->until != kNever && request->submitted()) --timed_;
  --batch->live;
  --waiting_;
  --inside_;
  --batch->group->inside;
  request->batch = nullptr;
  if (batch->live == 0 && batch->filling == 0) {
    detach(batch);
    recycle(batch);
  }
  if (inside_ == 0) {
    quiet_.fetch_add(1, std::memory_order_release);
    quiet_.notify_all();
  }
}

void BatchQueue::ended(Group& group, int64_t requests, int64_t now) noexcept {
  group.expected = std::max<int64_t>(group.inside, 1);
  group.inside -= requests;
  group.ended = now;
  --group.running;
  --running_;
  inside_ -= requests;
  if (inside_ == 0) {
    quiet_.fetch_add(1, std::memory_order_release);
    quiet_.notify_all();
  }
}

void BatchQueue::note(const Request& request, const Status& status, int64_t now) noexcept try {
  BatchFigures& total = record_.total;
  if (status.ok()) return record_.request(request.begun, now, request.rows);
  ++(status.code() == Code::cancelled ? total.cancelled : status.code() == Code::busy ? total.late : total.failed);
} catch (const std::bad_alloc&) {  // one time less
}

// -- threads of the queue's --

void BatchQueue::start_thread() {
  sigset_t all, before;  // signals are for the program's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    start_own_thread([this] { serve(); });
    ++threads_;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void BatchQueue::need_thread() {
  if (threads_ == 0) start_thread();
}

void BatchQueue::wake_one() noexcept {
  if (Sleeper* const sleeper = sleepers_) {
    sleepers_ = sleeper->next;
    sleeper->woken.complete();
    return;
  }
  if (threads_ > 0 && threads_ < batches_) try {
      start_thread();
    } catch (...) {  // those that are there come to it
    }
}

// Sees to it that a thread runs what is ready, or waits until something is.
void BatchQueue::wake_if_due() noexcept {
  int64_t at = kNever;
  if (next_batch(now_ns(), &at) != nullptr) return wake_one();
  for (const Sleeper* s = sleepers_; s != nullptr; s = s->next)
    if (s->until <= at) return;
  if (at != kNever) wake_one();
}

// Takes out submitted requests whose time is over.
void BatchQueue::end_late(int64_t now, int64_t* at, std::vector<Request*>* late) {
  if (timed_ == 0) return;
  const auto look = [&](Batch* batch) {
    for (size_t i = 0; batch != nullptr && i < batch->places.size(); ++i) {
      Request* const request = batch->places[i].request;
      if (request == nullptr || !request->submitted() || request->state != Request::State::waiting) continue;
      if (request->until <= now) late->push_back(request);
      else *at = std::min(*at, request->until);
    }
  };
  for (Batch* const batch : full_) look(batch);
  for (const auto& group : groups_) look(group->open);
  for (Request* const request : *late) {
    leave(request);
    ++record_.total.late;
    ++telling_;
  }
}

void BatchQueue::serve() noexcept {
  std::unique_lock lock(lock_);
  while (!ending_) {
    const int64_t now = now_ns();
    int64_t at = kNever;
    std::vector<Request*> late;
    try {
      end_late(now, &at, &late);
    } catch (const std::bad_alloc&) {
      at = now + 1'000'000;
    }
    if (!late.empty()) {
      lock.unlock();
      for (Request* const request : late) tell(request, error(Code::busy, "the batch of the request did not begin in its time"));
      lock.lock();
      continue;
    }
    if (Batch* const batch = next_batch(now, &at)) {
      begin(batch);
      wake_if_due();
      lock.unlock();
      run_batch(batch);
      lock.lock();
      continue;
    }
    Sleeper me;
    me.until = at;
    me.next = sleepers_;
    sleepers_ = &me;
    lock.unlock();
    const timespec until = time_of(at == kNever ? 0 : at);
    me.woken.wait(at == kNever ? nullptr : &until);
    lock.lock();
    for (Sleeper** s = &sleepers_; *s != nullptr; s = &(*s)->next)
      if (*s == &me) {
        *s = me.next;
        break;
      }
  }
  --threads_;
  quiet_.fetch_add(1, std::memory_order_release);
  quiet_.notify_all();
}

// -- calls --

Status BatchQueue::run(std::span<const TensorView> in, std::span<TensorView> out, const SessionCall& call) {
  for (;;) {
    const int64_t rows = call.places.empty() ? rows_of(session_.program(), edges_, in) : -1;
    Request me;
    me.rows = rows;
    me.begun = now_ns();
    me.stop = call.stop;
    if (call.timeout_ms >= 0) me.until = me.begun + saturating_mul(std::min<int64_t>(call.timeout_ms, INT32_MAX), 1'000'000);
    uint32_t forks = 0;
    Batch* mine = nullptr;
    {
      std::unique_lock lock(lock_);
      settle();
      forks = forks_;
      if (!open_ || rows < 1 || rows > options_.rows) {
        lock.unlock();
        return session_.run_directly(in, out, call);
      }
      Group& group = find_group(in);
      if (may_run_alone(group)) {
        ++group.inside;
        ++group.running;
        ++inside_;
        ++running_;
        lock.unlock();
        return run_alone(&group, in, out, call, me.begun, rows, forks);
      }
      if (waiting_ >= options_.waiting) {
        ++record_.total.refused;
        return error(Code::busy, "the queue is full: {} requests wait", waiting_);
      }
      need_thread();
      ANYDIM_TRY(take_place(group, in, out, &me));
      Batch& batch = *me.batch;
      const int64_t first = batch.places[me.place].first;
      lock.unlock();
      for (size_t i = 0; i < in.size(); ++i)
        if (const int axis = edges_.inputs[i]; axis != RowEdges::kShared) copy_elements(in[i], row_slice(batch.in[i], axis, first, rows));
      lock.lock();
      --batch.filling;
      me.state = Request::State::waiting;
      if (!open_ && !draining_) {
        leave(&me);
        ++record_.total.cancelled;
        return error(Code::cancelled, "the session's batching was stopped");
      }
      int64_t at = kNever;
      if (ready(batch, now_ns(), &at)) begin(mine = &batch);
      wake_if_due();
    }
    if (mine != nullptr) run_batch(mine);
    bool again = false;
    Status status = wait(me, call, forks, &again);
    if (again) continue;
    if (me.batch == nullptr || me.state != Request::State::delivered) return status;
    if (status.ok()) status = collect(*me.batch, me.place, out);
    let_go(me.batch);
    return status;
  }
}

Status BatchQueue::submit(std::span<const TensorView> in, std::span<const TensorView> out, const SessionCall& call, Later later) {
  const int64_t rows = call.places.empty() ? rows_of(session_.program(), edges_, in) : -1;
  if (rows < 1) return invalid("the inputs are no rows for a batch: dtypes, ranks and equal numbers of rows are needed").about("inputs");
  auto request = std::make_unique<Request>();
  request->rows = rows;
  request->begun = now_ns();
  request->later = std::move(later);
  request->stop = request->later.stop.get();
  request->out.assign(out.begin(), out.end());
  if (call.timeout_ms >= 0) request->until = request->begun + saturating_mul(std::min<int64_t>(call.timeout_ms, INT32_MAX), 1'000'000);
  std::unique_lock lock(lock_);
  settle();
  if (!open_) return error(Code::closed, "the session's batching was stopped");
  if (rows > options_.rows) return invalid("the request has {} rows; a batch has {} at most", rows, options_.rows).about("inputs");
  if (waiting_ >= options_.waiting) {
    ++record_.total.refused;
    return error(Code::busy, "the queue is full: {} requests wait", waiting_);
  }
  Group& group = find_group(in);
  need_thread();
  ANYDIM_TRY(take_place(group, in, out, request.get()));
  Request* const mine = request.release();  // the queue's: gone when it was told
  const int64_t until = mine->until;
  if (mine->until != kNever) ++timed_;
  Batch& batch = *mine->batch;
  const int64_t first = batch.places[mine->place].first;
  lock.unlock();
  for (size_t i = 0; i < in.size(); ++i)
    if (const int axis = edges_.inputs[i]; axis != RowEdges::kShared) copy_elements(in[i], row_slice(batch.in[i], axis, first, rows));
  lock.lock();
  --batch.filling;
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

Status BatchQueue::run_alone(Group* group, std::span<const TensorView> in, std::span<TensorView> out, const SessionCall& call, int64_t begun,
                             int64_t rows, uint32_t forks) {
  struct Finish {
    BatchQueue* queue;
    Group* group;
    Request request;
    uint32_t forks;
    Status* status;
    ~Finish() {
      const std::lock_guard lock(queue->lock_);
      queue->settle();
      if (forks != queue->forks_) return;  // forked within the run: nobody here knows of it
      const int64_t now = now_ns();
      queue->ended(*group, 1, now);
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
    status = session_.run_directly(in, out, call);
  }
  return status;
}

// Until it is delivered, its time is over or a signal ends it. `again`: this is the child of a fork, in which nobody knows of it.
Status BatchQueue::wait(Request& request, const SessionCall& call, uint32_t forks, bool* again) {
  timespec time{};
  const timespec* until = nullptr;
  if (request.until != kNever) {
    time = time_of(request.until);
    until = &time;
  }
  while (const int why = request.served.wait(until)) {
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
    } else {
      request.batch->places[request.place].request = nullptr;
      request.batch = nullptr;
    }
    Status status = why == ETIMEDOUT ? error(Code::busy, "the batch of the request did not begin in {} ms", call.timeout_ms)
                                     : error(Code::cancelled, "a signal ended the call");
    note(request, status, request.begun);
    return status;
  }
  return std::move(request.status);
}

// -- batches that have begun --

Status BatchQueue::run_one(std::span<const TensorView> in, std::span<TensorView> out, const int32_t* stop) noexcept try {
  SessionCall call;
  call.stop = stop;
  return session_.run_directly(in, out, call);
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
  const std::span<const Program::Edge> edges = session_.program().outputs;
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
    ResultMemory::instance().give_back(std::exchange(batch.out[i].data, nullptr));
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
        if (place.wants(i)) place.results[i].dtype = session_.program().outputs[i].dtype;
      place.status = run_one(in, place.results, nullptr);
    } catch (const std::bad_alloc&) {
      place.status = no_memory();
    }
    if (!place.status.ok()) place.results.clear();
  }
}

void BatchQueue::run_batch(Batch* batch) noexcept {
  close_gaps(*batch);
  const auto runs = static_cast<int64_t>(
      std::count_if(batch->places.begin(), batch->places.end(), [](const Batch::Place& p) { return p.status.ok(); }));
  if (runs == 1) run_one_by_one(*batch);
  else if (runs > 1) run_joined(*batch);

  // Requests are delivered under the lock, so that none leaves any more, and told without it.
  std::vector<Batch::Place>& places = batch->places;
  batch->holders.store(static_cast<int64_t>(places.size()) + 1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(lock_);
    const int64_t now = now_ns();
    Group& group = *batch->group;
    for (Batch::Place& place : places) {
      if (place.request == nullptr) continue;  // it left meanwhile
      place.request->state = Request::State::delivered;
      note(*place.request, place.status, now);
      if (place.request->submitted()) ++telling_;
    }
    if (runs > 0) record_.batch(batch->rows);
    ended(group, static_cast<int64_t>(places.size()), now);
    wake_if_due();
  }
  for (size_t i = 0; i < places.size(); ++i) {
    Batch::Place& place = places[i];
    Request* const request = place.request;
    Status status = std::move(place.status);
    if (request == nullptr) {
      drop(*batch, i);
      let_go(batch);
    } else if (request->submitted()) {
      if (status.ok()) status = collect(*batch, i, request->out);
      else drop(*batch, i);
      let_go(batch);
      request->batch = nullptr;
      tell(request, std::move(status));
    } else {
      if (!status.ok()) drop(*batch, i);
      request->status = std::move(status);
      request->served.complete();  // the last touch
    }
  }
  let_go(batch);
}

// What a request asked for of its batch's results. Small ones are copied, larger ones stay where they are. On failure `out` is untouched,
// and the request's share is given up in any case.
Status BatchQueue::collect(Batch& batch, size_t number, std::span<TensorView> out) noexcept {
  Batch::Place& place = batch.places[number];
  const std::span<const Program::Edge> edges = session_.program().outputs;
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
        keeps = memory.hand_out(block, part.data);
        if (keeps) made[i] = part;
        else status = no_memory();
      } else {
        const MemorySourceScope scope(session_.memory_source());
        made[i] = part;
        made[i].data = nullptr;
        const Perm order = edges[i].order.rank == part.dims.rank ? edges[i].order : Perm();
        status = place_result([&] { return formatted("output '{}'", edges[i].name); }, order, Parallel{1}, &made[i]);
        if (status.ok()) copy_elements(part, made[i]);
      }
    }
    if (keeps) continue;
    if (own) memory.give_back(part.data);
    else memory.let_go(block);
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (made[i].data == nullptr) continue;
    if (status.ok()) out[i] = made[i];
    else memory.give_back(made[i].data);
  }
  place.results.clear();
  return status;
}

// The share of a request that takes nothing.
void BatchQueue::drop(Batch& batch, size_t number) noexcept {
  Batch::Place& place = batch.places[number];
  if (!place.results.empty()) {
    for (const TensorView& result : place.results)
      if (result.data != nullptr) ResultMemory::instance().give_back(result.data);
    place.results.clear();
    return;
  }
  for (ResultMemory::Shared* const block : batch.blocks)
    if (block != nullptr) ResultMemory::instance().let_go(block);
}

void BatchQueue::let_go(Batch* batch) noexcept {
  if (batch->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(lock_);
  recycle(batch);
}

void BatchQueue::tell(Request* request, Status status) noexcept {
  const bool ok = status.ok();
  request->later.done(request->later.user, std::move(status), ok ? std::span<const TensorView>(request->out) : std::span<const TensorView>());
  delete request;
  const std::lock_guard lock(lock_);
  if (--telling_ == 0) {
    quiet_.fetch_add(1, std::memory_order_release);
    quiet_.notify_all();
  }
}

// -- the whole queue --

void BatchQueue::wait_for_quiet(std::unique_lock<ForkLock>& lock) noexcept {
  while (inside_ > 0 || telling_ > 0) {
    const uint32_t seen = quiet_.load(std::memory_order_acquire);
    lock.unlock();
    quiet_.wait(seen, std::memory_order_acquire);
    lock.lock();
  }
}

void BatchQueue::stop(bool cancel) {
  std::unique_lock lock(lock_);
  settle();
  open_ = false;
  if (!cancel) {
    draining_ = true;
    wake_if_due();
    wait_for_quiet(lock);
    draining_ = false;
    return;
  }
  std::vector<Request*> waiting;
  const auto look = [&](const Batch* batch) {
    for (size_t i = 0; batch != nullptr && i < batch->places.size(); ++i)
      if (Request* const r = batch->places[i].request; r != nullptr && r->state == Request::State::waiting) waiting.push_back(r);
  };
  for (const Batch* const batch : full_) look(batch);
  for (const auto& group : groups_) look(group->open);
  for (Request* const request : waiting) {
    leave(request);
    request->state = Request::State::delivered;
    ++record_.total.cancelled;
    if (request->submitted()) ++telling_;
  }
  lock.unlock();
  for (Request* const request : waiting) {
    Status status = error(Code::cancelled, "the session's batching was stopped");
    if (request->submitted()) {
      tell(request, std::move(status));
    } else {
      request->status = std::move(status);
      request->served.complete();
    }
  }
  lock.lock();
  wait_for_quiet(lock);
}

Status BatchQueue::restart(const BatchOptions& options) {
  ANYDIM_TRY(check(options));
  const std::lock_guard lock(lock_);
  settle();
  if (open_ || inside_ > 0) return error(Code::busy, "the session's batching has been started; stop it first");
  spare_.clear();
  options_ = options;
  open_ = true;
  return {};
}

BatchFigures BatchQueue::figures() {
  const std::lock_guard lock(lock_);
  settle();
  BatchFigures f = record_.figures(now_ns());
  f.open = open_;
  f.waiting = waiting_;
  f.running = running_;
  return f;
}

}  // namespace anydim
