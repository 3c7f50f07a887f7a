// SPDX-License-Identifier: Apache-2.0
// Nodes of constants are computed at load.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Constants, nodes_of_constants_are_computed) {
  expect("constants", R"(
input x: f32[N, 2]
const a: f32[2] = 1 2
const b: f32[1, 2] = 10 20
c = binary(a, b) function=add
d = reshape(c) dims=[2]
y = binary(x, d) function=mul
output y
)",
         R"(
input x: f32[N, 2]
const d: f32[2] = 11 22
y = binary(x, d) function=mul
output y
)",
         Bits::equal);
}

// One constant, joined with itself again and again: each step doubles it.
TEST(Constants, a_budget_bounds_what_is_made_of_a_small_model) {
  std::string text = "input x: f32[N]\nconst c0: f32[2048] =";
  for (int i = 0; i < 2048; ++i) text += " 1";
  for (int i = 1; i <= 30; ++i) text += formatted("\nc{} = concat(c{}, c{}) axis=0", i, i - 1, i - 1);
  text += "\ny = concat(x, c30) axis=0\noutput y\n";
  Graph graph = parse(text);
  ASSERT_TRUE(run_pass(graph, "constants").ok());
  int64_t held = 0;
  for (ValueId v = 0; v < graph.value_count(); ++v)
    if (graph.value(v).constant) held += graph.value(v).constant->bytes();
  EXPECT_LE(held, (INT64_C(64) << 20) + 17 * 2048 * 4);
  EXPECT_GT(held, INT64_C(16) << 20) << "small steps are computed";
  EXPECT_GT(graph.order().size(), 10u) << "the others are computed in a run";
}

// Half a megabyte is repeated to 16 for each of many outputs, which a limit for one node does not see.
TEST(Constants, a_budget_is_of_the_whole_model) {
  std::string text = "input x: f32[N]\nconst c: f32[1, 2] = 1 2";
  for (int i = 0; i < 40; ++i) text += formatted("\nt{} = tile(c) repeats=[{}, 1]\noutput t{}", i, (1 << 20) + i, i);
  Graph graph = parse(text + "\ny = unary(x) function=neg\noutput y\n");
  ASSERT_TRUE(run_pass(graph, "constants").ok());
  EXPECT_EQ(graph.order().size(), 1u + 40 - 7) << "7 of 8 MiB and a little are in 64 MiB";
}

// A step that is read by the next one alone is gone when that is there.
TEST(Constants, what_is_no_longer_read_leaves_room_for_more) {
  std::string text = "input x: f32[N]\nconst c: f32[1] = 1\nt0 = tile(c) repeats=[4000000]";
  for (int i = 1; i <= 12; ++i) text += formatted("\nt{} = unary(t{}) function=neg", i, i - 1);
  Graph graph = parse(text + "\ny = binary(x, t12) function=add\noutput y\n");
  ASSERT_TRUE(run_pass(graph, "constants").ok());
  EXPECT_EQ(graph.order().size(), 1u);
}

}  // namespace
}  // namespace anydim
