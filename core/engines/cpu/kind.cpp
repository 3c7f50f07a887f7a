// SPDX-License-Identifier: Apache-2.0
// The CPU in the registry of kinds: one device, which takes the host program's loop and memory.
#include "core/base/cpu.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/generated/kinds.h"

namespace anydim {

namespace {

class CpuKind final : public EngineKind {
 public:
  const char* name() const noexcept override { return "cpu"; }
  Status devices(std::vector<DeviceSummary>* out) const override {
    DeviceSummary d;
    d.units = available_cores();
    d.name = cpu().name;
    out->push_back(std::move(d));
    return {};
  }
  Status check(const EngineRequest&) const override { return {}; }
  Status create(const EngineRequest& request, EnginePtr* out) const override {
    if (request.device != 0) return invalid("device is {}; the cpu engine has device 0 only", request.device).about("device");
    return CpuEngine::create(request.threads, out, request.host);
  }
};

}  // namespace

const EngineKind& cpu_engine_kind() noexcept {
  static constinit const CpuKind kind;
  return kind;
}

}  // namespace anydim
