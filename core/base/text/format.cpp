// SPDX-License-Identifier: Apache-2.0
// The one file that compiles fmt; see format.h.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

#include "core/base/text/format.h"

namespace anydim {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments) { return fmt::vformat(text, arguments); }

}  // namespace anydim
