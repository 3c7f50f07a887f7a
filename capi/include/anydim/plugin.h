/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Engines from outside: a device with memory, a queue and kernels that a program or a shared object brings. */
#ifndef ANYDIM_PLUGIN_H
#define ANYDIM_PLUGIN_H

#include "anydim/base.h"
#include "anydim/operators.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of anydim_engine_definition_t that this header describes. */
#define ANYDIM_ENGINE_DEFINITION_VERSION 1

/*
 * A problem, or one execution of a kernel. In a problem a dim that is not known is -1, strides have rank 0 and data
 * is null. In an execution all dims and strides are numbers, data of each tensor is the engine's own memory, as its
 * callback allocate returned it, and offset is where the element at index 0... lies in it, in bytes. An input that
 * is absent has dtype 0. It stays as it is for the callback only.
 */
typedef struct anydim_engine_call_t {
  /*
   * To be read: the operator as an anydim_op_t, which begins a struct of its attributes such as
   * anydim_convolution_t.
   */
  void* op;
  void* inputs; /* To be read: an array of anydim_view_t, the operator's inputs. */
  void* outputs; /* To be read: an array of anydim_view_t, its outputs. */
  int32_t input_count; /* Number of inputs. */
  int32_t output_count; /* Number of outputs. */
  int64_t constants; /* Bit i is 1 if input i is a constant. */
  int32_t kernel; /* Which kernel of the definition, from 0. */
  int32_t reserved; /* Zero. */
} anydim_engine_call_t;

/*
 * A model's graph, or a part of it, for an engine that takes parts. A dim that only a run knows is a negative
 * number: the same number stands for the same dim. Strides have rank 0. Data of a constant are its elements, dense
 * and row-major, at any address of the host; data of all other values is null. It stays as it is for the callback
 * only.
 */
typedef struct anydim_engine_graph_t {
  void* values; /* To be read: an array of anydim_view_t, all values. */
  void* constants; /* To be read: an array of int32_t, 1 for each value that is a constant, 0 for others. */
  void* nodes; /* To be read: an array of anydim_engine_node_t, each behind those whose results it reads. */
  void* inputs; /* To be read: an array of int32_t, the values that come from outside, without constants. */
  void* outputs; /* To be read: an array of int32_t, the values that are read outside. */
  int64_t value_count; /* Number of values. */
  int64_t node_count; /* Number of nodes. */
  int64_t input_count; /* Number of inputs. */
  int64_t output_count; /* Number of outputs. */
} anydim_engine_graph_t;

/*
 * Makes an engine. Null: there is no such device now, which makes anydim_engine_create return
 * ANYDIM_STATUS_NOT_FOUND.
 * Thread rule: Any thread, several at once.
 * - user: The environment that was given with it.
 */
typedef void* (*anydim_engine_open_callback_t)(void* user);

/*
 * Destroys an engine, a memory, a stream, an event or an executable.
 * Thread rule: Any thread, several at once with different objects.
 * - user: The environment that was given with it.
 * - object: The object, as a callback returned it.
 */
typedef void (*anydim_engine_object_callback_t)(void* user, void* object);

/*
 * Allocates memory of the engine: ANYDIM_STATUS_OUT_OF_MEMORY if it returns null. The pointer need not be an address
 * that the host reads.
 * Thread rule: Any thread, several at once.
 * - user: The environment that was given with it.
 * - engine: The engine.
 * - bytes: How much, at least 1.
 */
typedef void* (*anydim_engine_allocate_callback_t)(void* user, void* engine, int64_t bytes);

/*
 * Whether a kernel computes a problem at all dims that its unknown ones can become, with the bits that
 * docs/numerics.md prescribes. It returns null for yes, else a sentence (const char*) that says why not, which
 * stays.
 * Thread rule: Any thread, several at once.
 * - user: The environment that was given with it.
 * - problem: The problem.
 */
