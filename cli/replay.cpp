// SPDX-License-Identifier: Apache-2.0
// `anydim replay LINE|FILE|-`: runs each execute line of a verbose log alone, checks its bits and prints its speed.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands.h"
#include "cli/print.h"
#include "cli/replay_call.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;

// A line that can run is shorter, and can be given to replay again.
constexpr size_t kLongestLine = 4000;

struct Line {
  std::string text, where;  // "log.txt:17"; empty for one from the command line
};

struct Lines {
  std::vector<Line> execute;
  int64_t repeated = 0, creations = 0, others = 0;
  std::set<std::string> seen;
};

// Fields of a line from `first` on but without the time: what makes two executions one problem.
std::string problem_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) fields.emplace_back();
    else fields.back() += c;
  }
  std::string key;
  for (size_t i = 0; i < fields.size(); ++i)
    if (i != 4 && i != 11) key += fields[i] + '\n';  // node name, time
  return key;
}

void add(Lines* lines, std::string text, const std::string& where, bool all) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.pop_back();
  if (text.rfind("anydim,", 0) != 0) {
    ++lines->others;
  } else if (text.rfind("anydim,v1,create,", 0) == 0) {
    ++lines->creations;
  } else if (!all && !lines->seen.insert(problem_of(text)).second) {
    ++lines->repeated;
  } else {
    lines->execute.push_back({std::move(text), where});
  }
}

void read(Lines* lines, std::istream& in, const std::string& name, bool all) {
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) add(lines, text, formatted("{}:{}", name, number), all);
}

Json json_of(const ReplayResult& r, const Line& line, uint64_t seed) {
  Json j = {{"where", line.where}, {"name", r.name}, {"operator", r.op},     {"post_ops", r.post_ops}, {"tensors", r.tensors},
            {"kernel", r.kernel},  {"tier", r.tier}, {"threads", r.threads}, {"seed", seed},           {"checked", r.checked}};
  if (r.checked) j.update({{"reference", r.reference}, {"equal", r.equal}});
  if (!r.difference.empty()) j["difference"] = r.difference;
  j.update({{"median_ns", r.median_ns}, {"least_ns", r.least_ns}, {"logged_ns", r.logged_ns}});
  if (r.gflops >= 0) j["gflops"] = r.gflops;
  return j;
}

}  // namespace

bool replay(const ReplayOptions& options) {
  Lines lines;
  for (const std::string& source : options.sources) {
    if (source == "-") {
      read(&lines, std::cin, "stdin", options.all);
    } else if (source.rfind("anydim,", 0) == 0) {
      add(&lines, source, "", options.all);
    } else {
      std::ifstream file(source);
      if (!file) throw Failure(formatted("{}: it is neither a file that can be read nor a line that begins with anydim,", shown(source)));
      read(&lines, file, shown(source), options.all);
    }
  }
  if (lines.execute.empty())
    throw Failure(formatted("there is no execute line to replay ({} create lines, {} others)", lines.creations, lines.others));

  Engine engine;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, engine.out()));
  ReplaySettings settings;
  settings.kernel = options.kernel;
  settings.threads = options.threads;
  settings.repeat = options.repeat;
  settings.seed = settings.reference_seed = options.seed;
  settings.check = !options.no_check;

  Json results = Json::array();
  Table table({"kernel", "operator", "tensors", "us", "logged us", "GFLOP/s", "bits"});
  std::string failures;
  int equal = 0, differing = 0, failed = 0;
  for (const Line& line : lines.execute) {
    ReplayResult r;
    try {
      r = replay_call(engine.get(), line.text, settings);
    } catch (const Failure& e) {
      ++failed;
      failures += formatted("{}{}{}\n", line.where, line.where.empty() ? "" : ": ", e.what());
      results.push_back({{"where", line.where}, {"line", shown(line.text, kLongestLine)}, {"error", e.what()}});
      continue;
    }
    equal += r.checked && r.equal;
    differing += r.checked && !r.equal;
    if (!r.difference.empty())
      failures += formatted("{}{}{}: {}\n  {}\n", line.where, line.where.empty() ? "" : ": ", r.kernel, r.difference,
                            shown(line.text, kLongestLine));
    results.push_back(json_of(r, line, options.seed));
    table.row({r.kernel, r.op.substr(0, r.op.find(' ')), r.tensors, formatted("{:.1f}", r.median_ns / 1e3),
               formatted("{:.1f}", r.logged_ns / 1e3), r.gflops < 0 ? "-" : formatted("{:.1f}", r.gflops),
               !r.checked ? "not checked"
               : r.equal  ? "equal"
                          : "DIFFER"});
  }
  const bool good = differing == 0 && failed == 0;
  if (options.json) {
    const Json all = {{"seed", options.seed},         {"repeat", options.repeat}, {"equal", equal},
                      {"differing", differing},       {"failed", failed},         {"repeated_lines", lines.repeated},
                      {"results", std::move(results)}};
    print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print("{}\nseed {}; {} lines: {} equal to the reference, {} differ, {} could not run", table.text(""), options.seed,
          lines.execute.size(), equal, differing, failed);
    if (lines.repeated > 0) print("; {} repeated left out", lines.repeated);
    print("\n");
  }
  if (!failures.empty()) print(stderr, "{}", failures);
  return good;
}

}  // namespace anydim_cli
