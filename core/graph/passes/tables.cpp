// SPDX-License-Identifier: Apache-2.0
// Pass tables: what is a function of one 8-bit tensor, element by element, through any number of conversions and functions, is a table of
// 256 results, made now by the kernels that would run later. So hard-swish written as add, clip, mul and div between conversions, or a
// SiLU of two, is one look-up. Exact.
#include <array>
#include <map>
#include <optional>

#include "core/dispatch/primitive/primitive.h"
#include "core/graph/passes/passes.h"
#include "core/graph/passes/quantized.h"
#include "core/ops/operators/cast.h"

namespace anydim {

namespace {

bool has_table(DType t) { return t == DType::i8 || t == DType::u8; }

// A value as a function of the elements of `root`.
struct Function {
  ValueId root;
  HostTensor results;  // of the 256 bytes, in order
};

class Tables {
 public:
  explicit Tables(Graph& graph) : g_(graph) {}

  Status run() {
    const std::vector<NodeId> order(g_.order().begin(), g_.order().end());
    for (const NodeId id : order) {
      const Node& n = g_.node(id);
      if (!follows(n)) continue;
      ANYDIM_TRY(follow(n));
      if (quantizes(g_, n)) ANYDIM_TRY(replace(n));
    }
    return {};
  }

 private:
  DType dtype(ValueId v) const { return v == kNoValue ? DType::none : g_.value(v).type.dtype; }

  static bool follows(const Node& n) {
    if (n.engine != 0 || n.post_ops.count > 0 || n.outputs.size() != 1 || !n.post_inputs.empty()) return false;
    if (n.op->kind() == OpKind::unary) return n.quantization == nullptr;
    if (n.op->kind() == OpKind::binary) return n.quantization == nullptr;
    if (n.op->kind() != OpKind::cast || !n.quantization) return false;
    return per_tensor(*n.quantization, 0) && per_tensor(*n.quantization, Quantization::kResult);
  }

  // The value as a function, if it is one. An 8-bit tensor that is no function of another is one of itself: a conversion's result, too,
  // which `follow` has seen and found to be none.
  const Function* function_of(ValueId v) {
    std::optional<Function>& known = functions_[v];
    if (!known && has_table(dtype(v)) && !g_.value(v).constant) {
      Function f{v, {}};
      if (!HostTensor::allocate(dtype(v), {static_cast<int64_t>(Quantization::kTable)}, &f.results).ok()) return nullptr;
      for (size_t i = 0; i < Quantization::kTable; ++i) f.results.view.as<uint8_t>()[i] = static_cast<uint8_t>(i);
      known = std::move(f);
    }
    return known ? &*known : nullptr;
  }

  Status follow(const Node& n) {
    std::optional<Function>& out = functions_[n.outputs[0]];
    out.reset();
    ValueId root = kNoValue;
    std::vector<TensorView> in;
    for (const ValueId v : n.inputs) {
      if (v == kNoValue) return {};
      if (const ConstantPtr& c = g_.value(v).constant; c && c->count() == 1) {
        TensorView view = c->view();
        view.dims = {};
        view.strides = {};
        in.push_back(view);
        continue;
      }
      const Function* f = function_of(v);
      if (!f || (root != kNoValue && root != f->root)) return {};
      root = f->root;
      in.push_back(f->results.view);
    }
    if (root == kNoValue || !same_dims(g_, g_.value(root).type.dims, g_.value(n.outputs[0]).type.dims)) return {};
    std::vector<HostTensor> results;
    const Status s = execute_once(n.op, in, {}, {}, &results, n.quantization);
    if (s.code() == Code::out_of_memory) return error(s.code(), "{}: {}", Graph::label(n), s.message());
    if (s.ok()) functions_[n.outputs[0]] = Function{root, results[0]};
    return {};
  }

  Status replace(const Node& n) {
    const std::optional<Function>& f = functions_[n.outputs[0]];
    if (!f) return {};
    const ValueId root = f->root;
    const DType to = dtype(n.outputs[0]);
    Quantization q;
    bool same = to == dtype(root);
    for (size_t i = 0; i < Quantization::kTable; ++i) {
      same = same && f->results.view.as<uint8_t>()[i] == i;
      q.table.push_back(to == DType::i8 ? static_cast<float>(f->results.view.as<int8_t>()[i])
                                        : static_cast<float>(f->results.view.as<uint8_t>()[i]));
    }
    ValueId made = root;
    if (!same) {
      auto table = insert_quantized(g_, n, Cast::make(to), std::move(q), {root});
      if (!table.ok()) return table.take_status();
      made = *table;
      functions_[made] = f;
    }
    g_.replace_uses(n.outputs[0], made);
    return {};
  }

  Graph& g_;
  std::map<ValueId, std::optional<Function>> functions_;
};

}  // namespace

Status passes::tables(Graph& graph) { return Tables(graph).run(); }

}  // namespace anydim
