// SPDX-License-Identifier: Apache-2.0
// The program `anydim`: reads the command line and calls a command. Exit status 1 for what went wrong, 2 for wrong usage.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <span>
#include <sstream>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/engines.h"
#include "cli/print.h"

namespace anydim_cli {

Loaded load(const LoadOptions& load_options) {
  Loaded loaded;
  const Layouts layouts = parse_layouts(load_options.layouts);
  const Layers layers = parse_layers(load_options.layer_math);
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.layouts = layouts.get();
  options.packed_weights = load_options.packed.empty() ? nullptr : load_options.packed.c_str();
  options.passes = load_options.passes;
  options.math = load_options.math;
  options.layers = layers.get();
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, loaded.engine.out()));
  if (!load_options.engine.empty()) loaded.device = make_engine(load_options.engine, load_options.flushed_denormals);
  const anydim_engine_t engines[] = {loaded.device.get()};
  if (!load_options.engine.empty()) {
    options.engines = engines;
    options.engine_count = 1;
  }
  check(anydim_model_load_file(loaded.engine.get(), load_options.model.c_str(), &options, loaded.model.out()), load_options.model);
  return loaded;
}

template <class Query> static std::vector<anydim_value_info_t> values_of(const Model& model, bool outputs, Query query) {
  int32_t in = 0, out = 0;
  check(anydim_model_get_counts(model.get(), &in, &out));
  std::vector<anydim_value_info_t> infos;
  for (int32_t i = 0; i < (outputs ? out : in); ++i) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(query(model.get(), i, &info));
    infos.push_back(info);
  }
  return infos;
}
std::vector<anydim_value_info_t> inputs_of(const Model& model) { return values_of(model, false, anydim_model_get_input); }
std::vector<anydim_value_info_t> outputs_of(const Model& model) { return values_of(model, true, anydim_model_get_output); }

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

// "info, run or explain".
static std::string commands_of(const CLI::App& app) {
  std::string text;
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  for (size_t i = 0; i < all.size(); ++i) text += formatted("{}{}", i == 0 ? "" : i + 1 < all.size() ? ", " : " or ", all[i]->get_name());
  return text;
}

// Of one message, in bytes: what it quotes is shorter, and a list of names may be long.
static constexpr size_t kLongestMessage = 2000;

}  // namespace anydim_cli

