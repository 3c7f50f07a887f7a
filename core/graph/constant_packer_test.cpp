// SPDX-License-Identifier: Apache-2.0
// What a program holds of a graph's constants.
#include "core/graph/constant_packer.h"

#include <gtest/gtest.h>

#include "core/ops/gather.h"
#include "core/ops/matmul.h"
#include "core/ops/transpose.h"
#include "core/tensor/testing/lent.h"

namespace anydim {
namespace {

using namespace testing;

// x [N, 4] times a table [5, 4], turned around by a node, beside a look-up in the same table.
TEST(ConstantPacker, ATableThatAProductReadsTransposedIsPackedFromTheOneCopyThereIs) {
  const Numbers table(20, 1);
  const auto shelf = std::make_shared<const Shelf>(false);
  Graph g;
  const ValueId ids = g.add_input("ids", DType::i64, std::vector<DeclaredDim>{{-1, "n"}});
  const ValueId w = g.add_constant("table", ConstantTensor::lent(DType::f32, {5, 4}, table.at, shelf));
  const ValueId rows = *g.add(*Gather::make(0), {w, ids}, "gather");
  const ValueId turned = *g.add(*Transpose::make(Perm{1, 0}), {w}, "transpose");
  g.add_output(*g.add(*Matmul::make({}), {rows, turned}, "product"), "y");
  ProgramPtr program;
  ASSERT_TRUE(compile(std::move(g), {}, &program).ok());
  EXPECT_EQ(program->packed_counts.weights, 1);
  EXPECT_EQ(shelf->let_go_bytes, 160) << "once by the packed form, once by the table that is kept";
  EXPECT_EQ(shelf.use_count(), 1) << "nothing of the lender's is left in the program";
  int constants = 0;
  for (const Program::Tensor& t : program->tensors) constants += t.constant != nullptr;
  EXPECT_EQ(constants, 1) << "the table; the product has its packed form";
}

TEST(ConstantPacker, WeightsThatTwoNodesReadInOneFormArePackedOnceAndGoWithTheLastOfThem) {
  const Numbers numbers(12, 1);
  const auto shelf = std::make_shared<const Shelf>(false);
  Graph g;
  const ValueId x = g.add_input("x", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId z = g.add_input("z", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId w = g.add_constant("w", ConstantTensor::lent(DType::f32, {3, 4}, numbers.at, shelf));
  g.add_output(*g.add(*Matmul::make({}), {x, w}, "a"), "a");
  g.add_output(*g.add(*Matmul::make({}), {z, w}, "b"), "b");
  ProgramPtr program;
  ASSERT_TRUE(compile(std::move(g), {}, &program).ok());
  EXPECT_EQ(program->packed_counts.weights, 1);
  EXPECT_EQ(program->steps[0].primitive->weights(), program->steps[1].primitive->weights());
  EXPECT_EQ(shelf->let_go_bytes, 48);
  EXPECT_EQ(shelf.use_count(), 1);
}

}  // namespace
}  // namespace anydim
