// SPDX-License-Identifier: Apache-2.0
// In-place with a last-use check over whole buffers; see in_place.h.
#include "core/graph/passes/in_place.h"

#include <algorithm>

#include "core/graph/plan/lifetimes.h"

namespace anydim {
namespace {

bool same_place(DimPool& pool, const Placement& a, const SymDims& a_dims, const Placement& b, const SymDims& b_dims) {
  if (a_dims.rank != b_dims.rank || !pool.provably_equal(a.view.offset, b.view.offset)) return false;
  for (int i = 0; i < a_dims.rank; ++i) {
    if (!pool.provably_equal(a_dims[i], b_dims[i])) return false;
    if (!a_dims[i].is(1) && !pool.provably_equal(a.view.strides[i], b.view.strides[i])) return false;
  }
  return true;
}

}  // namespace

int work_in_place(Graph& graph, Storage* storage) {
  Lifetimes life = lifetimes_of(graph, *storage);
  // Sizes are read when all of their stage has run.
  const auto is_read = [&](int32_t buffer) {
    return std::any_of(graph.size_reads().begin(), graph.size_reads().end(),
                       [&](const SizeRead& r) { return storage->values[r.value].buffer == buffer; });
  };
  // A copy to another engine may read its source later than its step.
  std::vector<bool> transferred(storage->buffers.size(), false);
  const auto mark = [&](NodeId id) {
    if (const Node& n = graph.node(id); n.transfer) transferred[static_cast<size_t>(storage->values[n.inputs[0]].buffer)] = true;
  };
  std::for_each(graph.order().begin(), graph.order().end(), mark);
  int merged = 0;
  int32_t step = -1;
  const auto dims = [&](ValueId v) -> const SymDims& { return graph.value(v).type.dims; };
  for (NodeId id : graph.order()) {
    if (!storage->executes[id]) continue;
    ++step;
    const Node& n = graph.node(id);
    if (!has_trait(n.op->kind(), Trait::in_place)) continue;
    const ValueId out = n.outputs[0];
    const Placement& mine = storage->values[out];
    if (mine.buffer < 0 || storage->buffers[mine.buffer].kind != BufferKind::arena) continue;
    if (life.buffers[mine.buffer].first != step) continue;  // part of something that is being built already

    std::vector<ValueId> operands = n.inputs;
    operands.insert(operands.end(), n.post_inputs.begin(), n.post_inputs.end());
    const auto can_reuse = [&](ValueId v) {
      if (v == kNoValue) return false;
      const Placement& his = storage->values[v];
      if (his.buffer < 0 || his.buffer == mine.buffer || is_read(his.buffer) || transferred[static_cast<size_t>(his.buffer)]) return false;
      const StorageBuffer &from = storage->buffers[his.buffer], &to = storage->buffers[mine.buffer];
      return from.kind == BufferKind::arena && life.buffers[his.buffer].last == step && from.dtype == to.dtype &&
             graph.value(v).type.dtype == graph.value(out).type.dtype && graph.dims.provably_equal(from.elements, to.elements) &&
             same_place(graph.dims, his, dims(v), mine, dims(out));
    };
    const auto found = std::find_if(operands.begin(), operands.end(), can_reuse);
    if (found == operands.end()) continue;
    const int32_t kept = storage->values[*found].buffer, gone = mine.buffer;
    // Another operand elsewhere in the same memory would be overwritten before it is read.
    const bool clash = std::any_of(operands.begin(), operands.end(), [&](ValueId v) {
      return v != kNoValue && storage->values[v].buffer == kept &&
             !same_place(graph.dims, storage->values[v], dims(v), storage->values[*found], dims(*found));
    });
    if (clash) continue;
    for (Placement& p : storage->values)
      if (p.buffer == gone) p.buffer = kept;
    transferred[static_cast<size_t>(kept)] = transferred[static_cast<size_t>(gone)];
    life.buffers[kept].last = life.buffers[gone].last;
    life.buffers[gone] = {0, -1};
    ++merged;
  }
  return merged;
}

}  // namespace anydim
