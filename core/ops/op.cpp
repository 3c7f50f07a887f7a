// SPDX-License-Identifier: Apache-2.0
// Names and text of operators, their comparison, and the two questions that most shape rules ask: how shapes
// broadcast and which axis is meant.
#include "core/ops/op.h"

#include <vector>

#include "core/ops/operator_bytes.h"

namespace anydim {

namespace {

template <class T> void append_list(std::string* text, std::span<const T> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) *text += ',';
    *text += formatted("{}", values[i]);
  }
}

// Expressions by their numbers: their text would need the pool.
void write_plain_dims(const void*, std::span<const Dim> dims, std::string* text) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) *text += ',';
    *text += dims[i].is_number() ? formatted("{}", dims[i].number()) : formatted("#{}", dims[i].expr());
  }
}

struct Writer {
  std::string* text;
  WriteDims write_dims;
  const void* context;

  // Numbers are printed so that reading them back gives the same value: the text of two operators is equal exactly when their
  // attributes are.
  void field(const AttributeField& f, std::span<const AttributeField> all, const void* at) const {
    const size_t begin = text->size();
    *text += ' ';
    *text += f.name();
    *text += '=';
    const size_t value = text->size();
    switch (f.type) {
      case AttributeType::flag: *text += f.in<bool>(at) ? '1' : '0'; break;
      case AttributeType::integer: *text += formatted("{}", f.in<int64_t>(at)); break;
      case AttributeType::real: *text += formatted("{}", f.in<float>(at)); break;
      case AttributeType::wide: *text += formatted("{}", f.in<double>(at)); break;
      case AttributeType::dtype: *text += dtype_name(f.in<DType>(at)); break;
      case AttributeType::word: *text += word_name(f, f.in<uint8_t>(at)); break;
      case AttributeType::spatial: break;  // the lists determine it
      case AttributeType::per_spatial: append_list(text, per_spatial(f, all, at)); break;
      case AttributeType::integers: append_list(text, list<int64_t>(f, at)); break;
      case AttributeType::perm: append_list(text, list<int32_t>(f, at)); break;
      case AttributeType::reals: append_list(text, std::span<const float>(f.in<std::vector<float>>(at))); break;
      case AttributeType::dim: write_dims(context, {&f.in<Dim>(at), 1}, text); break;
      case AttributeType::dims:
        if (!f.in<SymDims>(at).empty()) write_dims(context, list<Dim>(f, at), text);
        break;
      case AttributeType::dim_list:
        if (!f.in<std::vector<Dim>>(at).empty()) write_dims(context, f.in<std::vector<Dim>>(at), text);
        break;
    }
    if (text->size() == value) text->resize(begin);
  }
  template <class T> static std::span<const T> list(const AttributeField& f, const void* at) {
    const auto& values = f.in<RankArray<T>>(at);
    return {values.begin(), values.end()};
  }
};

}  // namespace

void append_attributes(std::string* text, const Operator& op, WriteDims write_dims, const void* context) {
  const Writer writer{text, write_dims, context};
  const std::span<const AttributeField> all = attributes_of(op.kind());
  for (const AttributeField& f : all)
    if (counts(f, all, op.attribute_data())) writer.field(f, all, op.attribute_data());
}

Work Operator::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept { return work_per_element(in, out); }
ValueRange Operator::sensible_values(std::span<const Dims>, size_t) const noexcept { return {}; }

std::string describe(const Operator& op) {
  std::string text = op.name();
  append_attributes(&text, op, write_plain_dims, nullptr);
  return text;
}

bool same_operator(const Operator& a, const Operator& b) {
  if (&a == &b) return true;
  if (a.kind() != b.kind() || a.kind() == OpKind::count_) return false;  // parts have no text
  KeyBytes of_a, of_b;
  if (append_operator(&of_a, a) && append_operator(&of_b, b)) return view(of_a) == view(of_b);
  return describe(a) == describe(b);  // symbols have a text and no bytes
}

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

Status check_narrow(const Operator& op, std::span<const TensorType> in) {
  for (size_t i = 0; i < in.size(); ++i)
    if (dtype_is_narrow(in[i].dtype) && !has_trait(op.kind(), Trait::stores) && (i == 0 || !has_trait(op.kind(), Trait::dequantizes)))
      return unimplemented("{}: input {} has dtype {}, which is stored and cast only", op.name(), i, dtype_name(in[i].dtype));
  return {};
}

Status normalise_axis(int64_t axis, int rank, const char* what, int* out) {
  if (axis < -rank || axis >= rank) return invalid("{} is {}; expected {}..{} for rank {}", what, axis, -rank, rank - 1, rank);
  *out = static_cast<int>(axis < 0 ? axis + rank : axis);
  return {};
}

}  // namespace anydim
