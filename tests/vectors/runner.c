/* SPDX-License-Identifier: Apache-2.0
 * Runs the test vectors (README.md) through the C API, and prints a line for each case: its name, then the FNV-1a digest of its
 * outputs' bits, or the status with which it failed as expected, or WRONG and why (then the exit status is 1).
 *   runner FOLDER
 * What runs does so twice: in a session that places its outputs, and in a context that writes into buffers of the program's. */
#include "tests/vectors/case_file.h"

static const char* step;   /* what is being done, when a call fails */
static char why[4 * WORD]; /* what is wrong beside a call's failure */

#define TRY(call)                                    \
  do {                                               \
    const anydim_status_t status_ = (call);          \
    if (status_ != ANYDIM_STATUS_OK) return status_; \
  } while (0)

typedef struct {
  anydim_engine_t engine;
  anydim_stream_t stream;
  anydim_model_t model;
  anydim_bounds_t bounds;
  anydim_session_t session;
  anydim_context_t context;
  anydim_desc_t descs[MOST];
  anydim_primitive_t primitive;
} handles_t;

static anydim_status_t load(const char* folder, const case_t* c, handles_t* h) {
  char path[4 * WORD];
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  snprintf(path, sizeof(path), "%s/models/%s", folder, c->model);
  step = "load";
  if (c->first_bytes >= 0) {
    FILE* file = fopen(path, "rb");
    unsigned char* bytes = malloc((size_t)c->first_bytes + 1);
    anydim_status_t status;
    if (file == NULL || fread(bytes, 1, (size_t)c->first_bytes, file) != (size_t)c->first_bytes) stop("cannot read", path);
    fclose(file);
    status = anydim_model_load_memory(h->engine, bytes, c->first_bytes, NULL, &h->model);
    free(bytes);
    return status;
  }
  if (c->sequences[0] != 0) options.sequences = c->sequences;
  return anydim_model_load_file(h->engine, path, &options, &h->model);
}

static anydim_status_t create_session(const case_t* c, handles_t* h) {
  int i;
  step = "create";
  if (c->bounds_count > 0) TRY(anydim_bounds_create(&h->bounds));
  for (i = 0; i < c->bounds_count; ++i) TRY(anydim_bounds_set(h->bounds, c->bounds[i].input, c->bounds[i].rank, c->bounds[i].dims));
  TRY(anydim_session_create(h->model, h->bounds, NULL, 1, &h->session));
  return anydim_context_create(h->model, h->bounds, NULL, &h->context);
}

static anydim_status_t create_primitive(const case_t* c, handles_t* h) {
  int i;
  step = "create";
  TRY(anydim_stream_create(h->engine, NULL, &h->stream));
  for (i = 0; i < c->desc_count; ++i)
    TRY(anydim_desc_create(c->descs[i].dtype, c->descs[i].rank, c->descs[i].dims, ANYDIM_LAYOUT_STRIDED, &h->descs[i]));
  if (strcmp(c->operation, "relu") == 0) {
    anydim_unary_t relu = ANYDIM_UNARY_INIT;
    relu.function = ANYDIM_UNARY_RELU;
    return anydim_primitive_create(h->engine, &relu.op, NULL, h->descs, c->desc_count, NULL, &h->primitive);
  } else {
    const anydim_matmul_t matmul = ANYDIM_MATMUL_INIT;
    if (strcmp(c->operation, "matmul") != 0) stop("no operator of the vectors", c->operation);
    return anydim_primitive_create(h->engine, &matmul.op, NULL, h->descs, c->desc_count, NULL, &h->primitive);
  }
}

static anydim_view_t view_of(const case_tensor_t* t) {
  anydim_view_t view = {0};
  view.data = t->data;
  view.dtype = t->dtype;
  view.dims = t->dims;
  return view;
}

/* Inputs and outputs in the model's order, and which outputs are asked for. */
static anydim_status_t find(const case_t* c, const handles_t* h, anydim_view_t* inputs, int32_t* input_count, anydim_view_t* outputs,
                            int32_t* output_count, int32_t* asked) {
  int32_t i, at;
  step = "find";
  TRY(anydim_model_get_counts(h->model, input_count, output_count));
  if (*input_count > MOST || *output_count > MOST) stop("too many inputs or outputs", c->model);
  for (i = 0; i < c->input_count; ++i) {
    TRY(anydim_model_find_input(h->model, c->inputs[i].name, &at));
    inputs[at] = view_of(&c->inputs[i]);
  }
  for (i = 0; i < *input_count; ++i) /* one that is left out: null, of the right kind */
    if (inputs[i].dtype == 0) {
      anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
      TRY(anydim_model_get_input(h->model, i, &info));
      inputs[i].dtype = info.dtype;
      inputs[i].dims.rank = info.dims.rank;
      for (at = 0; at < info.dims.rank; ++at) inputs[i].dims.values[at] = 1;
    }
  for (i = 0; i < *output_count; ++i) asked[i] = c->ask[0] == 0 ? i : -1;
  asked[*output_count] = -1;
  if (c->ask[0] != 0) TRY(anydim_model_find_output(h->model, c->ask, &asked[0]));
  for (i = 0; asked[i] >= 0; ++i) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    TRY(anydim_model_get_output(h->model, asked[i], &info));
    outputs[asked[i]].dtype = info.dtype;
  }
  return ANYDIM_STATUS_OK;
}

