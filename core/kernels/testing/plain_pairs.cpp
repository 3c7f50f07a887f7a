// SPDX-License-Identifier: Apache-2.0
// The integer engine whose steps are pairs of 16 bits, in plain C++; see plain_sums.h.
#include "core/kernels/testing/plain_engines.h"
#include "core/kernels/testing/plain_sums.h"

namespace anydim::portable {
namespace {

using Sums = PlainSums<int16_t, int16_t, 0>;

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/int_tiles/finish_plain.inl.h"
#include "core/kernels/int_tiles/tiles.inl.h"

namespace anydim::testing {

const PlainEngine plain_pairs = {{portable::kPerStep, 0, 0, portable::run_block, portable::gather_row, portable::gather_lines,
                                  portable::sum_rows, portable::pack_panels},
                                 [](const IntDepthwisePack& p) noexcept { portable::pack_depthwise(p); }};

}  // namespace anydim::testing
