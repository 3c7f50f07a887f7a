/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Primitives - one operator, made for given descriptors - with their attributes and weights. */
#ifndef ANYDIM_PRIMITIVE_H
#define ANYDIM_PRIMITIVE_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"
#include "anydim/operators.h"
#include "anydim/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Attributes of primitives to come - reuse policy, math mode, post-ops, scales, zero points, scratchpad mode, forced
 * kernel. What is made with them sees all of a change by another thread, or nothing of it. Many threads may use it
 * at once.
 */
typedef const struct anydim_attr_s* anydim_attr_t;

/*
 * Constant inputs of an operator, packed once and shared by all primitives, shapes and contexts. Many threads may
 * use it at once. It keeps its engine alive.
 */
typedef const struct anydim_weights_s* anydim_weights_t;

/*
 * An operator made for given descriptors and attributes, bound to one kernel, ready to execute. Many threads may use
 * it at once. It keeps its engine alive.
 */
typedef const struct anydim_primitive_s* anydim_primitive_t;

/* Whose memory a primitive computes in. */
typedef int32_t anydim_scratchpad_t;
enum {
  ANYDIM_SCRATCHPAD_STREAM = 0, /* The stream's; it grows when a primitive needs more than any before. The default. */
  ANYDIM_SCRATCHPAD_CALLER = 1 /* The caller's, passed to anydim_primitive_execute; nothing is allocated. */
};

/* Which operand of a matmul, convolution or conv_transpose. */
typedef int32_t anydim_operand_t;
enum {
  ANYDIM_OPERAND_INPUT_0 = 0, /* Its first input. */
  ANYDIM_OPERAND_INPUT_1 = 1, /* Its second input, the weights of a convolution. */
  ANYDIM_OPERAND_RESULT = 2 /* Its output. */
};

/* How a file of packed weights is written. */
typedef struct anydim_save_options_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  /*
   * 1: the file is on the disk when the call returns; 0: the call does not wait for that, and a crash of the machine
   * may lose the file.
   */
  int32_t sync;
} anydim_save_options_t;
#define ANYDIM_SAVE_OPTIONS_INIT {sizeof(anydim_save_options_t), 1}

/* A kernel that was considered for a primitive. */
typedef struct anydim_candidate_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t chosen; /* 1 for the chosen one. */
  anydim_string_t name; /* The kernel's name. */
  anydim_string_t refusal; /* Why it was not chosen; empty for the chosen one. */
} anydim_candidate_t;
#define ANYDIM_CANDIDATE_INIT {sizeof(anydim_candidate_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}}

/*
 * Makes attributes with all defaults. What is made with them copies them.
 * - attr (out, the caller destroys it): The attributes.
 *
 * Stable since 0.1; slot 40.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_create(anydim_attr_t* attr) ANYDIM_NOTHROW;

/*
 * Destroys attributes.
 * - attr: The handle, or null.
 *
 * Stable since 0.1; slot 41.
 */
ANYDIM_API void anydim_attr_destroy(anydim_attr_t attr) ANYDIM_NOTHROW;

