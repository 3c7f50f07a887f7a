// SPDX-License-Identifier: Apache-2.0
// Shapes from files and a bar of progress; see shapes.h.
#include "cli/shapes.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/arguments.h"
#include "cli/print.h"

namespace anydim_cli {

namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

}  // namespace

std::vector<std::vector<std::string>> read_shapes(const std::vector<std::string>& texts) {
  std::vector<std::vector<std::string>> shapes;
  std::vector<std::string> provided;  // on the command line: the inputs of one shape, until an input comes again
  const auto flush = [&] {
    if (!provided.empty()) shapes.push_back(provided);
    provided.clear();
  };
  for (const std::string& text : texts) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(text, ignored)) {
      flush();
      std::ifstream file(text);
      if (!file) throw Failure(formatted("--shapes: cannot read '{}'", shown(text)));
      int number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        auto shape = words(line);
        if (shape.empty()) continue;
        try {
          for (const std::string& s : shape) (void)parse_shape(s, "--shapes");
        } catch (const Failure& f) {
          throw Failure(formatted("{} line {}: {}", shown(text), number, f.what()));
        }
        shapes.push_back(std::move(shape));
      }
    } else {
      const ShapeArgument argument = parse_shape(text, "--shapes");
      for (const std::string& g : provided)
        if (parse_shape(g, "--shapes").input == argument.input) {
          flush();
          break;
        }
      provided.push_back(text);
    }
  }
  flush();
  if (shapes.empty()) throw Failure("--shapes: no shape was given");
  return shapes;
}

std::string joined(const std::vector<std::string>& shape) {
  std::string text;
  for (const std::string& s : shape) text += (text.empty() ? "" : " ") + s;
  return text;
}

Progress::Progress(const char* what, size_t total) : what_(what), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}
Progress::~Progress() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}
void Progress::show(size_t done, const std::string& now) {
  if (!terminal_) return;
  constexpr size_t kWidth = 24;
  const size_t full = total_ > 0 ? done * kWidth / total_ : kWidth;
  std::fprintf(stderr, "\r\x1b[K%s [%s%s] %zu/%zu %s", what_, std::string(full, '#').c_str(), std::string(kWidth - full, '.').c_str(), done,
               total_, now.c_str());
}

}  // namespace anydim_cli
