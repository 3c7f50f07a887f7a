// SPDX-License-Identifier: Apache-2.0
// `anydim pack MODEL`: writes a model's packed weights to a file that later processes map (docs/weights.md), or with --program the
// whole compiled program (docs/programs.md).
#include <filesystem>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

void pack(const PackOptions& options) {
  const Loaded loaded = load(options.load);
  std::filesystem::path path = options.output;
  if (path.empty()) path = std::filesystem::path(options.load.model).replace_extension(options.program ? ".anydim" : ".packed");
  std::error_code none;
  if (std::filesystem::equivalent(path, options.load.model, none))
    throw Failure(formatted("-o is {}, the model itself; expected another file", shown(path.string())));
  std::FILE* words = is_standard_output(path.string()) ? stderr : stdout;
  const auto save = options.program ? anydim_model_save_program : anydim_model_save_packed;
  check(save(loaded.model.get(), path.c_str(), nullptr));
  anydim_model_info_t facts = ANYDIM_MODEL_INFO_INIT;
  check(anydim_model_query(loaded.model.get(), &facts));
  const bool file = std::filesystem::is_regular_file(path, none);
  const std::string program = options.program ? formatted("a program of {} nodes, ", facts.nodes) : "";
  print(words, "{}: {}{} packed weights{}\n", path.string(), program, facts.packed_weights,
        file ? ", " + bytes_text(static_cast<int64_t>(std::filesystem::file_size(path, none))) : "");
}

}  // namespace anydim_cli
