// SPDX-License-Identifier: Apache-2.0
// Writing a file whole or not at all, without harm to what bears its name. Everything that saves something under a name that a
// user gave goes through here.
//
// - A regular file, or no file: the bytes go to a new file in the same folder, which takes the name when all of them are on the
//   disk. Who opens the name finds the old file or the new one, and a failure leaves the old one and nothing beside it.
// - A symbolic link is followed: what it leads to is replaced, the link stays.
// - A file that is replaced leaves its permissions to the new one, and its owner where the system allows that. A file that the
//   caller may not write is not replaced.
// - A pipe or a character device (/dev/stdout, /dev/null) has nothing to replace: the bytes are written into it, in order. Where
//   that makes no sense it is refused. A pipe that nobody reads is an error, not a wait.
// - Folders, block devices and sockets are refused.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/status.h"

namespace anydim {

class NewFile {
 public:
  enum class Into {
    any,    // pipes and character devices, too
    files,  // regular files only
  };
  NewFile() = default;
  NewFile(NewFile&& o) noexcept;
  NewFile& operator=(NewFile&& o) noexcept;
  ~NewFile() { abandon(); }

  // `path` is what messages say. io_error, or invalid_argument for something that cannot be written to as a file.
  static Status create(const std::string& path, Into into, NewFile* out);

  // After a failure nothing more is written, and commit() gives that failure.
  void write(const void* data, size_t bytes) noexcept;
  // Another writer's way in: the name of the file that has no bytes yet. For Into::files.
  const std::string& partial() const noexcept { return partial_; }

  // All bytes on the disk, and the name taken. Without it the destructor removes what was written. Without `sync` nothing waits for the
  // disk: a program that ends early leaves the old file or the new one, a machine that does may leave an empty one.
  Status commit(bool sync = true);

 private:
  void abandon() noexcept;
  Status make_partial();
  Status open_through();

  std::string path_, target_, partial_;  // as given; with links followed; what is written (empty: written through)
  int fd_ = -1, failure_ = 0;            // failure_: an errno
};

}  // namespace anydim
