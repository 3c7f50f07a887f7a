/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Engines, the kernels that they have, and streams in which they execute. */
#ifndef ANYDIM_ENGINE_H
#define ANYDIM_ENGINE_H

#include "anydim/base.h"
#include "anydim/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device with its kernels. Everything else is made from one. Many threads may use it at once. */
typedef const struct anydim_engine_s* anydim_engine_t;

/*
 * An order of execution on an engine, with the scratch memory that its primitives use. One user at a time. It keeps
 * its engine alive.
 */
typedef struct anydim_stream_s* anydim_stream_t;

/* Kinds of engines. */
typedef int32_t anydim_engine_kind_t;
enum {
  ANYDIM_ENGINE_CPU = 1, /* The processor. Always there. */
  ANYDIM_ENGINE_OPENCL = 2 /* A device reached through OpenCL, where the machine has a driver (docs/opencl.md). */
};

/*
 * A part of a loop, given to a host's own loop: call it with each index once.
 * Thread rule: Any thread, several at once with different indices.
 * - user: The environment that was given with it.
 * - index: Which part, from 0.
 */
typedef void (*anydim_part_callback_t)(void* user, int64_t index);

/*
 * The host program's own loop, in place of the library's threads: calls part(context, index) for each index below
 * parts, on any threads, at the same time or one after the other, and returns when those calls have returned. Parts
 * never wait for one another. What it leaves out, the thread that called it does, so it may also do less, or
 * nothing: results do not depend on it. It returns 0, or another number to say that it failed, which is noted in the
 * log.
 * Thread rule: Any thread, several at once; from within a part, too, where the host calls the library in loops of
 * its own.
 * - user: The environment that was given with it.
 * - parts: Number of parts: at most the threads that the call may use.
 * - part: One part.
 * - context: The environment of part.
 */
typedef int32_t (*anydim_parallel_for_callback_t)(void* user, int64_t parts, anydim_part_callback_t part, void* context);

/*
 * Allocates memory, whose bytes may have any value. Returns null if there is none.
 * Thread rule: Any thread, several at once. It must not call Anydim.
 * - user: The environment that was given with it.
 * - bytes: How much, at least 1.
 * - alignment: Its address is a multiple of this, a power of two.
 */
typedef void* (*anydim_allocate_callback_t)(void* user, int64_t bytes, int64_t alignment);

/*
 * Frees what allocate returned.
 * Thread rule: Any thread, several at once; after the engine was destroyed, too, while something uses the memory. It
 * must not call Anydim.
 * - user: The environment that was given with it.
 * - memory: The memory.
 * - bytes: How much was asked for.
 */
typedef void (*anydim_release_callback_t)(void* user, void* memory, int64_t bytes);

/*
 * Options of an engine. What is made from an engine with a loop of the host's (streams, contexts, sessions,
 * measurements) runs in that loop and uses no thread of the library's. What is made from one with memory of the
 * host's takes its large memory there: working memory, packed weights and other constants, tensors, results. Small
 * objects, and what the background worker measures in, come from the system. Finalizers are called once, when
 * nothing of the engine is left; not if its creation fails.
 */
typedef struct anydim_engine_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t threads; /* Most threads that its streams use; 0 = all cores this process may use. */
  anydim_parallel_for_callback_t parallel_for; /* The host's own loop; null: the library's threads. */
  void* parallel_user; /* Passed to parallel_for and parallel_finalizer. */
  anydim_finalizer_callback_t parallel_finalizer; /* Called when parallel_for is not called any more; or null. */
  anydim_allocate_callback_t allocate; /* Allocates large memory; null: the system does. */
  anydim_release_callback_t release; /* Frees it; required with allocate. */
  void* memory_user; /* Passed to allocate, release and memory_finalizer. */
  anydim_finalizer_callback_t memory_finalizer; /* Called when neither is called any more; or null. */
  int32_t flushed_denormals; /* Of opencl: 1 = a device that treats denormals as zeros is accepted, too. */
  int32_t reserved; /* Zero. */
} anydim_engine_options_t;
#define ANYDIM_ENGINE_OPTIONS_INIT {sizeof(anydim_engine_options_t), 0, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, 0, 0}

/* What an engine is. */
typedef struct anydim_engine_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_engine_kind_t kind; /* Its kind. */
  int32_t threads; /* Most threads that its streams and contexts use by default. */
  int32_t kernels; /* Number of kernels in its registry. */
  anydim_string_t device; /* Name of the device. */
  anydim_string_t isa; /* Instruction set in use (ANYDIM_MAX_ISA lowers it). */
} anydim_engine_info_t;
#define ANYDIM_ENGINE_INFO_INIT {sizeof(anydim_engine_info_t), 0, 0, 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}}

