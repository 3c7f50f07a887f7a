// SPDX-License-Identifier: Apache-2.0
// What the system says with errno as a Status: one place that knows which code belongs to which number.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "core/base/status.h"

namespace anydim {

// file_not_found for a name that leads nowhere, out_of_memory for memory and address space, io_error for everything else.
inline Code code_of_errno(int number) noexcept {
  switch (number) {
    case ENOENT:
    case ENOTDIR: return Code::file_not_found;
    case ENOMEM: return Code::out_of_memory;
    default: return Code::io_error;
  }
}

// "No space left on device"; any thread may ask.
inline std::string errno_text(int number) { return std::generic_category().message(number); }

// system_error(errno, "mapping '{}'", path) says "mapping 'model.onnx': Cannot allocate memory".
template <class... A> Status system_error(int number, fmt::format_string<A...> doing, A&&... args) {
  return error(code_of_errno(number), "{}: {}", formatted(doing, std::forward<A>(args)...), errno_text(number));
}
// The same where a file is written: a folder that is missing is not a file that is not found.
template <class... A> Status write_error(int number, fmt::format_string<A...> doing, A&&... args) {
  const Code code = code_of_errno(number);
  return error(code == Code::file_not_found ? Code::io_error : code, "{}: {}", formatted(doing, std::forward<A>(args)...),
               errno_text(number));
}

}  // namespace anydim
