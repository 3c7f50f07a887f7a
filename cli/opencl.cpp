// SPDX-License-Identifier: Apache-2.0
// `anydim opencl list | warm`: the OpenCL devices of this machine, and compiling what a model, or any, needs on one before it is needed.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engines.h"
#include "cli/print.h"
#include "cli/programs_bar.h"
#include "cli/replay_call.h"
#include "cli/seconds.h"
#include "cli/shapes.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;

int list(const OpenclOptions& options) {
  const std::vector<anydim_device_info_t> devices = devices_of(ANYDIM_ENGINE_OPENCL);
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

// What is compiled without a model: the calls of PP-OCR and YOLO, whose dims say nothing.
constexpr const char* kCalls[] = {
#include "cli/generated/opencl_programs.inc"
};

}  // namespace

std::span<const char* const> model_calls() { return kCalls; }

namespace {

// Makes the primitive of a call, which compiles its programs or finds them; false: the device has no kernel for it.
bool prepare(anydim_engine_t engine, const std::string& text) {
  const size_t first = text.find('|'), second = text.rfind('|');
  const std::string line =
      formatted("anydim,v1,execute,opencl,,\"{}\",\"{}\",\"{}\",math=strict reuse=auto threads=1,any,reusable,0,scratch=0",
                text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1));
  Call call;
  check(anydim_call_parse(line.c_str(), call.out()));
  anydim_call_info_t info = ANYDIM_CALL_INFO_INIT;
  check(anydim_call_query(call.get(), &info));
  std::vector<std::vector<uint64_t>> memory;
  std::vector<anydim_view_t> weights;
  for (int32_t i = 0; i < info.tensors; ++i) {
    anydim_call_tensor_t tensor = ANYDIM_CALL_TENSOR_INIT;
    check(anydim_call_get_tensor(call.get(), i, &tensor));
    if (tensor.role != ANYDIM_CALL_WEIGHTS) continue;
    int64_t count = 1;
    for (int d = 0; d < tensor.dims.rank; ++d) count *= tensor.dims.values[d];
    make_room(&memory.emplace_back(), count, "constants of a call");  // as large as any dtype
    anydim_view_t& view = weights.emplace_back();
    view.data = memory.back().data();
    view.dtype = tensor.dtype;
    view.dims = tensor.dims;
    view.strides = tensor.strides;
  }
  Primitive primitive;
  const anydim_status_t made =
      anydim_call_create_primitive(call.get(), engine, "", weights.data(), static_cast<int32_t>(weights.size()), primitive.out());
  if (made == ANYDIM_STATUS_UNIMPLEMENTED) return false;
  check(made);
  return true;
}

// Returns the calls that the device has no kernel for.
int warm_all(const OpenclOptions& options) {
  const Engine engine = make_engine(options.load.engine, options.load.flushed_denormals);
  Progress bar("warm", std::size(kCalls));
  size_t done = 0;
  int without = 0;
  for (const char* const call : kCalls) {
    bar.show(done++, programs_text());
    without += !prepare(engine.get(), call);
  }
  bar.show(done, programs_text());
  return without;
}

// A model's kernels are prepared when it is loaded, whatever its shapes.
int warm(OpenclOptions options) {
  if (options.load.engine.empty()) options.load.engine = "opencl";
  ::setenv("ANYDIM_OPENCL_BINARIES", "now", 1);  // before any other thread is there
  const auto begun = std::chrono::steady_clock::now();
  Loaded loaded;
  int without = 0;
  if (options.load.model.empty()) {
    without = warm_all(options);
  } else {
    loaded = load(options.load);
  }
  check(anydim_worker_drain(-1));
  const double seconds = seconds_since(begun);
  const int64_t compiled = counter("programs_compiled"), at_hand = counter("programs_loaded");
  const int64_t stored = counter("programs_stored");
  const double milliseconds = static_cast<double>(counter("programs_compile_nanoseconds")) / 1e6;
  if (options.json)
    print("{}\n", Json({{"compiled", compiled},
                        {"loaded", at_hand},
                        {"stored", stored},
                        {"refused", counter("programs_refused")},
                        {"compile_ms", milliseconds},
                        {"without_kernel", without},
                        {"seconds", seconds}})
                      .dump(2));
  else
    print("{}: {} programs were compiled in {:.0f} ms and {} stored, {} were there; {:.1f} s in all\n",
          options.load.model.empty() ? options.load.engine : options.load.model, compiled, milliseconds,
          stored >= compiled ? std::string("all") : formatted("{} of them", stored), at_hand, seconds);
  if (stored < compiled && !options.json)
    print("The persistent cache took no more, so later processes compile those again; `anydim cache verify` checks its file.\n");
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
  list_command->callback([&options] { options.selected = true; });
  CLI::App* warm_command = command->add_subcommand(
      "warm",
      "compiles what a model needs on a device and keeps it in the persistent cache, from where later processes load it; without a model "
      "what those for text in images (PP-OCR) and YOLO need");
  warm_command->add_flag("--json", options.json, "the result as JSON");
  warm_command->callback([&options] { options.selected = options.warm = true; });
  return warm_command;
}

}  // namespace anydim_cli
