// SPDX-License-Identifier: Apache-2.0
// What element-wise code of every family shares outside the vector types: the functions that are computed in
// binary64, one element at a time, and which functions may stand in a post-op chain.
// The vector functions are in functions.inl.h, in the namespace of each set.
// Files of one instruction set include this header, so it includes nothing that leaves symbols behind (as kernel.h
// does, through its formatting library).
#pragma once

#include "core/kernels/eltwise/lanes.h"
#include "core/ops/attributes.h"

namespace anydim {

struct Problem;
struct Support;

// sin, cos, tan, sinh, ..., atanh of an f32: our own polynomials in binary64, rounded once; asin, acos, atan as functions.inl.h has them. NaN
// for other functions.
float rare_function(UnaryFunction f, float x) noexcept;
// pow, mod_floor, mod_trunc likewise.
float rare_function(BinaryFunction f, float a, float b) noexcept;
// On f32, any of them: the definition of its bits, the scalar instance of functions.inl.h (reference.cpp). For reference kernels.
float f32_function(UnaryFunction f, float x, float alpha, float beta) noexcept;
float f32_function(BinaryFunction f, float a, float b) noexcept;
// On f64: what is_f64_function lists, to about 4 ulp where not exact (gelu_erf: 16).
double f64_function(UnaryFunction f, double x, double alpha, double beta) noexcept;
double f64_function(BinaryFunction f, double a, double b) noexcept;
bool is_f64_function(UnaryFunction f) noexcept;

// f32 in, f32 out: these can stand in a chain.
bool is_chain_function(UnaryFunction f) noexcept;
bool is_chain_function(BinaryFunction f) noexcept;

// The part of Kernel::supports that every f32 kernel with an epilogue shares: chain functions only, f32 tensors. Of an operator
// of 16-bit floats the tensors may have its dtype, too.
Support supports_post_ops(const Problem& problem) noexcept;

}  // namespace anydim
