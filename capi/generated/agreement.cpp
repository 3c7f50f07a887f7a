// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// The numbers of capi/api are the core's: compiled, never run.
#include "anydim/anydim.h"
#include "core/base/status.h"
#include "core/base/threads/single_flight_cache.h"
#include "core/dispatch/primitive/reuse_policy.h"
#include "core/graph/passes/passes.h"
#include "core/ops/attributes.h"
#include "core/tensor/dtype.h"
#include "core/tensor/dims.h"

namespace anydim {
static_assert(kMaxRank == ANYDIM_MAX_RANK);
static_assert(static_cast<int64_t>(Code::ok) == ANYDIM_STATUS_OK);
static_assert(static_cast<int64_t>(Code::invalid_argument) == ANYDIM_STATUS_INVALID_ARGUMENT);
static_assert(static_cast<int64_t>(Code::invalid_handle) == ANYDIM_STATUS_INVALID_HANDLE);
static_assert(static_cast<int64_t>(Code::unimplemented) == ANYDIM_STATUS_UNIMPLEMENTED);
static_assert(static_cast<int64_t>(Code::out_of_memory) == ANYDIM_STATUS_OUT_OF_MEMORY);
static_assert(static_cast<int64_t>(Code::busy) == ANYDIM_STATUS_BUSY);
static_assert(static_cast<int64_t>(Code::closed) == ANYDIM_STATUS_CLOSED);
static_assert(static_cast<int64_t>(Code::not_found) == ANYDIM_STATUS_NOT_FOUND);
static_assert(static_cast<int64_t>(Code::io_error) == ANYDIM_STATUS_IO_ERROR);
static_assert(static_cast<int64_t>(Code::invalid_model) == ANYDIM_STATUS_INVALID_MODEL);
static_assert(static_cast<int64_t>(Code::out_of_bounds) == ANYDIM_STATUS_OUT_OF_BOUNDS);
static_assert(static_cast<int64_t>(Code::invalid_data) == ANYDIM_STATUS_INVALID_DATA);
static_assert(static_cast<int64_t>(Code::internal) == ANYDIM_STATUS_INTERNAL);
static_assert(static_cast<int64_t>(Code::forked) == ANYDIM_STATUS_FORKED);
static_assert(static_cast<int64_t>(Code::cancelled) == ANYDIM_STATUS_CANCELLED);
static_assert(static_cast<int64_t>(Code::device_lost) == ANYDIM_STATUS_DEVICE_LOST);
static_assert(static_cast<int64_t>(Code::timed_out) == ANYDIM_STATUS_TIMED_OUT);
static_assert(static_cast<int64_t>(Code::queue_full) == ANYDIM_STATUS_QUEUE_FULL);
static_assert(static_cast<int64_t>(Code::file_not_found) == ANYDIM_STATUS_FILE_NOT_FOUND);
static_assert(static_cast<int64_t>(DType::f32) == ANYDIM_F32);
static_assert(static_cast<int64_t>(DType::f64) == ANYDIM_F64);
static_assert(static_cast<int64_t>(DType::f16) == ANYDIM_F16);
static_assert(static_cast<int64_t>(DType::bf16) == ANYDIM_BF16);
static_assert(static_cast<int64_t>(DType::i8) == ANYDIM_I8);
static_assert(static_cast<int64_t>(DType::u8) == ANYDIM_U8);
static_assert(static_cast<int64_t>(DType::i16) == ANYDIM_I16);
static_assert(static_cast<int64_t>(DType::u16) == ANYDIM_U16);
static_assert(static_cast<int64_t>(DType::i32) == ANYDIM_I32);
static_assert(static_cast<int64_t>(DType::u32) == ANYDIM_U32);
static_assert(static_cast<int64_t>(DType::i64) == ANYDIM_I64);
static_assert(static_cast<int64_t>(DType::u64) == ANYDIM_U64);
static_assert(static_cast<int64_t>(DType::boolean) == ANYDIM_BOOL);
static_assert(static_cast<int64_t>(DType::f8e4m3fn) == ANYDIM_F8E4M3FN);
static_assert(static_cast<int64_t>(DType::f8e4m3fnuz) == ANYDIM_F8E4M3FNUZ);
static_assert(static_cast<int64_t>(DType::f8e5m2) == ANYDIM_F8E5M2);
static_assert(static_cast<int64_t>(DType::f8e5m2fnuz) == ANYDIM_F8E5M2FNUZ);
static_assert(static_cast<int64_t>(DType::f8e8m0) == ANYDIM_F8E8M0);
static_assert(static_cast<int64_t>(DType::f4e2m1) == ANYDIM_F4E2M1);
static_assert(static_cast<int64_t>(DType::i4) == ANYDIM_I4);
static_assert(static_cast<int64_t>(DType::u4) == ANYDIM_U4);
static_assert(static_cast<int64_t>(DType::i2) == ANYDIM_I2);
static_assert(static_cast<int64_t>(DType::u2) == ANYDIM_U2);
static_assert(static_cast<int64_t>(ReusePolicy::inherit) == ANYDIM_REUSE_INHERIT);
static_assert(static_cast<int64_t>(ReusePolicy::automatic) == ANYDIM_REUSE_AUTO);
static_assert(static_cast<int64_t>(ReusePolicy::reusable) == ANYDIM_REUSE_REUSABLE);
static_assert(static_cast<int64_t>(ReusePolicy::specialised) == ANYDIM_REUSE_SPECIALISED);
static_assert(static_cast<int64_t>(ReusePolicy::reusable_first) == ANYDIM_REUSE_REUSABLE_FIRST);
static_assert(static_cast<int64_t>(MathMode::inherit) == ANYDIM_MATH_INHERIT);
static_assert(static_cast<int64_t>(MathMode::strict) == ANYDIM_MATH_STRICT);
static_assert(static_cast<int64_t>(MathMode::fast) == ANYDIM_MATH_FAST);
static_assert(static_cast<int64_t>(MathMode::reduced) == ANYDIM_MATH_REDUCED);
static_assert(static_cast<int64_t>(PassSet::all) == ANYDIM_PASSES_ALL);
static_assert(static_cast<int64_t>(PassSet::exact) == ANYDIM_PASSES_EXACT);
static_assert(static_cast<int64_t>(PassSet::none) == ANYDIM_PASSES_NONE);
static_assert(static_cast<int64_t>(CacheHit::none) == ANYDIM_PRIMITIVE_CACHE_NONE);
static_assert(static_cast<int64_t>(CacheHit::miss) == ANYDIM_PRIMITIVE_CACHE_MISS);
static_assert(static_cast<int64_t>(CacheHit::hit) == ANYDIM_PRIMITIVE_CACHE_HIT);
static_assert(static_cast<int64_t>(CacheHit::waited) == ANYDIM_PRIMITIVE_CACHE_WAITED);
static_assert(static_cast<int64_t>(CacheHit::churn) == ANYDIM_PRIMITIVE_CACHE_CHURN);
}  // namespace anydim
