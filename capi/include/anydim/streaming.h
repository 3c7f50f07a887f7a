/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Models that are computed chunk by chunk along one axis, with the bits of the whole. */
#ifndef ANYDIM_STREAMING_H
#define ANYDIM_STREAMING_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/context.h"
#include "anydim/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One sequence that comes in chunks. Make one per sequence; any number of them share contexts. One user at a time.
 * It keeps its session alive.
 */
typedef struct anydim_streaming_s* anydim_streaming_t;

/* What a sequence of chunks has come to, and what is known of any. */
typedef struct anydim_streaming_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  /* So many elements of the axis have come when all outputs along it have begun; -1: more than 2^31. */
  int32_t first_after;
  int64_t received; /* Elements of the axis that have come. */
  int64_t chunks; /* Chunks that were computed since it was made or reset. */
  int64_t bytes; /* Bytes that it holds of its own, of what later chunks read again. */
  int64_t most_chunk; /* Most elements of a chunk; 0 = any number. */
} anydim_streaming_info_t;
#define ANYDIM_STREAMING_INFO_INIT {sizeof(anydim_streaming_info_t), 0, 0, 0, 0, 0}

/*
 * Begins a sequence that comes in chunks. The session is of a model that was loaded with options.streaming, the
 * inputs and the axes along which they are streamed. Its contexts for chunks are made with the first sequence, as
 * many as the session may have for runs, with its options; its bounds count for the other dims. With
 * options.streaming_chunk and bounds of all other dims they never grow.
 * Errors: invalid_argument for a model that was loaded without options.streaming.
 * Example:
 *     anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
 *     options.streaming = "audio=2"; // chunks along axis 2 of the input audio
 *     options.streaming_chunk = 1600;
 *     anydim_model_load_file(engine, "denoiser.onnx", &options, &model);
 *     anydim_session_create(model, NULL, NULL, 0, &session);
 *     anydim_streaming_create(session, &streaming);
 * - session: The session.
 * - streaming (out, the caller destroys it): The sequence.
 *
 * Experimental; slot 360; may block; fails with invalid_argument, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_streaming_create(anydim_session_t session, anydim_streaming_t*
    streaming) ANYDIM_NOTHROW;

/*
 * Ends a sequence, wherever it is, and frees its memory.
 * - streaming: The handle, or null.
 *
 * Experimental; slot 361.
 */
ANYDIM_API void anydim_streaming_destroy(anydim_streaming_t streaming) ANYDIM_NOTHROW;

/*
 * Computes what a chunk makes computable. Inputs and outputs are the model's, in its order, as in
 * anydim_session_run: of an input that is streamed the next elements along its axis, 0 or more, as many of each; the
 * others as they are, and alike with each chunk. An output along the axis has the elements that are new, maybe none;
 * all outputs together, one chunk after the other, have the bits of the whole. One that has no such axis (the last
 * state of a recurrent layer) comes with the last chunk; before it its view stays as it is. A call that fails or is
 * cancelled leaves the sequence as it was.
 * Errors: as anydim_session_run; out_of_bounds for a chunk of more than options.streaming_chunk elements;
 * invalid_argument after the last chunk, for chunks of different lengths, and at the end for a length at which
 * tensors that the model joins do not meet.
 * Thread rule: one call of a sequence at a time, a second returns busy; calls of several sequences may run at the
 * same time.
 * Example:
 *     anydim_view_t voice = {.dtype = ANYDIM_F32};
 *     anydim_streaming_push(streaming, &chunk, 1, 0, &voice, 1, NULL);
 *     anydim_result_release(voice.data);
 * - streaming: The sequence.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - last: Not 0: this chunk, which may be empty, is the last.
 * - outputs (in and out): Output tensors, as in anydim_session_run.
 * - output_count: Their number, or 0 to ask for none.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 362; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * timed_out, closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_streaming_push(anydim_streaming_t streaming, const anydim_view_t*
    inputs, int32_t input_count, int32_t last, anydim_view_t* outputs, int32_t output_count, const
    anydim_run_options_t* options) ANYDIM_NOTHROW;

/*
 * Begins a new sequence, with the memory that there is. Errors: busy while another call uses the sequence; closed if
 * it is destroyed meanwhile.
 * Example:
 *     anydim_streaming_reset(streaming);
 * - streaming: The sequence.
 *
 * Experimental; slot 363; fails with busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_streaming_reset(anydim_streaming_t streaming) ANYDIM_NOTHROW;

/*
 * Returns counters of a sequence, and what is known of any.
 * Example:
 *     anydim_streaming_info_t info = ANYDIM_STREAMING_INFO_INIT;
 *     anydim_streaming_query(streaming, &info);
 * - streaming: The sequence.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 364; fails with invalid_argument, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_streaming_query(anydim_streaming_t streaming,
    anydim_streaming_info_t* info) ANYDIM_NOTHROW;

/*
 * Returns the axis along which an output comes, chunk by chunk. Errors: not_found past the last output.
 * Example:
 *     int32_t axis;
 *     anydim_streaming_get_axis(streaming, 0, &axis);
 * - streaming: The sequence.
 * - output: Which output of the model, from 0.
 * - axis (out): The axis, from 0; -1 = none: it comes with the last chunk.
 *
 * Experimental; slot 365; fails with not_found, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_streaming_get_axis(anydim_streaming_t streaming, int32_t output,
    int32_t* axis) ANYDIM_NOTHROW;

/*
 * Returns how many bytes one sequence and the contexts that compute one chunk need at most, whatever comes within
 * options.streaming_chunk and the bounds. Errors: invalid_argument where one of the two is missing.
 * Example:
 *     int64_t bytes;
 *     anydim_streaming_get_bytes_needed(streaming, &bytes);
 * - streaming: The sequence.
 * - bytes (out): The bytes.
 *
 * Experimental; slot 366; fails with invalid_argument, out_of_bounds, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_streaming_get_bytes_needed(anydim_streaming_t streaming, int64_t*
    bytes) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_STREAMING_H */
