// SPDX-License-Identifier: Apache-2.0
// `anydim info MODEL`: what a model takes and gives, its symbolic dims, operators and weights.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/possible_dims.h"
#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

std::string dims_text(const anydim_value_info_t& info) {
  std::string text = "[";
  for (int i = 0; i < info.dims.rank; ++i) text += (i ? ", " : "") + text_of(info.symbols[i]);
  return text + "]";
}

// "any size", "1 to 2048", "multiples of 32"; dims that are numbers add nothing.
std::string ranges_text(const anydim_value_info_t& info, const std::map<std::string, std::string>& rules) {
  std::string text;
  for (int i = 0; i < info.dims.rank; ++i) {
    if (info.dims.values[i] >= 0) continue;
    const int64_t min = info.min.values[i], max = info.max.values[i];
    const bool open = max >= INT64_C(1) << 62;
    text += formatted("{}{}: ", text.empty() ? "" : ", ", text_of(info.symbols[i]));
    if (const auto rule = rules.find(text_of(info.symbols[i])); rule != rules.end()) text += rule->second;
    else if (open) text += min <= 0 ? "any size" : formatted("{} or more", min);
    else text += formatted("{} to {}", min, max);
  }
  return text;
}

// "row-major", "channels last", or "axes in order 0,2,1", outermost first.
std::string order_text(const anydim_dims_t& order) {
  const int64_t* axes = order.values;
  if (std::is_sorted(axes, axes + order.rank)) return "row-major";
  if (axes[order.rank - 1] == 1 && std::is_sorted(axes, axes + order.rank - 1)) return "channels last";
  std::string text = "axes in order ";
  for (int i = 0; i < order.rank; ++i) text += (i ? "," : "") + std::to_string(axes[i]);
  return text;
}

void values(const char* title, const std::vector<anydim_value_info_t>& infos, const std::map<std::string, std::string>& rules) {
  print("\n{}\n", title);
  Table table({"name", "dtype", "dims", "in memory", "sizes of dynamic dims"});
  for (const auto& info : infos)
    table.row({text_of(info.name), dtype_name(info.dtype), dims_text(info), order_text(info.order), ranges_text(info, rules)});
  print("{}", table.text());
}

}  // namespace

void info(const InfoOptions& options) {
  const Loaded loaded = load(options.load);
  Text text;
  check(anydim_model_describe(loaded.model.get(), text.out()));
  if (options.json) {
    print("{}\n", text_of(text));
    return;
  }
  anydim_model_info_t facts = ANYDIM_MODEL_INFO_INIT;
  check(anydim_model_query(loaded.model.get(), &facts));
  const std::string producer = text_of(facts.producer_name);
  print("{}\n  graph {}, opset {}{}\n", options.load.model, text_of(facts.graph_name), facts.opset,
        producer.empty() ? "" : ", written by " + producer + " " + text_of(facts.producer_version));
  print("  {} nodes in the file, {} after all passes; weights take {}\n", facts.file_nodes, facts.nodes, bytes_text(facts.weight_bytes));
  if (!options.load.packed.empty())
    print("  {} of {} packed weights are mapped from {}: {}\n", facts.mapped_weights, facts.packed_weights, options.load.packed,
          bytes_text(facts.mapped_bytes));
  values("inputs", inputs_of(loaded.model), possible_dims(loaded));
  values("outputs", outputs_of(loaded.model), {});
  const auto json = nlohmann::ordered_json::parse(text_of(text));
  print("\noperators in the file\n ");
  for (const auto& [name, count] : json["file_operators"].items()) print(" {} {}", name, count.get<int>());
  print("\n\nkernels after all passes\n");
  std::map<std::string, int> kernels;
  for (const auto& node : json["nodes"]) ++kernels[node["kernel"].get<std::string>()];
  Table table({"kernel", "nodes"});
  for (const auto& [name, count] : kernels) table.row({name, std::to_string(count)});
  print("{}", table.text());
  if (facts.metadata > 0) {
    print("\nmetadata\n");
    Table entries({"key", "value"});
    for (int32_t i = 0; i < facts.metadata; ++i) {
      anydim_string_t key, value;
      check(anydim_model_get_metadata(loaded.model.get(), i, &key, &value));
      std::string shown = text_of(value).substr(0, 60);
      for (char& c : shown)
        if (c == '\n' || c == '\t') c = ' ';
      while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0x80) != 0) shown.pop_back();
      entries.row({text_of(key), value.length > 60 ? formatted("{}... ({} bytes)", shown, value.length) : shown});
    }
    print("{}", entries.text());
  }
}

}  // namespace anydim_cli
