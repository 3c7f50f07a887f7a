/* SPDX-License-Identifier: Apache-2.0
 * The loop of Turns.java in C, to print beside it: eight threads on one session of rec.
 *   turns TURNS rec.onnx */
#define _POSIX_C_SOURCE 200112L
#include <anydim/anydim.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, WIDTH = 96, LARGEST = 1 << 20 };

#define CHECK(call)                                                    \
  do {                                                                 \
    if ((call) != ANYDIM_STATUS_OK) {                                  \
      fprintf(stderr, "line %d: %s\n", __LINE__, anydim_last_error()); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

static anydim_session_t session;
static int turns;
static atomic_int had[THREADS], standing[THREADS], told;
static atomic_llong done_runs, most_of_others, longest_ns;
static pthread_barrier_t start;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}
static void at_least(atomic_llong* to, long long value) {
  long long seen = atomic_load(to);
  while (seen < value && !atomic_compare_exchange_weak(to, &seen, value)) continue;
}

static void* work(void* which) {
  const int me = (int)(long)which;
  float* const pixels = calloc(3 * 48 * WIDTH, sizeof(float));
  float* const scores = malloc(LARGEST * sizeof(float));
  const anydim_view_t x = {.data = pixels, .dtype = ANYDIM_F32, .dims = {4, 0, {1, 3, 48, WIDTH}}};
  anydim_view_t y = {.dtype = ANYDIM_F32};
  long long elements = 1;
  if (pixels == NULL || scores == NULL) exit(1);
  CHECK(anydim_session_run(session, &x, 1, &y, 1, NULL)); /* reports the dims */
  for (int i = 0; i < y.dims.rank; ++i) elements *= y.dims.values[i];
  if (elements > LARGEST) exit(1);
  anydim_result_release(y.data);
  y.data = scores;
  pthread_barrier_wait(&start);
  for (int i = 0; i < turns; ++i) {
    const long long before = now(), asked = atomic_load(&done_runs);
    CHECK(anydim_session_run(session, &x, 1, &y, 1, NULL));
    at_least(&most_of_others, atomic_fetch_add(&done_runs, 1) - asked);
    at_least(&longest_ns, now() - before);
    if (atomic_fetch_add(&had[me], 1) + 1 == turns && atomic_fetch_add(&told, 1) == 0)
      for (int t = 0; t < THREADS; ++t) standing[t] = atomic_load(&had[t]);
  }
  free(pixels);
  free(scores);
  return NULL;
}

int main(int argc, char** argv) {
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_engine_options_t cores = ANYDIM_ENGINE_OPTIONS_INIT;
  anydim_context_options_t alone = ANYDIM_CONTEXT_OPTIONS_INIT;
  pthread_t threads[THREADS];
  turns = argc > 2 ? atoi(argv[1]) : 0;
  if (turns <= 0) return fprintf(stderr, "usage: turns TURNS rec.onnx\n"), 2;
  cores.threads = 2;
  alone.threads = 1;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &cores, &engine));
  CHECK(anydim_model_load_file(engine, argv[2], NULL, &model));
  CHECK(anydim_session_create(model, NULL, &alone, 2, &session));
  pthread_barrier_init(&start, NULL, THREADS);
  for (long t = 0; t < THREADS; ++t)
    if (pthread_create(&threads[t], NULL, work, (void*)t) != 0) return 1;
  for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
  printf("standing ");
  for (int t = 0; t < THREADS; ++t) printf("%d ", atomic_load(&standing[t]));
  printf("others %lld longest-ms %lld\n", atomic_load(&most_of_others), atomic_load(&longest_ns) / 1000000);
  return 0;
}
