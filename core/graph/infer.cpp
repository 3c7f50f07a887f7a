// SPDX-License-Identifier: Apache-2.0
// Output types and the guards that go with them. Contents of small tensors are in content.cpp.
#include "core/graph/infer.h"

#include <algorithm>

#include "core/ops/arg_reduce.h"
#include "core/ops/concat.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/depth_to_space.h"
#include "core/ops/expand.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/layer_norm.h"
#include "core/ops/matmul.h"
#include "core/ops/pad.h"
#include "core/ops/reshape.h"
#include "core/ops/resize.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/topk.h"

namespace anydim {

Status infer_types(Graph& graph, const Node& node, std::vector<TensorType>* out) {
  out->assign(static_cast<size_t>(node.op->output_count()), TensorType{});
  return node.op->infer(graph.dims, graph.input_types(node), *out);
}

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

// Adds guards of one node. Sizes that are numbers on both sides are the shape rule's to judge.
class Guards {
 public:
  Guards(Graph& graph, const Node& node) : graph_(graph), pool_(graph.dims), node_(Graph::label(node)) {}

  void require_equal(Dim a, Dim b, const std::string& what) {
    if (both_numbers(a, b) || pool_.provably_equal(a, b)) return;
    const Dim condition = pool_.equal(a, b);
    // What only results tell is checked after steps have run whose sizes must not rest on it.
    if (!condition.is(0) && graph_.stage(a) == 0 && graph_.stage(b) == 0) pool_.assume_equal(a, b);
    graph_.add_guard(condition, node_, formatted("{}: {} is equal to {}", what, pool_.text(a), pool_.text(b)));
  }

  // a and b meet in a broadcast: equal, or one of them is 1. In a sum of `feature_maps`, two sizes that follow from the same
  // symbols and can be equal (h // 16 and 2 * (h // 32)) are taken to be.
  void require_broadcast(Dim a, Dim b, const std::string& what, bool feature_maps) {
    if (both_numbers(a, b) || a.is(1) || b.is(1) || pool_.provably_equal(a, b)) return;
    if (!a.is_number() && !b.is_number() && b.expr() < a.expr()) std::swap(a, b);  // one guard, whichever comes first
    const Dim same = pool_.equal(a, b);
    Dim condition = same;
    if (!a.is_number()) condition = pool_.select(pool_.equal(a, 1), 1, condition);
    if (!b.is_number()) condition = pool_.select(pool_.equal(b, 1), 1, condition);
    if (feature_maps && !a.is_number() && !b.is_number() && pool_.symbols(a) == pool_.symbols(b) && meet_above_one(pool_, a, b)) {
      graph_.add_guard(same, node_,
                       formatted("{}: {} and {} are taken to be equal when the model is loaded", what, pool_.text(a), pool_.text(b)),
                       condition);
      pool_.assume_equal(a, b);
      return;
    }
    graph_.add_guard(condition, node_, formatted("{}: {} and {} are equal, or one of them is 1", what, pool_.text(a), pool_.text(b)));
  }

  // `part` is read as if it had dims `whole`.
  void require_fits(Dim part, Dim whole, const std::string& what) {
    if (both_numbers(part, whole) || part.is(1) || pool_.provably_equal(part, whole)) return;
    const Dim condition = pool_.select(pool_.equal(part, 1), 1, pool_.equal(part, whole));
    graph_.add_guard(condition, node_, formatted("{}: {} is 1 or equal to {}", what, pool_.text(part), pool_.text(whole)));
  }

  void require_at_most(Dim a, Dim b, const std::string& what) {
    if (both_numbers(a, b)) return;
    const Dim condition = pool_.sub(1, pool_.less(b, a));
    graph_.add_guard(condition, node_, formatted("{}: {} is at most {}", what, pool_.text(a), pool_.text(b)));
  }

  void require_multiple(Dim d, int64_t of, const std::string& what) {
    if (d.is_number()) return;
    const Dim condition = pool_.equal(pool_.mod(d, of), 0);
    graph_.add_guard(condition, node_, formatted("{}: {} is a multiple of {}", what, pool_.text(d), of));
  }

  // Elements that are made from `from` (if `made` are any) need at least one to be made of.
  void require_source(Dim from, Dim made, const std::string& what) {
    if (both_numbers(from, made) || pool_.provably_at_least(from, 1)) return;
    const Dim condition = pool_.select(pool_.equal(from, 0), pool_.equal(made, 0), 1);
    graph_.add_guard(condition, node_, formatted("{}: {} is not 0", what, pool_.text(from)));
  }

  void require_not_negative(Dim d, const std::string& what) {
    if (d.is_number() || pool_.provably_at_least(d, 0)) return;
    graph_.add_guard(pool_.less(-1, d), node_, formatted("{}: {} is not negative", what, pool_.text(d)));
  }

