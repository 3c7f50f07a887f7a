/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Sessions, in which models run for any number of threads. */
#ifndef ANYDIM_SESSION_H
#define ANYDIM_SESSION_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/model.h"
#include "anydim/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first
 * served. Many threads may use it at once. It keeps its model alive.
 */
typedef const struct anydim_session_s* anydim_session_t;

/* A session's contexts. */
typedef struct anydim_session_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t contexts; /* Contexts that exist. */
  int32_t limit; /* Most that may exist. */
  int32_t in_use; /* Those in which something runs now. */
  int32_t waiting; /* Runs that wait for one now. */
  int32_t reserved; /* Zero. */
  int64_t growths; /* How often their memory grew, up to their last runs; always 0 with bounds. */
  int64_t arena_bytes; /* Bytes of their memory, after their last runs. */
} anydim_session_info_t;
#define ANYDIM_SESSION_INFO_INIT {sizeof(anydim_session_info_t), 0, 0, 0, 0, 0, 0, 0}

/*
 * Makes a session and its first context. A context is what one run needs: memory, and the values of the dims.
 * Further ones are made when runs need them at the same time. Bounds and options hold for each context. With bounds
 * it takes all memory that a run within them can need when it is made, and refuses shapes outside them with
 * out_of_bounds. Without bounds its memory grows when a larger shape comes.
 * Errors: invalid_argument for a negative number of contexts, for options.buffer, and for bounds that contradict the
 * model's dims; not_found for bounds of an input that the model lacks.
 * Example:
 *     anydim_session_create(model, bounds, NULL, 4, &session);
 * - model: The model.
 * - bounds (may be null): Bounds, or null for none.
 * - options (may be null): Options of its contexts, or null for the defaults.
 * - contexts: Most contexts, and so most runs at the same time; 0 = the engine's threads, at most 8.
 * - session (out, the caller destroys it): The session.
 *
 * Stable since 0.1; slot 187; may block; fails with invalid_argument, out_of_bounds, not_found, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_create(anydim_model_t model, anydim_bounds_t bounds, const
    anydim_context_options_t* options, int32_t contexts, anydim_session_t* session) ANYDIM_NOTHROW;

/*
 * Destroys a session; runs that are active or waiting finish.
 * - session: The handle, or null.
 *
 * Stable since 0.1; slot 188.
 */
ANYDIM_API void anydim_session_destroy(anydim_session_t session) ANYDIM_NOTHROW;

/*
 * Runs the model in a context of the session, on this thread or on one of the session's own. Inputs and outputs are
 * in the model's order; anydim_model_find_output finds one by its name. The caller says of each output where it
 * goes:
 * - With data, it is written there. It must have the dims that the model gives for these inputs, and may have any
 *   strides.
 * - With a dtype and no data, it gets memory of its own, and the call fills in data, dims and strides. It is valid
 *   until anydim_result_release, also after the session is destroyed.
 * - With all members zero, the caller does not want it. That saves a copy.
 * Errors: invalid_argument for a wrong number, dtype, rank or dim (the message names the input, and which sizes the
 * model takes), out_of_bounds for a dim outside the bounds, invalid_data for values found wrong while running,
 * timed_out if no context came free, or with batching no batch began, in options.timeout_ms, queue_full
 * (anydim_session_start_batching), cancelled if options.cancellation is on or options.interrupted said so.
 * Thread rule: any number of threads; who asked first is served first.
 * Example:
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     anydim_session_run(session, &x, 1, &scores, 1, NULL);
 *     anydim_result_release(scores.data);
 * - session: The session.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors, as said above.
 * - output_count: Their number, or 0 to ask for none.
 * - options (may be null): Options, or null for the defaults.
 *
 * Stable since 0.1; slot 189; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented,
 * timed_out, queue_full, closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_run(anydim_session_t session, const anydim_view_t* inputs,
    int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options)
    ANYDIM_NOTHROW;

/*
 * Returns the numbers of a session's contexts, of running ones, and of waiting runs. It waits for no run.
 * Example:
 *     anydim_session_info_t info = ANYDIM_SESSION_INFO_INIT;
 *     anydim_session_query(session, &info);
 *     printf("%d of %d contexts are in use\n", (int)info.in_use, (int)info.contexts);
 * - session: The session.
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 190; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_query(anydim_session_t session, anydim_session_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Returns the model of a session, as a handle of the caller's: names, dtypes and dims of inputs and outputs need no
 * second variable.
 * Example:
 *     anydim_session_acquire_model(session, &model);
 *     anydim_model_find_output(model, "scores", &index);
 *     anydim_model_destroy(model);
 * - session: The session.
 * - model (out, the caller destroys it): The model.
 *
 * Experimental; slot 305.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_acquire_model(anydim_session_t session, anydim_model_t*
    model) ANYDIM_NOTHROW;

/*
 * Explains how the model runs at the dims of these inputs, as JSON: kernels, layouts, memory, and why other kernels
 * were refused (anydim_context_explain has the details). Without inputs it explains the last run of a context that
 * is free.
 * Errors: those of anydim_session_run, not_found where nothing has run yet.
 * Example:
 *     anydim_session_explain(session, &x, 1, &text);
 *     anydim_string_t json;
 *     anydim_text_get_data(text, &json);
 *     puts(json.data);
 *     anydim_text_destroy(text);
 * - session: The session.
 * - inputs: Input tensors, or none.
 * - input_count: Their number, or 0.
 * - text (out, the caller destroys it): The explanation.
 *
 * Experimental; slot 191; may block; fails with invalid_argument, out_of_bounds, not_found, invalid_data,
 * unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_explain(anydim_session_t session, const anydim_view_t*
    inputs, int32_t input_count, anydim_text_t* text) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_SESSION_H */
