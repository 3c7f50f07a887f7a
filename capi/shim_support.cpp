// SPDX-License-Identifier: Apache-2.0
// The thread's last error, and the checks of strings and struct sizes; see shim_support.h.
#include "capi/shim_support.h"

#include "capi/generated/bodies.h"
#include "capi/log.h"

namespace anydim::capi {

namespace {

// In place, so that a failure for want of memory can be told and nothing is left to free when a thread ends.
thread_local char last_message[1024];

}  // namespace

anydim_status_t report(const char* function, Code code, const char* message) noexcept {
  constexpr size_t kRoom = sizeof(last_message) - 1;
  if (const int length = std::snprintf(last_message, sizeof(last_message), "%s: %s", function, message); length > static_cast<int>(kRoom)) {
    size_t end = kRoom - 3;
    while (end > 0 && (static_cast<unsigned char>(last_message[end]) & 0xC0) == 0x80) --end;  // whole UTF-8 characters
    std::memcpy(last_message + end, "...", 4);
  }
  if (log_enabled(ANYDIM_LOG_DEBUG)) log_line(ANYDIM_LOG_DEBUG, "{}: {}", code_name(code), last_message);
  return static_cast<anydim_status_t>(code);
}

anydim_status_t report(const char* function, const Status& failure) noexcept {
  return report(function, failure.code(), failure.message().c_str());
}

Status read_string(const char* text, const char* what, std::string_view* out) {
  ANYDIM_TRY(require(text, what));
  *out = text;
  return {};
}

Status check_struct_size(const void* from, uint32_t size, uint32_t known, const char* what) {
  constexpr uint32_t kLargest = 64 << 10;
  if (size < 8 || size % 4 != 0 || size > kLargest)
    return invalid("{}.size is {}; expected sizeof the struct ({}), as its _INIT value sets it", what, size, known);
  const auto* bytes = static_cast<const unsigned char*>(from);
  for (uint32_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return unimplemented("{} has {} bytes and asks for something in byte {}, which this version ({} bytes) does not know", what, size, i,
                           known);
  return {};
}

namespace body {

const char* last_error() noexcept { return last_message; }

}  // namespace body
}  // namespace anydim::capi
