// SPDX-License-Identifier: Apache-2.0
// Appending to a file descriptor; see append_file.h.
#include "core/base/files/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace anydim {

bool AppendFile::open(const std::string& path, Existing existing) noexcept {
  close();
  const int mode = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (existing == Existing::replace ? O_TRUNC : 0);
  fd_ = ::open(path.c_str(), mode, 0644);
  owned_ = fd_ >= 0;
  return owned_;
}

void AppendFile::use_standard_error() noexcept {
  close();
  fd_ = STDERR_FILENO;
}

bool AppendFile::write(std::string_view text) noexcept {
  if (fd_ < 0) return false;
  while (!text.empty()) {
    const ssize_t n = ::write(fd_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

void AppendFile::close() noexcept {
  if (owned_) ::close(fd_);
  fd_ = -1;
  owned_ = false;
}

}  // namespace anydim
