// SPDX-License-Identifier: Apache-2.0
// The handle table; see handles.h.
//
// Why it is hard: one thread may look a handle up while another destroys it. Slots are never freed, so that a lookup
// may always touch the word of a slot: it adds a user first and asks afterwards whether the generation is the one it
// wanted. Whoever brings a closed slot to zero users and wins the compare-and-swap to the next generation frees the
// object; a late lookup that touched the word in between fails on the generation and takes its user back.
#include "capi/handles.h"

#include <unistd.h>

#include <deque>
#include <iterator>
#include <mutex>
#include <utility>

#include "capi/log.h"
#include "core/base/threads/fork.h"

namespace anydim::capi::table {

namespace {

// A slot's word: generation (24 bits, from bit 40) | type (8, from bit 32) | closed (bit 31) | users (31).
constexpr uint64_t kClosed = UINT64_C(1) << 31, kUsers = kClosed - 1;
constexpr uint32_t kGenerations = 1u << 24, kSlotLimit = 1u << 24;
constexpr uint32_t kChunk = 1024;

struct Slot {
  std::atomic<uint64_t> word{0};
  Object* object = nullptr;  // written before the word's generation makes it reachable
};

struct Parts {
  uint32_t tag, type, generation, slot;
};
Parts parts(uint64_t v) noexcept {
  return {static_cast<uint32_t>(v >> 56), static_cast<uint32_t>(v >> 48) & 0xFF, static_cast<uint32_t>(v >> 24) & 0xFFFFFF,
          static_cast<uint32_t>(v) & 0xFFFFFF};
}
uint64_t word_of(uint32_t generation, uint32_t type) noexcept {
  return static_cast<uint64_t>(generation) << 40 | static_cast<uint64_t>(type) << 32;
}

struct Table {
  std::atomic<Slot*> chunks[kSlotLimit / kChunk] = {};
  std::atomic<uint32_t> tag{0};  // of this process; 0 before the first handle
  std::atomic<int64_t> live{0};
  std::mutex mutex;           // for what follows: allocating and freeing slots
  std::deque<uint32_t> free;  // first in, first out: generations last longest
  uint32_t slots = 0;
};

// Leaked on purpose: handles may be destroyed by static destructors of the program.
Table& the() {
  static Table* const t = new Table;
  return *t;
}

Slot* find(Table& t, uint32_t index) noexcept {
  Slot* chunk = t.chunks[index / kChunk].load(std::memory_order_acquire);
  return chunk != nullptr ? chunk + index % kChunk : nullptr;
}

void before_fork() noexcept { the().mutex.lock(); }
void after_fork() noexcept { the().mutex.unlock(); }

// Called with the mutex held, once: the tag mixes what differs between two copies of the library and two processes.
void start(Table& t) {
  uint64_t mix = reinterpret_cast<uint64_t>(&the) ^ reinterpret_cast<uint64_t>(&t) << 7 ^ static_cast<uint64_t>(getpid());
  mix *= UINT64_C(0x9E3779B97F4A7C15);
  t.tag.store(static_cast<uint32_t>(mix >> 56) % 255 + 1, std::memory_order_release);
}

const char* type_name(uint32_t type) noexcept { return type < std::size(kHandleTypeNames) ? kHandleTypeNames[type] : "unknown"; }

// Why a value names no object now.
Status refusal(Table& t, uint64_t value, HandleType type, const char* what) {
  const Parts p = parts(value);
  const char* wanted = type_name(static_cast<uint32_t>(type));
  if (value == 0) return error(Code::invalid_handle, "{} is null; expected a {} handle", what, wanted).about(what);
  if (p.tag == 0 || p.tag != t.tag.load(std::memory_order_acquire))
    return error(Code::invalid_handle, "{} is {:#x}, which this library did not make; expected a {} handle", what, value, wanted)
        .about(what);
  if (p.type != static_cast<uint32_t>(type))
    return error(Code::invalid_handle, "{} is a {} handle; expected a {} handle", what, type_name(p.type), wanted).about(what);
  return error(Code::invalid_handle, "{} is a {} handle that was destroyed", what, wanted).about(what);
}

// What a device of the parent's is behind.
bool is_parents(const Object& object) noexcept { return object.made_after_forks != forks_so_far() && object.on_device(); }

// Takes a user back; frees the object if it was the last of a closed one.
void leave(Table& t, Slot& slot, uint32_t index) noexcept {
  uint64_t now = slot.word.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if ((now & kClosed) == 0 || (now & kUsers) != 0) return;
  const uint32_t next = (static_cast<uint32_t>(now >> 40) + 1) % kGenerations;
  if (!slot.word.compare_exchange_strong(now, word_of(next, 0), std::memory_order_acq_rel)) return;
  Object* object = std::exchange(slot.object, nullptr);
  t.live.fetch_sub(1, std::memory_order_relaxed);
  if (!is_parents(*object)) delete object;
  // A slot whose generations are used up is never taken again: no handle can come back to life.
  if (next == 0) return;
  const std::lock_guard lock(t.mutex);
  try {
    t.free.push_back(index);
  } catch (const std::bad_alloc&) {
    // The slot is lost, which costs 16 bytes.
  }
}

}  // namespace

Status insert(std::unique_ptr<Object> object, HandleType type, uint64_t* value) {
  ForkHandlers<before_fork, after_fork, after_fork>::ensure();
  static_cast<void>(CountsForks());
  Table& t = the();
  uint32_t index;
  Slot* slot;
  {
    const std::lock_guard lock(t.mutex);
    if (t.tag.load(std::memory_order_relaxed) == 0) start(t);
    if (!t.free.empty()) {
      index = t.free.front();
      slot = find(t, index);
      t.free.pop_front();
    } else {
      if (t.slots == kSlotLimit) return error(Code::out_of_memory, "{} handles exist; no more are possible", kSlotLimit);
      index = t.slots;
      if (index % kChunk == 0) t.chunks[index / kChunk].store(new Slot[kChunk], std::memory_order_release);
      slot = find(t, index);
      slot->word.store(word_of(1, 0), std::memory_order_relaxed);  // generation 0 never names an object
      ++t.slots;
    }
  }
  object->made_after_forks = forks_so_far();
  slot->object = object.release();
  t.live.fetch_add(1, std::memory_order_relaxed);
  // Late lookups may be adding and taking back users in the low bits, so the type goes in by addition.
  const uint64_t old = slot->word.fetch_add(word_of(0, static_cast<uint32_t>(type)), std::memory_order_acq_rel);
  *value =
      static_cast<uint64_t>(t.tag.load(std::memory_order_relaxed)) << 56 | static_cast<uint64_t>(type) << 48 | (old >> 40) << 24 | index;
  return {};
}

Status acquire(uint64_t value, HandleType type, const char* what, Object** object) {
  Table& t = the();
  const Parts p = parts(value);
  Slot* slot = nullptr;
  if (value == 0 || p.tag != t.tag.load(std::memory_order_acquire) || p.type != static_cast<uint32_t>(type) ||
      (slot = find(t, p.slot)) == nullptr)
    return refusal(t, value, type, what);
  const uint64_t word = slot->word.fetch_add(1, std::memory_order_acq_rel);
  if (word >> 32 != word_of(p.generation, p.type) >> 32 || (word & kClosed) != 0) {
    const bool closed = word >> 32 == word_of(p.generation, p.type) >> 32 && (word & kUsers) != 0;
    leave(t, *slot, p.slot);
    if (closed) return error(Code::closed, "{} is a {} that was destroyed while in use", what, type_name(p.type)).about(what);
    return refusal(t, value, type, what);
  }
  if (is_parents(*slot->object)) {
    leave(t, *slot, p.slot);
    return error(Code::forked, "{} is a {} on a device of the parent process; make one on an engine of this process", what,
                 type_name(p.type))
        .about(what);
  }
  *object = slot->object;
  return {};
}

void release(uint64_t value) noexcept {
  Table& t = the();
  const uint32_t index = parts(value).slot;
  leave(t, *find(t, index), index);
}

void remove(uint64_t value, HandleType type, const char* function) noexcept {
  if (value == 0) return;
  Table& t = the();
  const Parts p = parts(value);
  Slot* slot = nullptr;
  if (p.tag == t.tag.load(std::memory_order_acquire) && p.type == static_cast<uint32_t>(type) && (slot = find(t, p.slot)) != nullptr) {
    // Become a user, close, leave: the last user frees.
    const uint64_t word = slot->word.fetch_add(1, std::memory_order_acq_rel);
    const bool alive = word >> 32 == word_of(p.generation, p.type) >> 32 && (word & kClosed) == 0;
    const bool closed_by_us = alive && (slot->word.fetch_or(kClosed, std::memory_order_acq_rel) & kClosed) == 0;
    leave(t, *slot, p.slot);
    if (closed_by_us) return;
  }
  if (log_enabled(ANYDIM_LOG_WARNING)) {
    const Status s = refusal(t, value, type, "the handle");
    log_line(ANYDIM_LOG_WARNING, "{}: {}; nothing was done", function, s.message());
  }
}

int64_t live() noexcept { return the().live.load(std::memory_order_relaxed); }

}  // namespace anydim::capi::table
