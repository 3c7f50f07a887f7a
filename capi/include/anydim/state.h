/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* States, which runs of a session hand on to the next: caches of keys and values, recurrent states. */
#ifndef ANYDIM_STATE_H
#define ANYDIM_STATE_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/context.h"
#include "anydim/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What one sequence of a session's runs remembers. Make one per conversation; any number of them share the session's
 * contexts. One user at a time. It keeps its session alive.
 */
typedef struct anydim_state_s* anydim_state_t;

/* A state's sizes and counters. */
typedef struct anydim_state_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t parts; /* Its parts: pairs of an input and an output. */
  /* How many of them steps append to, or write, where they lie. The others are written beside the old ones. */
  int32_t in_place;
  int32_t reserved; /* Zero. */
  int64_t length; /* Slices along the growing axis of its first part that grows; 0 if none does. */
  int64_t limit; /* Most slices of a growing axis; 0 = without limit. */
  int64_t steps; /* Steps that completed since it was made or reset. */
  int64_t bytes; /* Bytes of memory that it holds. */
  int64_t appended_bytes; /* Bytes that steps wrote of new slices and of parts that do not grow. */
  int64_t copied_bytes; /* Bytes that steps copied of old slices: 0 for parts in place, but for growths. */
  int64_t growths; /* How often memory of its parts was made again; with a limit never after the first step. */
  int64_t page; /* Slices of a page of the first part that lies in pages; 0 if none does. */
  int64_t pages; /* Pages that it has, of all parts. */
  int64_t shared_pages; /* Those of them that other states have, too. */
  /* Bytes of the pages of this state and of all that were forked from it or it from, each page once. */
  int64_t pool_bytes;
  int64_t pool_limit; /* Most bytes of these pages; 0 = without limit. */
} anydim_state_info_t;
#define ANYDIM_STATE_INFO_INIT {sizeof(anydim_state_info_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * Makes a state without parts. anydim_state_add says what it consists of, before its first step. With a limit the
 * memory of parts that grow is allocated and touched for so many slices when their other dims are known, at the
 * first step at the latest, and a step beyond it is refused; without one memory is doubled when it is used up.
 * Bounds of the session set the limit where the caller does not. Errors: invalid_argument for a negative limit.
 * Example:
 *     anydim_state_create(session, 2048, &state);
 *     anydim_state_add(state, "past.0.key", "present.0.key", 2);
 *     anydim_state_add(state, "past.0.value", "present.0.value", 2);
 * - session: The session.
 * - limit: Most slices along growing axes; 0 = the bounds' or without limit.
 * - state (out, the caller destroys it): The state.
 *
 * Experimental; slot 281; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_create(anydim_session_t session, int64_t limit,
    anydim_state_t* state) ANYDIM_NOTHROW;

/*
 * Destroys a state and its memory.
 * - state: The handle, or null.
 *
 * Experimental; slot 282.
 */
ANYDIM_API void anydim_state_destroy(anydim_state_t state) ANYDIM_NOTHROW;

