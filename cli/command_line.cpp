// SPDX-License-Identifier: Apache-2.0
// The options of each command; see command_line.h. What a command does is in the file of its name.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <span>

#include "cli/print.h"

namespace anydim_cli {

// A value that is one of these words; its number takes its place.
static CLI::Validator one_of(std::span<const Word> words) {
  const auto joined = [words](const char* between, const char* last) {
    std::string text;
    for (size_t i = 0; i < words.size(); ++i) text += formatted("{}{}", i == 0 ? "" : i + 1 < words.size() ? between : last, words[i].word);
    return text;
  };
  return CLI::Validator(
      [words, joined](std::string& value) -> std::string {
        for (const Word& w : words) {
          if (value != w.word) continue;
          value = std::to_string(w.number);
          return "";
        }
        return formatted("'{}' is none of them; expected {}", shown(value), joined(", ", " or "));
      },
      "{" + joined(",", ",") + "}");
}

// What all commands have that load a model.
static void add_load(CLI::App* command, LoadOptions& o, bool required = true) {
  static constexpr Word kPasses[] = {{"all", ANYDIM_PASSES_ALL}, {"exact", ANYDIM_PASSES_EXACT}, {"none", ANYDIM_PASSES_NONE}};
  command->add_option("MODEL", o.model, "an ONNX file")->required(required);
  command->add_option("--layout", o.layouts, "memory order of an input or output: x:channels_last, x:0,2,3,1, x:fastest, y:follow")
      ->allow_extra_args(false);
  command->add_option("--passes", o.passes, "rewritings of the graph: all, exact (none that changes a rounding), none")
      ->transform(one_of(kPasses));
  command
      ->add_option("--math", o.math,
                   "math mode: strict (the same bits everywhere; the default), fast (documented algorithms with a larger error, too),\n"
                   "reduced (bfloat16, too). A layer without kernels of its mode uses the mode before it; `anydim explain` shows it")
      ->transform(one_of(kMathModes));
  command->add_option("--layer-math", o.layer_math, "math mode of one layer, before --math: NAME=MODE, such as conv_3=fast")
      ->allow_extra_args(false);
}
// Where it runs.
static void add_engine(CLI::App* command, LoadOptions& o) {
  command->add_option("--engine", o.engine,
                      "the engine that nodes run on if it has a kernel for them, the processor else: cpu, opencl, opencl:PLATFORM or\n"
                      "opencl:PLATFORM:DEVICE, as `anydim opencl list` names them. Results never change");
  command
      ->add_option("--load-engine", o.load_engines,
                   "a shared object with an engine, which --engine can name then (docs/engines-from-outside.md)")
      ->allow_extra_args(false);
  command->add_flag("--flushed-denormals", o.flushed_denormals, "with --engine: a device that treats denormals as zeros is accepted, too");
}
static void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "most threads; 0 = all cores")->capture_default_str();
}
// What those have that can do without packing.
static void add_packed(CLI::App* command, LoadOptions& o) {
  command->add_option("--packed", o.packed, "a file of `anydim pack`: weights are mapped from it, not packed");
}

