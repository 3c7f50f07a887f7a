// SPDX-License-Identifier: Apache-2.0
// Attention on f32, portable.
#include "core/kernels/attention/rows.inl.h"

namespace anydim {

constinit const AttentionFunctions AttentionFunctions::portable = portable::kAttentionFunctions;

}  // namespace anydim
