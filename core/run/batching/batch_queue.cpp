// SPDX-License-Identifier: Apache-2.0
// Which requests are in the queue, and when a batch begins; see batch_queue.h.
#include "core/run/batching/batch_queue.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/threads/own_thread.h"
#include "core/run/batching/batch_state.h"
#include "core/run/context/copy_elements.h"

namespace anydim {
namespace {

constexpr size_t kMostGroups = 64;  // that are kept while nothing of them is here

}  // namespace

BatchQueue::BatchQueue(ContextPool& pool) : pool_(pool), batches_(pool.limit()), way_(BatchSplit::kMostBatches) {}

Status BatchQueue::check(const BatchOptions& options) const {
  if (options.rows < 1) return invalid("rows is {}; expected 1 or more", options.rows).about("options.rows");
  if (options.rows > edges_.most)
    return invalid("rows is {}; the model and the bounds of the session allow {} at most", options.rows, edges_.most).about("options.rows");
  if (options.wait_ns < 0) return invalid("the longest wait is {} ns; expected 0 or more", options.wait_ns).about("options.wait_us");
  if (options.waiting < 1) return invalid("waiting is {}; expected 1 or more", options.waiting).about("options.waiting");
  return {};
}

Status BatchQueue::create(ContextPool& pool, const BatchOptions& options, std::unique_ptr<BatchQueue>* out) {
  std::unique_ptr<BatchQueue> queue(new BatchQueue(pool));
  ANYDIM_TRY(find_row_edges(pool.program(), pool.bounds(), &queue->edges_));
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
void BatchQueue::reset_after_fork() noexcept {
  if (forks_ == forks_so_far()) return;
  forks_ = forks_so_far();
  for (const auto& group : groups_) {
    std::fill(group->open.begin(), group->open.end(), nullptr);
    group->inside = group->running = 0;
    std::fill(group->busy.begin(), group->busy.end(), 0);
    group->expected = 1;
    group->most = group->most_before = group->ends = 0;
    group->split = BatchSplit(batches_, way_);
  }
  closed_.clear();
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
    const bool idle = group->inside == 0 && group->running == 0 && group->nothing_open();
    if (idle && (oldest == nullptr || group->used < oldest->used)) oldest = group.get();
  }
  if (groups_.size() < kMostGroups || oldest == nullptr) {
    groups_.push_back(std::make_unique<Group>(BatchSplit(batches_, way_), batches_));
    oldest = groups_.back().get();
  }
  oldest->key = key_;
  oldest->expected = 1;
  oldest->most = oldest->most_before = oldest->ends = oldest->freed = 0;
  oldest->split = BatchSplit(batches_, way_);
  oldest->used = ++uses_;
  return *oldest;
}

bool BatchQueue::may_run_alone(const Group& group) const noexcept {
  const int64_t requests = std::max(group.expected, group.inside + 1);
  const int64_t each = group.split.requests_each(requests);
  return group.nothing_open() && closed_.empty() && running_ < batches_ && group.running < group.split.batches() &&
         (each == 0 ? requests : each) == 1;
}

void BatchQueue::entered(Group& group, int64_t now) noexcept {
  ++inside_;
  if (group.inside++ == 0) group.split.resumed(now);
}

void BatchQueue::close(Batch* batch) {
  closed_.push_back(batch);
  batch->closed = true;
  std::replace(batch->group->open.begin(), batch->group->open.end(), batch, static_cast<Batch*>(nullptr));
}

// The lane of the core that the caller is on, unless that is taken by a batch that runs.
size_t BatchQueue::lane_of(const Group& group) const noexcept {
  const auto lanes = static_cast<size_t>(group.split.batches());
  if (lanes == 1) return 0;
  const int core = ::sched_getcpu();
  const size_t own = core < 0 ? 0 : static_cast<size_t>(core) % lanes;
  if (group.busy[own] == 0) return own;
  size_t free = own;
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (group.busy[lane] != 0) continue;
    if (group.open[lane] != nullptr) return lane;
    free = lane;
  }
  return free;
}

