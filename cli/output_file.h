// SPDX-License-Identifier: Apache-2.0
// Files that the program itself writes (arrays, JSON). The library's own files are the library's business.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace anydim_cli {

// The pieces one after the other as the file `path`, whole or not at all: on failure (Failure names the path) an older file of
// that name is as it was. Links are followed; into a pipe or a character device, such as /dev/stdout, the bytes are written.
void write_file(const std::string& path, std::initializer_list<std::string_view> pieces);

// Whether `path` leads to what this program's standard output is, so that words on it would end up in the file.
bool is_standard_output(const std::string& path);

}  // namespace anydim_cli
