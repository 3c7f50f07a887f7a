/* SPDX-License-Identifier: Apache-2.0
 * Runs a model at shapes it has not seen and counts, for the first call at each, what a stall is made of: allocations
 * (malloc and its kin, mmap) and page faults, both of the thread that calls (with one thread it does all of the run; the
 * background worker, where there is one, has memory of its own). Every call goes through anydim_context_run once, so that callgrind can
 * count its instructions (tests/no_stall/test_no_stall.py).
 *
 *   no_stall bounded|free MODEL INPUT LOW HIGH SHAPE...
 *
 * bounded: a context with bounds LOW..HIGH (shapes such as 1,3,48,32). free: a context without bounds that is run at
 * HIGH first, so that it has grown. Then each SHAPE is called ten times. Prints one line per shape and ends with
 * "no stall" or exits with 1.
 */
#define _GNU_SOURCE
#include <anydim/anydim.h>
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

static anydim_tensor_t make_input(anydim_engine_t engine, const char* shape) {
  int64_t dims[8];
  const int rank = read_shape(shape, dims);
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= dims[i];
  float* data = aligned_alloc(64, (size_t)(count * 4 + 63) / 64 * 64);
  for (int64_t i = 0; i < count; ++i) data[i] = (float)((i * 7919) % 255) / 127.f - 1.f;
  anydim_tensor_t tensor;
  CHECK(anydim_tensor_create(engine, ANYDIM_F32, rank, dims, NULL, data, &tensor));
  return tensor;
}

int main(int count, char** words) {
  if (count < 7) {
    fprintf(stderr, "usage: no_stall bounded|free MODEL INPUT LOW HIGH SHAPE...\n");
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
    CHECK(anydim_context_create(model, bounds, &options, NULL, 0, &context));
  } else {
    CHECK(anydim_context_create(model, NULL, &options, NULL, 0, &context));
  }
  anydim_tensor_t inputs[64];
  const int shapes = count - 6;
  for (int s = 0; s < shapes && s < 64; ++s) inputs[s] = make_input(engine, words[6 + s]);
  if (!bounded) {
    anydim_tensor_t largest = make_input(engine, words[5]);
    CHECK(anydim_context_run(context, &largest, 1, NULL, 0));
  }
  /* The code of every kernel is read from the library's file once: a warm-up at a shape of its own, as in every
   * process, is not what P1 speaks of. */
  anydim_tensor_t warm = make_input(engine, words[4]);
  CHECK(anydim_context_run(context, &warm, 1, NULL, 0));

  int stalls = 0;
  for (int s = 0; s < shapes && s < 64; ++s) {
    for (int call = 1; call <= 10; ++call) {
      const long allocated = allocations, faulted = page_faults();
      const anydim_status_t status = anydim_context_run(context, &inputs[s], 1, NULL, 0);
      const long allocated_now = allocations - allocated, faulted_now = page_faults() - faulted;
      CHECK(status);
      if (call == 1) {
        printf("%s: first call: %ld allocations, %ld page faults\n", words[6 + s], allocated_now, faulted_now);
        stalls += allocated_now != 0 || faulted_now != 0;
      }
    }
  }
  /* The counter counts: a stream's handle takes memory. */
  const long allocated = allocations;
  anydim_stream_t stream;
  CHECK(anydim_stream_create(engine, NULL, &stream));
  if (allocations == allocated) {
    fprintf(stderr, "allocations are not counted\n");
    return 2;
  }
  puts(stalls ? "stalled" : "no stall");
  return stalls != 0;
}
