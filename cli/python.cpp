// SPDX-License-Identifier: Apache-2.0
// `anydim bench` and `anydim compare`: their options are described and checked here like those of every command; the work is done by
// the Python package (anydim.commands), where the other engines are. Not for commands that the library alone can do.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;

// Options of one command as the Python package reads them: names and values.
template <class T>
void bound(CLI::App* command, const char* flag, PythonCommand& o, const char* name, T initial, const char* what,
           const CLI::Validator& valid = CLI::Validator()) {
  o.values[name] = initial;
  CLI::Option* option = command->add_option_function<T>(
      flag, [&o, name](const T& v) { o.values[name] = v; }, what);
  if (!valid.get_name().empty() || !valid.get_description().empty()) option->check(valid);
  if constexpr (!std::is_same_v<T, std::vector<std::string>>)
    if (initial != T{}) option->default_str(Json(initial).dump());
}
using List = std::vector<std::string>;
void many(CLI::App* command, const char* flag, PythonCommand& o, const char* name, const char* what) {
  o.values[name] = List();
  command
      ->add_option_function<List>(
          flag, [&o, name](const List& v) { o.values[name] = v; }, what)
      ->allow_extra_args(false);
}
void flag(CLI::App* command, const char* flag, PythonCommand& o, const char* name, const char* what) {
  o.values[name] = false;
  command->add_flag_callback(
      flag, [&o, name] { o.values[name] = true; }, what);
}

// Engines by name, between commas.
CLI::Validator peers() {
  return CLI::Validator(
      [](std::string& value) -> std::string {
        std::stringstream words(value);
        for (std::string word; std::getline(words, word, ',');)
          if (word != "onnxruntime" && word != "openvino")
            return formatted("'{}' is no engine to compare with; expected onnxruntime, openvino or both: onnxruntime,openvino",
                             shown(word));
        return "";
      },
      "ENGINES", "peers");
}

constexpr const char* kMath = "math mode: strict (the default), fast or reduced";

// Starts with the checks that the error can be plain: which Python, and whether it has the package.
constexpr const char* kStart =
    "import sys\n"
    "try:\n"
    "    import anydim.commands\n"
    "except ImportError as error:\n"
    "    sys.exit(f\"anydim: {sys.argv[1]} needs the Python package anydim, which {sys.executable} cannot import ({error}); \"\n"
    "             \"install it there, or name another Python in ANYDIM_PYTHON\")\n"
    "sys.exit(anydim.commands.start(sys.argv[1], sys.argv[2]))\n";

// ANYDIM_PYTHON; else the one beside this program, as in a virtual environment; else the first on the PATH.
std::string python() {
  if (const char* named = std::getenv("ANYDIM_PYTHON"); named != nullptr && *named != 0) return named;
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const auto beside = self.parent_path() / "python3";
    if (access(beside.c_str(), X_OK) == 0) return beside.string();
  }
  return "python3";
}

}  // namespace

