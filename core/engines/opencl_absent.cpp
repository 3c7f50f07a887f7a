// SPDX-License-Identifier: Apache-2.0
// The kind opencl of a build without it (ANYDIM_OPENCL, docs/subset-builds.md): no device, as where no driver is.
#include "core/engines/generated/kinds.h"

namespace anydim {

namespace {

class AbsentKind final : public EngineKind {
 public:
  const char* name() const noexcept override { return "opencl"; }
  Status devices(std::vector<DeviceSummary>*) const override { return absent(); }
  Status create(const EngineRequest&, EnginePtr*) const override { return absent(); }

 private:
  static Status absent() { return error(Code::not_found, "this library was built without OpenCL"); }
};

}  // namespace

const EngineKind& opencl_engine_kind() noexcept {
  static constinit const AbsentKind kind;
  return kind;
}

}  // namespace anydim
