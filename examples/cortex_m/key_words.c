/* SPDX-License-Identifier: Apache-2.0 */
/* Key words on a microcontroller: a small network of 8-bit numbers, as C without a library, in memory of fixed size.
   It hears words of different lengths one after another, and each time says which of its classes is the likeliest. There is no
   operating system, no allocation and no <stdio.h>. Here the sound is drawn; on a board, put rows of 40 features there. */
#include <stdint.h>

#include "semihosting.h"
#include "words.h"

enum { FEATURES = 40, CLASSES = 12 };

/* Everything that is written. The linker says how much it is, before the program runs. */
static unsigned char arena[WORDS_ARENA_BYTES] __attribute__((aligned(WORDS_ALIGNMENT)));
static float sound[WORDS_X_ELEMENTS], likelihoods[WORDS_Y0_ELEMENTS];

static void hear(int64_t rows, uint32_t seed) {
  int64_t i;
  for (i = 0; i < rows * FEATURES; ++i) {
    seed = seed * 1664525u + 1013904223u;
    sound[i] = (float)(seed >> 8) * 0x1p-22f - 2.f;
  }
}

static void say_number(int64_t n) {
  char text[24];
  int at = (int)sizeof text - 1;
  text[at] = '\0';
  do text[--at] = (char)('0' + n % 10);
  while ((n /= 10) > 0);
  say(text + at);
}

int main(void) {
  static const int64_t lengths[] = {8, 23, 50};
  unsigned word, i;
  for (word = 0; word < sizeof lengths / sizeof lengths[0]; ++word) {
    words_dims_t dims;
    unsigned best = 0;
    int status;
    dims.t = lengths[word];
    hear(dims.t, word + 1);
    status = words_run(&dims, arena, sound, likelihoods);
    if (status != WORDS_OK) {
      say(words_status_text(status));
      say("\n");
      return 1;
    }
    for (i = 1; i < CLASSES; ++i)
      if (likelihoods[i] > likelihoods[best]) best = i;
    say_number(dims.t);
    say(" rows: word ");
    say_number(best);
    say(", ");
    say_number((int64_t)(likelihoods[best] * 100.f));
    say(" %, ");
    say_number((int64_t)words_bytes(&dims));
    say(" bytes\n");
  }
  return 0;
}
