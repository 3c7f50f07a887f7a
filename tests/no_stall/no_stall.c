/* SPDX-License-Identifier: Apache-2.0
 * Runs a model at shapes it has not seen and counts, for the first call at each, what a stall is made of: allocations
 * (malloc and the like, mmap), locks and page faults, all of the thread that calls (with one thread it does all of the run; the
 * background worker, where there is one, has memory of its own). What is counted is all that a program does at a new shape: it
 * makes the view, asks for the output's dims, runs, and looks where the output lies. Every call goes through anydim_context_run
 * once, so that callgrind can count its instructions (tests/no_stall/test_no_stall.py).
 *
 *   no_stall [--calls=N] bounded|free MODEL INPUT LOW HIGH SHAPE...
 *
 * bounded: a context with bounds LOW..HIGH (shapes such as 1,3,48,32). free: a context without bounds that is run at
 * HIGH first, so that it has grown. Then each SHAPE is called N times (10 by default). Prints one line per shape and ends
 * with "no stall" or exits with 1.
 */
#define _GNU_SOURCE
#include <anydim/anydim.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/programs/check.h"

/* glibc's own names for its allocator: ours count and pass on. Interposed for the whole process, the libraries too, which find
 * them only if they are visible. */
#pragma GCC visibility push(default)
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
static _Thread_local volatile long allocations;

void* malloc(size_t n) {
  ++allocations;
  return __libc_malloc(n);
}
void* calloc(size_t n, size_t m) {
  ++allocations;
  return __libc_calloc(n, m);
}
void* realloc(void* p, size_t n) {
  ++allocations;
  return __libc_realloc(p, n);
}
void* memalign(size_t a, size_t n) {
  ++allocations;
  return __libc_memalign(a, n);
}
void* aligned_alloc(size_t a, size_t n) {
  ++allocations;
  return __libc_memalign(a, n);
}
int posix_memalign(void** p, size_t a, size_t n) {
  ++allocations;
  *p = __libc_memalign(a, n);
  return *p ? 0 : 12;
}
void* mmap(void* at, size_t n, int prot, int flags, int fd, off_t offset) {
  ++allocations;
  return (void*)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

/* The same for locks, of which glibc has no names of its own that a program may use. */
static _Thread_local volatile long locks;

#define COUNTED(name, type)                                     \
  int name(type* lock) {                                        \
    static int (*real)(type*);                                  \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name); \
    ++locks;                                                    \
    return real(lock);                                          \
  }
COUNTED(pthread_mutex_lock, pthread_mutex_t)
COUNTED(pthread_mutex_trylock, pthread_mutex_t)
COUNTED(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNTED(pthread_rwlock_wrlock, pthread_rwlock_t)
#pragma GCC visibility pop

static int read_shape(const char* text, int64_t* dims) {
  int rank = 0;
  for (char* end = (char*)text; *end && rank < 8; ++rank) {
    dims[rank] = strtoll(end, &end, 10);
    if (*end == ',') ++end;
  }
  return rank;
}

static long page_faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

typedef struct {
  int64_t dims[8];
  int rank;
  float* data;
} input_t;

static input_t make_input(const char* shape) {
  input_t input;
  input.rank = read_shape(shape, input.dims);
  int64_t count = 1;
  for (int i = 0; i < input.rank; ++i) count *= input.dims[i];
  float* data = aligned_alloc(64, (size_t)(count * 4 + 63) / 64 * 64);
  for (int64_t i = 0; i < count; ++i) data[i] = (float)((i * 7919) % 255) / 127.f - 1.f;
  input.data = data;
  return input;
}

/* All of a call. */
static anydim_status_t call(anydim_context_t context, const input_t* input) {
  const anydim_view_t x = f32_view(input->rank, input->dims, input->data);
  anydim_view_t y = {.dtype = ANYDIM_F32};
  anydim_dims_t dims;
  const anydim_status_t status = anydim_context_get_output_dims(context, &x, 1, 0, &dims);
  return status != ANYDIM_STATUS_OK ? status : anydim_context_run(context, &x, 1, &y, 1, NULL);
}

int main(int count, char** words) {
  int calls = 10;
  if (count > 1 && strncmp(words[1], "--calls=", 8) == 0) {
    calls = atoi(words[1] + 8);
    --count;
    ++words;
  }
  if (count < 7 || calls < 1) {
    fprintf(stderr, "usage: no_stall [--calls=N] bounded|free MODEL INPUT LOW HIGH SHAPE...\n");
    return 2;
  }
  const int bounded = strcmp(words[1], "bounded") == 0;
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_context_t context;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  /* Under the policy reusable_first runs ask for measurements that never come: a stall would show, and what the worker
   * itself allocates is not counted. */
  CHECK(anydim_worker_control(ANYDIM_WORKER_PAUSE));
  CHECK(anydim_model_load_file(engine, words[2], NULL, &model));
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = 1;
  if (bounded) {
    int64_t low[8], high[8];
    const int rank = read_shape(words[4], low);
    read_shape(words[5], high);
    anydim_dim_t dims[8];
    for (int i = 0; i < rank; ++i) dims[i] = anydim_dim_dynamic(low[i], high[i]);
    anydim_bounds_t bounds;
    CHECK(anydim_bounds_create(&bounds));
    CHECK(anydim_bounds_set(bounds, words[3], rank, dims));
    CHECK(anydim_context_create(model, bounds, &options, &context));
  } else {
    CHECK(anydim_context_create(model, NULL, &options, &context));
  }
  static input_t inputs[64];
  const int shapes = count - 6;
  for (int s = 0; s < shapes && s < 64; ++s) inputs[s] = make_input(words[6 + s]);
  if (!bounded) {
    const input_t largest = make_input(words[5]);
    CHECK(call(context, &largest));
  }
  /* The code of every kernel is read from the library's file once: a warm-up at a shape of its own, as in every
   * process, is not what P1 speaks of. */
  const input_t warm = make_input(words[4]);
  CHECK(call(context, &warm));

  int stalls = 0;
  for (int s = 0; s < shapes && s < 64; ++s) {
    for (int time = 1; time <= calls; ++time) {
      const long allocated = allocations, locked = locks, faulted = page_faults();
      const anydim_status_t status = call(context, &inputs[s]);
      const long allocated_now = allocations - allocated, locked_now = locks - locked, faulted_now = page_faults() - faulted;
      CHECK(status);
      if (time == 1) {
        printf("%s: first call: %ld allocations, %ld locks, %ld page faults\n", words[6 + s], allocated_now, locked_now, faulted_now);
        stalls += allocated_now != 0 || locked_now != 0 || faulted_now != 0;
      }
    }
  }
  /* The counters count: a handle takes an allocation and the lock of all handles. */
  const long allocated = allocations, locked = locks;
  anydim_stream_t stream;
  CHECK(anydim_stream_create(engine, NULL, &stream));
  if (allocations == allocated || locks == locked) {
    fprintf(stderr, "neither allocations nor locks are counted\n");
    return 2;
  }
  puts(stalls ? "stalled" : "no stall");
  return stalls != 0;
}