  void broadcast(const SymDims& a, const SymDims& b, bool feature_maps = false, int skip_last = 0) {
    const int rank = std::min(a.rank, b.rank);
    for (int i = 1 + skip_last; i <= rank; ++i)
      require_broadcast(a[a.rank - i], b[b.rank - i], formatted("sizes that meet in axis -{}", i), feature_maps);
  }

  Dim product(const SymDims& d) {
    Dim p = 1;
    for (Dim x : d) p = pool_.mul(p, x);
    return p;
  }

 private:
  static bool both_numbers(Dim a, Dim b) { return a.is_number() && b.is_number(); }
  Graph& graph_;
  DimPool& pool_;
  std::string node_;
};

// Does `v` come from a convolution or matrix product, through element-wise operators and those that enlarge, shrink and join
// maps at most? Sums of these are fused, which needs sizes that are equal for every shape.
bool is_feature_map(const Graph& graph, ValueId v) {
  std::vector<ValueId> open{v};
  for (size_t seen = 0; seen < open.size() && seen < 32; ++seen) {
    const Node* n = graph.producer(open[seen]);
    if (!n) continue;
    if (has_trait(n->op->kind(), Trait::packs_weights)) return true;
    if (has_trait(n->op->kind(), Trait::feature_maps)) open.insert(open.end(), n->inputs.begin(), n->inputs.end());
  }
  return false;
}

}  // namespace

