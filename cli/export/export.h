// SPDX-License-Identifier: Apache-2.0
// `anydim export MODEL --bounds ... --to FOLDER`: a model as C99 that needs no library (docs/export.md).
#pragma once

#include <string>
#include <vector>

#include "cli/client.h"

namespace anydim_cli {

struct ExportOptions {
  LoadOptions load;
  std::vector<std::string> bounds;
  std::vector<std::string> stream;  // inputs that come in chunks, and their axes: "audio:2"
  int64_t chunk = 0;                // elements of a chunk at most
  std::string folder, name = "model";
  std::string weights = "auto";  // c, bin, auto
  int threads = 1;               // parts of a step at most
  std::string kernels = "c";     // c, or an instruction set
};
void export_model(const ExportOptions& options);

}  // namespace anydim_cli
