/* SPDX-License-Identifier: Apache-2.0
 * What eight callers cost without any queue or model: threads in groups, of which the last one that comes works for some microseconds and
 * then wakes the others of its group. No queue of batches can be faster. For bench/serving.py --limit.
 *   exchange THREADS GROUP MICROSECONDS SECONDS
 * Prints how often a second a thread was served. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  _Alignas(64) atomic_int here;
  atomic_uint turn;
} group_t;

typedef struct {
  _Alignas(64) group_t* group;
  atomic_long served;
} caller_t;

static int size;
static int64_t work_ns;
static atomic_int over;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void* call(void* argument) {
  caller_t* const me = argument;
  group_t* const group = me->group;
  while (!over) {
    const unsigned turn = group->turn;
    if (atomic_fetch_add(&group->here, 1) == size - 1) {
      const int64_t end = now() + work_ns;
      while (now() < end) {
      }
      group->here = 0;
      ++group->turn;
      syscall(SYS_futex, &group->turn, FUTEX_WAKE_PRIVATE, size, NULL, NULL, 0);
    } else {
      while (group->turn == turn && !over) syscall(SYS_futex, &group->turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
    }
    ++me->served;
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 5) return fprintf(stderr, "usage: exchange THREADS GROUP MICROSECONDS SECONDS\n"), 2;
  const int threads = atoi(argv[1]);
  size = atoi(argv[2]);
  work_ns = (int64_t)(atof(argv[3]) * 1e3);
  const double seconds = atof(argv[4]);
  if (size < 1 || threads % size != 0) return fprintf(stderr, "THREADS must be a multiple of GROUP\n"), 2;
  group_t* const groups = aligned_alloc(64, sizeof(group_t) * (size_t)(threads / size));
  caller_t* const callers = aligned_alloc(64, sizeof(caller_t) * (size_t)threads);
  memset(groups, 0, sizeof(group_t) * (size_t)(threads / size));
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    callers[i] = (caller_t){&groups[i / size], 0};
    if (pthread_create(&thread, NULL, call, &callers[i]) != 0) return 1;
  }
  const int64_t begin = now();
  usleep((useconds_t)(seconds * 1e6));
  int64_t served = 0;
  for (int i = 0; i < threads; ++i) served += callers[i].served;
  printf("%.1f\n", (double)served / ((double)(now() - begin) / 1e9));
  return 0; /* the threads end with the process */
}
