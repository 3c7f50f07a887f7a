// SPDX-License-Identifier: Apache-2.0
// What a graph no longer reads goes, and what is left reads what it read before.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

const char* const kWithDead = R"(
input x: f32[N, 2]
input idle: f32[N, 2]
const a: f32[] = 1
const b: f32[] = 2
const c: f32[] = 3
const d: f32[] = 4
const e: f32[] = 5
p = binary(x, d) function=mul | add(e)
q = unary(p) function=relu
r = unary(p) function=exp
y = binary(p, q) function=add
output y
output e
)";

TEST(DropDead, what_nothing_reads_goes_and_the_rest_reads_as_before) {
  Graph graph = parse(kWithDead);
  graph.erase_node(graph.value(graph.node(graph.order()[2]).outputs[0]).producer);  // r, and a, b, c were never read
  graph.drop_dead();
  EXPECT_EQ(graph.value_count(), 7);  // x, idle, d, e, p, q, y
  EXPECT_EQ(graph.node_capacity(), 3);
  const Status s = graph.verify();
  EXPECT_TRUE(s.ok()) << s.message();
  for (ValueId v = 0; v < graph.value_count(); ++v) EXPECT_EQ(graph.value(v).id, v);
  for (NodeId n = 0; n < graph.node_capacity(); ++n) EXPECT_EQ(graph.node(n).id, n);
  const std::string after = print_graph(graph);
  for (const char* const dead : {"const a:", "const b:", "const c:"}) EXPECT_EQ(after.find(dead), std::string::npos) << after;
  EXPECT_NE(after.find("| add(e)"), std::string::npos) << after;
  EXPECT_EQ(graph.value(graph.outputs()[1].value).name, "e");
  EXPECT_EQ(graph.inputs().size(), 2u);
}

TEST(DropDead, a_graph_with_little_to_drop_keeps_its_ids) {
  Graph graph = parse(R"(
input x: f32[N, 2]
const a: f32[] = 1
y = unary(x) function=relu
z = unary(y) function=exp
w = unary(z) function=neg
output w
)");
  const int32_t count = graph.value_count();
  graph.drop_dead();
  EXPECT_EQ(graph.value_count(), count);
}

}  // namespace
}  // namespace anydim