// A batch that has room for the request, and its rows in it, which are the caller's to fill. One with more rows than a batch, or without
// any, gets a batch of its own, which takes no lane.
Status BatchQueue::reserve_place(Group& group, std::span<const TensorView> in, std::span<const TensorView> out, Request* request) {
  const size_t number = lane_of(group);
  const bool by_itself = request->rows < 1 || request->rows > options_.rows;
  Batch* own = nullptr;
  Batch*& lane = by_itself ? own : group.open[number];
  if (Batch* const open = lane; open != nullptr && open->rows + request->rows > options_.rows) {
    close(open);
    open->full = true;
  }
  closed_.reserve(closed_.size() + 1);
  if (lane == nullptr) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Batch>());
    Batch* const batch = spare_.back().get();
    batch->places.reserve(static_cast<size_t>(std::min<int64_t>(options_.rows, 1024)));
    // One that stays alone needs room for no other.
    const bool alone = group.split.requests_each(std::max(group.expected, group.inside + 1)) == 1;
    if (alone && !request->submitted()) borrow_inputs(batch, in, request->rows);
    else ANYDIM_TRY(make_room(batch, in, alone || by_itself ? request->rows : options_.rows));
    spare_.reserve(spare_.size() + 8);  // so that it can come back
    static_cast<void>(spare_.back().release());
    spare_.pop_back();
    batch->group = &group;
    batch->lane = number;
    batch->bit = uint32_t{1} << (opened_++ % 32);
    batch->opened = request->begun;
    lane = batch;
  }
  Batch& batch = *lane;
  batch.places.emplace_back();
  batch.places.back().request = request;
  batch.places.back().first = batch.rows;
  batch.places.back().rows = request->rows;
  for (size_t i = 0; i < std::min<size_t>(out.size(), 64); ++i)
    if (wants(out, i)) batch.places.back().wanted |= uint64_t{1} << i;
  request->batch = &batch;
  request->bit = batch.bit;
  request->place = batch.places.size() - 1;
  batch.rows += request->rows;
  ++batch.filling;
  ++batch.live;
  ++waiting_;
  entered(group, request->begun);
  const int64_t each = group.split.requests_each(group.crowd());
  batch.full = by_itself || batch.rows == options_.rows;
  if (batch.full || batch.rows == batch.room || (each > 0 && static_cast<int64_t>(batch.places.size()) >= each)) close(&batch);
  return {};
}

// A request that stays alone, and whose caller waits for it, is read where it lies: a copy of 27 KB cost cls 6 % of its time.
void BatchQueue::borrow_inputs(Batch* batch, std::span<const TensorView> in, int64_t rows) {
  batch->room = rows;
  batch->in.assign(in.begin(), in.end());
  batch->borrowed = true;
}

Status BatchQueue::make_room(Batch* batch, std::span<const TensorView> in, int64_t rows) {
  batch->room = rows;
  const MemorySourceScope memory(pool_.memory_source());
  const std::span<const Program::IoSpec> edges = pool_.program().inputs;
  batch->memory.resize(in.size());
  batch->in.assign(in.begin(), in.end());
  for (size_t i = 0; i < in.size(); ++i) {
    TensorView& t = batch->in[i];
    if (edges_.inputs[i] != RowEdges::kShared) t.dims[edges_.inputs[i]] = rows;
    t.strides = dense_strides(t.dims, edges[i].order.rank == t.dims.rank ? edges[i].order : Perm());
    const int64_t bytes = saturating_mul(t.count(), dtype_size(t.dtype));
    if (!batch->memory[i].reserve(std::max<int64_t>(bytes, 1)))
      return error(Code::out_of_memory, "input '{}': no memory for {} rows to wait in ({} bytes)", edges[i].name, rows, bytes);
    t.data = batch->memory[i].data();
    if (edges_.inputs[i] == RowEdges::kShared) copy_elements(in[i], t);
  }
  return {};
}

bool BatchQueue::ready(const Batch& batch, int64_t now, int64_t* at) const noexcept {
  if (batch.filling > 0 || batch.live == 0 || running_ >= batches_) return false;
  if (batch.full || draining_) return true;
  const Group& group = *batch.group;
  if (group.running >= group.split.batches()) return false;
  if (batch.closed || group.inside >= group.expected) return true;
  const int64_t due = std::max(batch.opened, group.freed) + options_.wait_ns;
  if (due > now) *at = std::min(*at, due);
  return due <= now;
}

BatchQueue::Batch* BatchQueue::next_batch(int64_t now, int64_t* at) const noexcept {
  for (Batch* const batch : closed_)
    if (ready(*batch, now, at)) return batch;
  Batch* best = nullptr;
  for (const auto& group : groups_)
    if (group->inside > 0)
      for (Batch* const open : group->open)
        if (open != nullptr && ready(*open, now, at) && (best == nullptr || open->opened < best->opened)) best = open;
  return best;
}

