// SPDX-License-Identifier: Apache-2.0
// What the tests of element-wise kernels share: shapes that broadcast.
#pragma once

#include "core/kernels/testing/harness.h"

namespace anydim::testing {

// Dims that broadcast into d: some axes become 1, some leading ones go.
inline Dims broadcastable(Random& r, const Dims& d) {
  Dims b = d;
  for (int i = 0; i < b.rank; ++i)
    if (r.chance(0.35)) b[i] = 1;
  while (b.rank > 0 && r.chance(0.2)) b.erase(0);
  return b;
}

}  // namespace anydim::testing
