// SPDX-License-Identifier: Apache-2.0
// Where tensors lie, against every element's address counted out.
#include "core/tensor/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/base/testing/random.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

std::vector<int64_t> offsets(const TensorView& t) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < t.count(); ++i) {
    int64_t rest = i, offset = 0;
    for (int a = t.dims.rank - 1; a >= 0; --a) {
      offset += rest % t.dims[a] * t.strides[a];
      rest /= t.dims[a];
    }
    out.push_back(offset);
  }
  return out;
}

TEST(Memory, RangesAndRepeatsAgreeWithEveryAddressCountedOut) {
  std::mt19937_64 random(testing::run_seed());
  alignas(64) static float memory[4096];
  int distinct_and_accepted = 0;
  for (int i = 0; i < 5000; ++i) {
    TensorView t{memory + 2048, DType::f32, {}, {}};
    for (uint64_t rank = random() % 5; rank > 0; --rank) {
      t.dims.push_back(static_cast<int64_t>(random() % 5));
      t.strides.push_back(static_cast<int64_t>(random() % 61) - 30);
    }
    const std::vector<int64_t> at = offsets(t);
    const AddressRange range = address_range(t);
    if (at.empty()) {
      EXPECT_EQ(range.first, range.last);
      EXPECT_FALSE(may_repeat_elements(t));
      continue;
    }
    const auto [low, high] = std::minmax_element(at.begin(), at.end());
    EXPECT_EQ(range.first, reinterpret_cast<uintptr_t>(memory + 2048 + *low)) << to_string(t.dims);
    EXPECT_EQ(range.last, reinterpret_cast<uintptr_t>(memory + 2048 + *high + 1)) << to_string(t.dims);
    const bool repeats = std::set<int64_t>(at.begin(), at.end()).size() < at.size();
    if (repeats) {
      EXPECT_TRUE(may_repeat_elements(t)) << to_string(t.dims);
    }
    distinct_and_accepted += !repeats && !may_repeat_elements(t);
  }
  EXPECT_GT(distinct_and_accepted, 500);
}

TEST(Memory, DenseAndPaddedTensorsInAnyOrderDoNotRepeat) {
  for (const Perm& order : {Perm{0, 1, 2, 3}, Perm{0, 2, 3, 1}, Perm{3, 1, 0, 2}}) {
    TensorView t{nullptr, DType::f32, {2, 3, 1, 5}, dense_strides(Dims{2, 3, 1, 5}, order)};
    EXPECT_FALSE(may_repeat_elements(t));
    for (int a = 0; a < 4; ++a) t.strides[a] *= -2;
    EXPECT_FALSE(may_repeat_elements(t));
    t.strides[1] = 0;
    EXPECT_TRUE(may_repeat_elements(t));
  }
}

TEST(Memory, RangesOverlapOnlyWhereTheyShareAByte) {
  EXPECT_FALSE(overlap({16, 32}, {32, 48}));
  EXPECT_TRUE(overlap({16, 33}, {32, 48}));
  EXPECT_FALSE(overlap({}, {0, 48}));
}

}  // namespace
}  // namespace anydim
