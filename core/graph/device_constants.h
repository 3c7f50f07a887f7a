// SPDX-License-Identifier: Apache-2.0
// Constants that the kernels of a device read as they are: each is copied to its engine's memory once, when a program is made. What
// kernels read packed is the constant packer's.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/graph/ir.h"
#include "core/program/program.h"

namespace anydim {

using DeviceConstants = std::map<ValueId, MemoryPtr>;

// Those among the operands of steps on devices; the graph lets them go.
Status copy_to_devices(Graph& graph, Program& program, std::span<const std::vector<ValueId>> operands, DeviceConstants* out);

}  // namespace anydim
