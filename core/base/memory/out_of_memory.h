// SPDX-License-Identifier: Apache-2.0
// A bad_alloc that knows how much was asked for, thrown where there is no status to say it, and either one as a status.
#pragma once

#include <cstdint>
#include <new>

#include "core/base/status.h"

namespace anydim {

class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(int64_t bytes) noexcept : bytes_(bytes) {}
  const char* what() const noexcept override { return kWhat; }
  int64_t bytes() const noexcept { return bytes_; }
  // The failure as one of this class, by the address of its text: there are no run-time types. Null: another one.
  static const OutOfMemory* of(const std::bad_alloc& e) noexcept {
    return e.what() == kWhat ? static_cast<const OutOfMemory*>(&e) : nullptr;
  }

 private:
  static constexpr char kWhat[] = "memory could not be allocated";
  int64_t bytes_;
};

// "memory could not be allocated: 4096 bytes were requested", in place of the number of bytes what is known. Throws bad_alloc where
// there is none for the message either.
inline Status status_of(const std::bad_alloc& e) {
  const OutOfMemory* const failure = OutOfMemory::of(e);
  if (failure == nullptr) return Status(Code::out_of_memory, "memory could not be allocated");
  return error(Code::out_of_memory, "memory could not be allocated: {} bytes were requested", failure->bytes());
}

}  // namespace anydim
