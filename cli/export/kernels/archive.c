/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the archive that has the library's own kernels. */
#include "axes.h"
#include "entries.h"
#include "kernels.h"

#define ARCHIVE_POSTS 14

/* The archive's form of weights: it does not link with another one. */
extern const adk_form ANYDIM_ARCHIVE_FORM;

static adk_tensor archive_tensor(const anydim_tensor* t) {
  adk_tensor r;
  r.data = (float*)(void*)t->data;
  r.dims = t->dims;
  r.strides = t->strides;
  r.rank = t->rank;
  return r;
}

typedef struct archive_chain {
  adk_post steps[ARCHIVE_POSTS];
  adk_tensor operands[ARCHIVE_POSTS];
} archive_chain;

static adk_posts archive_posts(const anydim_posts* posts, const anydim_tensor* operands, archive_chain* chain) {
  adk_posts r;
  int i, n = 0;
  for (i = 0; i < posts->count; ++i) {
    const anydim_post* const p = &posts->steps[i];
    chain->steps[i].kind = p->kind;
    chain->steps[i].function = p->kind == ANYDIM_UNARY ? p->function : p->function - ANYDIM_add;
    chain->steps[i].alpha = p->alpha;
    chain->steps[i].beta = p->beta;
    if (p->kind == ANYDIM_UNARY) continue;
    chain->operands[n] = archive_tensor(&operands[n]);
    ++n;
  }
  r.count = posts->count;
  r.steps = chain->steps;
  r.operands = chain->operands;
  return r;
}

static void archive_window(const anydim_convolution_attributes* at, const anydim_tensor* t, archive_chain* chain, adk_convolution_call* c) {
  conv_axis axis[3];
  int a;
  conv_axes(&at->window, &t[0], &t[1], axis);
  c->form = &ANYDIM_ARCHIVE_FORM;
  c->x = archive_tensor(&t[0]);
  c->y = archive_tensor(&t[1]);
  c->posts = archive_posts(&at->posts, t + 2, chain);
  c->weights = at->weights;
  c->bias = at->bias;
  for (a = 0; a < 3; ++a) {
    c->kernel[a] = axis[a].kernel;
    c->strides[a] = axis[a].stride;
    c->dilations[a] = axis[a].dilation;
    c->pads[a] = axis[a].pad;
  }
  c->group = at->window.group;
  c->channels = at->window.channels;
  c->outputs = at->window.outputs;
  c->spatial = at->window.spatial;
  c->transposed = at->window.transposed;
}

int anydim_archive_convolution(const void* attributes, const anydim_tensor* t, void* scratch) {
  archive_chain chain;
  adk_convolution_call c;
  archive_window((const anydim_convolution_attributes*)attributes, t, &chain, &c);
  adk_convolution(&c, scratch);
  return 0;
}

int anydim_archive_depthwise(const void* attributes, const anydim_tensor* t, void* scratch) {
  archive_chain chain;
  adk_convolution_call c;
  archive_window((const anydim_convolution_attributes*)attributes, t, &chain, &c);
  adk_depthwise(&c, scratch);
  return 0;
}

int anydim_archive_matmul(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_matmul_attributes* const at = (const anydim_matmul_attributes*)attributes;
  const int packed = at->weights != NULL;
  const anydim_tensor* const y = &t[packed ? 1 : 2];
  archive_chain chain;
  adk_product_call c;
  c.form = &ANYDIM_ARCHIVE_FORM;
  c.a = archive_tensor(&t[0]);
  c.b = archive_tensor(&t[packed ? 0 : 1]);
  c.y = archive_tensor(y);
  c.posts = archive_posts(&at->posts, y + 1, &chain);
  c.panels = at->weights;
  c.bias = at->bias;
  c.n = y->dims[y->rank - 1];
  c.transpose_a = at->transpose_a;
  c.transpose_b = at->transpose_b;
  adk_product(&c, scratch);
  return 0;
}