/* A kind of engine. */
typedef struct anydim_engine_kind_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_engine_kind_t kind; /* Its number, as anydim_engine_create takes it. */
  anydim_string_t name; /* Its name, such as cpu or opencl, as logs and texts of engines have it. */
} anydim_engine_kind_info_t;
#define ANYDIM_ENGINE_KIND_INFO_INIT {sizeof(anydim_engine_kind_info_t), 0, {ANYDIM_NULL, 0}}

/* A device that an engine can be made for. */
typedef struct anydim_device_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t platform; /* Number of its platform, from 0; 0 for the processor. */
  int32_t device; /* Its number on the platform, from 0. */
  int32_t usable; /* 1 if an engine may be made for it: it is available and has a compiler. */
  int32_t units; /* Cores, or what the device calls its compute units. */
  int32_t like_gpu; /* 1 if it gets the kernels for GPUs, 0 if those for processors. */
  int64_t memory_bytes; /* Bytes; 0 if unknown. */
  int64_t largest_allocation_bytes; /* Bytes of one allocation at most; 0 if unknown. */
  anydim_string_t name; /* Name of the device. */
  anydim_string_t driver; /* Version of its driver; empty for the processor. */
  anydim_string_t platform_name; /* Name of its platform; empty for the processor. */
} anydim_device_info_t;
#define ANYDIM_DEVICE_INFO_INIT {sizeof(anydim_device_info_t), 0, 0, 0, 0, 0, 0, 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}}

/* A kernel of the registry. */
typedef struct anydim_kernel_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t usable; /* 1 if this machine can run it. */
  anydim_string_t name; /* Its name, as anydim_attr_set_kernel takes it. */
  anydim_string_t op; /* The operator it computes. */
  anydim_string_t isa; /* The instruction set it was compiled for. */
  anydim_string_t layout; /* The memory order it works on without a copy. */
  anydim_dtype_t src; /* Element type of its first input. */
  anydim_dtype_t dst; /* Element type of its output. */
} anydim_kernel_info_t;
#define ANYDIM_KERNEL_INFO_INIT {sizeof(anydim_kernel_info_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, 0, 0}

/* Options of a stream. */
typedef struct anydim_stream_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t threads; /* Most threads a primitive uses; 0 = the engine's. */
  int32_t reserved; /* Zero. */
} anydim_stream_options_t;
#define ANYDIM_STREAM_OPTIONS_INIT {sizeof(anydim_stream_options_t), 0, 0}

/*
 * Makes an engine. No thread is started before the first call that uses several. An engine of opencl has its
 * device's arithmetic probed and may take as long as a program of the device takes to compile; those of one device
 * share all that they have. It uses no callbacks of the host's. Errors: not_found where there is no OpenCL driver or
 * device, unimplemented for a device whose results are not strict, invalid_argument for a kind or device that does
 * not exist, for a number of threads outside 0..256, and for callbacks of which one is missing or that the kind does
 * not use.
 * Thread rule: any thread.
 * Example:
 *     anydim_engine_t engine;
 *     anydim_engine_options_t host = ANYDIM_ENGINE_OPTIONS_INIT;
 *     host.parallel_for = one_after_the_other;
 *     anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &host, &engine);
 * - kind: Kind of engine.
 * - device: Which device of that kind, from 0.
 * - options (may be null): Options, or null for the defaults.
 * - engine (out, the caller destroys it): The engine.
 *
 * Stable since 0.1; slot 10; fails with invalid_argument, not_found, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_create(anydim_engine_kind_t kind, int32_t device, const
    anydim_engine_options_t* options, anydim_engine_t* engine) ANYDIM_NOTHROW;

/*
 * Makes an engine of opencl inside of the program's own OpenCL context, so that both use the same buffers and queues
 * (anydim_memory_import_opencl, anydim_stream_create_in_opencl). The context is retained until nothing of the engine
 * is left. Engines of one context and device share all that they have.
 * Errors: invalid_argument for null, for a device that is none of this machine's, and for a context of another
 * device; else those of anydim_engine_create. A pointer that is no OpenCL object is undefined, as in OpenCL.
 * Thread rule: any thread.
 * Example:
 *     anydim_engine_create_in_opencl(cl_context, cl_device, NULL, &engine);
 * - cl_context: The program's cl_context.
 * - cl_device: A cl_device_id of that context.
 * - options (may be null): Options, or null for the defaults.
 * - engine (out, the caller destroys it): The engine.
 *
 * Experimental; slot 320; fails with invalid_argument, not_found, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_create_in_opencl(void* cl_context, void* cl_device, const
    anydim_engine_options_t* options, anydim_engine_t* engine) ANYDIM_NOTHROW;

/*
 * Describes a kind of engine that this library can make, by an index. Errors: not_found past the last. Its strings
 * live as long as the process.
 * Example:
 *     anydim_engine_kind_info_t kind = ANYDIM_ENGINE_KIND_INFO_INIT;
 *     for (int32_t i = 0; anydim_engine_get_kind(i, &kind) == ANYDIM_STATUS_OK; ++i) printf("%s\n", kind.name.data);
 * - index: Which kind, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 330; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_get_kind(int32_t index, anydim_engine_kind_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Describes a device that an engine of the kind can be made for, by the number that is passed to
 * anydim_engine_create. Errors: not_found past the last, and for any opencl device where there is no OpenCL driver.
 * Its strings live as long as the process.
 * Example:
 *     anydim_device_info_t device = ANYDIM_DEVICE_INFO_INIT;
 *     for (int32_t i = 0; anydim_engine_get_device(ANYDIM_ENGINE_OPENCL, i, &device) == ANYDIM_STATUS_OK; ++i)
 *         printf("%d: %s\n", (int)i, device.name.data);
 * - kind: Kind of engine.
 * - index: Which device, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 240; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_get_device(anydim_engine_kind_t kind, int32_t index,
    anydim_device_info_t* info) ANYDIM_NOTHROW;

/*
 * Destroys an engine. Objects that were made from it continue to work and keep it alive.
 * - engine: The handle, or null.
 *
 * Stable since 0.1; slot 11.
 */
