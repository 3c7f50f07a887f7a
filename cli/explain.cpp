// SPDX-License-Identifier: Apache-2.0
// `anydim explain MODEL`: per node kernel, plan, layout, fused post-ops, bytes, time, and why others were refused.
#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/explain_html.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr int64_t kNoBound = (int64_t{1} << 62) - 1;  // of numbers that a node merely computes

Json explain_at(const Loaded& loaded, anydim_context_t context, const std::vector<std::string>& shapes) {
  InputArguments arguments;
  arguments.shapes = shapes;
  const std::vector<Input> inputs = make_inputs(loaded, arguments);
  const std::vector<anydim_view_t> views = views_of(inputs);
  Text text;
  // Twice: the first run at a shape may grow the memory, and the time of that is not the node's.
  for (int i = 0; i < 2; ++i) {
    text = Text();
    check(anydim_context_explain(context, views.data(), static_cast<int32_t>(views.size()), nullptr, text.out()));
  }
  return Json::parse(text_of(text));
}

std::string joined(const Json& list, const char* between) {
  std::string text;
  for (const auto& v : list) text += (text.empty() ? "" : between) + v.dump();
  return text;
}

// The memory order of an operand, from its strides: "row-major", "channels last", or "axes in order 0,2,1", outermost first. Axes of one
// element lie anywhere.
std::string layout_of(const Json& operand) {
  const auto dims = operand["dims"].get<std::vector<int64_t>>();
  const auto strides = operand["strides"].get<std::vector<int64_t>>();
  std::vector<size_t> axes, longer;
  for (size_t i = 0; i < dims.size(); ++i) axes.push_back(i);
  std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(longer), [&](size_t i) { return dims[i] > 1; });
  if (std::is_sorted(longer.begin(), longer.end())) return "row-major";
  if (longer.back() == 1 && std::is_sorted(longer.begin(), longer.end() - 1)) return "channels last";
  std::string text = "axes in order ";
  for (size_t i = 0; i < axes.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(axes[i]);
  return text;
}

// Whether a node's plan was measured (`anydim tune`, a reuse policy) or follows from the cost model.
std::string plan_of(const Json& node) { return node["tier"].get<std::string>() == "specialised" ? "measured" : "estimated"; }

std::string micros(const Json& nanoseconds) {
  const auto n = nanoseconds.get<int64_t>();
  return n < 0 ? "-" : formatted("{:.1f}", static_cast<double>(n) / 1e3);
}

// Where sizes follow from data: what was read, and before which node.
void print_stages(const Json& stages) {
  for (const Json& stage : stages)
    for (const Json& read : stage["reads"]) {
      const auto most = read["most"].get<int64_t>();
      print("before node {} a run reads {} = {}{}: element {} of {}\n", stage["first"].get<int64_t>(), read["size"].get<std::string>(),
            read["value"].get<int64_t>(), most < kNoBound ? formatted(" (at most {})", most) : "", read["element"].get<int64_t>(),
            read["tensor"].get<std::string>());
    }
}

// Nodes that compute in another math mode than they were asked for, by mode and reason.
void print_math(const Json& nodes) {
  std::map<std::string, std::string> reasons;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].contains("math_because")) continue;
    const auto word = [&](const char* field) { return nodes[i][field].get<std::string>(); };
    std::string& list = reasons[formatted("{} for {}: {}", word("math"), word("math_requested"), word("math_because"))];
    list += formatted("{}{}", list.empty() ? "" : ", ", i);
  }
  for (const auto& [text, list] : reasons) print("math mode {} (nodes {})\n", text, list);
}

// Why other kernels were refused, and what those that could would have taken.
void print_reasons(const Json& nodes) {
  // Most nodes share their reasons, so they are printed once.
  std::map<std::string, std::string> reasons;
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::string text;
    for (const Json& c : nodes[i]["candidates"])
      if (!c["chosen"].get<bool>()) text += formatted("    {}: {}\n", c["kernel"].get<std::string>(), c["because"].get<std::string>());
    if (!text.empty()) reasons[text] += formatted("{}{}", reasons[text].empty() ? "" : ", ", i);
  }
  print("\nexpected times of the kernels that could (a simple model that orders choices)\n");
  Table expected({"#", "chosen", "us", "others"});
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::string chosen, time, others;
    for (const Json& c : nodes[i]["candidates"]) {
      if (!c.contains("expected_nanoseconds")) continue;
      const std::string us = micros(static_cast<int64_t>(c["expected_nanoseconds"].get<double>()));
      if (c["chosen"].get<bool>()) chosen = c["kernel"], time = us;
      else others += formatted("{}{} {}", others.empty() ? "" : ", ", c["kernel"].get<std::string>(), us);
    }
    expected.row({std::to_string(i), chosen, time, others});
  }
  print("{}", expected.text());
  print("\nwhy not another kernel\n");
  for (const auto& [text, of] : reasons) print("  nodes {}\n{}", of, text);
}

