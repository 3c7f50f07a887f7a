// SPDX-License-Identifier: Apache-2.0
// Engines by their texts, such as opencl:PLATFORM:DEVICE; see engines.h.
#include "cli/engines.h"

#include <algorithm>
#include <charconv>

#include "cli/print.h"

namespace anydim_cli {

namespace {

std::vector<anydim_engine_kind_info_t> all_kinds() {
  std::vector<anydim_engine_kind_info_t> all;
  anydim_engine_kind_info_t info = ANYDIM_ENGINE_KIND_INFO_INIT;
  while (anydim_engine_get_kind(static_cast<int32_t>(all.size()), &info) == ANYDIM_STATUS_OK) all.push_back(info);
  return all;
}

// KIND:PLATFORM:DEVICE; without numbers the first device of the kind.
struct EngineText {
  anydim_engine_kind_t kind = ANYDIM_ENGINE_CPU;
  int numbers[2] = {0, 0};
  int count = 0;
};

EngineText parse(const std::string& text) {
  std::string names;
  EngineText parsed;
  std::string_view rest;
  bool known = false;
  for (const anydim_engine_kind_info_t& kind : all_kinds()) {
    const std::string name(text_of(kind.name));
    names += name + ", ";
    if (text.compare(0, text.find(':'), name) != 0) continue;
    known = true;
    parsed.kind = kind.kind;
    rest = std::string_view(text).substr(name.size());
  }
  const auto wrong = [&] {
    return Failure(formatted("--engine is '{}'; expected {}KIND:PLATFORM or KIND:PLATFORM:DEVICE", shown(text), names));
  };
  if (!known) throw wrong();
  for (; !rest.empty(); ++parsed.count) {
    if (parsed.count == 2) throw wrong();
    const auto [end, failed] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), parsed.numbers[parsed.count]);
    if (failed != std::errc() || parsed.numbers[parsed.count] < 0) throw wrong();
    rest = std::string_view(end, static_cast<size_t>(rest.data() + rest.size() - end));
    if (!rest.empty() && rest[0] != ':') throw wrong();
  }
  return parsed;
}

}  // namespace

std::vector<anydim_device_info_t> devices_of(anydim_engine_kind_t kind) {
  std::vector<anydim_device_info_t> all;
  for (;;) {
    anydim_device_info_t info = ANYDIM_DEVICE_INFO_INIT;
    const anydim_status_t status = anydim_engine_get_device(kind, static_cast<int32_t>(all.size()), &info);
    if (status == ANYDIM_STATUS_NOT_FOUND) return all;
    check(status);
    all.push_back(info);
  }
}

anydim_engine_kind_t load_engine(const std::string& file) {
  int32_t kind = 0;
  check(anydim_engine_load(file.c_str(), &kind), file);
  return kind;
}

Engine make_engine(const std::string& text, bool flushed_denormals) {
  const EngineText parsed = text.empty() ? EngineText() : parse(text);
  int32_t device = 0;
  if (parsed.count > 0) {
    const std::vector<anydim_device_info_t> devices = devices_of(parsed.kind);
    const auto is_it = [&](const anydim_device_info_t& d) { return d.platform == parsed.numbers[0] && d.device == parsed.numbers[1]; };
    const auto found = std::find_if(devices.begin(), devices.end(), is_it);
    if (found == devices.end()) throw Failure(formatted("--engine is '{}'; there is no such device (anydim opencl list)", shown(text)));
    device = static_cast<int32_t>(found - devices.begin());
  }
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.flushed_denormals = flushed_denormals;
  Engine engine;
  check(anydim_engine_create(parsed.kind, device, &options, engine.out()));
  return engine;
}

}  // namespace anydim_cli
