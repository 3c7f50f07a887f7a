// SPDX-License-Identifier: Apache-2.0
// Engines by their texts: cpu, opencl, opencl:PLATFORM, opencl:PLATFORM:DEVICE.
#pragma once

#include <string>
#include <vector>

#include "cli/client.h"

namespace anydim_cli {

// In the order of the numbers that anydim_engine_create takes; empty where there is no driver.
std::vector<anydim_device_info_t> opencl_devices();
Engine make_engine(const std::string& text, bool flushed_denormals);

}  // namespace anydim_cli
