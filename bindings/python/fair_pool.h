// SPDX-License-Identifier: Apache-2.0
// A few things, shared by any number of threads: who asked first is served first. A thing that comes back goes straight to
// whoever has waited longest, never past him to a thread that happens to be awake, and nobody looks again and again.
// Nothing here knows Python or what the things are; see context_pool.h.
#pragma once

#include <semaphore.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace anydim_python {

template <class T> class FairPool {
 public:
  // At most `limit` things exist; they are made when somebody needs one and none is free.
  explicit FairPool(int limit) noexcept : vacant_(limit) {}
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // A free thing, if there is one. Then nobody waits. The one that came back last: its memory is still at hand.
  T* try_take() noexcept {
    const std::lock_guard lock(mutex_);
    return pop_free();
  }

  // A thing to be given back. `make` gives a std::unique_ptr<T> or throws; what it throws ends this call only. A signal that
  // comes while the thread waits ends the wait with null if `interrupted` says so, else it goes on.
  template <class Make, class Interrupted> T* take(Make&& make, Interrupted&& interrupted) {
    Waiter me;
    bool waits = false;  // not me.queued, which is another's as soon as the mutex is free
    {
      const std::lock_guard lock(mutex_);
      if (T* free = pop_free()) return free;
      waits = vacant_ == 0;
      if (waits) enqueue(&me);
      else --vacant_;
    }
    if (waits) {
      while (sem_wait(&me.served) != 0) {
        if (errno != EINTR || !interrupted()) continue;
        const std::lock_guard lock(mutex_);
        if (me.queued) dequeue(&me);
        else hand_over(me.thing);  // it came at the same moment: the next one has it
        return nullptr;
      }
      if (me.thing != nullptr) return me.thing;
    }
    return fill_vacancy(make);
  }

  void give_back(T* thing) noexcept {
    const std::lock_guard lock(mutex_);
    hand_over(thing);
  }

  // Calls f with each thing that exists, used or not.
  template <class F> void for_each(F&& f) const {
    const std::lock_guard lock(mutex_);
    for (const auto& thing : things_) f(*thing);
  }

  int size() const noexcept {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(things_.size());
  }
  int in_use() const noexcept {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(things_.size() - free_.size());
  }
  // Threads that wait now.
  int waiting() const noexcept {
    const std::lock_guard lock(mutex_);
    int count = 0;
    for (const Waiter* w = first_; w != nullptr; w = w->next) ++count;
    return count;
  }

 private:
  // On the stack of the thread that waits. Until `served` is posted the rest is read and written under the mutex only.
  struct Waiter {
    Waiter() noexcept { sem_init(&served, 0, 0); }
    ~Waiter() { sem_destroy(&served); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    sem_t served;
    T* thing = nullptr;  // what he got; null: the right to make one
    Waiter *next = nullptr, *previous = nullptr;
    bool queued = false;
  };

  // All of these under the mutex.
  T* pop_free() noexcept {
    if (free_.empty()) return nullptr;
    T* thing = free_.back();
    free_.pop_back();
    return thing;
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
  // To whoever has waited longest, else among the free. Null: the right to make one.
  void hand_over(T* thing) noexcept {
    if (Waiter* w = first_) {
      dequeue(w);
      w->thing = thing;
      sem_post(&w->served);  // the last touch: he may be gone by the time this returns
    } else if (thing != nullptr) {
      free_.push_back(thing);
    } else {
      ++vacant_;
    }
  }

  // Makes a thing by right. Where that fails the right goes to the next one, who sees for himself.
  template <class Make> T* fill_vacancy(Make&& make) {
    try {
      std::unique_ptr<T> made = make();
      const std::lock_guard lock(mutex_);
      free_.reserve(things_.size() + 1);  // so that giving back never fails
      things_.push_back(std::move(made));
      return things_.back().get();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      hand_over(nullptr);
      throw;
    }
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<T>> things_;
  std::vector<T*> free_;
  int vacant_;  // things that may yet be made; 0 while somebody waits
  Waiter *first_ = nullptr, *last_ = nullptr;
};

}  // namespace anydim_python