void add_guards_before(Graph& graph, const Node& node) {
  Guards guards(graph, node);
  const std::vector<TensorType> in = graph.input_types(node);
  const auto present = [&](size_t i) { return i < in.size() && in[i].dtype != DType::none; };
  switch (node.op->kind()) {
    case OpKind::binary:
      if (present(0) && present(1))
        guards.broadcast(in[0].dims, in[1].dims, is_feature_map(graph, node.inputs[0]) || is_feature_map(graph, node.inputs[1]));
      break;
    case OpKind::where:
      if (present(0) && present(1) && present(2)) {
        guards.broadcast(in[1].dims, in[2].dims);
        guards.broadcast(in[0].dims, in[1].dims);
        guards.broadcast(in[0].dims, in[2].dims);
      }
      break;
    case OpKind::expand:
      if (present(0)) guards.broadcast(in[0].dims, as<Expand>(*node.op)->dims());
      break;
    case OpKind::reshape:
      if (present(0)) guards.require_equal(guards.product(in[0].dims), guards.product(as<Reshape>(*node.op)->dims()), "number of elements");
      break;
    case OpKind::matmul: {
      if (!present(0) || !present(1) || in[0].dims.rank == 0 || in[1].dims.rank == 0) break;
      const auto& at = as<Matmul>(*node.op)->get();
      const SymDims &a = in[0].dims, &b = in[1].dims;
      const bool transpose_a = at.transpose_a && a.rank > 1, transpose_b = at.transpose_b && b.rank > 1;
      guards.require_equal(a[a.rank - (transpose_a ? 2 : 1)], b[b.rank > 1 ? b.rank - (transpose_b ? 1 : 2) : 0],
                           "columns of a and rows of b");
      if (a.rank > 2 && b.rank > 2) guards.broadcast(a, b, false, 2);
      break;
    }
    case OpKind::concat: {
      const int axis = as<Concat>(*node.op)->axis();
      for (size_t i = 1; i < in.size(); ++i)
        for (int d = 0; d < in[i].dims.rank && in[i].dims.rank == in[0].dims.rank; ++d)
          if (d != axis) guards.require_equal(in[0].dims[d], in[i].dims[d], formatted("axis {} of its inputs", d));
      break;
    }
    case OpKind::convolution:
    case OpKind::conv_transpose: {
      const auto* conv = as<Convolution>(*node.op);
      const int64_t group = conv ? conv->get().group : as<ConvTranspose>(*node.op)->get().group;
      if (!present(0) || !present(1) || in[0].dims.rank < 2 || in[1].dims.rank < 2) break;
      const SymDims& w = in[1].dims;
      guards.require_equal(in[0].dims[1], conv ? graph.dims.mul(w[1], group) : w[0], "channels");
      guards.require_multiple(w[0], group, "channels of the weights");
      if (present(2) && in[2].dims.rank == 1)
        guards.require_equal(in[2].dims[0], conv ? w[0] : graph.dims.mul(w[1], group), "size of the bias");
      for (int d = 2; d < w.rank; ++d) guards.require_at_most(1, w[d], "kernel size");
      break;
    }
    case OpKind::layer_norm:
      for (size_t i = 1; i < in.size(); ++i)
        for (int d = 1; present(i) && d <= in[i].dims.rank && d <= in[0].dims.rank; ++d)
          guards.require_equal(in[0].dims[in[0].dims.rank - d], in[i].dims[in[i].dims.rank - d],
                               formatted("axis -{} of its scale or bias", d));
      break;
    case OpKind::gather_elements:
    case OpKind::scatter_elements: {
      const auto* gather = as<GatherElements>(*node.op);
      const int axis = gather ? gather->axis() : as<ScatterElements>(*node.op)->axis();
      for (int d = 0; present(0) && present(1) && d < in[0].dims.rank && in[0].dims.rank == in[1].dims.rank; ++d) {
        if (d != axis) guards.require_at_most(in[1].dims[d], in[0].dims[d], formatted("axis {} of the indices", d));
        if (!gather && present(2) && in[2].dims.rank == in[1].dims.rank)
          guards.require_equal(in[2].dims[d], in[1].dims[d], formatted("axis {} of updates and indices", d));
      }
      break;
    }
    case OpKind::gather_nd:
      for (int d = 0; present(0) && present(1) && d < as<GatherNd>(*node.op)->batch_dims() && d < in[0].dims.rank && d < in[1].dims.rank;
           ++d)
        guards.require_equal(in[0].dims[d], in[1].dims[d], formatted("batch axis {}", d));
      break;
    case OpKind::scatter_nd: {
      if (!present(0) || !present(1) || !present(2) || in[1].dims.rank < 1) break;
      const SymDims &data = in[0].dims, &indices = in[1].dims, &updates = in[2].dims;
      const int last = indices.rank - 1;
      if (!indices[last].is_number()) break;  // refused by the shape rule
      const int64_t width = indices[last].number();
      if (width < 1 || width > data.rank || updates.rank != last + data.rank - width) break;
      for (int d = 0; d < updates.rank; ++d)
        guards.require_equal(updates[d], d < last ? indices[d] : data[d - last + static_cast<int>(width)],
                             formatted("axis {} of the updates", d));
      break;
    }
    case OpKind::topk: {
      const auto& at = as<TopK>(*node.op)->get();
      if (present(0) && at.axis < in[0].dims.rank) guards.require_at_most(at.k, in[0].dims[at.axis], "k");
      break;
    }
    case OpKind::depth_to_space: {
      const auto* op = as<DepthToSpace>(*node.op);
      if (!present(0) || in[0].dims.rank != 4) break;
      if (!op->inverse()) guards.require_multiple(in[0].dims[1], op->block() * op->block(), "channels");
      for (int d = 2; d < 4 && op->inverse(); ++d) guards.require_multiple(in[0].dims[d], op->block(), formatted("axis {}", d));
      break;
    }
    case OpKind::pad: {
      const auto* op = as<Pad>(*node.op);
      if (present(1)) guards.require_equal(guards.product(in[1].dims), 1, "number of pad values");
      for (int d = 0; present(0) && op->mode() != Pad::Mode::constant && d < in[0].dims.rank && d < op->rank(); ++d)
        guards.require_source(in[0].dims[d], graph.dims.add(in[0].dims[d], graph.dims.add(op->before(d), op->after(d))),
                              formatted("axis {}", d));
      break;
    }
    case OpKind::arg_reduce: {
      int axis;
      if (present(0) && normalise_axis(as<ArgReduce>(*node.op)->axis(), in[0].dims.rank, "axis", &axis).ok())
        guards.require_at_most(1, in[0].dims[axis], "size of the axis");
      break;
    }
    case OpKind::grid_sample:
      if (!present(0) || !present(1) || in[0].dims.rank != in[1].dims.rank) break;
      guards.require_equal(in[1].dims[0], in[0].dims[0], "batches of grid and input");
      guards.require_equal(in[1].dims.back(), in[0].dims.rank - 2, "coordinates in the grid");
      break;
    case OpKind::one_hot:
      if (present(1) && in[1].dims.rank == 1) guards.require_equal(in[1].dims[0], 2, "number of values");
      break;
    case OpKind::cumsum:
      if (present(1)) guards.require_equal(guards.product(in[1].dims), 1, "number of axes");
      break;
    default: break;
  }
}

void add_guards_after(Graph& graph, const Node& node) {
  Guards guards(graph, node);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const SymDims& d = graph.value(node.outputs[i]).type.dims;
    for (int a = 0; a < d.rank; ++a) guards.require_not_negative(d[a], formatted("axis {} of output {}", a, i));
  }
  if (const auto* resize = as<Resize>(*node.op); resize && resize->get().scales.empty()) {
    const SymDims &x = graph.value(node.inputs[0]).type.dims, &y = graph.value(node.outputs[0]).type.dims;
    for (int a = 0; a < x.rank; ++a)
      if (!graph.dims.provably_equal(x[a], y[a])) guards.require_source(x[a], y[a], formatted("axis {}", a));
  }
  if (const auto* matmul = as<Matmul>(*node.op); matmul && node.inputs.size() > 2 && node.inputs[2] != kNoValue) {
    const SymDims &c = graph.value(node.inputs[2]).type.dims, &y = graph.value(node.outputs[0]).type.dims;
    for (int a = 1; a <= c.rank && a <= y.rank; ++a) guards.require_fits(c[c.rank - a], y[y.rank - a], formatted("axis -{} of c", a));
  }
}

}  // namespace anydim
