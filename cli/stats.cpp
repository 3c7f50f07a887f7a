// SPDX-License-Identifier: Apache-2.0
// `anydim stats MODEL --shapes ...`: over a list of shapes, which kernels ran and how often, what loading, first calls and
// tuning cost, and where the reusable plan loses to the best one found. Stores nothing.
#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/seconds.h"
#include "cli/shapes.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr double kLoses = 1.10;  // the share that seed 001 asks about

struct KernelUse {
  int64_t nodes = 0, runs = 0;
  double us = 0;
};

// What was found at all shapes.
struct Found {
  Json shapes = Json::array();
  std::map<std::string, KernelUse> kernels;
  std::vector<Json> losing;  // nodes whose reusable plan is more than 10 % slower than the best
  Table by_shape{{"shape", "first call", "later call", "bind", "tuning", "nodes", "replaced", "reusable / best"}};
};

// Runs at a shape, then tunes it.
void measure(const Loaded& loaded, const Context& context, const anydim_tune_options_t& options, const InputArguments& arguments,
             Found* found) {
  const std::string shape = joined(arguments.shapes);
  const bool first = found->shapes.empty();
  const std::vector<Input> inputs = make_inputs(loaded, arguments);
  const std::vector<anydim_view_t> views = views_of(inputs);
  const auto count = static_cast<int32_t>(views.size());
  double times[5];
  for (double& t : times) {
    const auto start = std::chrono::steady_clock::now();
    check(anydim_context_run(context.get(), views.data(), count, nullptr, 0, nullptr), shape);
    t = seconds_since(start);
  }
  Text explained, tuned;
  check(anydim_context_explain(context.get(), nullptr, 0, nullptr, explained.out()));
  const Json run = Json::parse(text_of(explained));
  check(anydim_context_tune(context.get(), views.data(), count, &options, tuned.out()));
  const Json nodes = Json::parse(text_of(tuned))["nodes"];
  for (const Json& n : run["nodes"]) {
    KernelUse& use = found->kernels[n["kernel"].get<std::string>()];
    use.nodes += first;
    ++use.runs;
    use.us += n["nanoseconds"].get<double>() / 1e3;
  }
  double reusable = 0, best = 0, tuning = 0;
  int64_t replaced = 0;
  for (Json n : nodes) {
    const double us = n["reusable_us"].get<double>(), ratio = n["replaced"].get<bool>() ? n["ratio"].get<double>() : 1;
    reusable += us;
    best += us * ratio;
    tuning += n["milliseconds"].get<double>();
    replaced += n["replaced"].get<bool>();
    if (ratio * kLoses < 1) {
      n["shape"] = shape;
      found->losing.push_back(n);
    }
  }
  const double later = *std::min_element(times + 1, times + 5), over_best = best > 0 ? reusable / best : 1.0;
  found->by_shape.row({shape, time_text(times[0]), time_text(later), time_text(run["bind_nanoseconds"].get<double>() / 1e9),
                       time_text(tuning / 1e3), std::to_string(nodes.size()), std::to_string(replaced), formatted("{:.3f}", over_best)});
  found->shapes.push_back({{"shape", shape},
                           {"first_ms", times[0] * 1e3},
                           {"later_ms", later * 1e3},
                           {"bind_us", run["bind_nanoseconds"].get<double>() / 1e3},
                           {"tuning_ms", tuning},
                           {"reusable_over_best", over_best},
                           {"nodes", nodes}});
}

void print_losing(const std::vector<Json>& losing, size_t of) {
  if (losing.empty()) {
    print("the reusable plan is nowhere more than 10 % slower than the best plan found\n");
    return;
  }
  Table table({"node", "operator", "shape", "reusable us", "best / reusable", "95 %"});
  for (const Json& n : losing)
    table.row({n["name"], n["operator"], n["shape"], formatted("{:.1f}", n["reusable_us"].get<double>()),
               formatted("{:.3f}", n["ratio"].get<double>()),
               formatted("{:.3f}..{:.3f}", n["ratio_low"].get<double>(), n["ratio_high"].get<double>())});
  print("the reusable plan is more than 10 % slower than the best plan found at {} of {} nodes and shapes\n{}", losing.size(), of,
        table.text(""));
}

}  // namespace

void stats(const ShapesOptions& options) {
  const auto shapes = read_shapes(options.shapes);
  const auto begin = std::chrono::steady_clock::now();
  const Loaded loaded = load(options.load);
  const double load_seconds = seconds_since(begin);
  anydim_context_options_t context_options = ANYDIM_CONTEXT_OPTIONS_INIT;
  context_options.threads = options.threads;
  context_options.profile = 1;
  context_options.reuse = ANYDIM_REUSE_REUSABLE;
  Context context;
  check(anydim_context_create(loaded.model.get(), nullptr, &context_options, context.out()));
  anydim_tune_options_t tune_options = ANYDIM_TUNE_OPTIONS_INIT;
  tune_options.node_ms = options.node_ms;
  tune_options.record = 0;
  tune_options.again = 1;
  Found found;
  {
    Progress progress("stats", shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i) {
      progress.show(i, joined(shapes[i]));
      InputArguments arguments;
      arguments.shapes = shapes[i];
      measure(loaded, context, tune_options, arguments, &found);
    }
  }
  Table by_kernel({"kernel", "nodes", "runs", "time", "share"});
  double total = 0;
  for (const auto& [name, use] : found.kernels) total += use.us;
  Json kernels = Json::array();
  for (const auto& [name, use] : found.kernels) {
    by_kernel.row(
        {name, std::to_string(use.nodes), std::to_string(use.runs), time_text(use.us / 1e6), formatted("{:.1f} %", 100 * use.us / total)});
    kernels.push_back({{"kernel", name}, {"nodes", use.nodes}, {"runs", use.runs}, {"us", use.us}});
  }
  const Json json = {{"model", options.load.model},
                     {"load_ms", load_seconds * 1e3},
                     {"shapes", found.shapes},
                     {"kernels", kernels},
                     {"reusable_loses_more_than_10_percent", found.losing}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  if (!options.output.empty()) write_file(options.output, {text, "\n"});
  if (options.json) {
    print("{}\n", text);
    return;
  }
  const size_t nodes = found.kernels.empty() ? 0 : found.shapes[0]["nodes"].size();
  print("loaded in {} (packing and primitives of {} nodes; nothing is made later)\n\n{}\n{}\n", time_text(load_seconds), nodes,
        by_kernel.text(""), found.by_shape.text(""));
  print_losing(found.losing, found.shapes.size() * nodes);
}

}  // namespace anydim_cli
