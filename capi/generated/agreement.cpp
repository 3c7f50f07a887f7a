// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api.yaml by capi/generator; do not edit.
// The numbers of api.yaml are the core's: compiled, never run.
#include "anydim/anydim.h"
#include "core/base/single_flight_cache.h"
#include "core/base/status.h"
#include "core/dispatch/reuse_policy.h"
#include "core/graph/passes/passes.h"
#include "core/ops/attributes.h"
#include "core/ops/scalar_functions.h"
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
static_assert(static_cast<int64_t>(ReusePolicy::inherit) == ANYDIM_REUSE_INHERIT);
static_assert(static_cast<int64_t>(ReusePolicy::automatic) == ANYDIM_REUSE_AUTO);
static_assert(static_cast<int64_t>(ReusePolicy::reusable) == ANYDIM_REUSE_REUSABLE);
static_assert(static_cast<int64_t>(ReusePolicy::specialised) == ANYDIM_REUSE_SPECIALISED);
static_assert(static_cast<int64_t>(ReusePolicy::reusable_first) == ANYDIM_REUSE_REUSABLE_FIRST);
static_assert(static_cast<int64_t>(PassSet::all) == ANYDIM_PASSES_ALL);
static_assert(static_cast<int64_t>(PassSet::exact) == ANYDIM_PASSES_EXACT);
static_assert(static_cast<int64_t>(PassSet::none) == ANYDIM_PASSES_NONE);
static_assert(static_cast<int64_t>(MathMode::strict) == ANYDIM_MATH_STRICT);
static_assert(static_cast<int64_t>(MathMode::fast) == ANYDIM_MATH_FAST);
static_assert(static_cast<int64_t>(MathMode::reduced) == ANYDIM_MATH_REDUCED);
static_assert(static_cast<int64_t>(UnaryFunction::identity) == ANYDIM_IDENTITY);
static_assert(static_cast<int64_t>(UnaryFunction::relu) == ANYDIM_RELU);
static_assert(static_cast<int64_t>(UnaryFunction::leaky_relu) == ANYDIM_LEAKY_RELU);
static_assert(static_cast<int64_t>(UnaryFunction::clip) == ANYDIM_CLIP);
static_assert(static_cast<int64_t>(UnaryFunction::hard_sigmoid) == ANYDIM_HARD_SIGMOID);
static_assert(static_cast<int64_t>(UnaryFunction::hard_swish) == ANYDIM_HARD_SWISH);
static_assert(static_cast<int64_t>(UnaryFunction::sigmoid) == ANYDIM_SIGMOID);
static_assert(static_cast<int64_t>(UnaryFunction::silu) == ANYDIM_SILU);
static_assert(static_cast<int64_t>(UnaryFunction::tanh) == ANYDIM_TANH);
static_assert(static_cast<int64_t>(UnaryFunction::exp) == ANYDIM_EXP);
static_assert(static_cast<int64_t>(UnaryFunction::log) == ANYDIM_LOG);
static_assert(static_cast<int64_t>(UnaryFunction::sqrt) == ANYDIM_SQRT);
static_assert(static_cast<int64_t>(UnaryFunction::reciprocal) == ANYDIM_RECIPROCAL);
static_assert(static_cast<int64_t>(UnaryFunction::abs) == ANYDIM_ABS);
static_assert(static_cast<int64_t>(UnaryFunction::neg) == ANYDIM_NEG);
static_assert(static_cast<int64_t>(UnaryFunction::square) == ANYDIM_SQUARE);
static_assert(static_cast<int64_t>(UnaryFunction::erf) == ANYDIM_ERF);
static_assert(static_cast<int64_t>(UnaryFunction::gelu_erf) == ANYDIM_GELU_ERF);
static_assert(static_cast<int64_t>(UnaryFunction::gelu_tanh) == ANYDIM_GELU_TANH);
static_assert(static_cast<int64_t>(UnaryFunction::softplus) == ANYDIM_SOFTPLUS);
static_assert(static_cast<int64_t>(UnaryFunction::softsign) == ANYDIM_SOFTSIGN);
static_assert(static_cast<int64_t>(UnaryFunction::mish) == ANYDIM_MISH);
static_assert(static_cast<int64_t>(UnaryFunction::elu) == ANYDIM_ELU);
static_assert(static_cast<int64_t>(UnaryFunction::selu) == ANYDIM_SELU);
static_assert(static_cast<int64_t>(UnaryFunction::celu) == ANYDIM_CELU);
static_assert(static_cast<int64_t>(UnaryFunction::thresholded_relu) == ANYDIM_THRESHOLDED_RELU);
static_assert(static_cast<int64_t>(UnaryFunction::shrink) == ANYDIM_SHRINK);
static_assert(static_cast<int64_t>(UnaryFunction::floor) == ANYDIM_FLOOR);
static_assert(static_cast<int64_t>(UnaryFunction::ceil) == ANYDIM_CEIL);
static_assert(static_cast<int64_t>(UnaryFunction::round_even) == ANYDIM_ROUND_EVEN);
static_assert(static_cast<int64_t>(UnaryFunction::sign) == ANYDIM_SIGN);
static_assert(static_cast<int64_t>(UnaryFunction::sin) == ANYDIM_SIN);
static_assert(static_cast<int64_t>(UnaryFunction::cos) == ANYDIM_COS);
static_assert(static_cast<int64_t>(UnaryFunction::tan) == ANYDIM_TAN);
static_assert(static_cast<int64_t>(UnaryFunction::asin) == ANYDIM_ASIN);
static_assert(static_cast<int64_t>(UnaryFunction::acos) == ANYDIM_ACOS);
static_assert(static_cast<int64_t>(UnaryFunction::atan) == ANYDIM_ATAN);
static_assert(static_cast<int64_t>(UnaryFunction::sinh) == ANYDIM_SINH);
static_assert(static_cast<int64_t>(UnaryFunction::cosh) == ANYDIM_COSH);
static_assert(static_cast<int64_t>(UnaryFunction::asinh) == ANYDIM_ASINH);
static_assert(static_cast<int64_t>(UnaryFunction::acosh) == ANYDIM_ACOSH);
static_assert(static_cast<int64_t>(UnaryFunction::atanh) == ANYDIM_ATANH);
static_assert(static_cast<int64_t>(UnaryFunction::affine) == ANYDIM_AFFINE);
static_assert(static_cast<int64_t>(UnaryFunction::logical_not) == ANYDIM_LOGICAL_NOT);
static_assert(static_cast<int64_t>(UnaryFunction::bitwise_not) == ANYDIM_BITWISE_NOT);
static_assert(static_cast<int64_t>(UnaryFunction::is_nan) == ANYDIM_IS_NAN);
static_assert(static_cast<int64_t>(UnaryFunction::is_inf) == ANYDIM_IS_INF);
static_assert(static_cast<int64_t>(UnaryFunction::quick_gelu) == ANYDIM_QUICK_GELU);
static_assert(static_cast<int64_t>(BinaryFunction::add) == ANYDIM_ADD);
static_assert(static_cast<int64_t>(BinaryFunction::sub) == ANYDIM_SUB);
static_assert(static_cast<int64_t>(BinaryFunction::mul) == ANYDIM_MUL);
static_assert(static_cast<int64_t>(BinaryFunction::div) == ANYDIM_DIV);
static_assert(static_cast<int64_t>(BinaryFunction::min) == ANYDIM_MIN);
static_assert(static_cast<int64_t>(BinaryFunction::max) == ANYDIM_MAX);
static_assert(static_cast<int64_t>(BinaryFunction::pow) == ANYDIM_POW);
static_assert(static_cast<int64_t>(BinaryFunction::prelu) == ANYDIM_PRELU);
static_assert(static_cast<int64_t>(BinaryFunction::mod_floor) == ANYDIM_MOD_FLOOR);
static_assert(static_cast<int64_t>(BinaryFunction::mod_trunc) == ANYDIM_MOD_TRUNC);
static_assert(static_cast<int64_t>(BinaryFunction::equal) == ANYDIM_EQUAL);
static_assert(static_cast<int64_t>(BinaryFunction::less) == ANYDIM_LESS);
static_assert(static_cast<int64_t>(BinaryFunction::less_equal) == ANYDIM_LESS_EQUAL);
static_assert(static_cast<int64_t>(BinaryFunction::greater) == ANYDIM_GREATER);
static_assert(static_cast<int64_t>(BinaryFunction::greater_equal) == ANYDIM_GREATER_EQUAL);
static_assert(static_cast<int64_t>(BinaryFunction::logical_and) == ANYDIM_LOGICAL_AND);
static_assert(static_cast<int64_t>(BinaryFunction::logical_or) == ANYDIM_LOGICAL_OR);
static_assert(static_cast<int64_t>(BinaryFunction::logical_xor) == ANYDIM_LOGICAL_XOR);
static_assert(static_cast<int64_t>(BinaryFunction::bitwise_and) == ANYDIM_BITWISE_AND);
static_assert(static_cast<int64_t>(BinaryFunction::bitwise_or) == ANYDIM_BITWISE_OR);
static_assert(static_cast<int64_t>(BinaryFunction::bitwise_xor) == ANYDIM_BITWISE_XOR);
static_assert(static_cast<int64_t>(BinaryFunction::shift_left) == ANYDIM_SHIFT_LEFT);
static_assert(static_cast<int64_t>(BinaryFunction::shift_right) == ANYDIM_SHIFT_RIGHT);
static_assert(static_cast<int64_t>(CacheHit::none) == ANYDIM_PRIMITIVE_CACHE_NONE);
static_assert(static_cast<int64_t>(CacheHit::miss) == ANYDIM_PRIMITIVE_CACHE_MISS);
static_assert(static_cast<int64_t>(CacheHit::hit) == ANYDIM_PRIMITIVE_CACHE_HIT);
static_assert(static_cast<int64_t>(CacheHit::waited) == ANYDIM_PRIMITIVE_CACHE_WAITED);
static_assert(static_cast<int64_t>(CacheHit::churn) == ANYDIM_PRIMITIVE_CACHE_CHURN);
static_assert(static_cast<int64_t>(UnaryFunction::count_) == 48);
static_assert(static_cast<int64_t>(BinaryFunction::count_) == 23);
}  // namespace anydim
