/* SPDX-License-Identifier: Apache-2.0
 * A program of November 2026: what it needs of the header of that time is written out here, struct by struct, and is never
 * brought up to date again. (It was once, when the experimental functions got their names and options for good.) It runs a model
 * within bounds in memory of its own, by the library of today, so it fails when the ABI breaks: a struct that grew must still be read
 * and filled in as far as this program knows it.
 *   old_consumer cls.onnx */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const void* engine_t;
typedef const void* model_t;
typedef const void* primitive_t;
typedef const void* desc_t;
typedef void* bounds_t;
typedef void* context_t;
typedef void* stream_t;
typedef struct {
  int64_t value, min, max, hint, multiple_of;
} dim_t;
typedef struct {
  int32_t rank, reserved;
  int64_t values[8];
} dims_t;
typedef struct {
  const char* data;
  int64_t length;
} string_t;
typedef struct {
  uint32_t size;
  int32_t math, reuse, input_layout, output_layout;
} model_options_t;
typedef struct {
  uint32_t size;
  int32_t threads, profile, reuse, tuning_ms, reserved;
  void* buffer;
  int64_t buffer_bytes;
} context_options_t;
typedef struct { /* of a yet older program: shorter */
  uint32_t size;
  int32_t threads, profile;
} short_options_t;
typedef struct {
  void* data;
  int32_t dtype, layout;
  dims_t dims, strides;
  int64_t reserved[2];
} view_t;
typedef struct {
  uint32_t size;
  int32_t dtype;
  string_t name;
  dims_t dims, min, max, order;
  string_t symbols[8];
} value_info_t;
typedef struct {
  uint32_t size;
  int32_t kind, function;
  float alpha, beta;
  int32_t reserved;
} unary_t;

const char* anydim_version(void);
const char* anydim_last_error(void);
int32_t anydim_engine_create(int32_t kind, int32_t device, const void* options, engine_t* engine);
void anydim_engine_destroy(engine_t engine);
int32_t anydim_stream_create(engine_t engine, const void* options, stream_t* stream);
void anydim_stream_destroy(stream_t stream);
dim_t anydim_dim_fixed(int64_t value);
dim_t anydim_dim_dynamic(int64_t min, int64_t max);
int32_t anydim_desc_create(int32_t dtype, int32_t rank, const dim_t* dims, int32_t layout, desc_t* desc);
void anydim_desc_destroy(desc_t desc);
int32_t anydim_primitive_create(engine_t engine, const void* op, void* attr, desc_t const* inputs, int32_t input_count, const void* weights,
                                primitive_t* primitive);
void anydim_primitive_destroy(primitive_t primitive);
int32_t anydim_primitive_execute(primitive_t primitive, stream_t stream, const view_t* inputs, int32_t input_count, view_t* outputs,
                                 int32_t output_count);
int32_t anydim_model_load_file(engine_t engine, const char* path, const model_options_t* options, model_t* model);
void anydim_model_destroy(model_t model);
int32_t anydim_model_get_input(model_t model, int32_t index, value_info_t* info);
int32_t anydim_model_get_bytes_needed(model_t model, bounds_t bounds, const short_options_t* options, int32_t engine, int64_t* bytes);
int32_t anydim_bounds_create(bounds_t* bounds);
void anydim_bounds_destroy(bounds_t bounds);
int32_t anydim_bounds_set(bounds_t bounds, const char* input, int32_t rank, const dim_t* dims);
int32_t anydim_context_create(model_t model, bounds_t bounds, const context_options_t* options, context_t* context);
void anydim_context_destroy(context_t context);
int32_t anydim_context_run(context_t context, const view_t* inputs, int32_t input_count, view_t* outputs, int32_t output_count,
                           const void* options);

#define EXPECT(condition)                                                                       \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #condition, anydim_last_error()); \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

