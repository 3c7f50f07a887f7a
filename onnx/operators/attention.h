// SPDX-License-Identifier: Apache-2.0
// The parts that the operators of decoders share, ONNX's and those of com.microsoft: rotary embeddings, caches, softmax(q k^T + mask) v
// over heads, root-mean-square normalisation.
#pragma once

#include "onnx/walk/node_import.h"

namespace anydim::onnx {

// Rotates pairs of the first `size` elements of each head; x is [batch, heads, sequence, head size], or [batch, sequence, heads, head
// size] with `heads_last`. cos and sin are [batch or 1, sequence, size / 2]. Pairs are neighbours if `interleaved`, else half of `size`
// apart. All three are wide enough to compute with.
struct Rotation {
  ValueId cos = kNoValue, sin = kNoValue;
  int64_t size = 0;
  bool interleaved = false, heads_last = false;
};
ValueId rotated(NodeImport& n, ValueId x, const Rotation& r);

// The rows of a table [positions, size / 2] at `positions`, [batch or 1, sequence].
ValueId rotary_rows(NodeImport& n, ValueId table, ValueId positions);

// [batch, sequence, heads * size] as [batch, sequence, heads, size].
ValueId split_heads(NodeImport& n, ValueId x, int64_t heads, const char* what);

// `cache` with `update` written at positions first[b], first[b] + 1, ... of an axis in example b of the batch, the first axis; `first` is
// [batch] of i64, or absent for 0. The result is `length` long, and 0 behind both. Circular: positions are taken modulo the length.
ValueId appended(NodeImport& n, ValueId cache, ValueId update, ValueId first, int axis, Dim length, bool circular);
// The same of a windowed cache, which `evicted` slices leave, [batch] of i64, and all that was there before (core/ops/operators/append.h).
struct Windowed {
  ValueId cache = kNoValue, all = kNoValue;
};
Windowed appended_to_window(NodeImport& n, ValueId cache, ValueId update, ValueId first, ValueId evicted, int axis);
// `cache` with `update` behind its last position.
ValueId appended_behind(NodeImport& n, ValueId cache, ValueId update, int axis);

// Attention over heads. q is [batch, heads, queries, size]; k and v are [batch, key heads, keys, size], where the heads are a multiple
// of the key heads, and have q's dtype, binary32 or binary64.
struct HeadsAttention {
  ValueId q = kNoValue, k = kNoValue, v = kNoValue;
  double scale = 1.0;
  float softcap = 0.f;         // 0: none
  ValueId bias = kNoValue;     // a float that is added to the scores, and broadcasts to [batch, heads, queries, keys]
  ValueId mask = kNoValue;     // bool, broadcasts as well: may this query see this key
  ValueId sinks = kNoValue;    // [heads], a score without a key
  Dim first = 0;               // the position of the first query
  ValueId starts = kNoValue;   // instead of it, [batch] of i64
  ValueId lengths = kNoValue;  // [batch] of i64: how many keys there are
  ValueId origins = kNoValue;  // [batch] of i64: the position of the first key
  bool causal = false;         // no key behind the query's position
  int64_t left_window = -1, right_window = -1;
};
// [batch, heads, queries, size of v]
ValueId attend(NodeImport& n, const HeadsAttention& a);
// q k^T * scale, for who wants to see it.
ValueId scores_of(NodeImport& n, const HeadsAttention& a);

// x / sqrt(mean of x * x over the axes from `axis` on + epsilon); `inverse`, if wanted, is 1 / that root.
ValueId rms_normalised(NodeImport& n, ValueId x, int axis, float epsilon, ValueId* inverse = nullptr);

// The scale is 1 / sqrt(head size), or the attribute if it is there and not 0. A head size that only a run knows scales q.
void set_scale(NodeImport& n, HeadsAttention* a, Dim head_size);
// x / sqrt(size), or x / sqrt(sqrt(size)) with `half`, of a size that only a run knows.
ValueId over_root(NodeImport& n, ValueId x, Dim size, bool half = false);

}  // namespace anydim::onnx
