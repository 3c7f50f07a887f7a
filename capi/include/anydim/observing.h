/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* What the library did - counters, verbose lines, and lines read back. */
#ifndef ANYDIM_OBSERVING_H
#define ANYDIM_OBSERVING_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"
#include "anydim/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One execution, parsed from a verbose line - operator, tensors, attributes, kernel. Its strings live as long as it.
 * Many threads may use it at once.
 */
typedef const struct anydim_call_s* anydim_call_t;

/* What a tensor of a call is. */
typedef int32_t anydim_call_role_t;
enum {
  ANYDIM_CALL_INPUT = 0, /* An input that comes at execution. */
  ANYDIM_CALL_WEIGHTS = 1, /* A constant input that is packed before. */
  ANYDIM_CALL_POST_OP = 2, /* A tensor of a post-op; comes at execution, after the inputs. */
  ANYDIM_CALL_OUTPUT = 3 /* An output. */
};

/* A counter of the process. */
typedef struct anydim_counter_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t level; /* 1 if it is a current level; 0 if it only grows. */
  anydim_string_t name; /* Its name. */
  anydim_string_t doc; /* What it counts. */
  int64_t value; /* Its value. */
} anydim_counter_t;
#define ANYDIM_COUNTER_INIT {sizeof(anydim_counter_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, 0}

/* The contents of a verbose line, except for its tensors. docs/verbose.md has the fields. */
typedef struct anydim_call_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  /* Number of its tensors: inputs and weights in the operator's order, then those of post-ops, then outputs. */
  int32_t tensors;
  anydim_string_t name; /* The node's name; empty for a primitive of a program. */
  anydim_string_t op; /* The operator with its attributes. */
  anydim_string_t post_ops; /* The chain of post-ops; empty for none. */
  anydim_string_t kernel; /* The kernel that ran. */
  anydim_string_t tier; /* Its tier. */
  int64_t time_ns; /* The time it took. */
  /* Additions and multiplications of matmul and the convolutions, padding included; -1 for other operators. */
  int64_t flops;
  int32_t threads; /* Most threads it could use. */
  int32_t reserved; /* Zero. */
} anydim_call_info_t;
#define ANYDIM_CALL_INFO_INIT {sizeof(anydim_call_info_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, 0, 0, 0, 0}

/* A tensor of a call. */
typedef struct anydim_call_tensor_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_call_role_t role; /* What it is. */
  anydim_dtype_t dtype; /* Its element type. */
  int32_t index; /* Which input, post-op tensor or output of the primitive it is, from 0. */
  anydim_dims_t dims; /* Its dims. */
  anydim_dims_t strides; /* Its strides, in elements. */
  int64_t low; /* Smallest integer that makes sense as its data (an index, a divisor). */
  int64_t high; /* The largest. */
} anydim_call_tensor_t;
#define ANYDIM_CALL_TENSOR_INIT {sizeof(anydim_call_tensor_t), 0, 0, 0, {0, 0, {0}}, {0, 0, {0}}, 0, 0}

/*
 * Returns how many counters there are. New ones come at the end.
 * - count (out): Their number.
 *
 * Experimental; slot 120; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_counter_get_count(int32_t* count) ANYDIM_NOTHROW;

/*
 * Returns a counter of this process, from the time when the library was loaded. Counters are read one by one while
 * other threads go on counting. Errors: not_found past the last.
 * Example:
 *     anydim_counter_t counter = ANYDIM_COUNTER_INIT;
 *     for (int32_t i = 0; anydim_counter_get(i, &counter) == ANYDIM_STATUS_OK; ++i) puts(counter.name.data);
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 121; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_counter_get(int32_t index, anydim_counter_t* info) ANYDIM_NOTHROW;

/*
 * Sets which verbose lines are written (docs/verbose.md): 0 none, 1 one per execution of a primitive or node, 2 also
 * one per creation. The first level comes from the variable ANYDIM_VERBOSE, read when the first engine is made;
 * lines go to standard error or to the end of the file that ANYDIM_VERBOSE_FILE names. Errors: invalid_argument for
 * a level that is none.
 * Thread rule: any thread, any time; calls that run may still see the level before.
 * Example:
 *     anydim_verbose_set(1);
 * - level: The level.
 *
 * Experimental; slot 140; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_verbose_set(int32_t level) ANYDIM_NOTHROW;

/*
 * Reads an execute line. Errors: invalid_argument or unimplemented for a line that is damaged or of another version
 * or event; the message names the field, the word and its place in the line.
 * - line: The line, with or without its end.
 * - call (out, the caller destroys it): The call.
 *
 * Experimental; slot 141; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_call_parse(const char* line, anydim_call_t* call) ANYDIM_NOTHROW;

/*
 * Destroys a call.
 * - call: The handle, or null.
 *
 * Experimental; slot 142.
 */
ANYDIM_API void anydim_call_destroy(anydim_call_t call) ANYDIM_NOTHROW;

/*
 * Describes a call.
 * - call: The call.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 143; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_call_query(anydim_call_t call, anydim_call_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Describes a tensor of a call. Errors: not_found past the last.
 * - call: The call.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 144; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_call_get_tensor(anydim_call_t call, int32_t index,
    anydim_call_tensor_t* info) ANYDIM_NOTHROW;

/*
 * Makes the primitive of a call: its operator, the descriptors it had (dynamic dims with their promises), post-ops,
 * math mode and reuse policy. Operators that have no struct here (gather, reshape, ...) can be made this way too.
 * Execute it with tensors of the call's dims, or of others that the descriptors allow.
 * Errors: not_found for a kernel that the registry lacks, unimplemented for one that refuses the problem,
 * invalid_argument for weights that do not fit the line.
 * Example:
 *     anydim_call_create_primitive(call, engine, "conv.reference", tensors, 2, &primitive);
 * - call: The call.
 * - engine: The engine.
 * - kernel: Kernel to force, such as the call's own; "" lets the library choose.
 * - weights: Data of the tensors whose role is weights, in order. They are packed (or copied) here.
 * - weights_count: Their number, or 0.
 * - primitive (out, the caller destroys it): The primitive.
 *
 * Experimental; slot 145; may block; fails with invalid_argument, not_found, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_call_create_primitive(anydim_call_t call, anydim_engine_t engine,
    const char* kernel, const anydim_view_t* weights, int32_t weights_count, anydim_primitive_t* primitive)
    ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_OBSERVING_H */
