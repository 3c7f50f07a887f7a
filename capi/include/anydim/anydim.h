/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/*
 * Anydim 0.1.0.
 *
 * Deep-learning primitives and models whose dims are known when they run. A shape that was never seen before is
 * neither compiled for nor measured. Its first call may have to wait for memory, unless the context was made with
 * bounds.
 *
 * A model. Each call returns a status, which a program looks at (compilers warn where it is dropped):
 *     anydim_engine_t engine = NULL;
 *     anydim_model_t model = NULL;
 *     anydim_session_t session = NULL;
 *     static float pixels[1 * 3 * 48 * 192];
 *     anydim_view_t x = {.data = pixels, .dtype = ANYDIM_F32, .dims = {4, 0, {1, 3, 48, 192}}};
 *     anydim_view_t scores = {.dtype = ANYDIM_F32};
 *     if (anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine) == ANYDIM_STATUS_OK &&
 *         anydim_model_load_file(engine, "cls.onnx", NULL, &model) == ANYDIM_STATUS_OK &&
 *         anydim_session_create(model, NULL, NULL, 0, &session) == ANYDIM_STATUS_OK &&
 *         anydim_session_run(session, &x, 1, &scores, 1, NULL) == ANYDIM_STATUS_OK)
 *       printf("%f\n", ((const float *)scores.data)[0]);
 *     else
 *       fprintf(stderr, "%s\n", anydim_last_error());
 *     anydim_result_release(scores.data); // null is accepted, here and below
 *     anydim_session_destroy(session);
 *     anydim_model_destroy(model);
 *     anydim_engine_destroy(engine);
 *
 * A primitive: one operator, here relu over matrices of up to 64 rows.
 *     anydim_engine_t engine = NULL;
 *     anydim_stream_t stream = NULL;
 *     anydim_desc_t src = NULL;
 *     anydim_primitive_t relu = NULL;
 *     static float values[3 * 10], results[3 * 10];
 *     const anydim_dim_t promised[2] = {anydim_dim_dynamic(1, 64), anydim_dim_fixed(10)};
 *     anydim_view_t x = {.data = values, .dtype = ANYDIM_F32, .dims = {2, 0, {3, 10}}};
 *     anydim_view_t y = {.data = results, .dtype = ANYDIM_F32, .dims = {2, 0, {3, 10}}};
 *     anydim_unary_t op = ANYDIM_UNARY_INIT;
 *     op.function = ANYDIM_UNARY_RELU;
 *     if (anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine) != ANYDIM_STATUS_OK ||
 *         anydim_stream_create(engine, NULL, &stream) != ANYDIM_STATUS_OK ||
 *         anydim_desc_create(ANYDIM_F32, 2, promised, ANYDIM_LAYOUT_STRIDED, &src) != ANYDIM_STATUS_OK ||
 *         anydim_primitive_create(engine, &op.op, NULL, &src, 1, NULL, &relu) != ANYDIM_STATUS_OK ||
 *         anydim_primitive_execute(relu, stream, &x, 1, &y, 1) != ANYDIM_STATUS_OK)
 *       fprintf(stderr, "%s\n", anydim_last_error());
 *     anydim_primitive_destroy(relu);
 *     anydim_desc_destroy(src);
 *     anydim_stream_destroy(stream);
 *     anydim_engine_destroy(engine);
 *
 * Conventions
 * - A handle is a value, not an address: a slot and a generation. A null, stale, destroyed or foreign handle returns
 *   ANYDIM_STATUS_INVALID_HANDLE. Destroy accepts null; a second destroy does nothing. Children hold their parents,
 *   so the order of destruction is free.
 * - A handle type that points to const, such as anydim_model_t, may be used by many threads at once. One that does
 *   not, such as anydim_context_t, has one user at a time; a second gets ANYDIM_STATUS_BUSY.
 * - Every function returns a status unless its text says otherwise. On failure nothing that the caller passed was
 *   changed, and anydim_last_error of the same thread says which argument, what was found and what was expected.
 *   Output buffers of a run are untouched too, unless it failed after its first node: with
 *   ANYDIM_STATUS_INVALID_DATA, ANYDIM_STATUS_CANCELLED or ANYDIM_STATUS_DEVICE_LOST, and with any status in a model
 *   with sizes that depend on its data. Then some may be written.
 * - Names are anydim_<noun>_<verb>. create makes an object, load makes it from a file or bytes, allocate gives it
 *   memory of its own; acquire returns one that is there already. All of these handles are the caller's to destroy,
 *   as texts are (explain, describe, tune). get returns facts; what they point to belongs to the object. query fills
 *   in a struct. get_..._count counts. Only functions that return no status are named by what they return, such as
 *   anydim_version and anydim_dim_fixed.
 * - Option structs begin with their own size; start from their _INIT value. Fields are added at the end only.
 * - What is computed on comes in views: plain structs that say where numbers lie and how. A view needs no
 *   destroying, and a call at a new shape makes no handle.
 * - The last line of a function's text says *stable* or *experimental*. A stable function keeps its signature and
 *   its meaning, and programs that were linked with it run with every later version of the library, until a new
 *   major version after 1.0. An experimental one may change in a new minor version. *May block*: the call can wait
 *   for work, files or other threads; bindings release their locks during it.
 * - Axes of operators count from 0, negative ones from the end. Elsewhere (scales, states, symbols) axes count from
 *   0 alone; where one may be absent, -1 says so.
 * - Units are in names: _bytes, _ns, _us, _ms. Sizes, dims and strides are int64_t; strides count elements. Strings
 *   are UTF-8: those passed in end with a zero, those returned have a length and end with a zero too.
 * - Dims are logical, outermost first (N, C, H, W), whatever the memory order is; strides define that.
 * - Any function may return ANYDIM_STATUS_OUT_OF_MEMORY, ANYDIM_STATUS_INTERNAL and, if it takes a handle,
 *   ANYDIM_STATUS_INVALID_HANDLE or ANYDIM_STATUS_FORKED; if it uses an engine, ANYDIM_STATUS_DEVICE_LOST. The last
 *   line of its text lists the others.
 */
