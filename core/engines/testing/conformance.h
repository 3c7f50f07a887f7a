// SPDX-License-Identifier: Apache-2.0
// The conformance suite of engines (core/engines/conformance): what every engine must do, as tests that take the kind of engine as their parameter. A kind that is in
// core/engines/kinds.yaml is tested without a further line, on the first device that it has; where there is none, the tests are skipped and
// say why. One engine alone: --gtest_filter='*/opencl'.
//
//   memory_test     bytes, mapping, addresses, limits, memory of the host
//   streams_test    copies, order, events, what they keep, what they refuse
//   kernels_test    bits of every operator beside another engine's, constants, programs that are compiled once
//   options_test    kinds, devices, options
//   contexts_test   programs split over engines, sizes that a device computes, memory by engine
//
// What the layers above make of an engine that fails, refuses or blocks needs an engine that does so when it is asked: failures_test,
// compilers_test and partitions_test have the test engine.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/base/testing/in_child.h"
#include "core/engines/compiling_engine.h"
#include "core/engines/generated/kinds.h"
#include "core/engines/testing/generated/kinds.h"

namespace anydim::conformance {

using Kind = const NumberedKind*;

inline std::vector<Kind> every_kind() {
  std::vector<Kind> all;
  for (const NumberedKind& k : kEngineKinds) all.push_back(&k);
  for (const NumberedKind& k : kEngineKindsOfTests) all.push_back(&k);
  return all;
}

inline std::string kind_name(const ::testing::TestParamInfo<Kind>& info) { return info.param->kind().name(); }

// The first device on which an engine can be made, or why there is none. A driver that ends the process does so in a child.
inline EnginePtr first_engine(const EngineKind& kind, std::string* why_none) {
  static auto& ends = *new std::map<const EngineKind*, std::string>();
  if (!ends.contains(&kind))
    ends[&kind] = ::anydim::testing::how_it_ends_a_process([&] {
      std::vector<DeviceSummary> devices;
      static_cast<void>(kind.devices(&devices));
    });
  *why_none = ends[&kind];
  if (!why_none->empty()) return nullptr;
  EngineRequest request;
  request.flushed_denormals = std::getenv("ANYDIM_OPENCL_FLUSHED") != nullptr;
  EnginePtr engine;
  const Status made = kind.create(request, &engine);
  *why_none = made.message();
  EXPECT_TRUE(made.ok() || made.code() == Code::not_found) << made.message();
  return engine;
}

class EngineConformance : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string why;
    engine_ = first_engine(kind(), &why);
    if (engine_ == nullptr) GTEST_SKIP() << "no device of " << kind().name() << ": " << why;
  }
  const EngineKind& kind() const { return GetParam()->kind(); }
  // The host's engine has no device's memory and no partition.
  bool is_device() const { return !engine_->is_host(); }
  // A driver's compiler takes a program in tenths of a second: such an engine gets fewer problems.
  bool compiles() const { return GetParam()->number != 0 && engine_->compiling() != nullptr; }

  MemoryPtr allocated(int64_t bytes) const {
    MemoryPtr memory;
    const Status s = engine_->allocate(bytes, &memory);
    EXPECT_TRUE(s.ok()) << s.message();
    return memory;
  }
  StreamPtr stream() const {
    StreamPtr made;
    const Status s = engine_->create_stream(1, &made);
    EXPECT_TRUE(s.ok()) << s.message();
    return made;
  }

  EnginePtr engine_;
};

#define ANYDIM_FOR_EVERY_ENGINE(suite) \
  INSTANTIATE_TEST_SUITE_P(Every, suite, ::testing::ValuesIn(::anydim::conformance::every_kind()), ::anydim::conformance::kind_name)

}  // namespace anydim::conformance