/*
 * Sets the reuse policy of the primitives to come. With ANYDIM_REUSE_SPECIALISED their creation measures plans,
 * which takes seconds. Errors: invalid_argument for a policy that is none.
 * Example:
 *     anydim_attr_set_reuse(attr, ANYDIM_REUSE_REUSABLE_FIRST);
 * - attr: The attributes.
 * - policy: The policy.
 *
 * Experimental; slot 42; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_reuse(anydim_attr_t attr, anydim_reuse_t policy)
    ANYDIM_NOTHROW;

/*
 * Sets the math mode. An operator without kernels of its own in that mode computes in the one before it, which
 * anydim_primitive_explain shows. Errors: invalid_argument for a mode that is none.
 * Example:
 *     anydim_attr_set_math(attr, ANYDIM_MATH_FAST);
 * - attr: The attributes.
 * - mode: The mode.
 *
 * Experimental; slot 43; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_math(anydim_attr_t attr, anydim_math_t mode)
    ANYDIM_NOTHROW;

/*
 * Appends a post-op that takes a function of each output element, after the operator's bias and the post-ops before.
 * Errors: invalid_argument for a function that is none, unimplemented for a thirteenth post-op.
 * Example:
 *     anydim_attr_append_eltwise(attr, ANYDIM_UNARY_RELU, 0.f, 0.f);
 * - attr: The attributes.
 * - function: The function.
 * - alpha: Its first parameter, if it has one.
 * - beta: Its second parameter, if it has one.
 *
 * Experimental; slot 44; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_append_eltwise(anydim_attr_t attr, anydim_unary_function_t
    function, float alpha, float beta) ANYDIM_NOTHROW;

/*
 * Appends a post-op y = function(y, t), with a tensor t that is given at execution after the operator's inputs and
 * broadcasts to the output. Errors: as anydim_attr_append_eltwise.
 * Example:
 *     anydim_attr_append_binary(attr, ANYDIM_BINARY_ADD, 0); // a residual: another input at execution
 * - attr: The attributes.
 * - function: The function.
 * - reversed: 1 for y = function(t, y), else 0.
 *
 * Experimental; slot 45; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_append_binary(anydim_attr_t attr, anydim_binary_function_t
    function, int32_t reversed) ANYDIM_NOTHROW;

/*
 * Sets the dtype of the result of a matmul, convolution or conv_transpose: f32, f16, bf16, i8, u8 or i32. What comes
 * before it is computed as usual, post-ops in binary32, and converted once, when it is stored. Their tensors are f32
 * then. 0 removes it: then the result of floats has their dtype, that of 8-bit inputs is i32, or f32 if an input has
 * scales or a bias of f32. Errors: invalid_argument for a dtype that is none; for what an operator does not accept,
 * unimplemented when the primitive is made.
 * Example:
 *     anydim_attr_set_scales(attr, ANYDIM_OPERAND_RESULT, -1, &scale, 1);
 *     anydim_attr_set_dtype(attr, ANYDIM_I8);
 * - attr: The attributes.
 * - dtype: The dtype.
 *
 * Experimental; slot 170; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_dtype(anydim_attr_t attr, anydim_dtype_t dtype)
    ANYDIM_NOTHROW;

/*
 * Says which real numbers those of an 8-bit operand (i8, u8) stand for: scale * (number - zero point). One scale for
 * the whole operand, or one for each index of an axis: of rows of input 0 and columns of input 1 of a matmul, batch
 * items of input 0 and output channels of the weights of a convolution, and any axis of the result. With values they
 * are attributes; without, they come with each execution, as a tensor of f32, a scalar or as long as the axis. Such
 * tensors are inputs behind those of the post-ops: of input 0, input 1 and the result, the scale before the zero
 * point. Products of 8-bit inputs are summed exactly; docs/numerics.md, section 1, says how the sum is scaled and
 * stored.
 * Errors: invalid_argument for an operand that is none and an axis outside -1..7; when the primitive is made
 * invalid_argument for a scale that is no finite number above 0, another number of them than the axis is long, and
 * an operand that is not of 8 bits, unimplemented for other operators and axes.
 * Example:
 *     anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_1, 0, channel_scales, channels);
 *     anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_0, -1, NULL, 0);
 * - attr: The attributes.
 * - operand: The operand.
 * - axis: Axis of the operand along which they differ; -1: one for all of it.
 * - values: The scales, or null.
 * - count: Their number; 0: they come with each execution.
 *
 * Experimental; slot 171; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_scales(anydim_attr_t attr, anydim_operand_t operand,
    int32_t axis, const float* values, int32_t count) ANYDIM_NOTHROW;

/*
 * Sets the number of an 8-bit operand that stands for zero, as anydim_attr_set_scales does scales. A tensor of them
 * has the operand's dtype. Errors: as anydim_attr_set_scales; invalid_argument for a value outside the operand's
 * dtype.
 * Example:
 *     int32_t middle = 128;
 *     anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_INPUT_0, -1, &middle, 1);
 * - attr: The attributes.
 * - operand: The operand.
 * - axis: Axis of the operand along which they differ; -1: one for all of it.
 * - values: The zero points, or null.
 * - count: Their number; 0: they come with each execution.
 *
 * Experimental; slot 172; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_zero_points(anydim_attr_t attr, anydim_operand_t operand,
    int32_t axis, const int32_t* values, int32_t count) ANYDIM_NOTHROW;

/*
 * Forces a kernel by its name, for tests and reports; "" lets the library choose again. Whether it supports the
 * problem shows at creation of the primitive. Errors: not_found for a name that the registry lacks.
 * Example:
 *     anydim_attr_set_kernel(attr, "conv.reference");
 * - attr: The attributes.
 * - kernel: The kernel's name.
 *
 * Experimental; slot 46; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_kernel(anydim_attr_t attr, const char* kernel)
    ANYDIM_NOTHROW;

/*
 * Sets whose memory the primitive computes in. Errors: invalid_argument for a mode that is none.
 * - attr: The attributes.
 * - mode: The mode.
 *
 * Experimental; slot 47; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_scratchpad(anydim_attr_t attr, anydim_scratchpad_t mode)
    ANYDIM_NOTHROW;

/*
 * Packs constant inputs of an operator, once for all shapes, primitives and contexts; their memory may be freed
 * afterwards. Any inputs may be constant: constants[i] is the operator's input operands[i]. What the kernel packs
 * nothing of is kept as it is. Attributes must be those of the primitives to come. anydim_weights_update replaces
 * the values later, anydim_weights_save keeps the packed form. `inputs` describes the others, in the operator's
 * order. It may be empty where only input 0 is not constant; that is then taken to have the dtype of the first
 * constant. An optional input before a constant is left out by giving no descriptor for it: the descriptors are
 * those of the first inputs that are not constant, and each input that is left over, up to the last constant, must
 * be optional. So layer_norm with the constant operands[0] = 2 and one descriptor has a bias and no scale.
 * Primitives over the weights are made and executed without that input too. An optional input before one that comes
 * with each call cannot be left out.
 * Errors: invalid_argument for what the operator does not accept, unimplemented if no kernel supports it.
 * Example:
 *     anydim_weights_create(engine, &conv.op, NULL, NULL, 0, kernel_and_bias, NULL, 2, &weights);
 *     anydim_primitive_create(engine, &conv.op, NULL, &src, 1, weights, &primitive);
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes, or null for the defaults.
 * - inputs: Descriptors of the inputs that come with each call.
 * - input_count: Their number, or 0.
 * - constants: The constants.
 * - operands (may be null): Which inputs they are, from 0, in rising order. Null: those from the second on.
 * - count: Their number, 1 or more.
 * - weights (out, the caller destroys it): The packed weights.
 *
 * Experimental; slot 50; may block; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_weights_create(anydim_engine_t engine, const anydim_op_t* op,
    anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, const anydim_view_t* constants, const
    int32_t* operands, int32_t count, anydim_weights_t* weights) ANYDIM_NOTHROW;

/*
 * Destroys weights; primitives that use them keep them alive.
 * - weights: The handle, or null.
 *
 * Experimental; slot 51.
 */
