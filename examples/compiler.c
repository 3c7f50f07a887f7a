/* SPDX-License-Identifier: Apache-2.0
 * What a compiler of graphs does with Anydim's primitives, by hand: a residual block of two convolutions with batch normalisation,
 *   y = relu(conv2(relu(conv1(x))) + x)
 * for images of any size. Scales are folded into weights, the memory order is asked for once, the sum and both relus become parts of the
 * convolutions, and the second one adds in place. Nothing is copied. docs/for-compilers.md explains it step by step.
 *   cc compiler.c $(pkg-config --cflags --libs anydim) -o compiler && ./compiler */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                    \
  do {                                                                 \
    if ((call) != ANYDIM_STATUS_OK) {                                  \
      fprintf(stderr, "line %d: %s\n", __LINE__, anydim_last_error()); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

enum { CHANNELS = 64, KERNEL = CHANNELS * CHANNELS * 9 };

static anydim_engine_t engine;
static anydim_stream_t stream;

static float* numbers(int64_t count, int seed) {
  float* list = malloc((size_t)count * sizeof(float));
  for (int64_t i = 0; i < count; ++i) list[i] = (float)((i * 7919 + seed * 131) % 255 - 127) / 512.f;
  return list;
}

static anydim_view_t vector(float* data) {
  anydim_view_t v = {.data = data, .dtype = ANYDIM_F32, .dims = {1, 0, {CHANNELS}}};
  return v;
}

static anydim_view_t kernel_of(float* data) {
  anydim_view_t v = {.data = data, .dtype = ANYDIM_F32, .dims = {4, 0, {CHANNELS, CHANNELS, 3, 3}}};
  return v;
}

/* A tensor N, C, H, W in memory in this order (outermost first). */
static anydim_view_t image(float* data, const int64_t dims[4], const anydim_dims_t* order) {
  anydim_view_t v = {.data = data, .dtype = ANYDIM_F32, .dims = {4, 0, {dims[0], dims[1], dims[2], dims[3]}}};
  int64_t step = 1;
  v.strides.rank = 4;
  for (int i = 3; i >= 0; --i) {
    const int64_t axis = order->rank == 4 ? order->values[i] : i;
    v.strides.values[axis] = step;
    step *= dims[axis];
  }
  return v;
}

/* -- folding: constants are computed by the primitives that would compute them in a run --------------------------------- */

static anydim_desc_t desc_of(const anydim_view_t* v) {
  anydim_dim_t dims[8];
  anydim_desc_t desc;
  for (int i = 0; i < v->dims.rank; ++i) dims[i] = anydim_dim_fixed(v->dims.values[i]);
  CHECK(anydim_desc_create(v->dtype, v->dims.rank, dims, ANYDIM_LAYOUT_ANY, &desc));
  return desc;
}

static void fold(anydim_binary_function_t function, anydim_view_t a, anydim_view_t b, float* result) {
  anydim_binary_t op = ANYDIM_BINARY_INIT;
  anydim_desc_t descs[2];
  anydim_primitive_t primitive;
  anydim_view_t inputs[2], y = {.data = result, .dtype = ANYDIM_F32};
  op.function = function;
  inputs[0] = a, inputs[1] = b;
  descs[0] = desc_of(&a), descs[1] = desc_of(&b);
  CHECK(anydim_primitive_create(engine, &op.op, NULL, descs, 2, NULL, &primitive));
  CHECK(anydim_primitive_get_output_dims(primitive, inputs, 2, 0, &y.dims));
  CHECK(anydim_primitive_execute(primitive, stream, inputs, 2, &y, 1));
  anydim_primitive_destroy(primitive);
  anydim_desc_destroy(descs[0]), anydim_desc_destroy(descs[1]);
}

/* -- lowering: a convolution and what follows it become one primitive ----------------------------------------------------- */

static anydim_primitive_t convolution(float* kernel, float* bias, int adds, int relu) {
  anydim_convolution_t op = ANYDIM_CONVOLUTION_INIT;
  const anydim_dim_t any = anydim_dim_dynamic(1, 4096);
  const anydim_dim_t dims[4] = {any, anydim_dim_fixed(CHANNELS), any, any};
  const anydim_view_t constants[2] = {kernel_of(kernel), vector(bias)};
  anydim_desc_t src;
  anydim_attr_t attr;
  anydim_weights_t weights;
  anydim_primitive_t primitive;
  op.pads_begin[0] = op.pads_begin[1] = op.pads_end[0] = op.pads_end[1] = 1;
  CHECK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_ANY, &src));
  CHECK(anydim_attr_create(&attr));
  if (adds) CHECK(anydim_attr_append_binary(attr, ANYDIM_BINARY_ADD, 0));
  if (relu) CHECK(anydim_attr_append_eltwise(attr, ANYDIM_UNARY_RELU, 0.f, 0.f));
  CHECK(anydim_weights_create(engine, &op.op, attr, &src, 1, constants, NULL, 2, &weights));
  CHECK(anydim_primitive_create(engine, &op.op, attr, &src, 1, weights, &primitive));
  anydim_weights_destroy(weights); /* the primitive keeps them; the compiler's own copies may go */
  anydim_attr_destroy(attr);
  anydim_desc_destroy(src);
  return primitive;
}

