// SPDX-License-Identifier: Apache-2.0
// Reading what describe() writes: an operator with its attributes, and a chain of post-ops. For log lines that are to be
// replayed, records of plans, and whoever else keeps an operator as text.
#pragma once

#include <string_view>
#include <vector>

#include "core/ops/attributes.h"
#include "core/ops/op.h"

namespace anydim {

// "convolution strides=2,2 pads_begin=1,1 pads_end=1,1 group=1": the operator's name, then attributes in any order,
// each once, separated by blanks; those left out have the operator's own default where it has one. Attributes that may
// be symbolic are numbers here. A failure names the attribute, its place in the text (bytes from 0) and what was expected.
// same_operator(parsed, original) holds for every operator whose attributes are numbers.
Status parse_operator(std::string_view text, OperatorPtr* out);
// The same of an operator whose attributes are `text` from byte `from` on; `read_dims` reads sizes in brackets.
using ReadDims = bool (*)(void* context, std::string_view text, std::vector<Dim>* out);
Status parse_operator(OpKind kind, std::string_view text, size_t from, ReadDims read_dims, void* context, OperatorPtr* out);

// "add(t) hard_swish clip(0,6) sub(t,y)"; empty: no post-ops.
Status parse_post_ops(std::string_view text, PostOps* out);

// Names as describe() writes them; false if there is none such.
bool parse_function(std::string_view name, UnaryFunction* out) noexcept;
bool parse_function(std::string_view name, BinaryFunction* out) noexcept;
bool parse_dtype(std::string_view name, DType* out) noexcept;

// A whole word as a number: decimal, and for reals "inf" and "nan" too; independent of the locale.
bool parse_number(std::string_view word, int64_t* out) noexcept;
bool parse_number(std::string_view word, double* out) noexcept;
bool parse_number(std::string_view word, float* out) noexcept;

}  // namespace anydim
