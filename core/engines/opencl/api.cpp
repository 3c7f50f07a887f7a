// SPDX-License-Identifier: Apache-2.0
// Opening the OpenCL loader; see api.h.
#include "core/engines/opencl/api.h"

#include <dlfcn.h>

#include <iterator>

#include "core/engines/opencl/objects.h"

namespace anydim::opencl {

namespace {

constexpr const char* kLoader = "libOpenCL.so.1";

struct Loaded {
  Api api{};
  MadeHere made;
  std::string missing;  // empty: all is there
};

// Fills in what is found; names the first function that is not.
Loaded open_loader() {
  Loaded all;
  // Local: another library's symbols of these names stay what they are.
  void* const library = ::dlopen(kLoader, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const because = ::dlerror();
    all.missing = formatted(
        "no OpenCL loader was found ({}); install one, as Debian's package ocl-icd-libopencl1, and a driver, as "
        "pocl-opencl-icd for the processor",
        because != nullptr ? because : kLoader);
    return all;
  }
  const auto find = [&](const char* name, auto* function) {
    void* const symbol = ::dlsym(library, name);
    if (symbol == nullptr && all.missing.empty())
      all.missing = formatted("the OpenCL loader {} has no function {}; expected one of OpenCL 1.2 or later", kLoader, name);
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(symbol);
  };
  Api& a = all.api;
  find("clGetPlatformIDs", &a.get_platform_ids);
  find("clGetPlatformInfo", &a.get_platform_info);
  find("clGetDeviceIDs", &a.get_device_ids);
  find("clGetDeviceInfo", &a.get_device_info);
  find("clCreateContext", &a.create_context);
  find("clRetainContext", &a.retain_context);
  find("clReleaseContext", &a.release_context);
  find("clGetContextInfo", &a.get_context_info);
  find("clCreateCommandQueue", &a.create_command_queue);
  find("clRetainCommandQueue", &a.retain_command_queue);
  find("clReleaseCommandQueue", &a.release_command_queue);
  find("clGetCommandQueueInfo", &a.get_command_queue_info);
  find("clCreateBuffer", &a.create_buffer);
  find("clRetainMemObject", &a.retain_mem_object);
  find("clReleaseMemObject", &a.release_mem_object);
  find("clGetMemObjectInfo", &a.get_mem_object_info);
  find("clSetMemObjectDestructorCallback", &a.set_mem_object_destructor_callback);
  find("clCreateProgramWithSource", &a.create_program_with_source);
  find("clCreateProgramWithBinary", &a.create_program_with_binary);
  find("clBuildProgram", &a.build_program);
  find("clGetProgramInfo", &a.get_program_info);
  find("clGetProgramBuildInfo", &a.get_program_build_info);
  find("clReleaseProgram", &a.release_program);
  find("clCreateKernel", &a.create_kernel);
  find("clReleaseKernel", &a.release_kernel);
  find("clSetKernelArg", &a.set_kernel_arg);
  find("clGetKernelInfo", &a.get_kernel_info);
  find("clGetKernelArgInfo", &a.get_kernel_arg_info);
  find("clGetKernelWorkGroupInfo", &a.get_kernel_work_group_info);
  find("clWaitForEvents", &a.wait_for_events);
  find("clGetEventInfo", &a.get_event_info);
  find("clGetEventProfilingInfo", &a.get_event_profiling_info);
  find("clReleaseEvent", &a.release_event);
  find("clFlush", &a.flush);
  find("clEnqueueReadBuffer", &a.enqueue_read_buffer);
  find("clEnqueueWriteBuffer", &a.enqueue_write_buffer);
  find("clEnqueueCopyBuffer", &a.enqueue_copy_buffer);
  find("clEnqueueMapBuffer", &a.enqueue_map_buffer);
  find("clEnqueueUnmapMemObject", &a.enqueue_unmap_mem_object);
  find("clEnqueueNDRangeKernel", &a.enqueue_nd_range_kernel);
  find("clEnqueueMarkerWithWaitList", &a.enqueue_marker_with_wait_list);
  find("clEnqueueBarrierWithWaitList", &a.enqueue_barrier_with_wait_list);
  return all;
}

}  // namespace

Status load_api(const Api** out) {
  static const Loaded* const loaded = new Loaded(open_loader());
  ANYDIM_TRY(loaded->made.check());
  if (!loaded->missing.empty()) return Status(Code::not_found, loaded->missing);
  *out = &loaded->api;
  return {};
}

const char* code_text(Int code) noexcept {
  static constexpr const char* kFromZero[] = {"CL_SUCCESS",
                                              "CL_DEVICE_NOT_FOUND",
                                              "CL_DEVICE_NOT_AVAILABLE",
                                              "CL_COMPILER_NOT_AVAILABLE",
                                              "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                              "CL_OUT_OF_RESOURCES",
                                              "CL_OUT_OF_HOST_MEMORY",
                                              "CL_PROFILING_INFO_NOT_AVAILABLE",
                                              "CL_MEM_COPY_OVERLAP",
                                              "CL_IMAGE_FORMAT_MISMATCH",
                                              "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                              "CL_BUILD_PROGRAM_FAILURE",
                                              "CL_MAP_FAILURE",
                                              "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                              "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"};
  static constexpr const char* kFrom30[] = {"CL_INVALID_VALUE",           "CL_INVALID_DEVICE_TYPE",
                                            "CL_INVALID_PLATFORM",        "CL_INVALID_DEVICE",
                                            "CL_INVALID_CONTEXT",         "CL_INVALID_QUEUE_PROPERTIES",
                                            "CL_INVALID_COMMAND_QUEUE",   "CL_INVALID_HOST_PTR",
                                            "CL_INVALID_MEM_OBJECT",      "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
                                            "CL_INVALID_IMAGE_SIZE",      "CL_INVALID_SAMPLER",
                                            "CL_INVALID_BINARY",          "CL_INVALID_BUILD_OPTIONS",
                                            "CL_INVALID_PROGRAM",         "CL_INVALID_PROGRAM_EXECUTABLE",
                                            "CL_INVALID_KERNEL_NAME",     "CL_INVALID_KERNEL_DEFINITION",
                                            "CL_INVALID_KERNEL",          "CL_INVALID_ARG_INDEX",
                                            "CL_INVALID_ARG_VALUE",       "CL_INVALID_ARG_SIZE",
                                            "CL_INVALID_KERNEL_ARGS",     "CL_INVALID_WORK_DIMENSION",
                                            "CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE",
                                            "CL_INVALID_GLOBAL_OFFSET",   "CL_INVALID_EVENT_WAIT_LIST",
                                            "CL_INVALID_EVENT",           "CL_INVALID_OPERATION"};
  if (code == cl::kPlatformNotFound) return "CL_PLATFORM_NOT_FOUND_KHR";
  if (code <= 0 && code > -static_cast<Int>(std::size(kFromZero))) return kFromZero[-code];
  if (code <= -30 && code > -30 - static_cast<Int>(std::size(kFrom30))) return kFrom30[-30 - code];
  return nullptr;
}

Status failure(Int code, const char* what) {
  Code ours = Code::internal;
  switch (code) {
    case cl::kDeviceNotAvailable: ours = Code::device_lost; break;
    case cl::kMemObjectAllocationFailure:
    case cl::kOutOfResources:
    case cl::kOutOfHostMemory: ours = Code::out_of_memory; break;
    default: break;
  }
  const char* const name = code_text(code);
  return name != nullptr ? error(ours, "{}: the OpenCL driver says {}", what, name)
                         : error(ours, "{}: the OpenCL driver gives error {}", what, code);
}

}  // namespace anydim::opencl
