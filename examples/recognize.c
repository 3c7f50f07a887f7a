/* SPDX-License-Identifier: Apache-2.0
 * A text recogniser on images of two widths, in C: nothing is prepared for either.
 *   cc recognize.c $(pkg-config --cflags --libs anydim) -o recognize && ./recognize rec.onnx */
#include <anydim/anydim.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static float pixels[3 * 48 * 320];
  const int64_t widths[2] = {71, 320};
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_session_t session;
  for (int i = 0; i < 3 * 48 * 320; ++i) pixels[i] = 0.5f;
  if (anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine) != ANYDIM_STATUS_OK ||
      anydim_model_load_file(engine, argc > 1 ? argv[1] : "rec.onnx", NULL, &model) != ANYDIM_STATUS_OK ||
      anydim_session_create(model, NULL, NULL, 0, &session) != ANYDIM_STATUS_OK)
    return fprintf(stderr, "%s\n", anydim_last_error()), 1;
  for (int i = 0; i < 2; ++i) {
    const anydim_view_t x = {.data = pixels, .dtype = ANYDIM_F32, .dims = {4, 0, {1, 3, 48, widths[i]}}};
    anydim_view_t y = {.dtype = ANYDIM_F32};
    if (anydim_session_run(session, &x, 1, &y, 1, NULL) != ANYDIM_STATUS_OK) return fprintf(stderr, "%s\n", anydim_last_error()), 1;
    printf("width %d:", (int)widths[i]);
    for (int d = 0; d < y.dims.rank; ++d) printf(" %d", (int)y.dims.values[d]);
    printf(", first %g\n", ((const float*)y.data)[0]);
    anydim_result_release(y.data);
  }
  anydim_session_destroy(session);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return 0;
}
