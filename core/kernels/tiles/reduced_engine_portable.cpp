// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced in plain C++: correct everywhere, and slow, since each operation looks for denormals.
#include <cstdint>

#include "core/kernels/simd/portable.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::portable {
namespace {

constexpr int kReducedRows = 2;
__attribute__((noinline)) F32 flushed_fma(F32 a, F32 b, F32 c) {
  return lanewise<F32::kWidth>([&](int i) { return anydim::flushed_fma(a.v[i], b.v[i], c.v[i]); });
}
__attribute__((noinline)) F32 flushed_sum(F32 a, F32 b) {
  return lanewise<F32::kWidth>([&](int i) { return anydim::flushed_sum(a.v[i], b.v[i]); });
}
inline F32 upper_numbers(const uint32_t* p) {
  return lanewise<F32::kWidth>([&](int i) { return unword(p[i] & 0xffff0000u); });
}
inline F32 lower_numbers(const uint32_t* p) {
  return lanewise<F32::kWidth>([&](int i) { return unword(p[i] << 16); });
}
inline F32 pair_words(F32 upper, F32 lower) {
  return lanewise<F32::kWidth>([&](int i) { return unword(bf16_word(upper.v[i]) | bf16_word(lower.v[i]) >> 16); });
}
struct FlushedDenormals {};

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/tiles/reduced_fma.inl.h"
#include "core/kernels/tiles/reduced_engine.inl.h"

namespace anydim {

constinit const TileEngine ReducedTileEngine::portable = {portable::kW,           portable::kW,
                                                          portable::kReducedRows, portable::kReducedRows,
                                                          portable::kReducedRows, portable::run_reduced,
                                                          portable::pack_reduced, portable::run_epilogue,
                                                          MathMode::reduced,      portable::scratch_bytes,
                                                          portable::round_left,   sizeof(portable::LeftNumber)};

}  // namespace anydim
