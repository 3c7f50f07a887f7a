// SPDX-License-Identifier: Apache-2.0
// Shapes that come from the values of an integer input, and what a context reports about a run.
#include "core/graph/testing/contexts.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Context, ShapesMayComeFromTheValuesOfAnIntegerInput) {
  const auto context = context_of(compiled(reshape_by_input()));
  std::mt19937_64 random(2);
  Tensor x({4, 6}, random);
  int64_t wanted[2] = {8, 3};
  const TensorView in[2] = {x.view, {wanted, DType::i64, {2}, {1}}};
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{8, 3}, {1, 24}, {8, 3}}) {
    wanted[0] = rows;
    wanted[1] = columns;
    TensorView y;
    const Status s = context->run(in, {&y, 1});
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(y.dims, (Dims{rows, columns}));
    for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(y.as<float>()[i], std::max(x.memory[static_cast<size_t>(i)], 0.f));
  }
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{5, 5}, {-8, -3}, {INT64_MAX, 2}}) {
    wanted[0] = rows;
    wanted[1] = columns;
    TensorView y;
    const Status s = context->run(in, {&y, 1});
    EXPECT_FALSE(s.ok());
    EXPECT_NE(s.code(), Code::internal) << s.message();
  }
}

TEST(Context, ExplainsEachNode) {
  const auto context = context_of(compiled(everything()));
  RunReport report;
  EXPECT_EQ(explain(*context, &report).code(), Code::invalid_argument);
  std::mt19937_64 random(2);
  Tensor x({1, 3, 32, 32}, random);
  TensorView out[2] = {};
  context->set_profiling(true);
  ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
  ASSERT_TRUE(explain(*context, &report).ok());
  ASSERT_FALSE(report.nodes.empty());
  EXPECT_GT(report.views, 0);
  EXPECT_GT(report.weight_bytes, 0);
  EXPECT_GE(report.pages.small_bytes + report.pages.huge_bytes, report.arena_bytes);
  EXPECT_GT(report.pages.nanoseconds, 0);
  EXPECT_GT(report.page_costs.small_nanoseconds, 0);
  bool reads_input = false;
  for (const NodeReport& n : report.nodes) {
    EXPECT_FALSE(n.kernel.empty());
    EXPECT_GE(n.nanoseconds, 0);
    EXPECT_GT(n.bytes, 0);
    int chosen = 0;
    for (const auto& c : n.candidates) chosen += c.because.empty() && c.kernel == n.kernel;
    EXPECT_EQ(chosen, 1) << n.op;
    for (const auto& o : n.inputs) reads_input = reads_input || o.place == "input 0";
  }
  EXPECT_TRUE(reads_input);
}

}  // namespace
}  // namespace anydim
