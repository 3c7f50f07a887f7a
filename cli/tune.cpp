// SPDX-License-Identifier: Apache-2.0
// `anydim tune MODEL --shapes ...`: measures and stores plans. Each node is stored when it is found, so that a kill loses
// the node at hand and no more; Ctrl-C ends after the shape at hand.
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print.h"
#include "cli/shapes.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;
volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void tune(const ShapesOptions& options) {
  const auto shapes = read_shapes(options.shapes);
  const Loaded loaded = load(options.load);
  anydim_context_options_t context_options = ANYDIM_CONTEXT_OPTIONS_INIT;
  context_options.threads = options.threads;
  Context context;
  check(anydim_context_create(loaded.model.get(), nullptr, &context_options, context.out()));
  anydim_tune_options_t tune_options = ANYDIM_TUNE_OPTIONS_INIT;
  tune_options.node_ms = options.node_ms;
  tune_options.again = options.again;
  std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);  // a second one ends at once
  });

  Json json = {{"model", options.load.model}, {"shapes", Json::array()}};
  Table table({"shape", "nodes", "known", "replaced", "time saved", "spent"});
  int64_t replaced = 0, measured = 0;
  size_t done = 0;
  {
    Progress progress("tune", shapes.size());
    for (; done < shapes.size() && !interrupted; ++done) {
      progress.show(done, joined(shapes[done]));
      InputArguments arguments;
      arguments.shapes = shapes[done];
      const std::vector<Input> inputs = make_inputs(loaded, arguments);
      const std::vector<anydim_view_t> views = views_of(inputs);
      Text text;
      check(anydim_context_tune(context.get(), views.data(), static_cast<int32_t>(views.size()), &tune_options, text.out()),
            joined(shapes[done]));
      const Json nodes = Json::parse(text_of(text))["nodes"];
      int64_t known = 0, here = 0;
      double before = 0, saved = 0, spent = 0;
      for (const Json& n : nodes) {
        known += n["known"].get<bool>();
        here += n["replaced"].get<bool>();
        before += n["reusable_us"].get<double>();
        spent += n["milliseconds"].get<double>();
        if (n["replaced"].get<bool>()) saved += n["reusable_us"].get<double>() * (1 - n["ratio"].get<double>());
      }
      replaced += here;
      measured += static_cast<int64_t>(nodes.size()) - known;
      table.row({joined(shapes[done]), std::to_string(nodes.size()), std::to_string(known), std::to_string(here),
                 before > 0 ? formatted("{:.1f} %", 100 * saved / before) : "-", time_text(spent / 1e3)});
      json["shapes"].push_back({{"shape", joined(shapes[done])}, {"nodes", nodes}});
    }
  }
  json["complete"] = done == shapes.size();
  if (options.json) {
    print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print("{}", table.text(""));
    print("\n{} plans measured, {} replaced; {} of {} shapes done{}\n", measured, replaced, done, shapes.size(),
          done < shapes.size() ? "; the same command goes on from here" : "");
  }
  if (done < shapes.size()) throw Failure("interrupted");  // exit status 1
}

}  // namespace anydim_cli