typedef void* (*anydim_engine_supports_callback_t)(void* user, const anydim_engine_call_t* problem);

/*
 * Makes a kernel ready for a problem that it supports: all that has to be looked up or compiled. Null: the kernel
 * cannot be made ready (ANYDIM_STATUS_UNIMPLEMENTED).
 * Thread rule: Any thread, several at once.
 * - user: The environment that was given with it.
 * - engine: The engine.
 * - problem: The problem.
 */
typedef void* (*anydim_engine_prepare_callback_t)(void* user, void* engine, const anydim_engine_call_t* problem);

/*
 * Says which nodes of a graph the engine takes, several as one part. Of nodes that are in one part, none outside may
 * read from one and be read by another. Constants of more than 4096 bytes have no data here. It returns a status;
 * another than 0 fails the load.
 * Thread rule: Any thread, several at once.
 * - user: The environment that was given with it.
 * - engine: The engine.
 * - graph: The graph, after the library has simplified it.
 * - parts: To be written: an array of int32_t, all 0: for each node the number of its part, from 1.
 * - part_count: Length of parts: the number of nodes.
 */
typedef int32_t (*anydim_engine_claim_callback_t)(void* user, void* engine, const anydim_engine_graph_t* graph, void* parts, int64_t part_count);

/*
 * Compiles a part that the engine has claimed, for all dims that its unknown ones can become. Constants are given
 * here alone: what is needed of them is copied. Null: the engine does not take it after all, and its nodes run as
 * others do.
 * Thread rule: Any thread, several at once.
 * - user: The environment that was given with it.
 * - engine: The engine.
 * - part: The part.
 */
typedef void* (*anydim_engine_compile_callback_t)(void* user, void* engine, const anydim_engine_graph_t* part);

/*
 * Makes a stream of an engine, or an event of a stream, which is not recorded again. Null: there is no memory.
 * Thread rule: Any thread, several at once; for an event one thread at a time for each stream.
 * - user: The environment that was given with it.
 * - object: The engine, or the stream.
 */
typedef void* (*anydim_engine_stream_callback_t)(void* user, void* object);

/*
 * Waits for a stream or an event. It returns a status.
 * Thread rule: Any thread; one at a time for each stream.
 * - user: The environment that was given with it.
 * - object: The stream, or the event.
 */
typedef int32_t (*anydim_engine_wait_callback_t)(void* user, void* object);

/*
 * Gives a copy to a stream; it may be done later, after what the stream has. A place of the host is a pointer and
 * offset 0. It returns a status.
 * Thread rule: One thread at a time for each stream.
 * - user: The environment that was given with it.
 * - stream: The stream.
 * - to: Memory of the engine or of the host.
 * - to_offset: Bytes into it.
 * - from: Memory of the engine or of the host.
 * - from_offset: Bytes into it.
 * - bytes: How much, at least 1.
 */
typedef int32_t (*anydim_engine_copy_callback_t)(void* user, void* stream, void* to, int64_t to_offset, void* from, int64_t from_offset, int64_t bytes);

/*
 * Gives an execution of a kernel or of a part to a stream; it may be done later, after what the stream has. Of a
 * part, op is null, kernel -1, inputs and outputs are those of its graph, in their order. The call may end with the
 * callback, so what is needed later is copied; memories and the executable stay until the stream was waited for. It
 * compiles nothing. It returns a status.
 * Thread rule: One thread at a time for each stream.
 * - user: The environment that was given with it.
 * - stream: The stream.
 * - executable: What prepare or part_compile returned; null without it.
 * - call: The execution.
 */
typedef int32_t (*anydim_engine_launch_callback_t)(void* user, void* stream, void* executable, const anydim_engine_call_t* call);

/*
 * What is given to the stream from now on begins after the event. It returns a status.
 * Thread rule: One thread at a time for each stream.
 * - user: The environment that was given with it.
 * - stream: The stream.
 * - event: An event of any stream of the engine.
 */
