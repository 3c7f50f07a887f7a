/* SPDX-License-Identifier: Apache-2.0
 * Whether recorded command buffers (cl_khr_command_buffer) make launches cheaper on this machine's OpenCL drivers: 100 launches of a small
 * kernel, given one by one and recorded once, each followed by a wait. Declares the few functions that it calls, as the engine does.
 *   cc -O2 -std=c11 bench/command_buffers.c -o /tmp/command_buffers -l:libOpenCL.so.1 && /tmp/command_buffers */
#define _POSIX_C_SOURCE 200112L
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void* handle_t;
extern int32_t clGetPlatformIDs(uint32_t, handle_t*, uint32_t*);
extern int32_t clGetDeviceIDs(handle_t, uint64_t, uint32_t, handle_t*, uint32_t*);
extern int32_t clGetDeviceInfo(handle_t, uint32_t, size_t, void*, size_t*);
extern handle_t clCreateContext(const intptr_t*, uint32_t, const handle_t*, void*, void*, int32_t*);
extern handle_t clCreateCommandQueueWithProperties(handle_t, handle_t, const uint64_t*, int32_t*);
extern handle_t clCreateBuffer(handle_t, uint64_t, size_t, void*, int32_t*);
extern handle_t clCreateProgramWithSource(handle_t, uint32_t, const char**, const size_t*, int32_t*);
extern int32_t clBuildProgram(handle_t, uint32_t, const handle_t*, const char*, void*, void*);
extern handle_t clCreateKernel(handle_t, const char*, int32_t*);
extern int32_t clSetKernelArg(handle_t, uint32_t, size_t, const void*);
extern int32_t clEnqueueNDRangeKernel(handle_t, handle_t, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, const handle_t*,
                                      handle_t*);
extern int32_t clFinish(handle_t);
extern void* clGetExtensionFunctionAddressForPlatform(handle_t, const char*);

typedef handle_t create_t(uint32_t, const handle_t*, const uint64_t*, int32_t*);
typedef int32_t finalize_t(handle_t);
typedef int32_t enqueue_t(uint32_t, handle_t*, handle_t, uint32_t, const handle_t*, handle_t*);
typedef int32_t record_t(handle_t, handle_t, const uint64_t*, handle_t, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t,
                         const uint32_t*, uint32_t*, handle_t*);

enum { kLaunches = 100, kRounds = 200 };

static void check(int32_t code, const char* what) {
  if (code != 0) {
    fprintf(stderr, "%s: %d\n", what, (int)code);
    exit(1);
  }
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(handle_t platform, handle_t device) {
  int32_t code = 0;
  const handle_t context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "clCreateContext");
  handle_t queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  check(code, "clCreateCommandQueueWithProperties");
  const handle_t memory = clCreateBuffer(context, 1, 1024, NULL, &code);
  check(code, "clCreateBuffer");
  const char* source = "__kernel void relu(__global float* x) { x[get_global_id(0)] = fmax(x[get_global_id(0)], 0.0f); }";
  const handle_t program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  const handle_t kernel = clCreateKernel(program, "relu", &code);
  check(code, "clCreateKernel");
  check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
  create_t* const create = (create_t*)clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
  finalize_t* const finalize = (finalize_t*)clGetExtensionFunctionAddressForPlatform(platform, "clFinalizeCommandBufferKHR");
  enqueue_t* const enqueue = (enqueue_t*)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
  record_t* const record = (record_t*)clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR");
  if (create == NULL || finalize == NULL || enqueue == NULL || record == NULL) {
    printf("  its functions are not there\n");
    return;
  }
  const handle_t recorded = create(1, &queue, NULL, &code);
  check(code, "clCreateCommandBufferKHR");
  const size_t global = 256, local = 64;
  uint32_t before = 0;
  for (int i = 0; i < kLaunches; ++i)
    check(record(recorded, NULL, NULL, kernel, 1, NULL, &global, &local, i > 0, i > 0 ? &before : NULL, &before, NULL),
          "clCommandNDRangeKernelKHR");
  check(finalize(recorded), "clFinalizeCommandBufferKHR");
  static double given[2][kRounds], whole[2][kRounds];
  for (int round = -5; round < kRounds; ++round)
    for (int way = 0; way < 2; ++way) {
      const double begin = now_us();
      if (way == 1) check(enqueue(0, NULL, recorded, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
      for (int i = 0; way == 0 && i < kLaunches; ++i)
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
      const double middle = now_us();
      check(clFinish(queue), "clFinish");
      if (round < 0) continue;
      given[way][round] = middle - begin;
      whole[way][round] = now_us() - begin;
    }
  for (int way = 0; way < 2; ++way) {
    qsort(given[way], kRounds, sizeof(double), by_size);
    qsort(whole[way], kRounds, sizeof(double), by_size);
    printf("  %s: a launch costs its caller %.2f us, and %.2f us until it has run\n", way == 0 ? "one by one" : "recorded  ",
           given[way][kRounds / 2] / kLaunches, whole[way][kRounds / 2] / kLaunches);
  }
}

int main(void) {
  handle_t platforms[16];
  uint32_t count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != 0) count = 0;
  for (uint32_t i = 0; i < count && i < 16; ++i) {
    handle_t device = NULL;
    uint32_t devices = 0;
    if (clGetDeviceIDs(platforms[i], 0xffffffffu, 1, &device, &devices) != 0) continue;
    static char name[1024], extensions[16384];
    clGetDeviceInfo(device, 0x102b, sizeof name, name, NULL);
    clGetDeviceInfo(device, 0x1030, sizeof extensions, extensions, NULL);
    const int offers = strstr(extensions, "cl_khr_command_buffer") != NULL;
    printf("%s: %s\n", name, offers ? "cl_khr_command_buffer" : "no cl_khr_command_buffer");
    if (offers) measure(platforms[i], device);
  }
  return 0;
}
