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
  CHECK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_ANY, &src));

  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT; /* carries its own size: fields can be added later */
  conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;

  anydim_attr_t attr;
  CHECK(anydim_attr_create(&attr));
  CHECK(anydim_attr_append_eltwise(attr, ANYDIM_RELU, 0.f, 0.f));

  const int64_t kernel_dims[4] = {32, 64, 3, 3}, bias_dims[1] = {32};
  float *kernel_data = malloc(32 * 64 * 9 * sizeof(float)), bias_data[32];
  for (int i = 0; i < 32 * 64 * 9; ++i) kernel_data[i] = (float)(i % 17 - 8) / 100.f;
  for (int i = 0; i < 32; ++i) bias_data[i] = (float)i / 32.f;
  anydim_tensor_t kernel, bias;
  CHECK(anydim_tensor_create(engine, ANYDIM_F32, 4, kernel_dims, NULL, kernel_data, &kernel));
  CHECK(anydim_tensor_create(engine, ANYDIM_F32, 1, bias_dims, NULL, bias_data, &bias));
  anydim_weights_t weights; /* packed once, for every shape; the source may go */
  CHECK(anydim_weights_create(engine, &conv.op, attr, kernel, bias, &weights));
  free(kernel_data);

  anydim_primitive_t prim;
  CHECK(anydim_primitive_create(engine, &conv.op, attr, &src, 1, weights, &prim));

  const int64_t sizes[3][2] = {{17, 31}, {48, 320}, {96, 71}};
  for (int i = 0; i < 3; ++i) {
    const int64_t x_dims[4] = {1 + i, 64, sizes[i][0], sizes[i][1]};
    anydim_tensor_t x, y;
    CHECK(anydim_tensor_allocate(engine, ANYDIM_F32, 4, x_dims, ANYDIM_LAYOUT_CHANNELS_LAST, &x));
    anydim_dims_t y_dims;
    CHECK(anydim_primitive_output_dims(prim, &x, 1, 0, &y_dims));
    CHECK(anydim_tensor_allocate(engine, ANYDIM_F32, y_dims.rank, y_dims.values, ANYDIM_LAYOUT_CHANNELS_LAST, &y));
    CHECK(anydim_primitive_execute(prim, stream, &x, 1, &y, 1));
    anydim_tensor_info_t info = ANYDIM_TENSOR_INFO_INIT;
    CHECK(anydim_tensor_query(y, &info));
    printf("%dx%dx%dx%d, first channels %.3f %.3f\n", (int)y_dims.values[0], (int)y_dims.values[1], (int)y_dims.values[2],
           (int)y_dims.values[3], ((float*)info.data)[0], ((float*)info.data)[1]);
    anydim_tensor_destroy(x);
    anydim_tensor_destroy(y);
  }

  /* What breaks a promise is refused, by name. */
  const int64_t wide[4] = {1, 64, 1, 4096};
  anydim_tensor_t x;
  anydim_dims_t y_dims;
  CHECK(anydim_tensor_allocate(engine, ANYDIM_F32, 4, wide, ANYDIM_LAYOUT_ANY, &x));
  if (anydim_primitive_output_dims(prim, &x, 1, 0, &y_dims) == ANYDIM_STATUS_OUT_OF_BOUNDS) printf("refused: %s\n", anydim_last_error());

  anydim_string_t name;
  uint64_t identity;
  CHECK(anydim_primitive_kernel(prim, &name, &identity));
  printf("kernel %s\n", name.data);
  return 0;
}
