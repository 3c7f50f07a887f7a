/* SPDX-License-Identifier: Apache-2.0
 * Time to make a convolution primitive whose weights are packed and whose descriptors are built, over shapes that
 * differ from call to call. Prints one line of JSON: medians and tails in microseconds.
 *
 *   creation [COUNT]
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    anydim_status_t status_ = (call);                                                      \
    if (status_ != ANYDIM_STATUS_OK) {                                                     \
      fprintf(stderr, "%s: status %d: %s\n", #call, (int)status_, anydim_last_error());    \
      exit(2);                                                                             \
    }                                                                                      \
  } while (0)

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 20000;
  anydim_engine_t engine;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  const int64_t weight_dims[4] = {128, 64, 3, 3};
  anydim_tensor_t kernel, bias;
  float* data = calloc(128 * 64 * 9, sizeof(float));
  CHECK(anydim_tensor_create(engine, ANYDIM_F32, 4, weight_dims, NULL, data, &kernel));
  CHECK(anydim_tensor_create(engine, ANYDIM_F32, 1, weight_dims, NULL, data, &bias));
  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
  conv.spatial = 2;
  conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;
  anydim_attr_t attr;
  CHECK(anydim_attr_create(&attr));
  CHECK(anydim_attr_append_eltwise(attr, ANYDIM_RELU, 0.f, 0.f));
  anydim_weights_t weights;
  CHECK(anydim_weights_create(engine, &conv.op, attr, kernel, bias, &weights));

  anydim_desc_t* descs = malloc((size_t)count * sizeof(*descs));
  double* us = malloc((size_t)count * sizeof(*us));
  for (int i = 0; i < count; ++i) { /* numbers and dynamic dims in turn: the same kernel, the same price */
    const anydim_dim_t fixed[4] = {anydim_dim_fixed(1), anydim_dim_fixed(64), anydim_dim_fixed(8 + i % 97), anydim_dim_fixed(8 + i % 89)};
    const anydim_dim_t open[4] = {anydim_dim_dynamic(1, 8), anydim_dim_fixed(64), anydim_dim_dynamic(1, 2048), anydim_dim_dynamic(1, 2048)};
    CHECK(anydim_desc_create(ANYDIM_F32, 4, i % 2 ? fixed : open, ANYDIM_LAYOUT_ANY, &descs[i]));
  }
  for (int i = 0; i < count; ++i) {
    anydim_primitive_t primitive;
    const double begin = now_us();
    const anydim_status_t status = anydim_primitive_create(engine, &conv.op, attr, &descs[i], 1, weights, &primitive);
    us[i] = now_us() - begin;
    CHECK(status);
    anydim_primitive_destroy(primitive);
  }
  qsort(us, (size_t)count, sizeof(*us), ascending);
  printf("{\"what\": \"convolution 3x3 64->128, weights and descriptors at hand\", \"count\": %d, \"p50_us\": %.3f, \"p90_us\": %.3f, "
         "\"p99_us\": %.3f, \"max_us\": %.3f}\n", count, us[count / 2], us[count * 9 / 10], us[count * 99 / 100], us[count - 1]);
  return 0;
}