// What those have that run a model at the shapes given.
static void add_context(CLI::App* command, ContextArguments& o) {
  static constexpr Word kPolicies[] = {{"auto", ANYDIM_REUSE_AUTO},
                                       {"reusable", ANYDIM_REUSE_REUSABLE},
                                       {"specialised", ANYDIM_REUSE_SPECIALISED},
                                       {"reusable_first", ANYDIM_REUSE_REUSABLE_FIRST}};
  add_threads(command, o.threads);
  command
      ->add_option("--bounds", o.bounds, "promised dims of an input, such as x:1..4,3,48,32..1200: all memory is made before the first run")
      ->allow_extra_args(false);
  command
      ->add_option("--reuse", o.reuse,
                   "reuse policy: auto, reusable (the cost model's plans alone), specialised (measures plans for the bounds before the\n"
                   "first run), reusable_first (the background worker measures); it changes time, never results. Default: ANYDIM_REUSE")
      ->transform(one_of(kPolicies));
  command->add_option("--tuning-ms", o.tuning_ms, "with --reuse specialised: most milliseconds of measuring; 0 = 10,000")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

CLI::App* CommandLine::add_info() {
  CLI::App* command = app_.add_subcommand("info", "inputs, outputs, symbolic dims, operators, weights of a model");
  add_load(command, info_.load);
  add_packed(command, info_.load);
  add_engine(command, info_.load);
  command->add_flag("--json", info_.json, "everything as JSON");
  return command;
}

CLI::App* CommandLine::add_run() {
  CLI::App* command = app_.add_subcommand("run", "runs a model; times of the first call and of repeated ones");
  add_load(command, run_.load);
  add_packed(command, run_.load);
  add_engine(command, run_.load);
  command->add_option("--input", run_.inputs.files, "an input from a numpy file, such as x=image.npy")->allow_extra_args(false);
  command->add_option("--random", run_.inputs.random, "an input of random values, such as x:1,3,48,320 (always the same)")
      ->allow_extra_args(false);
  command->add_option("--output", run_.output_folder, "folder for the outputs as .npy files")->check(CLI::ExistingDirectory);
  command->add_option("--repeat", run_.repeat, "how often to run")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  add_context(command, run_.context);
  command->add_flag("--profile", run_.context.profile, "the time of each node");
  command->add_flag("--json", run_.json, "the result as JSON");
  return command;
}

CLI::App* CommandLine::add_pack() {
  CLI::App* command = app_.add_subcommand(
      "pack",
      "writes a model's packed weights to a file for --packed and for programs: they load faster, and processes that map\n"
      "one file share its memory. For processors of this machine's kind; elsewhere weights are packed as usual.\n"
      "With --program the whole compiled program: a file that every command and program loads in the model's place, in a\n"
      "millisecond or two (docs/programs.md)\n\n"
      "  anydim pack rec.onnx --program --to rec.anydim\n"
      "  anydim run rec.anydim --random x:1,3,48,320");
  add_load(command, pack_.load);
  command->add_flag("--program", pack_.program, "the whole program, for this version and for processors that have what this one has");
  command->add_option("-o,--output,--to", pack_.output,
                      "the file; default: the model's name with .packed instead of .onnx, or .anydim with --program");
  return command;
}

CLI::App* CommandLine::add_export() {
  CLI::App* command = app_.add_subcommand(
      "export",
      "writes a model as C99 that needs no library: dims at run time, within bounds that are known, memory in one arena of the\n"
      "caller's, results with the bits that `anydim run` has. What cannot be exported is listed (docs/export.md)\n\n"
      "  anydim export rec.onnx --bounds x:1,3,48,32..640 --to rec --name rec\n"
      "  make -C rec CFLAGS=\"-O3 -mavx2 -mfma\"\n\n"
      "NAME.h has the functions: NAME_bytes(&dims), NAME_run(&dims, arena, x, y), and NAME_ARENA_BYTES for an arena of fixed size");
  add_load(command, export_.load);
  command
      ->add_option("--bounds", export_.bounds,
                   "dims that an input may have, such as x:1..4,3,48,32..640; for every input with dynamic dims")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--stream", export_.stream,
          "an input that comes in chunks, and its axis, such as audio:2 (docs/streaming.md): NAME_stream_open, _step, _flush and _reset\n"
          "in place of NAME_run")
      ->allow_extra_args(false);
  command->add_option("--chunk", export_.chunk, "elements of a chunk along that axis, at most");
  command
      ->add_option("--threads", export_.threads,
                   "parts of a step at most: NAME_run_with takes a function of the program's that runs them on its threads")
      ->capture_default_str();
  command->add_option("--to", export_.folder, "folder for the files; it is made")->required();
  command->add_option("--name", export_.name, "what functions and files begin with")->capture_default_str();
  command
      ->add_option("--weights", export_.weights,
                   "weights as C text (c), as a binary file that the assembler includes (bin), or by their size (auto)")
      ->check(CLI::IsMember({"auto", "c", "bin"}))
      ->capture_default_str();
  command
      ->add_option(
          "--kernels", export_.kernels,
          "convolutions and products as C (c), or as an archive of the library's own kernels for one instruction set (avx2, avx512):\n"
          "faster, and for that processor only")
      ->capture_default_str();
  return command;
}

