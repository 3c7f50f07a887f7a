/* SPDX-License-Identifier: Apache-2.0
 * Loads damaged copies of a model: every prefix at a step of bytes, or copies with random bits flipped. Each must give
 * a status with a message, or load and run (at a small shape) without harm. Meant to be run under sanitizers, where
 * harm is reported; without them a crash is what fails.
 *
 *   mutate MODEL prefixes STEP
 *   mutate MODEL flips COUNT SEED
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char* read_file(const char* path, long* size) {
  FILE* f = fopen(path, "rb");
  if (f == NULL) return NULL;
  fseek(f, 0, SEEK_END);
  *size = ftell(f);
  rewind(f);
  unsigned char* bytes = malloc((size_t)*size);
  if (fread(bytes, 1, (size_t)*size, f) != (size_t)*size) *size = -1;
  fclose(f);
  return bytes;
}

static uint64_t state;
static uint64_t draw(void) { /* splitmix64 */
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static long refused, loaded, ran, silent;

/* One run with every dynamic dim small; whatever status comes back is fine as long as it has a message. */
static void run(anydim_model_t model) {
  int32_t inputs = 0, outputs = 0;
  if (anydim_model_get_counts(model, &inputs, &outputs) != ANYDIM_STATUS_OK || inputs != 1) return;
  anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
  if (anydim_model_get_input(model, 0, &info) != ANYDIM_STATUS_OK || info.dtype != ANYDIM_F32) return;
  static const int64_t small[4] = {1, 3, 48, 64};
  anydim_view_t x = {.dtype = ANYDIM_F32, .dims = {.rank = info.dims.rank}};
  int64_t *const dims = x.dims.values, count = 1;
  for (int i = 0; i < info.dims.rank; ++i) {
    dims[i] = info.dims.values[i] >= 0 ? info.dims.values[i] : small[i & 3];
    if (dims[i] > 4096 || count > (1 << 24)) return;
    count *= dims[i];
  }
  float* data = calloc((size_t)count + 1, sizeof(float));
  x.data = data;
  anydim_context_t context;
  if (anydim_context_create(model, NULL, NULL, &context) == ANYDIM_STATUS_OK) {
    if (anydim_context_run(context, &x, 1, NULL, 0, NULL) == ANYDIM_STATUS_OK) ++ran;
    anydim_context_destroy(context);
  }
  free(data);
}

static void try_model(anydim_engine_t engine, const unsigned char* bytes, long size) {
  anydim_model_t model;
  /* A copy of exactly this size, so that a sanitizer sees a read past its end. */
  unsigned char* copy = malloc((size_t)size + (size == 0));
  memcpy(copy, bytes, (size_t)size);
  const anydim_status_t status = anydim_model_load_memory(engine, copy, size, NULL, &model);
  free(copy);
  if (status == ANYDIM_STATUS_OK) {
    ++loaded;
    run(model);
    anydim_model_destroy(model);
    return;
  }
  ++refused;
  if (anydim_last_error()[0] == 0) ++silent;
}

int main(int count, char** words) {
  long size = 0;
  unsigned char* bytes = count >= 4 ? read_file(words[1], &size) : NULL;
  anydim_engine_t engine;
  if (bytes == NULL || size < 0 || anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine) != ANYDIM_STATUS_OK) {
    fprintf(stderr, "usage: mutate MODEL prefixes STEP | mutate MODEL flips COUNT SEED\n");
    return 2;
  }
  if (strcmp(words[2], "prefixes") == 0) {
    for (long n = 0; n < size; n += atol(words[3])) try_model(engine, bytes, n);
    if (loaded != 0) {
      printf("%ld proper prefixes loaded as if they were whole\n", loaded);
      return 1;
    }
  } else {
    state = count > 4 ? strtoull(words[4], NULL, 10) : 1;
    for (long i = 0, n = atol(words[3]); i < n; ++i) {
      /* Half of the flips hit the first and last quarter of a percent, where structure is denser than weights. */
      const uint64_t r = draw();
      const uint64_t at = (r & 1)   ? draw() % (uint64_t)size
                          : (r & 2) ? draw() % (uint64_t)(size / 400 + 1)
                                    : (uint64_t)size - 1 - draw() % (uint64_t)(size / 50 + 1);
      const unsigned char kept = bytes[at];
      bytes[at] ^= (unsigned char)(1u << (draw() & 7));
      try_model(engine, bytes, size);
      bytes[at] = kept;
    }
  }
  printf("%ld refused (%ld of them without a message), %ld loaded, %ld ran\n", refused, silent, loaded, ran);
  anydim_engine_destroy(engine);
  free(bytes);
  return silent != 0;
}
