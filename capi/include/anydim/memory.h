/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Memory of engines, tensors with memory of their own, and results that a call placed. */
#ifndef ANYDIM_MEMORY_H
#define ANYDIM_MEMORY_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Memory that the library allocates and frees, with dtype and dims. Threads may share it for reading; writing its
 * memory is the caller's to order. Many threads may use it at once. It keeps its engine alive.
 */
typedef const struct anydim_tensor_s* anydim_tensor_t;

/* What a memory is. */
typedef struct anydim_memory_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t imported; /* 1 if it is the caller's; 0 if the engine allocated it. */
  int64_t bytes; /* Its size. */
  void* data; /* Its address; null where the engine's memory has none. */
} anydim_memory_info_t;
#define ANYDIM_MEMORY_INFO_INIT {sizeof(anydim_memory_info_t), 0, 0, ANYDIM_NULL}

/*
 * Allocates bytes of an engine, filled with zeros and aligned to 64. Views name places in them, for calls on the
 * same engine.
 * Errors: invalid_argument for a negative number of bytes.
 * Example:
 *     anydim_memory_allocate(engine, 3 * 48 * 192 * sizeof(float), &memory);
 *     x.memory = memory;
 *     x.offset = 0;
 *     anydim_context_run(run, &x, 1, NULL, 0, NULL);
 * - engine: The engine.
 * - bytes: How many, 0 or more.
 * - memory (out, the caller destroys it): The memory.
 *
 * Experimental; slot 200; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_allocate(anydim_engine_t engine, int64_t bytes,
    anydim_memory_t* memory) ANYDIM_NOTHROW;

/*
 * Makes a memory of bytes of the caller's, without a copy. They must be there until the finalizer is called: once,
 * when the memory was destroyed, the calls that use it have returned, and streams have done what they were given; on
 * any thread. It is not called if this function fails. Errors: invalid_argument for a negative number of bytes and
 * for null; unimplemented where an engine's device cannot reach memory of the host.
 * Example:
 *     anydim_memory_import(engine, pixels, 3 * 48 * 192 * sizeof(float), free_pixels, pixels, &memory);
 * - engine: The engine.
 * - data: The first byte.
 * - bytes: How many, 0 or more.
 * - finalizer (may be null): Called when nothing uses the bytes any more; or null.
 * - user (may be null): Passed to the finalizer.
 * - memory (out, the caller destroys it): The memory.
 *
 * Experimental; slot 201; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_import(anydim_engine_t engine, void* data, int64_t bytes,
    anydim_finalizer_callback_t finalizer, void* user, anydim_memory_t* memory) ANYDIM_NOTHROW;

/*
 * Makes a memory of a buffer of the program's, without a copy: all of its bytes, which calls then read and write.
 * The buffer is retained as long as the memory. Commands in the program's own queues are not waited for, except in
 * the queue of anydim_stream_create_in_opencl.
 * Errors: invalid_argument for an engine of another kind, for what is no buffer (an image), for a buffer of another
 * context, and for one that is read-only or write-only.
 * Example:
 *     anydim_memory_import_opencl(engine, cl_pixels, &memory);
 *     x.memory = memory;
 *     x.offset = 0;
 *     anydim_primitive_execute(primitive, stream, &x, 1, &a, 1);
 * - engine: An engine of opencl.
 * - cl_buffer: The program's cl_mem.
 * - memory (out, the caller destroys it): The memory.
 *
 * Experimental; slot 322; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_import_opencl(anydim_engine_t engine, void* cl_buffer,
    anydim_memory_t* memory) ANYDIM_NOTHROW;

/*
 * Destroys a memory; work of an engine that still uses it finishes first.
 * - memory: The handle, or null.
 *
 * Experimental; slot 202.
 */
ANYDIM_API void anydim_memory_destroy(anydim_memory_t memory) ANYDIM_NOTHROW;