// What tune and stats have in common.
CLI::App* CommandLine::add_shapes(const char* name, const char* description, ShapesOptions& options) {
  CLI::App* command = app_.add_subcommand(name, description);
  add_load(command, options.load);
  add_packed(command, options.load);
  add_engine(command, options.load);
  command->add_option("--shapes", options.shapes, "a shape such as x:1,3,48,320, or a file with one a line (# begins a comment)")
      ->required();
  add_threads(command, options.threads);
  command->add_option("--node-ms", options.node_ms, "most milliseconds of measuring for one node; 0 = 200")->capture_default_str();
  command->add_flag("--json", options.json, "the result as JSON");
  return command;
}

CLI::App* CommandLine::add_tune() {
  CLI::App* command =
      add_shapes("tune",
                 "measures the plans of every node at given shapes and stores the faster ones for later processes.\n"
                 "Results never change. Each node is stored as it is found: Ctrl-C loses nothing, and the same command goes on\n"
                 "where it was. `anydim cache` looks after what is stored",
                 tune_);
  command->add_flag("--again", tune_.again, "measure again what has been measured before");
  CLI::Option* const bound = command->add_option(
      "--error", tune_.error,
      "instead, with --math: proposes the layers to compute in that mode, so that no output differs from mode strict's by\n"
      "more than this part of its largest magnitude. Stores nothing");
  bound->check(CLI::Range(1e-9, 1e9));
  command->add_option("--input", tune_.inputs, "with --error: an input from a numpy file, such as x=image.npy; shapes get random values")
      ->allow_extra_args(false)
      ->needs(bound);
  command->get_option("--shapes")->required(false);
  command->callback([this] {
    if (tune_.shapes.empty() && tune_.inputs.empty()) throw CLI::RequiredError("--shapes");
  });
  return command;
}

CLI::App* CommandLine::add_stats() {
  CLI::App* command =
      add_shapes("stats",
                 "what a model does over given shapes: which kernels run and how often, what creation and tuning cost, and where\n"
                 "the reusable plan is more than 10 % slower than the best one found. Stores nothing.\n"
                 "`python -m anydim.stats FILE.json` draws the JSON",
                 stats_);
  command->add_option("--output", stats_.output, "a file for the JSON, beside the table");
  return command;
}

CLI::App* CommandLine::add_explain() {
  CLI::App* command = app_.add_subcommand("explain", "per node: kernel, plan, layout, fused post-ops, bytes, time");
  add_load(command, explain_.load);
  add_packed(command, explain_.load);
  add_engine(command, explain_.load);
  command->add_option("--shape", explain_.shapes, "dims of an input, such as x:1,3,48,320")->required()->allow_extra_args(false);
  command->add_option("--against", explain_.against, "dims to compare with, run after those of --shape")->allow_extra_args(false);
  add_context(command, explain_.context);
  command->add_flag("--why", explain_.why, "why other kernels were refused, per node");
  command->add_flag("--json", explain_.json, "everything as JSON");
  command->add_option("--html", explain_.html, "a file for the graph at --shape as a picture, with times, engines and layouts");
  return command;
}

CLI::App* CommandLine::add_check() {
  CLI::App* command = app_.add_subcommand(
      "check",
      "which models load, and what the others lack: a table. Exit status 0: all load; 1: some do not.\n\n  anydim check a.onnx models/");
  command->add_option("MODELS", check_.models, "ONNX files, or folders of them")->required();
  command->add_flag("--json", check_.json, "the result as JSON");
  return command;
}

