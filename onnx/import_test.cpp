// SPDX-License-Identifier: Apache-2.0
// From model bytes to a graph: names, dims, opset migrations, functions, branches, and models that are wrong. What
// operators compute is checked by tests/onnx/ over the onnx package's node cases.
#include "onnx/import.h"

#include <gtest/gtest.h>

#include <random>

#include "core/ops/convolution.h"
#include "core/ops/pad.h"
#include "core/ops/reduce.h"
#include "core/ops/resize.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/topk.h"
#include "core/ops/unary.h"
#include "onnx/testing/model_builder.h"

namespace anydim::onnx {
namespace {

using namespace testing;

Result<Graph> load(const ModelBuilder& m) {
  const std::string bytes = m.model_bytes();
  return import_model(Bytes{nullptr, bytes});
}
Status failure(const ModelBuilder& m) { return load(m).take_status(); }

// A model of one node between input x and output y, with initializers as its further inputs.
ModelBuilder one_node(int64_t opset, const std::string& op, std::vector<DeclaredDim> dims,
                      const std::vector<std::string>& attributes = {}, const std::vector<std::string>& initializers = {},
                      const std::vector<std::string>& names = {}) {
  ModelBuilder m;
  m.opsets = {{"", opset}};
  m.inputs = {value_info("x", kFloat, dims)};
  m.outputs = {value_info("y", kFloat, {})};
  m.initializers = initializers;
  std::vector<std::string> in{"x"};
  in.insert(in.end(), names.begin(), names.end());
  m.nodes = {node(op, in, {"y"}, attributes, "the_node")};
  return m;
}

std::string dims_text(const Graph& g, size_t output = 0) {
  return g.dims.text(g.value(g.outputs()[output].value).type.dims);
}
std::string result_dims(const ModelBuilder& m) {
  Result<Graph> g = load(m);
  return g.ok() ? dims_text(*g) : g.status().message();
}
// The operator of a kind that the graph ends up with; null if there is none.
template <class T>
const T* find(const Graph& g) {
  for (const NodeId id : g.order())
    if (const T* op = as<T>(*g.node(id).op)) return op;
  return nullptr;
}

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
  m.nodes = {node("Relu", {"x"}, {"a"}), node("Frobnicate", {"a"}, {"b"}, {}, "frob"),
             node("Frobnicate", {"b"}, {"c"}), node("Strange", {"c"}, {"y"}, {}, "", "org.example")};
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

// --- opset migrations ------------------------------------------------------------------------------------------------

TEST(Import, ClipBoundsAreAttributesBeforeOpset11AndInputsSince) {
  Result<Graph> old = load(one_node(7, "Clip", {2}, {attr("min", 0.f), attr("max", 6.f)}));
  ASSERT_TRUE(old.ok()) << old.status().message();
  Result<Graph> now = load(one_node(13, "Clip", {2}, {}, {floats("lo", {}, {0.f}), floats("hi", {}, {6.f})}, {"lo", "hi"}));
  ASSERT_TRUE(now.ok()) << now.status().message();
  for (const Graph* g : {&*old, &*now}) {
    const Unary* clip = find<Unary>(*g);
    ASSERT_NE(clip, nullptr);
    EXPECT_EQ(clip->function(), UnaryFunction::clip);
    EXPECT_EQ(clip->alpha(), 0.f);
    EXPECT_EQ(clip->beta(), 6.f);
  }
}

TEST(Import, SliceTakesAttributesBeforeOpset10AndInputsSince) {
  const std::vector<int64_t> starts{1}, ends{INT64_MAX}, axes{1};
  EXPECT_EQ(result_dims(one_node(9, "Slice", {2, 5}, {attr("starts", starts), attr("ends", ends), attr("axes", axes)})),
            "[2, 4]");
  ModelBuilder now = one_node(13, "Slice", {2, 5}, {},
                              {int64s("s", {1}, {-1}), int64s("e", {1}, {INT64_MIN}), int64s("a", {1}, {-1}),
                               int64s("t", {1}, {-2})}, {"s", "e", "a", "t"});
  EXPECT_EQ(result_dims(now), "[2, 3]");
}

TEST(Import, SqueezeUnsqueezeAndReductionsTakeAxesInBothForms) {
  const std::vector<int64_t> axis{1}, fresh{0, -1};
  EXPECT_EQ(result_dims(one_node(11, "Squeeze", {2, 1, 3}, {attr("axes", axis)})), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(13, "Squeeze", {2, 1, 3}, {}, {int64s("a", {1}, {1})}, {"a"})), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(13, "Squeeze", {2, 1, 3, 1})), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(11, "Unsqueeze", {2, 3}, {attr("axes", fresh)})), "[1, 2, 3, 1]");
  EXPECT_EQ(result_dims(one_node(13, "Unsqueeze", {2, 3}, {}, {int64s("a", {2}, {0, -1})}, {"a"})), "[1, 2, 3, 1]");
  EXPECT_EQ(result_dims(one_node(12, "ReduceSum", {2, 3}, {attr("axes", axis)})), "[2, 1]");
  EXPECT_EQ(result_dims(one_node(13, "ReduceSum", {2, 3}, {}, {int64s("a", {1}, {1})}, {"a"})), "[2, 1]");
  EXPECT_EQ(result_dims(one_node(17, "ReduceMean", {2, 3}, {attr("axes", axis)})), "[2, 1]");
  EXPECT_EQ(result_dims(one_node(18, "ReduceMean", {2, 3}, {}, {int64s("a", {1}, {1})}, {"a"})), "[2, 1]");
}

