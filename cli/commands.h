// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each prints to stdout and throws Failure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace anydim_cli {

struct InfoOptions {
  LoadOptions load;
  bool json = false;
};
void info(const InfoOptions& options);

struct CheckOptions {
  std::vector<std::string> models;  // files, or folders of them
  bool json = false;
};
int check_models(const CheckOptions& options);  // the exit status

// A command that the Python package does: its name, and its options as that reads them.
struct PythonCommand {
  bool selected = false;
  std::string name;
  nlohmann::ordered_json values;
};
void add_bench_command(CLI::App& app, PythonCommand& command);
void add_compare_command(CLI::App& app, PythonCommand& command);
int run_python(const PythonCommand& command);  // replaces this process; returns never

// Completion and the manual page, of the commands that `app` has.
struct PagesOptions {
  std::string shell;
  bool man = false;
};
void add_pages_commands(CLI::App& app, PagesOptions& options);
bool pages(const CLI::App& app, const PagesOptions& options);  // whether one was asked for

struct RunOptions {
  LoadOptions load;
  ContextArguments context;
  InputArguments inputs;
  std::string output_folder;
  int repeat = 1;
  bool json = false;
};
void run(const RunOptions& options);

struct PackOptions {
  LoadOptions load;
  std::string output;
  bool program = false;
};
void pack(const PackOptions& options);

struct ExplainOptions {
  LoadOptions load;
  ContextArguments context;
  std::vector<std::string> shapes, against;
  bool why = false, json = false;
  std::string html;  // a file for the graph as a picture
};
void explain(const ExplainOptions& options);

struct KernelsOptions {
  std::string op;  // empty: all
  std::string engine;
  bool json = false;
};
void kernels(const KernelsOptions& options);

// Shapes to tune or to look at: each a list of "x:1,3,48,320", one per input that has dynamic dims.
struct ShapesOptions {
  LoadOptions load;
  std::vector<std::string> shapes;  // files with a shape a line, or shapes
  int threads = 0, node_ms = 0;
  bool again = false, json = false;
  std::string output;  // stats: a file for the JSON
  // tune: a bound, above which no layer is computed in --math; 0: plans are tuned. And data to measure errors with.
  double error = 0;
  std::vector<std::string> inputs;
};
void tune_math(const ShapesOptions& options);  // with a bound
void tune(const ShapesOptions& options);
void stats(const ShapesOptions& options);

struct CacheOptions {
  enum class Action { list, verify, export_to, import_from, clear, path };
  bool selected = false;
  Action action = Action::list;
  std::string file, kind;
  bool json = false;
};
void add_cache_command(CLI::App& app, CacheOptions& options);
int cache(const CacheOptions& options);  // the exit status

struct OpenclOptions {
  bool selected = false, warm = false, json = false;
  LoadOptions load;  // of warm
};
// Returns the subcommand that takes a model.
CLI::App* add_opencl_command(CLI::App& app, OpenclOptions& options);
int opencl(const OpenclOptions& options);  // the exit status

// Calls of known models (PP-OCR, YOLO): operator, tensors and post-ops, between bars.
std::span<const char* const> model_calls();

struct EngineCheckOptions {
  std::string engine;  // a file, or as make_engine() reads it
  int problems = 40, timeout_seconds = 600;
  double parts_within = 0;  // how far results of parts may be from the processor's; 0: they are its bits
  uint64_t seed = 1;
};
int engine_check(const EngineCheckOptions& options);  // the exit status

struct ReplayOptions {
  std::vector<std::string> sources;  // lines, files, or "-"
  std::string kernel;
  int threads = 0, repeat = 5;
  uint64_t seed = 1;
  bool all = false, no_check = false, json = false;
};
// False if bits differ or a line could not run.
bool replay(const ReplayOptions& options);

}  // namespace anydim_cli
