// SPDX-License-Identifier: Apache-2.0
// See views.h.
#include "capi/views.h"

#include <algorithm>
#include <new>

#include "core/base/format.h"
#include "core/base/out_of_memory.h"
#include "core/tensor/views.h"

namespace anydim::capi {

namespace {

Status read_view(const anydim_view_t& from, bool output, TensorView* to) {
  for (const int64_t r : from.reserved)
    if (r != 0) return unimplemented("reserved is {}; expected 0", r);
  to->data = from.data;
  to->dtype = static_cast<DType>(from.dtype);
  if (output && from.data == nullptr && from.dtype == 0) return {};
  if (dtype_size(to->dtype) == 0) return invalid("dtype is {}; expected {}..{}", from.dtype, ANYDIM_F32, ANYDIM_BOOL);
  if (output && from.data == nullptr) return {};
  const int rank = from.dims.rank;
  if (rank < 0 || rank > kMaxRank) return invalid("dims.rank is {}; expected 0..{}", rank, kMaxRank);
  int64_t bytes = dtype_size(to->dtype);
  to->dims.rank = rank;
  for (int i = 0; i < rank; ++i) {
    const int64_t d = to->dims[i] = from.dims.values[i];
    if (d < 0) return invalid("dims[{}] is {}; expected 0 or more", i, d);
    // A zero dim makes the tensor empty whatever the others are, but these must still be countable.
    if (!checked_mul(bytes, std::max<int64_t>(d, 1), &bytes))
      return invalid("dims[{}] is {}, which makes the tensor larger than int64_t can count", i, d);
  }
  if (from.strides.rank == 0) {
    if (from.layout == ANYDIM_LAYOUT_ROW_MAJOR || rank == 0) to->strides = dense_strides(to->dims);
    else if (from.layout == ANYDIM_LAYOUT_CHANNELS_LAST && rank >= 3) to->strides = dense_strides(to->dims, channels_last(rank));
    else if (from.layout == ANYDIM_LAYOUT_CHANNELS_LAST)
      return invalid("layout is channels last, which needs rank 3 or more; rank is {}", rank);
    else
      return invalid("layout is {} and no strides were given; expected {} or {}", from.layout, ANYDIM_LAYOUT_ROW_MAJOR,
                     ANYDIM_LAYOUT_CHANNELS_LAST);
    return {};
  }
  if (from.strides.rank != rank) return invalid("strides.rank is {}; expected {}, as many as dims, or 0", from.strides.rank, rank);
  to->strides.rank = rank;
  std::copy_n(from.strides.values, rank, to->strides.values);
  int64_t lowest = 0;
  const int64_t size = dtype_size(to->dtype), span = element_span(to->dims, to->strides, &lowest);
  if (span < 0 || saturating_mul(span, size) >= kMaxSize || lowest <= -kMaxSize / size)
    return invalid("strides reach over more bytes than int64_t can count");
  return {};
}

}  // namespace

void write_view(const TensorView& from, anydim_view_t* to) noexcept {
  *to = {};
  to->data = from.data;
  to->dtype = static_cast<anydim_dtype_t>(from.dtype);
  to->layout = ANYDIM_LAYOUT_STRIDED;
  to->dims.rank = to->strides.rank = from.dims.rank;
  std::copy_n(from.dims.values, from.dims.rank, to->dims.values);
  std::copy_n(from.strides.values, from.strides.rank, to->strides.values);
}

Status check_data(std::span<const TensorView> views, const char* what) {
  for (size_t i = 0; i < views.size(); ++i)
    if (views[i].data == nullptr && views[i].count() > 0)
      return invalid("{}[{}].data is null; the tensor has {} elements", what, i, views[i].count()).about(formatted("{}[{}]", what, i));
  return {};
}

Status ViewArray::read(const anydim_view_t* views, int64_t count, const char* what, bool outputs) {
  if (count < 0) return invalid("the number of {} is {}; expected 0 or more", what, count).about(what);
  if (count > 0 && views == nullptr) return invalid("{} is null; expected {} views", what, count).about(what);
  const auto size = static_cast<size_t>(count);
  if (size > kInPlace) {
    more_.reset(new (std::nothrow) TensorView[size]);
    if (more_ == nullptr) throw OutOfMemory(saturating_mul(count, sizeof(TensorView)));
    views_ = more_.get();
  } else {
    views_ = reinterpret_cast<TensorView*>(in_place_);
  }
  for (; size_ < size; ++size_) {
    TensorView* to = new (views_ + size_) TensorView;
    if (Status s = read_view(views[size_], outputs, to); !s.ok())
      return Status(s.code(), formatted("{}[{}].{}", what, size_, s.message())).about(formatted("{}[{}]", what, size_));
  }
  return {};
}

void ViewArray::write(anydim_view_t* to) const noexcept {
  for (size_t i = 0; i < size_; ++i)
    if (to[i].data == nullptr && to[i].dtype != 0) write_view(views_[i], to + i);
}

}  // namespace anydim::capi
