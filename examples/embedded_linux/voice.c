/* SPDX-License-Identifier: Apache-2.0 */
/* Where somebody speaks in a WAV file (16 bits, one channel, 16000 samples a second), found while it is read, 20 ms at a time. The network is
   that of examples/voice_activity.py as C by chunks, so this program needs no library but C's, and no memory but its arrays. See the Makefile. */
#include <stdio.h>
#include <string.h>

#include "speech.h"

#define RATE 16000
#define STEP 160 /* samples from one result to the next */

static unsigned char memory[SPEECH_STREAM_BYTES + SPEECH_ALIGNMENT];
static float samples[SPEECH_SAMPLES_ELEMENTS], share[SPEECH_SPEECH_ELEMENTS];

static unsigned long number(const unsigned char* from, int bytes) {
  unsigned long n = 0;
  while (bytes-- > 0) n = n << 8 | from[bytes];
  return n;
}

/* Skips to the samples; how many bytes they are, or 0 if this is no such file. */
static unsigned long find_samples(FILE* file) {
  unsigned char head[12], format[16];
  unsigned long bytes;
  if (fread(head, 1, 12, file) != 12 || memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WAVE", 4) != 0) return 0;
  memset(format, 0, sizeof format);
  while (fread(head, 1, 8, file) == 8) {
    bytes = number(head + 4, 4);
    if (memcmp(head, "data", 4) == 0)
      return number(format, 2) == 1 && number(format + 2, 2) == 1 && number(format + 4, 4) == RATE && number(format + 14, 2) == 16 ? bytes
                                                                                                                                   : 0;
    if (memcmp(head, "fmt ", 4) == 0 && bytes >= 16) {
      if (fread(format, 1, 16, file) != 16) return 0;
      bytes -= 16;
    }
    if (fseek(file, (long)(bytes + bytes % 2), SEEK_CUR) != 0) return 0;
  }
  return 0;
}

static long frames, begun = -1;

/* Says where speech begins and ends. */
static void hear(int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i, ++frames) {
    if (share[i] > 0.5f && begun < 0) {
      begun = frames;
    } else if (share[i] < 0.5f && begun >= 0) {
      printf("speech from %.2f to %.2f s\n", (double)begun * STEP / RATE, (double)frames * STEP / RATE);
      begun = -1;
    }
  }
}

int main(int argc, char** argv) {
  unsigned char* const stream = memory + (SPEECH_ALIGNMENT - (uintptr_t)memory % SPEECH_ALIGNMENT) % SPEECH_ALIGNMENT;
  unsigned char bytes[2 * SPEECH_CHUNK];
  speech_dims_t dims;
  int64_t made[SPEECH_OUTPUTS];
  unsigned long left;
  int status;
  FILE* const file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fprintf(stderr, "%s recording.wav\n", argc > 0 ? argv[0] : "voice");
    return 2;
  }
  left = find_samples(file);
  if (left == 0) {
    fprintf(stderr, "%s: expected a WAV file of one channel, 16 bits, %d samples a second\n", argv[1], RATE);
    return 1;
  }
  memset(&dims, 0, sizeof dims);
  status = speech_stream_open(&dims, stream);
  while (status == SPEECH_OK && left > 1) {
    const unsigned long wanted = left < sizeof bytes ? left : sizeof bytes;
    const unsigned long got = (unsigned long)fread(bytes, 1, wanted, file) / 2;
    unsigned long i;
    for (i = 0; i < got; ++i) {
      const long v = (long)number(bytes + 2 * i, 2);
      samples[i] = (float)(v > 32767 ? v - 65536 : v) / 32768.f;
    }
    status = speech_stream_step(stream, (int64_t)got, samples, share, made);
    if (status == SPEECH_OK) hear(made[0]);
    left = got * 2 < wanted ? 0 : left - wanted;
  }
  if (status == SPEECH_OK) status = speech_stream_flush(stream, share, made);
  if (status == SPEECH_OK) hear(made[0]);
  fclose(file);
  if (status != SPEECH_OK) {
    fprintf(stderr, "%s\n", speech_status_text(status));
    return 1;
  }
  if (begun >= 0) printf("speech from %.2f s to the end\n", (double)begun * STEP / RATE);
  printf("%ld frames in %lu bytes of memory\n", frames, (unsigned long)SPEECH_STREAM_BYTES);
  return 0;
}
