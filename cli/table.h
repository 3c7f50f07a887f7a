// SPDX-License-Identifier: Apache-2.0
// Tables of text: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace anydim_cli {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text(const std::string& indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string bytes_text(int64_t bytes);  // "10.9 MB"
std::string time_text(double seconds);  // "3.21 ms"

}  // namespace anydim_cli