ANYDIM_API void anydim_weights_destroy(anydim_weights_t weights) ANYDIM_NOTHROW;

/*
 * Returns how many bytes the packed form takes.
 * - weights: The weights.
 * - bytes (out): Bytes.
 *
 * Experimental; slot 52.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_weights_get_bytes(anydim_weights_t weights, int64_t* bytes)
    ANYDIM_NOTHROW;

/*
 * Replaces the values: packs these, once for all primitives over these weights, and makes them the next version.
 * Dtypes and dims are those the weights were created with. Executions that begin after this returns use the new
 * version; those that run meanwhile keep the one they began with, the whole call long. Both versions are in memory
 * until calls with the old one have ended: the call waits for that up to a second and then leaves the old one to the
 * next update or to the end of the weights. Thread rule: any thread, also while others execute; updates go one after
 * the other.
 * Errors: invalid_argument for other dtypes or dims, or another number of them.
 * Example:
 *     anydim_weights_update(weights, kernel_and_bias, 2); // new values of the same dtypes and dims
 * - weights: The weights.
 * - constants: The constants, as many and in the same order as there were.
 * - count: Their number.
 *
 * Experimental; slot 160; may block; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_weights_update(anydim_weights_t weights, const anydim_view_t*
    constants, int32_t count) ANYDIM_NOTHROW;

/*
 * Returns how often the values were set: 1 after creation or loading, one more after each update.
 * - weights: The weights.
 * - version (out): The version.
 *
 * Experimental; slot 161.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_weights_get_version(anydim_weights_t weights, int64_t* version)
    ANYDIM_NOTHROW;

/*
 * Writes the packed form to a file for anydim_weights_load: under another name first, flushed to the disk, then
 * renamed, so that the path always holds a whole file and processes that have an older one mapped keep it. The file
 * is made for the instruction set in use. Links are followed; a pipe or character device is written into. Errors:
 * invalid_argument for what is no file (a folder, a block device), io_error with the system's reason, unimplemented
 * for weights without elements.
 * Example:
 *     anydim_weights_save(weights, "conv.packed", NULL);
 * - weights: The weights.
 * - path: Path of the file.
 * - options (may be null): Options, or null for the defaults.
 *
 * Experimental; slot 162; may block; fails with invalid_argument, io_error, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_weights_save(anydim_weights_t weights, const char* path, const
    anydim_save_options_t* options) ANYDIM_NOTHROW;

/*
 * Maps weights that anydim_weights_save wrote: nothing is packed or copied, and processes that map one file share
 * its memory. The file is read once, for its checksum; it must not be changed or truncated in place while it is
 * mapped.
 * Errors: file_not_found if there is no such file; io_error if it is damaged, cut off or of another kind;
 * invalid_argument if it was packed for another operator; unimplemented if the kernel that is chosen here reads
 * another packed form (another instruction set, or attributes that the form depends on), or another version wrote
 * its format: pack again with anydim_weights_create. Scales and zero points are the attributes' or come with calls:
 * they are not in the file.
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes of the primitives to come, or null for the defaults.
 * - inputs: Descriptors of the inputs that come with each call, as for anydim_weights_create.
 * - input_count: Their number, or 0.
 * - path: Path of the file.
 * - weights (out, the caller destroys it): The weights.
 *
 * Experimental; slot 163; may block; fails with invalid_argument, file_not_found, io_error, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_weights_load(anydim_engine_t engine, const anydim_op_t* op,
    anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, const char* path, anydim_weights_t* weights)
    ANYDIM_NOTHROW;

/*
 * Makes a primitive, in microseconds (with the reuse policy specialised it measures first, which takes seconds).
 * Descriptors are those of the inputs that come at execution: all of the operator's but those in `weights`, in its
 * order, and but those that the weights were packed without (anydim_weights_create). Optional inputs at the end need
 * none. Tensors of post-ops need none: they have the output's dtype and any dims that broadcast to it. A primitive
 * with dynamic dims and one with numbers hold the same kernel.
 * Errors: invalid_argument for what the operator's shape rule refuses, unimplemented with every kernel's refusal.
 * Example:
 *     anydim_primitive_create(engine, &conv.op, NULL, &src, 1, weights, &primitive);
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes, or null for the defaults.
 * - inputs: Descriptors of the inputs.
 * - input_count: Their number.
 * - weights (may be null): Packed weights, or null.
 * - primitive (out, the caller destroys it): The primitive.
 *
 * Stable since 0.1; slot 53; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_create(anydim_engine_t engine, const anydim_op_t* op,
    anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, anydim_weights_t weights,
    anydim_primitive_t* primitive) ANYDIM_NOTHROW;

/*
 * Makes a primitive and packs its constants: anydim_weights_create and anydim_primitive_create in one. constants[i]
 * is the operator's input operands[i], and `inputs` describes all others, in its order; optional ones at the end and
 * before a constant may be left out (anydim_weights_create). anydim_primitive_acquire_weights returns the packed
 * constants, for other primitives, to update and to save.
 * Errors: as anydim_weights_create and anydim_primitive_create.
 * Example:
 *     const int32_t first = 0;
 *     anydim_primitive_create_with_constants(engine, &product.op, NULL, &b, 1, &a, &first, 1, &primitive);
 * - engine: The engine.
 * - op: The operator, as &conv.op.
 * - attr (may be null): Attributes, or null for the defaults.
 * - inputs: Descriptors of the inputs that come with each call.
 * - input_count: Their number.
 * - constants: The constants.
 * - operands (may be null): Which inputs they are, from 0, in rising order. Null: those from the second on.
 * - count: Their number, 1 or more.
 * - primitive (out, the caller destroys it): The primitive.
 *
 * Experimental; slot 220; may block; fails with invalid_argument, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_create_with_constants(anydim_engine_t engine, const
    anydim_op_t* op, anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, const anydim_view_t*
    constants, const int32_t* operands, int32_t count, anydim_primitive_t* primitive) ANYDIM_NOTHROW;

/*
 * Returns the weights that a primitive holds. Errors: not_found if it has none.
 * - primitive: The primitive.
 * - weights (out, the caller destroys it): The weights, the primitive's own: an update of them is seen by it.
 *
 * Experimental; slot 221; fails with not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_acquire_weights(anydim_primitive_t primitive,
    anydim_weights_t* weights) ANYDIM_NOTHROW;

/*
 * Destroys a primitive; running executions finish.
 * - primitive: The handle, or null.
 *
 * Stable since 0.1; slot 54.
 */
