/* SPDX-License-Identifier: Apache-2.0
 * Time to make a convolution primitive whose weights are packed and whose descriptors are built, by how it is come by:
 *
 *   miss     dims never seen before, the primitive cache on and full after a while
 *   dynamic  the same with dynamic dims
 *   churn    dims never seen before under policy auto, which makes them over one core
 *   hit      dims of a few that come again and again
 *
 * Each is checked to be what it says. Prints a line of JSON for each: medians and tails in microseconds, clock included.
 *
 *   creation [COUNT]
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples.h"
#include "tests/programs/check.h"

static anydim_engine_t engine;
static anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
static anydim_weights_t weights;

static anydim_desc_t fixed_desc(int i) {
  const anydim_dim_t dims[4] = {anydim_dim_fixed(1), anydim_dim_fixed(64), anydim_dim_fixed(8 + i % HEIGHTS),
                                anydim_dim_fixed(8 + i % WIDTHS)};
  anydim_desc_t desc;
  CHECK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &desc));
  return desc;
}

static anydim_desc_t dynamic_desc(int i) {
  const anydim_dim_t dims[4] = {anydim_dim_dynamic(1, 8), anydim_dim_fixed(64), anydim_dim_dynamic(1, 64 + i), anydim_dim_dynamic(1, 2048)};
  anydim_desc_t desc;
  CHECK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &desc));
  return desc;
}

/* `kinds` different descriptors one after the other. The first `skip` calls are not counted. */
static void measure(const char* name, const char* figure, anydim_attr_t attr, anydim_desc_t (*describe)(int), int kinds, int skip,
                    int count, anydim_primitive_cache_hit_t expected) {
  anydim_desc_t* descs = malloc((size_t)kinds * sizeof(*descs));
  double* us = malloc((size_t)count * sizeof(*us));
  for (int i = 0; i < kinds; ++i) descs[i] = describe(i);
  CHECK(anydim_primitive_cache_clear());
  for (int i = -skip; i < count; ++i) {
    anydim_primitive_t primitive;
    anydim_desc_t desc = descs[(i + skip) % kinds];
    const double begin = now_us();
    const anydim_status_t status = anydim_primitive_create(engine, &conv.op, attr, &desc, 1, weights, &primitive);
    const double end = now_us();
    CHECK(status);
    if (i >= 0) {
      anydim_primitive_creation_t creation = ANYDIM_PRIMITIVE_CREATION_INIT;
      CHECK(anydim_primitive_query_creation(primitive, &creation));
      if (creation.hit != expected) {
        fprintf(stderr, "%s: call %d was come by as %d; expected %d\n", name, i, (int)creation.hit, (int)expected);
        exit(2);
      }
      us[i] = end - begin;
    }
    anydim_primitive_destroy(primitive);
  }
  print_samples("anydim in C", name, figure, us, count);
  for (int i = 0; i < kinds; ++i) anydim_desc_destroy(descs[i]);
  free(descs);
  free(us);
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 20000;
  if (count < 1 || count > HEIGHTS * WIDTHS - 100) {
    fprintf(stderr, "count is %d; expected 1..%d\n", count, HEIGHTS * WIDTHS - 100);
    return 2;
  }
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  const int64_t weight_dims[4] = {128, 64, 3, 3};
  float* data = calloc(128 * 64 * 9, sizeof(float));
  const anydim_view_t kernel_and_bias[2] = {f32_view(4, weight_dims, data), f32_view(1, weight_dims, data)};
  conv.spatial = 2;
  conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;
  anydim_attr_t automatic, reusable;
  CHECK(anydim_attr_create(&automatic));
  CHECK(anydim_attr_append_eltwise(automatic, ANYDIM_UNARY_RELU, 0.f, 0.f));
  CHECK(anydim_attr_create(&reusable));
  CHECK(anydim_attr_append_eltwise(reusable, ANYDIM_UNARY_RELU, 0.f, 0.f));
  CHECK(anydim_attr_set_reuse(reusable, ANYDIM_REUSE_REUSABLE));
  CHECK(anydim_weights_create(engine, &conv.op, reusable, NULL, 0, kernel_and_bias, NULL, 2, &weights));

  measure("miss", "p50", reusable, fixed_desc, count, 0, count, ANYDIM_PRIMITIVE_CACHE_MISS);
  measure("miss, dims dynamic", "p50", reusable, dynamic_desc, count, 0, count, ANYDIM_PRIMITIVE_CACHE_MISS);
  measure("churn", "p50", automatic, fixed_desc, count + 100, 100, count, ANYDIM_PRIMITIVE_CACHE_CHURN);
  measure("hit", "hit_p50", reusable, fixed_desc, KNOWN, KNOWN, count, ANYDIM_PRIMITIVE_CACHE_HIT);
  return 0;
}
