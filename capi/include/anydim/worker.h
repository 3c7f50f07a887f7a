/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* The background worker, which measures plans while others compute. */
#ifndef ANYDIM_WORKER_H
#define ANYDIM_WORKER_H

#include "anydim/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A command for the background worker. */
typedef int32_t anydim_worker_action_t;
enum {
  ANYDIM_WORKER_PAUSE = 0, /* To rest after the request it is serving. */
  ANYDIM_WORKER_RESUME = 1, /* To go on. */
  /*
   * To stop at its next look, drop what is queued, and take nothing more in this process (as ANYDIM_WORKER=off does
   * from the start).
   */
  ANYDIM_WORKER_TURN_OFF = 2
};

/* The background worker's counters. */
typedef struct anydim_worker_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t running; /* 1 if its thread was started. */
  int32_t paused; /* 1 if it is paused. */
  int32_t turned_off; /* 1 if it is off for the rest of the process. */
  int64_t queued; /* Requests that wait or are being served. */
  int64_t requested; /* Requests accepted. */
  int64_t dropped; /* Requests dropped because the queue was full or the time budget used up. */
  int64_t repeated; /* Requests for what had been served before. */
  int64_t served; /* Requests served. */
  int64_t failed; /* Requests that failed; nothing else is affected. */
  int64_t busy_ns; /* Time at work. */
} anydim_worker_info_t;
#define ANYDIM_WORKER_INFO_INIT {sizeof(anydim_worker_info_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * Commands the background worker to pause, to go on, or to end. It serves contexts and primitives with the policy
 * reusable_first, on one thread of the lowest priority; its limits are ANYDIM_WORKER_SECONDS (60 of work in a
 * process) and ANYDIM_WORKER_BYTES (256 MB for one request). Any thread may call.
 * Errors: invalid_argument for an action that is none.
 * Example:
 *     anydim_worker_control(ANYDIM_WORKER_PAUSE); // before a measurement of the program
 * - action: What to do.
 *
 * Experimental; slot 151; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_worker_control(anydim_worker_action_t action) ANYDIM_NOTHROW;

/*
 * Waits until everything that was requested before is done. Errors: timed_out if that takes longer than the given
 * time, or never comes because the worker is paused or off.
 * Example:
 *     if (anydim_worker_drain(60000) == ANYDIM_STATUS_TIMED_OUT) puts("it still measures");
 * - timeout_ms: Most time to wait; negative: without limit.
 *
 * Experimental; slot 152; may block; fails with timed_out.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_worker_drain(int64_t timeout_ms) ANYDIM_NOTHROW;

/*
 * Returns the background worker's counters. Any thread may call.
 * Example:
 *     anydim_worker_info_t info = ANYDIM_WORKER_INFO_INIT;
 *     anydim_worker_query(&info);
 *     printf("%lld plans measured\n", (long long)info.served);
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 153; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_worker_query(anydim_worker_info_t* info) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_WORKER_H */
