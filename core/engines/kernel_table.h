// SPDX-License-Identifier: Apache-2.0
// The fixed list of an engine's kernels. Its order is the preference, as data; nothing in it is ever evicted.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/kernels/kernel.h"

namespace anydim {

class KernelTable {
 public:
  // Where two kernels serve one operator, the one that was added earlier is preferred.
  void add(const Kernel& kernel) {
    all_.push_back(&kernel);
    of_[static_cast<size_t>(kernel.key().op)].push_back(&kernel);
    most_[static_cast<size_t>(kernel.key().op)] = std::max(most(kernel.key().op), kernel.key().mode);
  }
  // Best first, those that the device at hand cannot run included.
  std::span<const Kernel* const> of(OpKind kind) const noexcept {
    return kind == OpKind::count_ ? std::span<const Kernel* const>() : of_[static_cast<size_t>(kind)];  // a part has none (core/ops/part.h)
  }
  std::span<const Kernel* const> all() const noexcept { return all_; }
  // The furthest math mode that a kernel of the operator has.
  MathMode most(OpKind kind) const noexcept { return kind == OpKind::count_ ? MathMode::strict : most_[static_cast<size_t>(kind)]; }

 private:
  std::vector<const Kernel*> all_;
  std::array<std::vector<const Kernel*>, static_cast<size_t>(OpKind::count_)> of_;
  std::array<MathMode, static_cast<size_t>(OpKind::count_)> most_{};
};

}  // namespace anydim
