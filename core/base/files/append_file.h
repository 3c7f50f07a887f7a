// SPDX-License-Identifier: Apache-2.0
// A file (or standard error) that any thread appends whole pieces of text to. No buffer of its own: what was written survives
// the end of the process, however that comes.
#pragma once

#include <string>
#include <string_view>

namespace anydim {

class AppendFile {
 public:
  enum class Existing { keep, replace };
  AppendFile() = default;
  ~AppendFile() { close(); }
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // False with errno set.
  bool open(const std::string& path, Existing existing) noexcept;
  void use_standard_error() noexcept;
  bool is_open() const noexcept { return fd_ >= 0; }
  // One write() where the system takes it whole, as it does for files. False if it failed or nothing is open.
  bool write(std::string_view text) noexcept;
  void close() noexcept;

 private:
  int fd_ = -1;
  bool owned_ = false;
};

}  // namespace anydim
