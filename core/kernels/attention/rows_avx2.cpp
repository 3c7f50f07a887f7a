// SPDX-License-Identifier: Apache-2.0
// Attention on f32, avx2.
#include "core/kernels/attention/rows.inl.h"

namespace anydim {

constinit const AttentionFunctions AttentionFunctions::avx2 = avx2::kAttentionFunctions;

}  // namespace anydim