void BatchQueue::detach(Batch* batch) noexcept {
  std::replace(batch->group->open.begin(), batch->group->open.end(), batch, static_cast<Batch*>(nullptr));
  closed_.erase(std::remove(closed_.begin(), closed_.end(), batch), closed_.end());
}

void BatchQueue::recycle(Batch* batch) noexcept {
  batch->places.clear();
  batch->rows = batch->filling = batch->live = 0;
  batch->full = batch->closed = batch->borrowed = false;
  batch->stop = 0;
  batch->out.clear();
  batch->blocks.clear();
  batch->group = nullptr;
  std::unique_ptr<Batch> mine(batch);
  if (spare_.size() < static_cast<size_t>(batches_) + 1 && spare_.size() < spare_.capacity()) spare_.push_back(std::move(mine));
}

void BatchQueue::begin(Batch* batch) noexcept {
  if (!batch->closed && !draining_) batch->group->expect_no_other();
  detach(batch);
  ++batch->group->running;
  ++batch->group->busy[batch->lane];
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

// A request that waits ends.
void BatchQueue::leave(Request* request) noexcept {
  Batch* const batch = request->batch;
  batch->places[request->place].request = nullptr;
  if (request->until != kNever && request->submitted()) --timed_;
  --batch->live;
  --waiting_;
  --inside_;
  if (--batch->group->inside == 0) batch->group->split.idle(wall_clock());
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

void BatchQueue::ended(Group& group, int64_t requests, int64_t rows, int64_t now) noexcept {
  if (group.running == group.split.batches()) group.freed = now;
  group.expect();
  group.split.ended(requests, rows, group.expected, now);
  way_ = group.split.way();
  group.inside -= requests;
  if (group.inside == 0) group.split.idle(now);
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
  ++(status.code() == Code::cancelled ? total.cancelled : status.code() == Code::timed_out ? total.late : total.failed);
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
  if (next_batch(wall_clock(), &at) != nullptr) return wake_one();
  for (const Sleeper* s = sleepers_; s != nullptr; s = s->next)
    if (s->until <= at) return;
  if (at != kNever) wake_one();
}

// Takes out submitted requests whose time is over.
void BatchQueue::end_timed_out(int64_t now, int64_t* at, std::vector<Request*>* late) {
  if (timed_ == 0) return;
  const auto look = [&](Batch* batch) {
    for (size_t i = 0; batch != nullptr && i < batch->places.size(); ++i) {
      Request* const request = batch->places[i].request;
      if (request == nullptr || !request->submitted() || request->state != Request::State::waiting) continue;
      if (request->until <= now) late->push_back(request);
      else *at = std::min(*at, request->until);
    }
  };
  for (Batch* const batch : closed_) look(batch);
  for (const auto& group : groups_)
    for (Batch* const open : group->open) look(open);
  for (Request* const request : *late) {
    leave(request);
    ++record_.total.late;
    ++telling_;
  }
}

void BatchQueue::serve() noexcept {
  std::unique_lock lock(lock_);
  while (!ending_) {
    const int64_t now = wall_clock();
    int64_t at = kNever;
    std::vector<Request*> late;
    try {
      end_timed_out(now, &at, &late);
    } catch (const std::bad_alloc&) {
      at = now + 1'000'000;
    }
    if (!late.empty()) {
      lock.unlock();
      for (Request* const request : late) notify(request, error(Code::timed_out, "the batch of the request did not begin in its time"));
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
  reset_after_fork();
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
  for (const Batch* const batch : closed_) look(batch);
  for (const auto& group : groups_)
    for (const Batch* const open : group->open) look(open);
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
      notify(request, std::move(status));
    } else {
      request->status = std::move(status);
      const uint32_t bit = request->bit;
      Completions::set(&request->served);
      served_.wake(bit);
    }
  }
  lock.lock();
  wait_for_quiet(lock);
}

Status BatchQueue::restart(const BatchOptions& options) {
  ANYDIM_TRY(check(options));
  const std::lock_guard lock(lock_);
  reset_after_fork();
  if (open_ || inside_ > 0) return error(Code::busy, "the session's batching has been started; stop it first");
  spare_.clear();
  options_ = options;
  open_ = true;
  return {};
}

BatchFigures BatchQueue::figures() {
  const std::lock_guard lock(lock_);
  reset_after_fork();
  BatchFigures f = record_.figures(wall_clock());
  f.open = open_;
  f.waiting = waiting_;
  f.running = running_;
  return f;
}

}  // namespace anydim
