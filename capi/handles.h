// SPDX-License-Identifier: Apache-2.0
// The handle table: 64-bit values that name a slot and a generation, looked up in nanoseconds without a lock. It
// knows objects only as things to count, to lock for one user, and to free; what they are is objects.h's subject.
//
// A handle is  tag (8 bits) | type (8) | generation (24) | slot (24).  The tag names this load of the library in this
// process: another copy's handles and plain addresses do not carry it. A forked child has its parent's handles, which name its own
// copies of the objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "capi/generated/bodies.h"
#include "core/base/threads/fork_lock.h"
#include "core/base/status.h"

namespace anydim::capi {

// What a slot holds. `user` is the one user of a stream, context, attributes or bounds: 0, or one more than forks_so_far() when its call
// began.
struct Object {
  virtual ~Object() = default;
  // Whether it has anything of a device other than the CPU: such a thing cannot be used in a child of the process that made it, nor
  // freed there, since the device's driver is the parent's.
  virtual bool on_device() const noexcept { return false; }
  std::atomic<uint32_t> user{0};
  uint32_t made_after_forks = 0;
};

namespace table {

// Stores an object and gives its handle's value. The object is freed if there is no room.
Status insert(std::unique_ptr<Object> object, HandleType type, uint64_t* value);

// Finds the object and keeps it alive until release(). The message names `what`.
Status acquire(uint64_t value, HandleType type, const char* what, Object** object);
void release(uint64_t value) noexcept;

// Closes the handle; the object is freed when the last that acquired it releases it. Zero does nothing; a handle that is
// none, or no more, is logged with the name of the `function`.
void remove(uint64_t value, HandleType type, const char* function) noexcept;

// Handles that name an object now (for tests).
int64_t live() noexcept;

}  // namespace table

template <class H> uint64_t value_of_handle(H handle) noexcept {
  static_assert(sizeof(H) == sizeof(uint64_t), "handles take 64 bits");
  return reinterpret_cast<uint64_t>(handle);
}

// An object of a caller's handle, kept alive for the length of a call and, if its type has one user at a time, locked.
template <class T> class Pin {
 public:
  Pin() = default;
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() {
    if (object_ == nullptr) return;
    if constexpr (HandleTraits<T>::one_user) object_->user.store(0, std::memory_order_release);
    table::release(value_);
  }

  Status acquire(typename HandleTraits<T>::Handle handle, const char* what, bool optional) {
    if (optional && handle == nullptr) return {};
    const uint64_t value = value_of_handle(handle);
    Object* object = nullptr;
    ANYDIM_TRY(table::acquire(value, HandleTraits<T>::type, what, &object));
    if constexpr (HandleTraits<T>::one_user) {
      uint32_t user = 0;
      const uint32_t me = 1 + forks_so_far();
      if (!object->user.compare_exchange_strong(user, me, std::memory_order_acquire)) {
        table::release(value);
        if (user != me)
          return error(Code::forked, "{} is a {} that another thread of the parent process was using when it forked; make another", what,
                       HandleTraits<T>::name)
              .about(what);
        return error(Code::busy, "{} is in use by another call; a {} has one user at a time", what, HandleTraits<T>::name).about(what);
      }
    }
    value_ = value;
    object_ = static_cast<T*>(object);
    return {};
  }
  T* get() const noexcept { return object_; }

 private:
  uint64_t value_ = 0;
  T* object_ = nullptr;
};

// The objects of an array of handles. Up to 16 take no allocation.
template <class T> class PinArray {
 public:
  static_assert(!HandleTraits<T>::one_user, "arrays are of shareable objects");
  using Handle = typename HandleTraits<T>::Handle;
  PinArray() = default;
  PinArray(const PinArray&) = delete;
  PinArray& operator=(const PinArray&) = delete;
  ~PinArray() {
    for (int64_t i = 0; i < held_; ++i)
      if (objects_[i] != nullptr) table::release(value_of_handle(handles_[i]));
  }

  Status acquire(const Handle* handles, int64_t count, const char* what, bool nullable) {
    if (count < 0) return invalid("the number of {} is {}; expected 0 or more", what, count).about(what);
    if (count > 0 && handles == nullptr) return invalid("{} is null; expected {} handles", what, count).about(what);
    // The caller may change its array meanwhile, so the values are copied.
    if (count > kInPlace) {
      more_handles_ = std::make_unique<Handle[]>(static_cast<size_t>(count));
      more_objects_ = std::make_unique<T*[]>(static_cast<size_t>(count));
      handles_ = more_handles_.get();
      objects_ = more_objects_.get();
    }
    for (int64_t i = 0; i < count; ++i) {
      handles_[i] = handles[i];
      objects_[i] = nullptr;
      if (!(nullable && handles_[i] == nullptr)) {
        Object* object = nullptr;
        if (Status s = table::acquire(value_of_handle(handles_[i]), HandleTraits<T>::type, what, &object); !s.ok())
          return count > 1 ? Status(s.code(), formatted("{} (entry {} of {})", s.message(), i, count)).about(formatted("{}[{}]", what, i))
                           : std::move(s);
        objects_[i] = static_cast<T*>(object);
      }
      ++held_;
    }
    return {};
  }
  std::span<T* const> span() const noexcept { return {objects_, static_cast<size_t>(held_)}; }

 private:
  static constexpr int64_t kInPlace = 16;
  Handle handle_array_[kInPlace];
  T* object_array_[kInPlace];
  std::unique_ptr<Handle[]> more_handles_;
  std::unique_ptr<T*[]> more_objects_;
  Handle* handles_ = handle_array_;
  T** objects_ = object_array_;
  int64_t held_ = 0;
};

}  // namespace anydim::capi