TEST(Import, SoftmaxBeforeOpset13FlattensFromItsAxis) {
  Result<Graph> old = load(one_node(11, "Softmax", {2, 3, 4}));
  ASSERT_TRUE(old.ok()) << old.status().message();
  EXPECT_EQ(old->order().size(), 3u);  // reshape to [2, 12], softmax, reshape back
  EXPECT_EQ(dims_text(*old), "[2, 3, 4]");
  Result<Graph> last = load(one_node(11, "Softmax", {2, 3, 4}, {attr("axis", int64_t{2})}));
  ASSERT_TRUE(last.ok());
  EXPECT_EQ(last->order().size(), 1u);
  Result<Graph> now = load(one_node(13, "Softmax", {2, 3, 4}, {attr("axis", int64_t{1})}));
  ASSERT_TRUE(now.ok());
  EXPECT_EQ(now->order().size(), 1u);
}

TEST(Import, PadTakesAttributesBeforeOpset11AndInputsSince) {
  const std::vector<int64_t> pads{0, 1, 0, 2};
  EXPECT_EQ(result_dims(one_node(10, "Pad", {2, 3}, {attr("pads", pads)})), "[2, 6]");
  EXPECT_EQ(result_dims(one_node(13, "Pad", {2, 3}, {}, {int64s("p", {4}, pads)}, {"p"})), "[2, 6]");
  EXPECT_EQ(result_dims(one_node(18, "Pad", {2, 3}, {}, {int64s("p", {2}, {1, 2}), int64s("a", {1}, {-1})}, {"p", "", "a"})),
            "[2, 6]");
}

