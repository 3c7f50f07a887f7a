/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Tensors as the caller sees them - element types, dims, views - and descriptors of tensors to come. */
#ifndef ANYDIM_TENSOR_H
#define ANYDIM_TENSOR_H

#include "anydim/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most dims that a tensor may have. */
#define ANYDIM_MAX_RANK 8

/*
 * Bytes of an engine, allocated by it or imported. Threads may share it for reading; writing its bytes is the
 * caller's to order. Many threads may use it at once. It keeps its engine alive.
 */
typedef const struct anydim_memory_s* anydim_memory_t;

/*
 * A tensor descriptor - dtype, dims (numbers or dynamic) and the layout that its tensors will have. Many threads may
 * use it at once.
 */
typedef const struct anydim_desc_s* anydim_desc_t;

/* Element types. */
typedef int32_t anydim_dtype_t;
enum {
  ANYDIM_F32 = 1, /* IEEE binary32. */
  ANYDIM_F64 = 2, /* IEEE binary64. */
  ANYDIM_F16 = 3, /* IEEE binary16. */
  ANYDIM_BF16 = 4, /* bfloat16 - the upper half of a binary32. */
  ANYDIM_I8 = 5, /* Signed 8 bits. */
  ANYDIM_U8 = 6, /* Unsigned 8 bits. */
  ANYDIM_I16 = 7, /* Signed 16 bits. */
  ANYDIM_U16 = 8, /* Unsigned 16 bits. */
  ANYDIM_I32 = 9, /* Signed 32 bits. */
  ANYDIM_U32 = 10, /* Unsigned 32 bits. */
  ANYDIM_I64 = 11, /* Signed 64 bits. */
  ANYDIM_U64 = 12, /* Unsigned 64 bits. */
  ANYDIM_BOOL = 13, /* One byte, 0 or 1. */
  /* 8 bits - 4 of exponent, 3 of fraction; no infinities. Stored, moved and cast only, as all that follow. */
  ANYDIM_F8E4M3FN = 14,
  ANYDIM_F8E4M3FNUZ = 15, /* 8 bits - 4 of exponent, 3 of fraction; no infinities, no negative zero. */
  ANYDIM_F8E5M2 = 16, /* 8 bits - 5 of exponent, 2 of fraction. */
  ANYDIM_F8E5M2FNUZ = 17, /* 8 bits - 5 of exponent, 2 of fraction; no infinities, no negative zero. */
  ANYDIM_F8E8M0 = 18, /* 8 bits of exponent, a power of two. */
  /* 4 bits - 2 of exponent, 1 of fraction. One element per byte, in its low bits, as all that follow. */
  ANYDIM_F4E2M1 = 19,
  ANYDIM_I4 = 20, /* Signed 4 bits. */
  ANYDIM_U4 = 21, /* Unsigned 4 bits. */
  ANYDIM_I2 = 22, /* Signed 2 bits. */
  ANYDIM_U2 = 23 /* Unsigned 2 bits. */
};

/* How the elements of a tensor lie in memory. */
typedef int32_t anydim_layout_t;
enum {
  ANYDIM_LAYOUT_ROW_MAJOR = 0, /* Densely, the last dim innermost (N, C, H, W in memory). */
  ANYDIM_LAYOUT_CHANNELS_LAST = 1, /* Densely, dim 1 innermost (N, H, W, C in memory). Rank 3 and more. */
  ANYDIM_LAYOUT_STRIDED = 2, /* By strides. Tensors of such a descriptor may have any strides. */
  ANYDIM_LAYOUT_ANY = 3, /* As it costs no copy: the library chooses. Of a descriptor: as strided. */
  ANYDIM_LAYOUT_FOLLOW = 4 /* Of outputs: row-major where the input that they follow is; else as any. */
};

/*
 * A dim of a descriptor or of bounds. Make it with anydim_dim_fixed or anydim_dim_dynamic. Of a dim of bounds only
 * the number, or min and max, count.
 */
typedef struct anydim_dim_t {
  int64_t value; /* The number, or -1 for a dynamic dim. */
  int64_t min; /* Promise - never smaller (dynamic only). */
  int64_t max; /* Promise - never larger (dynamic only). */
  int64_t hint; /* A likely value, or -1 for none. Orders choices; changes neither results nor bounds. */
  int64_t multiple_of; /* Promise - always a multiple of this (1 = no promise). */
} anydim_dim_t;

/* A short list of numbers - dims, strides or axes - outermost first. */
typedef struct anydim_dims_t {
  int32_t rank; /* How many. */
  int32_t reserved; /* Zero. */
  int64_t values[8]; /* The numbers; those past rank are zero. */
} anydim_dims_t;

/*
 * A tensor as the caller sees it: where its elements are, and in which order. It is plain data. The elements belong
 * to the caller, and must stay where they are during the call. Members that are not used are zero.
 * - The elements are at data; or in a memory, from byte offset, and data is null.
 * - With strides of rank 0 they are dense, in the order that layout names. Else any strides are read: a stride of 0
 *   repeats elements, a negative one goes backwards.
 * - An output with data or a memory is written there. An output with a dtype alone gets memory from the library: the
 *   call fills in data, dims and strides. That of a primitive lies as layout says: row-major, channels last, as its
 *   kernel writes it (any), or as its largest input lies (follow); that of a model as the model's options say. An
 *   output whose members are all zero is one that the caller does not want.
 */
