/* SPDX-License-Identifier: Apache-2.0
 * Runs a model on a generated input and prints a hash of its outputs' bits (any NaN as one NaN), the best instruction set among
 * the kernels that ran and the best that the library may use, so that runs on other instruction sets, thread counts, layouts and
 * floating-point states can be compared. Used by test_bits.py.
 *
 *   bits MODEL SHAPE THREADS row_major|channels_last plain|flush_to_zero
 */
#include <anydim/anydim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/programs/check.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static uint64_t hash = 14695981039346656037ull; /* FNV-1a, 64 bits */
static void add(const void* data, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211ull;
}

/* Values between -1 and 1 with some denormals and zeros of both signs, from the logical index alone. */
static float value(int64_t i) {
  const uint64_t z = ((uint64_t)i + 1) * 0x9E3779B97F4A7C15ull;
  const uint32_t r = (uint32_t)(z >> 40);
  if (r % 97 == 0) return -0.0f;
  if (r % 89 == 0) return 1e-40f;
  return (float)r / 8388608.f - 1.f;
}

/* By the end of their names: conv.tiles.avx512. */
static const char* best_instruction_set(anydim_context_t context) {
  static const char* const names[] = {"portable", "avx2", "avx512"};
  int best = 0;
  int32_t nodes = 0;
  CHECK(anydim_context_get_node_count(context, &nodes));
  for (int32_t i = 0; i < nodes; ++i) {
    anydim_node_info_t node = ANYDIM_NODE_INFO_INIT;
    CHECK(anydim_context_get_node(context, i, &node));
    for (int isa = best + 1; isa < 3; ++isa) {
      const int64_t length = (int64_t)strlen(names[isa]);
      if (node.kernel.length > length && memcmp(node.kernel.data + node.kernel.length - length, names[isa], (size_t)length) == 0)
        best = isa;
    }
  }
  return names[best];
}

int main(int count, char** words) {
  if (count != 6) {
    fprintf(stderr, "usage: bits MODEL SHAPE THREADS row_major|channels_last plain|flush_to_zero\n");
    return 2;
  }
  int64_t d[4] = {1, 1, 1, 1}, strides[4];
  char* end = words[2];
  for (int i = 0; i < 4; ++i) {
    d[i] = strtoll(end, &end, 10);
    if (*end == ',') ++end;
  }
  const int last = strcmp(words[4], "channels_last") == 0;
  strides[0] = d[1] * d[2] * d[3];
  strides[1] = last ? 1 : d[2] * d[3];
  strides[2] = last ? d[3] * d[1] : d[3];
  strides[3] = last ? d[1] : 1;
  float* data = malloc((size_t)(d[0] * strides[0]) * sizeof(float));
  int64_t at = 0;
  for (int64_t n = 0; n < d[0]; ++n)
    for (int64_t c = 0; c < d[1]; ++c)
      for (int64_t h = 0; h < d[2]; ++h)
        for (int64_t w = 0; w < d[3]; ++w) data[n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]] = value(at++);

  anydim_engine_t engine;
  anydim_model_t model;
  anydim_context_t context;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  CHECK(anydim_model_load_file(engine, words[1], NULL, &model));
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = atoi(words[3]);
  CHECK(anydim_context_create(model, NULL, &options, &context));
  anydim_view_t x = f32_view(4, d, data), y[64] = {{.dtype = 0}};
  x.strides = (anydim_dims_t){4, 0, {strides[0], strides[1], strides[2], strides[3]}};
  int32_t inputs = 0, outputs = 0;
  CHECK(anydim_model_get_counts(model, &inputs, &outputs));
  for (int32_t o = 0; o < outputs && o < 64; ++o) y[o].dtype = ANYDIM_F32;
#if defined(__x86_64__)
  if (strcmp(words[5], "flush_to_zero") == 0) _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  CHECK(anydim_context_run(context, &x, 1, y, outputs, NULL));
#if defined(__x86_64__)
  if (strcmp(words[5], "flush_to_zero") == 0 && (_mm_getcsr() & 0x8040) != 0x8040) {
    fprintf(stderr, "the caller's floating-point state was not restored\n");
    return 1;
  }
  _mm_setcsr(0x1F80);
#endif
  for (int32_t o = 0; o < outputs; ++o) {
    int64_t elements = 1;
    for (int i = 0; i < y[o].dims.rank; ++i) elements *= y[o].dims.values[i];
    add(y[o].dims.values, (size_t)y[o].dims.rank * sizeof(int64_t));
    const float* values = y[o].data; /* row-major: the model's default for outputs that the context owns */
    for (int64_t i = 0; i < elements; ++i) {
      const float v = isnan(values[i]) ? NAN : values[i];
      add(&v, sizeof(v));
    }
  }
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  CHECK(anydim_engine_query(engine, &info));
  printf("%016llx %s %.*s\n", (unsigned long long)hash, best_instruction_set(context), (int)info.isa.length, info.isa.data);
  return 0;
}
