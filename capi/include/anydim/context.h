/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Contexts, in which models run one call at a time; how runs are bounded, ended, explained and tuned. */
#ifndef ANYDIM_CONTEXT_H
#define ANYDIM_CONTEXT_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"
#include "anydim/modes.h"
#include "anydim/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What one running inference needs - its memory and the values of the dims. Make one per concurrent run. One user at
 * a time. It keeps its model alive.
 */
typedef struct anydim_context_s* anydim_context_t;

/* What ends runs from outside. One may serve any number of contexts and runs. Many threads may use it at once. */
typedef const struct anydim_cancellation_s* anydim_cancellation_t;

/*
 * Asked each time a signal came while a call waits, and every ten milliseconds or more between the nodes of its run:
 * 1 ends the call, 0 goes on.
 * Thread rule: The thread that called. It holds no lock of the library.
 * - user: The environment that was given with it.
 */
typedef int32_t (*anydim_interrupted_callback_t)(void* user);

/*
 * Called with the progress of a tuning, before each node and at the end: 0 continues, another number ends it with
 * cancelled.
 * Thread rule: The thread that called. It must not use the context.
 * - user: The environment that was given with it.
 * - done: Nodes measured.
 * - nodes: Nodes to measure in all.
 */
typedef int32_t (*anydim_progress_callback_t)(void* user, int64_t done, int64_t nodes);

/* Options of a context. */
typedef struct anydim_context_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t threads; /* Most threads a run uses; 0 = the engine's. */
  int32_t profile; /* 1 to measure the time of each node in each run. */
  anydim_reuse_t reuse; /* Reuse policy of nodes that were not given one with the model. */
  /* With the policy specialised: most milliseconds of measuring before creation returns; 0 = 10,000. */
  int32_t tuning_ms;
  int32_t reserved; /* Zero. */
  /*
   * Memory for a context, aligned to 64 bytes, of anydim_model_get_bytes_needed bytes, alive as long as the context;
   * or null. With bounds, and not for sessions.
   */
  void* buffer;
  int64_t buffer_bytes; /* Size of the buffer; 0 without one. */
} anydim_context_options_t;
#define ANYDIM_CONTEXT_OPTIONS_INIT {sizeof(anydim_context_options_t), 0, 0, 0, 0, 0, ANYDIM_NULL, 0}

/*
 * An input of a run that its caller has in parts, which lie side by side along one axis. The view of the input
 * itself is the first part. All have its dtype and, but for that axis, its dims. Parts that lie in memory as one
 * tensor would are read where they are; others are copied into one once, which an explanation of the run states
 * (gathered_bytes).
 */
typedef struct anydim_input_parts_t {
  void* views; /* To be read: an array of anydim_view_t, the parts behind the first one, in memory of the host. */
  int64_t count; /* Their number. */
  int32_t input; /* Which input, from 0. */
  int32_t axis; /* Along which axis, from 0. */
} anydim_input_parts_t;

/* Options of a run, in a context or a session. */
typedef struct anydim_run_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  /*
   * Of a session: most milliseconds to wait for a context; negative: without limit. A run that has begun is not
   * ended.
   */
  int32_t timeout_ms;
  /* What ends the run before its next node, or null. While the run waits it is looked at when the turn comes. */
  anydim_cancellation_t cancellation;
  anydim_interrupted_callback_t interrupted; /* Whether a signal ends the call; null: no signal does. */
  void* user; /* Passed to interrupted. */
  /*
   * To be written: an array of int32_t, one for each output, of anydim_context_run and anydim_session_run; or null.
   * Where it is there, an output that the library places and that is a view of an input (a reshape, transpose, slice
   * of it, or it itself) may lie in that input's memory: the array gets the input's number, and -1 for outputs that
   * do not. Such an output is good as long as the input's memory, changes with it, and is not given to
   * anydim_result_release.
   */
  void* aliases;
  int32_t alias_count; /* Length of aliases: the number of the model's outputs; 0 without it. */
  int32_t part_count; /* Length of parts; 0 without it. */
  /*
   * An array of anydim_input_parts_t, of anydim_context_run, anydim_context_explain and anydim_session_run: inputs
   * that come in parts; or null.
   */
  void* parts;
} anydim_run_options_t;
#define ANYDIM_RUN_OPTIONS_INIT {sizeof(anydim_run_options_t), -1, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, 0, 0, ANYDIM_NULL}

