// SPDX-License-Identifier: Apache-2.0
// Kernels of compressed matmul: products with a matrix that stays in memory as numbers of few bits.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList compressed_kernels() noexcept;
const HostKernel& compressed_reference() noexcept;
KernelList rounded_rows_list() noexcept;  // of rows that are rounded to 8 bits: rounded_rows.cpp

}  // namespace anydim
