// SPDX-License-Identifier: Apache-2.0
// One verbose line run alone, twice: by a kernel and by the scalar reference, over the same made-up data; their bits compared.
#pragma once

#include <cstdint>
#include <string>

#include "cli/client.h"

namespace anydim_cli {

using Call = Owned<anydim_call_t, call<anydim_call_t, anydim_call_destroy>>;
using Memory = Owned<anydim_memory_t, call<anydim_memory_t, anydim_memory_destroy>>;
using Primitive = Owned<anydim_primitive_t, call<anydim_primitive_t, anydim_primitive_destroy>>;
using Stream = Owned<anydim_stream_t, call<anydim_stream_t, anydim_stream_destroy>>;

struct ReplaySettings {
  std::string kernel;           // to force; empty: the line's own
  int threads = 0;              // 0: the line's
  int repeat = 5;               // timed runs
  uint64_t seed = 1;            // of the data
  uint64_t reference_seed = 1;  // of the reference's data: other than seed only where a difference is wanted
  bool check = true;
  // Whose own choice the reference is, and the line as it is for that engine; null: the reference kernel of the same engine.
  anydim_engine_t reference_engine = nullptr;
  std::string reference_line;
};

struct ReplayResult {
  std::string name, op, post_ops, tensors, kernel, tier, reference;
  int threads = 1;
  bool checked = false, equal = false;
  std::string difference;  // where the first one is
  double logged_ns = 0, median_ns = 0, least_ns = 0;
  double gflops = -1;  // of the median; -1: not defined for the operator
};

// Failure if the line is damaged or cannot run here; differing bits are a result.
ReplayResult replay_call(anydim_engine_t engine, const std::string& line, const ReplaySettings& settings);

}  // namespace anydim_cli
