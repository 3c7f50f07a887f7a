// SPDX-License-Identifier: Apache-2.0
// For tests only: programs over the test engine and the CPU's, and whether two contexts give the same bits.
#pragma once

#include <bit>

#include "core/base/testing/random.h"
#include "core/engines/testing/engine.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"

namespace anydim::testing {

using TestEnginePtr = std::shared_ptr<const TestEngine>;

// Everything on the first of these that has a kernel for it.
inline CompileOptions on_devices(std::vector<EnginePtr> devices) {
  CompileOptions options;
  options.devices = std::move(devices);
  return options;
}

// Each node on any of them or the host.
inline CompileOptions on_any(std::vector<EnginePtr> devices, std::mt19937_64& random) {
  CompileOptions options = on_devices(std::move(devices));
  // Some partitions are of long runs on one engine, some change at nearly every node.
  const uint64_t stays = 1 + random() % 6;
  options.choose_engine = [&random, stays, last = int32_t{0}, count = options.devices.size() + 1](const Graph&, const Node&) mutable {
    if (random() % stays == 0) last = static_cast<int32_t>(random() % count);
    return last;
  };
  return options;
}

inline int count_transfers(const Program& program) {
  int n = 0;
  for (const Program::Step& s : program.steps) n += s.transfer() != nullptr;
  return n;
}

// Outputs of f32 as dims and elements in row-major order, any NaN as one; none if the run failed.
using Outputs = std::vector<std::pair<std::string, std::vector<uint32_t>>>;
inline Outputs outputs_of(Context& context, std::span<const TensorView> in, Status* status = nullptr) {
  std::vector<TensorView> out(context.program().outputs.size());
  Status s = context.run(in, out);
  Outputs all;
  for (size_t o = 0; s.ok() && o < out.size(); ++o) {
    const TensorView& t = out[o];
    std::vector<uint32_t>& bits = all.emplace_back(to_string(t.dims), std::vector<uint32_t>()).second;
    Dims at = Dims::filled(t.dims.rank, 0);
    for (int64_t i = 0; i < t.count(); ++i) {
      int64_t offset = 0;
      for (int a = 0; a < at.rank; ++a) offset += at[a] * t.strides[a];
      const float x = t.as<float>()[offset];
      bits.push_back(x != x ? 0x7FC00000u : std::bit_cast<uint32_t>(x));
      for (int a = at.rank - 1; a >= 0 && ++at[a] == t.dims[a]; --a) at[a] = 0;
    }
  }
  if (status != nullptr) *status = std::move(s);
  else EXPECT_TRUE(s.ok()) << s.message();
  return all;
}

}  // namespace anydim::testing
