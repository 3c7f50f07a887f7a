// SPDX-License-Identifier: Apache-2.0
// The test engine among the kinds that tests have: as it is without options.
#include "core/engines/testing/engine.h"
#include "core/engines/testing/generated/kinds.h"

namespace anydim {

namespace {

class TestingKind final : public EngineKind {
 public:
  const char* name() const noexcept override { return "testing"; }
  Status devices(std::vector<DeviceSummary>* out) const override {
    out->push_back({.name = "a device of the tests"});
    return {};
  }
  Status create(const EngineRequest& request, EnginePtr* out) const override {
    if (request.device != 0) return invalid("device is {}; there is device 0 only", request.device).about("device");
    testing::TestEngine::Options options;
    options.store = request.store;
    *out = testing::TestEngine::create(options);
    return {};
  }
};

}  // namespace

const EngineKind& testing_engine_kind() noexcept {
  static constinit const TestingKind kind;
  return kind;
}

}  // namespace anydim
