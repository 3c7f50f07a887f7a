// SPDX-License-Identifier: Apache-2.0
// Sums over the taps of a depthwise window, T pixels x V vectors of channels at a time: how channels are loaded, and the chains. Taps run
// (kd, kh, kw), one chain each.
#pragma once

#include <cstdint>

#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

constexpr int kW = F32::kWidth;
// With 32 registers a tile of eight pixels keeps its inputs in them, so that each is loaded once per kernel row.
constexpr bool kManyRegisters = kW == 16;
constexpr bool kVectorsLive = kManyRegisters || alignof(F32) > alignof(float);  // in registers, as portable ones do not
// With 16 a tile of six keeps those of three kernel columns at stride 1; portable vectors live in memory.
constexpr bool kSomeRegisters = kW == 8 && kVectorsLive;
constexpr int kTilePixelsMost = kManyRegisters || kSomeRegisters ? 8 : 4;
constexpr int64_t kTilePixels = kSomeRegisters ? 6 : kTilePixelsMost, kFewestPixels = kSomeRegisters ? 5 : 3;  // fewer share too little

// The valid (kd, kh) of an output row: where input and weights of kernel column 0 lie, at channel 0 and input x = 0.
struct RowTaps {
  int count = 0;
  const float* src[kMaxDepthwiseTaps];
  const float* weights[kMaxDepthwiseTaps];
};

// How a vector of input channels is read.
struct Dense {
  F32 operator()(const float* p) const { return F32::load(p); }
};
struct Partial {
  int lanes;
  F32 operator()(const float* p) const { return F32::load_partial(p, lanes); }
};
struct Spread {  // one input channel for several outputs
  int lanes;     // input channels
  F32::Int index;
  F32 operator()(const float* p) const { return permute(F32::load_partial(p, lanes), index); }
};
struct Gathered {  // channels apart from each other, in any order
  int lanes;
  int64_t offset[kW];
  F32 operator()(const float* p) const {
    float t[kW] = {};
    for (int i = 0; i < lanes; ++i) t[i] = p[offset[i]];
    return F32::load(t);
  }
};

// Do a tile's inputs begin at its first channel?
template <class Load> constexpr bool kPlain = true;
template <> inline constexpr bool kPlain<Spread> = false;
template <> inline constexpr bool kPlain<Gathered> = false;

// The inputs of output channels c to c + lanes - 1, of which `multiplier` each have one: from that of c on.
constexpr int64_t kMostSpread = 4096;
inline Spread spread_from(int64_t c, int lanes, int64_t multiplier) {
  alignas(64) float lane[kW];
  for (int i = 0; i < kW; ++i) lane[i] = static_cast<float>(i);
  const int64_t rest = c % multiplier;
  // Half a channel more: the error of the product is less, so that its floor is the quotient.
  const F32 number = F32::load(lane) + F32::set(static_cast<float>(rest) + 0.5f), step = F32::set(1.f / static_cast<float>(multiplier));
  const F32::Int index = bits(floor(number * step) + F32::set(8388608.f));  // its low bits are the whole number
  return {static_cast<int>((rest + lanes - 1) / multiplier) + 1, index & set_int(number, kW - 1)};
}

// The place of a tile: its first pixel, its first channel, and the kernel columns that are inside for all its pixels.
struct Place {
  int64_t src;      // offset from the row pointers to (first pixel, kernel column 0, first channel)
  int64_t channel;  // offset into the weights
  int64_t k_begin, k_end;
};

// T pixels x V vectors, any kernel, stride and dilation: the input comes as memory operand of the multiply-add.
template <int T, int V, class Load>
inline __attribute__((always_inline)) void accumulate(const DepthwiseJob& j, const RowTaps& rows, const Place& at, const Load& load,
                                                      F32 (&acc)[T][V]) {
  const int64_t pixel = j.stride[2] * j.src_s[2], column = j.dilation[2] * j.src_s[2];
#pragma GCC unroll copies(8)
  for (int t = 0; t < T; ++t)
#pragma GCC unroll copies(8)
    for (int v = 0; v < V; ++v) acc[t][v] = F32::zero();
  for (int r = 0; r < rows.count; ++r) {
    const float* p = rows.src[r] + at.src + at.k_begin * column;
    const float* w = rows.weights[r] + at.channel + at.k_begin * j.padded;
    for (int64_t k = at.k_begin; k < at.k_end; ++k, p += column, w += j.padded) {
      F32 weight[V];
#pragma GCC unroll copies(8)
      for (int v = 0; v < V; ++v) weight[v] = F32::load(w + v * kW);
#pragma GCC unroll copies(8)
      for (int t = 0; t < T; ++t)
#pragma GCC unroll copies(8)
        for (int v = 0; v < V; ++v) acc[t][v] = fma(load(p + t * pixel + v * kW), weight[v], acc[t][v]);
    }
  }
}

