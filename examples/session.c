/* SPDX-License-Identifier: Apache-2.0
 * A server in small: four threads classify batches of their own sizes on one session, which has two contexts. Nobody waits longer
 * than a minute, and results come in memory that the session provides.
 *   cc session.c $(pkg-config --cflags --libs anydim) -lpthread -o session && ./session cls.onnx */
#include <anydim/anydim.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static anydim_session_t session;
static int32_t scores_index;
static float pixels[4 * 3 * 48 * 192]; /* zero is grey; the threads read the same images */

typedef struct {
  int64_t images;
  float first_score;
  char message[256];
} job_t;

static void* serve(void* argument) {
  job_t* job = argument;
  const anydim_view_t x = {.data = pixels, .dtype = ANYDIM_F32, .dims = {4, 0, {job->images, 3, 48, 192}}};
  anydim_view_t outputs[1] = {{.dtype = 0}};
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.timeout_ms = 60000;
  for (int i = 0; i < 10; ++i) { /* a new size at any call costs nothing; the last result is printed */
    outputs[scores_index] = (anydim_view_t){.dtype = ANYDIM_F32};
    if (anydim_session_run(session, &x, 1, outputs, 1, &options) != ANYDIM_STATUS_OK) {
      snprintf(job->message, sizeof(job->message), "%s", anydim_last_error());
      return NULL;
    }
    job->first_score = ((const float*)outputs[scores_index].data)[0];
    anydim_result_release(outputs[scores_index].data);
  }
  return NULL;
}

static void check(anydim_status_t status) {
  if (status == ANYDIM_STATUS_OK) return;
  fprintf(stderr, "%s\n", anydim_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_value_info_t output = ANYDIM_VALUE_INFO_INIT;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  check(anydim_model_load_file(engine, argc > 1 ? argv[1] : "cls.onnx", NULL, &model));
  check(anydim_model_get_output(model, 0, &output));
  check(anydim_model_find_output(model, output.name.data, &scores_index)); /* where a program knows the name */
  check(anydim_session_create(model, NULL, NULL, 2, &session));

  pthread_t threads[4];
  job_t jobs[4];
  for (int i = 0; i < 4; ++i) {
    jobs[i] = (job_t){.images = 1 + i};
    if (pthread_create(&threads[i], NULL, serve, &jobs[i]) != 0) return 1;
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    if (jobs[i].message[0] != 0) return fprintf(stderr, "%s\n", jobs[i].message), 1;
    printf("%d images, first score %.6f\n", (int)jobs[i].images, jobs[i].first_score);
  }
  anydim_session_destroy(session);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return 0;
}
