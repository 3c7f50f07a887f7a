// SPDX-License-Identifier: Apache-2.0
// The OpenCL devices of this machine: all of all platforms, in the loader's order, with what the engine needs to know of each.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/engines/opencl/api.h"
#include "core/kernels/device_kernel.h"

namespace anydim::opencl {

struct DeviceFacts {
  PlatformId platform_id = nullptr;
  DeviceId id = nullptr;
  int platform = 0, device = 0;  // numbers: of the platform, and of the device on it
  std::string platform_name, platform_version;
  std::string name, driver, version;                                      // as they call themselves
  bool available = false;                                                 // with a compiler, little-endian
  bool is_cpu = false;                                                    // the device is the host's processor
  bool correctly_rounded = false;                                         // divide and sqrt, if a program asks for it
  int64_t global_memory = 0, largest_allocation = 0, base_alignment = 1;  // bytes
  int64_t units = 1;
  std::array<int64_t, 3> most_items{1, 1, 1};  // of a group, along each axis
  DeviceTraits traits;
};

// In order; empty where there is no platform. Asks the loader again at each call.
// Why there is none, with what to install or to set.
Status no_device(const Api& api);
Status list_devices(const Api& api, std::vector<DeviceFacts>* out);

// What an info function says, as text without its final null, or as a number; empty and 0 where it says nothing.
template <class Query> std::string info_text(const Query& query) {
  size_t bytes = 0;
  if (query(size_t{0}, static_cast<void*>(nullptr), &bytes) != cl::kSuccess || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (query(bytes, text.data(), nullptr) != cl::kSuccess) return {};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}
template <class T> T device_number(const Api& api, DeviceId device, Uint what) {
  T value{};
  return api.get_device_info(device, what, sizeof value, &value, nullptr) == cl::kSuccess ? value : T{};
}

}  // namespace anydim::opencl
