// SPDX-License-Identifier: Apache-2.0
// RotaryEmbedding (opset 23 and later), and the rotation that com.microsoft's operators share with it: pairs (a, b) of a head become
// (a cos - b sin, a sin + b cos), each product and each sum rounded.
#include "core/ops/operators/concat.h"
#include "core/ops/operators/gather.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {

using B = BinaryFunction;

// Neighbours are pairs: x * C + x' * S, where x' has the two of each pair changed, C each cosine twice, S each sine negative and positive. The
// same products and sums, one rounding each, without taking x apart.
ValueId rotated_neighbours(NodeImport& n, ValueId x, const Rotation& r, ValueId cos, ValueId sin) {
  const SymDims d = n.dims(x), rows = n.dims(cos);
  if (!n.ok()) return kNoValue;
  const int64_t half = r.size / 2;
  const SymDims pairs{rows[0], rows[1], rows[2], half, 1}, whole{rows[0], rows[1], rows[2], r.size};
  const auto both = [&](ValueId first, ValueId second) {
    return n.reshape(n.add(Concat::make(4), {n.reshape(first, pairs), n.reshape(second, pairs)}), whole);
  };
  const ValueId c = both(cos, cos), s = both(n.unary(UnaryFunction::neg, sin), sin);
  const ValueId part = d[3].is(r.size) ? x : n.slice(x, 3, 0, r.size);
  const ValueId turned = n.reshape(n.slice(n.reshape(part, {d[0], d[1], d[2], half, 2}), 4, 1, 2, -1), {d[0], d[1], d[2], r.size});
  return n.binary(B::add, n.binary(B::mul, part, c), n.binary(B::mul, turned, s));
}

ValueId rotated(NodeImport& n, ValueId x, const Rotation& r) {
  const SymDims d = n.dims(x);
  if (!n.ok()) return kNoValue;
  const int64_t half = r.size / 2;
  const auto table = [&](ValueId t) {
    const SymDims rows = n.dims(t);
    return n.reshape(t, r.heads_last ? SymDims{rows[0], rows[1], 1, rows[2]} : SymDims{rows[0], 1, rows[1], rows[2]});
  };
  const ValueId cos = table(r.cos), sin = table(r.sin);
  std::vector<ValueId> parts;
  if (r.interleaved) {
    parts = {rotated_neighbours(n, x, r, cos, sin)};
  } else {
    const ValueId a = n.slice(x, 3, 0, half), b = n.slice(x, 3, half, half);
    parts = {n.binary(B::sub, n.binary(B::mul, a, cos), n.binary(B::mul, b, sin)),
             n.binary(B::add, n.binary(B::mul, a, sin), n.binary(B::mul, b, cos))};
  }
  if (n.ok() && !d[3].is(r.size)) parts.push_back(n.slice(x, 3, r.size, n.pool().sub(d[3], r.size)));
  return parts.size() == 1 ? parts[0] : n.add(Concat::make(3), parts);
}

ValueId rotary_rows(NodeImport& n, ValueId table, ValueId positions) { return n.add(Gather::make(0), {table, positions}); }

ValueId split_heads(NodeImport& n, ValueId x, int64_t heads, const char* what) {
  const SymDims d = n.dims(x);
  if (!n.ok()) return kNoValue;
  if (d.rank != 3) n.wrong("{} has rank {}; expected 3", what, d.rank);
  else if (heads < 1 || (d[2].is_number() && d[2].number() % heads != 0))
    n.wrong("{} has {} elements for each position and there are {} heads; expected a multiple", what, n.pool().text(d[2]), heads);
  return n.ok() ? n.reshape(x, {d[0], d[1], heads, n.pool().floor_div(d[2], heads)}) : kNoValue;
}

namespace {

void rotary_embedding(NodeImport& n) {
  const ValueId x = n.in(0), cos = n.in(1), sin = n.in(2);
  const int rank = n.rank(x);
  if (n.ok() && rank != 3 && rank != 4) n.wrong("input 0 has rank {}; expected 3 or 4", rank);
  const int64_t heads = rank == 3 ? n.integer("num_heads") : 0;
  const ValueId by_head = rank == 3 ? split_heads(n, n.widened(x), heads, "input 0") : n.widened(x);
  const SymDims d = n.dims(by_head);
  if (!n.ok()) return;
  const bool gathers = n.has(3);
  for (const ValueId t : {cos, sin})
    if (n.rank(t) != (gathers ? 2 : 3)) n.wrong("a cache has rank {}; expected {}", n.rank(t), gathers ? 2 : 3);
  if (gathers && n.ok() && n.rank(n.in(3)) != 2) n.wrong("position_ids has rank {}; expected 2", n.rank(n.in(3)));
  int64_t size = n.integer("rotary_embedding_dim", 0);
  if (n.ok() && size == 0 && !d[3].is_number()) n.unsupported("the head size {} is dynamic; expected a number", n.pool().text(d[3]));
  if (n.ok() && size == 0) size = d[3].number();
  if (n.ok() && (size < 2 || size % 2 != 0 || (d[3].is_number() && size > d[3].number())))
    n.wrong("{} elements of a head are rotated; expected an even number up to the head size {}", size, n.pool().text(d[3]));
  if (!n.ok()) return;
  Rotation r;
  const auto rows = [&](ValueId t) { return n.widened(gathers ? rotary_rows(n, t, n.in(3)) : t); };
  r.cos = rows(cos);
  r.sin = rows(sin);
  r.size = size;
  r.interleaved = n.integer("interleaved", 0) != 0;
  r.heads_last = rank == 3;
  for (const ValueId t : {r.cos, r.sin}) {
    if (!n.ok()) return;
    n.require_equal(n.dims(t)[2], size / 2, "the last dim of a cache");
    n.require_fits(t, {d[0], d[rank == 3 ? 1 : 2], Dim(size / 2)}, "a cache at the positions");
  }
  n.out(0, n.cast(n.reshape(rotated(n, by_head, r), n.dims(x)), n.dtype(x)));
}

constexpr Importer kRotaryOperators[] = {
    {"RotaryEmbedding", 23, rotary_embedding},
};

}  // namespace

std::span<const Importer> rotary_importers() { return kRotaryOperators; }

}  // namespace anydim::onnx