/*
 * Adds a part: what a step writes to an output is what the next one reads in an input. A part that grows is empty at
 * first, and a step's output is longer than its input along the axis by what is new; one that does not is zero at
 * first. Dims other than the growing one follow from those of a step's inputs, or from anydim_state_write. Where the
 * model appends to the input (attention with a cache, Concat of the input and something new, TensorScatter), steps
 * write what is new behind what is old, in the part's own memory; anydim_state_info_t.in_place counts such parts.
 * Errors: not_found for names that the model lacks; invalid_argument for a dtype, rank or dim in which the two
 * differ, for an axis that they lack, for one that cannot grow, and for an input or output that has a part already;
 * busy after the first step.
 * - state: The state.
 * - input: The input's name.
 * - output: The output's name.
 * - axis: The axis that grows, from 0; -1 = none: the part is replaced.
 *
 * Experimental; slot 283; fails with not_found, invalid_argument, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_add(anydim_state_t state, const char* input, const char*
    output, int32_t axis) ANYDIM_NOTHROW;

/*
 * Keeps parts that grow where they lie in pages, from the first step on. A part grows without a copy, even beyond
 * the room that it had, and without a limit of its own. A fork has the same pages: who writes to a page that others
 * have, too, copies it first, which is the last one of each part. All forks of a state together have `pool_limit`
 * bytes of pages at most, and a step that needs more is out_of_memory and changes nothing: a server makes one state
 * and forks it for each conversation. Results have the same bits.
 * Errors: invalid_argument for numbers that are out of range; busy after the first step; unimplemented where the
 * session's memory comes from the program's functions, for models on devices, and where the system has no files of
 * memory. In a child of a process that forks, calls with such a state are refused (closed).
 * Example:
 *     anydim_state_use_pages(state, 64, 0);
 * - state: The state.
 * - page: Slices (tokens) of a page, from 1; rounded up to what fills pages of the processor.
 * - pool_limit: Most bytes of pages of this state and its forks; 0 = without limit.
 *
 * Experimental; slot 372; fails with invalid_argument, busy, unimplemented, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_use_pages(anydim_state_t state, int64_t page, int64_t
    pool_limit) ANYDIM_NOTHROW;

/*
 * Runs the model on the state and on inputs, and keeps what the next step reads. Inputs and outputs are those that
 * belong to no part, in the model's order, as in anydim_session_run. A step that fails leaves the state as it was.
 * Errors: as anydim_session_run; out_of_bounds for a step that would make a part longer than the limit;
 * invalid_argument for a part whose dims follow from nothing, or whose dims the step would change.
 * Thread rule: one step of a state at a time, a second returns busy; steps of several states may run at the same
 * time.
 * Example:
 *     anydim_view_t logits = {.dtype = ANYDIM_F32};
 *     anydim_state_step(state, &ids, 1, &logits, 1, NULL);
 *     anydim_result_release(logits.data);
 * - state: The state.
 * - inputs: Input tensors that belong to no part.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors that belong to no part, as in anydim_session_run.
 * - output_count: Their number, or 0 to ask for none.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 284; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * timed_out, closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_step(anydim_state_t state, const anydim_view_t* inputs,
    int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options)
    ANYDIM_NOTHROW;

/*
 * Begins a new sequence, with the memory and the parts that there are. Parts that grow are empty, the others zero.
 * Errors: busy while another call uses the state; closed if it is destroyed meanwhile.
 * Example:
 *     anydim_state_reset(state);
 * - state: The state.
 *
 * Experimental; slot 285; fails with busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_reset(anydim_state_t state) ANYDIM_NOTHROW;

/*
 * Forgets what parts that grow hold behind their first slices: a sequence goes on from an earlier token. Errors:
 * invalid_argument for a length that is negative or more than there is; unimplemented where a part does not grow,
 * since what it held is gone.
 * Example:
 *     anydim_state_truncate(state, 16); // keeps the first 16 tokens
 * - state: The state.
 * - length: Slices that stay.
 *
 * Experimental; slot 286; fails with invalid_argument, unimplemented, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_truncate(anydim_state_t state, int64_t length) ANYDIM_NOTHROW;

/*
 * Makes another state of the same session that has the same parts, with a copy of what they hold, or with the same
 * pages (anydim_state_use_pages): a sequence goes on in two ways. Of a state that has made no step it is what the
 * next conversation begins with.
 * Errors: busy while another call uses the state; closed if it is destroyed meanwhile.
 * Example:
 *     anydim_state_t copy;
 *     anydim_state_fork(state, &copy);
 *     anydim_state_step(copy, &token, 1, &logits, 1, NULL); // state stays where it is
 *     anydim_state_destroy(copy);
 * - state: The state.
 * - copy (out, the caller destroys it): The copy.
 *
 * Experimental; slot 287; may block; fails with busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_fork(anydim_state_t state, anydim_state_t* copy)
    ANYDIM_NOTHROW;

/*
 * Shows what the next step reads of a part: a view into the state's memory, with strides, good until the state is
 * used for anything else. Errors: not_found past the last part; invalid_argument for a part whose dims are not known
 * yet.
 * Example:
 *     anydim_view_t keys;
 *     anydim_state_read(state, 0, &keys); // the part that was added first
 * - state: The state.
 * - part: Which part, from 0, in the order in which they were added.
 * - view (out): The view.
 *
 * Experimental; slot 288; fails with not_found, invalid_argument, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_read(anydim_state_t state, int32_t part, anydim_view_t* view)
    ANYDIM_NOTHROW;

/*
 * Copies tensors into the parts, in place of what they held: a prefix that was computed before, a recurrent state.
 * Errors: invalid_argument for a wrong number, dtype, rank or dim; out_of_bounds for more slices than the limit.
 * Then nothing is changed.
 * Example:
 *     anydim_state_write(state, tensors, 2); // a tensor for each of its two parts
 * - state: The state.
 * - values: A tensor for each part, in the order in which they were added.
 * - count: Their number.
 *
 * Experimental; slot 289; may block; fails with invalid_argument, out_of_bounds, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_write(anydim_state_t state, const anydim_view_t* values,
    int32_t count) ANYDIM_NOTHROW;

/*
 * Returns a state's sizes and counters.
 * Example:
 *     anydim_state_info_t info = ANYDIM_STATE_INFO_INIT;
 *     anydim_state_query(state, &info);
 * - state: The state.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 290; fails with invalid_argument, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_state_query(anydim_state_t state, anydim_state_info_t* info)
    ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_STATE_H */
