// SPDX-License-Identifier: Apache-2.0
// What matmul and convolution on the integer engine share: which problems it takes, a call's scales and zero points as numbers per
// column, and scratch. Not for anybody outside quantized/.
#pragma once

#include "core/kernels/conv/geometry.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/kernel.h"
#include "core/kernels/int_tiles/engine.h"
#include "core/ops/quantization.h"

namespace anydim {

// The dtypes, factors and post-ops that the engine knows; kernels ask the rest themselves.
Support int_supports(const Problem& p) noexcept;

// The same of a convolution.
Support int_supports_convolution(const Problem& p) noexcept;
// Of one input and one output channel per group; zero points of the weights come with the attributes, the input has one scale.
Support int_supports_depthwise(const Problem& p, int most_spatial, int64_t most_taps) noexcept;
// The weights less their zero points are of i8, by their dtype and zero points that are attributes.
bool int_packs_as_i8(const Problem& p) noexcept;
constexpr const char* kIntNoI8 = "the weights' zero points are not 0, or 128 of u8";
// Taps of a channel.
int64_t int_depthwise_taps(const Dims& w) noexcept;

// A call's factors, found once.
struct IntFactors {
  struct One {
    const Quantization::Factors* factors = nullptr;  // null: not given
    const TensorView* tensor = nullptr;              // of those that come with the call
    float at(int64_t i) const noexcept;              // i: of the axis; any where there is one for all
    bool per_axis() const noexcept { return factors != nullptr && factors->axis >= 0; }
  };
  One scale[Quantization::kOperands], zero[Quantization::kOperands];
  explicit IntFactors(const Args& args) noexcept;
};

// The arrays of IntColumns, each for `columns` padded to panels.
struct IntColumnMemory {
  int32_t* offset;
  int32_t* zero;
  float *scale, *bias, *out_scale, *out_zero, *quick, *centre;
  int32_t* sum;  // in the place of `quick`, which rows with factors of their own have no use for
};
constexpr int kIntColumnArrays = 8;
inline int64_t int_column_bytes(int64_t columns) noexcept {
  return saturating_mul(IntEngine::padded(columns), static_cast<int64_t>(kIntColumnArrays * sizeof(float)));
}
IntColumnMemory int_column_memory(void* at, int64_t columns) noexcept;

// Fills them in for columns [0, columns) of which the first is column `first` of the whole result; `sums`: the packed columns'. `c`: the
// operator's input 2 as a vector, or null. Sets `column` to what a block needs; `sums_of_rows` to whether it wants the rows' sums.
struct IntColumnTask {
  const IntEngine* engine = nullptr;
  const Args* args = nullptr;
  const IntFactors* factors = nullptr;
  int64_t k = 0, first = 0, columns = 0;
  const int32_t* sums = nullptr;  // null: the left side has no zero point any more
  const TensorView* c = nullptr;
  int64_t c_step = 0;
  bool zero_is_packed = false;          // the right side's zero points are subtracted from what is packed
  const int32_t* magnitudes = nullptr;  // of the packed columns, as int_measure_columns() gives them; null: not known
};
// Input 0's factors that are one per row are left to the rows (IntRows): the columns are made as if they were 1 and 0.
void int_fill_columns(const IntColumnTask& task, const IntColumnMemory& memory, IntColumns* column, bool* sums_of_rows) noexcept;

// A chain's first steps that multiply by and add one number per column (`axis` of the result, from number `first` on) become the
// columns' scale and bias, which compute the same values. How many steps they were.
int32_t int_absorb_steps(const Epilogue& chain, const IntFactors& factors, int axis, int64_t first, int64_t columns,
                         const IntColumnMemory& memory, IntColumns* column) noexcept;

// What a run of a convolution begins with: factors, post-ops, and how its tensors are walked. `columns` of a group are in `block`, which
// wants the rows.
struct IntConvolutionCall {
  IntConvolutionCall(const Args& args, const ConvGeometry& g) noexcept;
  IntBlock block(const IntColumns& column, int64_t columns) const noexcept;
  // Where a result and an operand of the post-ops lie: their channel 0 at a position, counted in elements.
  int64_t result_at(int64_t n, int64_t d, int64_t h, int64_t w) const noexcept {
    return n * to.n + d * to.s[0] + h * to.s[1] + w * to.s[2];
  }
  const float* operand_at(int o, int64_t n, int64_t d, int64_t h, int64_t w) const noexcept {
    return epilogue.operands[o].data + n * of[o].n + d * of[o].s[0] + h * of[o].s[1] + w * of[o].s[2];
  }

