/* SPDX-License-Identifier: Apache-2.0
 * A text recogniser in a program of another age: C89, a plain Makefile, its own memory. The widths of the images come from the command
 * line. All memory of the runs is taken once, before the first of them, and is as much as the widest image needs.
 *   make ANYDIM=/usr/local && ./recognize rec.onnx 71 320 */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>

#define HEIGHT 48
#define WIDEST 640

static float pixels[3 * HEIGHT * WIDEST];

static void check(anydim_status_t status) {
  if (status != ANYDIM_STATUS_OK) {
    fprintf(stderr, "recognize: %s\n", anydim_last_error());
    exit(EXIT_FAILURE);
  }
}

/* A context that serves any width up to WIDEST, in memory that the program took. */
static anydim_context_t make_context(anydim_model_t model, void** memory) {
  anydim_dim_t dims[4];
  anydim_bounds_t bounds;
  anydim_context_t context;
  anydim_value_info_t input = ANYDIM_VALUE_INFO_INIT;
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;

  dims[0] = anydim_dim_fixed(1);
  dims[1] = anydim_dim_fixed(3);
  dims[2] = anydim_dim_fixed(HEIGHT);
  dims[3] = anydim_dim_dynamic(16, WIDEST);
  check(anydim_model_get_input(model, 0, &input));
  check(anydim_bounds_create(&bounds));
  check(anydim_bounds_set(bounds, input.name.data, 4, dims));
  check(anydim_model_get_bytes_needed(model, bounds, NULL, 0, &options.buffer_bytes));
  *memory = malloc((size_t)options.buffer_bytes + 64);
  if (*memory == NULL) {
    fprintf(stderr, "recognize: no memory\n");
    exit(EXIT_FAILURE);
  }
  options.buffer = (void*)(((size_t)*memory + 63) / 64 * 64);
  check(anydim_context_create(model, bounds, &options, &context));
  anydim_bounds_destroy(bounds);
  printf("%lu kB for any width up to %d\n", (unsigned long)(options.buffer_bytes / 1024), WIDEST);
  return context;
}

int main(int argc, char** argv) {
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_context_t context;
  anydim_view_t x, y;
  void* memory;
  int i, d;

  if (argc < 3) {
    fprintf(stderr, "usage: recognize MODEL WIDTH...\n");
    return EXIT_FAILURE;
  }
  for (i = 0; i < 3 * HEIGHT * WIDEST; ++i) pixels[i] = 0.5f;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  check(anydim_model_load_file(engine, argv[1], NULL, &model));
  context = make_context(model, &memory);
  for (i = 2; i < argc; ++i) {
    static const anydim_view_t none; /* zero throughout */
    x = none;
    x.data = pixels;
    x.dtype = ANYDIM_F32;
    x.dims.rank = 4;
    x.dims.values[0] = 1;
    x.dims.values[1] = 3;
    x.dims.values[2] = HEIGHT;
    x.dims.values[3] = atoi(argv[i]);
    y = none;
    y.dtype = ANYDIM_F32; /* it stays in the context's memory until the next run */
    check(anydim_context_run(context, &x, 1, &y, 1, NULL));
    printf("width %s:", argv[i]);
    for (d = 0; d < y.dims.rank; ++d) printf(" %d", (int)y.dims.values[d]);
    printf(", first %g\n", ((const float*)y.data)[0]);
  }
  anydim_context_destroy(context);
  free(memory);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return EXIT_SUCCESS;
}
