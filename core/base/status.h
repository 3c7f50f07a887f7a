// SPDX-License-Identifier: Apache-2.0
// Errors as values: a code and a message that names the argument, the value found and what was expected; where they are known,
// the argument and the node of a model also by themselves. A Status is one pointer; success holds null, so the good path neither
// allocates nor formats.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/base/text/format.h"

namespace anydim {

// The numbers are part of the ABI (capi/api repeats them; a test compares the two lists).
enum class Code : int32_t {
  ok = 0,
  invalid_argument = 1,  // the caller's argument is wrong by itself
  invalid_handle = 2,    // null, stale, destroyed or foreign handle
  unimplemented = 3,     // meaningful, but not supported by this build
  out_of_memory = 4,
  busy = 5,             // another thread is using a one-user object
  closed = 6,           // the object was destroyed while in use
  not_found = 7,        // a name that does not exist (kernel, input, output)
  io_error = 8,         // reading or writing failed
  invalid_model = 9,    // a model file that is damaged or breaks its format's rules
  out_of_bounds = 10,   // a dim outside the bounds that its descriptor or context promised
  invalid_data = 11,    // values found wrong while running (a bad index); outputs may be partly written
  internal = 12,        // a defect of Anydim
  forked = 13,          // in a forked child: in use by another thread of the parent's, or of a device
  cancelled = 14,       // a run that was ended from outside
  device_lost = 15,     // the engine's device is gone, with all that lay in its memory
  timed_out = 16,       // what was waited for did not come within the time that the caller allowed
  queue_full = 17,      // as many requests wait as may wait
  file_not_found = 18,  // a file or folder that does not exist
};

const char* code_name(Code code) noexcept;

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Code code, std::string message) : detail_(new Detail{code, std::move(message), {}, {}}) {}

  bool ok() const noexcept { return detail_ == nullptr; }
  Code code() const noexcept { return detail_ ? detail_->code : Code::ok; }
  const std::string& message() const noexcept;
  // As the caller's function names it: "inputs[1]", "options.threads". Empty where the failure is of no argument.
  const std::string& argument() const noexcept;
  // The name of the model's node at which it happened, or empty.
  const std::string& node() const noexcept;

  // The same failure with "where: " before its message: `conv_7: src dim 3 ...`.
  Status at(std::string_view where) && {
    if (detail_) put_before(where);
    return std::move(*this);
  }
  // The same failure, of this argument. One that was named before stays: who named it stood nearer.
  Status about(std::string_view argument) && {
    if (detail_) name(&detail_->argument, argument);
    return std::move(*this);
  }
  Status in_node(std::string_view node) && {
    if (detail_) name(&detail_->node, node);
    return std::move(*this);
  }
  // The same failure with another code.
  Status as(Code code) && {
    if (detail_) detail_->code = code;
    return std::move(*this);
  }
  Status copy() const;

 private:
  struct Detail {
    Code code;
    std::string message, argument, node;
  };
  void put_before(std::string_view where);
  static void name(std::string* what, std::string_view text);

  std::unique_ptr<Detail> detail_;
};

// Makes a failure: `return error(Code::invalid_argument, "axis is {}; expected {}..{}", axis, -rank, rank - 1);`
template <class... A> Status error(Code code, fmt::format_string<A...> text, A&&... args) {
  return Status(code, formatted(text, std::forward<A>(args)...));
}
template <class... A> Status invalid(fmt::format_string<A...> text, A&&... args) {
  return Status(Code::invalid_argument, formatted(text, std::forward<A>(args)...));
}
template <class... A> Status unimplemented(fmt::format_string<A...> text, A&&... args) {
  return Status(Code::unimplemented, formatted(text, std::forward<A>(args)...));
}

// A value or the Status that says why there is none.
template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}
  bool ok() const noexcept { return status_.ok(); }
  T& operator*() & noexcept { return value_; }
  const T& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }
  Status& status() & noexcept { return status_; }
  const Status& status() const& noexcept { return status_; }
  Status take_status() noexcept { return std::move(status_); }

 private:
  T value_{};
  Status status_;
};

// Returns the failure of `expr` from the enclosing function.
#define ANYDIM_TRY(expr)                                                        \
  do {                                                                          \
    if (::anydim::Status anydim_s_ = (expr); !anydim_s_.ok()) return anydim_s_; \
  } while (0)

}  // namespace anydim
