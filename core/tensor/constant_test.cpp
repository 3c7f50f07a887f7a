// SPDX-License-Identifier: Apache-2.0
// Constants in memory of their own and borrowed ones.
#include "core/tensor/constant.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "core/tensor/testing/lent.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Constant, ElementsOfTheCallerAreReadInPlaceIfTheyAreAligned) {
  const Numbers numbers(6, 0), odd(6, 1);
  const auto shelf = std::make_shared<const Shelf>(false);
  const ConstantPtr here = ConstantTensor::lent(DType::f32, {2, 3}, numbers.at, shelf);
  EXPECT_EQ(here->data(), numbers.at);
  const ConstantPtr there = ConstantTensor::lent(DType::f32, {2, 3}, odd.at, shelf);
  EXPECT_EQ(there->address(), odd.at);
  EXPECT_NE(there->data(), odd.at);
  EXPECT_EQ(there->data(), there->data()) << "one copy serves all";
  EXPECT_EQ(there->as<float>()[5], 6.f);
}

TEST(Constant, AReshapedOneSharesTheElements) {
  const ConstantPtr c = ConstantTensor::of<float>(DType::f32, {2, 2}, std::vector<float>{1, 2, 3, 4});
  const ConstantPtr flat = ConstantTensor::reshaped(*c, {4});
  EXPECT_EQ(flat->data(), c->data());
  EXPECT_EQ(flat->dims(), Dims({4}));
}

TEST(Constant, AModelKeepsACopyOfWhatDoesNotStayAndTheBytesThemselvesOfWhatDoes) {
  const Numbers numbers(1000, 0), odd(1000, 1);
  for (const bool stays : {false, true}) {
    const auto shelf = std::make_shared<const Shelf>(stays);
    const ConstantPtr c = ConstantTensor::lent(DType::f32, {1000}, numbers.at, shelf);
    const ConstantPtr kept = ConstantTensor::kept(c, Parallel(2));
    EXPECT_EQ(kept->data() == numbers.at, stays);
    EXPECT_EQ(kept->as<float>()[999], 1000.f);
    EXPECT_EQ(shelf->discarded_bytes, stays ? 0 : 4000);
    const ConstantPtr of_odd = ConstantTensor::kept(ConstantTensor::lent(DType::f32, {1000}, odd.at, shelf), Parallel(1));
    EXPECT_NE(of_odd->data(), odd.at) << "kernels want it aligned";
    EXPECT_EQ(of_odd->as<float>()[999], 1000.f);
  }
  const ConstantPtr own = ConstantTensor::of<float>(DType::f32, {1}, std::vector<float>{1});
  EXPECT_EQ(ConstantTensor::kept(own, Parallel(1)), own);
}

}  // namespace
}  // namespace anydim
