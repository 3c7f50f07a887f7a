// SPDX-License-Identifier: Apache-2.0
// The layout of the file of packed weights (see weights_file.h), which weights_file_write.cpp writes and weights_file_read.cpp reads: a
// CheckedFile (core/base/files/checked_file.h) with
//
//   description: u32 number of entries, each
//          16 bytes: what the values are, see WeightsSource; zeros in a file of single weights
//          operator as text, packed form as text (u32 length and bytes each)
//          u32 number of constants, each i32 operand, i32 dtype, i32 rank, i64 dims
//          u32 number of pieces, each a name as text, i32 dtype, i32 operand, i64 offset, i64 elements; the operand is -1 for a piece of
//          the packed form; a constant that is read as it is has no name
//   then the pieces, each at a multiple of a cache line and followed by the padding that kernels may read
// Revisions 1 and 2 knew two buffers, of weights and bias; they are refused, for weights can always be packed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/files/checked_file.h"
#include "core/dispatch/weights/weights.h"
#include "core/kernels/kernel.h"

namespace anydim::weights_file {

inline constexpr CheckedFileKind kKind{
    {'A', 'N', 'Y', 'D', 'I', 'M', 'W', 'T'}, 3, "file of packed weights", "pack the weights again", Code::io_error};
inline constexpr int64_t kMostDim = INT64_C(1) << 31;

// A piece, in memory or in a mapped file.
struct Piece {
  std::string_view name;
  DType dtype;
  int32_t operand;
  int64_t count;
  const std::byte* data;

  int64_t bytes() const noexcept { return count * dtype_size(dtype); }
};
// Those of a form, then the constants that are read as they are; `data` is left out.
std::vector<Piece> pieces_of(const PackedForm& form, std::span<const TensorType> constants);
// The pieces as a version's values, which keep nothing alive. False if they are not those of the form; `constants`: types by operand.
bool values_of(const PackedForm& form, std::span<const TensorType> constants, std::span<const Piece> pieces, WeightsValues* values);
// What there is to save of a version, in that order.
std::vector<Piece> pieces_with_data(const Weights& weights, const WeightsValues& values);

}  // namespace anydim::weights_file
