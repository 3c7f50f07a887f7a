/* SPDX-License-Identifier: Apache-2.0
 * Runs a model or a program file on generated images of several widths and prints a hash of all results' bits. It calls nothing but what a
 * build without the importer exports; test_build.py runs it with such a library and with the whole one.
 *
 *   run_file FILE HEIGHT FIRST_WIDTH LAST_WIDTH STEP
 */
#include <string.h>

#include "tests/programs/check.h"

int main(int count, char** words) {
  if (count != 6) {
    fprintf(stderr, "usage: run_file FILE HEIGHT FIRST_WIDTH LAST_WIDTH STEP\n");
    return 2;
  }
  const int64_t height = atoll(words[2]), last = atoll(words[4]), step = atoll(words[5]);
  anydim_engine_t engine = NULL;
  anydim_model_t model = NULL;
  anydim_session_t session = NULL;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  CHECK(anydim_model_load_file(engine, words[1], NULL, &model));
  CHECK(anydim_session_create(model, NULL, NULL, 0, &session));
  float* pixels = malloc((size_t)(3 * height * last) * sizeof(float));
  if (pixels == NULL) return 2;
  uint64_t hash = 14695981039346656037ull; /* FNV-1a, 64 bits */
  for (int64_t width = atoll(words[3]); width <= last; width += step) {
    const int64_t dims[] = {1, 3, height, width};
    for (int64_t i = 0; i < 3 * height * width; ++i)
      pixels[i] = (float)((uint32_t)(((uint64_t)i + 1) * 0x9E3779B97F4A7C15ull >> 40) % 1999u) / 999.f - 1.f;
    anydim_view_t x = f32_view(4, dims, pixels), y = {.dtype = ANYDIM_F32};
    CHECK(anydim_session_run(session, &x, 1, &y, 1, NULL));
    size_t bytes = sizeof(float);
    for (int32_t i = 0; i < y.dims.rank; ++i) bytes *= (size_t)y.dims.values[i];
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)y.data)[i]) * 1099511628211ull;
    anydim_result_release(y.data);
  }
  printf("%016llx\n", (unsigned long long)hash);
  free(pixels);
  anydim_session_destroy(session);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return 0;
}
