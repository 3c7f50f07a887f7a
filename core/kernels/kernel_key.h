// SPDX-License-Identifier: Apache-2.0
// Comparing the keys of kernels, and writing them into keys of programs and records.
#pragma once

#include <string>

#include "core/kernels/kernel.h"

namespace anydim {

constexpr bool operator==(const KernelKey& a, const KernelKey& b) noexcept {
  return a.op == b.op && a.src == b.src && a.dst == b.dst && a.layout == b.layout && a.isa == b.isa && a.mode == b.mode &&
         a.quantized == b.quantized;
}

// "matmul f32>f32 any portable strict": keys are equal if their texts are.
std::string key_text(const KernelKey& key);

}  // namespace anydim
