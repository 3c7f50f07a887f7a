/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Dynamic batching: runs of many callers in one session are joined along the batch axis. */
#ifndef ANYDIM_BATCHING_H
#define ANYDIM_BATCHING_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/context.h"
#include "anydim/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Called once how a submitted request ended. Outputs that the library placed are the receiver's until
 * anydim_result_release; if the status is not ANYDIM_STATUS_OK there are none, and anydim_last_error of this thread
 * has more.
 * Thread rule: A thread of the session's, or the one that stops its batching. It should return soon, and must not
 * stop the batching or destroy the session.
 * - user: The environment that was given with it.
 * - status: How it ended: a number of the statuses.
 * - outputs: Its outputs, as many as the model has; those that were not asked for have no data.
 * - output_count: Their number; 0 if it failed.
 */
typedef void (*anydim_done_callback_t)(void* user, int32_t status, const anydim_view_t* outputs, int32_t output_count);

/* Options of the batching of a session. */
typedef struct anydim_batching_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t rows; /* Most rows of a batch. A request with more runs by itself. */
  int64_t wait_us; /* Longest wait, in microseconds, for requests that may be expected; 0: none. */
  int32_t waiting; /* Most requests that wait; further ones get queue_full at once. */
  int32_t reserved; /* Zero. */
} anydim_batching_options_t;
#define ANYDIM_BATCHING_OPTIONS_INIT {sizeof(anydim_batching_options_t), 8, 1000, 1024, 0}

/* What the batching of a session did and does. Counters begin when it is started first. */
typedef struct anydim_batching_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t started; /* 1 if runs are joined now. */
  int64_t waiting; /* Requests that wait now. */
  int64_t running; /* Batches that run now. */
  int64_t requests; /* Requests that ended well. */
  int64_t rows; /* Their rows. */
  int64_t batches; /* Batches that they ran in; a request that ran by itself is one. */
  int64_t largest_batch; /* Rows of the largest. */
  int64_t failed; /* Requests that failed in a run, each with a status of its own. */
  int64_t cancelled; /* Requests that were cancelled. */
  int64_t late; /* Requests whose time was over before their batch began. */
  int64_t refused; /* Requests that found too many waiting. */
  int64_t p50_ns; /* Nanoseconds from a request's call to its end: half of the last 4,096 took no longer. */
  int64_t p99_ns; /* The same of 99 in 100. */
  int64_t rows_per_second; /* Rows a second, from the beginning of the same requests to now. */
} anydim_batching_info_t;
#define ANYDIM_BATCHING_INFO_INIT {sizeof(anydim_batching_info_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * From now on runs of the session are joined: those whose inputs agree in all dims but the rows become one batch,
 * and each gets the rows of the result that are its own, with the same bits as alone. The caller promises that the
 * model treats rows independently. A caller who is alone runs at once, without a copy; when others came at the same
 * time before, a batch waits for as many, at most options.wait_us. A batch that fails is run again request by
 * request, so that others' faults harm no other request. A row of 16 KiB and more of an output that the library
 * places is a part of its batch's memory, which is released with the last of them. A run waits for its turn as long
 * as its own timeout_ms says; its cancellation is looked at when its batch begins, and its signals only while it
 * waits.
 * Errors: unimplemented for a model in which no first dim of an input is free, of which an output does not carry
 * that axis, whose sizes follow from data, or in which a node can be seen to mix rows (the message names it);
 * invalid_argument for options out of range, or for more rows than the session's bounds allow; busy if batching was
 * started.
 * Thread rule: any thread.
 * Example:
 *     anydim_batching_options_t batching = ANYDIM_BATCHING_OPTIONS_INIT;
 *     batching.rows = 16;
 *     anydim_session_start_batching(session, &batching);
 * - session: The session.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 291; fails with invalid_argument, unimplemented, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_start_batching(anydim_session_t session, const
    anydim_batching_options_t* options) ANYDIM_NOTHROW;

/*
 * From now on runs of the session are not joined. Returns when no request is left: those that wait are run before,
 * or get cancelled. It does nothing where batching was not started. A session that is destroyed cancels.
 * Thread rule: any thread, but not within a function that a request calls when it ends.
 * - session: The session.
 * - cancel: 1: requests that wait are cancelled; 0: they are run.
 *
 * Experimental; slot 292; may block.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_stop_batching(anydim_session_t session, int32_t cancel)
    ANYDIM_NOTHROW;

/*
 * Describes what the batching of a session did. It waits for no run.
 * - session: The session.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 293; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_query_batching(anydim_session_t session,
    anydim_batching_info_t* info) ANYDIM_NOTHROW;

/*
 * As anydim_session_run in a session whose batching was started, but that it does not wait: done is called when the
 * request has ended. Inputs are copied before it returns. The caller's memory for outputs must stay valid until
 * then. options.interrupted does not count. Errors: invalid_argument for inputs that are no rows for a batch;
 * queue_full if too many requests wait; closed if batching is not started. After an error done is not called.
 * Thread rule: any number of threads.
 * Example:
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     anydim_session_submit(session, &x, 1, &scores, 1, NULL, on_scores, NULL);
 * - session: The session.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): What is wanted of the outputs, as in anydim_session_run.
 * - output_count: Their number.
 * - options (may be null): Options, or null for the defaults.
 * - done: Called when it has ended.
 * - user (may be null): Passed to done.
 *
 * Experimental; slot 294; fails with invalid_argument, queue_full, closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_session_submit(anydim_session_t session, const anydim_view_t*
    inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options,
    anydim_done_callback_t done, void* user) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_BATCHING_H */
