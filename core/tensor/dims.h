// SPDX-License-Identifier: Apache-2.0
// Dims and strides of actual tensors: short arrays with their length, no allocation.
// Symbolic dims are in dim.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/base/checked.h"
#include "core/tensor/dtype.h"

namespace anydim {

constexpr int kMaxRank = 8;

// A sequence of at most kMaxRank values, stored in place.
template <class T> struct RankArray {
  int32_t rank = 0;
  T values[kMaxRank] = {};

  RankArray() = default;
  RankArray(std::initializer_list<T> list) {
    for (const T& v : list) push_back(v);
  }
  explicit RankArray(std::span<const T> list) {
    for (const T& v : list) push_back(v);
  }
  static RankArray filled(int n, T value) {
    RankArray r;
    for (int i = 0; i < n; ++i) r.push_back(value);
    return r;
  }
  int size() const noexcept { return rank; }
  bool empty() const noexcept { return rank == 0; }
  // The caller checks the rank first; a ninth value is dropped, never written out of bounds.
  void push_back(T v) {
    if (rank < kMaxRank) values[rank++] = v;
  }
  void insert(int at, T v) {
    if (rank >= kMaxRank) return;
    for (int i = rank; i > at; --i) values[i] = values[i - 1];
    values[at] = v;
    ++rank;
  }
  void erase(int at) {
    for (int i = at; i + 1 < rank; ++i) values[i] = values[i + 1];
    --rank;
  }
  T& operator[](int i) noexcept { return values[i]; }
  const T& operator[](int i) const noexcept { return values[i]; }
  T& back() noexcept { return values[rank - 1]; }
  const T& back() const noexcept { return values[rank - 1]; }
  T* begin() noexcept { return values; }
  T* end() noexcept { return values + rank; }
  const T* begin() const noexcept { return values; }
  const T* end() const noexcept { return values + rank; }
  friend bool operator==(const RankArray& a, const RankArray& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (!(a.values[i] == b.values[i])) return false;
    return true;
  }
};

using Dims = RankArray<int64_t>;     // outermost first, logical order (N, C, H, W)
using Strides = RankArray<int64_t>;  // in elements; 0 repeats, negative walks backwards
using Perm = RankArray<int32_t>;     // memory order, outermost first: {0,2,3,1} is channels last

// Product of the dims; 1 for rank 0. Saturates at kMaxSize.
inline int64_t element_count(const Dims& d) noexcept {
  int64_t n = 1;
  for (int64_t v : d) n = saturating_mul(n, v);
  return n;
}

// Strides of a dense tensor whose memory order is `order` (outermost first); row-major when `order` is empty.
inline Strides dense_strides(const Dims& d, const Perm& order = {}) noexcept {
  Strides s = Strides::filled(d.rank, 1);
  int64_t step = 1;
  for (int i = d.rank - 1; i >= 0; --i) {
    const int axis = order.empty() ? i : order[i];
    s[axis] = step;
    step = saturating_mul(step, d[axis] > 0 ? d[axis] : 1);
  }
  return s;
}

// Channels last for N C spatial...: {0, 2, 3, ..., 1}. Ranks below 3 have none: row-major comes back.
inline Perm channels_last(int rank) noexcept {
  Perm p;
  if (rank < 3) {
    for (int i = 0; i < rank; ++i) p.push_back(i);
    return p;
  }
  p.push_back(0);
  for (int i = 2; i < rank; ++i) p.push_back(i);
  p.push_back(1);
  return p;
}

std::string to_string(const Dims& d);  // "1x3x48x320"; "scalar" for rank 0

// An actual tensor: memory of somebody else with dims and strides. Plain data, copied freely.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::none;
  Dims dims;
  Strides strides;

  template <class T> T* as() const noexcept { return static_cast<T*>(data); }
  int rank() const noexcept { return dims.rank; }
  int64_t count() const noexcept { return element_count(dims); }
};

// True if the elements lie densely in row-major order (dims of 1 do not count).
inline bool is_row_major(const TensorView& t) noexcept {
  int64_t step = 1;
  for (int i = t.dims.rank - 1; i >= 0; --i) {
    if (t.dims[i] != 1 && t.strides[i] != step) return false;
    step *= t.dims[i];
  }
  return true;
}

}  // namespace anydim
