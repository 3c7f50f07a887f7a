/* SPDX-License-Identifier: Apache-2.0
 * What is made and destroyed many times, destroyed while others use it, and asked for by many at once, through the C API. The
 * programs lifetimes.py and bindings/rust/anydim/lifetimes do the same in their languages; test_lifetimes.py judges what they print,
 * one line of JSON.
 *
 *   lifetimes sessions MODEL DIMS COUNT   a model is loaded, run once in a session, and destroyed: the resident set before and after
 *   lifetimes kept MODEL DIMS COUNT       the same, but that nothing is destroyed: what a leak looks like
 *   lifetimes results MODEL DIMS COUNT    results that the library placed, and bytes of an engine, destroyed each time
 *   lifetimes closing MODEL DIMS ROUNDS   four threads run in a session until it is destroyed under them
 *   lifetimes fair MODEL DIMS CALLS       eight threads in one session of two contexts, until one has had so many calls: the calls of
 *                                         each, and for each call how many of the others' were done while it waited and ran
 *   lifetimes ending MODEL DIMS RUNS      the program ends after so many runs, while four threads run in sessions with workers and with
 *                                         batches, and make sessions
 *
 * DIMS, such as 1x3x48x320, are those of the model's only input. A resident set jumps up and down by what the allocator has just
 * then: the smallest is printed of a tenth as many rounds before the first, which follow as many that warm up, and of the last tenth.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/programs/check.h"

enum { THREADS = 8, CLOSERS = 4 };

static anydim_engine_t engine;
static anydim_view_t x;
static int64_t dims[ANYDIM_MAX_RANK];

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (f == NULL || fscanf(f, "%ld %ld", &pages, &resident) != 2) exit(2);
  fclose(f);
  return resident * sysconf(_SC_PAGESIZE);
}

/* Numbers that are the same in every language. */
static anydim_view_t input(const char* text) {
  int rank = 0;
  int64_t count = 1;
  for (char* rest = (char*)text; *rest != 0 && rank < ANYDIM_MAX_RANK; rest += *rest == 'x')
    count *= dims[rank++] = strtoll(rest, &rest, 10);
  float* data = malloc((size_t)count * sizeof(float));
  for (int64_t i = 0; i < count; ++i) data[i] = (float)(i % 97) / 97.0f - 0.5f;
  return f32_view(rank, dims, data);
}

static anydim_session_t session_of(const char* path, int contexts, int threads) {
  anydim_model_t model;
  anydim_session_t session;
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = threads;
  CHECK(anydim_model_load_file(engine, path, NULL, &model));
  CHECK(anydim_session_create(model, NULL, &options, contexts, &session));
  anydim_model_destroy(model);
  return session;
}

static anydim_status_t run_once(anydim_session_t session, anydim_view_t* y) {
  memset(y, 0, sizeof *y);
  y->dtype = ANYDIM_F32;
  return anydim_session_run(session, &x, 1, y, 1, NULL);
}

static int64_t bytes_of(const anydim_view_t* y) {
  int64_t bytes = sizeof(float);
  for (int i = 0; i < y->dims.rank; ++i) bytes *= y->dims.values[i];
  return bytes;
}

static void open_and_close(const char* path, int keep) {
  anydim_view_t y;
  anydim_session_t session = session_of(path, 1, 1);
  CHECK(run_once(session, &y));
  anydim_result_release(y.data);
  if (!keep) anydim_session_destroy(session);
}

static void place_results(anydim_session_t session) {
  anydim_view_t y;
  anydim_memory_t memory;
  CHECK(run_once(session, &y));
  CHECK(anydim_memory_allocate(engine, 1 << 14, &memory));
  anydim_memory_destroy(memory);
  anydim_result_release(y.data);
}

/* -- destroyed under those who run ------------------------------------------------------------------------------------------- */

struct closing {
  anydim_session_t session;
  const anydim_view_t* expected;
  int done, closed;
};

static void* run_until_closed(void* user) {
  struct closing* c = user;
  for (;;) {
    anydim_view_t y;
    const anydim_status_t status = run_once(c->session, &y);
    if (status == ANYDIM_STATUS_CLOSED || status == ANYDIM_STATUS_INVALID_HANDLE) {
      __atomic_fetch_add(&c->closed, 1, __ATOMIC_SEQ_CST);
      return NULL;
    }
    CHECK(status);
    if (memcmp(y.data, c->expected->data, (size_t)bytes_of(&y)) != 0) exit(3);
    anydim_result_release(y.data);
    __atomic_fetch_add(&c->done, 1, __ATOMIC_SEQ_CST);
  }
}