/* Compares an output with the expected one; nothing to say if they are the same. */
static void compare(const case_tensor_t* want, const anydim_view_t* got, const char* where) {
  size_t count = 1;
  int i;
  if (got->dtype != want->dtype || memcmp(&got->dims, &want->dims, sizeof(got->dims)) != 0) {
    snprintf(why, sizeof(why), "%s: output %s is of dtype %d, rank %d, first dim %d", where, want->name, (int)got->dtype,
             (int)got->dims.rank, (int)got->dims.values[0]);
    return;
  }
  for (i = 0; i < got->dims.rank; ++i) count *= (size_t)got->dims.values[i];
  if (count > 0 && memcmp(got->data, want->data, count * dtype_size(got->dtype)) != 0)
    snprintf(why, sizeof(why), "%s: output %s has other bits", where, want->name);
}

static anydim_status_t run_model(const case_t* c, handles_t* h) {
  anydim_view_t inputs[MOST + 1] = {{0}}, outputs[MOST + 1] = {{0}}, own[MOST + 1] = {{0}};
  int32_t asked[MOST + 1] = {0}, input_count = 0, output_count = 0, i;
  unsigned char buffers[MOST][1 << 14];
  TRY(find(c, h, inputs, &input_count, outputs, &output_count, asked));
  memcpy(own, outputs, sizeof(own));
  step = "run";
  if (strcmp(c->destroy, "engine") == 0) anydim_engine_destroy(h->engine);
  if (strcmp(c->destroy, "model") == 0) anydim_model_destroy(h->model);
  if (strcmp(c->destroy, "session") == 0) anydim_session_destroy(h->session);
  TRY(anydim_session_run(h->session, inputs, input_count, outputs, output_count, NULL));
  for (i = 0; asked[i] >= 0; ++i) {
    if (i < c->output_count) compare(&c->outputs[i], &outputs[asked[i]], "session");
    anydim_result_release(outputs[asked[i]].data);
  }
  for (i = 0; asked[i] >= 0; ++i) {
    anydim_view_t* view = &own[asked[i]];
    const anydim_status_t known = anydim_context_get_output_dims(h->context, inputs, input_count, asked[i], &view->dims);
    if (known == ANYDIM_STATUS_OK && i < c->output_count && c->outputs[i].bytes <= sizeof(buffers[0])) view->data = buffers[i];
    if (known != ANYDIM_STATUS_OK && known != ANYDIM_STATUS_UNIMPLEMENTED) return known;
  }
  TRY(anydim_context_run(h->context, inputs, input_count, own, output_count, NULL));
  for (i = 0; asked[i] >= 0 && i < c->output_count; ++i) compare(&c->outputs[i], &own[asked[i]], "context");
  return ANYDIM_STATUS_OK;
}

static anydim_status_t run_primitive(const case_t* c, const handles_t* h) {
  anydim_view_t inputs[MOST], output = {0};
  int32_t i;
  for (i = 0; i < c->input_count; ++i) inputs[i] = view_of(&c->inputs[i]);
  step = "run";
  output.dtype = c->output_count > 0 ? c->outputs[0].dtype : ANYDIM_F32;
  TRY(anydim_primitive_execute(h->primitive, h->stream, inputs, c->input_count, &output, 1));
  if (c->output_count > 0) compare(&c->outputs[0], &output, "primitive");
  anydim_result_release(output.data);
  return ANYDIM_STATUS_OK;
}

static anydim_status_t run_case(const char* folder, const case_t* c, handles_t* h) {
  step = "engine";
  TRY(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &h->engine));
  if (c->operation[0] != 0) {
    TRY(create_primitive(c, h));
    return run_primitive(c, h);
  }
  TRY(load(folder, c, h));
  TRY(create_session(c, h));
  return run_model(c, h);
}

/* Prints the case's line; 0 if it is wrong. */
static int report(const case_t* c, anydim_status_t status) {
  char word[WORD];
  uint64_t digest = UINT64_C(0xCBF29CE484222325);
  int i;
  if (status != ANYDIM_STATUS_OK) {
    const int expected = is_among(status, c->statuses, word) && strcmp(step, c->step) == 0;
    for (i = 0; i < c->says_count && expected; ++i)
      if (strstr(anydim_last_error(), c->says[i]) == NULL)
        return printf("%s WRONG the message does not say '%s': %s\n", c->name, c->says[i], anydim_last_error()), 0;
    if (expected) return printf("%s %s\n", c->name, word);
    return printf("%s WRONG %s failed with %s: %s\n", c->name, step, word, anydim_last_error()), 0;
  }
  if (c->step[0] != 0) return printf("%s WRONG it ran; expected %s %s\n", c->name, c->step, c->statuses), 0;
  if (why[0] != 0) return printf("%s WRONG %s\n", c->name, why), 0;
  for (i = 0; i < c->output_count; ++i) digest = digest_of(digest, c->outputs[i].data, c->outputs[i].bytes);
  return printf("%s %016" PRIx64 "\n", c->name, digest);
}

int main(int argc, char** argv) {
  static case_file_t cases;
  static case_t c;
  char path[4 * WORD];
  int right = 1, i;
  if (argc != 2) return fprintf(stderr, "runner FOLDER\n"), 2;
  snprintf(path, sizeof(path), "%s/cases.txt", argv[1]);
  cases.file = fopen(path, "r");
  if (cases.file == NULL) stop("cannot open", path);
  while (next_case(&cases, &c)) {
    handles_t h;
    memset(&h, 0, sizeof(h));
    why[0] = 0;
    right &= report(&c, run_case(argv[1], &c, &h)) > 0;
    anydim_primitive_destroy(h.primitive);
    for (i = 0; i < MOST; ++i) anydim_desc_destroy(h.descs[i]);
    anydim_context_destroy(h.context);
    anydim_session_destroy(h.session);
    anydim_bounds_destroy(h.bounds);
    anydim_model_destroy(h.model);
    anydim_stream_destroy(h.stream);
    anydim_engine_destroy(h.engine);
  }
  fclose(cases.file);
  return right ? 0 : 1;
}
