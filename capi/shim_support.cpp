// SPDX-License-Identifier: Apache-2.0
// The thread's last error, and the checks of strings and struct sizes; see shim_support.h.
#include "capi/shim_support.h"

#include <cstdio>

#include "capi/generated/bodies.h"
#include "capi/log.h"
#include "onnx/text.h"

namespace anydim::capi {

namespace {

// In place, so that a failure for want of memory can be told and nothing is left to free when a thread ends.
thread_local char last_message[1024];

// Writes the message: valid UTF-8 whatever it quotes (a path need not be), with bytes that are no text and control characters as
// \xNN, cut between characters where it is too long.
class Writer {
 public:
  Writer() noexcept { last_message[0] = '\0'; }
  void put(std::string_view text) noexcept {
    while (!text.empty() && !full_) {
      const size_t length = onnx::utf8_character(text);
      const auto c = static_cast<unsigned char>(text.front());
      char escaped[5];
      std::string_view piece = text.substr(0, length);
      if (length == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
        piece = {escaped, static_cast<size_t>(std::snprintf(escaped, sizeof escaped, "\\x%02x", c))};
      full_ = at_ + piece.size() > kRoom;
      if (full_) {
        std::memcpy(last_message + cut_, kCut.data(), kCut.size() + 1);
        return;
      }
      std::memcpy(last_message + at_, piece.data(), piece.size());
      at_ += piece.size();
      last_message[at_] = '\0';
      if (at_ + kCut.size() <= kRoom) cut_ = at_;
      text.remove_prefix(length == 0 ? 1 : length);
    }
  }

 private:
  static constexpr size_t kRoom = sizeof(last_message) - 1;
  static constexpr std::string_view kCut = "...";
  size_t at_ = 0, cut_ = 0;
  bool full_ = false;
};

}  // namespace

anydim_status_t report(const char* function, Code code, const char* message) noexcept {
  Writer writer;
  writer.put(function);
  writer.put(": ");
  writer.put(message);
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
