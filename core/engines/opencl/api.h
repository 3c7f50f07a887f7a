// SPDX-License-Identifier: Apache-2.0
// The part of the OpenCL 1.2 interface that the engine calls, declared here by the Khronos specification and looked up in libOpenCL.so.1
// when the first device is asked for: nothing links to a loader, and no header of it is needed to build. api_test.cpp compares the
// numbers with <CL/cl.h> where a machine has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/status.h"

namespace anydim::opencl {

struct PlatformHandle;
struct DeviceHandle;
struct ContextHandle;
struct QueueHandle;
struct MemHandle;
struct ProgramHandle;
struct KernelHandle;
struct EventHandle;
using PlatformId = PlatformHandle*;
using DeviceId = DeviceHandle*;
using ContextId = ContextHandle*;
using QueueId = QueueHandle*;
using MemId = MemHandle*;
using ProgramId = ProgramHandle*;
using KernelId = KernelHandle*;
using EventId = EventHandle*;

using Int = int32_t;
using Uint = uint32_t;
using Ulong = uint64_t;
using Bits = uint64_t;      // cl_bitfield
using Property = intptr_t;  // of a context

namespace cl {
constexpr Int kSuccess = 0, kDeviceNotAvailable = -2, kMemObjectAllocationFailure = -4, kOutOfResources = -5, kOutOfHostMemory = -6,
              kBuildProgramFailure = -11, kInvalidBinary = -42, kPlatformNotFound = -1001, kDeviceNotFound = -1;
constexpr Uint kTrue = 1, kFalse = 0;
constexpr Bits kDeviceTypeCpu = 1 << 1, kDeviceTypeGpu = 1 << 2, kDeviceTypeAll = 0xFFFFFFFF;

constexpr Uint kPlatformVersion = 0x0901, kPlatformName = 0x0902;

constexpr Uint kDeviceType = 0x1000, kDeviceMaxComputeUnits = 0x1002, kDeviceMaxWorkGroupSize = 0x1004, kDeviceMaxWorkItemSizes = 0x1005,
               kDeviceMaxMemAllocSize = 0x1010, kDeviceMemBaseAddrAlign = 0x1019, kDeviceSingleFpConfig = 0x101B,
               kDeviceGlobalMemSize = 0x101F, kDeviceLocalMemSize = 0x1023, kDeviceEndianLittle = 0x1026, kDeviceAvailable = 0x1027,
               kDeviceCompilerAvailable = 0x1028, kDeviceName = 0x102B, kDriverVersion = 0x102D, kDeviceVersion = 0x102F,
               kDeviceExtensions = 0x1030, kDeviceDoubleFpConfig = 0x1032, kDeviceHostUnifiedMemory = 0x1035,
               kDeviceNativeVectorWidthFloat = 0x103A;
constexpr Bits kFpDenorm = 1 << 0, kFpFma = 1 << 5, kFpCorrectlyRoundedDivideSqrt = 1 << 7;

constexpr Property kContextPlatform = 0x1084;
constexpr Uint kContextDevices = 0x1081;
constexpr Uint kQueueContext = 0x1090, kQueueDevice = 0x1091, kQueueProperties = 0x1093;
constexpr Bits kQueueOutOfOrder = 1 << 0, kQueueProfilingEnable = 1 << 1;

constexpr Bits kMemReadWrite = 1 << 0, kMemWriteOnly = 1 << 1, kMemReadOnly = 1 << 2, kMemUseHostPtr = 1 << 3;
constexpr Uint kMemType = 0x1100, kMemFlags = 0x1101, kMemSize = 0x1102, kMemContext = 0x1106, kMemObjectBuffer = 0x10F0;
constexpr Bits kMapRead = 1 << 0, kMapWrite = 1 << 1;

constexpr Uint kProgramBinarySizes = 0x1165, kProgramBinaries = 0x1166, kProgramBuildLog = 0x1183;

constexpr Uint kKernelNumArgs = 0x1191, kKernelCompileWorkGroupSize = 0x11B1, kKernelLocalMemSize = 0x11B2,
               kKernelArgAddressQualifier = 0x1196, kKernelArgTypeName = 0x1198;
constexpr Uint kKernelArgAddressGlobal = 0x119B, kKernelArgAddressLocal = 0x119C, kKernelArgAddressConstant = 0x119D;

constexpr Uint kEventCommandExecutionStatus = 0x11D3;
constexpr Uint kProfilingCommandEnd = 0x1283;
}  // namespace cl

// The functions. A test puts its own in the place of one.
struct Api {
  Int (*get_platform_ids)(Uint, PlatformId*, Uint*);
  Int (*get_platform_info)(PlatformId, Uint, size_t, void*, size_t*);
  Int (*get_device_ids)(PlatformId, Bits, Uint, DeviceId*, Uint*);
  Int (*get_device_info)(DeviceId, Uint, size_t, void*, size_t*);
  ContextId (*create_context)(const Property*, Uint, const DeviceId*, void (*)(const char*, const void*, size_t, void*), void*, Int*);
  Int (*retain_context)(ContextId);
  Int (*release_context)(ContextId);
  Int (*get_context_info)(ContextId, Uint, size_t, void*, size_t*);
  QueueId (*create_command_queue)(ContextId, DeviceId, Bits, Int*);
  Int (*retain_command_queue)(QueueId);
  Int (*release_command_queue)(QueueId);
  Int (*get_command_queue_info)(QueueId, Uint, size_t, void*, size_t*);
  MemId (*create_buffer)(ContextId, Bits, size_t, void*, Int*);
  Int (*retain_mem_object)(MemId);
  Int (*release_mem_object)(MemId);
  Int (*get_mem_object_info)(MemId, Uint, size_t, void*, size_t*);
  Int (*set_mem_object_destructor_callback)(MemId, void (*)(MemId, void*), void*);
  ProgramId (*create_program_with_source)(ContextId, Uint, const char**, const size_t*, Int*);
  ProgramId (*create_program_with_binary)(ContextId, Uint, const DeviceId*, const size_t*, const unsigned char**, Int*, Int*);
  Int (*build_program)(ProgramId, Uint, const DeviceId*, const char*, void (*)(ProgramId, void*), void*);
  Int (*get_program_info)(ProgramId, Uint, size_t, void*, size_t*);
  Int (*get_program_build_info)(ProgramId, DeviceId, Uint, size_t, void*, size_t*);
  Int (*release_program)(ProgramId);
  KernelId (*create_kernel)(ProgramId, const char*, Int*);
  Int (*release_kernel)(KernelId);
  Int (*set_kernel_arg)(KernelId, Uint, size_t, const void*);
  Int (*get_kernel_info)(KernelId, Uint, size_t, void*, size_t*);
  Int (*get_kernel_arg_info)(KernelId, Uint, Uint, size_t, void*, size_t*);
  Int (*get_kernel_work_group_info)(KernelId, DeviceId, Uint, size_t, void*, size_t*);
  Int (*wait_for_events)(Uint, const EventId*);
  Int (*get_event_info)(EventId, Uint, size_t, void*, size_t*);
  Int (*get_event_profiling_info)(EventId, Uint, size_t, void*, size_t*);
  Int (*release_event)(EventId);
  Int (*flush)(QueueId);
  Int (*enqueue_read_buffer)(QueueId, MemId, Uint, size_t, size_t, void*, Uint, const EventId*, EventId*);
  Int (*enqueue_write_buffer)(QueueId, MemId, Uint, size_t, size_t, const void*, Uint, const EventId*, EventId*);
  Int (*enqueue_copy_buffer)(QueueId, MemId, MemId, size_t, size_t, size_t, Uint, const EventId*, EventId*);
  void* (*enqueue_map_buffer)(QueueId, MemId, Uint, Bits, size_t, size_t, Uint, const EventId*, EventId*, Int*);
  Int (*enqueue_unmap_mem_object)(QueueId, MemId, void*, Uint, const EventId*, EventId*);
  Int (*enqueue_nd_range_kernel)(QueueId, KernelId, Uint, const size_t*, const size_t*, const size_t*, Uint, const EventId*, EventId*);
  Int (*enqueue_marker_with_wait_list)(QueueId, Uint, const EventId*, EventId*);
  Int (*enqueue_barrier_with_wait_list)(QueueId, Uint, const EventId*, EventId*);
};

// The process's loader, opened at the first call and never closed: drivers start threads. Where there is none, or one that lacks a
// function, not_found and a sentence that says what to install; forked in a child of a process that opened it.
Status load_api(const Api** out);

// What a failed call comes to: `what` is the call in words.
Status failure(Int code, const char* what);
const char* code_text(Int code) noexcept;  // "CL_OUT_OF_RESOURCES", or null

}  // namespace anydim::opencl
