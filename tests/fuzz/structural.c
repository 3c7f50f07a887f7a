/* SPDX-License-Identifier: Apache-2.0
 * Loads models out of a file and runs those that load, twice, on inputs that fit what they declare: structural_mutants.py writes the
 * file and reads what this prints. Each model must give a status with a message, or load; each run the same. Meant to be run under
 * AddressSanitizer on a small stack. What ends the process, or keeps it for a minute, is the failure.
 *
 *   structural FILE FIRST    FILE: before each model its size, 8 bytes, the low one first; models before number FIRST are passed over
 *
 * Prints a line before each model, and after it its statuses:  "at 7"  "7 load 0 run 0 0: message".
 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSecondsEach = 60, kMostInputs = 64, kMostElements = 1 << 16, kMostResults = 1 << 27, kBytesOfElement = 8 };

/* Free dims of the two runs, by axis. */
static const int64_t kSizes[2][4] = {{2, 3, 4, 5}, {3, 1, 8, 6}};

/* Elements of a value that is not known: small, some of them negative. */
static void fill(void* data, anydim_dtype_t dtype, int64_t count, int run) {
  for (int64_t i = 0; i < count; ++i) {
    const int number = (int)((i * 7 + run * 3) % 5) - (run == 0 ? 0 : 1);
    switch (dtype) {
      case ANYDIM_F32: ((float*)data)[i] = (float)number * 0.5f; break;
      case ANYDIM_F64: ((double*)data)[i] = (double)number * 0.5; break;
      case ANYDIM_I64:
      case ANYDIM_U64: ((int64_t*)data)[i] = number; break;
      case ANYDIM_I32:
      case ANYDIM_U32: ((int32_t*)data)[i] = number; break;
      case ANYDIM_F16: ((uint16_t*)data)[i] = (uint16_t)(0x3c00 + number * 64); break; /* about 1 */
      case ANYDIM_BF16: ((uint16_t*)data)[i] = (uint16_t)(0x3f80 + number * 8); break;
      case ANYDIM_I16:
      case ANYDIM_U16: ((int16_t*)data)[i] = (int16_t)number; break;
      default: ((unsigned char*)data)[i] = (unsigned char)(dtype == ANYDIM_BOOL ? (number & 1) : number); break;
    }
  }
}

/* A view of an input; false for one that is too large. */
static int make_input(anydim_model_t model, int index, int run, anydim_view_t* x) {
  anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
  if (anydim_model_get_input(model, index, &info) != ANYDIM_STATUS_OK) return 0;
  memset(x, 0, sizeof(*x));
  x->dtype = info.dtype;
  x->dims.rank = info.dims.rank;
  int64_t count = 1;
  for (int i = 0; i < info.dims.rank; ++i) {
    int64_t size = info.dims.values[i];
    if (size < 0) { /* one symbol has one size */
      unsigned hash = 0;
      for (const char* c = info.symbols[i].data; c != NULL && *c != 0; ++c) hash = hash * 31 + (unsigned char)*c;
      size = kSizes[run][hash & 3];
    }
    x->dims.values[i] = size;
    if (size > kMostElements) return 0;
    count *= size;
    if (count > kMostElements) return 0;
  }
  x->data = malloc((size_t)count * kBytesOfElement + 1);
  fill(x->data, info.dtype, count, run);
  return 1;
}

static int is_too_large(const anydim_dims_t* dims) {
  int64_t elements = 1;
  for (int i = 0; i < dims->rank; ++i) {
    const int64_t size = dims->values[i] > 1 ? dims->values[i] : 1;
    if (size > kMostResults / elements) return 1;
    elements *= size;
  }
  return 0;
}

/* Whether a result is not worth a run. A model may well want gigabytes; it gets them, and the process is ended for it. Dims that the model
 * declares are known before there is a context, which makes room for them; others only with the inputs. */
static int wants_too_much(anydim_model_t model, int32_t outputs) {
  for (int32_t index = 0; index < outputs; ++index) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    if (anydim_model_get_output(model, index, &info) == ANYDIM_STATUS_OK && is_too_large(&info.dims)) return 1;
  }
  return 0;
}
static int makes_too_much(anydim_context_t context, const anydim_view_t* inputs, int32_t count, int32_t outputs) {
  for (int32_t index = 0; index < outputs; ++index) {
    anydim_dims_t dims;
    if (anydim_context_get_output_dims(context, inputs, count, index, &dims) == ANYDIM_STATUS_OK && is_too_large(&dims)) return 1;
  }
  return 0;
}

static int run_model(anydim_model_t model, int run) {
  static anydim_view_t inputs[kMostInputs];
  int32_t count = 0, outputs = 0, made = 0;
  int status = -1; /* not run */
  if (anydim_model_get_counts(model, &count, &outputs) != ANYDIM_STATUS_OK || count > kMostInputs) return status;
  if (wants_too_much(model, outputs)) return status;
  while (made < count && make_input(model, made, run, &inputs[made])) ++made;
  anydim_context_t context;
  if (made == count && (status = (int)anydim_context_create(model, NULL, NULL, &context)) == ANYDIM_STATUS_OK) {
    const int runs = !makes_too_much(context, inputs, count, outputs);
    status = runs ? (int)anydim_context_run(context, inputs, count, NULL, 0, NULL) : -1;
    anydim_context_destroy(context);
  }
  for (int i = 0; i < made; ++i) free(inputs[i].data);
  return status;
}

static void try_model(anydim_engine_t engine, const unsigned char* bytes, int64_t size, long number) {
  anydim_model_t model;
  int runs[2] = {-1, -1};
  char message[400] = "";
  alarm(kSecondsEach);
  const anydim_status_t status = anydim_model_load_memory(engine, bytes, size, NULL, &model);
  if (status == ANYDIM_STATUS_OK) {
    anydim_text_t text;
    if (anydim_model_describe(model, &text) == ANYDIM_STATUS_OK) anydim_text_destroy(text);
    for (int run = 0; run < 2; ++run) {
      runs[run] = run_model(model, run);
      if (runs[run] > 0) snprintf(message, sizeof(message), "%s", anydim_last_error());
    }
    anydim_model_destroy(model);
  } else {
    snprintf(message, sizeof(message), "%s", anydim_last_error());
  }
  for (char* c = message; *c != 0; ++c)
    if (*c == '\n') *c = ' ';
  printf("%ld load %d run %d %d: %s\n", number, (int)status, runs[0], runs[1], message);
}

int main(int count, char** words) {
  anydim_engine_t engine;
  FILE* file = count == 3 ? fopen(words[1], "rb") : NULL;
  if (file == NULL || anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine) != ANYDIM_STATUS_OK) {
    fprintf(stderr, "usage: structural FILE FIRST\n");
    return 2;
  }
  unsigned char head[8];
  for (long number = 0; fread(head, 1, sizeof(head), file) == sizeof(head); ++number) {
    int64_t size = 0;
    for (int i = 7; i >= 0; --i) size = size << 8 | head[i];
    unsigned char* bytes = malloc((size_t)size + (size == 0)); /* exactly, so that a sanitizer sees a read past its end */
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size) return 2;
    if (number >= atol(words[2])) {
      printf("at %ld\n", number);
      fflush(stdout);
      try_model(engine, bytes, size, number);
    }
    free(bytes);
  }
  alarm(0);
  fclose(file);
  anydim_engine_destroy(engine);
  printf("end\n");
  return 0;
}
