/* SPDX-License-Identifier: Apache-2.0
 * A run of an empty model through C: the median nanoseconds of a call into the caller's memory, which bench/overhead.py and
 * bindings/java/bench/overhead.py compare theirs with.
 *   overhead MODEL CALLS */
#define _POSIX_C_SOURCE 200112L
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                    \
  do {                                                                 \
    if ((call) != ANYDIM_STATUS_OK) {                                  \
      fprintf(stderr, "line %d: %s\n", __LINE__, anydim_last_error()); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int by_size(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  static float in[1], out[1];
  const anydim_view_t x = {.data = in, .dtype = ANYDIM_F32, .dims = {2, 0, {1, 1}}};
  anydim_view_t y = {.data = out, .dtype = ANYDIM_F32, .dims = {2, 0, {1, 1}}};
  const int calls = argc > 2 ? atoi(argv[2]) : 0;
  int64_t* took = calloc((size_t)calls + 1, sizeof(int64_t));
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_session_t session;
  anydim_engine_options_t one = ANYDIM_ENGINE_OPTIONS_INIT;
  if (calls <= 0 || took == NULL) return fprintf(stderr, "usage: overhead MODEL CALLS\n"), 2;
  one.threads = 1;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &one, &engine));
  CHECK(anydim_model_load_file(engine, argv[1], NULL, &model));
  CHECK(anydim_session_create(model, NULL, NULL, 1, &session));
  for (int i = 0; i < calls; ++i) {
    const int64_t begin = now();
    CHECK(anydim_session_run(session, &x, 1, &y, 1, NULL));
    took[i] = now() - begin;
  }
  qsort(took, (size_t)calls, sizeof(int64_t), by_size);
  printf("%lld\n", (long long)took[calls / 2]);
  free(took);
  return 0;
}
