/* SPDX-License-Identifier: Apache-2.0
 * A layer of the OpenCL loader (OPENCL_LAYERS) that writes down each program of which a driver's binary is asked for, as Anydim does with
 * those it keeps: NUMBER.cl with the text and NUMBER.options with the compiler's options, in the folder that ANYDIM_BENCH_SOURCES names.
 * bench/opencl_ir.py builds and uses it. Needs Debian's opencl-headers. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 1 << 20 };  // bytes of a text

static cl_icd_dispatch below, mine;

static void write_down(int number, const char* ending, const char* bytes, size_t count) {
  const char* const folder = getenv("ANYDIM_BENCH_SOURCES");
  char path[4096];
  if (folder == NULL || snprintf(path, sizeof path, "%s/%03d.%s", folder, number, ending) >= (int)sizeof path) return;
  FILE* const file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
    perror(path);
    abort();
  }
}

static cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info what, size_t size, void* value, size_t* needed) {
  static int count = 0;
  char* const text = what == CL_PROGRAM_BINARIES ? malloc(kMost) : NULL;
  if (text != NULL) {
    cl_device_id device = NULL;
    size_t bytes = 0;
    const int number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (below.clGetProgramInfo(program, CL_PROGRAM_SOURCE, kMost, text, &bytes) == CL_SUCCESS && bytes > 1)
      write_down(number, "cl", text, strlen(text));
    if (below.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, NULL) == CL_SUCCESS &&
        below.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, kMost, text, &bytes) == CL_SUCCESS)
      write_down(number, "options", text, strlen(text));
    free(text);
  }
  return below.clGetProgramInfo(program, what, size, value, needed);
}

cl_int clGetLayerInfo(cl_layer_info what, size_t size, void* value, size_t* needed) {
  static const char name[] = "programs written down";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void* const from = what == CL_LAYER_API_VERSION ? (const void*)&version : (const void*)name;
  const size_t bytes = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
  if (what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) return CL_INVALID_VALUE;
  if (value != NULL && size < bytes) return CL_INVALID_VALUE;
  if (value != NULL) memcpy(value, from, bytes);
  if (needed != NULL) *needed = bytes;
  return CL_SUCCESS;
}

cl_int clInitLayer(cl_uint entries, const cl_icd_dispatch* next, cl_uint* entries_here, const cl_icd_dispatch** here) {
  const cl_uint most = sizeof mine / sizeof(void*);
  const size_t bytes = sizeof(void*) * (entries < most ? entries : most);
  memcpy(&below, next, bytes);
  memcpy(&mine, next, bytes);
  mine.clGetProgramInfo = get_program_info;
  *entries_here = (cl_uint)(bytes / sizeof(void*));
  *here = &mine;
  return CL_SUCCESS;
}