static void closing(const char* path, int rounds) {
  long runs = 0, closed = 0;
  anydim_view_t expected;
  anydim_session_t alone = session_of(path, 1, 1);
  CHECK(run_once(alone, &expected));
  anydim_session_destroy(alone);
  for (int round = 0; round < rounds; ++round) {
    struct closing c = {session_of(path, 2, 1), &expected, 0, 0};
    pthread_t threads[CLOSERS];
    for (int t = 0; t < CLOSERS; ++t) pthread_create(&threads[t], NULL, run_until_closed, &c);
    while (__atomic_load_n(&c.done, __ATOMIC_SEQ_CST) < 2 * CLOSERS) sched_yield();
    anydim_session_destroy(c.session);
    for (int t = 0; t < CLOSERS; ++t) pthread_join(threads[t], NULL);
    runs += c.done;
    closed += c.closed;
  }
  printf("{\"rounds\": %d, \"threads\": %d, \"runs\": %ld, \"closed\": %ld}\n", rounds, CLOSERS, runs, closed);
}

/* -- many at once ----------------------------------------------------------------------------------------------------------- */

struct crowd {
  anydim_session_t session;
  int most;       /* calls of the thread that has had the most */
  int done, stop; /* calls of all threads */
};

struct member {
  struct crowd* crowd;
  int calls;
  int* waits; /* calls of others that were done during each call */
};

static void* call_in_a_crowd(void* user) {
  struct member* m = user;
  struct crowd* c = m->crowd;
  while (!__atomic_load_n(&c->stop, __ATOMIC_SEQ_CST)) {
    anydim_view_t y;
    const int before = __atomic_load_n(&c->done, __ATOMIC_SEQ_CST);
    CHECK(run_once(c->session, &y));
    m->waits[m->calls++] = __atomic_fetch_add(&c->done, 1, __ATOMIC_SEQ_CST) - before;
    anydim_result_release(y.data);
    if (m->calls == c->most) __atomic_store_n(&c->stop, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

static void fair(const char* path, int calls) {
  struct crowd c = {session_of(path, 2, 1), calls, 0, 0};
  struct member members[THREADS];
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; ++t) members[t] = (struct member){&c, 0, malloc((size_t)calls * sizeof(int))};
  for (int t = 0; t < THREADS; ++t) pthread_create(&threads[t], NULL, call_in_a_crowd, &members[t]);
  for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
  printf("{\"waits\": [");
  for (int t = 0; t < THREADS; ++t) {
    printf("%s[", t > 0 ? ", " : "");
    for (int i = 0; i < members[t].calls; ++i) printf("%s%d", i > 0 ? ", " : "", members[t].waits[i]);
    printf("]");
  }
  printf("]}\n");
  anydim_session_destroy(c.session);
}

/* -- the end of the program ------------------------------------------------------------------------------------------------- */

struct ending {
  const char* path;
  anydim_session_t with_workers, with_batches;
  int number; /* of the next thread */
  int done;
};

static void* run_until_the_end(void* user) {
  struct ending* e = user;
  const int mine = __atomic_fetch_add(&e->number, 1, __ATOMIC_SEQ_CST);
  for (;;) {
    if (mine == 3) {
      open_and_close(e->path, 0);
    } else {
      anydim_view_t y;
      CHECK(run_once(mine == 0 ? e->with_workers : e->with_batches, &y));
      anydim_result_release(y.data);
    }
    __atomic_fetch_add(&e->done, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

static void ending(const char* path, int runs) {
  static struct ending e;
  anydim_batching_options_t batching = ANYDIM_BATCHING_OPTIONS_INIT;
  batching.rows = 4;
  e.path = path;
  e.with_workers = session_of(path, 1, 2);
  e.with_batches = session_of(path, 1, 1);
  CHECK(anydim_session_start_batching(e.with_batches, &batching));
  pthread_t thread;
  for (int t = 0; t < CLOSERS; ++t) pthread_create(&thread, NULL, run_until_the_end, &e);
  while (__atomic_load_n(&e.done, __ATOMIC_SEQ_CST) < runs) sched_yield();
  printf("{\"threads\": %d}\n", CLOSERS);
}

int main(int count, char** words) {
  if (count != 5) {
    fprintf(stderr, "usage: lifetimes sessions|kept|results|closing|fair|ending MODEL DIMS COUNT\n");
    return 2;
  }
  const char *what = words[1], *path = words[2];
  const int rounds = atoi(words[4]);
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.threads = 1;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine));
  x = input(words[3]);
  if (strcmp(what, "closing") == 0) {
    closing(path, rounds);
    return 0;
  }
  if (strcmp(what, "fair") == 0) {
    fair(path, rounds);
    return 0;
  }
  if (strcmp(what, "ending") == 0) {
    ending(path, rounds);
    return 0;
  }
  const int results = strcmp(what, "results") == 0, keep = strcmp(what, "kept") == 0;
  anydim_session_t session = results ? session_of(path, 1, 1) : NULL;
  const int tenth = rounds / 10;
  long before = LONG_MAX, after = LONG_MAX;
  for (int i = -2 * tenth; i < rounds; ++i) {
    if (results) place_results(session);
    else open_and_close(path, keep);
    const long now = resident_bytes();
    if (i >= -tenth && i < 0 && now < before) before = now;
    if (i >= rounds - tenth && now < after) after = now;
  }
  printf("{\"before\": %ld, \"after\": %ld}\n", before, after);
  return 0;
}