/* How a context's plans are measured. */
typedef struct anydim_tune_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t node_ms; /* Most milliseconds for one node; 0 = 200. */
  int32_t record; /* 1 to store what was found in the persistent cache, too. */
  /* 1 to measure nodes again that were measured at these shapes before, in this process or an earlier one. */
  int32_t again;
  anydim_progress_callback_t progress; /* Called with the progress, or null. */
  void* user; /* Passed to progress. */
  anydim_cancellation_t cancellation; /* What ends the measuring, between two samples; or null. */
} anydim_tune_options_t;
#define ANYDIM_TUNE_OPTIONS_INIT {sizeof(anydim_tune_options_t), 0, 1, 0, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL}

/* A context's counters. */
typedef struct anydim_context_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t bounded; /* 1 if it was made with bounds. */
  int64_t arena_bytes; /* Bytes of memory it holds. */
  int64_t growths; /* How often its memory grew; always 0 with bounds. */
  int64_t runs; /* Runs that completed. */
  int32_t threads; /* Most threads a run uses. */
  int32_t reserved; /* Zero. */
} anydim_context_info_t;
#define ANYDIM_CONTEXT_INFO_INIT {sizeof(anydim_context_info_t), 0, 0, 0, 0, 0, 0}

/* A node of a model as a context runs it. */
typedef struct anydim_node_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t reserved; /* Zero. */
  anydim_string_t name; /* The node's name, after fusion the name of its first part. */
  anydim_string_t op; /* Operator and attributes. */
  anydim_string_t kernel; /* Name of its kernel. */
  anydim_string_t tier; /* Tier of its kernel. */
  anydim_string_t post_ops; /* Post-ops fused into it. */
  int64_t scratch_bytes; /* Scratch of the last run. */
  int64_t output_bytes; /* Bytes of its outputs in the last run. */
  int64_t time_ns; /* Time in the last run; -1 unless the context measures. */
} anydim_node_info_t;
#define ANYDIM_NODE_INFO_INIT {sizeof(anydim_node_info_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, 0, 0, 0}

/*
 * Returns how many bytes of an engine's memory a context with these bounds and options needs for any shape within
 * the bounds. Errors: invalid_argument if a bound is missing or too wide to be counted, not_found past the model's
 * last engine.
 * Example:
 *     anydim_model_get_bytes_needed(model, bounds, NULL, 0, &bytes);
 * - model: The model.
 * - bounds: Bounds of all dynamic dims of its inputs.
 * - options (may be null): Options, or null for the defaults.
 * - engine: Which of the engines that the model runs on, from 0; 0 is the one that it was loaded for.
 * - bytes (out): Bytes.
 *
 * Experimental; slot 79; fails with invalid_argument, out_of_bounds, not_found, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_model_get_bytes_needed(anydim_model_t model, anydim_bounds_t bounds,
    const anydim_context_options_t* options, int32_t engine, int64_t* bytes) ANYDIM_NOTHROW;

/*
 * Makes a context. With bounds it touches all memory it will ever need, here; a run then neither allocates nor
 * faults, and a shape outside the bounds is refused. Without bounds it grows by what a shape needs beyond any before
 * it, and counts that. With options.buffer it allocates nothing for runs. Errors: invalid_argument for a buffer that
 * is too small, not aligned, or without bounds; not_found for bounds of an input that the model lacks.
 * Example:
 *     anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
 *     anydim_model_get_bytes_needed(model, bounds, NULL, 0, &options.buffer_bytes);
 *     options.buffer = buffer; // of so many bytes, aligned to 64
 *     anydim_context_create(model, bounds, &options, &run);
 * - model: The model.
 * - bounds (may be null): Bounds, or null for none.
 * - options (may be null): Options, or null for the defaults.
 * - context (out, the caller destroys it): The context.
 *
 * Experimental; slot 83; may block; fails with invalid_argument, out_of_bounds, not_found, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_create(anydim_model_t model, anydim_bounds_t bounds, const
    anydim_context_options_t* options, anydim_context_t* context) ANYDIM_NOTHROW;

/*
 * Destroys a context; if it is running, it is closed now and freed when the run ends.
 * - context: The handle, or null.
 *
 * Experimental; slot 84.
 */
ANYDIM_API void anydim_context_destroy(anydim_context_t context) ANYDIM_NOTHROW;

