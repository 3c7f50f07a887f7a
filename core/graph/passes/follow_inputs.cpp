// SPDX-License-Identifier: Apache-2.0
// A greatest set: first all values that look right by themselves, then those go whose readers are not in it, until none goes.
#include "core/graph/passes/follow_inputs.h"

#include <algorithm>

#include "core/graph/plan/strided_dims.h"

namespace anydim {

namespace {

class Following {
 public:
  Following(Graph& graph, const LayoutRequests& requests) : graph_(graph), requests_(requests) {}

  void run() {
    std::vector<int32_t> followed;
    for (const GraphOutput& o : graph_.outputs()) followed.push_back(o.follows);
    std::sort(followed.begin(), followed.end());
    followed.erase(std::unique(followed.begin(), followed.end()), followed.end());
    for (int32_t input : followed)
      if (input >= 0 && in_rows(graph_.inputs()[static_cast<size_t>(input)])) follow(input);
  }

 private:
  const SymDims& dims(ValueId v) const { return graph_.value(v).type.dims; }
  bool in_rows(ValueId v) const { return dims(v).rank > 1 && same_order(dims(v), graph_.value(v).order, {}); }

  void follow(int32_t input) {
    input_ = graph_.inputs()[static_cast<size_t>(input)];
    number_ = input;
    member_.assign(static_cast<size_t>(graph_.value_count()), false);
    bool any = false;
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      if (n.outputs.size() == 1 && looks_right(n)) any = member_[static_cast<size_t>(n.outputs[0])] = true;
    }
    for (bool changed = any; changed;) {
      changed = false;
      for (NodeId id : graph_.order()) {
        const Node& n = graph_.node(id);
        if (n.outputs.size() != 1 || n.outputs[0] == kNoValue || !is_member(n.outputs[0]) || stays(n)) continue;
        member_[static_cast<size_t>(n.outputs[0])] = false;
        changed = true;
      }
    }
    for (ValueId v = 0; any && v < graph_.value_count(); ++v)
      if (is_member(v)) graph_.value(v).like = number_;
  }

  bool is_member(ValueId v) const { return member_[static_cast<size_t>(v)]; }
  bool has_dims(ValueId v) const {
    const SymDims &a = dims(v), &b = dims(input_);
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (!graph_.dims.provably_equal(a[i], b[i])) return false;
    return true;
  }
  // An element-wise node of the input's dims, whose kernel has no order of its own.
  bool looks_right(const Node& n) const {
    const ValueId out = n.outputs[0];
    const OpKind kind = n.op->kind();
    if (out == kNoValue || n.engine != 0 || n.transfer || (!has_trait(kind, Trait::elementwise) && kind != OpKind::cast)) return false;
    if (!in_rows(out) || graph_.has_run_time_dims(out) || graph_.value(out).like >= 0 || !has_dims(out)) return false;
    const auto prefers = [&](bool output, size_t index) {
      return requests_.preferred && !requests_.preferred(n, output, static_cast<int>(index)).empty();
    };
    for (size_t i = 0; i < n.inputs.size(); ++i)
      if (prefers(false, i)) return false;
    return !prefers(true, 0);
  }
  // Something of the input's dims leads to it, and all that reads it is in the set, or is the caller's and follows this input.
  bool stays(const Node& n) const {
    const auto leads = [&](ValueId v) { return v != kNoValue && (v == input_ || is_member(v)); };
    if (std::none_of(n.inputs.begin(), n.inputs.end(), leads)) return false;
    const ValueId out = n.outputs[0];
    for (NodeId user : graph_.value(out).users)
      if (graph_.node(user).outputs.size() != 1 || graph_.node(user).outputs[0] == kNoValue || !is_member(graph_.node(user).outputs[0]))
        return false;
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const GraphOutput& o = graph_.outputs()[i];
      if (o.value == out && (o.follows != number_ || !o.rank.is(-1))) return false;
    }
    return true;
  }

  Graph& graph_;
  const LayoutRequests& requests_;
  ValueId input_ = kNoValue;
  int32_t number_ = -1;
  std::vector<bool> member_;  // by value
};

}  // namespace

void follow_inputs(Graph& graph, const LayoutRequests& requests) { Following(graph, requests).run(); }

}  // namespace anydim
