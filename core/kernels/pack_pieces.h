// SPDX-License-Identifier: Apache-2.0
// Packing weights piece by piece, in the order of their memory, so that their pages can go as soon as they are packed. For
// kernels whose weights may be large.
#pragma once

#include <algorithm>

#include "core/kernels/kernel.h"

namespace anydim {

constexpr int64_t kPieceBytes = 256 << 10;  // worth a task of its own
// Read, packed and released together: by one thread, so much as its cache keeps until it is packed.
constexpr int64_t kSlabBytes = 1 << 20, kMostSlabBytes = 16 << 20;

// Calls pack(i) for each piece i on the threads of `packing`. Piece i is the elements from start(i) to start(i + 1) of the
// weights' memory; start(pieces) is how many there are.
template <class Start, class Pack>
void pack_in_pieces(const Packing& packing, const TensorView& weights, int64_t pieces, const Start& start, const Pack& pack) {
  const auto* bytes = static_cast<const std::byte*>(weights.data);
  const int64_t size = dtype_size(weights.dtype);
  const int64_t slab = std::min(kSlabBytes * packing.parallel.threads(), kMostSlabBytes);
  for (int64_t begin = 0; begin < pieces;) {
    int64_t end = begin + 1;
    while (end < pieces && (start(end + 1) - start(begin)) * size <= slab) ++end;
    end = std::min(pieces, std::max<int64_t>(end, begin + packing.parallel.threads()));
    const std::byte* from = bytes + start(begin) * size;
    const int64_t count = (start(end) - start(begin)) * size;
    const int64_t reader = packing.read != nullptr ? 1 : 0;  // a task, too, and the first
    packing.parallel.run(end - begin + reader, [&](int64_t task, int) {
      if (task < reader) packing.read(packing.context, from, count);
      else pack(begin + task - reader);
    });
    if (packing.done != nullptr) packing.done(packing.context, from, count);
    begin = end;
  }
}

}  // namespace anydim