/*
 * Runs the model. Inputs and outputs are in the model's order; anydim_model_find_output finds one by its name. The
 * caller says of each output where it goes:
 * - With data, it is written there. It must have the dims that anydim_context_get_output_dims returns, and may have
 *   any strides.
 * - With a dtype and no data, it stays in the context's memory, and the call fills in data, dims and strides. It is
 *   valid until the context's next run, explanation with inputs, or tuning.
 * - With all members zero, the caller does not want it. That saves a copy.
 * Errors: invalid_argument for a wrong number, dtype, rank or dim (the message names the input or the node whose
 * guard failed), out_of_bounds for a dim outside the bounds, invalid_data for values found wrong while running.
 * Thread rule: one run at a time in a context; a second returns busy. A run on a context that is destroyed meanwhile
 * returns closed.
 * Example:
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     anydim_context_run(run, &x, 1, &scores, 1, NULL);
 * - context: The context.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors, as said above.
 * - output_count: Their number, or 0 to ask for none.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 85; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_run(anydim_context_t context, const anydim_view_t* inputs,
    int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options)
    ANYDIM_NOTHROW;

/*
 * As anydim_context_run, in a stream of the model's engine: after what was submitted to the stream before, and
 * before what is submitted next. It may return before the run is done; then tensors must stay, and errors that are
 * found later surface at anydim_stream_wait. The CPU engine has done all of it when the call returns. Threads and
 * memory are the context's.
 * Errors: as anydim_context_run; invalid_argument for a stream of another device (all engines of the CPU are of
 * one).
 * Example:
 *     anydim_context_submit(run, stream, &x, 1, NULL, 0, NULL);
 *     anydim_stream_wait(stream);
 * - context: The context.
 * - stream: The stream.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors, as in anydim_context_run.
 * - output_count: Their number, or 0 to ask for none.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 207; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_submit(anydim_context_t context, anydim_stream_t stream,
    const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const
    anydim_run_options_t* options) ANYDIM_NOTHROW;

/*
 * Makes a cancellation that is off. It goes into the options of runs, steps and tunings
 * (anydim_run_options_t.cancellation): while it is on, they fail with cancelled before their next node, the first
 * one included.
 * Example:
 *     anydim_cancellation_t cancellation;
 *     anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
 *     anydim_cancellation_create(&cancellation);
 *     options.cancellation = cancellation;
 *     anydim_context_run(run, &x, 1, NULL, 0, &options); // another thread: anydim_cancellation_set(cancellation, 1)
 * - cancellation (out, the caller destroys it): The cancellation.
 *
 * Stable since 0.1; slot 184.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_cancellation_create(anydim_cancellation_t* cancellation)
    ANYDIM_NOTHROW;

/*
 * Destroys a cancellation; runs that have it end as they would have.
 * - cancellation: The handle, or null.
 *
 * Stable since 0.1; slot 185.
 */
ANYDIM_API void anydim_cancellation_destroy(anydim_cancellation_t cancellation) ANYDIM_NOTHROW;

