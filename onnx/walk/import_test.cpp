// SPDX-License-Identifier: Apache-2.0
// From model bytes to a graph: names, dims, order, functions, and what is refused; control_flow_test.cpp has branches and
// loops. What operators compute is
// checked by tests/conformance/ over the onnx package's node cases; opsets are migration_test's, damage is damage_test's.
#include "onnx/walk/import.h"

#include <gtest/gtest.h>

#include "core/base/text/utf8.h"
#include "core/ops/operators/unary.h"
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

TEST(Import, AnOutputThatNoNodeMakesIsRefusedOnlyWhereItIsUsed) {
  ModelBuilder m;
  m.opsets = {{"", 13}};
  m.inputs = {value_info("x", kFloat, {2, 3})};
  m.outputs = {value_info("y", kFloat, {})};
  m.initializers = {floats("c", {3}, {1.f, 2.f, 3.f})};
  m.nodes = {node("BatchNormalization", {"x", "c", "c", "c", "c"}, {"y", "mean", "variance", "saved_mean", "saved_variance"})};
  Result<Graph> g = load(m);
  EXPECT_TRUE(g.ok()) << g.status().message();
  m.outputs.push_back(value_info("saved_variance", kFloat, {}));
  Result<Graph> used = load(m);
  ASSERT_FALSE(used.ok());
  EXPECT_EQ(used.status().code(), Code::unimplemented);
  EXPECT_NE(used.status().message().find("BatchNormalization"), std::string::npos) << used.status().message();
  EXPECT_NE(used.status().message().find("output 4 is not supported"), std::string::npos) << used.status().message();
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

TEST(Import, EverythingThatIsMissingIsListedAtOnce) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.nodes = {node("Relu", {"x"}, {"a"}), node("Frobnicate", {"a"}, {"b"}, {}, "frob"), node("Frobnicate", {"b"}, {"c"}),
             node("Strange", {"c"}, {"y"}, {}, "", "org.example")};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(),
            "node frob (Frobnicate): operator Frobnicate is not supported; all that this model uses and that is "
            "missing, with counts: Frobnicate (2), org.example.Strange (1)");
}

TEST(Import, WhatIsUnsupportedBesidesTheFirstNodeIsListedWithIt) {
  ModelBuilder m = one_node(17, "Relu", {2, 3, 4});
  m.inputs = {value_info("x", kFloat, {2, 3, 4}), value_info("c", kComplex64, {2})};
  const auto pool = [](const char* x, const char* y, const char* name, int64_t p) {
    return node("GlobalLpPool", {x}, {y}, {attr("p", p)}, name);
  };
  m.nodes = {pool("x", "a", "first", 3),  node("Relu", {"a"}, {"b"}), pool("b", "d", "behind_it", 4),
             pool("x", "e", "second", 5), node("Abs", {"c"}, {"f"}),  node("Sum", {"d", "e", "f"}, {"y"})};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(),
            "input 'c': element type complex64 (14) is not supported; unsupported besides: first (GlobalLpPool): p is 3; expected 1 or 2; "
            "second (GlobalLpPool): p is 5; expected 1 or 2");
}

TEST(Import, OpsetsOutsideTheRangeAreRefused) {
  EXPECT_EQ(failure(one_node(0, "Relu", {2})).code(), Code::unimplemented);
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
  EXPECT_EQ(s.message(), "output 'y' holds strings; expected that it is declared with element type string");
}

TEST(Import, AShapeThatOnlyTheDataKnowsIsUnimplemented) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.inputs = {value_info("x", kFloat, {2, 3}), value_info("s", kInt64, {"k", 1})};
  m.nodes = {node("Reshape", {"x", "s"}, {"y"}, {}, "r")};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(),
            "r (Reshape): input 1 (shape, 's') is computed or comes with the run, and its number of elements is large or unknown; "
            "expected a constant, or sizes");
}

