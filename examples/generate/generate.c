/* SPDX-License-Identifier: Apache-2.0
 * Text from a decoder with a cache, in C: the prompt in one step, then a token per step. The caches of keys and values lie in a state of
 * the session, which each step appends to where it lies.
 *
 *     cc generate.c -lanydim -lm -o generate
 *     ./generate model.onnx 40 0 464 3290        40 tokens behind the prompt 464 3290, always the most likely one
 *     ./generate model.onnx 40 0.8 464 3290      drawn, at a temperature of 0.8
 *
 * The model takes input_ids and, where it has them, position_ids, attention_mask, seqlens_k and total_sequence_length, and gives logits
 * first; its caches are inputs past* and outputs present*, in the same order, and grow along their axis 2.
 */
#include <anydim/anydim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INPUTS 8

static void check(anydim_status_t status) {
  if (status == ANYDIM_STATUS_OK) return;
  fprintf(stderr, "generate: %s\n", anydim_last_error());
  exit(1);
}

typedef struct {
  anydim_state_t state;
  int64_t length, most;
  int32_t inputs; /* that belong to no part of the state, in the model's order */
  const char* names[MOST_INPUTS];
  anydim_dtype_t dtypes[MOST_INPUTS];
  int32_t ranks[MOST_INPUTS];
  int64_t* numbers[MOST_INPUTS]; /* room for each */
} decoder_t;

static int begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

static void make_decoder(anydim_model_t model, anydim_session_t session, int64_t most, decoder_t* d) {
  int32_t inputs, outputs, present = 0;
  check(anydim_model_get_counts(model, &inputs, &outputs));
  check(anydim_state_create(session, most, &d->state));
  d->length = 0;
  d->most = most;
  d->inputs = 0;
  for (int32_t i = 0; i < inputs; ++i) {
    anydim_value_info_t in = ANYDIM_VALUE_INFO_INIT, out = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_get_input(model, i, &in));
    if (begins(in.name.data, "past")) {
      do check(anydim_model_get_output(model, present++, &out));
      while (!begins(out.name.data, "present"));
      check(anydim_state_add(d->state, in.name.data, out.name.data, 2));
    } else {
      if (d->inputs == MOST_INPUTS) {
        fprintf(stderr, "generate: the model has more than %d inputs\n", MOST_INPUTS);
        exit(1);
      }
      d->names[d->inputs] = in.name.data;
      d->dtypes[d->inputs] = in.dtype;
      d->ranks[d->inputs] = in.dims.rank;
      d->numbers[d->inputs] = calloc((size_t)most, sizeof(int64_t));
      if (d->numbers[d->inputs++] == NULL) {
        fprintf(stderr, "generate: no memory\n");
        exit(1);
      }
    }
  }
}

/* One integer of input i, of whichever width the model wants. */
static void set(decoder_t* d, int32_t i, int64_t at, int64_t value) {
  if (d->dtypes[i] == ANYDIM_I32) ((int32_t*)d->numbers[i])[at] = (int32_t)value;
  else d->numbers[i][at] = value;
}

/* The logits behind `count` tokens, [1, count, words]; the caller releases them. */
static anydim_view_t step(decoder_t* d, const int64_t* tokens, int64_t count) {
  anydim_view_t in[MOST_INPUTS] = {{0}}, logits = {.dtype = ANYDIM_F32};
  const int64_t total = d->length + count;
  for (int32_t i = 0; i < d->inputs; ++i) {
    int64_t n = count;
    if (strcmp(d->names[i], "input_ids") == 0) {
      for (int64_t t = 0; t < n; ++t) set(d, i, t, tokens[t]);
    } else if (strcmp(d->names[i], "position_ids") == 0) {
      for (int64_t t = 0; t < n; ++t) set(d, i, t, d->length + t);
    } else if (strcmp(d->names[i], "attention_mask") == 0) {
      n = total;
      for (int64_t t = 0; t < n; ++t) set(d, i, t, 1);
    } else { /* seqlens_k, total_sequence_length */
      n = 1;
      set(d, i, 0, strcmp(d->names[i], "seqlens_k") == 0 ? total - 1 : total);
    }
    in[i].data = d->numbers[i];
    in[i].dtype = d->dtypes[i];
    in[i].dims.rank = d->ranks[i];
    for (int32_t a = 0; a < d->ranks[i]; ++a) in[i].dims.values[a] = a + 1 == d->ranks[i] ? n : 1;
  }
  check(anydim_state_step(d->state, in, d->inputs, &logits, 1, NULL));
  d->length = total;
  return logits;
}

/* The most likely token, or one that is drawn in proportion to exp(logit / temperature). */
static int64_t choose(const float* logits, int64_t words, double temperature) {
  int64_t best = 0;
  for (int64_t w = 1; w < words; ++w)
    if (logits[w] > logits[best]) best = w;
  if (temperature == 0) return best;
  double sum = 0;
  for (int64_t w = 0; w < words; ++w) sum += exp((logits[w] - logits[best]) / temperature);
  double at = sum * ((double)rand() / ((double)RAND_MAX + 1));
  for (int64_t w = 0; w < words; ++w)
    if ((at -= exp((logits[w] - logits[best]) / temperature)) < 0) return w;
  return best;
}

int main(int argc, char** argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: generate model.onnx TOKENS TEMPERATURE PROMPT...\n");
    return 2;
  }
  const int64_t wanted = atoll(argv[2]), prompt = argc - 4;
  const double temperature = atof(argv[3]);
  anydim_engine_t engine;
  anydim_model_t model;
  anydim_session_t session;
  decoder_t decoder;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  check(anydim_model_load_file(engine, argv[1], NULL, &model));
  check(anydim_session_create(model, NULL, NULL, 1, &session));
  make_decoder(model, session, prompt + wanted, &decoder);
  int64_t* tokens = calloc((size_t)prompt, sizeof *tokens);
  if (tokens == NULL) return 1;
  for (int64_t i = 0; i < prompt; ++i) tokens[i] = atoll(argv[4 + i]);
  int64_t count = prompt;
  for (int64_t made = 0; made < wanted; ++made) {
    const anydim_view_t logits = step(&decoder, tokens, count);
    const int64_t words = logits.dims.values[2];
    tokens[0] = choose((const float*)logits.data + (count - 1) * words, words, temperature);
    count = 1;
    anydim_result_release(logits.data);
    printf("%lld ", (long long)tokens[0]);
    fflush(stdout);
  }
  anydim_state_info_t info = ANYDIM_STATE_INFO_INIT;
  check(anydim_state_query(decoder.state, &info));
  printf("\ncache: %lld tokens in %lld bytes; copied of old ones: %lld bytes\n", (long long)info.length, (long long)info.bytes,
         (long long)info.copied_bytes);
  for (int32_t i = 0; i < decoder.inputs; ++i) free(decoder.numbers[i]);
  free(tokens);
  anydim_state_destroy(decoder.state);
  anydim_session_destroy(session);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return 0;
}
