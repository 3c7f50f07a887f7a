// SPDX-License-Identifier: Apache-2.0
// The one file of the program that compiles fmt; see print.h.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/client.h"
#include "cli/print.h"

namespace anydim_cli {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments) { return fmt::vformat(text, arguments); }

namespace {
constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
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

std::string shown(std::string_view text, size_t most) {
  const bool cut = text.size() > most;
  if (cut) {
    text = text.substr(0, most);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.remove_suffix(1);
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  }
  // The JSON library knows UTF-8; lines stay lines and quotation marks stay as they are.
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of("\n\"\\", begin), text.size());
    const std::string piece = nlohmann::json(std::string(text.substr(begin, end - begin))).dump(-1, ' ', false, kReplace);
    out.append(piece, 1, piece.size() - 2);
    if (end < text.size()) out += text[end];
    begin = end + 1;
  }
  return cut ? out + "..." : out;
}

}  // namespace anydim_cli
