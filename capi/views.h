// SPDX-License-Identifier: Apache-2.0
// The caller's views as the core's: read with every check that needs no subject, and filled in where an output was asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "anydim/anydim.h"
#include "core/base/status.h"
#include "core/engines/engine.h"
#include "core/tensor/dims.h"
#include "core/tensor/result.h"

namespace anydim::capi {

void write_view(const TensorView& from, anydim_view_t* to) noexcept;

// That tensors which have elements have an address. The message names `what`.
Status check_data(std::span<const TensorView> views, const char* what);

// Tensors of a call, which may lie in memory of any engine. Data of those that lie in a device's memory is a number that nobody
// follows (Memory::address); `places` says where they are. Empty: all are the host's.
struct InputViews {
  std::span<const TensorView> views;
  std::span<const BufferRef> places;
};
struct OutputViews {
  std::span<TensorView> views;
  std::span<const BufferRef> places;
  std::span<const anydim_layout_t> layouts;  // as each view names it
};
// The one that lies in a device's memory, or null.
inline const BufferRef* device_place(std::span<const BufferRef> places, size_t index) noexcept {
  return index < places.size() && places[index].memory != nullptr ? &places[index] : nullptr;
}

// The views of a call, copied, since the caller may change his meanwhile, with the memories that they name, which are kept for the
// call. Up to 16 take no allocation.
class ViewArray {
 public:
  ViewArray() = default;
  ViewArray(const ViewArray&) = delete;
  ViewArray& operator=(const ViewArray&) = delete;
  ~ViewArray() {
    if (locked_ > 0) release();
  }

  // Fails for what is no tensor: dtype, rank, dims, strides, more bytes than can be counted; and for memory of devices but for calls
  // that take views of it (`anywhere`). Data may be null.
  Status read(const anydim_view_t* views, int64_t count, const char* what, bool anywhere = false) {
    return read_all(views, count, what, false, anywhere);
  }
  // As read(), but a view without data only says with its dtype whether it is asked for.
  Status read_outputs(const anydim_view_t* views, int64_t count, const char* what, bool anywhere = false) {
    return read_all(views, count, what, true, anywhere);
  }
  // Those that were asked for and placed.
  void write(anydim_view_t* to) const noexcept;

  std::span<TensorView> span() noexcept { return {views_, size_}; }
  InputViews inputs() noexcept { return {span(), places()}; }
  OutputViews outputs() noexcept { return {span(), places(), {layouts_, layouts_ != nullptr ? size_ : 0}}; }

 private:
  static constexpr size_t kInPlace = 16;
  Status read_all(const anydim_view_t* views, int64_t count, const char* what, bool outputs, bool anywhere);
  Status find_memory(const anydim_view_t& from, bool anywhere, TensorView* to);
  void put(size_t index, const BufferRef& place);
  std::span<const BufferRef> places() const noexcept { return {places_, places_ != nullptr ? size_ : 0}; }
  void release() noexcept;

  size_t size_ = 0, locked_ = 0, many_ = 0;
  TensorView* views_ = nullptr;
  uint64_t* handles_ = handles_in_place_;  // of memories
  std::unique_ptr<uint64_t[]> more_handles_;
  uint64_t handles_in_place_[kInPlace];
  anydim_layout_t* layouts_ = nullptr;  // of outputs
  std::unique_ptr<anydim_layout_t[]> more_layouts_;
  anydim_layout_t layouts_in_place_[kInPlace];
  BufferRef* places_ = nullptr;  // once a view lies on a device
  std::unique_ptr<BufferRef[]> more_places_;
  std::unique_ptr<TensorView[]> more_;
  alignas(BufferRef) std::byte places_in_place_[kInPlace * sizeof(BufferRef)];
  alignas(TensorView) std::byte in_place_[kInPlace * sizeof(TensorView)];  // made one by one: most calls have few
};

}  // namespace anydim::capi
