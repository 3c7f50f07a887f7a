// SPDX-License-Identifier: Apache-2.0
// The integer engine whose steps are four bytes, in plain C++; see plain_sums.h.
#include "core/kernels/testing/plain_engines.h"
#include "core/kernels/testing/plain_sums.h"

namespace anydim::portable {
namespace {

using Sums = PlainSums<uint8_t, int8_t, 128>;

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/int_tiles/finish_plain.inl.h"
#include "core/kernels/int_tiles/tiles.inl.h"

namespace anydim::testing {

const PlainEngine plain_bytes = {{portable::kPerStep, 128, 128, portable::run_block, portable::gather_row, portable::gather_lines,
                                  portable::sum_rows, portable::pack_panels},
                                 [](const IntDepthwisePack& p) noexcept { portable::pack_depthwise(p); }};

}  // namespace anydim::testing
