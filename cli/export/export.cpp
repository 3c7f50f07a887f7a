// SPDX-License-Identifier: Apache-2.0
// The command; see export.h. The library writes the program of the model (anydim_model_write_program), all else happens here.
#include "cli/export/export.h"

#include <cctype>
#include <filesystem>

#include "cli/arguments.h"
#include "cli/export/emit.h"
#include "cli/export/programs.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kWeightsAsText = 512 << 10;  // more of them go into a binary file: as text they take long to compile

// A file that goes when it has been read.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  ~Temporary() {
    std::error_code none;
    fs::remove(path_, none);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string checked_name(const ExportOptions& o) {
  bool good = !o.name.empty() && std::isalpha(static_cast<unsigned char>(o.name[0])) != 0;
  for (const char c : o.name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
  if (!good)
    throw Failure(formatted("--name is '{}'; expected a name of C: letters, digits and underscores, a letter first", shown(o.name)));
  return o.name;
}

// "audio:2" and so on as anydim_model_options_t has them.
std::string streamed_axes(const ExportOptions& o) {
  std::string text;
  for (const std::string& s : o.stream) {
    const size_t colon = s.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == s.size())
      throw Failure(formatted("--stream is '{}'; expected an input and its axis, such as audio:2", shown(s)));
    text += (text.empty() ? "" : ";") + s.substr(0, colon) + "=" + s.substr(colon + 1);
  }
  if (text.empty() != (o.chunk == 0)) throw Failure("--stream and --chunk go together: memory has a bound where a chunk has");
  if (o.chunk < 0) throw Failure(formatted("--chunk is {}; expected 1 or more", o.chunk));
  return text;
}

}  // namespace

void export_model(const ExportOptions& o) {
  const std::string name = checked_name(o);
  const exporting::Archive* const archive = exporting::find_archive(o.kernels);
  const fs::path folder(o.folder);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !fs::is_directory(folder)) throw Failure(formatted("--to {}: cannot be made: {}", shown(o.folder), failed.message()));
  const Temporary file(folder / (name + ".program"));
  const Bounds bounds = parse_bounds(o.bounds);
  const Layers layers = parse_layers(o.load.layer_math);
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.passes = o.load.passes;
  options.math = o.load.math;
  options.layers = layers.get();
  const std::string axes = streamed_axes(o);
  if (o.threads < 1 || o.threads > 64) throw Failure(formatted("--threads is {}; expected 1 to 64", o.threads));
  if (o.threads > 1 && !axes.empty()) throw Failure("--threads and --stream do not go together: a step of a stream has one thread");
  if (!axes.empty()) options.streaming = axes.c_str();
  options.streaming_chunk = o.chunk;
  Engine engine;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, engine.out()));
  check(anydim_model_write_program(engine.get(), o.load.model.c_str(), &options, bounds.get(), file.path().c_str()), o.load.model);
  exporting::Program program(file.path());
  const exporting::ExportNames names{name, fs::path(o.load.model).filename().string(), archive, o.threads};
  int64_t constants = 0;
  const auto count = [&](const exporting::Program& p) {
    for (const exporting::Tensor& t : p.tensors)
      if (t.is_constant()) constants += exporting::element_count(t.dims) * std::max(exporting::dtype_bytes(t.dtype), 1);
  };
  count(program);
  if (program.stream != nullptr) count(*program.stream->programs[0]);
  const bool as_c = o.weights == "c" || (o.weights == "auto" && constants <= kWeightsAsText);
  exporting::ExportFiles files = exporting::make_files(program, names, as_c);
  Model model;
  check(anydim_model_load_file(engine.get(), o.load.model.c_str(), &options, model.out()), o.load.model);
  exporting::add_programs(program, names, as_c, model, &files);
  int64_t bytes = 0;
  for (const auto& [file_name, text] : files.text) {
    write_file((folder / file_name).string(), {text});
    bytes += static_cast<int64_t>(text.size());
  }
  print("{}: {} files, {}; {} steps, weights {}, {} at most {}\n", shown(o.folder), files.text.size(), bytes_text(bytes), files.calls,
        bytes_text(files.weight_bytes), program.stream != nullptr ? "a stream" : "arena", bytes_text(files.arena_bytes));
}

}  // namespace anydim_cli
