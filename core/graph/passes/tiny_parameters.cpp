// SPDX-License-Identifier: Apache-2.0
// Pass tiny_parameters: parameters below 2^-100 become zeros of their sign. Training leaves them, many of them denormals, in
// channels that died; sums of their products are denormals, and an FMA on one takes a hundred times as long on Intel's
// processors. A choice of what the model means (docs/numerics.md, section 8; decisions/015). Parameters are constants that a
// convolution, matmul or layer norm takes, or that are added, subtracted or multiplied, and that hold a number of 2^-60 or more:
// one that is small throughout may be there to keep divisors from zero, or be made large again by what follows.
#include <cstring>
#include <map>

#include "core/graph/constant_budget.h"
#include "core/graph/passes/compressed_weights.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/binary.h"

namespace anydim {

namespace {

constexpr uint32_t kMagnitude = 0x7fffffff, kLeast = 27u << 23;                                  // 2^-100
constexpr uint32_t kLarge = 67u << 23;                                                           // 2^-60
constexpr bool is_tiny(uint32_t bits) noexcept { return (bits & kMagnitude) - 1 < kLeast - 1; }  // and not 0

// Elements at any address, some at a time so that compilers make vectors of them; what has been read of a file's pages may go.
bool has_tiny(const ConstantTensor& c) {
  constexpr int64_t kBlock = 1024, kPiece = 256 * kBlock;
  const std::byte* const bytes = c.address();
  const int64_t count = c.count();
  for (int64_t first = 0; first < count; first += kPiece) {
    const int64_t end = count - first < kPiece ? count : first + kPiece;
    uint32_t found = 0;
    for (int64_t i = first; i < end && !found; i += kBlock) {
      uint32_t block[kBlock];
      const int64_t n = end - i < kBlock ? end - i : kBlock;
      std::memcpy(block, bytes + i * 4, static_cast<size_t>(n) * 4);
      for (int64_t k = 0; k < n; ++k) found |= is_tiny(block[k]);
    }
    if (found) return true;
    if (end - first == kPiece) c.discard(bytes + first * 4, kPiece * 4);
  }
  return false;
}

// Beside such a number a tiny one is nothing.
bool has_large(const ConstantTensor& c) {
  for (int64_t i = 0; i < c.count(); ++i) {
    uint32_t bits;
    std::memcpy(&bits, c.address() + i * 4, 4);
    if ((bits & kMagnitude) >= kLarge) return true;
  }
  return false;
}

class Flush {
 public:
  explicit Flush(Graph& graph) : graph_(graph) {}

  void input(const Node& n, size_t i) {
    if (i >= n.inputs.size() || n.inputs[i] == kNoValue) return;
    const ConstantPtr c = graph_.value(n.inputs[i]).constant;
    if (!c || c->dtype() != DType::f32) return;
    if (surely_not_tiny(*c)) return;
    const auto [at, fresh] = made_.try_emplace(n.inputs[i], kNoValue);
    if (fresh && has_large(*c) && has_tiny(*c))
      at->second = add_made(graph_, graph_.value(n.inputs[i]).name, c->bytes(), [&] { return flushed(*c); });
    if (at->second != kNoValue) graph_.set_input(n.id, i, at->second);
  }
  void inputs(const Node& n) {
    for (size_t i = 0; i < n.inputs.size(); ++i) input(n, i);
  }
  // Constants that an element-wise operator takes.
  void operands(const Node& n) {
    const auto* b = as<Binary>(*n.op);
    if (!b || !is_scale_or_shift(b->function())) return;
    inputs(n);
  }

 private:
  static ConstantPtr flushed(const ConstantTensor& c) {
    return ConstantTensor::written<uint32_t>(DType::f32, c.dims(), [&](uint32_t* to) {
      std::memcpy(to, c.address(), static_cast<size_t>(c.bytes()));
      for (int64_t i = 0; i < c.count(); ++i)
        if (is_tiny(to[i])) to[i] &= ~kMagnitude;
    });
  }

  Graph& graph_;
  std::map<ValueId, ValueId> made_;  // kNoValue: it had none
};

std::vector<NodeId> node_ids(const Graph& graph) { return {graph.order().begin(), graph.order().end()}; }

}  // namespace

Status passes::early_tiny_parameters(Graph& graph) {
  Flush flush(graph);
  for (const NodeId id : node_ids(graph)) flush.operands(graph.node(id));
  return {};
}

Status passes::tiny_parameters(Graph& graph) {
  Flush flush(graph);
  for (const NodeId id : node_ids(graph)) {
    const Node& n = graph.node(id);
    if (has_trait(n.op->kind(), Trait::parameters)) flush.inputs(n);
    else flush.operands(n);
  }
  return {};
}

}  // namespace anydim
