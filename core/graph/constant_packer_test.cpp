// SPDX-License-Identifier: Apache-2.0
// What a program holds of a graph's constants.
#include "core/graph/constant_packer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/testing/pieces.h"
#include "core/graph/compile.h"
#include "core/graph/node_types.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/unary.h"
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
  EXPECT_EQ(shelf->discarded_bytes, 160) << "once by the packed form, once by the table that is kept";
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
  EXPECT_EQ(program->primitive(program->steps[0])->weights(), program->primitive(program->steps[1])->weights());
  EXPECT_EQ(shelf->discarded_bytes, 48);
  EXPECT_EQ(shelf.use_count(), 1);
}

ValueId matrix_of_table(Graph& g, const char* name) {
  const auto values = std::vector<float>(12, 0.5f);
  return g.add_constant(name, ConstantTensor::of<float>(DType::f32, {3, 4}, values));
}

// a w, and b w with a function behind it that becomes a post-op.
Graph with_and_without_post_op(UnaryFunction function) {
  Graph g;
  const ValueId a = g.add_input("a", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId b = g.add_input("b", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId w = matrix_of_table(g, "w");
  g.add_output(*g.add(*Matmul::make({}), {a, w}, "plain"), "y");
  const ValueId product = *g.add(*Matmul::make({}), {b, w}, "product");
  g.add_output(*g.add(*Unary::make(function), {product}, "function"), "z");
  return g;
}

TEST(ConstantPacker, NodesThatDifferInWhatTheFormDoesNotDependOnShareOneCopy) {
  for (const uint8_t depends : {uint8_t{0}, uint8_t{PackedForm::on_mode}, uint8_t{PackedForm::on_post_ops}}) {
    CompileOptions options;
    options.engine = EngineWithPieces::create(depends);
    ProgramPtr program;
    const Status s = compile(with_and_without_post_op(UnaryFunction::relu), options, &program);
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(program->steps.size(), 2u);
    const WeightsPtr &one = program->primitive(program->steps[0])->weights(), &other = program->primitive(program->steps[1])->weights();
    ASSERT_TRUE(one && other);
    EXPECT_STREQ(program->primitive(program->steps[0])->kernel().name(), "testing.quantised");
    EXPECT_EQ(one == other, depends != PackedForm::on_post_ops);
    EXPECT_EQ(program->packed_counts.weights, one == other ? 1 : 2);
  }
}

TEST(ConstantPacker, AnAddendThatIsNoConstantComesWithEachCallBesideAPackedMatrix) {
  Graph g;
  const ValueId x = g.add_input("x", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
  const ValueId c = g.add_input("c", DType::f32, std::vector<DeclaredDim>{{4, ""}});
  g.add_output(*g.add(*Matmul::make({}), {x, matrix_of_table(g, "w"), c}, "product"), "y");
  ProgramPtr program;
  ASSERT_TRUE(compile(std::move(g), {}, &program).ok());
  ASSERT_EQ(program->steps.size(), 1u);
  const Program::Step& step = program->steps[0];
  ASSERT_TRUE(program->primitive(step)->weights());
  EXPECT_EQ(program->primitive(step)->weights()->operands(), OperandSet{1});
  EXPECT_FALSE(program->is_packed(step, 0));
  EXPECT_TRUE(program->is_packed(step, 1));
  EXPECT_FALSE(program->is_packed(step, 2));
}

TEST(ConstantPacker, AFirstOperandThatNoKernelPacksIsReadAsItIs) {
  Graph g;
  const ValueId x = g.add_input("x", DType::f32, std::vector<DeclaredDim>{{4, ""}, {-1, "n"}});
  g.add_output(*g.add(*Matmul::make({}), {matrix_of_table(g, "w"), x}, "product"), "y");
  ProgramPtr program;
  ASSERT_TRUE(compile(std::move(g), {}, &program).ok());
  EXPECT_EQ(program->packed_counts.weights, 0);
  EXPECT_EQ(program->primitive(program->steps[0])->weights(), nullptr);
  EXPECT_EQ(program->weight_bytes, 48);
}

// Weights that a pass made go when they are packed, and what is made for a body after that may lie where they lay.
TEST(ConstantPacker, OtherWeightsAtTheAddressOfFreedOnesArePackedAgain) {
  float memory[12];
  const auto product_with = [&](float value, ConstantPacker::SharedConstants& shared, Program& program) {
    std::fill(std::begin(memory), std::end(memory), value);
    Graph g;
    const ValueId x = g.add_input("x", DType::f32, std::vector<DeclaredDim>{{-1, "n"}, {3, ""}});
    const auto owner = std::make_shared<int>(0);
    const ValueId w = g.add_constant("w", std::make_shared<const ConstantTensor>(DType::f32, Dims{3, 4}, memory, owner));
    g.add_output(*g.add(*Matmul::make({}), {x, w}, "product"), "y");
    const CompileOptions options;
    program.engines = {options.engine};
    ConstantPacker packer(g, options, program, shared);
    Node& n = g.node(g.order()[0]);
    const NodeTypes types = types_of(g, n);
    EXPECT_TRUE(choose_kernel(*options.engine, types.problem(n), {}, &n.kernel).ok());
    WeightsPtr weights;
    EXPECT_TRUE(packer.weights_for(n, types.problem(n), &weights).ok());
    return weights;
  };
  ConstantPacker::SharedConstants shared;
  Program program;
  const WeightsPtr one = product_with(1.f, shared, program), other = product_with(2.f, shared, program);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one, other);
}

TEST(ConstantPacker, WeightsOf16BitsAreWidenedForThePackedFormAloneAndSharedByIt) {
  const std::vector<uint16_t> ones(16, 0x3c00);
  const auto shelf = std::make_shared<const Shelf>(false);
  Graph g;
  const ValueId x = g.add_input("x", DType::f16, std::vector<DeclaredDim>{{-1, "n"}, {4, ""}});
  const ValueId w = g.add_constant("w", ConstantTensor::lent(DType::f16, {4, 4}, ones.data(), shelf));
  const ValueId a = *g.add(*Matmul::make({}), {x, w}, "a"), b = *g.add(*Matmul::make({}), {a, w}, "b");
  g.add_output(b, "y");
  ProgramPtr program;
  ASSERT_TRUE(compile(std::move(g), {}, &program).ok());
  EXPECT_EQ(program->packed_counts.weights, 1);
  for (const Program::Tensor& t : program->tensors) EXPECT_EQ(t.constant, nullptr) << t.name;
  EXPECT_EQ(shelf->discarded_bytes, 32);
  EXPECT_EQ(shelf.use_count(), 1) << "nothing of the lender's is left in the program";
}

}  // namespace
}  // namespace anydim
