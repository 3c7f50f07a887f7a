/* SPDX-License-Identifier: Apache-2.0
 * A convolution whose batch, height and width change from call to call: made once, in microseconds, and no shape stalls.
 *   cc convolution.c $(pkg-config --cflags --libs anydim) -o convolution && ./convolution */
#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                    \
  do {                                                                 \
    if ((call) != ANYDIM_STATUS_OK) {                                  \
      fprintf(stderr, "line %d: %s\n", __LINE__, anydim_last_error()); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

int main(void) {
  anydim_engine_t engine;
  anydim_stream_t stream;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, NULL, &engine));
  CHECK(anydim_stream_create(engine, NULL, &stream));

  /* N, H and W are dynamic; their bounds are promises, their hints only order choices. */
  anydim_dim_t n = anydim_dim_dynamic(1, 8), c = anydim_dim_fixed(64);
  anydim_dim_t h = anydim_dim_dynamic(1, 2048), w = anydim_dim_dynamic(1, 2048);
  anydim_dim_set_hint(&w, 640);
  const anydim_dim_t dims[4] = {n, c, h, w};
  anydim_desc_t src;
  CHECK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &src));

  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT; /* carries its own size: fields can be added later */
  conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;

  anydim_attr_t attr;
  CHECK(anydim_attr_create(&attr));
  CHECK(anydim_attr_append_eltwise(attr, ANYDIM_UNARY_RELU, 0.f, 0.f));

  float *kernel_data = malloc(32 * 64 * 9 * sizeof(float)), bias_data[32];
  for (int i = 0; i < 32 * 64 * 9; ++i) kernel_data[i] = (float)(i % 17 - 8) / 100.f;
  for (int i = 0; i < 32; ++i) bias_data[i] = (float)i / 32.f;
  const anydim_view_t kernel_and_bias[2] = {{.data = kernel_data, .dtype = ANYDIM_F32, .dims = {4, 0, {32, 64, 3, 3}}},
                                            {.data = bias_data, .dtype = ANYDIM_F32, .dims = {1, 0, {32}}}};
  anydim_weights_t weights; /* packed once, for every shape; the source may go */
  CHECK(anydim_weights_create(engine, &conv.op, attr, NULL, 0, kernel_and_bias, NULL, 2, &weights));
  free(kernel_data);

  anydim_primitive_t prim;
  CHECK(anydim_primitive_create(engine, &conv.op, attr, &src, 1, weights, &prim));

  /* Tensors are views: whose memory it is, and how it lies. Here one piece of memory each serves every shape. */
  const int64_t sizes[3][2] = {{17, 31}, {48, 320}, {96, 71}};
  float *in = calloc(3 * 64 * 96 * 320, sizeof(float)), *out = malloc(3 * 32 * 96 * 320 * sizeof(float));
  for (int i = 0; i < 3; ++i) {
    anydim_view_t x = {.data = in, .dtype = ANYDIM_F32, .layout = ANYDIM_LAYOUT_CHANNELS_LAST};
    anydim_view_t y = {.data = out, .dtype = ANYDIM_F32, .layout = ANYDIM_LAYOUT_CHANNELS_LAST};
    x.dims = (anydim_dims_t){4, 0, {1 + i, 64, sizes[i][0], sizes[i][1]}};
    CHECK(anydim_primitive_get_output_dims(prim, &x, 1, 0, &y.dims));
    CHECK(anydim_primitive_execute(prim, stream, &x, 1, &y, 1));
    printf("%dx%dx%dx%d, first channels %.3f %.3f\n", (int)y.dims.values[0], (int)y.dims.values[1], (int)y.dims.values[2],
           (int)y.dims.values[3], out[0], out[1]);
  }

  /* What breaks a promise is refused, by name. */
  const anydim_view_t wide = {.data = in, .dtype = ANYDIM_F32, .dims = {4, 0, {1, 64, 1, 4096}}};
  anydim_dims_t dims_of_y;
  if (anydim_primitive_get_output_dims(prim, &wide, 1, 0, &dims_of_y) == ANYDIM_STATUS_OUT_OF_BOUNDS)
    printf("refused: %s\n", anydim_last_error());

  anydim_string_t name;
  uint64_t identity;
  CHECK(anydim_primitive_get_kernel(prim, &name, &identity));
  printf("kernel %s\n", name.data);
  return 0;
}
