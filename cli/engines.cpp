// SPDX-License-Identifier: Apache-2.0
// Engines by their texts, such as opencl:PLATFORM:DEVICE; see engines.h.
#include "cli/engines.h"

#include <charconv>

#include "cli/print.h"

namespace anydim_cli {

std::vector<anydim_device_info_t> opencl_devices() {
  std::vector<anydim_device_info_t> all;
  for (;;) {
    anydim_device_info_t info = ANYDIM_DEVICE_INFO_INIT;
    const anydim_status_t status = anydim_engine_get_device(ANYDIM_ENGINE_OPENCL, static_cast<int32_t>(all.size()), &info);
    if (status == ANYDIM_STATUS_NOT_FOUND) return all;
    check(status);
    all.push_back(info);
  }
}

Engine make_engine(const std::string& text, bool flushed_denormals) {
  const auto wrong = [&] {
    return Failure(formatted("--engine is '{}'; expected cpu, opencl, opencl:PLATFORM or opencl:PLATFORM:DEVICE", shown(text)));
  };
  Engine engine;
  if (text.empty() || text == "cpu") {
    check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, engine.out()));
    return engine;
  }
  constexpr std::string_view kName = "opencl";
  if (text.substr(0, kName.size()) != kName) throw wrong();
  std::string_view rest = std::string_view(text).substr(kName.size());
  int numbers[2] = {0, 0}, count = 0;
  for (; !rest.empty(); ++count) {
    if (count == 2 || rest[0] != ':') throw wrong();
    const auto [end, failed] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), numbers[count]);
    if (failed != std::errc() || numbers[count] < 0) throw wrong();
    rest = std::string_view(end, static_cast<size_t>(rest.data() + rest.size() - end));
  }
  int32_t device = 0;
  if (count > 0) {
    const std::vector<anydim_device_info_t> devices = opencl_devices();
    while (static_cast<size_t>(device) < devices.size() &&
           (devices[static_cast<size_t>(device)].platform != numbers[0] || devices[static_cast<size_t>(device)].device != numbers[1]))
      ++device;
    if (static_cast<size_t>(device) == devices.size())
      throw Failure(formatted("--engine is '{}'; there is no such device (anydim opencl list)", shown(text)));
  }
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.flushed_denormals = flushed_denormals;
  check(anydim_engine_create(ANYDIM_ENGINE_OPENCL, device, &options, engine.out()));
  return engine;
}

}  // namespace anydim_cli