TEST(Import, TopKSplitAndResizeTakeBothForms) {
  ModelBuilder topk = one_node(9, "TopK", {2, 5}, {attr("k", int64_t{3})});
  EXPECT_EQ(result_dims(topk), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(11, "TopK", {2, 5}, {}, {int64s("k", {1}, {3})}, {"k"})), "[2, 3]");

  const std::vector<int64_t> sizes{1, 4};
  ModelBuilder split = one_node(11, "Split", {2, 5}, {attr("axis", int64_t{1}), attr("split", sizes)});
  split.nodes = {node("Split", {"x"}, {"y", "z"}, {attr("axis", int64_t{1}), attr("split", sizes)})};
  EXPECT_EQ(result_dims(split), "[2, 1]");
  split.opsets = {{"", 18}};
  split.nodes = {node("Split", {"x"}, {"y", "z"}, {attr("axis", int64_t{1}), attr("num_outputs", int64_t{2})})};
  EXPECT_EQ(result_dims(split), "[2, 3]");  // the last one is smaller

  const std::vector<float> scales{1.f, 1.f, 2.f, 2.f};
  for (const int64_t opset : {7, 9, 10, 11, 13}) {
    ModelBuilder m = one_node(opset, opset < 10 ? "Upsample" : "Resize", {1, 2, "h", "w"});
    m.initializers = {floats("s", {4}, scales)};
    std::string list;
    pbf_writer w(list);
    w.add_string(1, "scales");
    w.add_packed_float(7, scales.begin(), scales.end());
    w.add_int32(20, Attribute::kFloats);
    if (opset == 7) m.nodes = {node("Upsample", {"x"}, {"y"}, {list})};
    else if (opset < 11) m.nodes = {node(opset == 9 ? "Upsample" : "Resize", {"x", "s"}, {"y"})};
    else m.nodes = {node("Resize", {"x", "", "s"}, {"y"})};
    Result<Graph> g = load(m);
    ASSERT_TRUE(g.ok()) << opset << ": " << g.status().message();
    const Resize* op = find<Resize>(*g);
    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->get().scales, scales);
    EXPECT_EQ(op->get().coordinates, opset < 11 ? Resize::Coordinates::asymmetric : Resize::Coordinates::half_pixel);
    EXPECT_EQ(dims_text(*g), "[1, 2, 2*h, 2*w]");
  }
}

TEST(Import, ReshapeCopiesInfersAndKeepsZeros) {
  EXPECT_EQ(result_dims(one_node(13, "Reshape", {"n", 4, 6}, {}, {int64s("s", {3}, {0, -1, 3})}, {"s"})), "[n, 8, 3]");
  EXPECT_EQ(result_dims(one_node(14, "Reshape", {0, 4}, {attr("allowzero", int64_t{1})}, {int64s("s", {2}, {3, 0})}, {"s"})),
            "[3, 0]");
  EXPECT_EQ(failure(one_node(13, "Reshape", {2, 3}, {}, {int64s("s", {2}, {-1, -1})}, {"s"})).code(), Code::invalid_model);
}

TEST(Import, ShapesComputedFromShapesStaySymbolic) {
  ModelBuilder m = one_node(17, "Relu", {"n", "c", "h", "w"});
  m.initializers = {int64s("zero", {1}, {0}), int64s("rest", {1}, {-1})};
  m.nodes = {node("Shape", {"x"}, {"s"}), node("Gather", {"s", "zero"}, {"n"}, {attr("axis", int64_t{0})}),
             node("Concat", {"n", "rest"}, {"target"}, {attr("axis", int64_t{0})}), node("Reshape", {"x", "target"}, {"y"})};
  EXPECT_EQ(result_dims(m), "[n, c*h*w]");
}

