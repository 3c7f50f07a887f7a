/* SPDX-License-Identifier: Apache-2.0
 * Resident set of a C program over many distinct shapes of a model, with bounds: prints, as one line of JSON, what was
 * promised and what was used. Used by tests/memory/test_memory.py and by the bench.
 *
 *   memory MODEL INPUT BATCH CHANNELS HEIGHT LOW HIGH COUNT growing|mixed SEED
 *
 * The shapes are COUNT of the pairs of a batch of 1 to BATCH and a width of LOW to HIGH, evenly spread by their product.
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/programs/check.h"

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (f == NULL || fscanf(f, "%ld %ld", &pages, &resident) != 2) exit(2);
  fclose(f);
  return resident * sysconf(_SC_PAGESIZE);
}

struct shape {
  int64_t batch, width;
};

static int by_area(const void* a, const void* b) {
  const struct shape *x = a, *y = b;
  const int64_t difference = x->batch * x->width - y->batch * y->width;
  return difference != 0 ? (difference > 0) - (difference < 0) : (x->batch > y->batch) - (x->batch < y->batch);
}

/* Null where there are not so many. */
static struct shape* shapes_of(int64_t batch, int64_t low, int64_t high, int64_t count) {
  const int64_t all = batch * (high - low + 1);
  if (count < 2 || count > all) return NULL;
  struct shape* pairs = malloc((size_t)all * sizeof(struct shape));
  for (int64_t i = 0; i < all; ++i) {
    pairs[i].batch = 1 + i % batch;
    pairs[i].width = low + i / batch;
  }
  qsort(pairs, (size_t)all, sizeof(struct shape), by_area);
  for (int64_t i = 0; i < count; ++i) pairs[i] = pairs[i * (all - 1) / (count - 1)]; /* never from before i */
  return pairs;
}

int main(int count, char** words) {
  if (count != 11) {
    fprintf(stderr, "usage: memory MODEL INPUT BATCH CHANNELS HEIGHT LOW HIGH COUNT growing|mixed SEED\n");
    return 2;
  }
  const int64_t batch = atoll(words[3]), channels = atoll(words[4]), height = atoll(words[5]);
  const int64_t low = atoll(words[6]), high = atoll(words[7]), shapes = atoll(words[8]);
  const int mixed = strcmp(words[9], "mixed") == 0;
  srand((unsigned)atoll(words[10]));
  /* The input's memory is the program's own: touched once, at its largest, before anything is measured. */
  const int64_t largest = batch * channels * height * high;
  float* data = malloc((size_t)largest * sizeof(float));
  for (int64_t i = 0; i < largest; ++i) data[i] = (float)(rand() % 255) / 127.f - 1.f;
  struct shape* shape = shapes_of(batch, low, high, shapes);
  if (shape == NULL) {
    fprintf(stderr, "memory: COUNT is %s; there are %lld shapes, and 2 are needed\n", words[8], (long long)(batch * (high - low + 1)));
    return 2;
  }
  for (int64_t i = shapes - 1; mixed && i > 0; --i) {
    const int64_t j = rand() % (i + 1);
    const struct shape t = shape[i];
    shape[i] = shape[j];
    shape[j] = t;
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
  int64_t needed = 0;
  CHECK(anydim_model_get_bytes_needed(model, bounds, &options, 0, &needed));
  CHECK(anydim_context_create(model, bounds, &options, &context));
  anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
  CHECK(anydim_model_query(model, &info));

  long first = 0, most = 0;
  for (int64_t i = 0; i < shapes; ++i) {
    const int64_t d[4] = {shape[i].batch, channels, height, shape[i].width};
    const anydim_view_t x = f32_view(4, d, data);
    CHECK(anydim_context_run(context, &x, 1, NULL, 0, NULL));
    const long now = resident_bytes();
    if (i == 9) first = now; /* ten calls in: code and tables are paged in */
    if (now > most) most = now;
  }
  printf("{\"before\": %ld, \"first\": %ld, \"most\": %ld, \"bytes_needed\": %lld, \"weight_bytes\": %lld, \"shapes\": %lld}\n", before,
         first, most, (long long)needed, (long long)info.weight_bytes, (long long)shapes);
  return 0;
}
