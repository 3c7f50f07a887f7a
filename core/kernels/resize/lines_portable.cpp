// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize in plain C++: the body is lines.inl.h.
#include <cmath>
#include <cstdint>

#include "core/kernels/resize/lines_job.h"

namespace anydim {
namespace {
#include "core/kernels/simd/portable.h"
// The vector types first.
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/fused_doubles.h"
// And their users.
#include "core/kernels/resize/lines.inl.h"
}  // namespace

constinit const ResizeLines<float> kResizeLinesPortable = {F32::kWidth, blend<float>, stretch<float>, turn_in<float>, turn_out<float>};
constinit const ResizeLines<double> kResizeDoublesPortable = {F64::kWidth, blend<double>, stretch<double>, turn_in<double>,
                                                              turn_out<double>};

}  // namespace anydim
