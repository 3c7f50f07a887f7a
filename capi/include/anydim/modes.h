/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* What can be asked of the choice of kernels and of their arithmetic. */
#ifndef ANYDIM_MODES_H
#define ANYDIM_MODES_H

#include "anydim/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether kernels and plans are reusable or specialised. It changes time, never results. Set on a primitive or
 * model, on a context, for the process and for the build; the nearest that is not inherit wins. docs/reuse.md helps
 * to choose.
 */
typedef int32_t anydim_reuse_t;
enum {
  /* Not set here: the context's, else the process's (ANYDIM_REUSE), else the build's, which is auto. The default. */
  ANYDIM_REUSE_INHERIT = 0,
  /* Reusable kernels with a plan from the cost model or from records; nothing is measured on the CPU engine. */
  ANYDIM_REUSE_AUTO = 1,
  ANYDIM_REUSE_REUSABLE = 2, /* Reusable kernels with the cost model's plan, and never anything else. */
  /*
   * Measures plans before creation returns: a primitive for its dims (hints or maxima of dynamic ones), a context
   * for its bounds. Shapes met later run reusable.
   */
  ANYDIM_REUSE_SPECIALISED = 3,
  /* As auto, and the background worker measures plans for the shapes that calls bring. */
  ANYDIM_REUSE_REUSABLE_FIRST = 4
};

/*
 * Math modes: how far arithmetic may be from the order that docs/numerics.md writes down. Set on a primitive, on a
 * layer of a model and on a model; the nearest that is not inherit wins. An operator without kernels of its own in a
 * mode computes in the mode before it: in this build everything is strict, and explanations name the mode of each
 * primitive.
 */
typedef int32_t anydim_math_t;
enum {
  ANYDIM_MATH_INHERIT = 0, /* Not set here: a layer has its model's; strict where nothing is set. The default. */
  ANYDIM_MATH_STRICT = 1, /* The same bits from every kernel, on every engine. */
  /* Documented algorithms with a larger error too, where an operator has them. The same bits from every kernel. */
  ANYDIM_MATH_FAST = 2,
  ANYDIM_MATH_REDUCED = 3 /* Arithmetic in bfloat16 and other narrow types, too. */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_MODES_H */
