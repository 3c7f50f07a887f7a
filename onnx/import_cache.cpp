// SPDX-License-Identifier: Apache-2.0
// TensorScatter (opset 24 and later), and the caches of com.microsoft's attention: new keys and values written behind the old ones.
#include "core/ops/concat.h"
#include "core/ops/range.h"
#include "core/ops/scatter_nd.h"
#include "onnx/attention.h"
#include "onnx/operators.h"

namespace anydim::onnx {

using B = BinaryFunction;

ValueId appended(NodeImport& n, ValueId cache, ValueId update, ValueId first, int axis, bool circular) {
  const SymDims c = n.dims(cache), u = n.dims(update);
  if (!n.ok()) return kNoValue;
  SymDims places;  // of the slices that are written
  for (int i = 0; i <= axis; ++i) places.push_back(u[i]);
  const auto along = [&](ValueId v, int at) {
    SymDims d = SymDims::filled(axis + 1, 1);
    d[at] = u[at];
    return n.reshape(v, d);
  };
  const auto positions = [&](int at) { return along(n.add(Range::make(DType::i64, 0, 1, u[at]), {}), at); };
  SymDims column = places;
  column.push_back(1);
  std::vector<ValueId> columns;
  for (int i = 0; i <= axis; ++i) {
    ValueId index = positions(i);
    if (i == axis && first != kNoValue) index = n.binary(B::add, index, along(first, 0));
    if (i == axis && circular) index = n.binary(B::mod_floor, index, n.shape(DType::i64, {}, {c[axis]}));
    columns.push_back(n.reshape(n.expand(index, places), column));
  }
  const ValueId indices = columns.size() == 1 ? columns[0] : n.add(Concat::make(axis + 1), columns);
  return n.add(ScatterNd::make(), {cache, indices, update});
}

namespace {

void tensor_scatter(NodeImport& n) {
  const ValueId cache = n.in(0), update = n.in(1);
  const SymDims c = n.dims(cache), u = n.dims(update);
  const int axis = n.axis(n.integer("axis", -2), c.rank);
  const bool circular = n.choice("mode", "linear", {"linear", "circular"}) == 1;
  if (n.ok() && axis == 0) n.wrong("axis is 0, the batch; expected 1 to {}", c.rank - 1);
  if (n.ok() && u.rank != c.rank) n.wrong("update has rank {}; expected that of the cache, {}", u.rank, c.rank);
  for (int i = 0; i < c.rank && n.ok(); ++i)
    if (i != axis) n.require_equal(u[i], c[i], formatted("dim {} of update", i));
  if (n.ok())
    n.require(n.pool().sub(1, n.pool().less(c[axis], u[axis])), formatted("update is no longer than the cache along axis {}", axis));
  ValueId first = kNoValue;
  if (n.has(2)) {
    first = n.cast(n.in(2), DType::i64);
    if (n.ok() && n.rank(first) != 1) n.wrong("write_indices has rank {}; expected 1", n.rank(first));
    if (n.ok()) n.require_equal(n.dims(first)[0], c[0], "the length of write_indices");
  }
  n.out(0, appended(n, cache, update, first, axis, circular));
}

constexpr Importer kTable[] = {
    {"TensorScatter", 24, tensor_scatter},
};

}  // namespace

std::span<const Importer> cache_importers() { return kTable; }

}  // namespace anydim::onnx
