/* SPDX-License-Identifier: Apache-2.0
 * The reader of cases.txt (README.md) for the runners in C and C++: one case at a time. What does not fit into a case, or is no
 * line of the format, ends the program. C99, also C++. */
#ifndef ANYDIM_TESTS_CASE_FILE_H
#define ANYDIM_TESTS_CASE_FILE_H

#include <anydim/anydim.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, WORD = 128, LINE = 1 << 16 };

typedef struct {
  char name[WORD];
  anydim_dtype_t dtype;
  anydim_dims_t dims;
  unsigned char* data; /* null: none is given; freed by the next case */
  size_t bytes;
} case_tensor_t;

typedef struct {
  char input[WORD];     /* of bounds */
  anydim_dtype_t dtype; /* of a descriptor */
  int32_t rank;         /* may be more than a tensor has */
  anydim_dim_t dims[2 * ANYDIM_MAX_RANK];
} case_dims_t;

typedef struct {
  char name[WORD], model[WORD], operation[WORD], ask[WORD], step[WORD], statuses[WORD], says[MOST][WORD], destroy[WORD], sequences[WORD];
  int64_t first_bytes; /* -1: all */
  int32_t input_count, output_count, bounds_count, desc_count, says_count;
  case_tensor_t inputs[MOST], outputs[MOST];
  case_dims_t bounds[MOST], descs[MOST];
} case_t;

typedef struct {
  FILE* file;
  char line[LINE]; /* the next case's first, once it was read */
} case_file_t;

static void stop(const char* why, const char* what) {
  fprintf(stderr, "cases.txt: %s: %s\n", why, what);
  exit(2);
}

static const struct {
  const char* name;
  anydim_dtype_t dtype;
  size_t size;
} kDtypes[] = {{"f32", ANYDIM_F32, 4}, {"f64", ANYDIM_F64, 8}, {"f16", ANYDIM_F16, 2},  {"bf16", ANYDIM_BF16, 2}, {"i8", ANYDIM_I8, 1},
               {"u8", ANYDIM_U8, 1},   {"i16", ANYDIM_I16, 2}, {"u16", ANYDIM_U16, 2},  {"i32", ANYDIM_I32, 4},   {"u32", ANYDIM_U32, 4},
               {"i64", ANYDIM_I64, 8}, {"u64", ANYDIM_U64, 8}, {"bool", ANYDIM_BOOL, 1}};

static size_t dtype_size(anydim_dtype_t dtype) {
  size_t i;
  for (i = 0; i < sizeof(kDtypes) / sizeof(kDtypes[0]); ++i)
    if (kDtypes[i].dtype == dtype) return kDtypes[i].size;
  return 0;
}

static anydim_dtype_t dtype_of(const char* name) {
  size_t i;
  for (i = 0; i < sizeof(kDtypes) / sizeof(kDtypes[0]); ++i)
    if (strcmp(kDtypes[i].name, name) == 0) return kDtypes[i].dtype;
  stop("no dtype", name);
  return 0;
}

/* Takes the next word off the text; the last one if there is no blank. */
static char* next_word(char** text) {
  char *word = *text, *blank;
  if (word == NULL) stop("a line ends too early", "");
  blank = strchr(word, ' ');
  if (blank != NULL) *blank++ = 0;
  *text = blank;
  return word;
}

static void copy_word(char* to, const char* from) {
  if (strlen(from) >= WORD) stop("too long", from);
  strcpy(to, from);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  stop("no hexadecimal digit", "");
  return 0;
}

/* NAME DTYPE DIMS DATA */
static void read_tensor(char* text, case_tensor_t* t) {
  char *dims, *data;
  size_t i;
  copy_word(t->name, next_word(&text));
  t->dtype = dtype_of(next_word(&text));
  dims = next_word(&text);
  data = next_word(&text);
  memset(&t->dims, 0, sizeof(t->dims));
  for (dims = strcmp(dims, "scalar") == 0 ? NULL : strtok(dims, ","); dims != NULL; dims = strtok(NULL, ",")) {
    if (t->dims.rank == ANYDIM_MAX_RANK) stop("too many dims", t->name);
    t->dims.values[t->dims.rank++] = strtoll(dims, NULL, 10);
  }
  t->data = NULL;
  t->bytes = 0;
  if (strcmp(data, "none") == 0) return;
  if (strcmp(data, "-") != 0) t->bytes = strlen(data) / 2;
  t->data = (unsigned char*)malloc(t->bytes + 1);
  for (i = 0; i < t->bytes; ++i) t->data[i] = (unsigned char)(hex_digit(data[2 * i]) * 16 + hex_digit(data[2 * i + 1]));
}

