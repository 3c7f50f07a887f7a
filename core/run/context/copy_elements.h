// SPDX-License-Identifier: Apache-2.0
// Copies elements from a tensor to another of the same dims and dtype, in any strides.
#pragma once

#include "core/program/program.h"
#include "core/tensor/views.h"

namespace anydim {

// On the calling thread.
void copy_elements(const TensorView& from, const TensorView& to) noexcept;

// On all threads; `copy` is an output copy of a program.
Status copy_tensor(const Primitive& copy, const TensorView& from, const TensorView& to, const Parallel& parallel);

// An output of a program; `to` may lack axes that come first and that a run leaves out.
Status copy_output(const Program& program, size_t output, const TensorView& from, TensorView to, const Parallel& parallel);

}  // namespace anydim
