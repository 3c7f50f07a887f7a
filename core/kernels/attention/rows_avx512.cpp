// SPDX-License-Identifier: Apache-2.0
// Attention on f32, avx512.
#include "core/kernels/attention/rows.inl.h"

namespace anydim {

constinit const AttentionFunctions AttentionFunctions::avx512 = avx512::kAttentionFunctions;

}  // namespace anydim
