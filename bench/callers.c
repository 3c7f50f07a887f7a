/* SPDX-License-Identifier: Apache-2.0
 * Callers of one row each through C, for bench/serving.py --language c: without an interpreter's lock, which a network of microseconds
 * shows more than anything else. One thread with batches, then all callers without the queue, then with it, in one process.
 *   callers MODEL DTYPE DIMS CALLERS WAIT_US THREADS SECONDS ROUNDS      DIMS without the rows: 3x48x192; DTYPE: f32, i64
 * Prints a line a round: rows a second, the median and the 99th percentile of calls in ms, for each of the three, and the rows per batch
 * so far. */
#define _POSIX_C_SOURCE 200112L
#include <anydim/anydim.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                    \
  do {                                                                 \
    if ((call) != ANYDIM_STATUS_OK) {                                  \
      fprintf(stderr, "line %d: %s\n", __LINE__, anydim_last_error()); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

enum { kMost = 1 << 20 }; /* times that a caller keeps */

static anydim_session_t session;
static int64_t begin_ns, end_ns;

typedef struct {
  anydim_view_t x;
  int64_t* took;
  int64_t calls;
} caller_t;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int by_size(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

static void* call(void* it) {
  caller_t* const me = it;
  for (int64_t before = now(); before < end_ns;) {
    anydim_view_t y = {.dtype = ANYDIM_F32};
    CHECK(anydim_session_run(session, &me->x, 1, &y, 1, NULL));
    anydim_result_release(y.data);
    const int64_t after = now();
    if (before >= begin_ns && after < end_ns && me->calls < kMost) me->took[me->calls++] = after - before;
    before = after;
  }
  return NULL;
}

static void crowd(caller_t* callers, int count, int rows, double seconds) {
  pthread_t* const threads = calloc((size_t)count, sizeof(pthread_t));
  int64_t calls = 0;
  begin_ns = now() + 50000000;
  end_ns = begin_ns + (int64_t)(seconds * 1e9);
  for (int i = 0; i < count; ++i) {
    callers[i].calls = 0;
    callers[i].x.dims.values[0] = rows;
    if (pthread_create(&threads[i], NULL, call, &callers[i]) != 0) exit(1);
  }
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    calls += callers[i].calls;
  }
  int64_t* const all = malloc((size_t)(calls + 1) * sizeof(int64_t));
  int64_t next = 0;
  for (int i = 0; i < count; next += callers[i++].calls) memcpy(all + next, callers[i].took, (size_t)callers[i].calls * sizeof(int64_t));
  qsort(all, (size_t)calls, sizeof(int64_t), by_size);
  printf("%.1f %.4f %.4f ", (double)(calls * rows) / seconds, calls > 0 ? (double)all[calls / 2] / 1e6 : 0,
         calls > 0 ? (double)all[(calls - 1) * 99 / 100] / 1e6 : 0);
  free(all);
  free(threads);
}

int main(int argc, char** argv) {
  if (argc != 9) return fprintf(stderr, "usage: callers MODEL DTYPE DIMS CALLERS WAIT_US THREADS SECONDS ROUNDS\n"), 2;
  const int count = atoi(argv[4]), whole = strcmp(argv[2], "i64") == 0;
  const double seconds = atof(argv[7]);
  anydim_view_t x = {.dtype = whole ? ANYDIM_I64 : ANYDIM_F32, .dims = {1, 0, {1}}};
  size_t row = 1;
  for (char* d = strtok(argv[3], "x"); d != NULL; d = strtok(NULL, "x")) {
    x.dims.values[x.dims.rank++] = atoi(d);
    row *= (size_t)atoi(d);
  }
  caller_t* const callers = calloc((size_t)count, sizeof(caller_t));
  for (int i = 0; i < count; ++i) {
    float* const floats = malloc((size_t)count * row * sizeof(float));
    int64_t* const integers = malloc((size_t)count * row * sizeof(int64_t));
    for (size_t k = 0; k < (size_t)count * row; ++k) {
      floats[k] = (float)(rand() % 2001) / 2000.f;
      integers[k] = rand() % 5000;
    }
    callers[i].x = x;
    callers[i].x.data = whole ? (void*)integers : (void*)floats;
    callers[i].took = malloc(kMost * sizeof(int64_t));
  }
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.threads = atoi(argv[6]);
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine));
  CHECK(anydim_model_load_file(engine, argv[1], NULL, &model));
  CHECK(anydim_session_create(model, NULL, NULL, options.threads, &session));
  anydim_batching_options_t batching = ANYDIM_BATCHING_OPTIONS_INIT;
  batching.rows = count;
  batching.wait_us = atoi(argv[5]);
  for (int round = 0; round < atoi(argv[8]); ++round) {
    crowd(callers, 1, count, seconds);
    crowd(callers, count, 1, seconds);
    CHECK(anydim_session_start_batching(session, &batching));
    crowd(callers, count, 1, seconds);
    CHECK(anydim_session_stop_batching(session, 0));
    anydim_batching_info_t info = ANYDIM_BATCHING_INFO_INIT;
    CHECK(anydim_session_query_batching(session, &info));
    printf("%.3f\n", (double)info.rows / (double)info.batches);
    fflush(stdout);
  }
  return 0;
}
