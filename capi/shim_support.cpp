// SPDX-License-Identifier: Apache-2.0
// The thread's last error, and the checks of strings and struct sizes; see shim_support.h.
#include "capi/shim_support.h"

#include <cstdio>

#include "capi/generated/bodies.h"
#include "capi/log.h"
#include "core/base/memory/out_of_memory.h"
#include "core/base/text/utf8.h"

namespace anydim::capi {

namespace {

// What failed last on this thread. In place, so that a failure for want of memory can be reported and nothing is left to free when a
// thread ends.
struct LastError {
  Code code;
  const char* function;  // of the generated shims: a literal
  char message[1024], argument[96], node[256];
  int64_t message_length, argument_length, node_length;
};
thread_local LastError last_error;

// Writes a text: valid UTF-8 whatever it quotes (a path need not be), with bytes that are no text and control characters as
// \xNN, cut between characters where it is too long.
class Writer {
 public:
  template <size_t n> explicit Writer(char (&to)[n]) noexcept : to_(to), room_(n - 1) { to_[0] = '\0'; }
  Writer& put(std::string_view text) noexcept {
    while (!text.empty() && !full_) {
      const ShownCharacter next(text, true);
      const std::string_view piece = next.text();
      full_ = at_ + piece.size() > room_;
      if (full_) {
        std::memcpy(to_ + cut_, kCut.data(), kCut.size() + 1);
        at_ = cut_ + kCut.size();
        return *this;
      }
      std::memcpy(to_ + at_, piece.data(), piece.size());
      at_ += piece.size();
      to_[at_] = '\0';
      if (at_ + kCut.size() <= room_) cut_ = at_;
      text.remove_prefix(next.length());
    }
    return *this;
  }
  int64_t length() const noexcept { return static_cast<int64_t>(at_); }

 private:
  static constexpr std::string_view kCut = "...";
  char* const to_;
  const size_t room_;
  size_t at_ = 0, cut_ = 0;
  bool full_ = false;
};

anydim_status_t keep(const char* function, Code code, std::string_view message, std::string_view argument, std::string_view node) noexcept {
  LastError& last = last_error;
  last.code = code;
  last.function = function;
  last.message_length = Writer(last.message).put(function).put(": ").put(message).length();
  last.argument_length = Writer(last.argument).put(argument).length();
  last.node_length = Writer(last.node).put(node).length();
  if (log_enabled(ANYDIM_LOG_DEBUG)) log_line(ANYDIM_LOG_DEBUG, "{}: {}", code_name(code), last.message);
  return static_cast<anydim_status_t>(code);
}

}  // namespace

anydim_status_t report(const char* function, Code code, const char* message) noexcept { return keep(function, code, message, {}, {}); }

anydim_status_t report(const char* function, const Status& failure) noexcept {
  return keep(function, failure.code(), failure.message(), failure.argument(), failure.node());
}

anydim_status_t report(const char* function, const std::bad_alloc& failure) noexcept {
  char message[96] = "memory could not be allocated";
  if (const OutOfMemory* memory_failure = OutOfMemory::of(failure); memory_failure != nullptr)
    std::snprintf(message, sizeof message, "memory could not be allocated: %lld bytes were requested",
                  static_cast<long long>(memory_failure->bytes()));
  return keep(function, Code::out_of_memory, message, {}, {});
}

Status read_string(const char* text, const char* what, std::string_view* out) {
  ANYDIM_TRY(require(text, what));
  *out = text;
  return {};
}

Status check_struct_size(const void* from, uint32_t size, uint32_t known, const char* what) {
  constexpr uint32_t kLargest = 64 << 10;
  if (size < 8 || size % 4 != 0 || size > kLargest)
    return invalid("{}.size is {}; expected sizeof the struct ({}), as its _INIT value sets it", what, size, known).about(what);
  const auto* bytes = static_cast<const unsigned char*>(from);
  for (uint32_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return unimplemented("{} has {} bytes and asks for something in byte {}, which this version ({} bytes) does not know", what, size, i,
                           known)
          .about(what);
  return {};
}

namespace body {

const char* last_error() noexcept { return capi::last_error.message; }

Status last_error_query(anydim_error_info_t* info) {
  const LastError& last = capi::last_error;
  info->status = static_cast<anydim_status_t>(last.code);
  info->message = {last.message, last.message_length};
  info->function = string_of(last.function);
  info->argument = {last.argument, last.argument_length};
  info->node = {last.node, last.node_length};
  return {};
}

}  // namespace body
}  // namespace anydim::capi
