// SPDX-License-Identifier: Apache-2.0
// TensorScatter (opset 24 and later), and the caches of attention: new keys and values written behind the old ones.
#include "core/ops/operators/append.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {

ValueId appended(NodeImport& n, ValueId cache, ValueId update, ValueId first, int axis, Dim length, bool circular) {
  if (!n.ok()) return kNoValue;
  std::vector<ValueId> inputs{cache, update};
  if (first != kNoValue) inputs.push_back(first);
  return n.add(Append::make(axis, 0, length, circular), inputs);
}

Windowed appended_to_window(NodeImport& n, ValueId cache, ValueId update, ValueId first, ValueId evicted, int axis) {
  if (!n.ok()) return {};
  const std::vector<ValueId> made =
      n.add_many(Append::make({axis, 0, n.dims(cache)[axis], false, true}), {cache, update, first, evicted}, 2);
  return n.ok() ? Windowed{made[0], made[1]} : Windowed{};
}

ValueId appended_behind(NodeImport& n, ValueId cache, ValueId update, int axis) {
  const SymDims c = n.dims(cache), u = n.dims(update);
  if (n.ok() && (c.rank <= axis || c.rank != u.rank))
    n.wrong("a cache has rank {} and what is new {}; expected one rank above {}", c.rank, u.rank, axis);
  if (!n.ok()) return kNoValue;
  return n.add(Append::make(axis, c[axis], n.pool().add(c[axis], u[axis])), {cache, update});
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
  n.out(0, appended(n, cache, update, first, axis, n.ok() ? c[axis] : Dim(0), circular));
}

constexpr Importer kCacheOperators[] = {
    {"TensorScatter", 24, tensor_scatter},
};

}  // namespace

std::span<const Importer> cache_importers() { return kCacheOperators; }

}  // namespace anydim::onnx