typedef int32_t (*anydim_engine_order_callback_t)(void* user, void* stream, void* event);

/*
 * Why the last callback of this thread failed: a text (const char*), which is copied at once; or null.
 * Thread rule: Any thread, several at once: the one whose callback failed.
 * - user: The environment that was given with it.
 */
typedef void* (*anydim_engine_error_callback_t)(void* user);

/*
 * A kernel of an engine from outside. Where two have the same operator, the first that supports a problem computes
 * it.
 */
typedef struct anydim_engine_kernel_t {
  const char* name; /* Its name, for logs and anydim_attr_set_kernel; unique in the engine. */
  anydim_op_kind_t op; /* The operator. */
  int32_t reserved; /* Zero. */
} anydim_engine_kernel_t;

/* A node of an anydim_engine_graph_t. Values are numbers from 0; an input that is absent is -1. */
typedef struct anydim_engine_node_t {
  const char* name; /* Its name in the model. */
  void* op; /* To be read: the operator as an anydim_op_t, as in anydim_engine_call_t; null: nothing is said of it. */
  void* inputs; /* To be read: an array of int32_t, the values that it reads. */
  void* outputs; /* To be read: an array of int32_t, the values that it makes. */
  int32_t input_count; /* Number of inputs. */
  int32_t output_count; /* Number of outputs. */
  int32_t offered; /* 1: it may be claimed. */
  int32_t reserved; /* Zero. */
} anydim_engine_node_t;

/*
 * An engine from outside. Every callback gets user first; those that return a pointer fail with null, those that
 * return a number return a status, 0 for success. Callbacks about one stream, its copies, launches and events, are
 * never called at the same time; others are, by any threads. None may call the library with objects of its engine,
 * and none may throw.
 */
typedef struct anydim_engine_definition_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t version; /* The version of this struct that the author had in mind. */
  const char* name; /* The kind's name: letters a to z, digits and _, unique among the kinds. */
  const char* device; /* The device's name; with driver it is the key of what is measured on it. */
  const char* driver; /* Name and version of what drives it; it changes when results or speed may. */
  void* kernels; /* An array of anydim_engine_kernel_t; it is copied. */
  int64_t kernel_count; /* Their number. */
  int64_t base_alignment; /* Buffers begin at multiples of so many bytes in a memory: a power of two. */
  int64_t largest_allocation; /* Most bytes of one allocation; 0 if there is no such limit. */
  anydim_engine_open_callback_t create; /* Makes an engine. */
  anydim_engine_object_callback_t destroy; /* Destroys an engine. */
  anydim_engine_allocate_callback_t allocate; /* Allocates memory, whose bytes may have any value. */
  anydim_engine_object_callback_t free; /* Frees memory; nothing uses it any more. */
  anydim_engine_supports_callback_t supports; /* Whether a kernel computes a problem. */
  /* Makes a kernel ready for a problem; null: nothing has to be prepared. */
  anydim_engine_prepare_callback_t prepare;
  anydim_engine_object_callback_t release; /* Destroys what prepare returned; required with it. */
  anydim_engine_stream_callback_t stream_create; /* Makes a stream. */
  anydim_engine_object_callback_t stream_destroy; /* Destroys a stream; all of its work is done. */
  /* Waits until all work of a stream is done; returns the first error among it, once. */
  anydim_engine_wait_callback_t stream_wait;
  /* Copies from memory of the host, which stays until it is done, to the engine's. */
  anydim_engine_copy_callback_t upload;
  /* Copies from the engine's memory to the host's, which stays until it is done. */
  anydim_engine_copy_callback_t download;
  anydim_engine_copy_callback_t copy; /* Copies within the engine's memory; the two parts may overlap. */
  anydim_engine_launch_callback_t launch; /* Gives an execution of a kernel to a stream. */
  /* Records a point of a stream; null: the library waits for the stream instead. */
  anydim_engine_stream_callback_t event_record;
  anydim_engine_wait_callback_t event_wait; /* Waits for an event; required with event_record. */
  /* Makes a stream wait for an event of another one; required with event_record. */
  anydim_engine_order_callback_t event_order;
  /* Destroys an event, maybe after its stream; required with event_record. */
  anydim_engine_object_callback_t event_destroy;
  anydim_engine_error_callback_t last_error; /* Why the last callback of this thread failed; or null. */
  void* user; /* Passed to the callbacks. */
  /* Called once, when nothing of the kind is left; not if it is not registered. Or null. */
  anydim_finalizer_callback_t finalizer;
  anydim_engine_claim_callback_t claim; /* Says which parts of a graph the engine takes as a whole; null: none. */
  anydim_engine_compile_callback_t part_compile; /* Compiles a part; required with claim. */
  anydim_engine_object_callback_t part_release; /* Destroys what part_compile returned; required with claim. */
  anydim_engine_launch_callback_t part_launch; /* Gives an execution of a part to a stream; required with claim. */
} anydim_engine_definition_t;
#define ANYDIM_ENGINE_DEFINITION_INIT {sizeof(anydim_engine_definition_t), 1, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, 0, 64, 0, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL}

