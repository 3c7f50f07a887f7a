// SPDX-License-Identifier: Apache-2.0
// Answers to what leads.h asks.
#include "core/graph/passes/leads.h"

#include <algorithm>
#include <span>

#include "core/graph/control_flow.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/recurrent.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

std::vector<bool> no_values_yet(const Graph& graph) { return std::vector<bool>(static_cast<size_t>(graph.value_count()), false); }

// Is a result of it one number or another by a rounding of its operands? Whole numbers made of floats: roundings, casts, comparisons,
// positions (of the largest, the sorted, the boxes that stay), quantized values. Of bodies nobody looks what they do.
bool has_steps(const Graph& graph, const Node& n) {
  if (as<ControlFlow>(*n.op) || n.quantization) return true;
  if (const auto* u = as<Unary>(*n.op)) {
    using enum UnaryFunction;
    if (u->function() == floor || u->function() == ceil || u->function() == round_even || u->function() == sign) return true;
  }
  if (const auto* b = as<Binary>(*n.op))
    if (b->function() == BinaryFunction::mod_floor || b->function() == BinaryFunction::mod_trunc) return true;
  const auto is_real = [&](ValueId v) { return v != kNoValue && dtype_is_float(graph.value(v).type.dtype); };
  return std::any_of(n.inputs.begin(), n.inputs.end(), is_real) &&
         std::any_of(n.outputs.begin(), n.outputs.end(), [&](ValueId v) { return v != kNoValue && !is_real(v); });
}

}  // namespace

std::vector<bool> leads_to_sizes(const Graph& graph) {
  std::vector<bool> leads = no_values_yet(graph);
  std::vector<ValueId> open;
  for (const SizeRead& read : graph.size_reads())
    if (read.axis < 0) open.push_back(read.value);
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    if (v == kNoValue || leads[static_cast<size_t>(v)]) continue;
    const SymDims& dims = graph.value(v).type.dims;
    if (std::any_of(dims.begin(), dims.end(), [](Dim d) { return !d.is_number() || d.number() > kMaxShapeValues; })) continue;
    leads[static_cast<size_t>(v)] = true;
    if (const Node* n = graph.producer(v)) open.insert(open.end(), n->inputs.begin(), n->inputs.end());
  }
  return leads;
}

std::vector<bool> leads_to_steps(const Graph& graph, bool is_body) {
  std::vector<bool> leads = no_values_yet(graph);
  const auto mark = [&](std::span<const ValueId> inputs) {
    for (const ValueId v : inputs)
      if (v != kNoValue && dtype_is_float(graph.value(v).type.dtype)) leads[static_cast<size_t>(v)] = true;
  };
  // What a body gives may lead to one around it.
  if (is_body)
    for (const GraphOutput& output : graph.outputs()) mark({&output.value, 1});
  const std::span<const NodeId> order = graph.order();
  for (size_t i = order.size(); i-- > 0;) {
    const Node& n = graph.node(order[i]);
    if (as<Convolution>(*n.op) || as<ConvTranspose>(*n.op) || as<Matmul>(*n.op) || as<Recurrent>(*n.op) || as<Attention>(*n.op)) continue;
    if (has_steps(graph, n) ||
        std::any_of(n.outputs.begin(), n.outputs.end(), [&](ValueId v) { return v != kNoValue && leads[static_cast<size_t>(v)]; }))
      mark(n.inputs);
  }
  return leads;
}

}  // namespace anydim
