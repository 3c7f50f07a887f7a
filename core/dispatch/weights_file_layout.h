// SPDX-License-Identifier: Apache-2.0
// The layout of the file of packed weights (see weights_file.h), which weights_file_write.cpp writes and weights_file_read.cpp reads.
// Numbers are little-endian (a big-endian machine refuses the file):
//
//   0    "ANYDIMWT"
//   8    u32 revision of this layout, u32 0x01020304
//   16   u64 bytes of the file
//   24   u64 bytes of the description that follows the head
//   32   XXH3 (128 bits, canonical) of all bytes but these 16
//   48   description: u32 number of entries, each
//          16 bytes: what the values are, see WeightsSource; zeros in a file of single weights
//          operator as text, packed form as text (u32 length and bytes each)
//          u32 number of tensors, each i32 dtype, i32 rank, i64 dims
//          u32 number of buffers, each i64 offset, i64 bytes (weights, bias; or the tensors as they are)
//   then the buffers, each at a multiple of a cache line and followed by the padding that kernels may read
// Revision 1 had one entry, without the number of entries and without the 16 bytes; it is read, too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anydim::weights_file {

inline constexpr char kMagic[8] = {'A', 'N', 'Y', 'D', 'I', 'M', 'W', 'T'};
inline constexpr uint32_t kRevision = 2, kOldest = 1, kByteOrder = 0x01020304;
inline constexpr int64_t kMostDim = INT64_C(1) << 31;

struct Head {
  char magic[8];
  uint32_t revision, byte_order;
  uint64_t file_bytes, description_bytes;
  unsigned char checksum[16];
};
static_assert(sizeof(Head) == 48);

// Bytes of a buffer, in memory or in a mapped file.
struct Piece {
  const std::byte* data;
  int64_t bytes;
};

}  // namespace anydim::weights_file
