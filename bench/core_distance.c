/* SPDX-License-Identifier: Apache-2.0
 * How far apart two processors are: ns for a cache line to go to the other one and come back, the median of 40 turns of 10 ms. In a virtual
 * machine this changes while it runs: its processors move within one cache of the host (180 ns on a Zen 4) or apart (520 ns). Whatever uses
 * two threads is slower then, in every engine. For bench/machine.py.
 *   core_distance FIRST SECOND       numbers of processors, as taskset has them */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kTurns = 40, kTurnNs = 10000000 };

static _Alignas(64) atomic_uint_fast64_t line;
static _Alignas(64) atomic_int over;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static void stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) {
    fprintf(stderr, "core_distance: processor %d cannot be used\n", processor);
    exit(1);
  }
}
static void* answer(void* processor) {
  stay_on(*(int*)processor);
  for (uint_fast64_t next = 1; atomic_load(&over) == 0;)
    if (atomic_load_explicit(&line, memory_order_acquire) == next) {
      atomic_store_explicit(&line, next + 1, memory_order_release);
      next += 2;
    }
  return NULL;
}
static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  if (argc != 3) return fprintf(stderr, "usage: core_distance FIRST SECOND\n"), 2;
  int second = atoi(argv[2]);
  stay_on(atoi(argv[1]));
  pthread_t other;
  if (pthread_create(&other, NULL, answer, &second) != 0) return 1;
  double ns[kTurns];
  uint_fast64_t sent = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const int64_t begin = now();
    int64_t trips = 0, end = begin;
    for (; end - begin < kTurnNs; end = now(), ++trips, sent += 2) {
      atomic_store_explicit(&line, sent + 1, memory_order_release);
      while (atomic_load_explicit(&line, memory_order_acquire) != sent + 2) {
      }
    }
    ns[turn] = (double)(end - begin) / (double)trips;
  }
  atomic_store(&over, 1);
  pthread_join(other, NULL);
  qsort(ns, kTurns, sizeof ns[0], by_size);
  printf("%.0f\n", ns[kTurns / 2]);
  return 0;
}
