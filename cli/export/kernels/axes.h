/* SPDX-License-Identifier: Apache-2.0 */
/* The spatial axes of a convolution at the dims of a call, with the padding that follows from them. */
#ifndef ANYDIM_AXES_H
#define ANYDIM_AXES_H

#include "kernels.h"

/* One of them; those that are not there come first. */
typedef struct conv_axis {
  int64_t in, out, kernel, stride, dilation, pad, x_stride;
  int transposed;
} conv_axis;

static void conv_axes(const anydim_window* at, const anydim_tensor* x, const anydim_tensor* y, conv_axis* axis) {
  const int lost = 3 - at->spatial;
  int a;
  for (a = 0; a < 3; ++a) {
    const int here = a - lost + 2;
    axis[a].in = a < lost ? 1 : x->dims[here];
    axis[a].out = a < lost ? 1 : y->dims[here];
    axis[a].x_stride = a < lost ? 0 : x->strides[here];
    axis[a].kernel = at->kernel[a];
    axis[a].stride = at->strides[a];
    axis[a].dilation = at->dilations[a];
    axis[a].pad = at->pads[a];
    axis[a].transposed = at->transposed;
    if (at->same != 0 && a >= lost) {
      const int64_t span = (axis[a].kernel - 1) * axis[a].dilation + 1;
      int64_t total =
          at->transposed ? (axis[a].in - 1) * axis[a].stride + span - axis[a].out : (axis[a].out - 1) * axis[a].stride + span - axis[a].in;
      if (total < 0) total = 0;
      axis[a].pad = at->same == 1 ? total / 2 : total - total / 2;
    }
  }
}

#endif
