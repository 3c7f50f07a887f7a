// SPDX-License-Identifier: Apache-2.0
// What a context knows of inputs and outputs that lie in memory of its program's devices (context_places.cpp).
#pragma once

#include <vector>

#include "core/base/memory/aligned_buffer.h"
#include "core/engines/engine.h"
#include "core/program/program.h"

namespace anydim {

struct DeviceEdges {
  static constexpr int32_t kHost = 0, kNobody = -1;
  std::vector<int32_t> readers;        // by input: the device that alone reads it, or kHost, or kNobody
  std::vector<BufferRef> in, out;      // of this run; of inputs only those that the host has no copy of
  std::vector<TensorView> views;       // of its inputs, of which some are copies
  std::vector<AlignedBuffer> copies;   // by input
  std::vector<AlignedBuffer> results;  // by output: how the caller's memory is to look
  // By output: the transfer to the host that nobody but the caller needs, or -1; did this run leave it out, because the caller's memory
  // is the device's; and the caller's views.
  std::vector<int32_t> transfers;
  std::vector<uint8_t> left_out;
  std::span<const TensorView> provided;

  explicit DeviceEdges(const Program& program);
};

}  // namespace anydim
