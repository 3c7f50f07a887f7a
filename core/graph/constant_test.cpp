// SPDX-License-Identifier: Apache-2.0
// Constants in memory of their own and lent ones, and what of them a model holds.
#include "core/graph/constant.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "core/graph/model.h"
#include "core/ops/gather.h"
#include "core/ops/matmul.h"
#include "core/ops/reshape.h"
#include "core/ops/transpose.h"

namespace anydim {
namespace {

class Shelf final : public Lender {
 public:
  explicit Shelf(bool stays) : stays_(stays) {}
  bool stays() const noexcept override { return stays_; }
  void let_go(const void*, size_t bytes) const noexcept override { let_go_bytes += static_cast<int64_t>(bytes); }
  mutable int64_t let_go_bytes = 0;

 private:
  bool stays_;
};

// Numbers from 1 at an address that is, or is not, a multiple of their size.
struct Numbers {
  explicit Numbers(int64_t count, size_t odd) : memory(static_cast<size_t>(count) * 4 + odd), at(memory.data() + odd) {
    std::vector<float> v(static_cast<size_t>(count));
    std::iota(v.begin(), v.end(), 1.f);
    std::memcpy(at, v.data(), v.size() * 4);
  }
  std::vector<std::byte> memory;
  std::byte* at;
};

TEST(Constant, LentElementsAreReadWhereTheyLieIfTheyAreAligned) {
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
    EXPECT_EQ(shelf->let_go_bytes, stays ? 0 : 4000);
    const ConstantPtr of_odd = ConstantTensor::kept(ConstantTensor::lent(DType::f32, {1000}, odd.at, shelf), Parallel(1));
    EXPECT_NE(of_odd->data(), odd.at) << "kernels want it aligned";
    EXPECT_EQ(of_odd->as<float>()[999], 1000.f);
  }
  const ConstantPtr own = ConstantTensor::of<float>(DType::f32, {1}, std::vector<float>{1});
  EXPECT_EQ(ConstantTensor::kept(own, Parallel(1)), own);
}

// x [N, 4] times a table [5, 4], turned around by a node, beside a look-up in the same table.
TEST(Constant, ATableThatAProductReadsTransposedIsPackedFromTheOneCopyThereIs) {
  const Numbers table(20, 1);
  const auto shelf = std::make_shared<const Shelf>(false);
  Graph g;
  const ValueId ids = g.add_input("ids", DType::i64, std::vector<DeclaredDim>{{-1, "n"}});
  const ValueId w = g.add_constant("table", ConstantTensor::lent(DType::f32, {5, 4}, table.at, shelf));
  const ValueId rows = *g.add(*Gather::make(0), {w, ids}, "gather");
  const ValueId turned = *g.add(*Transpose::make(Perm{1, 0}), {w}, "transpose");
  g.add_output(*g.add(*Matmul::make({}), {rows, turned}, "product"), "y");
  std::shared_ptr<const Model> model;
  ASSERT_TRUE(Model::compile(std::move(g), {}, &model).ok());
  EXPECT_EQ(model->packed_counts().weights, 1);
  EXPECT_EQ(shelf->let_go_bytes, 160) << "once by the packed form, once by the table that is kept";
  EXPECT_EQ(shelf.use_count(), 1) << "nothing of the lender's is left in the model";
  int constants = 0;
  for (ValueId v = 0; v < model->graph().value_count(); ++v) constants += model->graph().value(v).constant != nullptr;
  EXPECT_EQ(constants, 1) << "the table; the product has its packed form";
}

TEST(Constant, WeightsThatTwoNodesReadInOneFormArePackedOnceAndGoWithTheLastOfThem) {
  const Numbers numbers(12, 1);
  const auto shelf = std::make_shared<const Shelf>(false);
  Graph g;
  const ValueId x = g.add_input("x", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId z = g.add_input("z", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId w = g.add_constant("w", ConstantTensor::lent(DType::f32, {3, 4}, numbers.at, shelf));
  g.add_output(*g.add(*Matmul::make({}), {x, w}, "a"), "a");
  g.add_output(*g.add(*Matmul::make({}), {z, w}, "b"), "b");
  std::shared_ptr<const Model> model;
  ASSERT_TRUE(Model::compile(std::move(g), {}, &model).ok());
  EXPECT_EQ(model->packed_counts().weights, 1);
  EXPECT_EQ(model->nodes()[0].primitive->weights(), model->nodes()[1].primitive->weights());
  EXPECT_EQ(shelf->let_go_bytes, 48);
  EXPECT_EQ(shelf.use_count(), 1);
}

}  // namespace
}  // namespace anydim
