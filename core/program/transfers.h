// SPDX-License-Identifier: Apache-2.0
// Where a run of a program on several engines has to wait for what it gave to a device, and until when the host's memory is read by
// copies that it did not wait for. Computed from a program alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace anydim {

// Steps of transfers to the host, each once: whoever waited for one has waited for all before it on its engine.
struct TransferWaits {
  std::vector<std::vector<int32_t>> before_step;   // by step: a host's step waits itself, a transfer to a device lets its stream wait
  std::vector<std::vector<int32_t>> before_stage;  // by stage: before its sizes are read
};

TransferWaits waits_of(const Program& program);

// Fills in which outputs a device has made, and lets what their transfers read live to the end, so that a caller whose memory is the
// device's gets it from there.
void keep_results(Program* program);

// Fills in until when each transfer to a device reads its source, and lets the sources live so long.
void keep_sources(Program* program);

}  // namespace anydim
