// SPDX-License-Identifier: Apache-2.0
// Integer engines in plain C++ for tests; see plain_sums.h.
#pragma once

#include "core/kernels/int_tiles/engine.h"

namespace anydim::testing {

struct PlainEngine {
  IntEngine engine;
  PackIntDepthwise::Function* pack_depthwise;
};
extern const PlainEngine plain_pairs, plain_bytes;

}  // namespace anydim::testing