TEST(Import, AShapeThatANodeComputesIsReadByTheRun) {
  ModelBuilder m = one_node(17, "Relu", {2});
  m.inputs = {value_info("x", kFloat, {6}), value_info("f", kFloat, {2})};
  m.nodes = {node("Cast", {"f"}, {"s"}, {attr("to", int64_t{7})}), node("Reshape", {"x", "s"}, {"y"})};
  Result<Graph> g = load(m);
  ASSERT_TRUE(g.ok()) << g.status().message();
  ASSERT_EQ(g->size_reads().size(), 2u);
  EXPECT_EQ(g->value(g->size_reads()[0].value).type.dtype, DType::i64);
  const SymDims& d = g->value(g->outputs()[0].value).type.dims;
  ASSERT_EQ(d.rank, 2);
  EXPECT_EQ(g->stage(d[0]), 1);
  EXPECT_EQ(g->stage(g->value(g->inputs()[0]).type.dims[0]), 0);
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

// --- messages ------------------------------------------------------------------------------------------------------------

TEST(Import, MessagesAreUtf8WhateverTheFileHolds) {
  for (const char* mode : {"\xff\xfe", "caf\xc3", "\xed\xa0\x80", "\xc0\xaf", "a\nb"}) {
    const Status s = failure(one_node(20, "Gelu", {2}, {attr("approximate", mode)}));
    EXPECT_EQ(s.code(), Code::unimplemented);
    EXPECT_TRUE(valid_utf8(s.message())) << s.message();
    EXPECT_NE(s.message().find("\\x"), std::string::npos) << s.message();
  }
  const Status einsum = failure(one_node(17, "Einsum", {2}, {attr("equation", "\xce\xb1->\xce\xb1")}));
  EXPECT_EQ(einsum.code(), Code::invalid_model);
  EXPECT_TRUE(valid_utf8(einsum.message())) << einsum.message();
}

// --- operators -----------------------------------------------------------------------------------------------------------

TEST(Import, AConcatMayHaveAnyNumberOfInputs) {
  ModelBuilder m = one_node(17, "Relu", {1, 3});
  for (const size_t count : {64u, 65u, 200u, 5000u}) {
    m.nodes = {node("Concat", std::vector<std::string>(count, "x"), {"y"}, {attr("axis", int64_t{0})})};
    EXPECT_EQ(result_dims(m), formatted("[{}, 3]", count));
  }
}

TEST(Import, DropoutDrawsNumbersOnlyInTrainingWithARatio) {
  const std::string no(1, '\0'), yes(1, '\1');
  const auto with = [&](float ratio, const std::string& training) {
    return one_node(17, "Dropout", {2}, {}, {floats("r", {}, {ratio}), tensor("t", kBool, {}, training)}, {"r", "t"});
  };
  const auto draws = [](const ModelBuilder& m) {
    const Result<Graph> g = load(m);
    EXPECT_TRUE(g.ok()) << g.status().message();
    return std::any_of(g->order().begin(), g->order().end(), [&](NodeId n) { return g->node(n).op->kind() == OpKind::random_uniform; });
  };
  EXPECT_FALSE(draws(with(0.f, yes)));
  EXPECT_FALSE(draws(with(0.5f, no)));
  EXPECT_TRUE(draws(with(0.5f, yes)));
  EXPECT_TRUE(draws(one_node(17, "Dropout", {2}, {}, {tensor("t", kBool, {}, yes)}, {"", "t"})));  // the ratio is a half
}

TEST(Import, StringsAreRefusedWhenTheModelIsLoaded) {
  // Also where a default makes the input optional: nobody could feed it.
  ModelBuilder m = one_node(17, "Relu", {2});
  m.inputs.push_back(value_info("s", kString, {1}));
  m.initializers = {tensor("s", kString, {1}, "")};
  const Status s = failure(m);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(), "input 's': element type string (8) is not supported");
  EXPECT_EQ(failure(one_node(17, "Cast", {2}, {attr("to", int64_t{kString})})).code(), Code::unimplemented);
}

}  // namespace
}  // namespace anydim::onnx
