/* SPDX-License-Identifier: Apache-2.0 */
/* The C entries of Anydim's own kernels for one instruction set, in an archive without a C++ runtime: convolutions and products of
   floats, by far the most of a network's time. Programs of `anydim export --kernels` call them (docs/export.md); an archive serves any
   number of them. Results have the bits of docs/numerics.md. Nothing is allocated, kept or checked here: the exporter knows sizes. */
#ifndef ADK_ENTRIES_H
#define ADK_ENTRIES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Floats, with strides in elements. */
typedef struct adk_tensor {
  float* data;
  const int64_t *dims, *strides;
  int32_t rank;
} adk_tensor;

/* A step behind a result y: function(y; alpha, beta), function(y, t) or function(t, y), t being the next operand. Functions have the
   numbers of core/ops/generated/enums.h. */
typedef struct adk_post {
  int32_t kind, function;
  float alpha, beta;
} adk_post;
typedef struct adk_posts {
  int32_t count;
  const adk_post* steps;
  const adk_tensor* operands;
} adk_posts;

/* How weights are packed: the archive has a symbol for its own form, so that weights of another one do not link. Panels are two vectors
   of columns wide, the last one as wide as the rest, rounded up to the granule: adk_panels_<vector>_<granule>. */
typedef struct adk_form {
  int32_t vector, granule;
} adk_form;

/* Dims of the window: three axes, those that are not there first. Weights: by group, panel, k (tap, then channel), column. Bias: one for
   each output channel and two vectors more; or null. */
typedef struct adk_convolution_call {
  const adk_form* form; /* of the archive that is linked */
  adk_tensor x, y;
  adk_posts posts;
  const float *weights, *bias;
  int64_t kernel[3], strides[3], dilations[3], pads[3];
  int64_t group, channels, outputs; /* of a group */
  int32_t spatial, transposed; /* transposed: 2 by patches, windows that tile the result: weights by input channel, tap and output channel,
                                  filled up to the granule; a bias for each of these columns */
} adk_convolution_call;
void adk_convolution(const adk_convolution_call* call, void* scratch);
/* One channel a group. Weights: by tap and channel, channels filled up to a multiple of 16, as the bias is. */
void adk_depthwise(const adk_convolution_call* call, void* scratch);

/* Matrices and batches of them, rank 2 and more. Panels: b packed by panel, k, column; or null: b is a tensor. Bias: a row of the
   result, and two vectors more; or null. */
typedef struct adk_product_call {
  const adk_form* form; /* of the archive that is linked */
  adk_tensor a, b, y;
  adk_posts posts;
  const float *panels, *bias;
  int64_t n;
  int32_t transpose_a, transpose_b;
} adk_product_call;
void adk_product(const adk_product_call* call, void* scratch);

/* Bytes of scratch, aligned to 64: at least
     convolution: 80 for each run of positions (2 * kernel + stride + 2 of each axis), 64 for each tap and for each 128 of k, 9 kB;
     product: 64 for each 128 of k, 256, and 4 for each element of b, columns rounded up to the granule, if it is not packed. */

#ifdef __cplusplus
}
#endif

#endif
