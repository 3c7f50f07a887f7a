// SPDX-License-Identifier: Apache-2.0
// A list that grows at its end and moves nothing: references to its elements stay valid. As std::deque, whose blocks of 512 bytes hold one
// of our large elements each; here 64 lie side by side, which passes over a graph read in order (bench/loading.py).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace anydim {

template <class T> class StableList {
 public:
  StableList() = default;
  StableList(StableList&& from) noexcept : blocks_(std::move(from.blocks_)), size_(std::exchange(from.size_, 0)) {}
  StableList& operator=(StableList&& from) noexcept {
    std::swap(blocks_, from.blocks_);
    std::swap(size_, from.size_);
    return *this;
  }
  StableList(const StableList& from) {
    for (size_t i = 0; i < from.size(); ++i) push_back(T(from[i]));
  }
  ~StableList() {
    for (size_t i = 0; i < size_; ++i) std::destroy_at(&(*this)[i]);
    for (T* block : blocks_) std::allocator<T>().deallocate(block, kBlock);
  }

  size_t size() const noexcept { return size_; }
  T& operator[](size_t i) noexcept { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](size_t i) const noexcept { return blocks_[i / kBlock][i % kBlock]; }
  const T& back() const noexcept { return (*this)[size_ - 1]; }
  void push_back(T&& element) {
    if (size_ == blocks_.size() * kBlock) {
      if (blocks_.size() == blocks_.capacity()) blocks_.reserve(2 * blocks_.size() + 4);  // so that nothing fails behind the next line
      blocks_.push_back(std::allocator<T>().allocate(kBlock));
    }
    std::construct_at(&(*this)[size_], std::move(element));
    ++size_;
  }

 private:
  static constexpr size_t kBlock = 64;
  std::vector<T*> blocks_;
  size_t size_ = 0;
};

}  // namespace anydim
