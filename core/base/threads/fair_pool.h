// SPDX-License-Identifier: Apache-2.0
// A few items, used by any number of threads: who asked first is served first, and nobody looks again and again.
// Nothing here knows what the items are: core/run/context/context_pool.h has contexts in it.
//
// Whoever finds an item free uses it on his own thread. Where all are in use the caller sleeps, and a thread of the pool's
// does his job as soon as an item comes back, then the next one's, until nobody waits. Handing the item to the caller himself
// would be simpler, but a scheduler often wakes him on the core that another job has, while the giver's core idles. A thread
// that goes from job to job stays where it is (docs/decisions/011-who-runs-a-waiting-call.md).
//
// In the child of a fork the items that were free are there, and others are made in place of those that were in use: their threads
// did not come along, and what they left half done is never touched (docs/decisions/045-fork.md).
#pragma once

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/threads/completion.h"
#include "core/base/threads/fork_lock.h"
#include "core/base/threads/own_thread.h"

namespace anydim {

// How a call for an item ended.
enum class Turn {
  done,         // the job was done
  interrupted,  // a signal ended the wait; the job was done only if it had begun
  timed_out,    // the wait was over before the turn came
  failed,       // no item could be made
};

template <class T> class FairPool {
 public:
  // At most `limit` items exist; they are made when somebody needs one and none is free.
  explicit FairPool(int limit) noexcept : limit_(limit), vacant_(limit) {}
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;
  // When nobody uses it. Its threads end first.
  ~FairPool() {
    std::unique_lock lock(lock_);
    reset_after_fork();
    ending_ = true;
    change(offers_);
    while (servers_ != 0) sleep(lock, gone_);
  }

  // Calls job(item) once, on this thread or one of the pool's, and returns when that is done. The job throws nothing. `make`
  // gives a std::unique_ptr<T>; null, or what it throws, ends this call only. A signal that comes while the thread waits ends the
  // wait if `interrupted` says so, and so does `until`, a time of CLOCK_MONOTONIC, if it is given.
  template <class Job, class Make, class Interrupted>
  Turn use(Job&& job, Make&& make, Interrupted&& interrupted, const timespec* until = nullptr) {
    for (;;) {
      Waiter me;
      me.job = [](void* context, T& item) { (*static_cast<std::remove_reference_t<Job>*>(context))(item); };
      me.context = const_cast<void*>(static_cast<const void*>(&job));
      T* mine = nullptr;
      bool waits = false;
      uint32_t forks = 0;
      {
        const std::lock_guard lock(lock_);
        reset_after_fork();
        forks = forks_;
        mine = pop_free();
        waits = mine == nullptr && vacant_ == 0;
        if (waits) enqueue(&me);
        else if (mine == nullptr) --vacant_;
      }
      if (waits) {
        bool ended = false;
        const int why = wait(me, until, interrupted, forks, &ended);
        if (why == kForked) {  // within `interrupted`: nobody here knows of this wait
          if (ended) return Turn::interrupted;
          continue;
        }
        if (why != 0) return why == ETIMEDOUT ? Turn::timed_out : Turn::interrupted;
        if (ended && !me.done) release(me.item, forks);
        if (ended) return Turn::interrupted;
        if (me.done) return Turn::done;
        mine = me.item;
      }
      if (mine == nullptr) mine = fill_vacancy(make, forks);
      if (mine == nullptr) return Turn::failed;
      job(*mine);
      release(mine, forks);
      return Turn::done;
    }
  }

  // Calls f with each item that exists, used or not.
  template <class F> void for_each(F&& f) {
    const std::lock_guard lock(lock_);
    reset_after_fork();
    for (const auto& item : items_) f(*item);
  }

  int size() noexcept {
    const std::lock_guard lock(lock_);
    reset_after_fork();
    return static_cast<int>(items_.size());
  }
  int in_use() noexcept {
    const std::lock_guard lock(lock_);
    reset_after_fork();
    return static_cast<int>(items_.size() - free_.size());
  }
  // Threads that wait for their turn now.
  int waiting() noexcept {
    const std::lock_guard lock(lock_);
    reset_after_fork();
    int count = 0;
    for (const Waiter* w = first_; w != nullptr; w = w->next) ++count;
    return count;
  }

 private:
  // On the stack of the thread that waits. Until `served` is complete the rest is read and written under the lock only.
  struct Waiter {
    Completion served;
    void (*job)(void*, T&) = nullptr;
    void* context = nullptr;
    bool done = false;  // the job; else he does it himself
    T* item = nullptr;  // with this, or null: he may make one
    Waiter *next = nullptr, *previous = nullptr;
    bool queued = false;
  };

  // Waits until somebody serves `me`: 0. ETIMEDOUT and EINTR: it left the queue. `ended` says whether a signal ends the call,
  // which can come when it is served already.
  static constexpr int kForked = -1;
  template <class Interrupted> int wait(Waiter& me, const timespec* until, Interrupted& interrupted, uint32_t forks, bool* ended) {
    while (const int why = me.served.wait(until)) {
      const bool expired = why == ETIMEDOUT;
      if (!expired) {
        if (*ended) continue;
        *ended = interrupted();
        if (forks != forks_so_far()) return kForked;
        if (!*ended) continue;
      }
      until = nullptr;
      const std::lock_guard lock(lock_);
      if (!me.queued) continue;  // it is his turn already
      dequeue(&me);
      return why;
    }
    return 0;
  }

  // All of these under the lock.

  // The first in a child: what the parent's other threads were doing here is over.
  void reset_after_fork() noexcept {
    if (forks_ == forks_so_far()) return;
    forks_ = forks_so_far();
    free_.insert(free_.end(), offered_.begin(), offered_.end());
    offered_.clear();
    first_ = last_ = nullptr;
    servers_ = idle_ = 0;
    const auto in_use = [this](std::unique_ptr<T>& item) {
      if (std::find(free_.begin(), free_.end(), item.get()) != free_.end()) return false;
      static_cast<void>(item.release());  // half-way through a job: not even destroyed
      return true;
    };
    items_.erase(std::remove_if(items_.begin(), items_.end(), in_use), items_.end());
    vacant_ = limit_ - static_cast<int>(items_.size());
  }

  // What threads sleep on: not a condition variable, whose lock would not be a ForkLock while it wakes.
  static void change(std::atomic<uint32_t>& number) noexcept {
    number.fetch_add(1, std::memory_order_release);
    number.notify_all();
  }
  static void sleep(std::unique_lock<ForkLock>& lock, std::atomic<uint32_t>& number) noexcept {
    const uint32_t seen = number.load(std::memory_order_acquire);
    lock.unlock();
    number.wait(seen, std::memory_order_acquire);
    lock.lock();
  }

  T* pop_free() noexcept {
    if (free_.empty()) return nullptr;
    T* item = free_.back();  // the one that came back last: its memory is still at hand
    free_.pop_back();
    return item;
  }
  void enqueue(Waiter* w) noexcept {
    w->queued = true;
    w->previous = last_;
    (last_ != nullptr ? last_->next : first_) = w;
    last_ = w;
  }
  void dequeue(Waiter* w) noexcept {
    w->queued = false;
    (w->previous != nullptr ? w->previous->next : first_) = w->next;
    (w->next != nullptr ? w->next->previous : last_) = w->previous;
  }
  // To whoever has waited longest. Null: the right to make one.
  void hand_to_first(T* item) noexcept {
    Waiter* const w = first_;
    dequeue(w);
    w->item = item;
    w->served.complete();  // the last touch: he may be gone by the time this returns
  }

  // An item that was taken, or the right to make one, when there had been so many forks.
  void release(T* item, uint32_t forks) noexcept {
    const std::lock_guard lock(lock_);
    reset_after_fork();
    if (forks != forks_) return;  // forked within the job: another is made in its place
    if (first_ == nullptr) {
      if (item != nullptr) free_.push_back(item);
      else ++vacant_;
    } else if (item == nullptr || !offer(item)) {
      hand_to_first(item);
    }
  }

  // Lets a thread of the pool's use this item for those who wait. False if there is none and none can be made.
  bool offer(T* item) noexcept try {
    offered_.reserve(items_.size());
    if (idle_ <= static_cast<int>(offered_.size())) start_server();
    offered_.push_back(item);
    offers_.fetch_add(1, std::memory_order_release);
    offers_.notify_one();
    return true;
  } catch (...) {
    return false;
  }

  void start_server() {
    sigset_t all, before;  // signals are for the program's threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      start_own_thread([this] { serve(); });
      ++servers_;
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void serve() noexcept {
    std::unique_lock lock(lock_);
    for (;;) {
      ++idle_;
      while (!ending_ && offered_.empty()) sleep(lock, offers_);
      --idle_;
      if (offered_.empty()) break;
      T* const item = offered_.back();
      offered_.pop_back();
      while (Waiter* const w = first_) {
        dequeue(w);
        lock.unlock();
        w->job(w->context, *item);
        w->done = true;
        w->served.complete();
        lock.lock();
      }
      free_.push_back(item);
    }
    --servers_;
    change(gone_);
  }

  // Makes an item by right. Where that fails the right goes to the next one, who sees for himself.
  template <class Make> T* fill_vacancy(Make&& make, uint32_t& forks) {
    try {
      if (std::unique_ptr<T> made = make()) {
        const std::lock_guard lock(lock_);
        reset_after_fork();
        free_.reserve(items_.size() + 1);  // so that a return never fails
        items_.push_back(std::move(made));
        if (std::exchange(forks, forks_) != forks_) --vacant_;
        return items_.back().get();
      }
      release(nullptr, forks);
      return nullptr;
    } catch (...) {
      release(nullptr, forks);
      throw;
    }
  }

  const int limit_;
  ForkLock lock_;
  uint32_t forks_ = forks_so_far();  // when it was last used
  std::vector<std::unique_ptr<T>> items_;
  std::vector<T*> free_;
  int vacant_;  // items that may yet be made; 0 while somebody waits
  Waiter *first_ = nullptr, *last_ = nullptr;

  std::atomic<uint32_t> offers_{0}, gone_{0};  // change with what they say
  std::vector<T*> offered_;                    // to the pool's threads, which have not yet taken them
  int servers_ = 0, idle_ = 0;                 // the pool's threads, and those of them that wait for an offer
  bool ending_ = false;
};

}  // namespace anydim
