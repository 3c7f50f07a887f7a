// SPDX-License-Identifier: Apache-2.0
// Names and text of operators, their comparison, and the two questions that most shape rules ask: how shapes
// broadcast and which axis is meant.
#include "core/ops/op.h"

namespace anydim {

const char* op_name(OpKind kind) noexcept {
  switch (kind) {
    case OpKind::convolution: return "convolution";
    case OpKind::conv_transpose: return "conv_transpose";
    case OpKind::matmul: return "matmul";
    case OpKind::pooling: return "pooling";
    case OpKind::unary: return "unary";
    case OpKind::binary: return "binary";
    case OpKind::where: return "where";
    case OpKind::cast: return "cast";
    case OpKind::reduce: return "reduce";
    case OpKind::arg_reduce: return "arg_reduce";
    case OpKind::softmax: return "softmax";
    case OpKind::layer_norm: return "layer_norm";
    case OpKind::cumsum: return "cumsum";
    case OpKind::resize: return "resize";
    case OpKind::transpose: return "transpose";
    case OpKind::reshape: return "reshape";
    case OpKind::expand: return "expand";
    case OpKind::slice: return "slice";
    case OpKind::concat: return "concat";
    case OpKind::pad: return "pad";
    case OpKind::tile: return "tile";
    case OpKind::depth_to_space: return "depth_to_space";
    case OpKind::gather: return "gather";
    case OpKind::gather_elements: return "gather_elements";
    case OpKind::gather_nd: return "gather_nd";
    case OpKind::scatter_elements: return "scatter_elements";
    case OpKind::scatter_nd: return "scatter_nd";
    case OpKind::range: return "range";
    case OpKind::shape_tensor: return "shape_tensor";
    case OpKind::topk: return "topk";
    case OpKind::one_hot: return "one_hot";
    case OpKind::trilu: return "trilu";
    case OpKind::eye_like: return "eye_like";
    case OpKind::count_: break;
  }
  return "unknown";
}

namespace {

// " name=value" per field. Numbers are printed so that reading them back gives the same value: the text of two
// operators is equal exactly when their attributes are.
class TextSink final : public AttributeSink {
 public:
  explicit TextSink(std::string& text) : text_(text) {}
  void field(const char* name, int64_t value) override { text_ += formatted(" {}={}", name, value); }
  void field(const char* name, double value) override { text_ += formatted(" {}={}", name, value); }
  void field(const char* name, const char* value) override { text_ += formatted(" {}={}", name, value); }
  void field(const char* name, std::span<const int64_t> values) override { text_ += formatted(" {}={}", name, joined(values, ",")); }
  void field(const char* name, std::span<const Dim> values) override {
    text_ += formatted(" {}=", name);
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text_ += ',';
      // An expression's id: its text would need the pool.
      text_ += values[i].is_number() ? formatted("{}", values[i].number()) : formatted("#{}", values[i].expr());
    }
  }

 private:
  std::string& text_;
};

}  // namespace

std::string describe(const Operator& op) {
  std::string text = op.name();
  TextSink sink(text);
  op.attributes(sink);
  return text;
}

bool same_operator(const Operator& a, const Operator& b) { return &a == &b || (a.kind() == b.kind() && describe(a) == describe(b)); }

Status broadcast_dims(DimPool& pool, const SymDims& a, const SymDims& b, SymDims* out) {
  SymDims result = SymDims::filled(a.rank > b.rank ? a.rank : b.rank, Dim(1));
  for (int i = 0; i < result.rank; ++i) {
    const int ia = i - (result.rank - a.rank), ib = i - (result.rank - b.rank);
    const Dim da = ia < 0 ? Dim(1) : a[ia], db = ib < 0 ? Dim(1) : b[ib];
    if (da == db || db.is(1)) result[i] = da;
    else if (da.is(1)) result[i] = db;
    else if (da.is_number() && db.is_number())
      return invalid("dims {} and {} do not broadcast: axis {} has {} and {}; expected equal sizes or 1", pool.text(a), pool.text(b), i,
                     da.number(), db.number());
    else result[i] = pool.broadcast(da, db);
  }
  *out = result;
  return {};
}

Status normalise_axis(int64_t axis, int rank, const char* what, int* out) {
  if (axis < -rank || axis >= rank) return invalid("{} is {}; expected {}..{} for rank {}", what, axis, -rank, rank - 1, rank);
  *out = static_cast<int>(axis < 0 ? axis + rank : axis);
  return {};
}

}  // namespace anydim