CLI::App* CommandLine::add_kernels() {
  CLI::App* command = app_.add_subcommand("kernels", "the kernels of an operator, or of all, in the order in which they are tried");
  command->add_option("OPERATOR", kernels_.op, "an operator, such as matmul; default: all");
  command->add_option("--engine", kernels_.engine, "whose kernels: cpu (the default), opencl, opencl:PLATFORM or opencl:PLATFORM:DEVICE");
  command->add_flag("--json", kernels_.json, "the list as JSON");
  return command;
}

void CommandLine::add_opencl() {
  CLI::App* warm_command = add_opencl_command(app_, opencl_);
  add_load(warm_command, opencl_.load, false);
  add_engine(warm_command, opencl_.load);
}

CLI::App* CommandLine::add_engine_check() {
  CLI::App* command = app_.add_subcommand(
      "engine-check",
      "tests an engine: memory, copies, streams, limits, and the bits of its kernels beside the processor's. Exit status 0: all passed; "
      "1:\n"
      "something failed; 2: the engine ended the process, or did not return in time.\n\n  anydim engine-check ./libmine.so");
  command->add_option("ENGINE", engine_check_.engine, "a shared object with an engine, or a text as --engine takes it")->required();
  command->add_option("--problems", engine_check_.problems, "random problems of each operator, and random graphs")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_option("--seed", engine_check_.seed, "of the random problems and data")->capture_default_str();
  command->add_option("--parts-within", engine_check_.parts_within, "of results of graphs: how far from the processor's; 0: equal bits")
      ->capture_default_str();
  command->add_option("--timeout", engine_check_.timeout_seconds, "seconds for everything")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  return command;
}

CLI::App* CommandLine::add_replay() {
  CLI::App* command = app_.add_subcommand("replay", "runs lines of a verbose log alone: their bits against the reference, their speed");
  command->add_option("LINE", replay_.sources, "execute lines, files of lines, or - for standard input")->required();
  command->add_option("--kernel", replay_.kernel, "kernel to force instead of the line's");
  command->add_option("--threads", replay_.threads, "most threads; 0 = the line's")->check(CLI::Range(0, 4096))->capture_default_str();
  command->add_option("--repeat", replay_.repeat, "timed runs; the median counts")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  command->add_option("--seed", replay_.seed, "of the random data")->capture_default_str();
  command->add_flag("--all", replay_.all, "lines that differ in time and node name only, too");
  command->add_flag("--no-check", replay_.no_check, "speed only, no reference");
  command->add_flag("--json", replay_.json, "the results as JSON");
  return command;
}

CommandLine::CommandLine(CLI::App& app) : app_(app) {
  info_command_ = add_info();
  run_command_ = add_run();
  pack_command_ = add_pack();
  export_command_ = add_export();
  tune_command_ = add_tune();
  stats_command_ = add_stats();
  explain_command_ = add_explain();
  check_command_ = add_check();
  kernels_command_ = add_kernels();
  add_bench_command(app, bench_);
  add_compare_command(app, compare_);
  add_cache_command(app, cache_);
  add_opencl();
  engine_check_command_ = add_engine_check();
  replay_command_ = add_replay();
  add_pages_commands(app, pages_);
}

int CommandLine::run() {
  int status = 0;
  if (info_command_->parsed()) info(info_);
  if (run_command_->parsed()) anydim_cli::run(run_);
  if (explain_command_->parsed()) explain(explain_);
  if (pack_command_->parsed()) pack(pack_);
  if (export_command_->parsed()) export_model(export_);
  if (tune_command_->parsed()) tune_.error > 0 ? tune_math(tune_) : tune(tune_);
  if (stats_command_->parsed()) stats(stats_);
  if (check_command_->parsed()) status = check_models(check_);
  if (kernels_command_->parsed()) kernels(kernels_);
  for (const PythonCommand* command : {&bench_, &compare_})
    if (command->selected) status = run_python(*command);
  (void)pages(app_, pages_);
  if (cache_.selected) status = cache(cache_);
  if (opencl_.selected) status = opencl(opencl_);
  if (engine_check_command_->parsed()) status = engine_check(engine_check_);
  if (replay_command_->parsed() && !replay(replay_)) status = 1;
  flush_output();
  return status;
}

}  // namespace anydim_cli
