// SPDX-License-Identifier: Apache-2.0
// Lists of shapes for `anydim tune` and `anydim stats`, from the command line or from files.
#pragma once

#include <string>
#include <vector>

namespace anydim_cli {

// One entry per shape: the arguments "x:1,3,48,320" of its inputs. A text that names a file stands for its lines.
std::vector<std::vector<std::string>> read_shapes(const std::vector<std::string>& texts);

std::string joined(const std::vector<std::string>& shape);  // "x:1,3,48,320 y:5"

// A bar on stderr while it is a terminal.
class Progress {
 public:
  Progress(const char* what, size_t total);
  ~Progress();
  void show(size_t done, const std::string& now);

 private:
  const char* what_;
  size_t total_;
  bool terminal_;
};

}  // namespace anydim_cli