/* 1,3,8..64 */
static void read_dims(char* text, case_dims_t* d) {
  for (text = strtok(text, ","); text != NULL; text = strtok(NULL, ",")) {
    const char* dots = strstr(text, "..");
    const int64_t low = strtoll(text, NULL, 10);
    if (d->rank == 2 * ANYDIM_MAX_RANK) stop("too many dims", d->input);
    d->dims[d->rank++] = dots != NULL ? anydim_dim_dynamic(low, strtoll(dots + 2, NULL, 10)) : anydim_dim_fixed(low);
  }
}

static void read_line(char* word, char* rest, case_t* c) {
  if (strcmp(word, "model") == 0) {
    copy_word(c->model, next_word(&rest));
    if (rest != NULL) c->first_bytes = strtoll(rest, NULL, 10);
  } else if (strcmp(word, "operator") == 0) {
    copy_word(c->operation, rest);
  } else if (strcmp(word, "sequences") == 0) {
    copy_word(c->sequences, rest);
  } else if (strcmp(word, "ask") == 0) {
    copy_word(c->ask, rest);
  } else if (strcmp(word, "destroy") == 0) {
    copy_word(c->destroy, rest);
  } else if (strcmp(word, "fails") == 0) {
    copy_word(c->step, next_word(&rest));
    copy_word(c->statuses, rest);
  } else if (strcmp(word, "says") == 0 && c->says_count < MOST) {
    copy_word(c->says[c->says_count++], rest);
  } else if (strcmp(word, "input") == 0 && c->input_count < MOST) {
    read_tensor(rest, &c->inputs[c->input_count++]);
  } else if (strcmp(word, "output") == 0 && c->output_count < MOST) {
    read_tensor(rest, &c->outputs[c->output_count++]);
  } else if (strcmp(word, "bounds") == 0 && c->bounds_count < MOST) {
    copy_word(c->bounds[c->bounds_count].input, next_word(&rest));
    read_dims(rest, &c->bounds[c->bounds_count++]);
  } else if (strcmp(word, "desc") == 0 && c->desc_count < MOST) {
    c->descs[c->desc_count].dtype = dtype_of(next_word(&rest));
    read_dims(rest, &c->descs[c->desc_count++]);
  } else {
    stop("what is this, or too many of it", word);
  }
}

/* Reads the next case; 0 if there is none. */
static int next_case(case_file_t* from, case_t* c) {
  int i;
  for (i = 0; i < c->input_count; ++i) free(c->inputs[i].data);
  for (i = 0; i < c->output_count; ++i) free(c->outputs[i].data);
  memset(c, 0, sizeof(*c));
  c->first_bytes = -1;
  do {
    char *rest = from->line, *word;
    from->line[strcspn(from->line, "\n")] = 0;
    if (rest[0] == 0 || rest[0] == '#') continue;
    word = next_word(&rest);
    if (strcmp(word, "case") != 0) {
      read_line(word, rest, c);
    } else if (c->name[0] == 0) {
      copy_word(c->name, rest);
    } else {
      rest[-1] = ' '; /* the next one's: it is read again */
      return 1;
    }
  } while (fgets(from->line, LINE, from->file) != NULL);
  from->line[0] = 0;
  return c->name[0] != 0;
}

/* FNV-1a, on from a digest. */
static uint64_t digest_of(uint64_t digest, const unsigned char* data, size_t bytes) {
  size_t i;
  for (i = 0; i < bytes; ++i) digest = (digest ^ data[i]) * UINT64_C(0x100000001B3);
  return digest;
}

/* Whether the list of statuses, as cases.txt writes them, has this one; its word is written to `word`. */
static int is_among(anydim_status_t status, const char* statuses, char* word) {
  char *c, list[WORD + 2], wanted[WORD + 2];
  copy_word(word, anydim_status_name(status));
  for (c = word; *c != 0; ++c)
    if (*c == ' ') *c = '_';
  snprintf(list, sizeof(list), " %.125s ", statuses);
  snprintf(wanted, sizeof(wanted), " %.125s ", word);
  return strstr(list, wanted) != NULL;
}

#endif
