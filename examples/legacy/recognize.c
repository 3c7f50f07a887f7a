/* SPDX-License-Identifier: Apache-2.0
 * A text recogniser in a program of another age: C89, a plain Makefile, and no function but stable ones. The widths of the images come
 * from the command line. All memory of the runs is allocated once, before the first of them, and is as much as the widest image needs.
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

/* A session of one run at a time, for any width up to WIDEST. */
static anydim_session_t make_session(anydim_model_t model) {
  anydim_dim_t dims[4];
  anydim_bounds_t bounds;
  anydim_session_t session;
  anydim_value_info_t input = ANYDIM_VALUE_INFO_INIT;
  anydim_session_info_t info = ANYDIM_SESSION_INFO_INIT;

  dims[0] = anydim_dim_fixed(1);
  dims[1] = anydim_dim_fixed(3);
  dims[2] = anydim_dim_fixed(HEIGHT);
  dims[3] = anydim_dim_dynamic(16, WIDEST);
  check(anydim_model_get_input(model, 0, &input));
  check(anydim_bounds_create(&bounds));
  check(anydim_bounds_set(bounds, input.name.data, 4, dims));
  check(anydim_session_create(model, bounds, NULL, 1, &session));
  check(anydim_session_query(session, &info));
  anydim_bounds_destroy(bounds);
  printf("%lu kB for any width up to %d\n", (unsigned long)(info.arena_bytes / 1024), WIDEST);
  return session;
}

int main(int argc, char** argv) {
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_session_t session;
  anydim_view_t x, y;
  int i, d;

  if (argc < 3) {
    fprintf(stderr, "usage: recognize MODEL WIDTH...\n");
    return EXIT_FAILURE;
  }
  for (i = 0; i < 3 * HEIGHT * WIDEST; ++i) pixels[i] = 0.5f;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  check(anydim_model_load_file(engine, argv[1], NULL, &model));
  session = make_session(model);
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
    y.dtype = ANYDIM_F32; /* no data: the library allocates it */
    check(anydim_session_run(session, &x, 1, &y, 1, NULL));
    printf("width %s:", argv[i]);
    for (d = 0; d < y.dims.rank; ++d) printf(" %d", (int)y.dims.values[d]);
    printf(", first %g\n", ((const float*)y.data)[0]);
    anydim_result_release(y.data);
  }
  anydim_session_destroy(session);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return EXIT_SUCCESS;
}