TEST(Import, GemmMayLackC) {
  ModelBuilder m = one_node(11, "Gemm", {2, 3}, {attr("transB", int64_t{1})}, {floats("b", {4, 3}, std::vector<float>(12, 1.f))}, {"b"});
  EXPECT_EQ(result_dims(m), "[2, 4]");
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
                          {node("LeakyRelu", {"a"}, {"b"}, {attr_reference("alpha", "slope", Attribute::kFloatValue)})},
                          {"slope"})};
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
    const std::string next = fmt::format("F{}", i + 1);
    m.functions.push_back(i == 29 ? function("F29", {"a"}, {"b"}, {node("Relu", {"a"}, {"b"})})
                                  : function(fmt::format("F{}", i), {"a"}, {"b"},
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

// --- damage ------------------------------------------------------------------------------------------------------------

ModelBuilder small_network() {
  ModelBuilder m = one_node(12, "Conv", {"n", 2, "h", "w"});
  m.initializers = {floats("w", {4, 2, 3, 3}, std::vector<float>(72, 0.5f)), floats("b", {4}, {1, 2, 3, 4}),
                    int64s("s", {2}, {0, -1})};
  const std::vector<int64_t> pads{1, 1, 1, 1}, strides{2, 2};
  m.nodes = {node("Conv", {"x", "w", "b"}, {"c"}, {attr("pads", pads), attr("strides", strides), attr("auto_pad", "NOTSET")}),
             node("BatchNormalization", {"c", "b", "b", "b", "b"}, {"n"}), node("Relu", {"n"}, {"r"}),
             node("Reshape", {"r", "s"}, {"f"}), node("Softmax", {"f"}, {"y"}, {attr("axis", int64_t{1})})};
  return m;
}

TEST(Import, EveryTruncationGivesAStatus) {
  const std::string bytes = small_network().model_bytes();
  ASSERT_TRUE(import_model(Bytes{nullptr, bytes}).ok()) << import_model(Bytes{nullptr, bytes}).status().message();
  for (size_t n = 0; n < bytes.size(); ++n) {
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
    Result<Graph> g = import_model(Bytes{nullptr, {cut.data(), cut.size()}});
    EXPECT_NE(g.status().code(), Code::internal) << n << ": " << g.status().message();
  }
}

TEST(Import, FlippedBitsGiveAStatusOrAGraph) {
  const std::string bytes = small_network().model_bytes();
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    Result<Graph> g = import_model(Bytes{nullptr, damaged});
    if (g.ok()) {
      const Status s = g->verify();
      EXPECT_TRUE(s.ok()) << s.message();
    } else {
      EXPECT_NE(g.status().code(), Code::internal) << g.status().message();
      EXPECT_FALSE(g.status().message().empty());
    }
  }
}

TEST(Import, HostileNumbersInAttributesAndShapesGiveAStatus) {
  for (const int64_t v : {INT64_MIN, INT64_MIN + 1, int64_t{-1}, int64_t{0}, int64_t{1} << 62, INT64_MAX}) {
    const std::vector<int64_t> two{v, v}, four{v, v, v, v};
    const std::vector<ModelBuilder> models = {
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("pads", four)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("strides", two)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("dilations", two)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("group", v)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "MaxPool", {1, 2, 8, 8}, {attr("kernel_shape", two)}),
        one_node(17, "MaxPool", {1, 2, "h", "w"}, {attr("kernel_shape", two), attr("pads", four), attr("strides", two)}),
        one_node(17, "Reshape", {2, "n"}, {}, {int64s("s", {2}, two)}, {"s"}),
        one_node(17, "Expand", {2, "n"}, {}, {int64s("s", {2}, two)}, {"s"}),
        one_node(17, "Tile", {2, "n"}, {}, {int64s("s", {2}, two)}, {"s"}),
        one_node(17, "Pad", {2, "n"}, {}, {int64s("s", {4}, four)}, {"s"}),
        one_node(17, "Slice", {2, "n"}, {}, {int64s("s", {2}, two), int64s("e", {2}, two)}, {"s", "e"}),
        one_node(17, "Slice", {2, "n"}, {}, {int64s("s", {1}, {0}), int64s("t", {1}, {v})}, {"s", "s", "s", "t"}),
        one_node(17, "TopK", {2, "n"}, {attr("axis", v)}, {int64s("k", {1}, {v})}, {"k"}),
        one_node(17, "Softmax", {2, "n"}, {attr("axis", v)}),
        one_node(17, "Flatten", {2, "n"}, {attr("axis", v)}),
        one_node(17, "Shape", {2, "n"}, {attr("start", v), attr("end", v)}),
        one_node(17, "ReduceMean", {2, "n"}, {attr("axes", two)}),
        one_node(17, "DepthToSpace", {1, 4, "h", "w"}, {attr("blocksize", v)}),
        one_node(17, "Transpose", {2, "n"}, {attr("perm", two)}),
        one_node(17, "LRN", {1, 4, "h", "w"}, {attr("size", v)}),
        one_node(17, "Cast", {2}, {attr("to", v)}),
        one_node(17, "Relu", {v, 2}),
    };
    for (const ModelBuilder& m : models) {
      Result<Graph> g = load(m);
      EXPECT_NE(g.status().code(), Code::internal) << g.status().message();
      if (g.ok()) {
        EXPECT_TRUE(g->verify().ok());
      }
    }
  }
}

}  // namespace
}  // namespace anydim::onnx