static void run_model(engine_t engine, const char* path) {
  /* Behind each struct lies what the library must neither read nor write. */
  struct {
    model_options_t options;
    unsigned char after[64];
  } load = {{sizeof(model_options_t), 0, 0, 0, 1}, {0}};
  struct {
    context_options_t options;
    unsigned char after[64];
  } how = {{sizeof(context_options_t), 1, 0, 0, 0, 0, NULL, 0}, {0}};
  struct {
    value_info_t info;
    unsigned char after[64];
  } in;
  struct {
    view_t view;
    unsigned char after[64];
  } out;
  static float pixels[2 * 3 * 48 * 192];
  const view_t x = {pixels, 1, 0, {4, 0, {2, 3, 48, 192}}, {0, 0, {0}}, {0, 0}};
  dim_t promised[4];
  model_t model;
  bounds_t bounds;
  context_t context;
  memset(load.after, 0xA5, sizeof(load.after));
  memset(how.after, 0xA5, sizeof(how.after));
  memset(&in, 0xA5, sizeof(in));
  memset(&out, 0, sizeof(out.view));
  memset(out.after, 0xA5, sizeof(out.after));
  in.info.size = sizeof(in.info);
  out.view.dtype = 1; /* asked for, and left to the context */
  EXPECT(anydim_model_load_file(engine, path, &load.options, &model) == 0);
  EXPECT(anydim_model_get_input(model, 0, &in.info) == 0);
  EXPECT(strcmp(in.info.name.data, "x") == 0 && in.info.dtype == 1 && in.info.dims.rank == 4 && in.info.dims.values[1] == 3);
  EXPECT(strcmp(in.info.symbols[1].data, "3") == 0 && in.after[0] == 0xA5);
  promised[0] = anydim_dim_dynamic(1, 4);
  for (int i = 1; i < 4; ++i) promised[i] = anydim_dim_fixed(x.dims.values[i]);
  EXPECT(anydim_bounds_create(&bounds) == 0 && anydim_bounds_set(bounds, "x", 4, promised) == 0);
  struct {
    short_options_t options;
    unsigned char after[64];
  } few = {{sizeof(short_options_t), 1, 0}, {0}};
  int64_t bytes = 0;
  memset(few.after, 0xA5, sizeof(few.after));
  EXPECT(anydim_model_get_bytes_needed(model, bounds, &few.options, 0, &bytes) == 0 && bytes > 0);
  void* memory = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
  how.options.buffer = memory;
  how.options.buffer_bytes = bytes;
  EXPECT(memory != NULL && anydim_context_create(model, bounds, &how.options, &context) == 0);
  EXPECT(anydim_context_run(context, &x, 1, &out.view, 1, NULL) == 0 && out.after[0] == 0xA5);
  EXPECT(out.view.dims.rank == 2 && out.view.dims.values[0] == 2 && out.view.dims.values[1] == 2);
  const float* scores = out.view.data;
  EXPECT(scores[0] + scores[1] > 0.9999f && scores[0] + scores[1] < 1.0001f && scores[0] == scores[2]);
  anydim_context_destroy(context);
  anydim_bounds_destroy(bounds);
  anydim_model_destroy(model);
  free(memory);
}

static void run_primitive(engine_t engine) {
  const unary_t relu = {sizeof(unary_t), 5, 1, 0.f, 0.f, 0};
  const dim_t any = anydim_dim_dynamic(0, 100);
  float from[3] = {-1.f, 0.5f, 2.f}, to[3] = {7.f, 7.f, 7.f};
  desc_t desc;
  primitive_t primitive;
  stream_t stream;
  const view_t x = {from, 1, 0, {1, 0, {3}}, {0, 0, {0}}, {0, 0}};
  view_t y = {to, 1, 0, {1, 0, {3}}, {0, 0, {0}}, {0, 0}};
  EXPECT(anydim_desc_create(1, 1, &any, 2, &desc) == 0);
  EXPECT(anydim_primitive_create(engine, &relu, NULL, &desc, 1, NULL, &primitive) == 0);
  EXPECT(anydim_stream_create(engine, NULL, &stream) == 0);
  EXPECT(anydim_primitive_execute(primitive, stream, &x, 1, &y, 1) == 0);
  EXPECT(to[0] == 0.f && to[1] == 0.5f && to[2] == 2.f);
  EXPECT(anydim_primitive_execute(primitive, stream, NULL, 1, &y, 1) == 1 && strstr(anydim_last_error(), "inputs") != NULL);
  anydim_stream_destroy(stream);
  anydim_primitive_destroy(primitive);
  anydim_desc_destroy(desc);
}

int main(int argc, char** argv) {
  engine_t engine;
  EXPECT(argc == 2);
  EXPECT(anydim_engine_create(1, 0, NULL, &engine) == 0);
  run_model(engine, argv[1]);
  run_primitive(engine);
  anydim_engine_destroy(engine);
  printf("a program of version 0.1.0 on the library %s\n", anydim_version());
  return 0;
}
