// SPDX-License-Identifier: Apache-2.0
// Models that no dims can satisfy are refused with one status by every set of passes; bodies that none can satisfy fail when a run
// comes to them (tests/conformance/test_never_runs.py has that, and more operators).
#include "core/graph/possible.h"

#include <gtest/gtest.h>

#include "core/graph/compile.h"
#include "core/graph/testing/graph_text.h"

namespace anydim {
namespace {

Graph parsed(const std::string& text) {
  Graph g;
  const Status s = parse_graph(text, &g);
  EXPECT_TRUE(s.ok()) << s.message();
  return g;
}

constexpr const char* kThreeColumns = "input x: f32[2, n]\nconst a: f32[3, 5] = 1\ny = matmul(x, a)\n";

// What each set of passes says when it compiles the text, which must be one thing.
Status compiled(const std::string& text) {
  Status first;
  for (const PassSet set : {PassSet::none, PassSet::exact, PassSet::all}) {
    CompileOptions options;
    options.passes = set;
    ProgramPtr program;
    Status s = compile(parsed(text), options, &program);
    if (set == PassSet::none) first = std::move(s);
    else EXPECT_EQ(s.code(), first.code()) << text << s.message();
  }
  return first;
}

TEST(Possible, two_sizes_that_one_dim_would_need_are_refused_by_every_set_of_passes) {
  for (const char* second :
       {"const b: f32[4, 5] = 1\nr = unary(x) function=relu\nz = matmul(r, b)\n", "const b: f32[4] = 2\nz = binary(x, b) function=add\n",
        "const b: f32[4] = 2\nr = unary(x) function=exp\nz = binary(r, b) function=mul\n",
        "const b: f32[7, 4] = 2\nz = concat(x, b) axis=0\n",
        "const b: f32[2, 4, 1, 1] = 1\nu = reshape(x) dims=[1, 2, n, 1]\nt = transpose(u) perm=0,2,1,3\nz = convolution(t, b) "
        "strides=1,1\n"})
    for (const bool before : {false, true}) {
      const std::string text = before ? std::string("input x: f32[2, n]\n") + second + "const a: f32[3, 5] = 1\ny = matmul(x, a)\n"
                                      : std::string(kThreeColumns) + second;
      const Status s = compiled(text + "output y\noutput z\n");
      EXPECT_EQ(s.code(), Code::invalid_model) << text;
      EXPECT_NE(s.message().find("no dims let it run"), std::string::npos) << s.message();
    }
}

TEST(Possible, the_message_names_both_nodes) {
  Graph g =
      parsed(std::string(kThreeColumns) + "const b: f32[4, 5] = 1\nr = unary(x) function=relu\nz = matmul(r, b)\noutput y\noutput z\n");
  const Status s = check_possible(g);
  EXPECT_EQ(s.message(),
            "z (matmul): no dims let it run: columns of a and rows of b: n is equal to 4; of node 'y (matmul)', columns of a and rows of "
            "b: n is equal to 3");
  EXPECT_EQ(s.node(), "z");
}

TEST(Possible, sizes_that_agree_are_left_alone) {
  for (const char* second : {"const b: f32[3, 4] = 1\nr = unary(x) function=relu\nz = matmul(r, b)\n",
                             "const b: f32[1] = 2\nz = binary(x, b) function=add\n", "input b: f32[m] \nz = binary(x, b) function=add\n"}) {
    Graph g = parsed(std::string(kThreeColumns) + second + "output y\noutput z\n");
    const int32_t nodes = g.node_capacity();
    const size_t guards = g.guards.size();
    const Status s = check_possible(g);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(g.node_capacity(), nodes);
    EXPECT_EQ(g.guards.size(), guards);
    EXPECT_EQ(g.dims.text(g.value(g.inputs()[0]).type.dims), "[2, n]") << "nothing is written otherwise";
  }
}

// Two maps of one image that are taken to be equal (h is 4 then), where ONNX also allows one of them to be 1: such a model is not wrong.
TEST(Possible, what_contradicts_more_than_onnx_asks_is_unimplemented) {
  const Status s = compiled(R"(
input x: f32[1, 2, h]
const w: f32[2, 2, 1] = 0.5
const v: f32[3, 7] = 1
c = convolution(x, w) strides=1
a = slice(c) starts=[0, 0, 0] lengths=[1, 2, 2*h - 4]
y = binary(c, a) function=add
z = matmul(x, v)
output y
output z
)");
  EXPECT_EQ(s.code(), Code::unimplemented) << s.message();
  EXPECT_NE(s.message().find("are taken to be equal"), std::string::npos) << s.message();
}

// min(n, 5) is 3 where n is 3: a guard that asks for 4 cannot hold, although no symbol of it was fixed on its own.
TEST(Possible, what_follows_inside_of_an_expression_is_found) {
  const Status s =
      compiled(std::string(kThreeColumns) +
               "const b: f32[4, 5] = 1\nm = slice(x) starts=[0, 0] lengths=[2, min(n, 5)]\nz = matmul(m, b)\noutput y\noutput z\n");
  EXPECT_EQ(s.code(), Code::invalid_model) << s.message();
}

}  // namespace
}  // namespace anydim
