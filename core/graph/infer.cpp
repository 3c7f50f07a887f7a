// SPDX-License-Identifier: Apache-2.0
// Output types and the guards that go with them. Contents of small tensors are in shape_values.cpp.
#include "core/graph/infer.h"

#include <algorithm>

#include "core/ops/requirements.h"
#include "core/tensor/readable_dim.h"

namespace anydim {

namespace {

// True if some sizes of the symbols make the two equal and larger than 1. A few dozen are tried: sizes that are equal at rarer
// ones only are not found.
bool meet_above_one(const DimPool& pool, Dim a, Dim b) {
  const std::vector<int32_t> symbols = pool.symbols(a);
  const Dim roots[] = {a, b};
  const SlotProgram program(pool, roots);
  std::vector<int64_t> values(static_cast<size_t>(pool.size()), 0);
  // For all symbols alike, and for each another multiple.
  for (const int64_t size : {2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 48, 64, 100, 160, 224, 320, 640, 1280, 4096, 20160})
    for (const int64_t spread : {0, 1}) {
      for (size_t i = 0; i < symbols.size(); ++i) {
        const DimPromise& p = pool.expr(symbols[i]).promise;
        const int64_t wanted = round_up(size * (1 + spread * static_cast<int64_t>(i)), std::max<int64_t>(p.multiple_of, 1));
        values[static_cast<size_t>(symbols[i])] = std::clamp(wanted, p.min, p.max);
      }
      program.run(values);
      const int64_t x = value_of(a, values);
      if (x > 1 && x == value_of(b, values)) return true;
    }
  return false;
}

// Does `v` come from a convolution or matrix product, through element-wise operators and those that enlarge, shrink and join
// maps at most? Sums of these are fused, which needs sizes that are equal for every shape.
bool is_feature_map(const Graph& graph, ValueId v) {
  std::vector<ValueId> open{v};
  for (size_t seen = 0; seen < open.size() && seen < 32; ++seen) {
    const Node* n = graph.producer(open[seen]);
    if (!n) continue;
    if (has_trait(n->op->kind(), Trait::products)) return true;
    if (has_trait(n->op->kind(), Trait::feature_maps)) open.insert(open.end(), n->inputs.begin(), n->inputs.end());
  }
  return false;
}

// Guards of one node, as its shape rule asks for them.
class Guards final : public Requirements {
 public:
  Guards(Graph& graph, const Node& node) : graph_(graph), pool_(graph.dims), node_(node) {}

  void equal(Dim a, Dim b, std::string what) override {
    if (pool_.provably_equal(a, b)) return;
    const Dim condition = pool_.equal(a, b);
    // What only results determine is checked after steps have run whose sizes must not rest on it.
    if (!condition.is(0) && graph_.stage(a) == 0 && graph_.stage(b) == 0) pool_.assume_equal(a, b);
    add(condition, "{}: {} is equal to {}", what, readable(pool_, a), readable(pool_, b));
  }

  // In a sum of feature maps, two sizes that follow from the same symbols and can be equal (h // 16 and 2 * (h // 32)) are taken
  // to be.
  void broadcast(Dim a, Dim b, std::string what) override {
    if (a.is(1) || b.is(1) || pool_.provably_equal(a, b)) return;
    if (!a.is_number() && !b.is_number() && b.expr() < a.expr()) std::swap(a, b);  // one guard, whichever comes first
    const Dim same = pool_.equal(a, b);
    Dim condition = same;
    if (!a.is_number()) condition = pool_.select(pool_.equal(a, 1), 1, condition);
    if (!b.is_number()) condition = pool_.select(pool_.equal(b, 1), 1, condition);
    if (!a.is_number() && !b.is_number() && pool_.symbols(a) == pool_.symbols(b) && of_feature_maps() && meet_above_one(pool_, a, b)) {
      graph_.add_guard(
          same, node_.name,
          formatted("{}: {} and {} are taken to be equal when the model is loaded", what, readable(pool_, a), readable(pool_, b)),
          condition);
      pool_.assume_equal(a, b);
      return;
    }
    add(condition, "{}: {} and {} are equal, or one of them is 1", what, readable(pool_, a), readable(pool_, b));
  }

  void fits(Dim part, Dim whole, std::string what) override {
    if (part.is(1) || pool_.provably_equal(part, whole)) return;
    add(pool_.select(pool_.equal(part, 1), 1, pool_.equal(part, whole)), "{}: {} is 1 or equal to {}", what, readable(pool_, part),
        readable(pool_, whole));
  }

  void at_most(Dim a, Dim b, std::string what) override {
    add(pool_.sub(1, pool_.less(b, a)), "{}: {} is at most {}", what, readable(pool_, a), readable(pool_, b));
  }

  void multiple(Dim d, int64_t of, std::string what) override {
    add(pool_.equal(pool_.mod(d, of), 0), "{}: {} is a multiple of {}", what, readable(pool_, d), of);
  }

  void source(Dim from, Dim made, std::string what) override {
    if (pool_.provably_at_least(from, 1)) return;
    add(pool_.select(pool_.equal(from, 0), pool_.equal(made, 0), 1), "{}: {} is not 0", what, readable(pool_, from));
  }

  void not_negative(Dim d, const std::string& what) {
    if (d.is_number() || pool_.provably_at_least(d, 0)) return;
    add(pool_.less(-1, d), "{}: {} is not negative", what, readable(pool_, d));
  }

 private:
  template <class... A> void add(Dim condition, fmt::format_string<A...> message, A&&... args) {
    graph_.add_guard(condition, node_.name, formatted(message, std::forward<A>(args)...));
  }
  bool of_feature_maps() {
    if (node_.op->kind() != OpKind::binary) return false;
    return is_feature_map(graph_, node_.inputs[0]) || is_feature_map(graph_, node_.inputs[1]);
  }
  Graph& graph_;
  DimPool& pool_;
  const Node& node_;
};

}  // namespace

Status infer_types(Graph& graph, const Node& node, std::vector<TensorType>* out) {
  out->assign(static_cast<size_t>(node.op->output_count()), TensorType{});
  std::vector<TensorType> in = graph.input_types(node);
  ANYDIM_TRY(check_narrow(*node.op, in));
  Guards guards(graph, node);
  const Requirements::Scope recording(graph.dims, &guards);
  return infer_quantized(*node.op, node.quantization.get(), graph.dims, std::move(in), *out);
}

Status infer_quantized(const Operator& op, const Quantization* quantization, DimPool& pool, std::vector<TensorType> in,
                       std::span<TensorType> out) {
  if (quantization == nullptr) return op.infer(pool, in, out);
  DType result = DType::none;
  ANYDIM_TRY(quantization->check(op, in, &result));
  for (TensorType& t : in) t.dtype = real_dtype(t.dtype);
  ANYDIM_TRY(op.infer(pool, in, out));
  out[0].dtype = result;
  return {};
}

void add_output_guards(Graph& graph, const Node& node) {
  Guards guards(graph, node);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const SymDims& d = graph.value(node.outputs[i]).type.dims;
    for (int a = 0; a < d.rank; ++a) guards.not_negative(d[a], formatted("axis {} of output {}", a, i));
  }
}

}  // namespace anydim
