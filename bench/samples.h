/* SPDX-License-Identifier: Apache-2.0
 * What creation.c and its peers share: a clock, how many shapes there are, and a line of JSON for a set of samples. Includes
 * nothing of the engine that is measured. */
#ifndef ANYDIM_BENCH_SAMPLES_H
#define ANYDIM_BENCH_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Sorts the samples. The median has the name that bench/targets.json holds it to. */
static void print_samples(const char* engine, const char* what, const char* median, double* us, int count) {
  qsort(us, (size_t)count, sizeof(*us), ascending);
  printf(
      "{\"engine\": \"%s\", \"what\": \"%s\", \"count\": %d, \"%s_us\": %.3f, \"p90_us\": %.3f, \"p99_us\": %.3f, "
      "\"max_us\": %.3f}\n",
      engine, what, count, median, us[count / 2], us[count * 9 / 10], us[count * 99 / 100], us[count - 1]);
}

/* HEIGHTS * WIDTHS shapes in a row are all different; hits are measured over KNOWN of them. */
enum { HEIGHTS = 211, WIDTHS = 197, KNOWN = 64 };

#endif
