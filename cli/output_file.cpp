// SPDX-License-Identifier: Apache-2.0
// Writes files whole or not at all; see output_file.h.
#include "cli/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/client.h"
#include "cli/print.h"

namespace anydim_cli {

namespace fs = std::filesystem;

namespace {

Failure cannot_write(const std::string& path, int reason) {
  return Failure(formatted("cannot write '{}': {}", shown(path), std::strerror(reason != 0 ? reason : EIO)));
}

void write_pieces(const std::string& to, std::initializer_list<std::string_view> pieces, const std::string& shown) {
  errno = 0;
  std::ofstream file(to, std::ios::binary);
  for (const std::string_view piece : pieces) file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  file.close();
  if (!file) throw cannot_write(shown, errno);
}

}  // namespace

void write_file(const std::string& path, std::initializer_list<std::string_view> pieces) {
  std::error_code wrong;
  const fs::file_status status = fs::status(path, wrong);
  if (status.type() == fs::file_type::block || status.type() == fs::file_type::directory)
    throw Failure(formatted("cannot write '{}': it is {}; expected a file", shown(path),
                            status.type() == fs::file_type::block ? "a block device" : "a folder"));
  const fs::path target = status.type() == fs::file_type::regular ? fs::canonical(path, wrong) : fs::path(path);
  // Nothing is there to be kept whole: a pipe, a device, or a link to a file that is yet to be made.
  if (wrong || (status.type() != fs::file_type::regular && fs::symlink_status(path, wrong).type() != fs::file_type::not_found)) {
    write_pieces(path, pieces, path);
    return;
  }
  if (status.type() == fs::file_type::regular && ::access(target.c_str(), W_OK) != 0) throw cannot_write(path, errno);
  const fs::path partial = target.parent_path() / formatted("anydim.{}.new", ::getpid());
  try {
    write_pieces(partial.string(), pieces, path);
    if (status.type() == fs::file_type::regular) fs::permissions(partial, status.permissions(), wrong);
    if (::rename(partial.c_str(), target.c_str()) != 0) throw cannot_write(path, errno);
  } catch (const Failure&) {
    fs::remove(partial, wrong);
    throw;
  }
}

bool is_standard_output(const std::string& path) {
  struct stat file, output;
  return ::stat(path.c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 && file.st_dev == output.st_dev &&
         file.st_ino == output.st_ino;
}

}  // namespace anydim_cli
