// SPDX-License-Identifier: Apache-2.0
// The caller's views, checked, as the core's; see views.h.
#include "capi/views.h"

#include <algorithm>
#include <new>

#include "capi/objects.h"
#include "core/base/checked.h"
#include "core/base/text/format.h"
#include "core/base/memory/out_of_memory.h"
#include "core/tensor/views.h"

namespace anydim::capi {

namespace {

Status read_view(const anydim_view_t& from, bool output, TensorView* to) {
  to->data = from.data;
  to->dtype = static_cast<DType>(from.dtype);
  if (output && from.data == nullptr && from.dtype == 0 && from.memory == nullptr) return {};
  if (dtype_size(to->dtype) == 0) return invalid("dtype is {}; expected {}..{}", from.dtype, ANYDIM_F32, kLastDType);
  if (output && from.data == nullptr && from.memory == nullptr) return {};
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

Status ViewArray::read_all(const anydim_view_t* views, int64_t count, const char* what, bool outputs, bool anywhere) {
  if (count < 0) return invalid("the number of {} is {}; expected 0 or more", what, count).about(what);
  if (count > 0 && views == nullptr) return invalid("{} is null; expected {} views", what, count).about(what);
  const auto size = static_cast<size_t>(count);
  if (size > kInPlace) {
    more_.reset(new (std::nothrow) TensorView[size]);
    if (more_ == nullptr) throw OutOfMemory(saturating_mul(count, sizeof(TensorView)));
    views_ = more_.get();
    more_handles_.reset(new uint64_t[size]);
    handles_ = more_handles_.get();
    many_ = size;
  } else {
    views_ = reinterpret_cast<TensorView*>(in_place_);
  }
  if (outputs) {
    if (size > kInPlace) more_layouts_.reset(new anydim_layout_t[size]);
    layouts_ = size > kInPlace ? more_layouts_.get() : layouts_in_place_;
  }
  for (; size_ < size; ++size_) {
    if (outputs) layouts_[size_] = views[size_].layout;
    TensorView* to = new (views_ + size_) TensorView;
    const anydim_view_t& from = views[size_];
    Status s = read_view(from, outputs, to);
    if (s.ok() && (from.memory != nullptr || from.offset != 0)) s = find_memory(from, anywhere, to);
    if (!s.ok()) return Status(s.code(), formatted("{}[{}].{}", what, size_, s.message())).about(formatted("{}[{}]", what, size_));
  }
  return {};
}

Status ViewArray::find_memory(const anydim_view_t& from, bool anywhere, TensorView* to) {
  if (from.memory == nullptr) return invalid("offset is {} and memory is null; expected 0", from.offset);
  if (from.data != nullptr) return invalid("data and memory are both set; expected one of them");
  Object* object = nullptr;
  const uint64_t handle = value_of_handle(from.memory);
  ANYDIM_TRY(table::acquire(handle, HandleType::memory, "memory", &object));
  handles_[locked_++] = handle;
  Memory& memory = *static_cast<MemoryObject*>(object)->memory;
  if (!memory.engine()->is_host() && !anywhere)
    return unimplemented("memory is of engine {}; this call takes memory of the cpu engine", memory.engine()->kind());
  int64_t lowest = 0;
  const int64_t size = dtype_size(to->dtype), span = element_span(to->dims, to->strides, &lowest);
  // What is counted here was found to be countable.
  const int64_t first = saturating_add(from.offset, lowest * size);
  if (from.offset < 0 || first < 0 || first > memory.bytes() || span * size > memory.bytes() - first)
    return invalid("offset is {}, from where the elements take the bytes {} to {}; the memory has {}", from.offset, first,
                   saturating_add(first, span * size), memory.bytes());
  to->data = reinterpret_cast<void*>(memory.address() + static_cast<uintptr_t>(from.offset));
  if (!memory.engine()->is_host()) put(size_, {&memory, from.offset});
  return {};
}

// Of the views so far the others are the host's.
void ViewArray::put(size_t index, const BufferRef& place) {
  if (places_ == nullptr && many_ > 0) {
    more_places_.reset(new BufferRef[many_]);
    places_ = more_places_.get();
  } else if (places_ == nullptr) {
    places_ = reinterpret_cast<BufferRef*>(places_in_place_);
    std::uninitialized_fill_n(places_, kInPlace, BufferRef{});
  }
  places_[index] = place;
}

void ViewArray::release() noexcept {
  for (size_t i = 0; i < locked_; ++i) table::release(handles_[i]);
}

void ViewArray::write(anydim_view_t* to) const noexcept {
  for (size_t i = 0; i < size_; ++i)
    if (to[i].data == nullptr && to[i].memory == nullptr && to[i].dtype != 0) write_view(views_[i], to + i);
}

}  // namespace anydim::capi
