// SPDX-License-Identifier: Apache-2.0
// The caller's views as the core's: read with every check that needs no subject, and filled in where an output was asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "anydim/anydim.h"
#include "core/base/status.h"
#include "core/tensor/dims.h"
#include "core/tensor/result.h"

namespace anydim::capi {

void write_view(const TensorView& from, anydim_view_t* to) noexcept;

// That tensors which have elements have an address. The message names `what`.
Status check_data(std::span<const TensorView> views, const char* what);

// The views of a call, copied, since the caller may change his meanwhile, with the memories that they name, which are kept for the
// call. Up to 16 take no allocation.
class ViewArray {
 public:
  ViewArray() = default;
  ViewArray(const ViewArray&) = delete;
  ViewArray& operator=(const ViewArray&) = delete;
  ~ViewArray() {
    if (held_ > 0) let_go();
  }

  // Fails for what is no tensor: dtype, rank, dims, strides, more bytes than can be counted. Data may be null.
  Status read(const anydim_view_t* views, int64_t count, const char* what) { return read(views, count, what, false); }
  // As read(), but a view without data only says with its dtype whether it is asked for.
  Status read_outputs(const anydim_view_t* views, int64_t count, const char* what) { return read(views, count, what, true); }
  // Those that were asked for and placed.
  void write(anydim_view_t* to) const noexcept;

  std::span<TensorView> span() noexcept { return {views_, size_}; }

 private:
  static constexpr size_t kInPlace = 16;
  Status read(const anydim_view_t* views, int64_t count, const char* what, bool outputs);
  Status find_memory(const anydim_view_t& from, TensorView* to);
  void let_go() noexcept;

  size_t size_ = 0, held_ = 0;
  TensorView* views_ = nullptr;
  uint64_t* handles_ = handles_in_place_;  // of memories
  std::unique_ptr<uint64_t[]> more_handles_;
  uint64_t handles_in_place_[kInPlace];
  std::unique_ptr<TensorView[]> more_;
  alignas(TensorView) std::byte in_place_[kInPlace * sizeof(TensorView)];  // made one by one: most calls have few
};

}  // namespace anydim::capi