/* The same block, one operator at a time and in rows: what the lowered form must equal, bit for bit. */
static void one_by_one(float* kernels[2], float* biases[2], float* x, float* y, const int64_t dims[4]) {
  const anydim_dims_t rows = {0, 0, {0}};
  const int64_t count = dims[0] * dims[1] * dims[2] * dims[3];
  float *a = malloc((size_t)count * sizeof(float)), *b = malloc((size_t)count * sizeof(float));
  anydim_primitive_t convs[2];
  anydim_view_t in = image(x, dims, &rows), middle = image(a, dims, &rows), out = image(b, dims, &rows);
  for (int i = 0; i < 2; ++i) convs[i] = convolution(kernels[i], biases[i], 0, 0);
  CHECK(anydim_primitive_execute(convs[0], stream, &in, 1, &middle, 1));
  for (int64_t i = 0; i < count; ++i) a[i] = a[i] > 0.f ? a[i] : 0.f;
  CHECK(anydim_primitive_execute(convs[1], stream, &middle, 1, &out, 1));
  for (int64_t i = 0; i < count; ++i) {
    const float sum = b[i] + x[i];
    y[i] = sum > 0.f ? sum : 0.f;
  }
  for (int i = 0; i < 2; ++i) anydim_primitive_destroy(convs[i]);
  free(a), free(b);
}

int main(void) {
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  CHECK(anydim_stream_create(engine, NULL, &stream));

  /* 1. Folding: w' = w * scale of its output channel, b' = b * scale. */
  float *kernels[2], *biases[2];
  for (int i = 0; i < 2; ++i) {
    float *w = numbers(KERNEL, i), *b = numbers(CHANNELS, i + 2), *scale = numbers(CHANNELS, i + 4);
    anydim_view_t per_channel = {.data = scale, .dtype = ANYDIM_F32, .dims = {4, 0, {CHANNELS, 1, 1, 1}}};
    kernels[i] = malloc(KERNEL * sizeof(float));
    biases[i] = malloc(CHANNELS * sizeof(float));
    fold(ANYDIM_BINARY_MUL, kernel_of(w), per_channel, kernels[i]);
    fold(ANYDIM_BINARY_MUL, vector(b), vector(scale), biases[i]);
    free(w), free(b), free(scale);
  }

  /* 2. Fusing: relu is a post-op of the first convolution; the sum and the other relu are post-ops of the second. */
  anydim_primitive_t first = convolution(kernels[0], biases[0], 0, 1), second = convolution(kernels[1], biases[1], 1, 1);

  /* 3. The memory order, once for the whole graph: no dim of a run changes it. */
  anydim_dims_t order;
  CHECK(anydim_primitive_get_order(first, 0, 0, &order));
  printf("order in memory:");
  for (int i = 0; i < order.rank; ++i) printf(" %c", "NCHW"[order.values[i]]);
  printf("\n");

  /* 4. Runs at any size: memory of the compiler's own plan. The second convolution adds x where it writes, in x's memory. */
  const int64_t sizes[3][3] = {{1, 7, 9}, {2, 31, 17}, {1, 56, 56}};
  for (int s = 0; s < 3; ++s) {
    const int64_t dims[4] = {sizes[s][0], CHANNELS, sizes[s][1], sizes[s][2]};
    const int64_t count = dims[0] * dims[1] * dims[2] * dims[3], plane = dims[2] * dims[3];
    const anydim_dims_t in_rows = {0, 0, {0}};
    float *pixels = numbers(count, 9), *x = malloc((size_t)count * sizeof(float)), *t = malloc((size_t)count * sizeof(float));
    float* expected = malloc((size_t)count * sizeof(float));
    anydim_view_t block = image(x, dims, &order), inner = image(t, dims, &order), both[2];
    const anydim_view_t rows = image(pixels, dims, &in_rows);
    int same = 1;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t n = i / (CHANNELS * plane), c = i / plane % CHANNELS, h = i % plane / dims[3], w = i % dims[3];
      const anydim_dims_t* st = &block.strides;
      x[n * st->values[0] + c * st->values[1] + h * st->values[2] + w * st->values[3]] = pixels[i];
    }
    CHECK(anydim_primitive_execute(first, stream, &block, 1, &inner, 1));
    both[0] = inner, both[1] = block; /* the image, then the post-op's tensor: exactly the output's view */
    CHECK(anydim_primitive_execute(second, stream, both, 2, &block, 1));

    one_by_one(kernels, biases, rows.data, expected, dims);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t n = i / (CHANNELS * plane), c = i / plane % CHANNELS, h = i % plane / dims[3], w = i % dims[3];
      const anydim_dims_t* st = &block.strides;
      const float* got = &x[n * st->values[0] + c * st->values[1] + h * st->values[2] + w * st->values[3]];
      same = same && memcmp(got, &expected[i], sizeof(float)) == 0;
    }
    printf("%dx%dx%dx%d: %s\n", (int)dims[0], (int)dims[1], (int)dims[2], (int)dims[3],
           same ? "the bits of one operator at a time" : "OTHER BITS");
    free(pixels), free(x), free(t), free(expected);
    if (!same) return 1;
  }
  for (int i = 0; i < 2; ++i) free(kernels[i]), free(biases[i]);
  anydim_primitive_destroy(first), anydim_primitive_destroy(second);
  anydim_stream_destroy(stream);
  anydim_engine_destroy(engine);
  return 0;
}
