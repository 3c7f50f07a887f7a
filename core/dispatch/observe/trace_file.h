// SPDX-License-Identifier: Apache-2.0
// A trace in the Chrome trace event format (JSON array form), which Perfetto and chrome://tracing open. Each event is written
// when it ends, so a process that is killed leaves an array without its end, which those programs accept; a process that ends
// by itself closes the array. Callers hold a lock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/files/append_file.h"

namespace anydim {

std::string json_string(std::string_view text);  // with its quotation marks; bytes that are no UTF-8 become U+FFFD

class TraceFile {
 public:
  // "%p" in the path stands for the process id. False with errno set.
  bool open(std::string path, int64_t limit_bytes) noexcept;
  bool is_open() const noexcept { return file_.is_open(); }

  using Arguments = std::vector<std::pair<const char*, std::string>>;  // values are JSON already
  void slice(const char* category, std::string_view name, int64_t begin, int64_t end, const Arguments& arguments);
  void instant(const char* category, std::string_view name, int64_t at, const Arguments& arguments);
  void finish() noexcept;   // closes the array
  void abandon() noexcept;  // a forked child: the file is the parent's

 private:
  void event(const std::string& text);
  void name_thread();
  AppendFile file_;
  int64_t written_ = 0, limit_ = 0, last_ = 0;  // bytes; time of the latest event
  uint32_t generation_ = 0;
  bool full_ = false;
};

}  // namespace anydim