/*
 * Describes a memory.
 * - memory: The memory.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 203; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_query(anydim_memory_t memory, anydim_memory_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Returns an address at which the program reads and writes bytes of a memory, until anydim_memory_unmap. It waits
 * until what was given to the engine's streams before is done with them. No call may use the bytes while they are
 * mapped.
 * Errors: invalid_argument for bytes outside of the memory.
 * Example:
 *     anydim_memory_map(memory, 0, bytes, &data);
 *     memset(data, 0, (size_t)bytes);
 *     anydim_memory_unmap(memory, 0, bytes);
 * - memory: The memory.
 * - offset: The first byte, from 0.
 * - bytes: How many.
 * - data (out): Where the first one is.
 *
 * Experimental; slot 204; may block; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_map(anydim_memory_t memory, int64_t offset, int64_t bytes,
    void** data) ANYDIM_NOTHROW;

/*
 * Ends a mapping: calls see what was written. The bytes are those of the mapping. Errors: invalid_argument for bytes
 * that are not mapped.
 * - memory: The memory.
 * - offset: The first byte, from 0.
 * - bytes: How many.
 *
 * Experimental; slot 205; may block; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_unmap(anydim_memory_t memory, int64_t offset, int64_t bytes)
    ANYDIM_NOTHROW;

/*
 * Copies bytes from one memory to another, or within one, where the two places may overlap. The stream does it after
 * what it was given before; the CPU engine has done it when the call returns, others at the latest when
 * anydim_stream_wait does. One of the memories is of the stream's engine, the other of the same or of the CPU
 * engine.
 * Errors: invalid_argument for bytes outside of a memory, and for a memory of another engine.
 * Example:
 *     anydim_memory_copy(stream, memory, 0, other_memory, 64, 1024);
 * - stream: The stream.
 * - target: Where to.
 * - target_offset: The first byte there, from 0.
 * - source: Where from.
 * - source_offset: The first byte there, from 0.
 * - bytes: How many.
 *
 * Experimental; slot 206; may block; fails with invalid_argument, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_memory_copy(anydim_stream_t stream, anydim_memory_t target, int64_t
    target_offset, anydim_memory_t source, int64_t source_offset, int64_t bytes) ANYDIM_NOTHROW;

/*
 * Makes a tensor with memory of its own, filled with zeros, freed with the tensor. anydim_tensor_get_view shows it
 * to calls.
 * Errors: invalid_argument for a dtype that is none, a rank outside 0..8, a negative dim, sizes beyond int64_t, the
 * layout strided, and channels last of a rank below 3.
 * Example:
 *     int64_t d[4] = {1, 3, 48, 192};
 *     anydim_tensor_allocate(engine, ANYDIM_F32, 4, d, ANYDIM_LAYOUT_ROW_MAJOR, &tensor);
 *     anydim_tensor_get_view(tensor, &x);
 * - engine: The engine.
 * - dtype: Element type.
 * - rank: Number of dims.
 * - dims: The dims, outermost first.
 * - layout: How its elements lie.
 * - tensor (out, the caller destroys it): The tensor.
 *
 * Stable since 0.1; slot 31; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_tensor_allocate(anydim_engine_t engine, anydim_dtype_t dtype,
    int32_t rank, const int64_t* dims, anydim_layout_t layout, anydim_tensor_t* tensor) ANYDIM_NOTHROW;

/*
 * Destroys a tensor, and its memory if that was allocated with it.
 * - tensor: The handle, or null.
 *
 * Stable since 0.1; slot 32.
 */
ANYDIM_API void anydim_tensor_destroy(anydim_tensor_t tensor) ANYDIM_NOTHROW;

/*
 * Returns the view of a tensor. It is good as long as the tensor.
 * - tensor: The tensor.
 * - view (out): The view, with its strides.
 *
 * Stable since 0.1; slot 298.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_tensor_get_view(anydim_tensor_t tensor, anydim_view_t* view)
    ANYDIM_NOTHROW;

/*
 * Releases memory that a call allocated for an output: the view's data, once. Later results reuse it. Never fails;
 * null does nothing.
 * Example:
 *     anydim_view_t y = {.dtype = ANYDIM_F32}; // no data: the library places it
 *     anydim_session_run(session, &x, 1, &y, 1, NULL);
 *     anydim_result_release(y.data);
 * - data (may be null): The memory.
 *
 * Stable since 0.1; slot 192.
 */
ANYDIM_API void anydim_result_release(void* data) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_MEMORY_H */
