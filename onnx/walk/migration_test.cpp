// SPDX-License-Identifier: Apache-2.0
// What changed between opsets: attributes that became inputs, defaults, and operators that were replaced. Each form gives
// the same graph.
#include "onnx/walk/import.h"

#include <gtest/gtest.h>

#include "core/ops/operators/resize.h"
#include "core/ops/operators/unary.h"
#include "onnx/testing/one_node.h"

namespace anydim::onnx {
namespace {

using namespace testing;

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
  EXPECT_EQ(result_dims(one_node(9, "Slice", {2, 5}, {attr("starts", starts), attr("ends", ends), attr("axes", axes)})), "[2, 4]");
  ModelBuilder now = one_node(13, "Slice", {2, 5}, {},
                              {int64s("s", {1}, {-1}), int64s("e", {1}, {INT64_MIN}), int64s("a", {1}, {-1}), int64s("t", {1}, {-2})},
                              {"s", "e", "a", "t"});
  EXPECT_EQ(result_dims(now), "[2, 3]");
}

TEST(Import, SqueezeWithoutAxesHasTheRankThatItsFirstDynamicDimSays) {
  const auto loaded = load(one_node(13, "Squeeze", {"n", 1, 3}));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->guards.size(), 0u);
  EXPECT_EQ(dims_text(*loaded), "[select(n == 1, 1, n), 3]") << "both ranks, the smaller one with an axis of 1 before its own";
}

TEST(Import, SqueezeWithoutAxesTakesADynamicDimToBeOtherThanOneWhereMuchIsBehindIt) {
  ModelBuilder m = one_node(13, "Squeeze", {"n", 1, "h"});
  for (int i = 0; i < 65; ++i) m.nodes.push_back(node("Neg", {i == 0 ? "y" : "y" + std::to_string(i)}, {"y" + std::to_string(i + 1)}));
  m.outputs = {value_info("y65", kFloat, {})};
  const auto loaded = load(m);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Graph& g = *loaded;
  EXPECT_EQ(dims_text(g), "[n, h]");
  // A run at 1 is refused in words: the rank would be another one.
  ASSERT_EQ(g.guards.size(), 2u);
  EXPECT_TRUE(g.guards[1].allowed.is(1));
  EXPECT_NE(g.guards[1].message.find("dim 2 of its input, h, is taken to be other than 1"), std::string::npos) << g.guards[1].message;
  std::vector<int64_t> slots(static_cast<size_t>(g.dims.size()));
  const SymDims& x = g.value(g.inputs()[0]).type.dims;
  for (const int64_t h : {0, 1, 2, 7}) {
    slots[static_cast<size_t>(x[0].expr())] = 5;
    slots[static_cast<size_t>(x[2].expr())] = h;
    SlotProgram(g.dims).run(slots);
    EXPECT_EQ(value_of(g.guards[0].condition, slots), 1);
    EXPECT_EQ(value_of(g.guards[1].condition, slots), h != 1) << h;
  }
}

TEST(Import, SqueezeWithoutAxesDropsADimThatANodeBeforeItHoldsToOne) {
  ModelBuilder m = one_node(13, "MatMul", {"n", "h"}, {}, {floats("w", {1, 2}, {1.f, 2.f})}, {"w"});
  m.nodes.push_back(node("Squeeze", {"x"}, {"z"}, {}, "the_squeeze"));
  m.outputs = {value_info("z", kUndefined, {}), value_info("y", kUndefined, {})};
  EXPECT_EQ(result_dims(m), "[select(n == 1, 1, n)]") << "of h, which is 1, nothing is left";
  // Another node's dim says nothing: h is 1, n is not.
  const auto loaded = load(m);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (const Guard& g : loaded->guards) EXPECT_EQ(g.message.find("h, is taken to be"), std::string::npos) << g.message;
}

TEST(Import, SqueezeWithoutAxesDropsTheFirstOfADynamicAxis) {
  ModelBuilder m =
      one_node(13, "Slice", {"n", 4}, {}, {int64s("s", {1}, {-1}), int64s("e", {1}, {INT64_MAX}), int64s("a", {1}, {0})}, {"s", "e", "a"});
  m.nodes.push_back(node("Squeeze", {"y"}, {"z"}, {}, "the_squeeze"));
  m.outputs = {value_info("z", kFloat, {})};
  EXPECT_EQ(result_dims(m), "[4]");
}

TEST(Import, SqueezeUnsqueezeAndReductionsTakeAxesInBothForms) {
  const std::vector<int64_t> axis{1}, fresh{0, -1};
  EXPECT_EQ(result_dims(one_node(11, "Squeeze", {2, 1, 3}, {attr("axes", axis)})), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(13, "Squeeze", {2, 1, 3}, {}, {int64s("a", {1}, {1})}, {"a"})), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(13, "Squeeze", {2, 1, 3, 1})), "[2, 3]");
  EXPECT_EQ(result_dims(one_node(13, "Squeeze", {0, 1, 3})), "[0, 3]");
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
  EXPECT_EQ(result_dims(one_node(18, "Pad", {2, 3}, {}, {int64s("p", {2}, {1, 2}), int64s("a", {1}, {-1})}, {"p", "", "a"})), "[2, 6]");
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
  EXPECT_EQ(result_dims(one_node(14, "Reshape", {0, 4}, {attr("allowzero", int64_t{1})}, {int64s("s", {2}, {3, 0})}, {"s"})), "[3, 0]");
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

// --- what a version does not know ------------------------------------------------------------------------------------------

TEST(Import, AttributesAndInputsOfAnotherVersionAreRefused) {
  const auto message = [](const ModelBuilder& m) {
    const Status s = failure(m);
    EXPECT_EQ(s.code(), Code::invalid_model) << s.message();
    return s.message();
  };
  const std::vector<std::string> axes{int64s("a", {1}, {0})}, name{"a"};
  // Each of these would be computed as if the attribute or the input were not there.
  EXPECT_EQ(message(one_node(11, "ReduceSum", {1, 3}, {}, axes, name)), "the_node (ReduceSum): 2 inputs; in opset 11 it has at most 1");
  EXPECT_EQ(message(one_node(12, "Squeeze", {1, 1}, {}, axes, name)), "the_node (Squeeze): 2 inputs; in opset 12 it has at most 1");
  EXPECT_EQ(message(one_node(13, "ReduceSum", {1, 3}, {attr("axes", std::vector<int64_t>{0})})),
            "the_node (ReduceSum): it has no attribute 'axes' in opset 13");
  EXPECT_EQ(message(one_node(13, "Clip", {2}, {attr("min", 0.f)})), "the_node (Clip): it has no attribute 'min' in opset 13");
  EXPECT_EQ(message(one_node(9, "Slice", {2}, {attr("ends", std::vector<int64_t>{1})})),
            "the_node (Slice): attribute starts is absent; it is required");
  EXPECT_EQ(message(one_node(11, "Scatter", {2})), "the_node (Scatter): the operator does not exist in opset 11, which the model imports");
  EXPECT_EQ(message(one_node(13, "Relu", {2}, {attr("no_such", int64_t{1})})),
            "the_node (Relu): it has no attribute 'no_such' in opset 13");
}

TEST(Import, AnInputThatIsLeftOutAtTheEndIsNone) { EXPECT_EQ(result_dims(one_node(13, "Relu", {2}, {}, {}, {"", ""})), "[2]"); }

}  // namespace
}  // namespace anydim::onnx
