// SPDX-License-Identifier: Apache-2.0
// Asking platforms and devices what they are; see devices.h.
#include "core/engines/opencl/devices.h"

#include <algorithm>

#include "core/engines/opencl/driver_threads.h"

namespace anydim::opencl {

namespace {

std::string device_text(const Api& api, DeviceId device, Uint what) {
  return info_text([&](size_t bytes, void* to, size_t* needed) { return api.get_device_info(device, what, bytes, to, needed); });
}
std::string platform_text(const Api& api, PlatformId platform, Uint what) {
  return info_text([&](size_t bytes, void* to, size_t* needed) { return api.get_platform_info(platform, what, bytes, to, needed); });
}

DeviceFacts facts_of(const Api& api, DeviceId id) {
  DeviceFacts f;
  f.id = id;
  f.name = device_text(api, id, cl::kDeviceName);
  f.driver = device_text(api, id, cl::kDriverVersion);
  f.version = device_text(api, id, cl::kDeviceVersion);
  f.available = device_number<Uint>(api, id, cl::kDeviceAvailable) != 0 &&
                device_number<Uint>(api, id, cl::kDeviceCompilerAvailable) != 0 &&
                device_number<Uint>(api, id, cl::kDeviceEndianLittle) != 0;
  const Bits type = device_number<Bits>(api, id, cl::kDeviceType);
  f.is_cpu = (type & cl::kDeviceTypeCpu) != 0;
  const Bits single = device_number<Bits>(api, id, cl::kDeviceSingleFpConfig);
  f.correctly_rounded = (single & cl::kFpCorrectlyRoundedDivideSqrt) != 0;
  const auto bytes = [&](Uint what) { return static_cast<int64_t>(std::min<Ulong>(device_number<Ulong>(api, id, what), kMaxSize)); };
  f.global_memory = bytes(cl::kDeviceGlobalMemSize);
  // Kernels of GPUs keep places in 32 bits: no tensor has more elements.
  f.largest_allocation = std::min<int64_t>(bytes(cl::kDeviceMaxMemAllocSize), (INT64_C(1) << 32) - 64);
  f.base_alignment = std::max<int64_t>(device_number<Uint>(api, id, cl::kDeviceMemBaseAddrAlign) / 8, 64);
  f.units = std::max<int64_t>(device_number<Uint>(api, id, cl::kDeviceMaxComputeUnits), 1);
  size_t items[3] = {1, 1, 1};
  if (api.get_device_info(id, cl::kDeviceMaxWorkItemSizes, sizeof items, items, nullptr) == cl::kSuccess)
    for (size_t a = 0; a < 3; ++a) f.most_items[a] = static_cast<int64_t>(items[a]);
  // A processor that gives a work-item no vectors is driven like a GPU: a renderer in software.
  const auto width = device_number<Uint>(api, id, cl::kDeviceNativeVectorWidthFloat);
  f.traits.kind = f.is_cpu && width > 1 ? DeviceKind::cpu : DeviceKind::gpu;
  f.traits.local_memory = bytes(cl::kDeviceLocalMemSize);
  f.traits.most_items = static_cast<int64_t>(device_number<size_t>(api, id, cl::kDeviceMaxWorkGroupSize));
  f.traits.vector_floats = static_cast<int32_t>(std::clamp<Uint>(width, 1, 16));
  f.traits.units = f.units;
  f.traits.f64 = device_number<Bits>(api, id, cl::kDeviceDoubleFpConfig) != 0;
  return f;
}

}  // namespace

Status no_device(const Api& api) {
  Uint count = 0;
  std::string names;
  if (api.get_platform_ids(0, nullptr, &count) == cl::kSuccess && count > 0) {
    std::vector<PlatformId> platforms(count);
    if (api.get_platform_ids(count, platforms.data(), nullptr) == cl::kSuccess)
      for (const PlatformId p : platforms) names += formatted("{}{}", names.empty() ? "" : ", ", platform_text(api, p, cl::kPlatformName));
  }
  if (!names.empty())
    return error(
        Code::not_found,
        "the OpenCL driver {} has no device here; some need a folder that they can write (PoCL: set POCL_CACHE_DIR), or a device of "
        "its kind that this process may open",
        names);
  return error(
      Code::not_found,
      "there is no OpenCL device on this machine: its loader found no driver; install one, as Debian's package pocl-opencl-icd for "
      "the processor, or set OCL_ICD_VENDORS to the folder that has a driver's .icd file");
}

Status list_devices(const Api& api, std::vector<DeviceFacts>* out) {
  out->clear();
  const DriverThreadsMark mark;  // some make them here
  Uint count = 0;
  const Int result = api.get_platform_ids(0, nullptr, &count);
  if (result == cl::kPlatformNotFound || (result == cl::kSuccess && count == 0)) return {};
  if (result != cl::kSuccess) return failure(result, "listing platforms");
  std::vector<PlatformId> platforms(count);
  if (const Int code = api.get_platform_ids(count, platforms.data(), nullptr); code != cl::kSuccess)
    return failure(code, "listing platforms");
  for (size_t p = 0; p < platforms.size(); ++p) {
    Uint devices = 0;
    // A platform without devices says so with an error; one that fails is not worth those of the others.
    if (api.get_device_ids(platforms[p], cl::kDeviceTypeAll, 0, nullptr, &devices) != cl::kSuccess || devices == 0) continue;
    std::vector<DeviceId> ids(devices);
    if (api.get_device_ids(platforms[p], cl::kDeviceTypeAll, devices, ids.data(), nullptr) != cl::kSuccess) continue;
    const std::string name = platform_text(api, platforms[p], cl::kPlatformName);
    const std::string version = platform_text(api, platforms[p], cl::kPlatformVersion);
    for (size_t d = 0; d < ids.size(); ++d) {
      DeviceFacts& f = out->emplace_back(facts_of(api, ids[d]));
      f.platform_id = platforms[p];
      f.platform = static_cast<int>(p);
      f.device = static_cast<int>(d);
      f.platform_name = name;
      f.platform_version = version;
    }
  }
  return {};
}

}  // namespace anydim::opencl
