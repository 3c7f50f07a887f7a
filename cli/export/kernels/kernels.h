/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of an exported model: portable C99 whose results have the bits that Anydim's strict mode has, since every sum is taken in the
   order of docs/numerics.md. They allocate nothing and keep nothing between calls. */
#ifndef ANYDIM_KERNELS_H
#define ANYDIM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifndef ANYDIM_RANK
#define ANYDIM_RANK 8
#endif

/* Elements of any dtype at `data`; strides are in elements. Absent: data is null. */
typedef struct anydim_tensor {
  char* data;
  int64_t dims[ANYDIM_RANK], strides[ANYDIM_RANK];
  int32_t rank, size; /* size: bytes of an element */
} anydim_tensor;

/* A step behind an operator's result y: function(y; alpha, beta), function(y, t) or function(t, y), t being a further operand. */
enum { ANYDIM_UNARY = 0, ANYDIM_BINARY = 1, ANYDIM_BINARY_REVERSED = 2 };
typedef struct anydim_post {
  int16_t kind, function;
  float alpha, beta;
} anydim_post;
typedef struct anydim_posts {
  int32_t count;
  const anydim_post* steps;
} anydim_posts;

/* Operands come in the operator's order: inputs, outputs, then those of the post-ops. Scratch is aligned to 64 bytes. Returns 0, or 1
   where the data is wrong: an index that is out of range. */
typedef int anydim_kernel(const void* attributes, const anydim_tensor* operands, void* scratch);

enum { ANYDIM_f32, ANYDIM_i64, ANYDIM_i32, ANYDIM_u8, ANYDIM_i8, ANYDIM_bool };

/* Functions of one element, and of two from ANYDIM_add on, with the numbers that they have in the library. */
enum {
  ANYDIM_identity,
  ANYDIM_relu,
  ANYDIM_leaky_relu,
  ANYDIM_clip,
  ANYDIM_hard_sigmoid,
  ANYDIM_hard_swish,
  ANYDIM_sigmoid,
  ANYDIM_silu,
  ANYDIM_tanh,
  ANYDIM_exp,
  ANYDIM_log,
  ANYDIM_sqrt,
  ANYDIM_reciprocal,
  ANYDIM_abs,
  ANYDIM_neg,
  ANYDIM_square,
  ANYDIM_erf,
  ANYDIM_gelu_erf,
  ANYDIM_gelu_tanh,
  ANYDIM_softplus,
  ANYDIM_softsign,
  ANYDIM_mish,
  ANYDIM_elu,
  ANYDIM_selu,
  ANYDIM_celu,
  ANYDIM_thresholded_relu,
  ANYDIM_shrink,
  ANYDIM_floor,
  ANYDIM_ceil,
  ANYDIM_round_even,
  ANYDIM_sign,
  ANYDIM_affine = 42,
  ANYDIM_quick_gelu = 47,
  ANYDIM_scaled_tanh = 50,
  ANYDIM_is_nan = 45,
  ANYDIM_logical_not = 43,
  ANYDIM_add = 64,
  ANYDIM_sub,
  ANYDIM_mul,
  ANYDIM_div,
  ANYDIM_min,
  ANYDIM_max,
  ANYDIM_prelu = 71,
  ANYDIM_equal = 74,
  ANYDIM_less,
  ANYDIM_less_equal,
  ANYDIM_greater,
  ANYDIM_greater_equal,
  ANYDIM_logical_and,
  ANYDIM_logical_or,
  ANYDIM_logical_xor
};

/* Where the taps of a convolution lie. same: padding follows from the dims, 1 with more at the end, 2 at the beginning. channels and
   outputs are those of a group. Axes that are not there come first. transposed: 2 by patches, of the archive alone (entries.h). */
typedef struct anydim_window {
  int32_t spatial, transposed, same;
  int32_t kernel[3], strides[3], dilations[3], pads[3];
  int32_t group, channels, outputs;
} anydim_window;

/* Convolution, transposed too, with packed weights: by group, by panel of 16 output channels, by k (docs/numerics.md, section 1).
   Operands: x, y, then post-ops'. Scratch: an offset and a place for each tap. */
typedef struct anydim_convolution_attributes {
  anydim_posts posts;
  const float *weights, *bias; /* bias may be null */
  anydim_window window;
} anydim_convolution_attributes;
anydim_kernel anydim_convolution, anydim_depthwise;
/* By the archive of the library's kernels, which names the form of its weights (entries.h); archive_matmul, too. */
anydim_kernel anydim_archive_convolution, anydim_archive_depthwise, anydim_archive_matmul;

/* Product of matrices of rank 2 and more. `weights`: b packed by panels of 16 columns, or null: it is an operand. Operands: a, b (only if
   not packed), y, then post-ops'. bias: a row that is added, or null. */
typedef struct anydim_matmul_attributes {
  anydim_posts posts;
  const float *weights, *bias;
  int32_t transpose_a, transpose_b;
} anydim_matmul_attributes;
anydim_kernel anydim_matmul;

