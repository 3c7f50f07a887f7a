/* SPDX-License-Identifier: Apache-2.0
 * Runs an image classifier (PP-OCR's cls: is a line of text upside down?) on a grey image and prints its scores.
 *   cc classify.c $(pkg-config --cflags --libs anydim) -o classify && ./classify cls.onnx */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>

static void check(anydim_status_t status) {
  if (status == ANYDIM_STATUS_OK) return;
  fprintf(stderr, "%s\n", anydim_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  static float pixels[3 * 48 * 192]; /* values from -1 to 1; all zero is grey */
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_context_t run;
  const anydim_view_t x = {.data = pixels, .dtype = ANYDIM_F32, .dims = {4, 0, {1, 3, 48, 192}}};
  anydim_view_t scores = {.dtype = ANYDIM_F32}; /* without data: it stays where the run leaves it */
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  check(anydim_model_load_file(engine, argc > 1 ? argv[1] : "cls.onnx", NULL, &model));
  check(anydim_context_create(model, NULL, NULL, &run));
  check(anydim_context_run(run, &x, 1, &scores, 1, NULL));
  for (int64_t i = 0; i < scores.dims.values[1]; ++i) printf("score %d: %.6f\n", (int)i, ((const float*)scores.data)[i]);
  return 0; /* handles go with the process; anydim_*_destroy gives them up earlier */
}
