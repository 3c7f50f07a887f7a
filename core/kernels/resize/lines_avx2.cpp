// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize with AVX2: the body is lines.inl.h.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/resize/lines_job.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx2.h"
// The vector types first.
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/fused_doubles.h"
// And their users.
#include "core/kernels/resize/lines.inl.h"
}  // namespace

constinit const ResizeLines<float> kResizeLinesAvx2 = {F32::kWidth, blend<float>, stretch<float>, turn_in<float>, turn_out<float>};
constinit const ResizeLines<double> kResizeDoublesAvx2 = {F64::kWidth, blend<double>, stretch<double>, turn_in<double>, turn_out<double>};

}  // namespace anydim