/*
 * Turns a cancellation on, which ends the runs that have it in their options and those to come, or off. No run
 * misses it.
 * Thread rule: any thread, any time; a signal handler, too, as long as the handle is good.
 * Example:
 *     anydim_cancellation_t stop;
 *     anydim_cancellation_create(&stop);
 *     anydim_run_options_t o = ANYDIM_RUN_OPTIONS_INIT;
 *     o.cancellation = stop;
 *     anydim_context_run(run, &x, 1, &logits, 1, &o); // ends with cancelled if another thread calls
 *     anydim_cancellation_set(stop, 1);
 * - cancellation: The cancellation.
 * - cancelled: 1 for on, 0 for off.
 *
 * Stable since 0.1; slot 186.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_cancellation_set(anydim_cancellation_t cancellation, int32_t
    cancelled) ANYDIM_NOTHROW;

/*
 * Returns the dims of an output for actual inputs, and checks these. Their dtype and dims count; their data does,
 * too, where it is integers that shapes follow from (the target of a Reshape). Errors: as anydim_context_run;
 * not_found past the last output; unimplemented for dims that only the run itself finds (leave that output to the
 * context).
 * Example:
 *     anydim_dims_t dims;
 *     anydim_context_get_output_dims(run, &x, 1, 0, &dims); // of the first output, before the run
 * - context: The context.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - index: Which output, from 0.
 * - dims (out): Its dims.
 *
 * Experimental; slot 86; fails with invalid_argument, out_of_bounds, not_found, unimplemented, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_get_output_dims(anydim_context_t context, const
    anydim_view_t* inputs, int32_t input_count, int32_t index, anydim_dims_t* dims) ANYDIM_NOTHROW;

/*
 * Returns a context's memory and counters.
 * Example:
 *     anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
 *     anydim_context_query(run, &info);
 * - context: The context.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 88; fails with invalid_argument, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_query(anydim_context_t context, anydim_context_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Explains as JSON how the model runs at the shapes of these inputs: for each node its operator, kernel, tier,
 * layout, fused post-ops, dims, bytes, scratch, why other kernels were refused, and its time in the last run if the
 * context measures. With inputs the model is run once, on their data, as by anydim_context_run with no outputs: it
 * counts as a run and can fail like one. Without inputs: the last run.
 * Errors: as anydim_context_run; not_found without inputs before the first run.
 * Example:
 *     anydim_context_explain(run, &x, 1, NULL, &text);
 *     anydim_string_t json;
 *     anydim_text_get_data(text, &json);
 *     puts(json.data);
 *     anydim_text_destroy(text);
 * - context: The context.
 * - inputs: Input tensors, or none.
 * - input_count: Their number, or 0.
 * - options (may be null): Options of the run, or null for the defaults.
 * - text (out, the caller destroys it): The explanation.
 *
 * Experimental; slot 89; may block; fails with invalid_argument, out_of_bounds, not_found, invalid_data,
 * unimplemented, busy, closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_explain(anydim_context_t context, const anydim_view_t*
    inputs, int32_t input_count, const anydim_run_options_t* options, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Measures the plans of every node at the shapes of these inputs, on the context's memory and threads, and keeps
 * those that are faster with confidence: for all contexts of the model that run these shapes with as many threads,
 * and with options.record in the persistent cache for later processes. Results never change. Takes seconds. The
 * model is run first, on the inputs' data, as by anydim_context_run with no outputs; outputs of the last run are
 * lost. The text is JSON: for each measured node its name, operator, kernel, number of candidates, microseconds of
 * the reusable plan, whether it was known already, whether it was replaced, and the ratio of the times with its 95 %
 * interval. options.cancellation ends the measuring between two samples; so does options.progress. Plans that were
 * found before stay in use.
 * Errors: as anydim_context_run; unimplemented for a model that lies wholly on engines without programs for single
 * calls; and, with options.record, those of a persistent cache that cannot be written (unimplemented where it is
 * off): the plans are in use all the same, without a report.
 * Example:
 *     anydim_context_tune(run, &x, 1, NULL, &text);
 * - context: The context; no other thread may use it meanwhile.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - options (may be null): Options, or null for the defaults.
 * - text (out, the caller destroys it): The report.
 *
 * Experimental; slot 150; may block; fails with invalid_argument, out_of_bounds, invalid_data, io_error,
 * unimplemented, busy, closed, cancelled.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_tune(anydim_context_t context, const anydim_view_t* inputs,
    int32_t input_count, const anydim_tune_options_t* options, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Returns how many nodes a run goes through.
 * Errors: busy while another call uses the context; closed if it is destroyed meanwhile.
 * - context: The context.
 * - count (out): Their number.
 *
 * Experimental; slot 90; fails with busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_get_node_count(anydim_context_t context, int32_t* count)
    ANYDIM_NOTHROW;

/*
 * Describes a node as it ran last. Its strings live until the context's next run. Errors: not_found past the last
 * node, before the first run, and after a run that failed or a tuning.
 * Example:
 *     int32_t nodes;
 *     anydim_context_get_node_count(run, &nodes);
 *     for (int32_t i = 0; i < nodes; ++i) {
 *         anydim_node_info_t info = ANYDIM_NODE_INFO_INIT;
 *         anydim_context_get_node(run, i, &info);
 *         printf("%s: %s\n", info.name.data, info.kernel.data);
 *     }
 * - context: The context.
 * - index: Which, from 0, in the order of execution.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 91; fails with invalid_argument, not_found, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_context_get_node(anydim_context_t context, int32_t index,
    anydim_node_info_t* info) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_CONTEXT_H */
