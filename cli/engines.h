// SPDX-License-Identifier: Apache-2.0
// Engines by their texts: KIND, KIND:PLATFORM, KIND:PLATFORM:DEVICE, for the kinds that the library has (cpu, opencl).
#pragma once

#include <string>
#include <vector>

#include "cli/client.h"

namespace anydim_cli {

// In the order of the numbers that anydim_engine_create takes; empty where there is no driver.
std::vector<anydim_device_info_t> devices_of(anydim_engine_kind_t kind);
// Of a shared object; its number.
anydim_engine_kind_t load_engine(const std::string& file);
// Empty: the processor.
Engine make_engine(const std::string& text, bool flushed_denormals);

}  // namespace anydim_cli