typedef struct anydim_pooling_attributes {
  anydim_posts posts;
  int32_t maximum, global, spatial, same, count_include_pad;
  int32_t window[3], strides[3], dilations[3], pads[3], pads_end[3];
} anydim_pooling_attributes;
anydim_kernel anydim_pooling;

/* Functions of floats, element by element, with broadcasting. Operands: x (and another), y, post-ops'. */
typedef struct anydim_elementwise_attributes {
  anydim_posts posts;
  int32_t function;
  float alpha, beta;
} anydim_elementwise_attributes;
anydim_kernel anydim_unary, anydim_binary;

typedef struct anydim_integers_attributes {
  int32_t function, inputs, from, to; /* dtypes of the operands and of the result */
} anydim_integers_attributes;
typedef struct anydim_cast_attributes {
  int32_t from, to;
} anydim_cast_attributes;
anydim_kernel anydim_integers, anydim_cast, anydim_where, anydim_range, anydim_numbers;

/* axes: bit i is set where axis i is reduced. Operands: x, y. */
enum {
  ANYDIM_reduce_sum,
  ANYDIM_reduce_mean,
  ANYDIM_reduce_max,
  ANYDIM_reduce_min,
  ANYDIM_reduce_prod,
  ANYDIM_reduce_l1,
  ANYDIM_reduce_l2,
  ANYDIM_reduce_sum_square
};
typedef struct anydim_reduce_attributes {
  int32_t kind, axes, keepdims;
} anydim_reduce_attributes;
anydim_kernel anydim_reduce;

typedef struct anydim_softmax_attributes {
  int32_t axis, logarithm;
} anydim_softmax_attributes;
anydim_kernel anydim_softmax;

/* Operands: x, scale and bias if there are any, y. */
typedef struct anydim_layer_norm_attributes {
  anydim_posts posts;
  int32_t axis, has_scale, has_bias;
  float epsilon;
} anydim_layer_norm_attributes;
anydim_kernel anydim_layer_norm;

/* Operands: q, k, v, bias and mask if there are any, y. Scratch: so many rows of floats as a tile has, one for each key. */
typedef struct anydim_attention_attributes {
  int32_t has_bias, has_mask, causal;
  float scale, softcap;
} anydim_attention_attributes;
anydim_kernel anydim_attention;

/* scaled: bit i is set where axis i is resized, by the quotient of its dims (by_sizes) or by scales[i]; inner: an axis that is not, along
   which lines are interpolated. nearest: 0 half goes down, 1 half goes up, 2 floor, 3 ceil. Operands: x, y, post-ops'. */
typedef struct anydim_resize_attributes {
  anydim_posts posts;
  int32_t linear, coordinates, nearest, exclude_outside, by_sizes, scaled, inner;
  float scales[8];
} anydim_resize_attributes;
anydim_kernel anydim_resize;

/* cell: 0 rnn, 1 lstm, 2 gru. Weights: by direction, gate, panel of 16 and k. bias: by direction that of all gates, inputs' and state's
   together, then of a gru's candidate that of the inputs and that of the state; or null. function: of gates, candidate, cell state. */
typedef struct anydim_recurrent_attributes {
  const float *weights, *recurrent, *bias, *peepholes;
  int32_t cell, directions, reverse, inputs, hidden, linear_before_reset, input_forget;
  int32_t has_lengths, has_hidden, has_cell, gives_hidden, gives_cell, function[3];
  float clip, alpha[3], beta[3];
} anydim_recurrent_attributes;
anydim_kernel anydim_recurrent;

/* Convolutions and products of 8-bit numbers. Weights as of floats, less their zero points; scales, biases: one for each column of all
   panels, or null. The sum itself is the result where `to` is i32. */
typedef struct anydim_bytes_attributes {
  anydim_posts posts;
  const int8_t* weights;
  const float *scales, *bias;
  const int32_t* bias_whole;
  int32_t depthwise, x_signed, x_zero, to, rescaled;
  float y_scale, y_zero;
  anydim_window window;
} anydim_bytes_attributes;
anydim_kernel anydim_byte_convolution, anydim_byte_matmul;

/* Conversions between numbers and real numbers, and a function of two tensors (inputs: 2) between them. */
typedef struct anydim_requantize_attributes {
  anydim_posts posts;
  int32_t inputs, function, from[2], scaled[2], zero[2];
  float scale[2];
  int32_t to, rescaled;
  float y_scale, y_zero;
} anydim_requantize_attributes;
typedef struct anydim_look_up_attributes {
  const float* table;
  int32_t to;
} anydim_look_up_attributes;
anydim_kernel anydim_requantize, anydim_look_up;

/* What moves elements. Numbers that follow from sizes come as the dims of a further operand. */
typedef struct anydim_concat_attributes {
  int32_t axis, inputs;
} anydim_concat_attributes;
typedef struct anydim_axes_attributes {
  int64_t values[8];
} anydim_axes_attributes;
typedef struct anydim_pad_attributes {
  int32_t mode, has_value; /* mode: 0 constant, 1 reflected, 2 the edge, 3 around */
} anydim_pad_attributes;
anydim_kernel anydim_copy, anydim_reshape, anydim_concat, anydim_slice, anydim_gather, anydim_pad;

#endif
