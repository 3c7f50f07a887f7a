// SPDX-License-Identifier: Apache-2.0
// Sums of products as docs/numerics.md section 1 writes them, a product at a time: for the reference kernels of matmul and convolution.
// Products come with rising k; those that are left out (padding) are not there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/kernels/tiles/bf16.h"

namespace anydim {

// Mode strict: blocks of 128, a chain in each. Integers wrap.
template <class T> class StrictSum {
 public:
  void add(int64_t k, T a, T w) noexcept {
    if (k / kBlock != open_) {
      end_block();
      open_ = k / kBlock;
    }
    block_ = multiply_add(a, w, block_);
  }
  T total() noexcept {
    end_block();
    return total_;
  }

 private:
  static constexpr int64_t kBlock = 128;
  static T multiply_add(T a, T b, T c) noexcept {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) + static_cast<uint64_t>(c));
    else return std::fma(a, b, c);
  }
  void end_block() noexcept {
    if (open_ < 0) return;
    if (first_) total_ = block_;
    else if constexpr (std::is_integral_v<T>) total_ = static_cast<T>(static_cast<uint64_t>(total_) + static_cast<uint64_t>(block_));
    else total_ = total_ + block_;
    first_ = false;
    block_ = 0;
    open_ = -1;
  }

  T total_ = 0, block_ = 0;
  int64_t open_ = -1;  // the block that block_ belongs to
  bool first_ = true;
};

// Mode reduced: operands as bf16, blocks of 32, in each a chain of even k and one of odd k; no zero has a sign. A product that is left out of a block that has
// others counts with a left side of +0: `weight(k)` says what its right side is, for k < `count`; behind it is +0.
template <class Weight> class ReducedSum {
 public:
  ReducedSum(int64_t count, Weight weight) noexcept : count_(count), weight_(weight) {}
  void add(int64_t k, float a, float w) noexcept {
    if (k / kReducedBlock != open_) {
      end_block();
      open_ = k / kReducedBlock;
    }
    const auto i = static_cast<size_t>(k % kReducedBlock);
    left_[i] = a;
    right_[i] = w;
    there_[i] = true;
  }
  float total() noexcept {
    end_block();
    return total_ + 0.f;
  }

 private:
  void end_block() noexcept {
    if (open_ < 0) return;
    float chain[2] = {};
    for (int64_t i = 0, k = open_ * kReducedBlock; i < kReducedBlock; ++i, ++k) {
      const float left = there_[i] ? left_[i] : 0.f, right = there_[i] ? right_[i] : k < count_ ? weight_(k) : 0.f;
      chain[i % 2] = flushed_fma(as_bf16(left), as_bf16(right), chain[i % 2]);
    }
    total_ = flushed_sum(total_, flushed_sum(chain[0], chain[1]));
    std::fill_n(there_, kReducedBlock, false);
    open_ = -1;
  }

  int64_t count_;
  Weight weight_;
  float total_ = 0, left_[kReducedBlock] = {}, right_[kReducedBlock] = {};
  bool there_[kReducedBlock] = {};
  int64_t open_ = -1;
};

}  // namespace anydim
