// SPDX-License-Identifier: Apache-2.0
// `anydim check MODELS...`: which models load, and what the others lack: a table, or JSON. Runs nothing.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print.h"
#include "cli/seconds.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The files themselves; of a folder all *.onnx in it and below, in order of name.
std::vector<std::string> files_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& text : arguments) {
    std::error_code failed;
    if (!fs::is_directory(text, failed)) {
      files.push_back(text);
      continue;
    }
    std::vector<std::string> found;
    const auto skip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(text, skip, failed), end; !failed && at != end; at.increment(failed))
      if (at->path().extension() == ".onnx" && at->is_regular_file(failed)) found.push_back(at->path().string());
    if (failed) throw Failure(formatted("'{}': {}", shown(text), failed.message()));
    if (found.empty()) throw Failure(formatted("'{}': the folder has no file *.onnx", shown(text)));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

const char* verdict(anydim_status_t status) {
  switch (status) {
    case ANYDIM_STATUS_OK: return "loads";
    case ANYDIM_STATUS_UNIMPLEMENTED: return "missing";
    case ANYDIM_STATUS_INVALID_MODEL: return "invalid";
    case ANYDIM_STATUS_FILE_NOT_FOUND: return "no file";
    default: return "failed";
  }
}

// The words of a message after the file's name, which the table has in a column of its own.
std::string without_file(std::string message, const std::string& file) {
  if (message.compare(0, file.size() + 2, file + ": ") == 0) message.erase(0, file.size() + 2);
  return message;
}

}  // namespace

int check_models(const CheckOptions& options) {
  const std::vector<std::string> files = files_of(options.models);
  Engine engine;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, engine.out()));
  Json json = {{"models", Json::array()}};
  Table table({"model", "", "nodes", "after passes", "opset", "load", "what is missing or wrong"});
  std::map<std::string, int> counts;
  for (const std::string& file : files) {
    Model model;
    const auto begin = std::chrono::steady_clock::now();
    const anydim_status_t status = anydim_model_load_file(engine.get(), file.c_str(), nullptr, model.out());
    const std::string message = status == ANYDIM_STATUS_OK ? "" : without_file(last_message(), file);
    const double seconds = seconds_since(begin);
    ++counts[verdict(status)];
    Json entry = {{"model", file}, {"verdict", verdict(status)}};
    if (status == ANYDIM_STATUS_OK) {
      anydim_model_info_t facts = ANYDIM_MODEL_INFO_INIT;
      check(anydim_model_query(model.get(), &facts));
      entry.update({{"nodes", facts.file_nodes}, {"nodes_after_passes", facts.nodes}, {"opset", facts.opset}, {"load_ms", seconds * 1e3}});
      table.row({shown(file), verdict(status), std::to_string(facts.file_nodes), std::to_string(facts.nodes), std::to_string(facts.opset),
                 time_text(seconds), ""});
    } else {
      entry["message"] = message;
      table.row({shown(file), verdict(status), "-", "-", "-", "-", shown(message, 400)});
    }
    json["models"].push_back(std::move(entry));
  }
  const bool all = counts["loads"] == static_cast<int>(files.size());
  json["all_load"] = all;
  if (options.json) {
    print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    std::string rest;
    for (const auto& [word, count] : counts)
      if (word != "loads" && count > 0) rest += formatted("{}{}: {}", rest.empty() ? "; " : ", ", word, count);
    print("{}\n{} of {} models load{}\n", table.text(""), counts["loads"], files.size(), rest);
  }
  return all ? 0 : 1;
}

}  // namespace anydim_cli