ANYDIM_API void anydim_engine_destroy(anydim_engine_t engine) ANYDIM_NOTHROW;

/*
 * Describes an engine. Its strings live as long as the process.
 * - engine: The engine.
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 12; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_query(anydim_engine_t engine, anydim_engine_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Describes a kernel of the engine's registry, in order of preference within its operator. Errors: not_found past
 * the last. Its strings live as long as the process.
 * Example:
 *     anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
 *     for (int32_t i = 0; anydim_engine_get_kernel(engine, i, &kernel) == ANYDIM_STATUS_OK; ++i)
 *         printf("%s: %s\n", kernel.op.data, kernel.name.data);
 * - engine: The engine.
 * - index: Which, from 0 to the engine's number of kernels less one.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 13; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_get_kernel(anydim_engine_t engine, int32_t index,
    anydim_kernel_info_t* info) ANYDIM_NOTHROW;

/*
 * Makes a stream of an engine: where primitives execute, one after the other. Make one per thread that executes
 * them; models need none, a context has its own.
 * Errors: invalid_argument for a number of threads outside 0..256.
 * Example:
 *     anydim_stream_options_t alone = ANYDIM_STREAM_OPTIONS_INIT;
 *     alone.threads = 1;
 *     anydim_stream_create(engine, &alone, &stream);
 * - engine: The engine.
 * - options (may be null): Options, or null for the defaults.
 * - stream (out, the caller destroys it): The stream.
 *
 * Stable since 0.1; slot 14; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_stream_create(anydim_engine_t engine, const anydim_stream_options_t*
    options, anydim_stream_t* stream) ANYDIM_NOTHROW;

/*
 * Makes a stream over a command queue of the program's. What the program enqueues there and what executes in the
 * stream run in the order of the calls, so that neither waits for the other. The queue is retained as long as the
 * stream.
 * Errors: invalid_argument for an engine of another kind, and for a queue of another context or device than the
 * engine's or one that runs commands out of order.
 * Thread rule: as other streams; only one thread at a time may also enqueue to the queue.
 * Example:
 *     anydim_stream_create_in_opencl(engine, cl_queue, &stream);
 * - engine: An engine of opencl.
 * - cl_queue: The program's cl_command_queue.
 * - stream (out, the caller destroys it): The stream.
 *
 * Experimental; slot 321; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_stream_create_in_opencl(anydim_engine_t engine, void* cl_queue,
    anydim_stream_t* stream) ANYDIM_NOTHROW;

/*
 * Destroys a stream and its scratch memory; if an execution is running in it, when that ends.
 * - stream: The handle, or null.
 *
 * Stable since 0.1; slot 15.
 */
ANYDIM_API void anydim_stream_destroy(anydim_stream_t stream) ANYDIM_NOTHROW;

/*
 * Waits until everything given to the stream is done; late errors surface here. The CPU engine completes before
 * execute returns, so there it only checks. Tensors must stay alive until it returns.
 * Errors: busy while another call uses the stream; closed if it is destroyed meanwhile; those of the calls that it
 * waited for.
 * Example:
 *     anydim_primitive_execute(primitive, stream, &x, 1, &logits, 1);
 *     anydim_stream_wait(stream); // now logits may be read, on any engine
 * - stream: The stream.
 *
 * Stable since 0.1; slot 16; may block; fails with busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_stream_wait(anydim_stream_t stream) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_ENGINE_H */