// Which nodes ran side by side. Their times are those of one after the other.
void print_groups(const Json& nodes) {
  std::map<int64_t, std::string> groups;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].contains("group")) continue;
    std::string& list = groups[nodes[i]["group"].get<int64_t>()];
    list += formatted("{}{}", list.empty() ? "" : ", ", i);
  }
  for (const auto& [number, list] : groups) print("side by side: nodes {}\n", list);
}

void print_nodes(const Json& json, const Json* other, bool why) {
  std::vector<std::string> head = {"#", "node", "kernel", "math", "plan", "layout", "output", "post-ops", "bytes", "scratch", "us"};
  if (other != nullptr) head.insert(head.end(), {"against", "us"});
  Table table(head);
  int64_t total = 0, total_other = 0;
  for (size_t i = 0; i < json["nodes"].size(); ++i) {
    const Json& n = json["nodes"][i];
    const Json& out = n["outputs"][0];
    std::vector<std::string> row = {
        std::to_string(i),
        std::string(2 * n.value("depth", size_t{0}), ' ') + n["name"].get<std::string>() + " (" + n["type"].get<std::string>() + ")",
        n.contains("left_out") ? "left out" : n["kernel"].get<std::string>(),
        n["math"],
        plan_of(n),
        layout_of(out),
        joined(out["dims"], ","),
        n["post_ops"].get<std::string>().empty() ? "-" : n["post_ops"].get<std::string>(),
        std::to_string(n["bytes"].get<int64_t>()),
        std::to_string(n["scratch"].get<int64_t>()),
        micros(n["nanoseconds"])};
    const bool inner = n.contains("depth");  // its time is in that of the branch or loop around it
    if (!inner) total += std::max<int64_t>(n["nanoseconds"].get<int64_t>(), 0);
    if (other != nullptr && i < (*other)["nodes"].size()) {
      const Json& m = (*other)["nodes"][i];
      row.push_back(joined(m["outputs"][0]["dims"], ","));
      row.push_back(micros(m["nanoseconds"]));
      if (!inner) total_other += std::max<int64_t>(m["nanoseconds"].get<int64_t>(), 0);
    }
    table.row(std::move(row));
  }
  print("{}", table.text(""));
  print_stages(json["stages"]);
  print_math(json["nodes"]);
  print_groups(json["nodes"]);
  print("\n{} nodes and {} views on {}; {} of {} memory in use; weights {}; bound in {}; {} copied for layout, {} by concat; nodes take {}",
        json["nodes"].size(), json["views"].get<int64_t>(), json["isa"].get<std::string>(), bytes_text(json["used_bytes"]),
        bytes_text(json["arena_bytes"]), bytes_text(json["weight_bytes"]), time_text(json["bind_nanoseconds"].get<double>() / 1e9),
        bytes_text(json["layout_bytes"]), bytes_text(json["concat_bytes"]), time_text(static_cast<double>(total) / 1e9));
  if (other != nullptr) print(" against {}", time_text(static_cast<double>(total_other) / 1e9));
  const Json& pages = json["pages"];
  print("\nmemory came as {} in small pages and {} in huge ones, in {}; huge pages {} on this machine now\n",
        bytes_text(pages["small_bytes"]), bytes_text(pages["huge_bytes"]), time_text(pages["nanoseconds"].get<double>() / 1e9),
        pages["huge_pages_pay"].get<bool>() ? "pay" : "do not pay");
  if (!why) {
    print("--why shows why other kernels were refused\n");
    return;
  }
  print_reasons(json["nodes"]);
}

}  // namespace

void explain(const ExplainOptions& options) {
  const Loaded loaded = load(options.load);
  ContextArguments profiled = options.context;
  profiled.profile = true;
  const Context context = make_context(loaded, profiled);
  const Json json = explain_at(loaded, context.get(), options.shapes);
  Json other;
  if (!options.against.empty()) other = explain_at(loaded, context.get(), options.against);
  if (!options.html.empty()) {
    std::string at;
    for (const std::string& s : options.shapes) at += (at.empty() ? "" : " ") + s;
    write_file(options.html, {graph_page(options.load.model + " at " + at, json, layout_of)});
  }
  if (options.json) {
    const Json all = options.against.empty() ? json : Json{{"shape", json}, {"against", other}};
    print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  print_nodes(json, options.against.empty() ? nullptr : &other, options.why);
}

}  // namespace anydim_cli
