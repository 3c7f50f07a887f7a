// SPDX-License-Identifier: Apache-2.0
// OpenCL in the registry of kinds: the devices of all platforms, in the loader's order.
#include "core/engines/generated/kinds.h"
#include "core/engines/opencl/engine.h"

namespace anydim {

namespace {

class OpenclKind final : public EngineKind {
 public:
  const char* name() const noexcept override { return "opencl"; }
  Status devices(std::vector<DeviceSummary>* out) const override {
    const opencl::Api* api = nullptr;
    ANYDIM_TRY(opencl::load_api(&api));
    std::vector<opencl::DeviceFacts> devices;
    ANYDIM_TRY(opencl::list_devices(*api, &devices));
    if (devices.empty()) return opencl::no_device(*api);
    for (opencl::DeviceFacts& d : devices)
      out->push_back({d.platform, d.device, d.available, d.traits.kind == DeviceKind::gpu, static_cast<int32_t>(d.units), d.global_memory,
                      d.largest_allocation, std::move(d.name), std::move(d.driver), std::move(d.platform_name)});
    return {};
  }
  Status create(const EngineRequest& request, EnginePtr* out) const override {
    std::shared_ptr<const opencl::OpenclEngine> engine;
    ANYDIM_TRY(opencl::OpenclEngine::create(
        {.device = request.device, .flushed_denormals = request.flushed_denormals, .store = request.store}, &engine));
    *out = std::move(engine);
    return {};
  }
};

}  // namespace

const EngineKind& opencl_engine_kind() noexcept {
  static constinit const OpenclKind kind;
  return kind;
}

}  // namespace anydim
