// SPDX-License-Identifier: Apache-2.0
// Tables of text; see table.h.
#include "cli/table.h"

#include <algorithm>
#include <cctype>

#include "cli/print.h"

namespace anydim_cli {

namespace {

// Characters on the screen, of UTF-8.
size_t width(const std::string& s) {
  return static_cast<size_t>(std::count_if(s.begin(), s.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

bool is_number(const std::string& s) { return !s.empty() && (std::isdigit(static_cast<unsigned char>(s[0])) != 0 || s == "-"); }

}  // namespace

std::string Table::text(const std::string& indent) const {
  std::vector<size_t> widths(rows_[0].size());
  std::vector<bool> right(rows_[0].size(), rows_.size() > 1);
  for (size_t r = 0; r < rows_.size(); ++r)
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      if (r > 0 && !is_number(rows_[r][c])) right[c] = false;
    }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - width(row[c]), ' ');
      line += right[c] ? gap + row[c] : row[c] + gap;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 10'000) return formatted("{} B", bytes);
  if (bytes < 10'000'000) return formatted("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return formatted("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return formatted("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return formatted("{:.2f} ms", seconds * 1e3);
  return formatted("{:.2f} s", seconds);
}

}  // namespace anydim_cli
