// SPDX-License-Identifier: Apache-2.0
// From model bytes to a graph: operators with bodies (If, Loop, Scan), the names in sight in them, and what of them is refused.
#include "onnx/walk/import.h"

#include <gtest/gtest.h>

#include "core/ops/operators/unary.h"
#include "onnx/testing/one_node.h"

namespace anydim::onnx {
namespace {

using namespace testing;

TEST(ImportBodies, ABranchWithAKnownConditionIsTakenAndSeesNamesAroundIt) {
  ModelBuilder then_branch, else_branch;
  then_branch.nodes = {node("Relu", {"x"}, {"r"})};
  then_branch.outputs = {value_info("r", kFloat, {})};
  else_branch.nodes = {node("Exp", {"x"}, {"e"})};
  else_branch.outputs = {value_info("e", kFloat, {})};
  ModelBuilder m = one_node(17, "Relu", {2});
  m.initializers = {tensor("c", kBool, {}, std::string(1, '\0'))};
  m.nodes = {node("If", {"c"}, {"y"},
                  {graph_attr("then_branch", then_branch.graph_bytes()), graph_attr("else_branch", else_branch.graph_bytes())})};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  ASSERT_EQ(g->order().size(), 1u);
  EXPECT_EQ(as<Unary>(*g->node(g->order()[0]).op)->function(), UnaryFunction::exp);

  m.inputs.push_back(value_info("c", kBool, {1}));
  m.initializers.clear();
  g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  ASSERT_EQ(g->order().size(), 1u);
  EXPECT_EQ(g->node(g->order()[0]).op->kind(), kControlFlow) << "what only a run knows stays a branch";
}

// A model whose nodes hold one node with a body between x and y.
ModelBuilder with_body(const std::string& op, const std::vector<std::string>& inputs, const ModelBuilder& body,
                       const std::vector<std::string>& names = {"body"}) {
  std::vector<std::string> bodies;
  for (const std::string& name : names) bodies.push_back(graph_attr(name, body.graph_bytes()));
  ModelBuilder m = one_node(17, "Relu", {2});
  m.initializers = {tensor("yes", kBool, {}, std::string(1, '\1'))};
  m.nodes = {node(op, inputs, {"y"}, bodies, "control")};
  return m;
}

TEST(ImportBodies, NamesInABodyHideThoseAroundIt) {
  // The body makes "y", which the node that holds it makes, too, and "late", which a later node makes.
  ModelBuilder body;
  body.nodes = {node("Exp", {"x"}, {"late"}), node("Relu", {"late"}, {"y"})};
  body.outputs = {value_info("y", kFloat, {})};
  ModelBuilder m = with_body("If", {"yes"}, body, {"then_branch", "else_branch"});
  m.nodes = {node("If", {"yes"}, {"y"}, {graph_attr("then_branch", body.graph_bytes()), graph_attr("else_branch", body.graph_bytes())}),
             node("Neg", {"y"}, {"late"})};
  m.outputs = {value_info("late", kFloat, {})};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  ASSERT_EQ(g->order().size(), 3u);
  EXPECT_EQ(as<Unary>(*g->node(g->order()[2]).op)->function(), UnaryFunction::neg);

  // What is wrong is reported, and no cycle is seen.
  for (const char* op : {"Loop", "Scan"}) {
    const Status s = failure(with_body(op, {"x"}, body));
    EXPECT_EQ(s.code(), Code::invalid_model) << s.message();
    EXPECT_NE(s.message().find("control (" + std::string(op) + ")"), std::string::npos) << s.message();
  }
}

TEST(ImportBodies, ABodyInABodySeesTheNamesOfBoth) {
  ModelBuilder inner, outer;
  inner.nodes = {node("Add", {"x", "middle"}, {"y"})};
  inner.outputs = {value_info("y", kFloat, {})};
  outer.nodes = {
      node("If", {"yes"}, {"y"}, {graph_attr("then_branch", inner.graph_bytes()), graph_attr("else_branch", inner.graph_bytes())}),
      node("Exp", {"first"}, {"middle"})};  // out of order, so that the walk has to see what the body needs
  outer.outputs = {value_info("y", kFloat, {})};
  ModelBuilder m = with_body("If", {"yes"}, outer, {"then_branch", "else_branch"});
  m.nodes.push_back(node("Neg", {"x"}, {"first"}));
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  EXPECT_EQ(g->order().size(), 3u);
}

TEST(ImportBodies, WhatBodiesLackIsListedWithTheRest) {
  ModelBuilder body;
  body.nodes = {node("Frobnicate", {"x"}, {"t"}), node("Strange", {"t"}, {"y"}), node("NotNeeded", {"x"}, {"z"})};
  body.outputs = {value_info("y", kFloat, {})};
  const Status s = failure(with_body("Loop", {"", "yes", "x"}, body));
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(),
            "node t (Frobnicate): operator Frobnicate is not supported; all that this model uses and that is "
            "missing, with counts: Frobnicate (1), Strange (1)");