  const Args& args;
  IntFactors factors;
  Epilogue epilogue;
  EpilogueProgram program;
  SpatialStrides from, to, of[kMaxEpilogueOperands];  // of input 0, of the result, of the post-ops' operands
  int64_t result_bytes;                               // of an element
};

// Of a depthwise convolution, what is one per channel, in `memory` of int_column_bytes(), with the chain's first steps that it absorbs.
// `sums`: of the weights; null where zero points are subtracted before the sums. `zero_is_packed`: as of IntColumnTask; else the
// weights' lie in `column`. `magnitudes`: as of IntColumnTask.
void int_depthwise_columns(const IntEngine& engine, int64_t taps, const int32_t* sums, const int32_t* magnitudes, bool zero_is_packed,
                           void* memory, IntConvolutionCall* call, IntColumns* column) noexcept;

// After filling and absorbing, of results of 8 bits: sets what is known of all columns (IntColumns::tame, quick, out_zero_is_least), whose
// sums are of k products. Of fewer `rows` than kIntQuickRows, nothing is prepared that spares them divisions. `task`: that filled them; with
// its magnitudes, most layers are found to have small quotients, where all products at their largest would not leave 9 of 10.
void int_judge_columns(const Args& args, int64_t k, int64_t columns, int64_t rows, const IntColumnMemory& memory, IntColumns* column,
                       const IntColumnTask* task = nullptr) noexcept;
// Of the columns of the job's panels: the sum of the magnitudes of what is packed, at most 2^31 - 1; 0 of what fills the panels. `moved`:
// subtracted from all values of u8.
void int_measure_columns(const IntPack& job, int32_t moved, int32_t* magnitudes) noexcept;
constexpr int64_t kIntQuickRows = 4;

// The weights as O, C / G, taps, side by side: themselves, or their copy at `to`.
const std::byte* int_dense_weights(const TensorView& w, std::byte* to) noexcept;

// The sums themselves are the result.
bool int_is_exact(const Args& args, const IntFactors& factors) noexcept;

// The number that stands for zero on the left side, as rows hold it; `row`: of those that are one per row.
int32_t int_outside(const IntEngine& engine, const Args& args, const IntFactors& factors, int64_t row = 0) noexcept;

// Rows that are gathered together, for rows of so many steps; `most` rows in all on so many threads. Their bytes are at most the
// engine's block_bytes and tile_rows rows.
int64_t int_block_rows(const IntEngine& engine, int64_t steps, int64_t most, int threads) noexcept;
// A worker's rows and their sums.
int64_t int_worker_bytes(int64_t steps, int64_t rows) noexcept;
// What int_worker_bytes() never exceeds with the rows of int_block_rows(), of `steps` and of fewer: rows that fit fall as steps grow, so
// both ends count.
int64_t int_worker_bound(const IntEngine& engine, int64_t steps) noexcept;

// How many of `most` threads that much work is worth, in products of values; what follows a sum is as much as kIntProductsOfSum. A thread
// that is waited for costs about a microsecond.
constexpr int64_t kIntProductsOfSum = 48, kIntThreadProducts = INT64_C(1) << 17;
int int_threads(int64_t products, int most) noexcept;

// The fewest cuts of panels that give every thread of `threads` something to do beside `others` tasks.
int64_t int_column_parts(int64_t panels, int64_t others, int threads) noexcept;

}  // namespace anydim
