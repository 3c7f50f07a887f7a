// SPDX-License-Identifier: Apache-2.0
// Models of a build without the importer: saved programs, and a sentence for all else; see model_import.h.
#include <fstream>

#include "capi/model_import.h"
#include "capi/program_files.h"

namespace anydim::capi {

namespace {

Status no_program(const std::string& name, const char* argument) {
  return unimplemented(
             "{} is no program file, and this library was built without the importer of models: save the model with the whole "
             "library's `anydim pack --program`, and load that file",
             name)
      .about(argument);
}

}  // namespace

Status load_model_file(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, bool unpacked,
                       std::unique_ptr<ModelObject>* out) {
  if (path.empty()) return invalid("path is empty").about("path");
  const std::string name(path);
  char first[16] = {};
  std::ifstream file(name, std::ios::binary);
  // A file that cannot be read is refused where it is opened.
  if (file.read(first, sizeof first) && !is_program_file({first, sizeof first})) return no_program(formatted("'{}'", name), "path");
  return load_program_file(engine, name, nullptr, options, unpacked, out);
}

Status load_model_memory(EngineObject& engine, std::string_view bytes, const anydim_model_options_t& options,
                         std::unique_ptr<ModelObject>* out) {
  if (!is_program_file(bytes)) return no_program("data", "data");
  return load_program_file(engine, "data", &bytes, options, false, out);
}

}  // namespace anydim::capi