/*
 * Adds a kind of engine that the program brings. Engines of the kind are made by anydim_engine_create, models are
 * split over them and the others, and tensors are copied as for engines of the library. Post-ops, quantized problems
 * and attributes that only a run knows are never given to its kernels. docs/engines-from-outside.md is a manual;
 * `anydim engine-check` tests a shared object.
 * Errors: invalid_argument for a callback that is missing, for names, versions and limits that cannot be, and for a
 * name that a kind has.
 * Thread rule: any thread.
 * Example:
 *     anydim_engine_definition_t definition = ANYDIM_ENGINE_DEFINITION_INIT;
 *     definition.name = "mine";  // and its kernels and functions: docs/engines-from-outside.md
 *     anydim_engine_kind_t kind;
 *     anydim_engine_register(&definition, &kind);
 *     anydim_engine_create(kind, 0, NULL, &engine);
 * - definition: The engine; it is copied.
 * - kind (out): Its number, for anydim_engine_create; no other kind of this process gets it.
 *
 * Experimental; slot 331; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_register(const anydim_engine_definition_t* definition,
    int32_t* kind) ANYDIM_NOTHROW;

/*
 * Opens a shared object and registers the engine that its entry function returns (below): a pointer to an
 * anydim_engine_definition_t, which stays, or null if it has none here. The object is closed when nothing of the
 * kind is left. It is code that runs in this process: load only what you trust.
 * Errors: not_found for a file that is not there, io_error for one that cannot be opened or has no such function,
 * unimplemented if it returns null, and those of anydim_engine_register.
 * Thread rule: any thread.
 * Example:
 *     // in libmine.so: const anydim_engine_definition_t* anydim_engine_plugin(void);
 *     anydim_engine_kind_t kind;
 *     anydim_engine_load("/opt/mine/libmine.so", &kind);
 *     anydim_engine_create(kind, 0, NULL, &engine);
 * - path: The file.
 * - kind (out): Its number, for anydim_engine_create.
 *
 * Experimental; slot 332; fails with invalid_argument, not_found, unimplemented, io_error.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_load(const char* path, int32_t* kind) ANYDIM_NOTHROW;

/*
 * Removes a kind that was registered or loaded: no more engines of it are made. Those that there are continue; with
 * the last of them and of what was made from them (the primitive cache has some: anydim_primitive_cache_clear) the
 * finalizer is called and the shared object is closed.
 * Errors: not_found for a number that no such kind has.
 * Thread rule: any thread.
 * - kind: Its number.
 *
 * Experimental; slot 333; fails with not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_engine_unregister(int32_t kind) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_PLUGIN_H */
