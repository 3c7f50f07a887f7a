// SPDX-License-Identifier: Apache-2.0
// The one file of the program that compiles fmt; see print.h.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

#include "cli/print.h"

namespace anydim_cli {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments) { return fmt::vformat(text, arguments); }
void print_arguments(std::FILE* file, fmt::string_view text, fmt::format_args arguments) { fmt::vprint(file, text, arguments); }

}  // namespace anydim_cli
