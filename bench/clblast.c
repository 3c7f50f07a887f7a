/* SPDX-License-Identifier: Apache-2.0
 * CLBlast's products (Debian's libclblast1) on the first OpenCL device, for a look beside the rows `matmul` of products_bench: GFLOP/s of
 * the best call within half a second, after one that compiles. Its tuned parameters are those that it has for the device's vendor.
 *   cc -O2 -std=c11 bench/clblast.c -o /tmp/clblast -l:libclblast.so.1 -l:libOpenCL.so.1 && /tmp/clblast */
#define _POSIX_C_SOURCE 200112L
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void* handle_t;
extern int32_t clGetPlatformIDs(uint32_t, handle_t*, uint32_t*);
extern int32_t clGetDeviceIDs(handle_t, uint64_t, uint32_t, handle_t*, uint32_t*);
extern handle_t clCreateContext(const intptr_t*, uint32_t, const handle_t*, void*, void*, int32_t*);
extern handle_t clCreateCommandQueueWithProperties(handle_t, handle_t, const uint64_t*, int32_t*);
extern handle_t clCreateBuffer(handle_t, uint64_t, size_t, void*, int32_t*);
extern int32_t clReleaseMemObject(handle_t);
extern int32_t clFinish(handle_t);
extern int CLBlastSgemm(int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, float alpha, handle_t a,
                        size_t a_offset, size_t a_step, handle_t b, size_t b_offset, size_t b_step, float beta, handle_t c, size_t c_offset,
                        size_t c_step, handle_t* queue, handle_t* event);

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(int code, const char* what) {
  if (code != 0) {
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
  }
}

static handle_t drawn(handle_t context, size_t count) {
  float* const values = malloc(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) values[i] = (float)(rand() % 2001 - 1000) / 1000.f;
  int32_t code = 0;
  const handle_t made = clCreateBuffer(context, 1 | 32, count * sizeof(float), values, &code); /* read and write, copied from the host */
  check(code, "clCreateBuffer");
  free(values);
  return made;
}

int main(void) {
  static const size_t products[][3] = {{256, 256, 256},  {1024, 1024, 1024}, {33, 768, 3072},
                                       {100, 768, 3072}, {384, 3072, 768},   {40, 120, 6625}}; /* m, k, n */
  handle_t platform, device;
  uint32_t count = 0;
  int32_t code = 0;
  check(clGetPlatformIDs(1, &platform, &count), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, 0xffffffffu, 1, &device, &count), "clGetDeviceIDs");
  const handle_t context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "clCreateContext");
  handle_t queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  check(code, "clCreateCommandQueueWithProperties");
  for (size_t i = 0; i < sizeof products / sizeof products[0]; ++i) {
    const size_t m = products[i][0], k = products[i][1], n = products[i][2];
    const handle_t a = drawn(context, m * k), b = drawn(context, k * n), c = drawn(context, m * n);
    double first = 0, best = 1e30, end = 0;
    for (int calls = 0; calls < 4 || seconds() < end; ++calls) {
      const double begin = seconds();
      check(CLBlastSgemm(101, 111, 111, m, n, k, 1.f, a, 0, k, b, 0, n, 0.f, c, 0, n, &queue, NULL), "CLBlastSgemm");
      check(clFinish(queue), "clFinish");
      const double took = seconds() - begin;
      if (calls == 0) first = took, end = seconds() + 0.5;
      else if (took < best) best = took;
    }
    printf("matmul %zux%zux%zu: %.1f GFLOP/s, first call %.0f ms\n", m, k, n, 2e-9 * (double)(m * k * n) / best, first * 1e3);
    fflush(stdout);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
  }
  return 0;
}