ANYDIM_API void anydim_primitive_destroy(anydim_primitive_t primitive) ANYDIM_NOTHROW;

/*
 * Executes a primitive: inputs in the operator's order without those in weights, then the tensors of post-ops in
 * their order. Outputs must have the dims that anydim_primitive_get_output_dims returns; one with a dtype and no
 * data is placed in memory that is the caller's until anydim_result_release. Any shape that the descriptors allow
 * costs the same per element. Errors: invalid_argument for dtype, rank, number of tensors or wrong dims,
 * out_of_bounds for a dim that breaks a promise, invalid_data for values found wrong on the way.
 * Thread rule: many threads may share the primitive, each with its own stream.
 * Example:
 *     anydim_view_t y = {.data = buffer, .dtype = ANYDIM_F32};
 *     anydim_primitive_get_output_dims(primitive, &x, 1, 0, &y.dims);
 *     anydim_primitive_execute(primitive, stream, &x, 1, &y, 1);
 * - primitive: The primitive.
 * - stream: The stream.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs (in and out): Output tensors.
 * - output_count: Their number.
 *
 * Stable since 0.1; slot 55; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented,
 * busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_execute(anydim_primitive_t primitive, anydim_stream_t
    stream, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count)
    ANYDIM_NOTHROW;

/*
 * As anydim_primitive_execute, in scratch memory of the caller (scratchpad mode caller): nothing is allocated.
 * Errors: invalid_argument also for scratch that is too small or not aligned to 64.
 * Example:
 *     anydim_primitive_get_scratch_bytes(primitive, stream, &x, 1, &logits, 1, &bytes);
 *     // buffer: at least so many bytes, aligned to 64
 *     anydim_primitive_execute_in(primitive, stream, &x, 1, &logits, 1, buffer, bytes);
 * - primitive: The primitive.
 * - stream: The stream.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - scratch (may be null): Memory aligned to 64 bytes.
 * - scratch_bytes: Its size.
 *
 * Experimental; slot 56; may block; fails with invalid_argument, out_of_bounds, invalid_data, unimplemented, busy,
 * closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_execute_in(anydim_primitive_t primitive, anydim_stream_t
    stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count,
    void* scratch, int64_t scratch_bytes) ANYDIM_NOTHROW;

/*
 * Returns the dims of an output for actual inputs, and checks these. Their dtype, dims and strides count, their data
 * does not. Errors: as anydim_primitive_execute; not_found past the last output.
 * Example:
 *     anydim_dims_t dims;
 *     anydim_primitive_get_output_dims(primitive, &x, 1, 0, &dims);
 * - primitive: The primitive.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - index: Which output, from 0.
 * - dims (out): Its dims.
 *
 * Experimental; slot 57; fails with invalid_argument, out_of_bounds, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_output_dims(anydim_primitive_t primitive, const
    anydim_view_t* inputs, int32_t input_count, int32_t index, anydim_dims_t* dims) ANYDIM_NOTHROW;

/*
 * Returns how many bytes of scratch an execution with these tensors needs: what anydim_primitive_execute_in is
 * given. Their data does not count. Errors: as anydim_primitive_execute.
 * - primitive: The primitive.
 * - stream: The stream it will run in.
 * - inputs: Input tensors.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - bytes (out): Bytes.
 *
 * Experimental; slot 58; fails with invalid_argument, out_of_bounds, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_scratch_bytes(anydim_primitive_t primitive,
    anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t
    output_count, int64_t* bytes) ANYDIM_NOTHROW;

/*
 * Returns the memory order in which the primitive's kernel reads an input or writes an output without a copy, as
 * axes, outermost first ({0, 2, 3, 1} is channels last); rank 0: any.
 * - primitive: The primitive.
 * - output: 1 for an output, 0 for an input.
 * - index: Which, from 0.
 * - order (out): The order.
 *
 * Experimental; slot 59; fails with not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_order(anydim_primitive_t primitive, int32_t output,
    int32_t index, anydim_dims_t* order) ANYDIM_NOTHROW;

/*
 * Returns the primitive's kernel: its name, and a number that is equal for two primitives of a process exactly if
 * they hold the same kernel object.
 * - primitive: The primitive.
 * - name (out): The name.
 * - identity (out): The number.
 *
 * Experimental; slot 60.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_kernel(anydim_primitive_t primitive, anydim_string_t*
    name, uint64_t* identity) ANYDIM_NOTHROW;

/*
 * Returns how many kernels were considered for the primitive.
 * - primitive: The primitive.
 * - count (out): Their number.
 *
 * Experimental; slot 61.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_candidate_count(anydim_primitive_t primitive, int32_t*
    count) ANYDIM_NOTHROW;

/*
 * Describes a considered kernel, in order of preference. Errors: not_found past the last.
 * Example:
 *     anydim_candidate_t candidate = ANYDIM_CANDIDATE_INIT;
 *     for (int32_t i = 0; anydim_primitive_get_candidate(primitive, i, &candidate) == ANYDIM_STATUS_OK; ++i)
 *         printf("%s: %s\n", candidate.name.data, candidate.refusal.data);
 * - primitive: The primitive.
 * - index: Which, from 0.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 62; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_candidate(anydim_primitive_t primitive, int32_t index,
    anydim_candidate_t* info) ANYDIM_NOTHROW;

/*
 * Explains a primitive as JSON: operator, descriptors, attributes, kernel, tier, reuse policy, preferred orders, and
 * why each other kernel was refused; with input tensors also output dims and scratch.
 * Errors: as anydim_primitive_execute, of the input tensors.
 * Example:
 *     anydim_primitive_explain(primitive, &x, 1, &text);
 *     anydim_string_t json;
 *     anydim_text_get_data(text, &json);
 *     puts(json.data);
 *     anydim_text_destroy(text);
 * - primitive: The primitive.
 * - inputs: Input tensors, or none.
 * - input_count: Their number, or 0.
 * - text (out, the caller destroys it): The explanation.
 *
 * Experimental; slot 63; fails with invalid_argument, out_of_bounds.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_explain(anydim_primitive_t primitive, const anydim_view_t*
    inputs, int32_t input_count, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Returns the element type of an output. Errors: not_found past the last.
 * - primitive: The primitive.
 * - index: Which output, from 0.
 * - dtype (out): Its element type.
 *
 * Experimental; slot 66; fails with not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_get_output_dtype(anydim_primitive_t primitive, int32_t
    index, anydim_dtype_t* dtype) ANYDIM_NOTHROW;

/*
 * Lists as JSON, in the registry's order of preference, every kernel for the primitive's problem at these tensors:
 * kernel, chosen, refusal (of those that cannot), expected_nanoseconds (of a simple model; it orders choices and is
 * no promise) and scratch_bytes. With repeats above 0 each kernel that can is also run that often, alternately with
 * the others, and its median is measured_nanoseconds: this blocks for as long as that takes, which for a scalar
 * reference can be seconds, and writes the outputs. A kernel that reads weights in another packed form is reported
 * in not_measured.
 * Errors: as anydim_primitive_execute.
 * - primitive: The primitive.
 * - stream: The stream whose threads are used.
 * - inputs: Input tensors, as for anydim_primitive_execute.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - repeats: Measured runs of each kernel, 0 to 1000.
 * - text (out, the caller destroys it): The list.
 *
 * Experimental; slot 146; may block; fails with invalid_argument, out_of_bounds, invalid_data, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_compare_kernels(anydim_primitive_t primitive,
    anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t
    output_count, int32_t repeats, anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Limits the scratch of a primitive to come: a kernel that could need more, at the largest dims that the descriptors
 * allow and with all of the engine's threads, is refused, and the next one in order of preference is taken. Creation
 * returns unimplemented with every refusal if none is left, and invalid_argument if weights are packed for a kernel
 * that is over the limit. A dim without a largest value makes most bounds infinite. Errors: invalid_argument for a
 * number below -1.
 * - attr: The attributes.
 * - bytes: Most bytes, or -1 for no limit (the default).
 *
 * Experimental; slot 147; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_attr_set_scratch_limit(anydim_attr_t attr, int64_t bytes)
    ANYDIM_NOTHROW;

/*
 * Writes the execute line that a run with these tensors would log, without running, for reports and for `anydim
 * replay`. Its time is 0; the tensors' data does not count.
 * Errors: as anydim_primitive_execute.
 * - primitive: The primitive.
 * - stream: The stream, whose number of threads is used.
 * - inputs: Input tensors, as for anydim_primitive_execute.
 * - input_count: Their number.
 * - outputs: Output tensors.
 * - output_count: Their number.
 * - text (out, the caller destroys it): The line.
 *
 * Experimental; slot 148; fails with invalid_argument, out_of_bounds, busy, closed.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_format_line(anydim_primitive_t primitive, anydim_stream_t
    stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count,
    anydim_text_t* text) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_PRIMITIVE_H */
