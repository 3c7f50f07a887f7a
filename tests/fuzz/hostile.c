/* SPDX-License-Identifier: Apache-2.0
 * Loads small models that are wrong on purpose, as `anydim info` loads and describes a file: bits, bytes and lengths changed, parts
 * taken out, doubled, or put in from another model, bodies in bodies. Each must give a status with a message, or load. Meant to be
 * run under AddressSanitizer on a small stack (hostile_models.py does); what ends the process is the failure, and the file CASE
 * holds the model that did it.
 *
 *   hostile LIST COUNT SEED CASE    LIST: a file with the paths of the models to begin with, a line each
 *   hostile FILE                    one model as it is
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostModels = 4096, kMostBytes = 4096, kSecondsEach = 60 };

struct model {
  unsigned char* bytes;
  long size;
};

static struct model models[kMostModels];
static int model_count;

static struct model read_file(const char* path) {
  struct model m = {NULL, -1};
  FILE* f = fopen(path, "rb");
  if (f == NULL) return m;
  fseek(f, 0, SEEK_END);
  m.size = ftell(f);
  rewind(f);
  m.bytes = malloc((size_t)m.size + 1);
  if (fread(m.bytes, 1, (size_t)m.size, f) != (size_t)m.size) m.size = -1;
  fclose(f);
  return m;
}

static uint64_t state;
static uint64_t draw(void) { /* splitmix64 */
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
static long below(long n) { return n <= 0 ? 0 : (long)(draw() % (uint64_t)n); }

static long refused, loaded, silent;

static void try_model(anydim_engine_t engine, const unsigned char* bytes, long size) {
  anydim_model_t model;
  /* A copy of exactly this size, so that a sanitizer sees a read past its end. */
  unsigned char* copy = malloc((size_t)size + (size == 0));
  memcpy(copy, bytes, (size_t)size);
  alarm(kSecondsEach); /* a hang ends the process, too */
  const anydim_status_t status = anydim_model_load_memory(engine, copy, size, NULL, &model);
  free(copy);
  if (status == ANYDIM_STATUS_OK) {
    ++loaded;
    anydim_text_t text;
    if (anydim_model_describe(model, &text) == ANYDIM_STATUS_OK) anydim_text_destroy(text);
    anydim_model_destroy(model);
    return;
  }
  ++refused;
  if (status == ANYDIM_STATUS_INTERNAL || anydim_last_error()[0] == 0) {
    ++silent;
    printf("status %d: %s\n", (int)status, anydim_last_error());
  }
}

/* --- damage ---------------------------------------------------------------------------------------------------------- */

static unsigned char work[kMostBytes];
static long work_size;

static void insert(long at, const unsigned char* from, long n) {
  if (work_size + n > kMostBytes) n = kMostBytes - work_size;
  if (n <= 0) return;
  memmove(work + at + n, work + at, (size_t)(work_size - at));
  memmove(work + at, from, (size_t)n);
  work_size += n;
}
static void take_out(long at, long n) {
  if (at + n > work_size) n = work_size - at;
  memmove(work + at, work + at + n, (size_t)(work_size - at - n));
  work_size -= n;
}

/* The node, as a field of a graph, in the branch of an If, so many times over; lengths are right. */
static void nest(int times) {
  static const unsigned char head[] = {0x22, 2, 'I', 'f', 0x0a, 1, 'c', 0x12, 1, 'y'};
  while (times-- > 0 && work_size < 1000) {
    unsigned char out[kMostBytes];
    long n = 0;
    const char* const names[2] = {"then_branch", "else_branch"};
    memcpy(out, head, sizeof(head));
    n += (long)sizeof(head);
    for (int b = 0; b < 2; ++b) {
      /* attribute { name, g { node ... output { name } }, type GRAPH }; the second branch is empty */
      unsigned char graph[kMostBytes];
      long g = 0;
      if (b == 0) {
        graph[g++] = 0x0a;
        graph[g++] = (unsigned char)(0x80 | (work_size & 0x7f));
        graph[g++] = (unsigned char)(work_size >> 7);
        memcpy(graph + g, work, (size_t)work_size);
        g += work_size;
      }
      const unsigned char end[] = {0x62, 3, 0x0a, 1, 'y'};
      memcpy(graph + g, end, sizeof(end));
      g += (long)sizeof(end);
      const long size = 2 + 11 + 3 + g + 3;
      out[n++] = 0x2a;
      out[n++] = (unsigned char)(0x80 | (size & 0x7f));
      out[n++] = (unsigned char)(size >> 7);
      out[n++] = 0x0a;
      out[n++] = 11;
      memcpy(out + n, names[b], 11);
      n += 11;
      out[n++] = 0x32;
      out[n++] = (unsigned char)(0x80 | (g & 0x7f));
      out[n++] = (unsigned char)(g >> 7);
      memcpy(out + n, graph, (size_t)g);
      n += g;
      out[n++] = 0xa0;
      out[n++] = 0x01;
      out[n++] = 5;
    }
    memcpy(work, out, (size_t)n);
    work_size = n;
  }
}

