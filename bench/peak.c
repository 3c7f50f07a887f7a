/* SPDX-License-Identifier: Apache-2.0
 * Multiply-adds of binary32 a second of one core, in registers, with the widest vectors that it has: GFLOP/s, the best of several turns.
 * bench/peak.py compiles it: `cc -O2 peak.c -o peak`. Prints one number; 0 on a machine that is not x86-64. */
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if defined(__x86_64__)
#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define WIDE(i) "vfmadd231ps %%zmm15,%%zmm14,%%zmm" #i "\n"
#define HALF(i) "vfmadd231ps %%ymm15,%%ymm14,%%ymm" #i "\n"
#define USED                                                                                                                          \
  "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"

/* Sums of zeros: no number leaves the normal range. */
static void zeros(void) { __asm__ volatile("vzeroall" ::: USED); }
static void wide(long n) { __asm__ volatile("1:\n" EACH(WIDE) "dec %0\njnz 1b\nvzeroupper\n" : "+r"(n)::USED); }
static void half(long n) { __asm__ volatile("1:\n" EACH(HALF) "dec %0\njnz 1b\nvzeroupper\n" : "+r"(n)::USED); }

int main(void) {
  const long turns = 2000000;
  double best = 0;
  __builtin_cpu_init();
  const int lanes = __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("fma") ? 8 : 0;
  for (int i = 0; lanes > 0 && i < 20; ++i) {
    zeros();
    const double begin = now();
    if (lanes == 16) wide(turns);
    else half(turns);
    const double rate = 12. * 2 * lanes * (double)turns / (now() - begin) / 1e9;
    if (rate > best) best = rate;
  }
  printf("%.1f\n", best);
  return 0;
}
#else
int main(void) {
  (void)now;
  puts("0");
  return 0;
}
#endif
