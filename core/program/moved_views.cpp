// SPDX-License-Identifier: Apache-2.0
// Views that moves of elements make; see moved_views.h.
#include "core/program/moved_views.h"

#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"
#include "core/program/edge_copies.h"

namespace anydim {

namespace {

// A reshape whose elements lie where they lay: each group of axes that become others lies as one stretch with one step.
bool reshaped_in_place(const TensorView& in, const TensorView& out, TensorView* view) noexcept {
  Dims dims;  // of `in`, without axes of one element
  Strides strides;
  for (int i = 0; i < in.rank(); ++i)
    if (in.dims[i] != 1) dims.push_back(in.dims[i]), strides.push_back(in.strides[i]);
  int from = 0, to = 0;
  while (from < dims.rank) {
    int from_end = from + 1, to_end = to;
    int64_t before = dims[from], after = 1;
    while (to_end < out.rank() && after < before) after *= out.dims[to_end++];
    while (before != after) {
      if (before < after) before *= dims[from_end++];
      else after *= out.dims[to_end++];
    }
    for (int i = from; i + 1 < from_end; ++i)
      if (strides[i] != strides[i + 1] * dims[i + 1]) return false;
    int64_t step = strides[from_end - 1];
    for (int i = to_end - 1; i >= to; --i) {
      view->strides[i] = step;
      step *= out.dims[i];
    }
    from = from_end;
    to = to_end;
  }
  for (; to < out.rank(); ++to) view->strides[to] = 1;  // of one element each
  return true;
}

}  // namespace

bool may_make_views(const Primitive& primitive) noexcept {
  const OpKind kind = primitive.op().kind();
  const PrimitiveAttributes& attributes = primitive.attributes();
  return (kind == OpKind::transpose || kind == OpKind::slice || kind == OpKind::reshape) && attributes.operands() == 0 &&
         attributes.post_ops.count == 0;
}

bool joins_only(const Primitive& primitive, std::string_view type) noexcept {
  return primitive.op().kind() == OpKind::concat || (type == "Concat" && moved_axes(primitive) != nullptr);
}

bool view_of_moved(const Operator& op, const TensorView& in, const TensorView& out, std::span<const int64_t> dim_attributes,
                   TensorView* view) noexcept {
  if (in.data == nullptr || out.count() == 0 || in.dtype != out.dtype) return false;
  *view = out;
  view->data = in.data;
  if (const auto* const transpose = as<Transpose>(op)) {
    for (int i = 0; i < out.rank(); ++i) view->strides[i] = in.strides[transpose->perm()[i]];
    return true;
  }
  if (const auto* const slice = as<Slice>(op)) {
    int64_t first = 0;
    for (int i = 0; i < out.rank(); ++i) {
      first += dim_attributes[static_cast<size_t>(i)] * in.strides[i];
      view->strides[i] = in.strides[i] * slice->steps()[i];
    }
    view->data = in.as<std::byte>() + first * dtype_size(in.dtype);
    return true;
  }
  return op.kind() == OpKind::reshape && in.count() == out.count() && reshaped_in_place(in, out, view);
}

}  // namespace anydim