  ModelBuilder m = with_body("If", {"x"}, body, {"then_branch", "else_branch"});
  m.inputs = {value_info("x", kBool, {1})};
  const Status run_time = failure(m);
  EXPECT_EQ(run_time.code(), Code::unimplemented);
  EXPECT_EQ(run_time.message(),
            "control (If): its condition is only known at run time, and its branches use what is missing: node t (Frobnicate): "
            "operator Frobnicate is not supported; all that is missing, with counts: Frobnicate (2), Strange (2)");
}

TEST(ImportBodies, AModelOptimisedForOneProcessorIsRefusedWithWhatToDo) {
  ModelBuilder m;
  m.inputs = {value_info("x", kFloat, {1, 8, 4, 4})};
  const std::string domain = "com.microsoft.nchwc";
  m.nodes = {node("ReorderInput", {"x"}, {"r"}, {}, "", domain), node("ReorderOutput", {"r"}, {"y"}, {}, "", domain)};
  m.outputs = {value_info("y", kFloat, {})};
  m.opsets.emplace_back(domain, 1);
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_NE(s.message().find("com.microsoft.nchwc.ReorderInput (1), com.microsoft.nchwc.ReorderOutput (1); ONNX Runtime writes"),
            std::string::npos)
      << s.message();
  EXPECT_NE(s.message().find("save it with optimisations up to ORT_ENABLE_EXTENDED"), std::string::npos);
}

// for i < n: h = relu(h); stacked: h
ModelBuilder loop_body() {
  ModelBuilder body;
  body.inputs = {value_info("i", kInt64, {}), value_info("go", kBool, {}), value_info("h", kFloat, {})};
  body.nodes = {node("Relu", {"h"}, {"next"}), node("Identity", {"go"}, {"on"})};
  body.outputs = {value_info("on", kBool, {}), value_info("next", kFloat, {}), value_info("next", kFloat, {})};
  return body;
}

TEST(ImportBodies, ALoopIsCheckedWhenItIsLoaded) {
  const auto with = [](const std::vector<std::string>& inputs, const ModelBuilder& body) {
    ModelBuilder m = with_body("Loop", inputs, body);
    m.initializers.push_back(tensor("n", kInt64, {}, std::string("\3\0\0\0\0\0\0\0", 8)));
    return m;
  };
  for (const char* count : {"n", ""})
    for (const char* condition : {"yes", ""}) {
      Result<Graph> g = load(with({count, condition, "x"}, loop_body()));
      EXPECT_TRUE(g.ok()) << g.status().message();
    }
  const auto refuses = [&](const ModelBuilder& m, Code code, const std::string& what) {
    const Status s = failure(m);
    EXPECT_EQ(s.code(), code) << s.message();
    EXPECT_NE(s.message().find(what), std::string::npos) << s.message();
    EXPECT_NE(s.message().find("control (Loop)"), std::string::npos) << s.message();
  };
  refuses(with({"x", "yes", "x"}, loop_body()), Code::invalid_model, "its trip count is f32");
  refuses(with({"n", "x", "x"}, loop_body()), Code::invalid_model, "its condition is f32");
  refuses(with({"n", "yes"}, loop_body()), Code::invalid_model, "its body has 3 inputs; expected 2");
  refuses(with({"n", "yes", ""}, loop_body()), Code::invalid_model, "input 2 is absent; it is required");
  ModelBuilder body = loop_body();
  body.inputs[2] = value_info("h", kInt64, {});
  refuses(with({"n", "yes", "x"}, body), Code::invalid_model, "input 'h' of its body is i64; it is given f32");
  body = loop_body();
  body.outputs.resize(1);
  refuses(with({"n", "yes", "x"}, body), Code::invalid_model, "its body has 1 outputs; expected 2 at least");
  body = loop_body();
  body.nodes[0] = node("Cast", {"h"}, {"next"}, {attr("to", int64_t{kInt64})});
  refuses(with({"n", "yes", "x"}, body), Code::invalid_model, "output 'next' is declared with element type f32; its dtype is i64");
  body.outputs[1] = body.outputs[2] = value_info("next", kUndefined, {});
  refuses(with({"n", "yes", "x"}, body), Code::invalid_model, "carried value 0 is f32 and becomes i64");
  body.nodes[0] = node("Flatten", {"h"}, {"next"});
  refuses(with({"n", "yes", "x"}, body), Code::unimplemented, "has rank 1 and gets rank 2");
  body = loop_body();
  body.nodes[1] = node("Not", {"go"}, {"on"});
  refuses(with({"n", "", "x"}, body), Code::unimplemented, "it has no condition, but its body gives one");
  EXPECT_TRUE(load(with({"n", "yes", "x"}, body)).ok());
}

TEST(ImportBodies, AScanIsCheckedWhenItIsLoaded) {
  ModelBuilder body;
  body.inputs = {value_info("h", kFloat, {}), value_info("e", kFloat, {})};
  body.nodes = {node("Add", {"h", "e"}, {"next"})};
  body.outputs = {value_info("next", kFloat, {}), value_info("next", kFloat, {})};
  const auto with = [&](std::vector<std::string> more) {
    ModelBuilder m = one_node(17, "Relu", {2, 3});
    m.initializers = {floats("h", {3}, {1, 2, 3})};
    more.push_back(graph_attr("body", body.graph_bytes()));
    m.nodes = {node("Scan", {"h", "x"}, {"last", "y"}, more, "control")};
    return m;
  };
  const std::string one = attr("num_scan_inputs", int64_t{1});
  EXPECT_EQ(result_dims(with({one})), "[2, 3]");
  EXPECT_EQ(
      result_dims(with({one, attr("scan_output_axes", std::vector<int64_t>{-1}), attr("scan_output_directions", std::vector<int64_t>{1})})),
      "[3, 2]");
  for (const auto& [more, what] : std::vector<std::pair<std::string, std::string>>{
           {attr("scan_input_axes", std::vector<int64_t>{2}), "axis of what is scanned"},
           {attr("scan_input_axes", std::vector<int64_t>{0, 1}), "scan_input_axes has 2 numbers; expected 1"},
           {attr("scan_input_directions", std::vector<int64_t>{2}), "expected 0 or 1"},
           {attr("scan_output_axes", std::vector<int64_t>{2}), "the axis of what it stacks"}}) {
    const Status s = failure(with({one, more}));
    EXPECT_NE(s.code(), Code::ok);
    EXPECT_NE(s.message().find(what), std::string::npos) << s.message();
  }
  EXPECT_EQ(failure(with({attr("num_scan_inputs", int64_t{3})})).code(), Code::invalid_model);
}

TEST(ImportBodies, OnlyABranchThatIsTakenNeedsItsOperators) {
  ModelBuilder good, bad;
  good.nodes = {node("Relu", {"x"}, {"y"})};
  bad.nodes = {node("Frobnicate", {"x"}, {"y"}, {}, "frob")};
  good.outputs = bad.outputs = {value_info("y", kFloat, {})};
  ModelBuilder m = with_body("If", {"yes"}, good, {});
  const auto with = [&](const ModelBuilder& taken, const ModelBuilder& other) {
    m.nodes = {node("If", {"yes"}, {"y"}, {graph_attr("then_branch", taken.graph_bytes()), graph_attr("else_branch", other.graph_bytes())},
                    "control")};
    return m;
  };
  EXPECT_TRUE(load(with(good, bad)).ok());
  const Status s = failure(with(bad, good));
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(),
            "control (If): node frob (Frobnicate): operator Frobnicate is not supported; all that this model uses and that is "
            "missing, with counts: Frobnicate (1)");
}

}  // namespace
}  // namespace anydim::onnx