void add_bench_command(CLI::App& app, PythonCommand& o) {
  CLI::App* command = app.add_subcommand(
      "bench",
      "measures models over a stream of shapes: first calls at new shapes, later calls, percentiles; also beside other engines.\n"
      "The model alone is enough: shapes are drawn from its dims, and the seed is printed. Each engine runs in fresh processes,\n"
      "several rounds, alternately. Needs the Python package; --against needs that engine's package, too.\n\n"
      "  anydim bench rec.onnx\n"
      "  anydim bench rec.onnx --shapes x:1,3,48,48..960 --count 24 --against onnxruntime,openvino\n"
      "  anydim bench det.onnx --shapes x:1,3,320..736/32,320..736/32 --html report.html\n"
      "  anydim bench rec.onnx --shapes x:1,3,48,320 --callers 4 --duration 10");
  o.name = "bench";
  command
      ->add_option_function<List>(
          "MODELS", [&o](const List& v) { o.values["models"] = v; }, "ONNX files")
      ->required();
  o.values["shapes"] = List();
  command
      ->add_option_function<List>(
          "--shapes", [&o](const List& v) { o.values["shapes"] = v; },
          "shapes in call order. A shape: x:1,3,48,320 (further inputs follow after a blank, in quotation marks). A dim may be a range,\n"
          "48..960, or one with a step, 320..736/32: then --count shapes are drawn. A file has a shape a line, after a number\n"
          "to draw so many (24 x:1,3,48,48..960); under a line [rec.onnx] they are that model's alone")
      ->allow_extra_args(false);
  bound(command, "--count", o, "count", 16, "shapes to draw", CLI::Range(1, 100'000));
  bound(command, "--seed", o, "seed", -1, "of drawn shapes and values; drawn when it is not given", CLI::NonNegativeNumber);
  bound(command, "--threads", o, "threads", 0, "most threads of one run; 0 = all cores", CLI::Range(0, 4096));
  bound(command, "--callers", o, "callers", 1, "threads that call at the same time, once every shape was seen", CLI::Range(1, 1024));
  bound(command, "--warm-up", o, "warm_up", 2, "calls at a shape outside the stream, before anything is measured", CLI::Range(0, 100'000));
  bound(command, "--duration", o, "duration", 2.0, "seconds of calls of one process, at least; never less than two passes",
        CLI::Range(0.0, 86'400.0));
  bound(command, "--rounds", o, "rounds", 3, "fresh processes of each engine", CLI::Range(1, 1000));
  bound(command, "--against", o, "against", std::string(), "engines to measure, too: onnxruntime, openvino or onnxruntime,openvino",
        peers());
  bound(command, "--math", o, "math", std::string(), kMath, CLI::IsMember(List{"strict", "fast", "reduced"}));
  bound(command, "--reuse", o, "reuse", std::string(), "reuse policy of Anydim",
        CLI::IsMember(List{"auto", "reusable", "specialised", "reusable_first"}));
  bound(command, "--html", o, "html", std::string(), "a file for the report with plots; it loads nothing from a network");
  flag(command, "--json", o, "json", "everything as JSON");
  command->callback([&o] { o.selected = true; });
}

void add_compare_command(CLI::App& app, PythonCommand& o) {
  CLI::App* command = app.add_subcommand(
      "compare",
      "compares a model's results with ONNX Runtime's, or with saved ones, and finds the first node at which they part.\n"
      "Exit status 0: all outputs agree; 1: they do not. Needs the Python package, and onnxruntime unless --saved is given.\n\n"
      "  anydim compare rec.onnx --random x:1,3,48,320\n"
      "  anydim compare rec.onnx --input x=image.npy --saved results     (results/NAME.npy, as `anydim run --output` writes them)\n"
      "  anydim compare quantized.onnx --reference float.onnx --random x:1,3,48,320 --relative 0.05");
  o.name = "compare";
  command
      ->add_option_function<std::string>(
          "MODEL", [&o](const std::string& v) { o.values["model"] = v; }, "an ONNX file")
      ->required();
  many(command, "--input", o, "inputs", "an input from a numpy file, such as x=image.npy");
  many(command, "--random", o, "random", "an input of random values, such as x:1,3,48,320; without any, a shape is drawn from the dims");
  bound(command, "--seed", o, "seed", -1, "of drawn shapes and values; drawn when it is not given", CLI::NonNegativeNumber);
  bound(command, "--saved", o, "saved", std::string(),
        "folder with the expected outputs, and tensors inside the model if there are any, as NAME.npy", CLI::ExistingDirectory);
  bound(command, "--reference", o, "reference", std::string(),
        "the model that ONNX Runtime runs; default: the same one. Tensors are matched by name", CLI::ExistingFile);
  bound(command, "--relative", o, "relative", 1e-3, "largest difference that agrees, as a part of the largest magnitude in the tensor",
        CLI::Range(0.0, 1e9));
  bound(command, "--threads", o, "threads", 0, "most threads of one run; 0 = all cores", CLI::Range(0, 4096));
  bound(command, "--math", o, "math", std::string(), kMath, CLI::IsMember(List{"strict", "fast", "reduced"}));
  flag(command, "--nodes", o, "nodes", "every node, also where all outputs agree");
  flag(command, "--json", o, "json", "the result as JSON");
  command->callback([&o] { o.selected = true; });
}

int run_python(const PythonCommand& o) {
  flush_output();
  const std::string program = python(), options = o.values.dump(-1, ' ', false, Json::error_handler_t::replace);
  execlp(program.c_str(), program.c_str(), "-c", kStart, o.name.c_str(), options.c_str(), static_cast<char*>(nullptr));
  throw Failure(formatted("{} needs Python 3 and its package anydim: cannot start '{}': {}", o.name, shown(program), std::strerror(errno)));
}

}  // namespace anydim_cli