int main(int argc, char** argv) {
  using namespace anydim_cli;
  CLI::App app{
      "Deep-learning models whose dims are known when they run: a shape that was never seen before is neither compiled\n"
      "for nor measured.\n\n"
      "  anydim info rec.onnx\n"
      "  anydim run rec.onnx --random x:1,3,48,320 --repeat 20\n"
      "  anydim explain rec.onnx --shape x:1,3,48,320 --against x:1,3,48,71\n"
      "  anydim bench rec.onnx --against onnxruntime\n"
      "  anydim check models/\n"
      "  anydim cache ls\n"
      "  ANYDIM_VERBOSE=1 ANYDIM_VERBOSE_FILE=log.txt anydim run rec.onnx --random x:1,3,48,320; anydim replay log.txt\n\n"
      "Variables: ANYDIM_LOG (none, error, warning, info, debug), ANYDIM_MAX_ISA (portable, avx2, avx512), ANYDIM_VERBOSE (0, 1, 2),\n"
      "ANYDIM_VERBOSE_FILE, ANYDIM_TRACE (a file for Perfetto)."};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("anydim ") + anydim_version());

  InfoOptions info_options;
  CLI::App* info_command = app.add_subcommand("info", "inputs, outputs, symbolic dims, operators, weights of a model");
  add_load(info_command, info_options.load);
  add_packed(info_command, info_options.load);
  add_engine(info_command, info_options.load);
  info_command->add_flag("--json", info_options.json, "everything as JSON");

  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "runs a model; times of the first call and of repeated ones");
  add_load(run_command, run_options.load);
  add_packed(run_command, run_options.load);
  add_engine(run_command, run_options.load);
  run_command->add_option("--input", run_options.inputs.files, "an input from a numpy file, such as x=image.npy")->allow_extra_args(false);
  run_command->add_option("--random", run_options.inputs.random, "an input of random values, such as x:1,3,48,320 (always the same)")
      ->allow_extra_args(false);
  run_command->add_option("--output", run_options.output_folder, "folder for the outputs as .npy files")->check(CLI::ExistingDirectory);
  run_command->add_option("--repeat", run_options.repeat, "how often to run")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  add_context(run_command, run_options.context);
  run_command->add_flag("--profile", run_options.context.profile, "the time of each node");
  run_command->add_flag("--json", run_options.json, "the result as JSON");

  PackOptions pack_options;
  CLI::App* pack_command = app.add_subcommand(
      "pack",
      "writes a model's packed weights to a file for --packed and for programs: they load faster, and processes that map\n"
      "one file share its memory. For processors of this machine's kind; elsewhere weights are packed as usual");
  add_load(pack_command, pack_options.load);
  pack_command->add_option("-o,--output", pack_options.output, "the file; default: the model's name with .packed instead of .onnx");

  ShapesOptions tune_options, stats_options;
  CLI::App* tune_command =
      app.add_subcommand("tune",
                         "measures the plans of every node at given shapes and stores the faster ones for later processes.\n"
                         "Results never change. Each node is stored as it is found: Ctrl-C loses nothing, and the same command goes on\n"
                         "where it was. `anydim cache` looks after what is stored");
  CLI::App* stats_command =
      app.add_subcommand("stats",
                         "what a model does over given shapes: which kernels run and how often, what creation and tuning cost, and where\n"
                         "the reusable plan is more than 10 % slower than the best one found. Stores nothing.\n"
                         "`python -m anydim.stats FILE.json` draws the JSON");
  for (const auto& [command, o] : {std::pair(tune_command, &tune_options), std::pair(stats_command, &stats_options)}) {
    add_load(command, o->load);
    add_packed(command, o->load);
    command->add_option("--shapes", o->shapes, "a shape such as x:1,3,48,320, or a file with one a line (# begins a comment)")->required();
    add_threads(command, o->threads);
    command->add_option("--node-ms", o->node_ms, "most milliseconds of measuring for one node; 0 = 200")->capture_default_str();
    command->add_flag("--json", o->json, "the result as JSON");
  }
  tune_command->add_flag("--again", tune_options.again, "measure again what has been measured before");
  stats_command->add_option("--output", stats_options.output, "a file for the JSON, beside the table");

  ExplainOptions explain_options;
  CLI::App* explain_command = app.add_subcommand("explain", "per node: kernel, tier, layout, fused post-ops, bytes, time");
  add_load(explain_command, explain_options.load);
  add_packed(explain_command, explain_options.load);
  add_engine(explain_command, explain_options.load);
  explain_command->add_option("--shape", explain_options.shapes, "dims of an input, such as x:1,3,48,320")
      ->required()
      ->allow_extra_args(false);
  explain_command->add_option("--against", explain_options.against, "dims to compare with, run after those of --shape")
      ->allow_extra_args(false);
  add_context(explain_command, explain_options.context);
  explain_command->add_flag("--why", explain_options.why, "why other kernels were refused, per node");
  explain_command->add_flag("--json", explain_options.json, "everything as JSON");

  explain_command->add_option("--html", explain_options.html,
                              "a file for the graph at --shape as a picture, with times, engines and layouts");

  CheckOptions check_options;
  CLI::App* check_command = app.add_subcommand(
      "check",
      "which models load, and what the others lack: a table. Exit status 0: all load; 1: some do not.\n\n  anydim check a.onnx models/");
  check_command->add_option("MODELS", check_options.models, "ONNX files, or folders of them")->required();
  check_command->add_flag("--json", check_options.json, "the result as JSON");

  PythonCommand bench_options, compare_options;
  add_bench_command(app, bench_options);
  add_compare_command(app, compare_options);

  CacheOptions cache_options;
  add_cache_command(app, cache_options);

  OpenclOptions opencl_options;
  CLI::App* warm_command = add_opencl_command(app, opencl_options);
  add_load(warm_command, opencl_options.load, false);
  add_engine(warm_command, opencl_options.load);

  ReplayOptions replay_options;
  CLI::App* replay_command =
      app.add_subcommand("replay", "runs lines of a verbose log alone: their bits against the reference, their speed");
  replay_command->add_option("LINE", replay_options.sources, "execute lines, files of lines, or - for standard input")->required();
  replay_command->add_option("--kernel", replay_options.kernel, "kernel to force instead of the line's");
  replay_command->add_option("--threads", replay_options.threads, "most threads; 0 = the line's")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  replay_command->add_option("--repeat", replay_options.repeat, "timed runs; the median counts")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  replay_command->add_option("--seed", replay_options.seed, "of the random data")->capture_default_str();
  replay_command->add_flag("--all", replay_options.all, "lines that differ in time and node name only, too");
  replay_command->add_flag("--no-check", replay_options.no_check, "speed only, no reference");
  replay_command->add_flag("--json", replay_options.json, "the results as JSON");

  PagesOptions pages_options;
  add_pages_commands(app, pages_options);

  const auto is_command = [&app](const std::string& word) {
    return !app.get_subcommands([&word](const CLI::App* command) { return command->get_name() == word; }).empty();
  };
  if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) {
    std::fprintf(stderr, "anydim: '%s' is no command; expected %s (anydim --help)\n", shown(argv[1]).c_str(), commands_of(app).c_str());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // Help and the version are output like any other: a full disk must not pass for success.
    std::ostringstream out, words;
    const int status = app.exit(e, out, words) == 0 ? 0 : 2;
    std::fputs(shown(words.str(), kLongestMessage).c_str(), stderr);
    try {
      print("{}", out.str());
      flush_output();
    } catch (const Failure& f) {
      std::fprintf(stderr, "anydim: %s\n", f.what());
      return 1;
    }
    return status;
  }
  int status = 0;
  try {
    if (info_command->parsed()) info(info_options);
    if (run_command->parsed()) run(run_options);
    if (explain_command->parsed()) explain(explain_options);
    if (pack_command->parsed()) pack(pack_options);
    if (tune_command->parsed()) tune(tune_options);
    if (stats_command->parsed()) stats(stats_options);
    if (check_command->parsed()) status = check_models(check_options);
    for (const PythonCommand* command : {&bench_options, &compare_options})
      if (command->selected) status = run_python(*command);
    (void)pages(app, pages_options);
    if (cache_options.selected) status = cache(cache_options);
    if (opencl_options.selected) status = opencl(opencl_options);
    if (replay_command->parsed() && !replay(replay_options)) status = 1;
    flush_output();
  } catch (const Failure& e) {
    std::fprintf(stderr, "anydim: %s\n", shown(e.what(), kLongestMessage).c_str());
    return 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "anydim: memory could not be allocated\n");
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "anydim: unexpected: %s\n", shown(e.what(), kLongestMessage).c_str());
    return 1;
  }
  return status;
}
