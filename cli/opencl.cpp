// SPDX-License-Identifier: Apache-2.0
// `anydim opencl list | warm`: the OpenCL devices of this machine, and compiling what a model needs on one before it is needed.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/engines.h"
#include "cli/print.h"
#include "cli/shapes.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;

int list(const OpenclOptions& options) {
  const std::vector<anydim_device_info_t> devices = opencl_devices();
  if (options.json) {
    Json all = Json::array();
    for (const anydim_device_info_t& d : devices)
      all.push_back({{"engine", formatted("opencl:{}:{}", d.platform, d.device)},
                     {"name", text_of(d.name)},
                     {"platform", text_of(d.platform_name)},
                     {"driver", text_of(d.driver)},
                     {"usable", d.usable == 1},
                     {"kernels", d.like_gpu == 1 ? "gpu" : "cpu"},
                     {"units", d.units},
                     {"memory", d.memory_bytes},
                     {"largest_allocation", d.largest_allocation_bytes}});
    print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
    return devices.empty() ? 1 : 0;
  }
  if (devices.empty()) {
    print("no OpenCL device: {}\n", last_message());
    return 1;
  }
  Table table({"engine", "device", "platform", "driver", "kernels", "units", "memory", "largest allocation"});
  for (const anydim_device_info_t& d : devices)
    table.row({formatted("opencl:{}:{}", d.platform, d.device), text_of(d.name), text_of(d.platform_name), text_of(d.driver),
               d.usable != 1     ? "not usable"
               : d.like_gpu == 1 ? "of GPUs"
                                 : "of processors",
               std::to_string(d.units), bytes_text(d.memory_bytes), bytes_text(d.largest_allocation_bytes)});
  print("{}", table.text());
  return 0;
}

int64_t counter(std::string_view name) {
  for (int32_t i = 0;; ++i) {
    anydim_counter_t c = ANYDIM_COUNTER_INIT;
    check(anydim_counter_get(i, &c));
    if (text_of(c.name) == name) return c.value;
  }
}

// A bar of the model's nodes on the device whose programs are there, while it is loaded.
class Watch {
 public:
  Watch() : thread_([this] { watch(); }) {}
  ~Watch() {
    done_.store(true);
    thread_.join();
  }

 private:
  void watch() {
    std::unique_ptr<Progress> bar;
    for (; !done_.load(); std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
      const int64_t wanted = counter("kernels_to_prepare");
      if (wanted == 0) continue;
      if (bar == nullptr) bar = std::make_unique<Progress>("warm", static_cast<size_t>(wanted));
      bar->show(static_cast<size_t>(counter("kernels_prepared")),
                formatted("{} programs were compiled, {} were there", counter("programs_compiled"), counter("programs_loaded")));
    }
  }

  std::atomic<bool> done_{false};
  std::thread thread_;
};

// A model's kernels are prepared when it is loaded, whatever its shapes.
int warm(OpenclOptions options) {
  if (options.load.engine.empty()) options.load.engine = "opencl";
  const auto begun = std::chrono::steady_clock::now();
  const Loaded loaded = [&] {
    const Watch watch;
    return load(options.load);
  }();
  check(anydim_worker_drain(-1));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const int64_t compiled = counter("programs_compiled"), at_hand = counter("programs_loaded");
  const double milliseconds = static_cast<double>(counter("programs_compile_nanoseconds")) / 1e6;
  if (options.json)
    print("{}\n", Json({{"compiled", compiled}, {"loaded", at_hand}, {"compile_ms", milliseconds}, {"seconds", seconds}}).dump(2));
  else
    print("{}: {} programs were compiled in {:.0f} ms and stored, {} were there; {:.1f} s in all\n", options.load.model, compiled,
          milliseconds, at_hand, seconds);
  return 0;
}

}  // namespace

int opencl(const OpenclOptions& options) { return options.warm ? warm(options) : list(options); }

CLI::App* add_opencl_command(CLI::App& app, OpenclOptions& options) {
  CLI::App* command = app.add_subcommand("opencl", "devices of OpenCL: which there are, and compiling a model's programs before it runs");
  command->require_subcommand(1);
  CLI::App* list_command =
      command->add_subcommand("list", "the devices, with the texts that --engine takes; exit status 1 if there is none");
  list_command->add_flag("--json", options.json, "the result as JSON");
  list_command->callback([&options] { options.given = true; });
  CLI::App* warm_command = command->add_subcommand(
      "warm", "compiles what a model needs on a device and keeps it in the persistent cache: later processes load it");
  warm_command->add_flag("--json", options.json, "the result as JSON");
  warm_command->callback([&options] { options.given = options.warm = true; });
  return warm_command;
}

}  // namespace anydim_cli
