/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Memory that the library allocates. */
#ifndef ANYDIM_MEMORY_H
#define ANYDIM_MEMORY_H

#include "anydim/base.h"
#include "anydim/tensor.h"
#include "anydim/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Memory that the library allocates and frees, with dtype and dims. Threads may share it for reading; writing its
 * memory is the caller's to order. Many threads may use it at once. It keeps its engine alive.
 */
typedef const struct anydim_tensor_s* anydim_tensor_t;

/*
 * Makes a tensor with memory of its own, filled with zeros, freed with the tensor. anydim_tensor_view shows it to
 * calls.
 * Errors: invalid_argument for a dtype that is none, a rank outside 0..8, a negative dim, sizes beyond int64_t, the
 * layout strided, and channels last of a rank below 3.
 * Example:
 *     int64_t d[4] = {1, 3, 48, 192};
 *     anydim_tensor_allocate(engine, ANYDIM_F32, 4, d, ANYDIM_LAYOUT_ROW_MAJOR, &tensor);
 *     anydim_tensor_view(tensor, &x);
 * - engine: The engine.
 * - dtype: Element type.
 * - rank: Number of dims.
 * - dims: The dims, outermost first.
 * - layout: How its elements lie.
 * - tensor (out, the caller destroys it): The tensor.
 *
 * Experimental; slot 31; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_tensor_allocate(anydim_engine_t engine, anydim_dtype_t dtype, int32_t rank, const
    int64_t* dims, anydim_layout_t layout, anydim_tensor_t* tensor) ANYDIM_NOTHROW;

/*
 * Gives up a tensor; its memory too if it was allocated with it.
 * - tensor: The handle, or null.
 *
 * Experimental; slot 32.
 */
ANYDIM_API void anydim_tensor_destroy(anydim_tensor_t tensor) ANYDIM_NOTHROW;

/*
 * Gives the view of a tensor. It is good as long as the tensor.
 * - tensor: The tensor.
 * - view (out): The view, with its strides.
 *
 * Experimental; slot 180.
 */
ANYDIM_API anydim_status_t anydim_tensor_view(anydim_tensor_t tensor, anydim_view_t* view) ANYDIM_NOTHROW;

/*
 * Gives back memory that a call placed an output in: the view's data, once. It serves later results. Never fails;
 * null does nothing.
 * - data (may be null): The memory.
 *
 * Experimental; slot 192.
 */
ANYDIM_API void anydim_result_release(void* data) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_MEMORY_H */
