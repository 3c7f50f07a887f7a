/* SPDX-License-Identifier: Apache-2.0
 * The same as creation.c for oneDNN, as a peer: time to make its convolution primitive (primitive descriptor and
 * primitive; memory descriptors and attributes at hand, layouts of its own choice) by how its primitive cache answers.
 * bench/creation.py compiles and runs it where the oneDNN of tools/requirements-bench.txt is installed.
 *
 *   creation_onednn [COUNT]
 */
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples.h"

#define CHECK(call)                                            \
  do {                                                         \
    const dnnl_status_t status_ = (call);                      \
    if (status_ != dnnl_success) {                             \
      fprintf(stderr, "%s: status %d\n", #call, (int)status_); \
      exit(2);                                                 \
    }                                                          \
  } while (0)

static dnnl_engine_t engine;

static dnnl_memory_desc_t descriptor(int rank, const int64_t* dims, dnnl_format_tag_t tag) {
  dnnl_dims_t d;
  for (int i = 0; i < rank; ++i) d[i] = dims[i];
  dnnl_memory_desc_t md;
  CHECK(dnnl_memory_desc_create_with_tag(&md, rank, d, dnnl_f32, tag));
  return md;
}

static void measure(const char* name, const char* figure, int kinds, int skip, int count) {
  const int64_t weight_dims[4] = {128, 64, 3, 3}, bias_dims[1] = {128};
  const dnnl_memory_desc_t weights = descriptor(4, weight_dims, dnnl_format_tag_any), bias = descriptor(1, bias_dims, dnnl_a);
  const dnnl_dims_t ones = {1, 1}, zeros = {0, 0};
  dnnl_primitive_attr_t attr;
  dnnl_post_ops_t chain;
  CHECK(dnnl_primitive_attr_create(&attr));
  CHECK(dnnl_post_ops_create(&chain));
  CHECK(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_relu, 0.f, 0.f));
  CHECK(dnnl_primitive_attr_set_post_ops(attr, chain));
  dnnl_memory_desc_t* src = malloc((size_t)kinds * sizeof(*src));
  dnnl_memory_desc_t* dst = malloc((size_t)kinds * sizeof(*dst));
  double* us = malloc((size_t)count * sizeof(*us));
  for (int i = 0; i < kinds; ++i) {
    const int64_t h = 8 + i % HEIGHTS, w = 8 + i % WIDTHS;
    const int64_t in[4] = {1, 64, h, w}, out[4] = {1, 128, h, w};
    src[i] = descriptor(4, in, dnnl_format_tag_any);
    dst[i] = descriptor(4, out, dnnl_format_tag_any);
  }
  const int capacity = 1024; /* its default */
  CHECK(dnnl_set_primitive_cache_capacity(0));
  CHECK(dnnl_set_primitive_cache_capacity(capacity));
  for (int i = -skip; i < count; ++i) {
    const int k = (i + skip) % kinds;
    dnnl_primitive_desc_t described;
    dnnl_primitive_t primitive;
    const double begin = now_us();
    const dnnl_status_t first = dnnl_convolution_forward_primitive_desc_create(
        &described, engine, dnnl_forward_inference, dnnl_convolution_direct, src[k], weights, bias, dst[k], ones, zeros, ones, ones, attr);
    const dnnl_status_t second = first == dnnl_success ? dnnl_primitive_create(&primitive, described) : first;
    const double end = now_us();
    CHECK(second);
    if (i >= 0) us[i] = end - begin;
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(described));
  }
  const dnnl_version_t* v = dnnl_version();
  char engine_name[64];
  snprintf(engine_name, sizeof engine_name, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
  print_samples(engine_name, name, figure, us, count);
  for (int i = 0; i < kinds; ++i) {
    CHECK(dnnl_memory_desc_destroy(src[i]));
    CHECK(dnnl_memory_desc_destroy(dst[i]));
  }
  CHECK(dnnl_primitive_attr_destroy(attr));
  CHECK(dnnl_post_ops_destroy(chain));
  free(src);
  free(dst);
  free(us);
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 2000;
  if (count < 1 || count > HEIGHTS * WIDTHS) {
    fprintf(stderr, "count is %d; expected 1..%d\n", count, HEIGHTS * WIDTHS);
    return 2;
  }
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  measure("miss", "p50", count, 0, count);
  measure("hit", "hit_p50", KNOWN, KNOWN, count);
  return 0;
}