// T pixels x 1 vector of groups of several channels: each lane multiplies the channels of its group one after the other. `first` is
// the lane of a lane's first one.
template <int T, class Load>
inline __attribute__((always_inline)) void accumulate_grouped(const DepthwiseJob& j, const RowTaps& rows, const Place& at, const Load& load,
                                                              F32::Int first, F32 (&acc)[T][1]) {
  const int64_t pixel = j.stride[2] * j.src_s[2], column = j.dilation[2] * j.src_s[2], tap = j.group * j.padded;
#pragma GCC unroll copies(8)
  for (int t = 0; t < T; ++t) acc[t][0] = F32::zero();
  for (int r = 0; r < rows.count; ++r) {
    const float* p = rows.src[r] + at.src + at.k_begin * column;
    const float* w = rows.weights[r] + at.channel + at.k_begin * tap;
    for (int64_t k = at.k_begin; k < at.k_end; ++k, p += column) {
      F32 x[T];
#pragma GCC unroll copies(8)
      for (int t = 0; t < T; ++t) x[t] = load(p + t * pixel);
      F32::Int lane = first;
      for (int64_t c = 0; c < j.group; ++c, w += j.padded, lane = lane + set_int(x[0], 1)) {
        const F32 weight = F32::load(w);
#pragma GCC unroll copies(8)
        for (int t = 0; t < T; ++t) acc[t][0] = fma(permute(x[t], lane), weight, acc[t][0]);
      }
    }
  }
}

#ifdef ANYDIM_HALVES
// As accumulate_grouped(), for two whole groups of eight. Where multiply-adds and permutations wait for the same units, loads are free:
// every other pixel's numbers are spread over the halves of its vector by them.
template <int T>
inline __attribute__((always_inline)) void accumulate_eights(const DepthwiseJob& j, const RowTaps& rows, const Place& at, F32::Int first,
                                                             F32 (&acc)[T][1]) {
  constexpr int64_t kGroup = 8;
  const int64_t pixel = j.stride[2] * j.src_s[2], column = j.dilation[2] * j.src_s[2], tap = kGroup * j.padded;
  Halves spread[T];
#pragma GCC unroll copies(8)
  for (int t = 0; t < T; ++t)
    if (t % 2 == 0) acc[t][0] = F32::zero();
    else spread[t] = Halves::zero();
  for (int r = 0; r < rows.count; ++r) {
    const float* p = rows.src[r] + at.src + at.k_begin * column;
    const float* w = rows.weights[r] + at.channel + at.k_begin * tap;
    for (int64_t k = at.k_begin; k < at.k_end; ++k, p += column) {
      F32 x[T];
#pragma GCC unroll copies(8)
      for (int t = 0; t < T; t += 2) x[t] = F32::load(p + t * pixel);
      F32::Int lane = first;
      for (int64_t c = 0; c < kGroup; ++c, w += j.padded, lane = lane + set_int(x[0], 1)) {
        const F32 weight = F32::load(w);
        const Halves halves = Halves::load(w);
#pragma GCC unroll copies(8)
        for (int t = 0; t < T; ++t)
          if (t % 2 == 0) acc[t][0] = fma(permute(x[t], lane), weight, acc[t][0]);
          else spread[t] = fma(Halves::spread(p + t * pixel + c, kGroup), halves, spread[t]);
      }
    }
  }
#pragma GCC unroll copies(8)
  for (int t = 1; t < T; t += 2) acc[t][0] = spread[t].joined();
}
#endif

// T pixels x 1 vector for K kernel columns, stride S, no dilation: inputs shared by neighbouring pixels are loaded once.
template <int K, int S, int T, class Load>
inline __attribute__((always_inline)) void accumulate_fixed(const DepthwiseJob& j, const RowTaps& rows, const Place& at, const Load& load,
                                                            F32 (&acc)[T][1]) {
  constexpr int kInputs = (T - 1) * S + K;
  const int64_t step = j.src_s[2];
#pragma GCC unroll copies(8)
  for (int t = 0; t < T; ++t) acc[t][0] = F32::zero();
  for (int r = 0; r < rows.count; ++r) {
    const float* p = rows.src[r] + at.src;
    const float* w = rows.weights[r] + at.channel;
    F32 x[kInputs];
    // The barriers keep GCC 12 from loading x again for every use, and from holding kInputs multiples of the step in
    // as many integer registers.
#pragma GCC unroll copies(32)
    for (int i = 0; i < kInputs; ++i) {
      x[i] = load(p);
      p += step;
      keep_in_registers(x[i], p);
    }
#pragma GCC unroll copies(8)
    for (int k = 0; k < K; ++k) {
      const F32 weight = F32::load(w + k * j.padded);
#pragma GCC unroll copies(8)
      for (int t = 0; t < T; ++t) acc[t][0] = fma(x[t * S + k], weight, acc[t][0]);
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
