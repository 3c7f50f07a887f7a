// SPDX-License-Identifier: Apache-2.0
// For tests only: whether this machine's OpenCL drivers can be asked for their devices at all. PoCL aborts the process where /sys is not
// mounted; tests are skipped then, with what it says.
#pragma once

#include <vector>

#include "core/base/testing/in_child.h"
#include "core/engines/opencl/devices.h"

namespace anydim::opencl {

// Empty: they can be.
inline const std::string& driver_that_aborts() {
  static const auto* const why = [] {
    auto* const found = new std::string(anydim::testing::how_it_ends_a_process([] {
      const Api* api = nullptr;
      std::vector<DeviceFacts> devices;
      if (load_api(&api).ok()) static_cast<void>(list_devices(*api, &devices));
    }));
    if (!found->empty()) found->insert(0, "an OpenCL driver of this machine ends the process: ");
    return found;
  }();
  return *why;
}

inline const char* why_no_device() { return driver_that_aborts().empty() ? "no OpenCL platform" : driver_that_aborts().c_str(); }

}  // namespace anydim::opencl
