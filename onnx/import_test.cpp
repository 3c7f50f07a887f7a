// SPDX-License-Identifier: Apache-2.0
// From model bytes to a graph: names, dims, order, functions, branches, and what is refused. What operators compute is
// checked by tests/conformance/ over the onnx package's node cases; opsets are migration_test's, damage is damage_test's.
#include "onnx/import.h"

#include <gtest/gtest.h>

#include "core/ops/unary.h"
#include "onnx/testing/one_node.h"

namespace anydim::onnx {
namespace {

using namespace testing;

// --- inputs and outputs ----------------------------------------------------------------------------------------

TEST(Import, NegativeUnnamedAndQuestionMarkDimsAreSymbolsOfTheirOwn) {
  ModelBuilder m = one_node(17, "Relu", {-1, 3, "?", "?"});
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  const SymDims& d = g->value(g->inputs()[0]).type.dims;
  EXPECT_FALSE(d[0].is_number());
  EXPECT_TRUE(d[1].is(3));
  EXPECT_FALSE(d[2] == d[3]);
  EXPECT_FALSE(d[0] == d[2]);
}

TEST(Import, TheSameDimNameIsTheSameSymbol) {
  ModelBuilder m;
  m.inputs = {value_info("a", kFloat, {"n", 4}), value_info("b", kFloat, {"n", "m"})};
  m.outputs = {value_info("y", kFloat, {})};
  m.nodes = {node("Add", {"a", "b"}, {"y"})};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  EXPECT_TRUE(g->value(g->inputs()[0]).type.dims[0] == g->value(g->inputs()[1]).type.dims[0]);
}

TEST(Import, InitializersThatAreListedAsInputsAreConstants) {
  ModelBuilder m = one_node(17, "Mul", {2}, {}, {floats("w", {2}, {1.f, 2.f})}, {"w"});
  m.ir_version = 3;
  m.inputs.push_back(value_info("w", kFloat, {2}));
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  EXPECT_EQ(g->inputs().size(), 1u);
}

TEST(Import, KeepsMetadataAndNames) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.metadata = {{"character", "x"}};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok());
  ASSERT_EQ(g->metadata.size(), 1u);
  EXPECT_EQ(g->metadata[0].first, "character");
  EXPECT_EQ(g->outputs()[0].name, "y");
  EXPECT_EQ(g->node(g->order()[0]).name, "the_node");
  EXPECT_EQ(g->node(g->order()[0]).onnx_type, "Relu");
}

TEST(Import, NodesThatNoOutputNeedsAreLeftOut) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.nodes.push_back(node("NoSuchOperator", {"x"}, {"unused"}));
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  EXPECT_EQ(g->order().size(), 1u);
}

// --- order and names ---------------------------------------------------------------------------------------------

TEST(Import, NodesOutOfOrderAreSorted) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.nodes = {node("Exp", {"t"}, {"y"}), node("Relu", {"x"}, {"t"})};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  EXPECT_EQ(g->node(g->order()[0]).onnx_type, "Relu");
}

TEST(Import, CyclesAreRefused) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.nodes = {node("Add", {"x", "b"}, {"a"}, {}, "first"), node("Relu", {"a"}, {"b"}), node("Exp", {"b"}, {"y"})};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::invalid_model);
  EXPECT_NE(s.message().find("first (Add)"), std::string::npos) << s.message();
  EXPECT_NE(s.message().find("cycle"), std::string::npos) << s.message();
}

TEST(Import, TheSameNameMadeTwiceIsRefused) {
  ModelBuilder twice = one_node(17, "Relu", {2});
  twice.nodes.push_back(node("Exp", {"x"}, {"y"}));
  EXPECT_EQ(failure(twice).code(), Code::invalid_model);

  ModelBuilder input = one_node(17, "Relu", {2});
  input.nodes = {node("Relu", {"x"}, {"x"})};
  input.outputs = {value_info("x", kFloat, {})};
  EXPECT_EQ(failure(input).code(), Code::invalid_model);

  ModelBuilder initializer = one_node(17, "Relu", {2}, {}, {floats("y", {1}, {1.f})});
  EXPECT_EQ(failure(initializer).code(), Code::invalid_model);

  ModelBuilder inputs = one_node(17, "Relu", {2});
  inputs.inputs.push_back(inputs.inputs[0]);
  EXPECT_EQ(failure(inputs).code(), Code::invalid_model);
}

TEST(Import, NamesThatNothingMakesAreNamed) {
  ModelBuilder m = one_node(17, "Add", {2}, {}, {}, {"ghost"});
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::invalid_model);
  EXPECT_EQ(s.message(), "the_node (Add): 'ghost' is made by no node, input or initializer");
  ModelBuilder out = one_node(17, "Relu", {2});
  out.outputs = {value_info("z", kFloat, {})};
  EXPECT_EQ(failure(out).code(), Code::invalid_model);
}

// --- what is not supported -----------------------------------------------------------------------------------------