#ifndef ANYDIM_ANYDIM_H
#define ANYDIM_ANYDIM_H

/*
 * The headers, each of which may be included alone:
 * - anydim/base.h: The library itself - version, statuses, the last error, strings and texts.
 * - anydim/log.h: Log lines, and who gets them.
 * - anydim/tensor.h: Tensors as the caller sees them - element types, dims, views - and descriptors of tensors to
 *   come.
 * - anydim/engine.h: Engines, the kernels that they have, and streams in which they execute.
 * - anydim/memory.h: Memory of engines, tensors with memory of their own, and results that a call placed.
 * - anydim/operators.h: Operators and their attributes. A struct of each follows from core/ops/described.
 * - anydim/modes.h: What can be asked of the choice of kernels and of their arithmetic.
 * - anydim/primitive.h: Primitives - one operator, made for given descriptors - with their attributes and weights.
 * - anydim/custom.h: Operators that a program brings itself, for nodes of models that it loads.
 * - anydim/plugin.h: Engines from outside: a device with memory, a queue and kernels that a program or a shared
 *   object brings.
 * - anydim/model.h: Models, and what is promised and asked of their inputs and outputs.
 * - anydim/builder.h: Models that a program builds call by call, from ONNX operators, instead of loading a file.
 * - anydim/context.h: Contexts, in which models run one call at a time; how runs are bounded, ended, explained and
 *   tuned.
 * - anydim/session.h: Sessions, in which models run for any number of threads.
 * - anydim/state.h: States, which runs of a session hand on to the next: caches of keys and values, recurrent
 *   states.
 * - anydim/streaming.h: Models that are computed chunk by chunk along one axis, with the bits of the whole.
 * - anydim/batching.h: Dynamic batching: runs of many callers in one session are joined along the batch axis.
 * - anydim/worker.h: The background worker, which measures plans while others compute.
 * - anydim/caches.h: The primitive cache, within the process, and the persistent cache, between processes.
 * - anydim/observing.h: What the library did - counters, verbose lines, and lines read back.
 */
#include "anydim/base.h"
#include "anydim/log.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"
#include "anydim/memory.h"
#include "anydim/operators.h"
#include "anydim/modes.h"
#include "anydim/primitive.h"
#include "anydim/custom.h"
#include "anydim/plugin.h"
#include "anydim/model.h"
#include "anydim/builder.h"
#include "anydim/context.h"
#include "anydim/session.h"
#include "anydim/state.h"
#include "anydim/streaming.h"
#include "anydim/batching.h"
#include "anydim/worker.h"
#include "anydim/caches.h"
#include "anydim/observing.h"

#endif /* ANYDIM_ANYDIM_H */
