/* SPDX-License-Identifier: Apache-2.0
 * Resident set of a C program over many distinct widths of a model, with bounds: prints, as one line of JSON, what was
 * promised and what was used. Used by tests/memory/test_memory.py and by the bench.
 *
 *   memory MODEL INPUT BATCH CHANNELS HEIGHT LOW HIGH COUNT growing|mixed SEED
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    anydim_status_t status_ = (call);                                                      \
    if (status_ != ANYDIM_STATUS_OK) {                                                     \
      fprintf(stderr, "%s: status %d: %s\n", #call, (int)status_, anydim_last_error());    \
      exit(2);                                                                             \
    }                                                                                      \
  } while (0)

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (f == NULL || fscanf(f, "%ld %ld", &pages, &resident) != 2) exit(2);
  fclose(f);
  return resident * sysconf(_SC_PAGESIZE);
}

int main(int count, char** words) {
  if (count != 11) {
    fprintf(stderr, "usage: memory MODEL INPUT BATCH CHANNELS HEIGHT LOW HIGH COUNT growing|mixed SEED\n");
    return 2;
  }
  const int64_t batch = atoll(words[3]), channels = atoll(words[4]), height = atoll(words[5]);
  const int64_t low = atoll(words[6]), high = atoll(words[7]), widths = atoll(words[8]);
  const int mixed = strcmp(words[9], "mixed") == 0;
  srand((unsigned)atoll(words[10]));
  /* The input's memory is the program's own: touched once, at its largest, before anything is measured. */
  const int64_t largest = batch * channels * height * high;
  float* data = malloc((size_t)largest * sizeof(float));
  for (int64_t i = 0; i < largest; ++i) data[i] = (float)(rand() % 255) / 127.f - 1.f;
  int64_t* width = malloc((size_t)widths * sizeof(int64_t));
  for (int64_t i = 0; i < widths; ++i) width[i] = low + i * (high - low) / (widths - 1);
  for (int64_t i = widths - 1; mixed && i > 0; --i) {
    const int64_t j = rand() % (i + 1), t = width[i];
    width[i] = width[j];
    width[j] = t;
  }
  const long before = resident_bytes();

  anydim_engine_t engine;
  anydim_model_t model;
  anydim_bounds_t bounds;
  anydim_context_t context;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  CHECK(anydim_model_load_file(engine, words[1], NULL, &model));
  anydim_dim_t dims[4] = {anydim_dim_dynamic(1, batch), anydim_dim_fixed(channels), anydim_dim_fixed(height),
                          anydim_dim_dynamic(low, high)};
  CHECK(anydim_bounds_create(&bounds));
  CHECK(anydim_bounds_set(bounds, words[2], 4, dims));
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = 1;
  const int64_t needed = anydim_model_bytes_needed(model, bounds, &options);
  if (needed < 0) CHECK(ANYDIM_STATUS_INTERNAL);
  CHECK(anydim_context_create(model, bounds, &options, NULL, 0, &context));
  anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
  CHECK(anydim_model_query(model, &info));

  long first = 0, most = 0;
  for (int64_t i = 0; i < widths; ++i) {
    const int64_t d[4] = {batch, channels, height, width[i]};
    anydim_tensor_t x;
    CHECK(anydim_tensor_create(engine, ANYDIM_F32, 4, d, NULL, data, &x));
    CHECK(anydim_context_run(context, &x, 1, NULL, 0));
    anydim_tensor_destroy(x);
    const long now = resident_bytes();
    if (i == 9) first = now; /* ten calls in: code and tables are paged in */
    if (now > most) most = now;
  }
  printf("{\"before\": %ld, \"first\": %ld, \"most\": %ld, \"bytes_needed\": %lld, \"weight_bytes\": %lld, \"widths\": %lld}\n", before,
         first, most, (long long)needed, (long long)info.weight_bytes, (long long)widths);
  return 0;
}