TEST(Import, EverythingThatIsMissingIsToldAtOnce) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.nodes = {node("Relu", {"x"}, {"a"}), node("Frobnicate", {"a"}, {"b"}, {}, "frob"), node("Frobnicate", {"b"}, {"c"}),
             node("Strange", {"c"}, {"y"}, {}, "", "org.example")};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(),
            "node frob (Frobnicate): operator Frobnicate is not supported; all that this model uses and that is "
            "missing, with counts: Frobnicate (2), org.example.Strange (1)");
}

TEST(Import, OpsetsOutsideTheRangeAreRefused) {
  EXPECT_EQ(failure(one_node(6, "Relu", {2})).code(), Code::unimplemented);
  EXPECT_EQ(failure(one_node(999, "Relu", {2})).code(), Code::unimplemented);
  EXPECT_EQ(failure(one_node(12, "Gelu", {2})).code(), Code::invalid_model);  // there since 20
  ModelBuilder none = one_node(17, "Relu", {2});
  none.opsets = {{"com.example", 1}};
  EXPECT_EQ(failure(none).code(), Code::invalid_model);
}

TEST(Import, TypesThatAreNotSupportedAreNamed) {
  ModelBuilder m = one_node(17, "Identity", {2});
  m.inputs = {value_info("x", kString, {2})};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(), "input 'x': element type string (8) is not supported");
}

TEST(Import, AShapeThatOnlyTheDataKnowsIsUnimplemented) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.inputs = {value_info("x", kFloat, {2, 3}), value_info("s", kInt64, {"k", 1})};
  m.nodes = {node("Reshape", {"x", "s"}, {"y"}, {}, "r")};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(), "r (Reshape): input 1 (shape, 's') is neither constant nor does it follow from shapes");
}

TEST(Import, WrongAttributeTypesAreRefused) {
  EXPECT_EQ(failure(one_node(17, "Softmax", {2, 3}, {attr("axis", 1.5f)})).message(),
            "the_node (Softmax): attribute axis is not an integer");
  EXPECT_EQ(failure(one_node(17, "Concat", {2, 3})).message(), "the_node (Concat): attribute axis is absent; it is required");
}

// --- functions and branches --------------------------------------------------------------------------------------------

std::string function(const std::string& name, const std::vector<std::string>& in, const std::vector<std::string>& out,
                     const std::vector<std::string>& nodes, const std::vector<std::string>& attributes = {}) {
  std::string bytes;
  pbf_writer w(bytes);
  w.add_string(1, name);
  for (const std::string& i : in) w.add_string(4, i);
  for (const std::string& o : out) w.add_string(5, o);
  for (const std::string& a : attributes) w.add_string(6, a);
  for (const std::string& n : nodes) w.add_message(7, n);
  pbf_writer opset(w, 9);
  opset.add_string(1, "");
  opset.add_int64(2, 17);
  opset.commit();
  w.add_string(10, "local");
  return bytes;
}

TEST(Import, FunctionsAreInlinedWithTheirAttributes) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.opsets.push_back({"local", 1});
  m.functions = {function("Leaky", {"a"}, {"b"},
                          {node("LeakyRelu", {"a"}, {"b"}, {attr_reference("alpha", "slope", Attribute::kFloatValue)})}, {"slope"})};
  m.nodes = {node("Leaky", {"x"}, {"t"}, {attr("slope", 0.5f)}, "", "local"), node("Leaky", {"t"}, {"y"}, {}, "", "local")};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  ASSERT_EQ(g->order().size(), 2u);
  EXPECT_EQ(as<Unary>(*g->node(g->order()[0]).op)->alpha(), 0.5f);
  EXPECT_EQ(as<Unary>(*g->node(g->order()[1]).op)->alpha(), 0.01f);  // not given: the operator's default
}

TEST(Import, FunctionsThatCallThemselvesAreRefused) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.opsets.push_back({"local", 1});
  m.functions = {function("Again", {"a"}, {"b"}, {node("Again", {"a"}, {"b"}, {}, "", "local")})};
  m.nodes = {node("Again", {"x"}, {"y"}, {}, "", "local")};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::invalid_model);
  EXPECT_LT(s.message().size(), 2000u);
}

TEST(Import, FunctionsThatDoubleAtEachLevelAreStopped) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.opsets.push_back({"local", 1});
  for (int i = 0; i < 30; ++i) {
    const std::string next = formatted("F{}", i + 1);
    m.functions.push_back(i == 29 ? function("F29", {"a"}, {"b"}, {node("Relu", {"a"}, {"b"})})
                                  : function(formatted("F{}", i), {"a"}, {"b"},
                                             {node(next, {"a"}, {"t"}, {}, "", "local"), node(next, {"t"}, {"b"}, {}, "", "local")}));
  }
  m.nodes = {node("F0", {"x"}, {"y"}, {}, "", "local")};
  EXPECT_FALSE(load(m).ok());
}

TEST(Import, ABranchWithAKnownConditionIsTakenAndSeesNamesAroundIt) {
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

  m.inputs.push_back(value_info("c", kBool, {}));
  m.initializers.clear();
  EXPECT_EQ(failure(m).code(), Code::unimplemented);
}

}  // namespace
}  // namespace anydim::onnx
