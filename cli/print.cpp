// SPDX-License-Identifier: Apache-2.0
// The one file of the program that compiles fmt; see print.h.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "cli/client.h"
#include "cli/print.h"

namespace anydim_cli {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments) { return fmt::vformat(text, arguments); }

namespace {
Failure lost(int error) {
  return Failure(formatted("standard output: {}; what was printed is not complete", std::strerror(error != 0 ? error : EIO)));
}
}  // namespace

void print_arguments(std::FILE* file, fmt::string_view text, fmt::format_args arguments) {
  try {
    fmt::vprint(file, text, arguments);
  } catch (const std::system_error& e) {
    throw lost(e.code().value());
  }
}
void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw lost(errno);
}

}  // namespace anydim_cli