typedef struct anydim_view_t {
  /*
   * Address of the element whose indices are all 0; null with a memory, and for an output that gets memory from the
   * library.
   */
  void* data;
  anydim_dtype_t dtype; /* Element type. */
  anydim_layout_t layout; /* How the elements lie where no strides are given; zero is row-major. */
  anydim_dims_t dims; /* Its dims. */
  anydim_dims_t strides; /* Its strides, in elements; of rank 0 if it is dense, as layout says. */
  anydim_memory_t memory; /* The memory in which the elements are; null: they are at data. */
  /* Bytes from the begin of the memory to the element whose indices are all 0; zero without a memory. */
  int64_t offset;
} anydim_view_t;

/* A short list of real numbers. */
typedef struct anydim_reals_t {
  int32_t count; /* How many. */
  int32_t reserved; /* Zero. */
  float values[16]; /* The numbers; those past count are zero. */
} anydim_reals_t;

/*
 * A dtype as text, such as "f32"; "unknown" for a number that is none. Never fails.
 * - dtype: The dtype.
 *
 * Experimental; slot 295.
 */
ANYDIM_API const char* anydim_dtype_name(anydim_dtype_t dtype) ANYDIM_NOTHROW;

/*
 * Bytes of one element in memory. A dtype of less than 8 bits has one byte for each element.
 * Errors: invalid_argument for a number that is no dtype.
 * Example:
 *     int64_t bytes;
 *     anydim_dtype_get_size(ANYDIM_F16, &bytes);
 *     printf("%d\n", (int)bytes);
 * - dtype: The dtype.
 * - bytes (out): Bytes of an element.
 *
 * Experimental; slot 296; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_dtype_get_size(anydim_dtype_t dtype, int64_t* bytes) ANYDIM_NOTHROW;

/*
 * A dim that is a number. Never fails; a negative number is refused where the dim is used.
 * - value: The number.
 *
 * Stable since 0.1; slot 20.
 */
ANYDIM_API anydim_dim_t anydim_dim_fixed(int64_t value) ANYDIM_NOTHROW;

/*
 * A dim whose number comes with the tensor. The two bounds are promises, checked at execution. Never fails; min >
 * max is refused where the dim is used. For no promise pass 0 and INT64_MAX.
 * Example:
 *     anydim_dim_t width = anydim_dim_dynamic(32, 1200);
 * - min: Smallest number.
 * - max: Largest number.
 *
 * Stable since 0.1; slot 21.
 */
ANYDIM_API anydim_dim_t anydim_dim_dynamic(int64_t min, int64_t max) ANYDIM_NOTHROW;

/*
 * Says which number is likely. It orders choices and changes neither results nor bounds. Null does nothing.
 * Example:
 *     anydim_dim_t width = anydim_dim_dynamic(32, 1200);
 *     anydim_dim_set_hint(&width, 320);
 * - dim (in and out): The dim.
 * - hint: The likely number.
 *
 * Stable since 0.1; slot 22.
 */
ANYDIM_API void anydim_dim_set_hint(anydim_dim_t* dim, int64_t hint) ANYDIM_NOTHROW;

/*
 * Promises that a dynamic dim is a multiple of a number. Null does nothing.
 * Example:
 *     anydim_dim_t width = anydim_dim_dynamic(32, 1216);
 *     anydim_dim_set_multiple_of(&width, 32);
 * - dim (in and out): The dim.
 * - multiple_of: The number, at least 1.
 *
 * Stable since 0.1; slot 23.
 */
ANYDIM_API void anydim_dim_set_multiple_of(anydim_dim_t* dim, int64_t multiple_of) ANYDIM_NOTHROW;

/*
 * Makes a tensor descriptor. Errors: invalid_argument for a dtype or layout that is none, a rank outside 0..8, a
 * negative number, min > max, or a multiple_of below 1.
 * Example:
 *     anydim_dim_t d[2] = {anydim_dim_dynamic(1, 64), anydim_dim_fixed(10)};
 *     anydim_desc_create(ANYDIM_F32, 2, d, ANYDIM_LAYOUT_STRIDED, &desc);
 * - dtype: Element type.
 * - rank: Number of dims.
 * - dims: The dims, outermost first.
 * - layout: The memory order that tensors will have.
 * - desc (out, the caller destroys it): The descriptor.
 *
 * Stable since 0.1; slot 24; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_desc_create(anydim_dtype_t dtype, int32_t rank, const anydim_dim_t*
    dims, anydim_layout_t layout, anydim_desc_t* desc) ANYDIM_NOTHROW;

/*
 * Destroys a descriptor.
 * - desc: The handle, or null.
 *
 * Stable since 0.1; slot 25.
 */
ANYDIM_API void anydim_desc_destroy(anydim_desc_t desc) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_TENSOR_H */
