// SPDX-License-Identifier: Apache-2.0
// Our declarations of OpenCL against Khronos's header, where the machine has it.
#include <gtest/gtest.h>

#include "core/engines/opencl/api.h"

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

namespace anydim::opencl {
namespace {

static_assert(sizeof(Int) == sizeof(cl_int) && sizeof(Uint) == sizeof(cl_uint) && sizeof(Ulong) == sizeof(cl_ulong));
static_assert(sizeof(Bits) == sizeof(cl_bitfield) && sizeof(Property) == sizeof(cl_context_properties));
static_assert(sizeof(Uint) == sizeof(cl_bool) && sizeof(Uint) == sizeof(cl_device_info) && sizeof(Bits) == sizeof(cl_mem_flags));

TEST(OpenclApi, HasTheNumbersOfTheHeader) {
  const std::pair<int64_t, int64_t> pairs[] = {
      {cl::kSuccess, CL_SUCCESS},
      {cl::kDeviceNotFound, CL_DEVICE_NOT_FOUND},
      {cl::kDeviceNotAvailable, CL_DEVICE_NOT_AVAILABLE},
      {cl::kMemObjectAllocationFailure, CL_MEM_OBJECT_ALLOCATION_FAILURE},
      {cl::kOutOfResources, CL_OUT_OF_RESOURCES},
      {cl::kOutOfHostMemory, CL_OUT_OF_HOST_MEMORY},
      {cl::kBuildProgramFailure, CL_BUILD_PROGRAM_FAILURE},
      {cl::kInvalidBinary, CL_INVALID_BINARY},
      {cl::kTrue, CL_TRUE},
      {cl::kFalse, CL_FALSE},
      {cl::kDeviceTypeCpu, CL_DEVICE_TYPE_CPU},
      {cl::kDeviceTypeGpu, CL_DEVICE_TYPE_GPU},
      {cl::kDeviceTypeAll, CL_DEVICE_TYPE_ALL},
      {cl::kPlatformVersion, CL_PLATFORM_VERSION},
      {cl::kPlatformName, CL_PLATFORM_NAME},
      {cl::kDeviceType, CL_DEVICE_TYPE},
      {cl::kDeviceMaxComputeUnits, CL_DEVICE_MAX_COMPUTE_UNITS},
      {cl::kDeviceMaxWorkGroupSize, CL_DEVICE_MAX_WORK_GROUP_SIZE},
      {cl::kDeviceMaxWorkItemSizes, CL_DEVICE_MAX_WORK_ITEM_SIZES},
      {cl::kDeviceMaxMemAllocSize, CL_DEVICE_MAX_MEM_ALLOC_SIZE},
      {cl::kDeviceMemBaseAddrAlign, CL_DEVICE_MEM_BASE_ADDR_ALIGN},
      {cl::kDeviceSingleFpConfig, CL_DEVICE_SINGLE_FP_CONFIG},
      {cl::kDeviceGlobalMemSize, CL_DEVICE_GLOBAL_MEM_SIZE},
      {cl::kDeviceLocalMemSize, CL_DEVICE_LOCAL_MEM_SIZE},
      {cl::kDeviceEndianLittle, CL_DEVICE_ENDIAN_LITTLE},
      {cl::kDeviceAvailable, CL_DEVICE_AVAILABLE},
      {cl::kDeviceCompilerAvailable, CL_DEVICE_COMPILER_AVAILABLE},
      {cl::kDeviceName, CL_DEVICE_NAME},
      {cl::kDriverVersion, CL_DRIVER_VERSION},
      {cl::kDeviceVersion, CL_DEVICE_VERSION},
      {cl::kDeviceExtensions, CL_DEVICE_EXTENSIONS},
      {cl::kDeviceDoubleFpConfig, CL_DEVICE_DOUBLE_FP_CONFIG},
      {cl::kDeviceHostUnifiedMemory, CL_DEVICE_HOST_UNIFIED_MEMORY},
      {cl::kDeviceNativeVectorWidthFloat, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT},
      {cl::kFpDenorm, CL_FP_DENORM},
      {cl::kFpFma, CL_FP_FMA},
      {cl::kFpCorrectlyRoundedDivideSqrt, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
      {cl::kContextPlatform, CL_CONTEXT_PLATFORM},
      {cl::kContextDevices, CL_CONTEXT_DEVICES},
      {cl::kQueueContext, CL_QUEUE_CONTEXT},
      {cl::kQueueDevice, CL_QUEUE_DEVICE},
      {cl::kQueueProperties, CL_QUEUE_PROPERTIES},
      {cl::kQueueOutOfOrder, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
      {cl::kMemWriteOnly, CL_MEM_WRITE_ONLY},
      {cl::kMemReadOnly, CL_MEM_READ_ONLY},
      {cl::kMemType, CL_MEM_TYPE},
      {cl::kMemFlags, CL_MEM_FLAGS},
      {cl::kMemSize, CL_MEM_SIZE},
      {cl::kMemContext, CL_MEM_CONTEXT},
      {cl::kMemObjectBuffer, CL_MEM_OBJECT_BUFFER},
      {cl::kQueueProfilingEnable, CL_QUEUE_PROFILING_ENABLE},
      {cl::kMemReadWrite, CL_MEM_READ_WRITE},
      {cl::kMemUseHostPtr, CL_MEM_USE_HOST_PTR},
      {cl::kMapRead, CL_MAP_READ},
      {cl::kMapWrite, CL_MAP_WRITE},
      {cl::kProgramBinarySizes, CL_PROGRAM_BINARY_SIZES},
      {cl::kProgramBinaries, CL_PROGRAM_BINARIES},
      {cl::kProgramBuildLog, CL_PROGRAM_BUILD_LOG},
      {cl::kKernelNumArgs, CL_KERNEL_NUM_ARGS},
      {cl::kKernelCompileWorkGroupSize, CL_KERNEL_COMPILE_WORK_GROUP_SIZE},
      {cl::kKernelLocalMemSize, CL_KERNEL_LOCAL_MEM_SIZE},
      {cl::kKernelArgAddressQualifier, CL_KERNEL_ARG_ADDRESS_QUALIFIER},
      {cl::kKernelArgTypeName, CL_KERNEL_ARG_TYPE_NAME},
      {cl::kKernelArgAddressGlobal, CL_KERNEL_ARG_ADDRESS_GLOBAL},
      {cl::kKernelArgAddressLocal, CL_KERNEL_ARG_ADDRESS_LOCAL},
      {cl::kKernelArgAddressConstant, CL_KERNEL_ARG_ADDRESS_CONSTANT},
      {cl::kEventCommandExecutionStatus, CL_EVENT_COMMAND_EXECUTION_STATUS},
      {cl::kProfilingCommandEnd, CL_PROFILING_COMMAND_END},
  };
  for (const auto& [ours, theirs] : pairs) EXPECT_EQ(ours, theirs);
  EXPECT_STREQ(code_text(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS");
  EXPECT_STREQ(code_text(CL_MEM_COPY_OVERLAP), "CL_MEM_COPY_OVERLAP");
  EXPECT_STREQ(code_text(CL_INVALID_OPERATION), "CL_INVALID_OPERATION");
  EXPECT_EQ(code_text(-15), nullptr);
  EXPECT_EQ(code_text(-60), nullptr);
}

// A function of the header that is called through our pointer: handles and numbers as ours, the same registers and sizes.
template <class Ours, class Theirs> constexpr bool same_kind() {
  if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) return std::is_same_v<Ours, Theirs>;
  else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) return true;
  else return sizeof(Ours) == sizeof(Theirs) && std::is_integral_v<Ours> == std::is_integral_v<Theirs>;
}
template <class Ours, class Theirs> struct SameCall : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<R (*)(A...), S (*)(B...)>
    : std::bool_constant<same_kind<R, S>() && (same_kind<A, B>() && ...)> {
};
template <class Ours, class Theirs> constexpr bool same_call() { return SameCall<Ours, Theirs>::value; }

TEST(OpenclApi, HasTheCallsOfTheHeader) {
  static_assert(same_call<decltype(Api::get_platform_ids), decltype(&clGetPlatformIDs)>());
  static_assert(same_call<decltype(Api::get_platform_info), decltype(&clGetPlatformInfo)>());
  static_assert(same_call<decltype(Api::get_device_ids), decltype(&clGetDeviceIDs)>());
  static_assert(same_call<decltype(Api::get_device_info), decltype(&clGetDeviceInfo)>());
  static_assert(same_call<decltype(Api::create_context), decltype(&clCreateContext)>());
  static_assert(same_call<decltype(Api::release_context), decltype(&clReleaseContext)>());
  static_assert(same_call<decltype(Api::retain_context), decltype(&clRetainContext)>());
  static_assert(same_call<decltype(Api::get_context_info), decltype(&clGetContextInfo)>());
  static_assert(same_call<decltype(Api::get_command_queue_info), decltype(&clGetCommandQueueInfo)>());
  static_assert(same_call<decltype(Api::retain_mem_object), decltype(&clRetainMemObject)>());
  static_assert(same_call<decltype(Api::get_mem_object_info), decltype(&clGetMemObjectInfo)>());
  static_assert(same_call<decltype(Api::create_command_queue), decltype(&clCreateCommandQueue)>());
  static_assert(same_call<decltype(Api::retain_command_queue), decltype(&clRetainCommandQueue)>());
  static_assert(same_call<decltype(Api::release_command_queue), decltype(&clReleaseCommandQueue)>());
  static_assert(same_call<decltype(Api::create_buffer), decltype(&clCreateBuffer)>());
  static_assert(same_call<decltype(Api::release_mem_object), decltype(&clReleaseMemObject)>());
  static_assert(same_call<decltype(Api::set_mem_object_destructor_callback), decltype(&clSetMemObjectDestructorCallback)>());
  static_assert(same_call<decltype(Api::create_program_with_source), decltype(&clCreateProgramWithSource)>());
  static_assert(same_call<decltype(Api::create_program_with_binary), decltype(&clCreateProgramWithBinary)>());
  static_assert(same_call<decltype(Api::build_program), decltype(&clBuildProgram)>());
  static_assert(same_call<decltype(Api::get_program_info), decltype(&clGetProgramInfo)>());
  static_assert(same_call<decltype(Api::get_program_build_info), decltype(&clGetProgramBuildInfo)>());
  static_assert(same_call<decltype(Api::release_program), decltype(&clReleaseProgram)>());
  static_assert(same_call<decltype(Api::create_kernel), decltype(&clCreateKernel)>());
  static_assert(same_call<decltype(Api::release_kernel), decltype(&clReleaseKernel)>());
  static_assert(same_call<decltype(Api::set_kernel_arg), decltype(&clSetKernelArg)>());
  static_assert(same_call<decltype(Api::get_kernel_info), decltype(&clGetKernelInfo)>());
  static_assert(same_call<decltype(Api::get_kernel_arg_info), decltype(&clGetKernelArgInfo)>());
  static_assert(same_call<decltype(Api::get_kernel_work_group_info), decltype(&clGetKernelWorkGroupInfo)>());
  static_assert(same_call<decltype(Api::wait_for_events), decltype(&clWaitForEvents)>());
  static_assert(same_call<decltype(Api::get_event_info), decltype(&clGetEventInfo)>());
  static_assert(same_call<decltype(Api::get_event_profiling_info), decltype(&clGetEventProfilingInfo)>());
  static_assert(same_call<decltype(Api::release_event), decltype(&clReleaseEvent)>());
  static_assert(same_call<decltype(Api::flush), decltype(&clFlush)>());
  static_assert(same_call<decltype(Api::enqueue_read_buffer), decltype(&clEnqueueReadBuffer)>());
  static_assert(same_call<decltype(Api::enqueue_write_buffer), decltype(&clEnqueueWriteBuffer)>());
  static_assert(same_call<decltype(Api::enqueue_copy_buffer), decltype(&clEnqueueCopyBuffer)>());
  static_assert(same_call<decltype(Api::enqueue_map_buffer), decltype(&clEnqueueMapBuffer)>());
  static_assert(same_call<decltype(Api::enqueue_unmap_mem_object), decltype(&clEnqueueUnmapMemObject)>());
  static_assert(same_call<decltype(Api::enqueue_nd_range_kernel), decltype(&clEnqueueNDRangeKernel)>());
  static_assert(same_call<decltype(Api::enqueue_marker_with_wait_list), decltype(&clEnqueueMarkerWithWaitList)>());
  static_assert(same_call<decltype(Api::enqueue_barrier_with_wait_list), decltype(&clEnqueueBarrierWithWaitList)>());
}

}  // namespace
}  // namespace anydim::opencl

#else

TEST(OpenclApi, HasTheNumbersOfTheHeader) { GTEST_SKIP() << "there is no <CL/cl.h> on this machine"; }

#endif
