// SPDX-License-Identifier: Apache-2.0
// Where large memory comes from: the system, or functions of the host program that came with an engine. Which one is a matter of
// the thread: who makes something for an engine opens a scope, and what is allocated in it is freed there,
// whichever thread does so and however late. What grows later (an arena, a session) keeps the source that it was made under.
#pragma once

#include <cstdint>
#include <memory>

namespace anydim {

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Null if there is no memory. Any thread may call, several at once.
  virtual void* allocate(int64_t bytes, int64_t alignment) const noexcept = 0;
  virtual void free(void* memory, int64_t bytes) const noexcept = 0;
};
using MemorySourcePtr = std::shared_ptr<const MemorySource>;  // null: the system

class MemorySourceScope {
 public:
  // The source has to stay while the scope lives.
  explicit MemorySourceScope(const MemorySourcePtr& source) noexcept : before_(current_) { current_ = &source; }
  ~MemorySourceScope() { current_ = before_; }
  MemorySourceScope(const MemorySourceScope&) = delete;
  MemorySourceScope& operator=(const MemorySourceScope&) = delete;

  static MemorySourcePtr current() noexcept { return current_ != nullptr ? *current_ : nullptr; }

 private:
  static constinit thread_local const MemorySourcePtr* current_;
  const MemorySourcePtr* const before_;
};

}  // namespace anydim