/* model { ir_version 8, graph { node <work>, input c bool scalar, output y }, opset 17 } */
static void wrap_node(void) {
  static const unsigned char input[] = {0x5a, 11, 0x0a, 1, 'c', 0x12, 6, 0x0a, 4, 0x08, 9, 0x12, 0};
  static const unsigned char output[] = {0x62, 3, 0x0a, 1, 'y'};
  static const unsigned char opset[] = {0x42, 2, 0x10, 17};
  const long graph = 3 + work_size + (long)sizeof(input) + (long)sizeof(output);
  const unsigned char head[] = {0x08,
                                8,
                                0x3a,
                                (unsigned char)(0x80 | (graph & 0x7f)),
                                (unsigned char)(graph >> 7),
                                0x0a,
                                (unsigned char)(0x80 | (work_size & 0x7f)),
                                (unsigned char)(work_size >> 7)};
  insert(0, head, (long)sizeof(head));
  insert(work_size, input, (long)sizeof(input));
  insert(work_size, output, (long)sizeof(output));
  insert(work_size, opset, (long)sizeof(opset));
}

static void damage(void) {
  static const unsigned char ends[][10] = {
      {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, /* -1 */
      {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, /* INT64_MIN */
      {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0},    /* INT64_MAX */
      {0x80, 0x80, 0x80, 0x80, 0x10, 0, 0, 0, 0, 0},                /* 2^32 */
      {0xff, 0xff, 0xff, 0xff, 0x07, 0, 0, 0, 0, 0},                /* INT32_MAX */
  };
  static const long lengths[] = {10, 10, 9, 5, 5};
  const struct model other = models[below(model_count)];
  const long at = below(work_size), n = 1 + below(below(4) == 0 ? work_size : 12);
  switch (below(10)) {
    case 0:
    case 1: work[at] ^= (unsigned char)(1u << below(8)); break;
    case 2: work[at] = (unsigned char)below(256); break;
    case 3: work[at] = (unsigned char)(work[at] + (below(2) ? 1 : -1)); break;
    case 4: take_out(at, n); break;
    case 5: {
      unsigned char part[kMostBytes];
      const long size = at + n > work_size ? work_size - at : n;
      memcpy(part, work + at, (size_t)size);
      insert(below(work_size), part, size);
      break;
    }
    case 6: {
      const long from = below(other.size), size = from + n > other.size ? other.size - from : n;
      insert(at, other.bytes + from, size);
      break;
    }
    case 7: {
      const long from = below(other.size), size = from + n > other.size ? other.size - from : n;
      for (long i = 0; i < size && at + i < work_size; ++i) work[at + i] = other.bytes[from + i];
      break;
    }
    case 8: {
      const long which = below(5);
      take_out(at, 1);
      insert(at < work_size ? at : work_size, ends[which], lengths[which]);
      break;
    }
    default: {
      unsigned char byte = (unsigned char)below(256);
      insert(at, &byte, 1);
    }
  }
}

int main(int count, char** words) {
  anydim_engine_t engine;
  if ((count != 2 && count != 5) || anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine) != ANYDIM_STATUS_OK) {
    fprintf(stderr, "usage: hostile LIST COUNT SEED CASE | hostile FILE\n");
    return 2;
  }
  if (count == 2) {
    const struct model m = read_file(words[1]);
    if (m.size < 0) return 2;
    state = 1;
    try_model(engine, m.bytes, m.size);
  } else {
    char line[4096];
    FILE* list = fopen(words[1], "r");
    if (list == NULL) return 2;
    while (model_count < kMostModels && fgets(line, sizeof(line), list) != NULL) {
      line[strcspn(line, "\n")] = 0;
      const struct model m = read_file(line);
      if (m.size > 0 && m.size <= kMostBytes / 2) models[model_count++] = m;
    }
    fclose(list);
    if (model_count == 0) return 2;
    state = strtoull(words[3], NULL, 10);
    for (long i = 0, n = atol(words[2]); i < n; ++i) {
      if (below(40) == 0) { /* bodies in bodies, as deep as fits */
        static const unsigned char negated[] = {0x0a, 1, 'c', 0x12, 1, 'y', 0x22, 3, 'N', 'o', 't'};
        memcpy(work, negated, sizeof(negated));
        work_size = (long)sizeof(negated);
        nest((int)below(60));
        wrap_node();
      } else {
        const struct model m = models[below(model_count)];
        memcpy(work, m.bytes, (size_t)m.size);
        work_size = m.size;
      }
      for (long times = below(6); times > 0 && work_size > 0; --times) damage();
      FILE* f = fopen(words[4], "wb");
      if (f == NULL) return 2;
      fwrite(work, 1, (size_t)work_size, f);
      fclose(f);
      try_model(engine, work, work_size);
    }
  }
  alarm(0);
  printf("%ld refused (%ld of them without a message or as internal), %ld loaded\n", refused, silent, loaded);
  anydim_engine_destroy(engine);
  for (int i = 0; i < model_count; ++i) free(models[i].bytes);
  return silent != 0;
}
