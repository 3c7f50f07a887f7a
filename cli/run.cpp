// SPDX-License-Identifier: Apache-2.0
// `anydim run MODEL`: runs a model on files or random values; times of the first call and of repeated ones.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/npy.h"
#include "cli/print.h"
#include "cli/seconds.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

template <class Array> std::string dims_text(const Array& dims, int rank) {
  std::string text;
  for (int i = 0; i < rank; ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return rank == 0 ? "scalar" : text;
}

struct Summary {
  double least = 0, most = 0, mean = 0;
  int64_t count = 0, not_finite = 0;
};
// Of a dense f32 output; others have no numbers to print.
Summary summarise(const anydim_view_t& t) {
  Summary s;
  s.count = 1;
  for (int i = 0; i < t.dims.rank; ++i) s.count *= t.dims.values[i];
  if (t.dtype != ANYDIM_F32 || s.count == 0) return s;
  const auto* values = static_cast<const float*>(t.data);
  double sum = 0;
  bool first = true;
  for (int64_t i = 0; i < s.count; ++i) {
    const double v = values[i];
    if (!std::isfinite(v)) {
      ++s.not_finite;
      continue;
    }
    s.least = first ? v : std::min(s.least, v);
    s.most = first ? v : std::max(s.most, v);
    first = false;
    sum += v;
  }
  s.mean = s.count > s.not_finite ? sum / static_cast<double>(s.count - s.not_finite) : 0;
  return s;
}

void print_profile(anydim_context_t context) {
  int32_t count = 0;
  check(anydim_context_get_node_count(context, &count));
  std::vector<anydim_node_info_t> nodes;
  int64_t total = 0;
  for (int32_t i = 0; i < count; ++i) {
    anydim_node_info_t info = ANYDIM_NODE_INFO_INIT;
    check(anydim_context_get_node(context, i, &info));
    total += std::max<int64_t>(info.time_ns, 0);
    nodes.push_back(info);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  Table table({"us", "%", "node", "kernel", "post-ops"});
  for (const auto& n : nodes)
    table.row({formatted("{:.1f}", static_cast<double>(n.time_ns) / 1e3),
               formatted("{:.1f}", total > 0 ? 100.0 * static_cast<double>(n.time_ns) / static_cast<double>(total) : 0.0), text_of(n.name),
               text_of(n.kernel), text_of(n.post_ops)});
  print("\nnodes of the last run, slowest first\n{}", table.text());
}

}  // namespace

void run(const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Loaded loaded = load(options.load);
  const double load_seconds = seconds_since(begin);
  const Context context = make_context(loaded, options.context);
  const std::vector<Input> inputs = make_inputs(loaded, options.inputs);
  const std::vector<anydim_view_t> views = views_of(inputs);
  const auto infos = outputs_of(loaded.model);
  std::vector<anydim_view_t> results;

  std::vector<double> times;
  for (int i = 0; i < options.repeat; ++i) {
    results.assign(infos.size(), {});
    for (size_t o = 0; o < infos.size(); ++o) results[o].dtype = infos[o].dtype;
    const auto start = std::chrono::steady_clock::now();
    check(anydim_context_run(context.get(), views.data(), static_cast<int32_t>(views.size()), results.data(),
                             static_cast<int32_t>(results.size()), nullptr));
    times.push_back(seconds_since(start));
  }
  std::vector<double> later(times.begin() + 1, times.end());
  std::sort(later.begin(), later.end());
  anydim_context_info_t facts = ANYDIM_CONTEXT_INFO_INIT;
  check(anydim_context_query(context.get(), &facts));

  nlohmann::ordered_json json = {{"model", options.load.model}, {"load_ms", load_seconds * 1e3}, {"first_ms", times[0] * 1e3}};
  Table outputs({"output", "dtype", "dims", "least", "mean", "most"});
  for (size_t i = 0; i < infos.size(); ++i) {
    const anydim_view_t& t = results[i];
    const Summary s = summarise(t);
    const std::string name = text_of(infos[i].name), dims = dims_text(t.dims.values, t.dims.rank);
    const bool numbers = t.dtype == ANYDIM_F32 && s.count > s.not_finite;
    outputs.row({name, dtype_name(t.dtype), dims, numbers ? formatted("{:.6g}", s.least) : "-", numbers ? formatted("{:.6g}", s.mean) : "-",
                 numbers ? formatted("{:.6g}", s.most) : "-"});
    nlohmann::ordered_json entry = {{"name", name}, {"dtype", dtype_name(t.dtype)}};
    entry["dims"] = std::vector<int64_t>(t.dims.values, t.dims.values + t.dims.rank);
    if (numbers) entry.update({{"least", s.least}, {"mean", s.mean}, {"most", s.most}});
    if (s.not_finite > 0) entry["not_finite"] = s.not_finite;
    json["outputs"].push_back(std::move(entry));
    if (!options.output_folder.empty()) {
      std::string file = name;
      std::replace(file.begin(), file.end(), '/', '_');
      write_npy(options.output_folder + "/" + file + ".npy", t);
    }
  }
  if (options.json) {
    if (!later.empty()) json.update({{"repeated_median_ms", later[later.size() / 2] * 1e3}, {"repeated_least_ms", later[0] * 1e3}});
    json.update({{"repeats", later.size()}, {"threads", facts.threads}, {"arena_bytes", facts.arena_bytes}, {"growths", facts.growths}});
    print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  print("loaded in {}; {} thread{}, {} of memory{}\n", time_text(load_seconds), facts.threads, facts.threads == 1 ? "" : "s",
        bytes_text(facts.arena_bytes), facts.bounded != 0 ? " within bounds" : "");
  print("first call  {}\n", time_text(times[0]));
  if (!later.empty())
    print("repeated    {} (median of {}; least {}, most {})\n", time_text(later[later.size() / 2]), later.size(), time_text(later.front()),
          time_text(later.back()));
  print("\n{}", outputs.text());
  if (options.context.profile) print_profile(context.get());
}

}  // namespace anydim_cli
